"""The kinds of runs: every entry is complete, and what is unknown is refused."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from pydantic import BaseModel

from evolve.cli.main import COMMANDS, cli
from evolve.cli.run import resume_command
from evolve.cli.work import LongWork, work_of
from evolve.errors import RunError
from evolve.runs.run_type import RunType
from evolve.runs.run_types import FILES, PARTS, RUN_TYPES, kind_of
from tests.cli import python


def test_a_name_is_of_one_kind_alone() -> None:
    names = [kind.name for kind in RUN_TYPES]
    commands = [command for kind in RUN_TYPES for command in kind.commands]
    assert len(set(names)) == len(names)
    assert len(set(commands)) == len(commands)
    changes = [change for kind in RUN_TYPES for change in kind.changes]
    told = {(change.name, change.type, change.help) for change in changes}
    assert len({change.name for change in changes}) == len(told)  # alike where shared
    offered = {parameter.name for parameter in resume_command.params}
    assert {change.name for change in changes} <= offered


def test_the_registry_is_light() -> None:
    code = (
        "import sys, evolve.runs.run_types; "
        "print([name for name in ('numpy', 'pandas', 'click', 'pydantic') if name in sys.modules])"
    )
    assert python(code) == (0, "[]\n", "")


@pytest.mark.parametrize("command", ["nonesuch", "train", "train trees", "runs", "", 3, ["run"]])
def test_unknown_kinds_are_refused(command: Any) -> None:
    with pytest.raises(RunError, match="command"):
        kind_of(command, Path("place"))


each_kind = pytest.mark.parametrize("kind", RUN_TYPES, ids=lambda kind: kind.name)


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


@each_kind
def test_the_modules_of_a_kind_are_there_and_take_what_they_are_given(kind: RunType) -> None:
    command = cli.get_command(click.Context(cli), kind.name)
    assert command is not None
    assert command.name == kind.name
    reading = kind.reading
    assert isinstance(work_of(kind, next(iter(kind.commands))), LongWork)
    assert parameters(reading.kept) == ["folder"]
    reads = (reading.progress, reading.curve, reading.metrics)
    assert not [read for read in reads if parameters(read) != ["run"]]
    names = [table.name for table in kind.tables]
    assert [*reading.tables] == names
    tables = reading.tables.values()
    assert {*map(tuple, (parameters(t.read) for t in tables))} <= {("run",), ("run", "generation")}
    assert [table.count is None for table in tables] == [table.rows is None for table in tables]


@each_kind
def test_an_entry_is_of_one_piece(kind: RunType) -> None:
    assert kind.about == COMMANDS[kind.name][1]
    assert kind.tables
    assert kind.parts
    assert set(kind.files) <= set(FILES)
    assert set(kind.parts) <= set(PARTS)
    for word, variant in kind.variants.items():
        assert kind_of(kind.command(word), Path()) is kind
        assert kind.word(kind.command(word)) == word
        model = variant.model()
        assert issubclass(model, BaseModel)
        presets = get_args(model.model_fields["preset"].annotation) if variant.presets else ()
        assert tuple(variant.all_presets()) == presets
        for change in kind.changes_of(kind.command(word)):
            kinds = str(model.model_fields[change.name].annotation)
            assert change.type.__name__ in kinds, (change, kinds)
