"""The best individuals of a run so far: its hall of fame, by panel score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from deap import tools

from evolve.population.genome import Genome
from evolve.population.individual import Individual


@dataclass
class Champions:
    """Hall of fame, best panel score so far, and the best individual of generation 0.

    hall: DEAP's hall of fame; its fitness is (panel score, generation), because scores inside
    a population are not comparable across generations.
    """

    hall: tools.HallOfFame
    best_panel_score: float = -1.0
    best_panel_generation: int = -1
    first_champion: list[int] = field(default_factory=list)
    first_champion_name: str = ""

    @classmethod
    def new(cls, hall_size: int) -> Champions:
        """Return the state at the start of a run."""
        return cls(tools.HallOfFame(hall_size, similar=_same_genes))

    def note_panel(self, champion: Individual, generation: int, score: float) -> None:
        """Add a generation's champion to the hall of fame, if it is good enough."""
        entry = Individual(
            champion,
            name=champion.name,
            born=champion.born,
            origin=champion.origin,
            parents=champion.parents,
        )
        entry.fitness.values = (score, float(generation))
        self.hall.update([entry])
        if score > self.best_panel_score:
            self.best_panel_score, self.best_panel_generation = score, generation

    def state(self, genome: Genome) -> dict[str, Any]:
        """Return the champions as JSON."""
        return {
            "hall": [
                {
                    "individual": entry.name,
                    "born": entry.born,
                    "origin": entry.origin,
                    "parents": list(entry.parents),
                    "panel_score": entry.fitness.values[0],
                    "generation": int(entry.fitness.values[1]),
                    "genes": genome.genes(entry),
                }
                for entry in self.hall
            ],
            "best_panel_score": self.best_panel_score,
            "best_panel_generation": self.best_panel_generation,
            "first_champion": self.first_champion,
            "first_champion_name": self.first_champion_name,
        }

    @classmethod
    def restored(cls, state: Mapping[str, Any], hall_size: int, genome: Genome) -> Champions:
        """Rebuild the champions from `state`."""
        champions = cls.new(hall_size)
        for entry in state["hall"]:
            individual = Individual(
                genome.vector(entry["genes"]),
                name=entry["individual"],
                born=entry["born"],
                origin=entry["origin"],
                parents=tuple(entry["parents"]),
            )
            individual.fitness.values = (entry["panel_score"], float(entry["generation"]))
            champions.hall.update([individual])
        champions.best_panel_score = float(state["best_panel_score"])
        champions.best_panel_generation = int(state["best_panel_generation"])
        champions.first_champion = [int(gene) for gene in state["first_champion"]]
        champions.first_champion_name = str(state["first_champion_name"])
        genome.agent(champions.first_champion, champions.first_champion_name)  # validates
        return champions


def _same_genes(one: Sequence[int], other: Sequence[int]) -> bool:
    return list(one) == list(other)
