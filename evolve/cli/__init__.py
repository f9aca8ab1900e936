"""The command line: one module a command, with its name, loaded when it is used."""
