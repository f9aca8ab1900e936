"""A kind of run: every entry is complete."""

from __future__ import annotations

import inspect
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import click
import pytest
from pydantic import BaseModel

from evolve.cli.main import COMMANDS
from evolve.cli.work import LongWork, work_of
from evolve.runs.run_type import RunType
from evolve.runs.run_types import FILES, PARTS, RUN_TYPES, kind_of

each_kind = pytest.mark.parametrize("kind", RUN_TYPES, ids=lambda kind: kind.name)


def parameters(function: Any) -> list[str]:
    return list(inspect.signature(function).parameters)


@each_kind
def test_the_modules_of_a_kind_are_there_and_take_what_they_are_given(kind: RunType) -> None:
    command = getattr(import_module(f"evolve.cli.{kind.name}"), f"{kind.name}_command")
    assert isinstance(command, click.Command)
    assert command.name == kind.name
    work, reading = work_of(kind), kind.reading
    assert issubclass(work, LongWork)
    assert work.kind is kind
    assert not inspect.isabstract(work)
    assert parameters(reading.kept) == ["folder"]
    assert parameters(reading.progress) == parameters(reading.metric) == ["run"]
    assert parameters(reading.curve) == parameters(reading.metrics) == ["run"]
    names = [table.name for table in kind.tables]
    assert [*reading.tables] == names
    for table in reading.tables.values():
        assert parameters(table.read) in (["run"], ["run", "generation"])
        assert (table.count is None) == (table.rows is None)


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
