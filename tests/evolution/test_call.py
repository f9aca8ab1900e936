"""An evolution by a Python call, with functions of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evolve
from evolve.errors import RunError, SettingsError
from evolve.evolution.loop import _OF_DIRECT_GENES
from tests.cli import done, fails
from tests.evolution.conftest import ENCODING, TINY, After, few_discs, youngest
from tests.tables.content import content_hash

QUICK: dict[str, Any] = {**TINY, "openings": "start", "survivors": 0.5}


@pytest.mark.slow
def test_own_functions_decide_and_the_same_call_goes_on(tmp_path: Path) -> None:
    own: dict[str, Any] = {**QUICK, "selection": youngest, "fitness": few_discs}
    whole = evolve.evolve(tmp_path / "whole", jobs=2, **own)
    config = whole.path.joinpath("config.toml").read_text()
    assert 'selection = "own:youngest"' in config
    assert 'fitness = "own:few_discs"' in config

    rows = whole.individuals
    drawn = rows["fitness"] + rows["disc_difference"] - 64.0
    assert drawn.between(0.0, 1.0).all()
    assert (drawn.groupby(rows["generation"]).transform("std") < 1e-9).all()
    assert drawn.nunique() > 1, "a draw of its own for every generation"
    best = rows.loc[rows.groupby("generation")["fitness"].idxmax(), "individual"]
    assert whole.generations["best"].tolist() == best.tolist()
    born = rows["born"][(rows["generation"] == 3) & (rows["born"] < 3)].tolist()
    assert (len(born), born.count(2) >= 2) == (3, True), "the best, and the youngest of the others"

    half = tmp_path / "half"
    evolve.evolve(half, observer=After(2), **own)
    assert evolve.load_run(half).generation_count == 2
    again = evolve.evolve(half, **own)
    assert content_hash(again.path) == content_hash(whole.path)
    assert evolve.evolve(half, **own).generation_count == 4, "nothing is left to do"
    assert evolve.evolve(half, **{**own, "generations": 5}).generation_count == 5


def test_a_longer_call_that_is_interrupted_keeps_its_new_end(tmp_path: Path) -> None:
    settings = {**QUICK, "generations": 2}
    evolve.evolve(tmp_path / "run", **settings)
    settings["generations"] = 4
    with pytest.raises(KeyboardInterrupt):
        evolve.evolve(tmp_path / "run", observer=After(1, KeyboardInterrupt), **settings)
    done("resume", tmp_path / "run", "--jobs=1")
    assert evolve.load_run(tmp_path / "run").generation_count == 4


def test_the_command_line_refuses_what_it_cannot_go_on_with(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    evolve.evolve(folder, **{**QUICK, "generations": 2, "selection": youngest})
    assert "selection=youngest" in fails("resume", folder, "--generations", 3)
    other = ("run", "--config", folder / "config.toml", "--out", tmp_path / "other")
    assert "selection=youngest" in fails(*other)
    assert not (tmp_path / "other").exists()
    done("show", folder, "--table", "individuals")
    done("export", folder, "--to", "agent", "-o", tmp_path / "best.json")
    assert evolve.load_agent(folder).name


def test_a_folder_of_another_run_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    short = {**QUICK, "generations": 2}
    evolve.evolve(folder, **short)
    before = (folder / "config.toml").read_text()
    for name, value in {"selection": youngest, "seed": 6, "generations": 1}.items():
        with pytest.raises(RunError, match=name):
            evolve.evolve(folder, **{**short, name: value})
    assert (folder / "config.toml").read_text() == before


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"selection": "magic"}, "there are best, tournament"),
        ({"algorithm": youngest}, "algorithm: is not a function; those may be: fitness, selection"),
        ({"selecton": youngest}, "there is no such setting; did you mean selection?"),
        ({"fitness": lambda played: [1.0]}, "make it with def"),
        ({"selection": youngest, "algorithm": "cma"}, "has operators of its own"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(SettingsError, match=re.escape(words)):
        evolve.evolve(tmp_path / "run", **{**QUICK, **settings})
    assert not (tmp_path / "run" / "config.toml").exists()


ENCODED = {key: value for key, value in QUICK.items() if key not in _OF_DIRECT_GENES}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["ga", "cma"])
def test_genes_of_ones_own_make_the_agents(tmp_path: Path, algorithm: str) -> None:
    own: dict[str, Any] = {**ENCODED, "encoding": ENCODING, "algorithm": algorithm}
    whole = evolve.evolve(tmp_path / "whole", **own)
    rows = whole.individuals
    genes = np.column_stack([np.stack(rows["table"]), np.stack(rows["deep"])])
    assert (genes >= [-9, -9, 1]).all()
    assert (genes <= [90, 90, 3]).all()
    assert len(np.unique(genes, axis=0)) > 6
    assert "weights" not in rows
    champion = evolve.load_agent(whole.path)
    assert champion.rules == whole.config["rules"]
    corner, edge = champion.weights[0][0], -champion.weights[0][1]
    assert champion.weights == ((corner, -edge, *[edge] * 8),)

    half = tmp_path / "half"
    evolve.evolve(half, observer=After(2), **own)
    again = evolve.evolve(half, **own)
    pd.testing.assert_frame_equal(again.individuals, rows)
    pd.testing.assert_frame_equal(again.games, whole.games)
    assert "encoding = own:corner_or_edge" in fails("resume", half, "--generations", 9)
    assert "only the Python program of the run" in fails(
        "export", half, "--individual", "0-0", "-o", tmp_path / "first.json"
    )
    done("show", half)
    done("runs", tmp_path)


def test_an_encoding_that_makes_no_agent_is_told(tmp_path: Path) -> None:
    def nothing(genes: Any) -> Any:
        return None

    def shallow(genes: Any) -> evolve.AlphaBetaAgent:
        return evolve.AlphaBetaAgent([[0] * 10], depths=[0])

    gene = {"x": evolve.Gene((0, 9), "")}
    for make, words in ((nothing, "not None"), (shallow, "no agent can be made of {'x': ")):
        with pytest.raises(SettingsError, match=words):
            evolve.evolve(tmp_path / "run", encoding=evolve.Encoding(gene, make), **ENCODED)
    still = evolve.Encoding({"x": evolve.Gene((3, 3), "")}, shallow)
    wrong = ({"encoding": ENCODING, "phases": 2}, {"encoding": nothing}, {"encoding": still})
    for own, words in zip(wrong, ("phases", r"evolve\.Encoding", "gene"), strict=True):
        with pytest.raises(SettingsError, match=words):
            evolve.evolve(tmp_path / "run", **{**ENCODED, **own})
    assert not (tmp_path / "run" / "config.toml").exists()
