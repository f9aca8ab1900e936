"""Change files in people's folders: as a whole or not at all, and only through this package."""
