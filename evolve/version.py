"""The version of evolve, for everything that keeps it with its results."""

__version__ = "0.2.0.dev0"
