"""Runs for people: generations, checks and trials, at work and by `evolve show`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import evolve
from evolve.cli.generations import columns_shown
from evolve.cli.terminal import with_error
from evolve.tables.individuals import GENERATIONS_COLUMNS
from tests import forks
from tests.cli import command, done, environment, read_terminal


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_a_generation_is_a_line_on_a_terminal_of_80_columns(first: Path, tmp_path: Path) -> None:
    import pty

    here, there = pty.openpty()
    process = forks.start(
        command("show", first),
        cwd=tmp_path,
        env=environment(COLUMNS="80", LINES="24", TERM="xterm", NO_COLOR="1"),
        stdin=subprocess.DEVNULL,
        stdout=there,
        stderr=subprocess.PIPE,
    )
    os.close(there)
    shown = read_terminal(here)
    assert process.wait() == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown)
    assert "past_score: " in text
    # The head, then a line a generation, nothing folded into further lines.
    lines = [line for line in text.splitlines() if line.strip()]
    begin = next(number for number, line in enumerate(lines) if line.split()[0] == "0")
    rows = evolve.load_run(first).generations.to_dict("records")
    for line, row in zip(lines[begin : begin + 3], rows, strict=True):
        assert line.split()[:2] == [str(row["generation"]), row["best"]]
        elo = with_error(*(row[f"panel_elo{end}"] for end in ("", "_low", "_high")))
        assert f" {elo} " in line
        assert f" {row['rating']:.0f} " in line
    # One name everywhere: the head is the columns' own names, word above word.
    stacked = [line.split() for line in lines[:begin]]
    assert stacked[-1].count("±") == 1
    for name in columns_shown(ladder=True):
        words = [] if name.startswith("panel_elo") else name.split("_")
        assert all(word in line for word, line in zip(words[::-1], stacked[::-1], strict=False))
    assert lines[begin + 3].startswith("past_score: ")
    assert max(map(len, lines[: begin + 3])) <= 80


def test_every_column_of_generations_is_explained() -> None:
    said = done("show", "--help").out
    for column in GENERATIONS_COLUMNS:
        assert column.text, column.name
        assert f"  {column.name:<16}{column.text}\n" in said
