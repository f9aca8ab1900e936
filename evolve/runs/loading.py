"""Loads an agent by name: a file, a run's folder, a reference agent or a program, with settings."""

from __future__ import annotations

import errno
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.reference import read_agent, reference_agent
from evolve.agents.registry import (
    CWD,
    PROGRAM_FORMS,
    PROGRAMS,
    REFERENCE_NAMES,
    REFERENCES,
    AgentName,
    parse_name,
)
from evolve.engine.board.rules import DEFAULT_RULES, Rules, check_rules, rule_set
from evolve.errors import AgentError, AgentFileError, RunError, reason_of
from evolve.extras import imported
from evolve.programs.external import ExternalAgent, PythonAgent
from evolve.runs.run_types import champion_of, tuned_line
from evolve.tables.paths import BEST_FILE, CHAMPION_FILE, CONFIG_FILE, LEARNED_FILE, STUDY_FILE
from evolve.terminal_text import plain


def load_agent(
    source: str | Path,
    *,
    depth: int | None = None,
    endgame: int | None = None,
    time: float | None = None,
) -> Agent:
    """The agent that `source` names, as on the command line.

    Args:
        source: an agent file, the folder of a run (its champion) or of a sweep of a program (with
            its best values), an individual of a run as `run:FOLDER:INDIVIDUAL`, the name of a
            reference agent, or a program as `gtp:COMMAND`, `nboard:COMMAND` or `python:FILE.py`
            (`python:FILE.py:CLASS` names the class); settings
            may follow a question mark:
            `best.json?depth=8&endgame=16`, `gtp:gtp-rhino --level=3?time=5&cwd=engines`.
        depth: search depth in every phase; None keeps the agent's own.
        endgame: exact search from that many empties; None keeps the agent's own.
        time: seconds per move, to search as deep as they allow (to `depth` at most, if given);
            None plays to the agent's depths.

    Raises AgentError (AgentFileError for files).

    >>> evolve.load_agent("swh", depth=3).choose(evolve.Board.start())
    19
    """
    parsed = parse_name(str(source))
    settings = parsed.settings
    agent = _load(parsed, settings.get(CWD))
    given = {"depth": depth, "endgame": endgame, "time": time}
    settings.update({key: value for key, value in given.items() if value is not None})
    return with_settings(agent, settings, parsed.base)


def load_alphabeta(source: str | Path) -> AlphaBetaAgent:
    """The alpha-beta agent that `source` names; AgentError for another kind of agent."""
    agent = load_agent(source)
    if agent.kind != AlphaBetaAgent.kind:
        raise AgentError(f"{source} is not an alpha-beta agent")
    return cast("AlphaBetaAgent", agent)


def _load(parsed: AgentName, folder: str | None) -> Agent:
    """The agent of a name, without settings; folder: where a program is searched for and runs."""
    source, path = parsed.base, parsed.path
    protocol, colon, command = source.partition(":")
    if colon and protocol in PROGRAMS:
        program: Any = PythonAgent if protocol == "python" else ExternalAgent
        return cast("Agent", program(protocol, command, cwd=folder))
    if source in REFERENCES:
        return reference_agent(source)
    if parsed.individual is not None:
        try:
            return individual_agent(path, parsed.individual)
        except RunError as error:
            raise AgentError(str(error)) from error
    folder_of_sweep = path.parent if path.name == BEST_FILE else path
    if tuned_line(folder_of_sweep) is not None:
        from evolve.runs.run import Run  # not above: it loads pyarrow

        run = Run(folder_of_sweep)
        if (make := run.kind.commands[run.command].champion) is not None:
            return cast("Agent", imported(make)(folder_of_sweep))
    if path.is_dir():
        return read_agent(existing_champion(path))
    if not path.exists() and (path.suffix or len(path.parts) > 1):
        missing = FileNotFoundError(errno.ENOENT, "there is no such file or folder")
        raise AgentFileError(reason_of(missing, path))
    if not path.exists():
        raise AgentError(
            f"there is no agent '{plain(source)}': no such file or folder, no reference agent "
            f"({REFERENCE_NAMES}), and no program ({', '.join(PROGRAM_FORMS)})"
        )
    if path.is_fifo():
        raise AgentFileError(f"{source} is a pipe, which can be read only once: save it to a file")
    if path.suffix.lower() == ".py":
        raise AgentFileError(
            f"{source} is Python code, which plays as a program: python:{source}, or gtp:COMMAND "
            "or nboard:COMMAND where it speaks these"
        )
    return read_agent(path)


