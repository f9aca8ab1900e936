"""Agents: anything that chooses a legal square, one module a kind, and their files."""
