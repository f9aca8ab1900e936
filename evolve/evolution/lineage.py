"""Trace an individual: its ancestors, the origin of its genes, and the success of operators."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Final

import numpy as np
import pandas as pd

from evolve.errors import RunError
from evolve.evolution.tables import LIVED_UNTIL, ancestors, genes_of, numbers_of, parents_of
from evolve.runs.run import Run
from evolve.tables.individuals import SCALAR_GENES

_ANCESTORS: Final = (
    "individual", "steps", "born", "lived_until", "origin", "parents", "score",
    "from_first", "from_second", "from_both", "new",
)  # fmt: skip


class Lineage:
    """The births of an evolution. Raises RunError for a run without individuals or generations."""

    def __init__(self, run: Run) -> None:
        if "individuals" not in run.tables:
            raise RunError(f"{run.path} is of `evolve {run.command}`: it has no individuals")
        if run.generation_count == 0:
            raise RunError(f"{run.path} has no generation yet")
        self.run = run

    @cached_property
    def births(self) -> dict[str, dict[str, Any]]:
        """The row of each individual in the generation of its birth, by name.

        `lived_until` is added: its last generation.
        """
        first = self.run.individuals.drop_duplicates("individual")
        last = self.run.individuals.groupby("individual")["generation"].max()
        lived = {LIVED_UNTIL: first["individual"].map(last)}
        rows: list[Any] = first.assign(**lived).to_dict("records")
        return {row["individual"]: row for row in rows}

    def best(self) -> str:
        return str(self.run.metadata(self.run.generation_count - 1)[0]["best"])

    def words(self, individual: str) -> str:
        """Its name, and whether it is `best`, which stands in for a champion that is a mean."""
        best = individual == self.best()
        return f"{individual}, the best of the last generation," if best else individual

    def steps(self, individual: str) -> dict[str, int]:
        """Return the individual and all its ancestors, with the fewest births between them.

        For an individual that is the mean of others, only the first of them, the best, is
        followed. Raises RunError for an unknown individual.
        """
        if individual not in self.births:
            raise RunError(
                f"{self.run.path} has no individual {individual!r}, such as 0-12; `evolve show RUN "
                "--table individuals` lists them"
            )
        found, _ = ancestors(self.births.get, individual)
        return {name: steps for name, (steps, _) in found.items()}

    def parents(self, individual: str) -> list[str]:
        """Return the known parents that gave an individual its genes."""
        return [name for name in parents_of(self.births[individual]) if name in self.births]

    def ancestors(self, individual: str) -> pd.DataFrame:
        """Return a row for the individual and each ancestor, the nearest first.

        steps: births between them; lived_until: its last generation; score: in the generation of
        its birth. from_first, from_second, from_both: how many of its numbers equal those of only
        the first parent, only the second, both; new: of neither, by mutation or a mix of both.
        """
        rows = [
            {**self.births[name], "steps": steps, **self._shares(name)}
            for name, steps in self.steps(individual).items()
        ]
        frame = pd.DataFrame(rows, columns=list(_ANCESTORS))
        return frame.astype(dict.fromkeys(_ANCESTORS[-4:], "Int64"))

    def _shares(self, individual: str) -> Mapping[str, int | None]:
        parents = self.parents(individual)
        if not parents:
            return dict.fromkeys(_ANCESTORS[-4:])
        own, first, *second = (
            np.array(numbers_of(self.births[name])) for name in (individual, *parents)
        )
        of_first = own == first
        of_second = own == second[0] if second else np.zeros_like(of_first)
        both, either = int((of_first & of_second).sum()), int((of_first | of_second).sum())
        counts = int(of_first.sum()) - both, int(of_second.sum()) - both, both, len(own) - either
        return dict(zip(_ANCESTORS[-4:], counts, strict=True))

    def genes(self, individual: str) -> pd.DataFrame:
        """Return a row for each number of the genome, with the ancestor that had it first.

        The value is followed back as long as it is unchanged. Each row also has the origin and
        birth of that ancestor, and how many births ago it was.
        """
        steps = self.steps(individual)
        numbers = [
            (gene if gene in SCALAR_GENES else f"{gene}.{n}", value)
            for gene, values in genes_of(self.births[individual]).items()
            for n, value in enumerate(values)
        ]
        rows = []
        for index, (name, value) in enumerate(numbers):
            source, givers = individual, [individual]
            while givers:
                source = givers[0]  # the first parent, if both had the number
                births = ((one, self.births[one]) for one in self.parents(source))
                givers = [one for one, birth in births if numbers_of(birth)[index] == value]
            birth = {**self.births[source], "steps": steps[source]}
            rows.append({**birth, "gene": name, "value": value, "from": source})
        return pd.DataFrame(rows, columns=["gene", "value", "from", "origin", "born", "steps"])

    def operators(self) -> pd.DataFrame:
        """Return a row for each generation and origin of its births.

        It has their number, how many survived into the next generation (unknown for the last),
        their mean score and their best score.
        """
        columns = ["born", "origin", "score", "lived_until"]
        births = pd.DataFrame([*self.births.values()], columns=columns)
        births["survived"] = births["lived_until"] > births["born"]
        frame = births.groupby(["born", "origin"]).agg(
            count=("score", "size"),
            survived=("survived", "sum"),
            score=("score", "mean"),
            best=("score", "max"),
        )
        frame = frame.reset_index().rename(columns={"born": "generation", "count": "born"})
        frame["survived"] = frame["survived"].astype("Int64")
        frame.loc[frame["generation"] == self.run.generation_count - 1, "survived"] = pd.NA
        frame["share"] = frame["survived"].astype("Float64") / frame["born"]
        return frame[["generation", "origin", "born", "survived", "share", "score", "best"]]


def totals(operators: pd.DataFrame) -> pd.DataFrame:
    """Sum the rows of `operators` by origin, over all generations except the last."""
    finished = operators[operators["survived"].notna()]
    sums = finished.groupby("origin", sort=True)[["born", "survived"]].sum().reset_index()
    sums["share"] = sums["survived"].astype(float) / sums["born"]
    return sums.sort_values("share", ascending=False, kind="stable", ignore_index=True)
