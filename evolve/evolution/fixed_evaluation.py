"""The agent that gives all individuals of a run their evaluation; the run keeps a copy of it."""

from __future__ import annotations

from evolve.agents.patterns import PatternAgent
from evolve.agents.reading import read_agent
from evolve.config.evolution import EvolutionSettings
from evolve.errors import AgentError, SettingsError
from evolve.files.folder import FolderPath
from evolve.runs.loading import load_agent
from evolve.tables.paths import EVALUATION_FILE


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
