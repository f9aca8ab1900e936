"""Settings: one frozen model for each command, with presets, TOML files and text for each field."""
