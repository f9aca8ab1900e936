"""Whole games in one call: to play, to open and to learn from."""
