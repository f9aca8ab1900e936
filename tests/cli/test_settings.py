"""Options made from settings: groups in their order, and wrong values in plain words."""

from __future__ import annotations

import re
from pathlib import Path

import click
import pytest

from evolve.cli.main import cli
from evolve.config.evolution import EvolutionSettings
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.pattern_training import PatternSettings
from evolve.config.sweep import SweepSettings
from tests.cli import done, misused


@pytest.mark.parametrize(
    "words",
    [
        ("run",),
        ("sweep", "mcts"),
        ("sweep", "program"),
        ("train", "dqn"),
        ("train", "mcts"),
        ("train", "patterns"),
    ],
    ids=" ".join,
)
def test_options_come_in_groups_each_once_the_important_first(words: tuple[str, ...]) -> None:
    said = done(*words, "--help").out
    heads = re.findall(r"^(\w[^:\n]+):$", said, re.MULTILINE)
    assert heads[0] == "What matters first"
    assert len(heads) >= 4
    assert len(set(heads)) == len(heads)
    named = re.findall(r"^  (?:-\w, )?--([\w-]+)", said, re.MULTILINE)
    assert len(set(named)) == len(named)
    first = said[said.index("What matters first") :].partition("\n\n")[0]
    for option in ("seed", "jobs", "out", "config", "help"):
        assert f"--{option} " in first
    command: click.Command | None = cli.get_command(click.Context(cli), words[0])
    if isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words[1])
    assert command is not None
    options = {p.opts[0].removeprefix("--") for p in command.params if isinstance(p, click.Option)}
    assert options <= set(named)


@pytest.mark.parametrize(
    "model", [EvolutionSettings, MctsSettings, DqnSettings, PatternSettings, SweepSettings]
)
def test_groups_begin_at_fields_that_exist(model: type) -> None:
    assert set(model.GROUPS) <= set(model.model_fields)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bounds", "depths=3"], "two whole numbers, LOW:HIGH, such as depths=2:6"),
        (["--bounds", "depths"], "KEY=VALUE, such as --bounds depths=2:6"),
        (["--survivors", "20"], "share of the population that is selected"),
        (["--survivors", "1"], "both are shares, such as 0.25"),
        (["--population", "2"], "individuals in every generation"),
        (["--fix", "depths=deep"], "it must be a whole number"),
    ],
)
def test_wrong_values_are_told_in_plain_words(
    options: list[str], words: str, tmp_path: Path
) -> None:
    said = misused("run", *options, "--out=x")
    assert (said.startswith("error: "), said.count("\n")) == (True, 1)
    assert list(tmp_path.iterdir()) == []
    assert words in said
    assert "see evolve run --help" in said
    for jargon in ("field required", "parse", "valid integer"):
        assert jargon not in said
