"""What is typed and what is printed, in a text file for each command.

A line after `$ ` is typed; `<<.` gives it the lines up to a `.` as standard input, and
`cat > NAME <<.` writes them to a file. Below stands what is printed: standard output as it is, then
the lines of standard error, each after `! `, and the exit code if it is not 0, as `[2]`. A `…`
stands for what varies: `VARYING`, and whatever a hand puts one in place of. `pytest --update
tests/transcripts` writes the files again and keeps each `…`; the diff is for review.

Each file begins in a copy of the folder that `made` makes.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli import ALPHABETA, QUICK, done, invoke, posix

FILES = sorted(Path(__file__).parent.glob("*.txt"))
VARYING = re.compile(
    r"\b\d{4}-\d\d-\d\d( \d\d:\d\d)?"  # dates
    r"|\b\d+(\.\d+)?(?= (m?s|min|h|d|[kMG]i?B|CPU s|CPU seconds|seconds|minutes)\b)"
    r"|(?<=\bevolve )\d+\.\d\S*|(?<=^evolve: )\S+"
)
COLUMN = re.compile(r"\b(\w*seconds|left)\b")
"""Heads of columns whose cells vary."""
ROW = re.compile(r" *\d|.*\d/\d")
CELL = re.compile(r"–|\d+(\.\d+)?( (s|min|h|d)\b)?")
TRAINED = ("--shapes=a1-b2", "--checks=2", "--games=100", "--panel-openings=2")
SEARCHED = ("--search-depth=1", "--depth=1", "--endgame=4", "--probcut-positions=50", "--jobs=1")
STUDIED = (*QUICK, "--generations=2", "--seeds=0-1", "--grid=crossover=blend,uniform")


class Typed(NamedTuple):
    """A command line, its input, and what is printed."""

    line: str
    text: list[str]
    printed: list[str]

    @property
    def lines(self) -> list[str]:
        """As they stand in the file."""
        text = [*self.text, "."] if self.line.endswith("<<.") else []
        return [f"$ {self.line}", *text, *self.printed]


def read(path: Path) -> list[Typed]:
    """All that is typed in a file, with what it printed when the file was written."""
    found: list[Typed] = []
    lines = iter(path.read_text(encoding="utf-8").splitlines())
    for line in lines:
        if line.startswith("$ "):
            text = list(iter(lines.__next__, ".")) if line.endswith("<<.") else []
            found.append(Typed(line.removeprefix("$ "), text, []))
        else:
            found[-1].printed.append(line)
    return found


def printed(one: Typed, folder: Path) -> list[str]:
    """What a command prints now; where `one` has a `…` that fits, it stays."""
    _, *words = shlex.split(one.line.removesuffix("<<."))
    text = "".join(f"{line}\n" for line in one.text)
    if one.line.startswith("cat > "):
        Path(words[1]).write_text(text, encoding="utf-8")
        return []
    ended = invoke(*words, stdin=text)
    lines = [*ended.out.splitlines(), *(f"! {line}" for line in ended.err.splitlines())]
    lines += [f"[{ended.code}]"] * bool(ended.code)
    known = {old: re.escape(old).replace("…", ".*") for old in one.printed if "…" in old}
    lines = _steady([line.replace(f"{folder}", "DIR") for line in lines])
    return [next((old for old in known if re.fullmatch(known[old], new)), new) for new in lines]


def _steady(lines: list[str]) -> list[str]:
    """The lines with `…` for what varies; where some does, columns are two blanks apart."""
    found, spans = list[str](), list[tuple[int, int]]()
    for line in lines:
        if re.search(r"compiling .*once on this machine", line):
            continue
        heads = [head.span() for head in COLUMN.finditer(line)] if "  " in line else []
        spans = heads or spans

        def cell(match: re.Match[str], spans: list[tuple[int, int]] = spans) -> str:
            there = any(match.start() < end and match.end() > start for start, end in spans)
            return "…" if there else match[0]

        steady = VARYING.sub("…", CELL.sub(cell, line) if ROW.match(line) else line).rstrip()
        found.append(re.sub(r"(?<=\S) {2,}", "  ", steady) if heads or steady != line else steady)
    return found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, a study, a sweep and a training, of seconds together."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("EVOLVE_DATA_DIR", str(folder / "data"))
        done("run", *QUICK, "--out=first")
        done("run", *STUDIED, "--out=study")
        done(*ALPHABETA, "--jobs=1", "--out=swept")
        done("train", "patterns", "--rules=reversed", *TRAINED, *SEARCHED, "--out=taught")
    return folder


@posix
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_command_prints_what_its_file_says(
    path: Path, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pytestconfig: Any
) -> None:
    folder = Path(shutil.copytree(made, tmp_path / "here"))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(folder / "data"))
    found = [one._replace(printed=printed(one, folder)) for one in read(path)]
    lines = [line for one in found for line in one.lines]
    if pytestconfig.getoption("update"):
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert path.read_text(encoding="utf-8").splitlines() == lines
