"""`evolve`, and `python -m evolve`."""

from evolve.cli.leaving import leave_at_signals

TYPE_CHECKING = False  # `typing` takes a moment, in which a signal shows a traceback
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Run the command line and exit; see `cli.main`."""
    leave_at_signals()
    from evolve.cli.main import main as command

    command()


if __name__ == "__main__":
    main()
