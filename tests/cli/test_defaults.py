"""By which rules commands play that name none: those of agents, files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from tests.cli import QUICK, done


def rules_of(folder: str) -> str:
    return str(evolve.load_run(folder).config["rules"])


@pytest.mark.parametrize("words", [("--rules=standard",), ("--config=own.toml",)])
def test_options_and_files_of_a_command_come_first(words: tuple[str, ...]) -> None:
    Path("own.toml").write_text('rules = "standard"\n', encoding="utf-8")
    begun = done("run", *QUICK, "--generations=1", *words, "--out=x").lines[0]
    assert " · standard (most discs wins) · " in begun
    assert rules_of("x") == "standard"
    resumed = done("resume", "x", "--generations=2", "--jobs=1").lines[0]
    assert " · standard (" in resumed


def test_matches_and_ratings_by_the_rules_of_agents() -> None:
    words = ("--games=2", "--openings=start", "--jobs=1")
    assert (
        done("match", "swh", "zero", *words).lines[0].endswith("standard assumed (most discs wins)")
    )
    own = ("match", "champion-reversed?depth=1&endgame=0", "zero", *words)
    assert done(*own).lines[0].endswith(", reversed (fewest discs wins)")
    assert done(*own, "--rules=standard").lines[0].endswith(", standard (most discs wins)")
