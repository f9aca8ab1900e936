"""Folders of runs and studies: their kinds, their tables, how they begin and continue."""
