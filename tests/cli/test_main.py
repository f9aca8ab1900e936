"""`evolve --version`, its help, the kernel cache, and what a shell completes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click
import numba
import pytest

import evolve
from evolve.agents.registry import REFERENCES
from evolve.cli.main import COMMANDS, GROUPS, cli
from tests.cli import done, program, ran
from tests.cli.test_missing import commands


def test_version() -> None:
    said = done("--version").out
    words = (evolve.__version__, numba.__version__, "Python", "CPU")
    assert not [word for word in words if word not in said]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "value", "code", "words"),
    [
        ("NUMBA_NUM_THREADS", "0", 1, ("perft", 1)),
        ("NUMBA_NUM_THREADS", "-2", 1, ("--version",)),
        ("NUMBA_CPU_FEATURES", "x", 1, ("perft", 1)),
        ("NUMBA_NUM_THREADS", "x", 0, ("perft", 1)),
        ("NUMBA_OPT", "x", 0, ("--version",)),
    ],
)
def test_variables_that_numba_does_not_take_are_named(
    name: str, value: str, code: int, words: tuple[object, ...], tmp_path: Path
) -> None:
    """Some in an error, some in numba's warning: in one line."""
    result = program(tmp_path, *words, real=True, **{name: value})
    assert result.code == code
    assert name in result.err
    assert result.err.count("\n") == 1


def test_an_unwritable_kernel_cache_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    cache = str(tmp_path / "file" / "cache")
    ended = program(tmp_path, "perft", 3, "--json", EVOLVE_CACHE_DIR=cache)
    assert ended.code == 0
    assert ended.document["nodes"] == 56
    assert "EVOLVE_CACHE_DIR" in ended.err
    # A line for people: not Python's, with a place in the source and the source's own text.
    assert ended.err.count("\n") == 1, ended.err
    assert "compile.py" not in ended.err


HEAVY = {"numba", "pandas", "pyarrow", "torch", "optuna", "matplotlib"}
"""Packages that are not loaded while one types."""


def completions(folder: Path, *words: str) -> list[str]:
    """What bash is offered for the last of the words."""
    asked = {"_EVOLVE_COMPLETE": "bash_complete", "COMP_WORDS": " ".join(("evolve", *words))}
    command = (sys.executable, "-X", "importtime", "-m", "evolve")
    ended = ran(*command, folder=folder, COMP_CWORD=str(len(words)), **asked)
    assert ended.code == 0
    assert not HEAVY & {line.rpartition("|")[2].strip() for line in ended.err.splitlines()}
    return [line.partition(",")[2] for line in ended.lines]


@pytest.mark.slow
def test_commands_runs_agents_and_presets_are_completed(quick: Path, tmp_path: Path) -> None:
    shutil.copytree(quick, tmp_path / "runs/first")
    shutil.copytree(quick, tmp_path / "runs/evil\nname")
    shutil.copy(quick / "champion.json", tmp_path / "mine.json")
    assert completions(tmp_path, "r") == [name for name in COMMANDS if name.startswith("r")]
    assert completions(tmp_path, "show", "runs/f") == ["runs/first"]
    found = completions(tmp_path, "match", "")
    assert found == [*REFERENCES, "runs/first", "mine.json"]
    assert completions(tmp_path, "run", "--preset", "") == ["tuned", "published"]
    assert completions(tmp_path, "run", "--start-from", "swh") == ["swh", "swh-mobility"]
    assert "s4-reversiv" in completions(tmp_path, "train", "mcts", "--preset", "s")


def test_the_script_for_a_shell() -> None:
    ended = ran(sys.executable, "-m", "evolve", _EVOLVE_COMPLETE="zsh_source")
    assert (ended.code, "_EVOLVE_COMPLETE=zsh_complete" in ended.out) == (0, True)


def test_help_lists_commands_under_headings() -> None:
    lines = done("--help").lines
    at = [lines.index(f"{heading}:") for heading in GROUPS]
    assert at == sorted(at)
    assert [
        [line.split()[0] for line in lines[start + 1 :] if line[2:3].strip()][: len(group)]
        for start, group in zip(at, GROUPS.values(), strict=True)
    ] == [[*group] for group in GROUPS.values()]


def test_every_option_says_what_it_is() -> None:
    found = [
        (words, option)
        for words, command in commands(cli, (), click.Context(cli))
        for option in command.params
        if isinstance(option, click.Option)
    ]
    assert len(found) > 300
    assert not [(words, option.opts) for words, option in found if not option.help]
