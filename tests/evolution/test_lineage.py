"""Where individuals and their genes come from, against the tables themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.engine.search.genes import GENES
from evolve.errors import RunError
from evolve.evolution.lineage import ANCESTORS, Lineage, totals
from evolve.runs.run import Run
from evolve.tables.individuals import row_genes
from tests.cli import QUICK, done


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("lineage") / "run"
    done("run", *QUICK, "--generations=6", "--population=10", "--out", folder)
    return evolve.load_run(folder)


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
    assert list(frame.reset_index()) == list(ANCESTORS)
    assert frame["steps"].iloc[0] == 0
    assert frame["steps"].is_monotonic_increasing
    seen = {best}
    for name in frame.index:
        parents = list(run.find(name)["parents"])
        assert frame.loc[name, "parents"] == parents
        seen |= set(parents)
        for parent in parents:
            assert frame.loc[parent, "steps"] <= frame.loc[name, "steps"] + 1
            assert frame.loc[parent, "born"] < frame.loc[name, "born"]
    assert seen == set(frame.index)
    for name in frame.index:
        living = run.individuals[run.individuals["individual"] == name]["generation"]
        assert frame.loc[name, "lived_until"] == living.max()


def test_numbers_are_shared_out_among_the_parents(run: Run, lineage: Lineage) -> None:
    frame = lineage.ancestors(lineage.best())
    crossed = frame[frame["parents"].map(len) == 2]
    assert len(crossed) > 0
    for row in crossed.itertuples():
        mine, one, other = (numbers(run, name) for name in (row.individual, *row.parents))
        trios = list(zip(mine, one, other, strict=True))
        assert row.from_both == sum(a == b == c for a, b, c in trios)
        assert row.from_first == sum(a == b != c for a, b, c in trios)
        assert row.from_second == sum(a == c != b for a, b, c in trios)
        assert row.new == sum(a not in (b, c) for a, b, c in trios)
    assert frame[frame["origin"] == "random"]["new"].isna().all()


def test_a_gene_is_traced_to_who_had_it_first(run: Run, lineage: Lineage) -> None:
    best = lineage.best()
    frame = lineage.genes(best)
    assert frame["value"].tolist() == numbers(run, best)
    steps = lineage.steps(best)
    for place, row in enumerate(frame.to_dict("records")):
        source = row["from"]
        assert numbers(run, source)[place] == row["value"]
        assert row["steps"] == steps[source]
        parents = run.find(source)["parents"]
        assert all(numbers(run, parent)[place] != row["value"] for parent in parents)


def test_how_operators_fared(run: Run, lineage: Lineage) -> None:
    frame = lineage.operators()
    table = run.individuals
    for row in frame.to_dict("records"):
        born = table[
            (table["born"] == row["generation"]) & (table["generation"] == row["generation"])
        ]
        born = born[born["origin"] == row["origin"]]
        assert row["born"] == len(born)
        assert row["score"] == pytest.approx(born["score"].mean())
        if row["generation"] < run.generation_count - 1:
            later = table[table["generation"] == row["generation"] + 1]["individual"]
            assert row["survived"] == born["individual"].isin(later).sum()
    assert frame[frame["generation"] == run.generation_count - 1]["survived"].isna().all()
    whole = totals(frame)
    assert whole["born"].sum() == frame[frame["survived"].notna()]["born"].sum()
    assert whole["share"].is_monotonic_decreasing


def test_who_is_not_there(run: Run, lineage: Lineage, tmp_path: Path) -> None:
    with pytest.raises(RunError, match="has no individual '9-9'"):
        lineage.ancestors("9-9")
    (tmp_path / "config.toml").write_text('command = "sweep dqn"\n')
    with pytest.raises(RunError, match="it has no individuals"):
        Lineage(evolve.load_run(tmp_path))
