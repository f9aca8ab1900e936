"""Pictures of tables, drawn without a display."""
