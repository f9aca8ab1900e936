"""Changes of the files in people's folders: whole or not at all, and each through one door."""
