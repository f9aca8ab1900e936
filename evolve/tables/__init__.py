"""Tables of runs as Parquet files."""
