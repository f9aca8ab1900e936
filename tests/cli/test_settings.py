"""Options made from settings: groups in their order, and wrong values in plain words."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

import evolve
from evolve.cli.main import cli
from tests.cli import QUICK, done


@pytest.mark.parametrize(
    "words",
    [
        ("run",), ("sweep", "mcts"), ("sweep", "program"), ("train", "dqn"), ("train", "mcts"),
        ("train", "patterns"),
    ],
    ids=" ".join,
)  # fmt: skip
def test_options_come_in_groups_each_once_the_important_first(words: tuple[str, ...]) -> None:
    said = done(*words, "--help").out
    heads = re.findall(r"^(\w[^:\n]+):$", said, re.MULTILINE)
    assert heads[0] == "What matters first"
    assert len(heads) >= 4
    assert len(set(heads)) == len(heads)
    named = re.findall(r"^  (?:-\w, )?--([\w-]+)", said, re.MULTILINE)
    assert len(set(named)) == len(named)
    first = said[said.index("What matters first") :].partition("\n\n")[0]
    cases = ("seed", "jobs", "out", "config", "help")
    assert not [option for option in cases if f"--{option} " not in first]
    command: click.Command | None = cli.get_command(click.Context(cli), words[0])
    if isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words[1])
    options = {p.opts[0].removeprefix("--") for p in command.params if isinstance(p, click.Option)}
    assert options <= set(named)


@pytest.mark.parametrize("words", [("--rules=standard",), ("--config=own.toml",)])
def test_options_and_files_of_a_command_come_first(words: tuple[str, ...]) -> None:
    Path("own.toml").write_text('rules = "standard"\n', encoding="utf-8")
    begun = done("run", *QUICK, "--generations=1", *words, "--out=x").lines[0]
    assert begun.split(" · ")[1] == "standard (most discs wins)"
    assert evolve.load_run("x").config["rules"] == "standard"
    resumed = done("resume", "x", "--generations=2", "--jobs=1").lines[0]
    assert resumed.split(" · ")[1] == "standard (most discs wins)"
