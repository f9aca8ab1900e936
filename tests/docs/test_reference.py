"""Pages of reference that are written by hand say what the code says."""

from __future__ import annotations

import doctest
import inspect
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

import evolve
from benchmarks import figures
from evolve.agents.registry import REFERENCES
from evolve.cli.main import COMMANDS
from evolve.config.evolution import EvolutionSettings
from evolve.config.pattern_training import PatternSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.runs.run_types import RUN_TYPES
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.individuals import FITNESS, INDIVIDUALS_COLUMNS
from evolve.tables.trials import FINAL_SCHEMA
from tests.cli.test_resume import KEPT
from tests.docs.pages import read_page

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs/reference"


def read(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


def test_the_ratings_of_all_reference_agents() -> None:
    expected = figures.tables()
    assert read("agents.md").endswith(expected), "python -m benchmarks.levels page writes them"
    assert all(f"`{name}`" in expected for name in REFERENCES)


def columns() -> Iterator[tuple[str, str]]:
    for kind in RUN_TYPES:
        for name, table in kind.reading.tables.items():
            yield from ((name, column.name) for column in table.columns or ())
    yield from (("individuals", column.name) for column in INDIVIDUALS_COLUMNS)
    yield "individuals", FITNESS
    yield from (("games", column.name) for column in GAMES_COLUMNS)
    yield from (("final", name) for name in FINAL_SCHEMA.names)


def test_every_column_of_every_table() -> None:
    sections = dict(
        re.findall(r"^## Tables? `(\w+)`[^\n]*\n(.*?)(?=^## |\Z)", read("folders.md"), re.M | re.S)
    )
    ends = {"metrics": re.compile("_(low|high)$")}
    assert not [
        (table, column)
        for table, column in columns()
        if f"`{column}`" not in sections[table]
        and f"`{ends.get(table, re.compile('$')).sub('', column)}`" not in sections[table]
    ]


def test_every_variable_of_the_environment() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("evolve/**/*.py"))
    names = set(re.findall(r"""["'](EVOLVE_[A-Z_]+)["']""", source))
    assert not [name for name in names if f"`{name}`" not in read("environment.md")]


def test_every_public_name() -> None:
    page = read("python.md")
    names = evolve.__all__
    assert not [
        name for name in names if not re.search(rf"^   {name}$|`evolve\.{name}`", page, re.M)
    ]


def test_every_event_of_progress() -> None:
    rows = ("generation", "check", "trial")
    names = (*rows, "started", "progress", "match", "note", "done", "error")
    assert not [name for name in names if f"`{name}`" not in read("formats.md")]


def test_the_overview_has_every_command_agent_and_preset() -> None:
    page = (ROOT / "docs/overview.md").read_text(encoding="utf-8")
    names = {word for code in re.findall(r"`([^`]+)`", page) for word in code.split()}
    levels = {f"level-{number}" for number in range(2, 12)}
    presets = get_args(EvolutionSettings.model_fields["preset"].annotation)
    taught = get_args(PatternSettings.model_fields["preset"].annotation)
    expected = {*COMMANDS, *SWEEP_TARGETS, *REFERENCES, *presets, *taught}
    assert expected - levels <= names


FUNCTIONS = [name for name in evolve.__all__ if inspect.isfunction(getattr(evolve, name))]
SLOW = ("evolve", "study", "sweep", "train")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else [])
        for name in (*FUNCTIONS, "Board", "Board.play")
    ],
)
def test_the_example_in_a_docstring(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(KEPT, tmp_path / "runs/first")
    monkeypatch.chdir(tmp_path)
    shown = evolve
    for part in name.split("."):
        shown = getattr(shown, part)
    globs = {"evolve": evolve}
    (found,) = doctest.DocTestFinder(recurse=False).find(shown, name, globs=globs)
    assert found.examples
    report: list[str] = []
    doctest.DocTestRunner().run(found, out=report.append)
    assert not report, "".join(report)


TEXT = (ROOT / "docs/guides/tune-a-program.md").read_text(encoding="utf-8")
EXAMPLE = ROOT / "examples/engine.py"


def test_the_tutorial_shows_the_example() -> None:
    page = read_page(ROOT / "docs/tutorials/tune-engine.md")
    shown = [text for language, text in page.blocks if language == "python"]
    assert shown == ["# file: engine.py\n" + EXAMPLE.read_text(encoding="utf-8")]


def test_the_example_plays_whole_games(tmp_path: Path) -> None:
    file = tmp_path / "my engine.py"
    file.write_bytes(EXAMPLE.read_bytes())
    named = f"gtp:{sys.executable} '{file}'?time=20"
    result = evolve.match(named, "random", games=6, jobs=2)
    assert (result.games, result.played) == (6, 6)


@pytest.mark.parametrize(
    "word", ["boardsize", "clear_board", "play", "genmove", "list_commands", "time_settings"]
)
def test_its_commands_are_those_that_are_sent(word: str) -> None:
    sent = Path(ROOT / "evolve/programs/sessions.py").read_text(encoding="utf-8")
    assert f"`{word}" in TEXT
    assert word in sent
