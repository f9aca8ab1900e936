"""Genomes, operators and algorithms of evolution; knows nothing of games."""
