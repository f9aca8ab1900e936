"""Where individuals and their genes come from, against the tables themselves."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import evolve
from evolve.engine.search.genes import GENES
from evolve.errors import RunError
from evolve.evolution.lineage import _ANCESTORS, Lineage, totals
from evolve.runs.run import Run
from evolve.tables.individuals import row_genes


@pytest.fixture(scope="module")
def lineage(run: Run) -> Lineage:
    return Lineage(run)


def numbers(run: Run, individual: str) -> list[int]:
    row = run.find(individual)
    genes = row_genes(row, [name for name in row if name in GENES])
    return [number for gene in genes.values() for number in gene]


def test_every_ancestor_once_by_the_shortest_way(run: Run, lineage: Lineage) -> None:
    best = lineage.best()
    frame = lineage.ancestors(best).set_index("individual")
    assert list(frame.reset_index()) == list(_ANCESTORS)
    assert frame["steps"].iloc[0] == 0
    assert frame["steps"].is_monotonic_increasing
    assert frame["parents"].to_dict() == {
        name: list(run.find(name)["parents"]) for name in frame.index
    }
    links = frame[["parents", "steps", "born"]].explode("parents").dropna()
    parents = frame.loc[links["parents"]]
    assert (parents["steps"].to_numpy() <= links["steps"] + 1).all()
    assert (parents["born"].to_numpy() < links["born"]).all()
    assert {best, *links["parents"]} == set(frame.index)
    last = run.individuals.groupby("individual")["generation"].max()
    assert frame["lived_until"].tolist() == last[frame.index].tolist()


def test_numbers_are_shared_out_among_the_parents(run: Run, lineage: Lineage) -> None:
    frame = lineage.ancestors(lineage.best())
    crossed = frame[frame["parents"].map(len) == 2]
    assert len(crossed) > 0
    trios = [
        np.array([numbers(run, name) for name in (row.individual, *row.parents)])
        for row in crossed.itertuples()
    ]
    same = [(own == first, own == second) for own, first, second in trios]
    assert crossed[["from_both", "from_first", "from_second", "new"]].to_numpy().tolist() == [
        [(a & b).sum(), (a & ~b).sum(), (b & ~a).sum(), (~a & ~b).sum()] for a, b in same
    ]
    assert frame[frame["origin"] == "random"]["new"].isna().all()


def test_a_gene_is_traced_to_who_had_it_first(run: Run, lineage: Lineage) -> None:
    best = lineage.best()
    frame = lineage.genes(best)
    assert frame["value"].tolist() == numbers(run, best)
    steps = lineage.steps(best)
    sources = frame["from"].tolist()
    of_sources = [numbers(run, name)[place] for place, name in enumerate(sources)]
    assert of_sources == frame["value"].tolist()
    assert frame["steps"].tolist() == [steps[name] for name in sources]
    before = [
        [numbers(run, one)[k] for one in run.find(s)["parents"]] for k, s in enumerate(sources)
    ]
    assert not [values for value, values in zip(of_sources, before, strict=True) if value in values]


def test_how_operators_fared(run: Run, lineage: Lineage) -> None:
    frame = lineage.operators()
    table = run.individuals
    found = table[table["born"] == table["generation"]].groupby(["generation", "origin"])["score"]
    by_row = frame.set_index(["generation", "origin"])
    assert by_row["born"].to_dict() == found.size().to_dict()
    assert by_row["score"].to_dict() == pytest.approx(found.mean().to_dict())
    born = table[table["born"] == table["generation"]]
    born = born[born["generation"] < run.generation_count - 1]
    later = set(zip(table["individual"], table["generation"] - 1, strict=True))
    pairs = zip(born["individual"], born["generation"], strict=True)
    survived = born.assign(survived=[pair in later for pair in pairs])
    sums = survived.groupby(["generation", "origin"])["survived"].sum()
    assert by_row["survived"].dropna().to_dict() == sums.to_dict()
    assert frame[frame["generation"] == run.generation_count - 1]["survived"].isna().all()
    whole = totals(frame)
    assert whole["born"].sum() == frame[frame["survived"].notna()]["born"].sum()
    assert whole["share"].is_monotonic_decreasing


def test_who_is_not_there(run: Run, lineage: Lineage, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="'9-9'"):
        lineage.ancestors("9-9")
    (tmp_path / "config.toml").write_text('command = "sweep dqn"\n')
    with pytest.raises(RunError, match="individuals"):
        Lineage(evolve.load_run(tmp_path))
