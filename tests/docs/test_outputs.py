"""What pages print below their commands is what the commands print: those that need no run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.docs import terminal
from tests.docs.pages import Page, all_pages
from tests.docs.terminal import Terminal
from tests.docs.test_commands import parameter

QUICK = "agents|convert|export|match|openings|perft|play|rate|replay|show|solve"
"""Commands that take seconds, where they name no run, clock or program of others."""
LONG = re.compile(r"runs/|time=|\.py\b|gtp|nboard|python|simulations=|--watch|http|\bserve\b|ssh")
TIMES = re.compile(r"\b[\d.]+ (s|min)\b")


def printed(page: Page) -> Iterator[tuple[str, str]]:
    """The quick blocks of commands, each with the block of text below it, or none."""
    blocks = [*page.blocks, ("", "")]
    for (language, text), (kind, below) in pairwise(blocks):
        names = re.findall(r"^evolve (\S+)", text, re.M)
        quick = bool(names) and all(re.fullmatch(QUICK, name) for name in names)
        if language == "sh" and quick and not LONG.search(text):
            yield text, below if kind == "text" else ""


PRINTED = [page for page in all_pages() if any(below for _, below in printed(page))]


def lines_of(text: str) -> list[str]:
    """Without times: those in sentences, and a last column of seconds."""
    lines, timed = [], False
    for line in text.splitlines():
        timed = line.endswith("seconds") or (timed and re.search(r"[\d…]$", line) is not None)
        masked = TIMES.sub(r"… \1", line.rstrip())
        lines.append(re.sub(r"\s+\S+$", "", masked) if timed else masked)
    return [re.sub(r"\s+", " ", line) for line in lines]


def missing(expected: str, output: str) -> list[str]:
    """Lines that are not in the output behind those before them, or begin one there."""
    left, lost = iter(lines_of(output)), []
    for line in filter(None, lines_of(expected)):
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        if line != "…" and not any(re.match(rf"{pattern}(\s|$)", other) for other in left):
            lost.append(line)
            left = iter(lines_of(output))
    return lost


def test_lines_that_are_missing() -> None:
    output = "begin\nnumber  score  seconds\n1       12     0.007\ngames 3 in 0.1 s\n"
    assert not missing("number score seconds\n1 12 0.4\n…\ngames 3 in 2 s\n", output)
    assert missing("number score seconds\n1 13 0.007\n", output) == ["1 13"]


@pytest.mark.parametrize("page", [parameter(page) for page in PRINTED])
def test_pages_print_what_commands_print(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "smaller", list)
    folder = tmp_path / "page"
    folder.mkdir()
    for name, text in page.written_files().items():
        (folder / name).write_text(text, encoding="utf-8")
    lost = []
    with Terminal(folder, tmp_path / "apart") as shell:
        for command, below in printed(page):
            lost += [f"{command}  {line}" for line in missing(below, shell.run(command))]
    assert not lost, "\n".join(lost)
