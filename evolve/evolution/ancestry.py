"""Read agents and their ancestries from a run's tables."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evolve.agents.agent import StoredAgent
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import read_toml, resolve
from evolve.evolution.fixed_evaluation import given_agent
from evolve.population.genome import Genome
from evolve.runs.run import Run
from evolve.tables.individuals import row_genes
from evolve.tables.paths import CONFIG_FILE
from evolve.version import __version__


def run_settings(run: Run) -> EvolutionSettings:
    """Read the settings of a run from its config.toml; raises SettingsError."""
    path = run.path / CONFIG_FILE
    return resolve({}, read_toml(path), str(path))


def individual_agent(folder: str | Path, individual: str) -> StoredAgent:
    """Return the agent of an individual of a run; raises RunError if the run has no such one."""
    run = Run(folder)
    row = run.find(individual)
    settings = run_settings(run)
    genome = Genome.of(settings, given=given_agent(run.path, settings))
    provenance = {
        "run": run.name,
        "generation": row["born"],
        "individual": individual,
        "origin": row["origin"],
        "parents": list(row["parents"] or []),
        "seed": run.config.get("seed"),
        "evolve": __version__,
        "score": row["score"],
        "games": row["games"],
        "against": f"population of generation {row['generation']}",
    }
    agent = genome.agent(genome.vector(row_genes(row, [*genome.sizes])), individual)
    return agent.with_provenance(**provenance)


def ancestry(run: Run, provenance: Mapping[str, Any], depth: int = 5) -> list[tuple[int, str, str]]:
    """List the ancestors of an agent up to `depth` steps back, each once: steps, id, origin.

    For an agent that is the mean of others, only the first of them, the best, is followed.
    """
    births: dict[str, dict[str, Any]] = {}
    for generation in range(run.generation_count):
        table = run.individuals_table(generation).select(["individual", "origin", "parents"])
        for row in table.to_pylist():
            births.setdefault(row["individual"], row)
    lines: list[tuple[int, str, str]] = []
    told: set[str] = set()

    def tell(name: str, steps: int, origin: str, parents: list[str]) -> None:
        if name in told or steps > depth:
            return
        told.add(name)
        lines.append((steps, name, origin))
        for parent in parents:
            if parent in births:
                birth = births[parent]
                tell(parent, steps + 1, birth["origin"], birth["parents"])

    named = provenance.get("parents")
    parents = [str(parent) for parent in named] if isinstance(named, list) else []
    origin = str(provenance.get("origin", "?"))
    tell(str(provenance.get("individual")), 0, origin, parents[:1] if origin == "mean" else parents)
    return lines
