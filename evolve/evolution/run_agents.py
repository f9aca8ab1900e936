"""Read the agents of a run: individuals, their ancestors, and the agent that gives the evaluation.

A run whose individuals share one evaluation keeps a copy of the agent that gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evolve.agents.agent import StoredAgent
from evolve.agents.patterns import PatternAgent
from evolve.agents.reference import read_agent
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import read_toml, resolve
from evolve.errors import AgentError, SettingsError
from evolve.files.folder import FolderPath
from evolve.population.genome import Genome
from evolve.runs.loading import load_agent
from evolve.runs.run import Run
from evolve.tables.individuals import row_genes
from evolve.tables.paths import CONFIG_FILE, EVALUATION_FILE
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


def given_agent(folder: FolderPath, settings: EvolutionSettings) -> PatternAgent | None:
    """Load the agent of a run's `evaluation` setting, from the run's folder if a copy is there.

    None if individuals have their own evaluations. Raises SettingsError if the agent cannot be
    read or stored, has no patterns, or plays by other rules.
    """
    if settings.evaluation is None:
        return None
    kept = folder / EVALUATION_FILE
    try:
        agent = read_agent(kept) if kept.exists() else load_agent(settings.evaluation)
    except AgentError as error:
        raise SettingsError(f"evaluation: {error}") from error
    if not isinstance(agent, PatternAgent):
        raise SettingsError(f"evaluation: {settings.evaluation} is not an agent with patterns")
    if agent.rules not in (None, settings.rules):
        raise SettingsError(
            f"evaluation: {settings.evaluation} plays {agent.rules}, the run {settings.rules}; set "
            f"rules to {agent.rules}"
        )
    try:
        agent.stored()
    except AgentError as error:
        raise SettingsError(f"evaluation: {error}") from error
    return agent


def keep_given(folder: FolderPath, agent: PatternAgent) -> None:
    """Copy the agent to the folder of a new run: the original may change or disappear."""
    kept = folder / EVALUATION_FILE
    if not kept.exists():
        agent.save(kept)
