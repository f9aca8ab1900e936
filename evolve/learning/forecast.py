"""What a training takes whose budget is too small for a check in its course."""

from __future__ import annotations

import time
from typing import Any

from evolve.arena.judges import RATING_SECONDS, Panel
from evolve.config.learning import LearningSettings
from evolve.engine.board.board import Board
from evolve.learning.learner import Learner
from evolve.number_text import duration


def forecast(
    settings: Any, judge: Any, learner: Learner, step: tuple[float, float], spent: float
) -> tuple[float, str]:
    """Return the seconds of such a training's only check, and a line for people; 0 of others.

    step: CPU seconds and seconds of a step of learning, as the warm-up measured them; a move of the
    check is measured here. spent: CPU seconds so far.
    """
    (cpu, wall), budget = step, settings.budget
    if budget is None or not isinstance(settings, LearningSettings) or not isinstance(judge, Panel):
        return 0.0, ""
    positions, moves = 50, 26  # of a game to learn from; of an agent in a game after its opening
    steps = settings.check_every * positions * settings.updates / settings.batch
    if steps * cpu < budget:
        return 0.0, ""
    agent, boards = learner.checked_agent(), [Board.start()] * 2 * len(judge.openings)
    agent.choose_all(boards)  # the first call loads what it needs
    begin = time.perf_counter()
    agent.choose_all(boards)
    check = len(judge.agents) * moves * (time.perf_counter() - begin)
    left = (budget - spent) * wall / cpu + check
    return check, (
        f"the budget is too small for a check before its end: about {duration(left)} by the clock "
        f"with the only check, and at most {duration(RATING_SECONDS)} more for the rating"
    )
