"""The command line: one module a command, named as it, loaded when it is used."""
