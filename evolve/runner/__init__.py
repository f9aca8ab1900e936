"""Wiring a run: settings to population to fitness to tables, and going on after a stop."""
