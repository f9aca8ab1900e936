"""Agents: anything that chooses a legal square, with one module per kind, and agent files."""
