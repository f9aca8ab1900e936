"""The stand-alone Python file of an agent: its parts, and what puts them together."""
