"""Tables of runs as Parquet files, and writing that is whole or not at all."""
