"""Tests of what `evolve bench` measures, at small sizes."""
