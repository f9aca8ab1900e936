"""Renew what pages print below their commands.

    python -m benchmarks.outputs [PAGE …] [--runs]      quick commands; with --runs whole runs, too

It runs the commands as the tests of the pages do (`tests/docs/test_outputs.py`), and where a block
differs takes its lines from the output: a line on the page stands for the next one in the output
that begins like it, but for numbers. Lines with … stay as they are. It prints the lines that it
finds no such line for, to be mended by hand. PAGE is a part of a path, such as `guides/matches`.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

from tests.docs import terminal
from tests.docs.pages import ROOT, Page, all_pages
from tests.docs.terminal import Terminal
from tests.docs.test_outputs import OF_RUNS, missing, printed, printed_by_runs

_LONGEST = 1200
"""Seconds that a command may take."""


def renewed(below: str, output: str) -> tuple[str, list[str]]:
    """A block with the numbers of an output, and its lines that are not there."""
    if not missing(below, output):
        return below, []
    left, lines, lost = output.splitlines(), [], []
    for line in below.splitlines():
        cut = [_as_many_words(other, line) for other in left]
        place = next((n for n, other in enumerate(cut) if _shape(other) == _shape(line)), None)
        if place is None:
            if line.strip() and "…" not in line:
                lost.append(line)
        else:
            line, left = cut[place], left[place + 1 :]
        lines.append(line)
    return "\n".join(lines) + "\n", lost


def _as_many_words(other: str, line: str) -> str:
    """The beginning of a line with as many words as another: pages leave out the last columns."""
    found = re.match(rf"(?:\s*\S+){{0,{len(line.split())}}}", other)
    return found[0] if found else ""


def _shape(line: str) -> str:
    """A line without its numbers, spaces and signs."""
    return re.sub(r"[-+−–\s]*\d[\d.,:\s]*|\s+", " ", line).strip()


def renew(page: Page, blocks: Iterable[tuple[str, str]]) -> None:
    """Write a page again with the outputs of these blocks of commands."""
    text = page.path.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "page"
        folder.mkdir()
        for file, content in page.written_files().items():
            (folder / file).write_text(content, encoding="utf-8")
        with Terminal(folder, Path(name) / "apart") as shell:
            for command, below in blocks:
                new, lost = renewed(below, shell.run(command))
                for line in lost:
                    print(f"{page.path.relative_to(ROOT)}: not printed: {line}")
                if new != below and text.count(below) != 1:
                    print(f"{page.path.relative_to(ROOT)}: by hand, indented: {command}")
                elif new != below:
                    text = text.replace(below, new)
                    print(f"{page.path.relative_to(ROOT)}: renewed: {command.splitlines()[0]}")
    page.path.write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    parser.add_argument("--runs", action="store_true")
    given = parser.parse_args()
    vars(terminal).update(smaller=list, LONGEST=_LONGEST)  # as they stand on the page
    for page in all_pages():
        if given.pages and not any(part in str(page.path) for part in given.pages):
            continue
        renew(page, printed(page))
        if given.runs and page.path.stem in OF_RUNS:
            renew(page, printed_by_runs(page))


if __name__ == "__main__":
    main()
