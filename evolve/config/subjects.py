"""What a sweep can tune, by the second word of `evolve sweep`.

Light: the command line reads it before it loads any settings. `evolve.sweeps.spaces` says what a
trial of each is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from evolve.engine.rules import DEFAULT_RULES, Rules


@dataclass(frozen=True)
class Subject:
    """A thing that is tuned.

    budget: CPU seconds of a trial, unless told otherwise; None where trials have none.
    rules: unless told otherwise. learns: whether it needs PyTorch.
    """

    budget: float | None
    rules: Rules = DEFAULT_RULES
    learns: bool = False


SUBJECTS: Final[Mapping[str, Subject]] = {
    "dqn": Subject(60.0, learns=True),
    "mcts": Subject(60.0, learns=True),
    "patterns": Subject(30.0),
    "alphabeta": Subject(None),
    "evolution": Subject(120.0, "reversed"),
}
