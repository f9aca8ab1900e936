"""Outside programs: their processes, and clients that speak GTP and NBoard."""
