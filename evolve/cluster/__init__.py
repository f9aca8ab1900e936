"""Run games on the machines of a cluster, with Dask."""
