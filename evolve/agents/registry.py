"""Lists every kind of agent and every agent's name: the one place that has them all.

Classes are listed as `module:name`; `extras.imported` loads them on request, so that names and
choices load nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from evolve.parsing import everything_in

if TYPE_CHECKING:
    from pydantic import BaseModel

KINDS: Final = {
    "alphabeta": "evolve.agents.alphabeta:AlphaBetaAgent",
    "mcts": "evolve.agents.mcts:MctsAgent",
    "dqn": "evolve.agents.dqn:DqnAgent",
    "patterns": "evolve.agents.patterns:PatternAgent",
}
"""Kinds in agent files: `kind` in the file, and a subclass of StoredAgent."""

PROGRAM_FORMS: Final = ("gtp:COMMAND", "nboard:COMMAND", "python:FILE.py")
"""Forms of program names, for messages and help."""
PROGRAMS: Final = tuple(form.partition(":")[0] for form in PROGRAM_FORMS)
"""Protocols of agents that run programs.
Settings from other sources that name one are not trusted (`cli.work`)."""

INDIVIDUALS: Final = "evolve.evolution.generation:individual_agent"
"""Makes the agent of an individual, `run:FOLDER:INDIVIDUAL`, from the folder and the individual."""

_PROGRAM: Final = re.compile(rf"(^|[\s,;=|])({'|'.join(PROGRAMS)}):")
"""Finds program names, also in a list that is still one text."""

LEVEL: Final = "level-"
LEVELS: Final = tuple(f"{LEVEL}{number}" for number in range(1, 13))
"""Levels for people, the weakest first: what they are depends on the rules, see `ratings`."""

_TABLE: Final = "evolve.agents.reference:table_agent"
REFERENCES: Final = {
    "random": "evolve.agents.chance:RandomAgent",
    "uct": "evolve.agents.mcts:MctsAgent",
    "zero": _TABLE,
    "swh": _TABLE,
    "swh-mobility": _TABLE,
    "positional": _TABLE,
    "anti-swh": _TABLE,
    "anti-swh-mobility": _TABLE,
    "champion-standard": "champions/champion-standard.json",
    "champion-reversed": "champions/champion-reversed.json",
    "published-standard": "champions/published-standard.json",
    "published-reversed": "champions/published-reversed.json",
    "patterns-standard": "champions/patterns-standard.npz",
    "patterns-reversed": "champions/patterns-reversed.npz",
    **dict.fromkeys(LEVELS, "evolve.agents.calibration.levels:level_agent"),
}
"""Reference agents, known by name: each is made with the name as `name=`, or is an agent file.
Those in `champions/` come with the package; their provenance says which run made them: the presets
`tuned` and `published` of evolutions, `strong` of pattern trainings.
A kind without a file needs only an entry here to be an AGENT of the command line, with settings."""
REFERENCE_NAMES: Final = ", ".join(
    [*(name for name in REFERENCES if name not in LEVELS), f"{LEVELS[0]} to {LEVELS[-1]}"]
)
"""Their names, for messages and help."""


def programs_in(settings: BaseModel | Mapping[str, Any]) -> list[str]:
    """The programs that settings name and that would run: each once, as written there."""
    values = settings if isinstance(settings, Mapping) else settings.model_dump(mode="json")
    texts = (text for text in everything_in(values) if isinstance(text, str))
    return list(dict.fromkeys(filter(_PROGRAM.search, texts)))
