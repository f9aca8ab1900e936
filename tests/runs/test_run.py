"""A run's folder for readers: its tables, and what is told where they are damaged or not there."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import evolve
from evolve.errors import EvolveError, RunError
from evolve.evolution.kind import KIND as EVOLUTIONS
from evolve.runs.run import list_all, load_run
from evolve.runs.run_types import champion_of
from evolve.runs.study_spec import StudySpec
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.individuals import INDIVIDUALS_COLUMNS
from evolve.tables.parquet import read_table, write_table
from tests.cli.test_resume import KEPT


def test_tables_of_a_kept_run_have_their_columns() -> None:
    run, games, individuals = load_run(KEPT), GAMES_COLUMNS.names, INDIVIDUALS_COLUMNS.names
    assert tuple(run.games)[: len(games)] == games
    assert tuple(run.individuals)[: len(individuals)] == individuals


@pytest.mark.parametrize("look", [lambda run: run.metadata(1), lambda run: run.generations])
@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"evolve": "no JSON"},
        {"evolve": "[]"},
        {"evolve": '{"generation": 1, "checkpoint": {}}'},
        {"evolve": '{"generation": {"generation": %s}, "checkpoint": {}}' % ("1" * 5000)},
    ],
)
def test_metadata_that_is_no_generation_is_told(
    made: Path, tmp_path: Path, metadata: dict[str, str], look: Callable[[evolve.Run], object]
) -> None:
    shutil.copytree(made, tmp_path / "copy")
    path = tmp_path / "copy/generations/gen-0001.parquet"
    write_table(path, read_table(path).replace_schema_metadata(metadata))
    with pytest.raises(RunError, match="gen-0001") as caught:
        look(evolve.load_run(tmp_path / "copy"))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


def test_a_kept_run_is_of_the_kind_that_it_was() -> None:
    run = load_run(KEPT)
    assert run.kind.name == "run"
    assert run.tables == tuple(table.name for table in EVOLUTIONS.tables)
    names = ("generations", "individuals", "games")
    assert not [name for name in names if not run.table(name).equals(getattr(run, name))]
    assert champion_of(KEPT) == KEPT / "champion.json"
    with pytest.raises(RunError, match="trials"):
        run.table("trials")
    with pytest.raises(RunError, match="7"):
        run.table("games", 7)
    assert run.tables["games"] is run.games
    assert (run.champion.name, run.champion.rules) == (evolve.load_agent(KEPT).name, "reversed")


def _refuse(path: Path, error: EvolveError) -> None:
    raise error


def test_folders_that_are_no_runs(made: Path, tmp_path: Path) -> None:
    for place, why in ((tmp_path / "none", "no such folder"), (tmp_path, "no config.toml")):
        with pytest.raises(RunError, match=why):
            load_run(place)
    with pytest.raises(RunError, match="there is no"):
        list_all(tmp_path / "none", _refuse)
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="folder"):
        list_all(tmp_path / "file", _refuse)
    for name in ("b", "a"):
        shutil.copytree(made, tmp_path / name)
    (tmp_path / "c").mkdir()
    assert [run.name for run in list_all(tmp_path, _refuse)] == ["a", "b"]


def test_an_individual_is_found_as_it_was_last(made: Path) -> None:
    run = load_run(made)
    last = run.individuals.drop_duplicates("individual", keep="last").set_index("individual")
    found = {name: run.find(name) for name in last.index}
    assert {name: one["generation"] for name, one in found.items()} == last["generation"].to_dict()
    weights = last["weights"].map(list).to_dict()
    assert {name: [*one["weights"]] for name, one in found.items()} == weights
    for name in ("9-0", "0-99", "x", "0", "٠-0", "", "0-", "-1", "0-01", " 0-1", "²-1"):
        with pytest.raises(RunError, match="individual"):
            run.find(name)


def test_completion_shows_what_users_need() -> None:
    shown = {name for name in dir(evolve.load_run(KEPT)) if not name.startswith("_")}
    assert shown == {
        "champion", "command", "config", "elo", "find", "games", "generation", "generation_count",
        "generations", "individuals", "metrics", "name", "path", "plot", "seed",
        "setting", "table", "tables", "trials",
    }  # fmt: skip


def test_runs_of_a_study_know_their_setting_and_seed(tmp_path: Path) -> None:
    design = StudySpec(seeds=(3, 4), grid={"population": [8, 16]})
    (tmp_path / "study.toml").write_text(design.text({}))
    for member in design.members[:3]:
        shutil.copytree(KEPT, tmp_path / member.name)
    found = [(run.setting, run.seed) for run in evolve.Study(tmp_path).runs]
    assert found == [("population=8", 3), ("population=16", 3), ("population=8", 4)]
