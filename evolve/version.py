"""The version of evolve, for everything that keeps it with its results, and its published name."""

__version__ = "0.2.0.dev0"
DISTRIBUTION = "evolve-reversi"
"""What pip installs; import and command are `evolve`."""
