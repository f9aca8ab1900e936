"""Genomes, operators and algorithms of evolution; independent of games."""
