"""Forms of commands: a value that is odd is refused, and none is a fault of ours."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomli_w

from evolve.config.base import named_in
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.service.api.welcome import KindInfo, get_meta
from evolve.service.forms import KIND, form_of, forms
from evolve.service.responses import ProblemError
from tests.config.test_settings import finite
from tests.service.test_values import BASES, ODD, taken


@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow, id="all"), 4])
@pytest.mark.parametrize("command", sorted(forms()))
def test_any_value_in_any_field_of_any_form(command: str, every: int) -> None:
    form = forms()[command]
    base = BASES.get(command, {})
    fields = [field for field in form.model.model_fields if field != KIND]
    assert fields
    count, infinite = 0, list[tuple[str, object]]()
    for number, field in enumerate([*fields, "nonsense", KIND]):
        for odd in ODD[number % every :: every]:
            if "\\ud800" in ascii(odd):  # JSON with such text is refused before
                continue
            given = taken(form, {**base, field: odd})
            if given is None:
                continue
            count += 1
            infinite += [(field, odd)] * (not finite(given))
            " ".join(form.words(given)).encode()
            tomllib.loads(tomli_w.dumps(given))
    assert not infinite
    assert count > len(fields) / every, "some of them are right"


def test_fields_say_how_lists_are_written_and_numbers_are_shown_whole() -> None:
    fields = {one.name: one for form in forms().values() for one in form.info(()).fields}
    assert [fields[name].lists for name in ("bounds", "fix", "require")] == [":", ",", "repeated"]
    words = forms()["train patterns"].words({"budget": 1234567.0})
    assert words[-2:] == ["--budget", "1234567"]


@pytest.mark.slow
@pytest.mark.parametrize("command", sorted(name for name, form in forms().items() if form.kind))
def test_no_grid_names_agents_places_or_programs(command: str) -> None:
    form = forms()[command]
    fields = [pair for one in forms().values() for pair in one.model.model_fields.items()]
    naming = {name for name, field in fields if named_in(field)}
    inside = [f"{field}.{name}" for field in ("fix", "space") for name in naming]
    whole = ["fix", "space"] if form.own else []
    own = {name for name, field in form.model.model_fields.items() if named_in(field)}
    named = [*inside, *whole, *own, *form.model.OF_OWNER]
    grids = [
        {key: [value]}
        for key in named
        for value in ("swh", {"x": "/etc/passwd"}, {"choices": ["x"]})
    ]
    grids += [
        {key: [1, value]}
        for key in [*form.model.model_fields, *inside, "fix.x", "space.x"]
        for value in ("gtp:sh", ["a", "nboard:x"], {"x": ["gtp:sh"]}, {"gtp:sh": 1})
    ]
    places = []
    for grid in grids:
        with pytest.raises(ProblemError) as found:
            form.design({}, None, grid)
        places.append([place for place, _ in found.value.errors])
    assert places == [[f"/grid/{key}" for key in grid] for grid in grids]


@pytest.mark.parametrize("kind", ["x", "", None, [], {}, 1, "run"])
def test_a_kind_that_is_not_the_command_s(kind: Any) -> None:
    for command in ("sweep dqn", "train patterns", "sweep", "train"):
        with pytest.raises(ProblemError, match="kind:"):
            form_of(command, {KIND: kind})


@pytest.mark.parametrize("word", SWEEP_TARGETS)
def test_what_a_sweep_does_not_use_is_not_offered(word: str) -> None:
    names = {field.name for field in forms()[f"sweep {word}"].info([]).fields}
    assert not names & {*SWEEP_TARGETS[word].unused}
    assert "trials" in names


@pytest.mark.parametrize("kind", get_meta().kinds[:-1], ids=lambda kind: kind.name)
def test_the_first_table_of_a_kind_can_be_drawn(kind: KindInfo) -> None:
    first, names = kind.tables[0], {column.name for column in kind.tables[0].columns}
    assert first.whole
    assert first.key in names
    assert first.over
    assert set(first.over) <= names
    charts = [column.chart for column in first.columns if column.chart is not None]
    assert charts
    assert {
        len({one.format for one in first.columns if one.chart == chart}) for chart in charts
    } == {1}
