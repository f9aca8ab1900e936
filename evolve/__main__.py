"""`evolve`, and `python -m evolve`."""

from __future__ import annotations

from typing import NoReturn

from evolve.cli import signals


def main() -> NoReturn:
    """Run the command line and exit; see `cli.main`."""
    signals.install()  # first: a Ctrl-C that interrupts imports may be lost
    from evolve.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
