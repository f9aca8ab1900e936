"""Agents: anything that chooses a legal square, their files and their names."""
