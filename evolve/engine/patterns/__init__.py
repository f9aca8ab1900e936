"""Evaluation by patterns, and the search with it."""
