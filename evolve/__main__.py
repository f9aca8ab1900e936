"""`python -m evolve`."""

from __future__ import annotations

from evolve.cli.main import main

if __name__ == "__main__":
    main()
