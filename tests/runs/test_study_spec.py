"""What a study is made of: seeds, settings, names, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from evolve.errors import EvolveError
from evolve.runs.study_spec import (
    BASE,
    StudySpec,
    grid_line,
    grid_of,
    seeds_of,
    short_names,
    study_spec_of,
)


def design(**values: Any) -> StudySpec:
    return study_spec_of({"seeds": "0-1", **values}, "here")


def test_seeds() -> None:
    assert seeds_of("0-3") == (0, 1, 2, 3)
    assert seeds_of("7, 1-2") == (7, 1, 2)
    assert seeds_of(5) == (5,)
    assert design(seeds=[3, 1]).seeds == (3, 1)
    assert len(seeds_of("0-4999,5000-9999")) == 10_000
    with pytest.raises(ValueError, match="10000"):
        seeds_of("0-9999,3," + ",".join(["0-9999"] * 10_000))


def test_all_combinations_seed_by_seed() -> None:
    made = design(grid={"crossover": ["blend", "uniform"], "fix.depths": [3, "4"]})
    assert [one.name for one in made.settings_of_runs] == [
        "crossover=blend fix.depths=3", "crossover=blend fix.depths=4",
        "crossover=uniform fix.depths=3", "crossover=uniform fix.depths=4",
    ]  # fmt: skip
    members = list(made.members)
    assert [one.seed for one in members] == [0] * 4 + [1] * 4
    assert members[1].name == "crossover-blend-fix.depths-4-seed-0"
    assert made.values_of(members[1]) == {"crossover": "blend", "fix": {"depths": "4"}, "seed": 0}


def test_one_setting_has_no_name_in_folders() -> None:
    made = design(settings={"generations": 3})
    assert [one.name for one in made.settings_of_runs] == [BASE]
    assert [one.name for one in made.members] == ["seed-0", "seed-1"]


def test_variants_with_the_grid_over_common_settings() -> None:
    made = design(
        settings={"fix": {"depths": 2}, "population": 8},
        variants={"few": {"population": 4}, "deep": {"fix": {"endgame": 9}}},
        grid={"crossover": ["blend"]},
    )
    few, deep = (made.values_of(one) for one in list(made.members)[:2])
    assert few == {"fix": {"depths": 2}, "population": 4, "crossover": "blend", "seed": 0}
    assert deep["fix"] == {"depths": 2, "endgame": 9}
    assert made.settings_of_runs[1].varied == {"variant": "deep", "crossover": "blend"}


def test_names_of_folders_are_safe_and_never_the_same() -> None:
    made = design(grid={"start_from": ["../../x", "/./x", "..", "a" * 200, "a" * 200 + "b"]})
    names = [one.name for one in made.members]
    assert len(set(names)) == len(names)
    assert all("/" not in name and not name.startswith(".") for name in names)
    assert max(map(len, names)) < 110


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"seeds": "3-1"}, "not '3-1'"),
        ({"seeds": "x"}, "such as 0-9 or 1,4,7-9, not 'x'"),
        ({"seeds": "0-99999"}, "10000 at most"),
        ({"seeds": "1,1"}, "a seed is given twice"),
        ({"seeds": [-1]}, "greater than or equal to 0"),
        ({"seeds": []}, "seeds: there must be one or more"),
        ({"command": "serve"}, "command = 'serve' is unknown; there are run,"),
        ({"settings": {"seed": 3}}, "settings.seed: a study has seeds"),
        ({"grid": {"seed": [1]}}, "grid.seed: a study has seeds"),
        ({"grid": {"population": []}}, "it must have 1 or more"),
        ({"grid": {"population": [4, 4]}}, "population=4 is given twice"),
        ({"grid": {"population": list(range(9999))}}, "10000 runs at most"),
        ({"grid": {f"fix.x{key}": list(range(10)) for key in range(8)}}, "10000"),
        ({"plan": 1}, "plan: there is no such setting"),
    ],
)
def test_what_cannot_be(values: dict[str, Any], said: str) -> None:
    with pytest.raises(EvolveError) as error:
        design(**values)
    assert said in str(error.value)
    assert str(error.value).startswith("here: ")


def test_wrong_settings_are_told_with_their_place() -> None:
    with pytest.raises(EvolveError, match="crossover=odd"):
        design(grid={"crossover": ["blend", "odd"]}).checked()
    with pytest.raises(EvolveError, match="nonsense"):
        design(settings={"nonsense": 1}).checked()
    design(command="sweep alphabeta", settings={"trials": 3}).checked()


def test_grids_of_options() -> None:
    assert grid_of("crossover=blend, uniform") == ("crossover", ["blend", "uniform"])
    assert grid_of("terms=mobility|mobility,stability") == (
        "terms", ["mobility", "mobility,stability"],
    )  # fmt: skip
    for text in ("crossover", "=a", "x=a,,b", "x="):
        with pytest.raises(EvolveError, match="FIELD=A,B"):
            grid_of(text)


def test_a_line_of_the_grid_gives_its_values() -> None:
    rows = (["blend", "uniform"], ["1,2", "1,3"], ["one"])
    assert [grid_of(grid_line("x", values))[1] for values in rows] == [*rows]
    for values in (["1,2"], [[1, 2]], ["a|b", "c"], [" a"], [""]):
        with pytest.raises(EvolveError, match=r"cannot give these values|--grid takes"):
            grid_line("x", values)


@pytest.mark.parametrize(
    ("names", "key", "short"),
    [
        (["depth=1", "depth=2"], "depth", ["1", "2"]),
        (["depth=1"], "", ["depth=1"]),
        (["a=1 b=2", "a=2 b=2"], "a", ["1", "2"]),
        (["a=x y b=2", "a=z b=3"], "a and b", ["x y · 2", "z · 3"]),
        (["s a=1", "s a=2", "first"], "a", ["s: 1", "s: 2", "first"]),
        (["a=1", "b=1"], "", ["a=1", "b=1"]),
        (["first", "second"], "", ["first", "second"]),
    ],
)
def test_names_of_settings_side_by_side(names: list[str], key: str, short: list[str]) -> None:
    assert short_names(names) == (key, short)
