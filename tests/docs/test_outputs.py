"""What pages print below their commands is what the commands print.

Those that need no run are tested with the slow tests. Whole evolutions and studies take minutes:
`pytest -m printed -n 0` compares them, when what they print may have changed. What depends on CPU
seconds, clocks or two workers does not repeat, and is compared nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs import terminal
from tests.docs.pages import Page, all_pages
from tests.docs.terminal import Terminal
from tests.docs.test_commands import parameter

QUICK = "agents|convert|export|match|openings|perft|play|rate|replay|show|solve"
"""Commands that take seconds, where they name no run, clock or program of others."""
LONG = re.compile(r"runs/|time=|\.py\b|gtp|nboard|python|simulations=|http|\bserve\b|ssh")
TIMES = re.compile(r"\b[\d.]+ (s|min)\b|\d{4}-\d\d-\d\d \d\d:\d\d")
OF_RUNS = ("README", "first-run", "study", "evolve", "studies")
"""Pages with outputs of evolutions and studies."""


def printed(page: Page) -> Iterator[tuple[str, str]]:
    """The quick blocks of commands, each with the block of text below it, or none."""
    blocks = [*page.blocks, ("", "")]
    for (language, text), (kind, below) in pairwise(blocks):
        names = re.findall(r"^evolve (\S+)", text, re.M)
        quick = bool(names) and all(re.fullmatch(QUICK, name) for name in names)
        if language == "sh" and quick and not LONG.search(text):
            yield text, below if kind == "text" else ""


def printed_by_runs(page: Page) -> list[tuple[str, str]]:
    """All blocks of commands to the last that has an output, each with the text below, or none."""
    blocks = [
        (text, below if kind == "text" else "")
        for (language, text), (kind, below) in pairwise([*page.blocks, ("", "")])
        if language == "sh" and "pip" not in text
    ]
    while blocks and not blocks[-1][1]:
        blocks.pop()
    return blocks


PRINTED = [page for page in all_pages() if any(below for _, below in printed(page))]


def lines_of(text: str) -> list[str]:
    """Without times: those in sentences, dates, and last columns of seconds and of time left."""
    lines, times = [], 0
    for line in map(str.rstrip, text.splitlines()):
        heads = re.search(r"(\bseconds)?( *\bleft)?$", line)
        if heads and heads[0]:
            times = len(heads[0].split())
        elif not re.search(r"([\d…–]| s| min)$", line):
            times = 0
        masked = TIMES.sub("…", line)
        lines.append(re.sub(rf"(\s+\S+){{{times}}}$", "", masked))
    return [re.sub(r"\s+", " ", line) for line in lines]


def missing(expected: str, output: str) -> list[str]:
    """Lines that are not in the output and begin none there; workers may end in another order."""
    lines, lost = lines_of(output), []
    for line in filter(None, lines_of(expected)):
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        if line != "…" and not any(re.match(rf"{pattern}(\s|$)", other) for other in lines):
            lost.append(line)
    return lost


def test_lines_that_are_missing() -> None:
    output = "begin\nnumber  score  seconds\n1       12     0.007\ngames 3 in 0.1 s\n"
    assert not missing("number score seconds\n1 12 0.4\n…\ngames 3 in 2 s\n", output)
    assert missing("number score seconds\n1 13 0.007\n", output) == ["1 13"]


def lost(page: Page, blocks: Iterable[tuple[str, str]], place: Path) -> list[str]:
    """What stands below the commands of blocks and is not printed by them."""
    folder = place / "page"
    folder.mkdir()
    for name, text in page.written_files().items():
        (folder / name).write_text(text, encoding="utf-8")
    with Terminal(folder, place / "apart") as shell:
        said = [(command, missing(below, shell.run(command))) for command, below in blocks]
    return [f"{command}  {line}" for command, lines in said for line in lines]


@pytest.mark.parametrize("page", [parameter(page) for page in PRINTED])
def test_what_commands_print(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "smaller", list)
    assert lost(page, printed(page), tmp_path) == []


@pytest.mark.printed
@pytest.mark.parametrize(
    "page",
    [page for page in all_pages() if page.path.stem in OF_RUNS],
    ids=lambda page: page.path.stem,
)
def test_what_runs_print(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "smaller", list)
    monkeypatch.setattr(terminal, "LONGEST", 1200)
    assert lost(page, printed_by_runs(page), tmp_path) == []
