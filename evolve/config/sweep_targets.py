"""Everything that a sweep can tune, by the second word of `evolve sweep`: one entry each.

Light to import: the command line reads it before it loads any settings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evolve.engine.board.rules import DEFAULT_RULES, Rules


@dataclass(frozen=True)
class SweepTarget:
    """A thing that a sweep tunes.

    plan: class in `evolve.sweeps` that says what is searched and what a trial is. about: what the
    sweep searches, in a sentence. command: whose settings a trial has; None where a trial is no
    run. budget: default CPU seconds of a trial; None where trials have none. rules: the default
    rules. learns: whether it needs PyTorch. strong: whether its agents beat the usual panel, and so
    play the strong panel of the rules. settings: of a sweep, where they differ from the usual
    defaults. ranges: of settings that a plan without parameters of its own searches, as in a file
    for --space. model: class of the sweep's settings. unused: those that mean nothing here.
    """

    plan: str
    about: str
    command: str | None = None
    budget: float | None = None
    rules: Rules = DEFAULT_RULES
    learns: bool = False
    strong: bool = False
    settings: Mapping[str, Any] = field(default_factory=dict)
    ranges: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    model: str = "evolve.config.sweep:SweepSettings"
    unused: tuple[str, ...] = ()


SWEEP_TARGETS: Final[Mapping[str, SweepTarget]] = {
    "dqn": SweepTarget(
        "learning_plan:DqnPlan",
        "Search the settings of deep Q-learning.",
        "train dqn",
        budget=60.0,
        learns=True,
    ),
    "mcts": SweepTarget(
        "learning_plan:MctsPlan",
        "Search the settings of learning by tree search.",
        "train mcts",
        budget=60.0,
        learns=True,
    ),
    # What learns fastest need not learn most, so the best quarter goes on, twice, and seeds decide.
    "patterns": SweepTarget(
        "learning_plan:PatternsPlan",
        "Search the settings of learning patterns.",
        "train patterns",
        budget=30.0,
        strong=True,
        settings={"trials": 64, "reports": 3, "pruner": "halving", "retest": 3},
    ),
    "alphabeta": SweepTarget(
        "evolution_plan:GenesPlan",
        "Search the genes of an alpha-beta agent.",
        "run",
        unused=("budget", "retest", "reports", "pruner"),
    ),
    "evolution": SweepTarget(
        "evolution_plan:EvolutionPlan",
        "Search the settings of evolution itself.",
        "run",
        budget=120.0,
        rules="reversed",
    ),
    "program": SweepTarget(
        "program_plan:ProgramPlan",
        "Search the parameters of any program.",
        settings={"pruner": "race"},
        model="evolve.config.sweep:ProgramSweepSettings",
        unused=("budget", "retest"),
    ),
}