def individual_agent(folder: str | Path, individual: str) -> StoredAgent:
    """The agent of an individual of a run; RunError if the run has no such one."""
    from evolve.population.genome import Genome, Individual  # not above: it loads DEAP
    from evolve.runs.life_cycle import stored_settings
    from evolve.runs.run import Run  # not above: it loads pyarrow
    from evolve.tables.individuals import row_genes

    run = Run(folder)
    row = run.find(individual)
    genome = Genome.of(stored_settings(run.kind, run.command, run.path / CONFIG_FILE))
    genes = genome.vector(row_genes(row, [*genome.sizes]))
    agent = genome.agent_of(Individual.of_row(row, genes, (0.0, 0.0)), run.name)
    against = f"population of generation {row['generation']}"
    return agent.with_provenance(score=row["score"], games=row["games"], against=against)


def existing_champion(folder: Path) -> Path:
    """The agent file of a run's best agent; AgentFileError where it has none."""
    champion = champion_of(folder)
    if champion is not None:
        return champion
    if (folder / STUDY_FILE).exists():
        runs = sorted(file.parent for file in folder.glob(f"*/{CONFIG_FILE}"))
        why = f"is a study: name one of its runs{f', such as {runs[0]}' if runs else ''}"
    else:
        why = f"has no champion yet: no {CHAMPION_FILE}, no {LEARNED_FILE}"
    raise AgentFileError(f"{folder} {why}")


def keep_champion(folder: Path, agent: StoredAgent) -> None:
    """Make an agent the champion of a run."""
    agent.save(folder / (LEARNED_FILE if agent.arrays else CHAMPION_FILE))


def with_settings(agent: Agent, settings: Mapping[str, Any], source: str) -> Agent:
    """The agent of that name with these settings; AgentError for one that it does not have."""
    if not settings:
        return agent
    known = agent.settings
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in known:
            known_text = f"it has {', '.join(known)}" if known else "it has none"
            raise AgentError(f"{source} has no setting {key!r}; {known_text}")
        wanted = known[key].type
        if wanted not in (float, str) and value != int(value):
            raise AgentError(f"{key}={value} of {source} must be a whole number")
        values[key] = wanted(value)
    name = agent.name + "?" + "&".join(f"{key}={value}" for key, value in settings.items())
    return agent.with_settings(values, name)


@dataclass(frozen=True)
class AgreedRules:
    """The rules of a game between agents.

    assumed: whether no agent, option or setting specifies them. The text form is used in headings:
    `reversed (fewest discs wins)`, `standard assumed (most discs wins)`.
    """

    rules: Rules
    assumed: bool = False

    def __str__(self) -> str:
        return f"{self.rules}{' assumed' * self.assumed} ({rule_set(self.rules).goal})"


def agree_on(agents: Sequence[Agent], requested: Rules | None = None) -> AgreedRules:
    """Return the rules for all agents.

    In order of priority: the rules `requested`, the agents' own, `standard`. Raises AgentError if
    agents differ and no rules were requested, EngineError if a program that is asked for its rules
    cannot be used.
    """
    if requested is not None:
        return AgreedRules(check_rules(requested))
    found: dict[Rules, str] = {}
    for agent in agents:
        own = agent.own_rules()
        if own is not None:
            found.setdefault(own, agent.name)
    if len(found) > 1:
        parts = " and ".join(f"{name} plays {rules}" for rules, name in found.items())
        raise AgentError(f"{parts}: agents of different rules; choose with --rules")
    return AgreedRules(next(iter(found), DEFAULT_RULES), assumed=not found)
