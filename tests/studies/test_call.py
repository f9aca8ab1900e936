"""Studies by a Python call, with functions of the caller, and comparisons of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.errors import RunError, SettingsError
from evolve.fitness.roundrobin import Round
from tests.cli import done, fails
from tests.evolution.conftest import ENCODING, After, few_discs, youngest
from tests.studies.conftest import QUICK
from tests.tables.content import content_hash


def elo_of(folder: Path) -> float:
    return float(evolve.load_agent(folder).stored().provenance["elo"])


@pytest.mark.slow
def test_functions_are_settings_like_others(study: evolve.Study, tmp_path: Path) -> None:
    names = {"selection=best", "selection=own:youngest"}
    assert set(study.individuals["setting"]) == names
    assert list(study.generations.columns[:3]) == ["setting", "selection", "seed"]
    alone = evolve.evolve(tmp_path / "2", selection=youngest, seed=2, **QUICK)
    part = study.path / "selection-own-youngest-seed-2"
    assert content_hash(part) == content_hash(alone.path)
    assert elo_of(part) == elo_of(alone.path)


@pytest.mark.slow
def test_the_same_call_goes_on(study: evolve.Study, tmp_path: Path) -> None:
    grid = {"selection": ["best", youngest]}
    half: dict[str, Any] = {"folder": tmp_path / "half", "grid": grid, **QUICK}
    for runs in (1, 2):
        stopped = evolve.study(seeds="0-1", observer=After(0), jobs=2, **half)
        assert len(stopped.runs) == runs
    assert len(evolve.study(seeds="0-1", **half).runs) == 4
    more = evolve.study(seeds=[2], **half)
    assert more.design.seeds == (0, 1, 2)
    assert [run.seed for run in more.runs] == [0, 0, 1, 1, 2, 2]
    assert [run.setting for run in more.runs[:2]] == more.generations["setting"].unique().tolist()
    assert [content_hash(run.path) for run in more.runs] == [
        content_hash(study.path / run.name) for run in more.runs
    ]
    longer = evolve.study(seeds=[2], **{**half, "generations": 3})
    assert set(longer.generations.groupby(["setting", "seed"]).size()) == {3}
    for changed in ({"population": 8}, {"grid": {"selection": ["best", "rank"]}}):
        with pytest.raises(RunError, match="settings"):
            evolve.study(seeds=[0], **{**half, **changed})


def test_the_command_line_reads_it_and_leaves_it(study: evolve.Study, tmp_path: Path) -> None:
    assert done("show", study.path).out.count("done") == 7
    done("show", study.path, "--table=individuals", "--top=2")
    said = fails("resume", study.path, "--generations", 9)
    assert "a call of evolve.study with selection=youngest" in said
    file = tmp_path / "design.toml"
    file.write_text('seeds = "0-1"\n[settings]\nselection = "own:youngest"\n')
    assert "a call of evolve.study with selection=youngest" in fails("study", file)


def test_variants_and_encodings_may_have_functions(tmp_path: Path) -> None:
    variants: Any = {"discs": {"fitness": few_discs}, "small": {"population": 4}}
    made = evolve.study(tmp_path, seeds=4, variants=variants, encoding=ENCODING, **QUICK)
    rows = made.individuals
    assert set(rows["setting"]) == {"discs", "small"}
    assert len(rows[rows["setting"] == "small"]) == 8
    assert "table" in rows
    assert rows[rows["setting"] == "discs"]["fitness"].notna().all()


def other() -> Any:
    def youngest(*given: Any) -> Any: ...

    return youngest


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"grid": {"selection": [youngest, other()]}}, "two functions are called own:youngest"),
        ({"seed": 3}, "a study has seeds"),
        ({"seeds": None}, "study: seeds: seeds are numbers and ranges from 0, such as 0-9"),
        ({"seeds": [3.5]}, "study: seeds.0 = 3.5: it must be a whole number (of the runs of each"),
        ({"seeds": []}, "study: seeds: there must be one or more"),
        ({"grid": {"selection": ["magic"]}}, "there are best, tournament"),
        ({"grid": {"selection": "magic"}}, "selection=magic"),
        ({"start_from": 1j}, "start_from"),
    ],
)
def test_errors_leave_no_folder(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(words)) as caught:
        evolve.study(tmp_path / "study", **{"seeds": [1], **QUICK, **settings})
    assert "seeds" not in settings or ";" not in str(caught.value)
    assert not (tmp_path / "study").exists()


def test_an_error_of_a_function_ends_it_there(tmp_path: Path) -> None:
    def broken(played: Round) -> Any:
        raise ZeroDivisionError

    grid = {"fitness": ["score", broken]}
    with pytest.raises(ZeroDivisionError):
        evolve.study(tmp_path / "study", seeds=[1, 2], grid=grid, **QUICK)
    rows = done("show", tmp_path / "study", "--format=json").document
    assert [row["state"] for row in rows] == ["done", *["not begun"] * 3]
