"""The agent whose evaluation all individuals of a run have: named when it begins, kept with it."""

from __future__ import annotations

from evolve.agents.loading import load_agent, read_agent
from evolve.agents.patterns import PatternAgent
from evolve.config.evolution import EvolutionSettings
from evolve.errors import AgentError, SettingsError
from evolve.files.folder import FolderPath
from evolve.tables.paths import EVALUATION_FILE


def given_agent(folder: FolderPath, settings: EvolutionSettings) -> PatternAgent | None:
    """The agent of a run's settings, from its folder once it is kept there; None where individuals
    have evaluations of their own. Raises SettingsError where it has no patterns."""
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
    """Keep it in the folder of a run that begins: what the settings name may change or go."""
    kept = folder / EVALUATION_FILE
    if not kept.exists():
        agent.save(kept)
