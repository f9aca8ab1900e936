"""evolve: an evolutionary tuning service for Reversi agents.

Public names load on first use, so that `import evolve` and `evolve --help` stay light: a Ctrl-C
before the program has a handler shows a traceback. The stub beside this module, which type checkers
read, says where each is defined.
"""

__version__ = "0.2.0.dev0"

_homes: dict[str, tuple[str, str]] = {}


def _homes_of_names() -> dict[str, tuple[str, str]]:
    """The module of each public name, and its name there."""
    if not _homes:
        import re

        with open(f"{__file__.removesuffix('.py')}.pyi", encoding="utf-8") as stub:
            found = re.findall(r"^from (\S+) import (\w+) as \w+$", stub.read(), re.M)
        _homes.update({name: (module, name) for module, name in found})
        _homes["square"] = ("evolve.engine.board.squares", "parse_square")
        _homes["__version__"] = ("evolve", "__version__")
    return _homes


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name == "errors":
        return import_module("evolve.errors")
    homes = _homes_of_names()
    if name == "__all__":
        return [*homes]
    if name not in homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, own_name = homes[name]
    return getattr(import_module(module), own_name)


def __dir__() -> list[str]:
    return sorted(__getattr__("__all__"))
