"""Where individuals come from, by the tables."""

from __future__ import annotations

from evolve.runs.evolutions import ancestry
from evolve.runs.run import Run


def test_ids_are_unique_and_ancestry_is_known(run: Run) -> None:
    frame = run.individuals
    genes = frame[["individual", "weights", "depths"]].astype(str).drop_duplicates()
    assert genes["individual"].is_unique, "one id, one genome"
    known = set(frame["individual"])
    for row in frame.itertuples():
        assert row.born <= row.generation
        assert set(row.parents) <= known
        assert (row.origin in ("random", "newcomer")) == (not row.parents)
    assert (frame.groupby("generation").size() == 8).all()


def test_ancestry_leads_back_to_the_first_generation(run: Run) -> None:
    born_late = run.individuals[run.individuals["born"] > 0].iloc[-1]
    lines = ancestry(run, {"individual": born_late["individual"], "parents": born_late["parents"]})
    assert lines[0][:2] == (0, born_late["individual"])
    assert {name for _, name, _ in lines[1:]} >= set(born_late["parents"])
