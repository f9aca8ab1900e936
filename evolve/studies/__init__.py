"""Studies: many runs side by side, one for each of several settings and seeds."""
