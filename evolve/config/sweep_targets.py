"""What a sweep can tune, by the second word of `evolve sweep`.

Light to import: the command line reads it before it loads any settings. `evolve.sweeps.spaces`
defines the trials of each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evolve.engine.rules import DEFAULT_RULES, Rules


@dataclass(frozen=True)
class Subject:
    """A thing that a sweep tunes.

    budget: default CPU seconds of a trial; None where trials have none. rules: the default rules.
    learns: whether it needs PyTorch. strong: whether its agents beat the usual panel, and so play
    the strong panel of the rules. settings: of a sweep, where they differ from the usual defaults.
    about: what the sweep searches, in a sentence. model: class of the settings.
    """

    budget: float | None
    rules: Rules = DEFAULT_RULES
    learns: bool = False
    strong: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    about: str | None = None
    model: str = "evolve.config.sweep:SweepSettings"


SUBJECTS: Final[Mapping[str, Subject]] = {
    "dqn": Subject(60.0, learns=True, about="Search the settings of deep Q-learning."),
    "mcts": Subject(60.0, learns=True, about="Search the settings of learning by tree search."),
    # A short training says little about a long one, so the best train again, longer.
    "patterns": Subject(
        2.0,
        strong=True,
        settings={"trials": 64, "reports": 1, "rungs": ("16x8", "4x30x3")},
        about="Search the settings of learning patterns.",
    ),
    "alphabeta": Subject(None, about="Search the genes of an alpha-beta agent."),
    "evolution": Subject(120.0, "reversed", about="Search the settings of evolution itself."),
    "program": Subject(
        None,
        settings={"pruner": "race", "finalists": 2},
        about="Search the parameters of any program.",
        model="evolve.config.program_sweep:ProgramSweepSettings",
    ),
}
