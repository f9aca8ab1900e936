"""Settings: one frozen model for each command, with presets, TOML files and a doc a field."""
