"""Pages of reference that are written by hand say what the code says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

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
    parts = re.findall(r"^## Tables? ([^\n]*)\n(.*?)(?=^## |\Z)", read("folders.md"), re.M | re.S)
    sections = {name: text for head, text in parts for name in re.findall(r"`(\w+)`", head)}
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
    shown = {*re.findall(r"^   (\w+)$", page, re.M), *re.findall(r"`evolve\.(\w+)`", page)}
    assert {*evolve.__all__} <= shown


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
