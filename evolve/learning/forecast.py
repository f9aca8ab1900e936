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
    """Return the seconds of a check of a network against the panel, 0 of others; and a line for
    people where the budget is too small for a check in its course.

    step: CPU seconds and seconds of a step of learning, as the warm-up measured them; a move of the
    check is measured here. spent: CPU seconds so far.
    """
    (cpu, wall), budget = step, settings.budget
    if not isinstance(settings, LearningSettings) or not isinstance(judge, Panel):
        return 0.0, ""
    agent, boards = learner.checked_agent(), [Board.start()] * 2 * len(judge.openings)
    agent.choose_all(boards)  # the first call loads what it needs
    begin = time.perf_counter()
    agent.choose_all(boards)
    moves = 26  # of an agent in a game after its opening
    check = len(judge.agents) * moves * (time.perf_counter() - begin)
    positions = 50  # of a game to learn from
    steps = settings.check_every * positions * settings.updates / settings.batch
    if budget is None or steps * cpu < budget:
        return check, ""
    left = (budget - spent) * wall / cpu + check
    return check, (
        f"the budget is too small for a check before its end: about {duration(left)} by the clock "
        f"with the only check, and at most {duration(RATING_SECONDS)} more for the rating"
    )
