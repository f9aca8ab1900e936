"""What one may begin with: goals, the ways to each, and how long they take where it was measured.

A command without an offer of its own stands with the first goal that has its first word.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from evolve.extras import install_hint
from evolve.runs.study_spec import seeds_of
from evolve.service.forms import form_of, forms
from evolve.service.models.meta import Goal, Offer

GOALS: Final = (
    Goal(
        name="evolve",
        title="Evolve",
        about="Agents play each other, the best have children. You get a champion, its weights as "
        "a board, its ancestors and every game.",
        words=["run"],
        offers=[
            Offer(
                title="First look",
                about="20 generations of 64 agents. Enough to see it rise.",
                command="run",
                settings={"generations": 20},
                elo={"reversed": 620},
                time="half a minute on 2 cores",
                first=True,
            ),
            Offer(
                title="Full run",
                about="168 generations, or until nothing more is gained.",
                command="run",
                settings={"until_rest": True},
                elo={"reversed": 720},
                time="up to 4 minutes on 2 cores",
            ),
            Offer(
                title="As published",
                about="The settings of the published experiment, 10 000 nodes a move.",
                command="run",
                settings={"preset": "published"},
                time="16 minutes on 2 cores",
            ),
            Offer(
                title="From an agent you have",
                about="Its genes are where the search begins; name it in the settings.",
                command="run",
                settings={"start_from": "swh?depth=3"},
            ),
        ],
    ),
    Goal(
        name="teach",
        title="Teach",
        about="An agent learns from games with itself. You get one file that plays, and its curve.",
        words=["train"],
        offers=[
            Offer(
                title="Patterns",
                about="Tables for corners, edges and rows. The strongest for its time.",
                command="train patterns",
                first=True,
            ),
            Offer(
                title="Patterns, strong",
                about="Deeper searches, more exact scores and shapes: like the shipped ones.",
                command="train patterns",
                settings={"preset": "strong"},
            ),
            Offer(
                title="Tree search network",
                about="A network guides a tree search; it learns from its own games.",
                command="train mcts",
            ),
            Offer(
                title="Deep Q-learning",
                about="A network predicts the value of every move.",
                command="train dqn",
            ),
        ],
    ),
    Goal(
        name="search",
        title="Search",
        about="Tries settings and keeps what wins. You get the best settings, what matters among "
        "them, and a command to copy.",
        words=["sweep"],
        offers=[
            Offer(
                title="Your own engine",
                about="Any program of GTP or NBoard, with its parameters as {name:low:high}.",
                command="sweep program",
                settings={"games": 1600},
                time="as long as 1600 of its games",
            ),
            Offer(
                title="An alpha-beta agent",
                about="Its weights, terms and depths, in 120 trials.",
                command="sweep alphabeta",
                settings={"trials": 120},
            ),
            Offer(
                title="Pattern learning",
                about="Shapes, rates, how games are drawn.",
                command="sweep patterns",
            ),
            Offer(
                title="Evolution itself",
                about="Population, crossover, mutation.",
                command="sweep evolution",
            ),
            Offer(
                title="Tree search learning",
                about="Network, rates, playouts.",
                command="sweep mcts",
            ),
            Offer(
                title="Q-learning settings", about="Network, rates, rewards.", command="sweep dqn"
            ),
        ],
    ),
    Goal(
        name="compare",
        title="Compare",
        about="Tells chance from strength. You get a difference in Elo with its error, in words.",
        words=[],
        offers=[
            Offer(
                title="Study",
                about="Settings × seeds: which setting is better, over many runs.",
                command="run",
                settings={"generations": 12, "population": 24},
                seeds="0-3",
                grid={"crossover": ["blend", "uniform"]},
            ),
            Offer(
                title="Match",
                about="Two agents, both colours on every opening.",
                page="new/match",
                time="seconds to minutes",
            ),
            Offer(
                title="Rating",
                about="Many agents, each against each.",
                page="ratings",
                time="seconds to minutes",
            ),
            Offer(
                title="Side by side",
                about="Curves of runs you have, and the settings in which they differ.",
                page="compare",
                time="at once",
            ),
        ],
    ),
)


NEEDS: Final[Mapping[str, str]] = {
    "PyTorch": f"PyTorch is not installed here: {install_hint('learn')} adds what is grey.",
    "a program": "An engine of your own is tuned where the server was started with it: "
    "evolve serve --allow-programs 'gtp:./engine --corner {corner:1:50}'",
}
"""How what is missing can be had, by what `Form.needs` calls it."""


def goals(programs: Collection[str]) -> list[Goal]:
    """All goals as clients get them; programs: those that may be tuned."""
    offered = {offer.command for goal in GOALS for offer in goal.offers}
    others = [form for name, form in forms().items() if name not in offered and form.kind]
    by_word = {word: goal for goal in GOALS for word in goal.words}

    def offers(goal: Goal) -> list[Offer]:
        added = (form for form in others if by_word.get(form.first, GOALS[0]) is goal)
        more = [Offer(title=form.command, about=form.about, command=form.command) for form in added]
        return [_filled(offer, programs) for offer in (*goal.offers, *more)]

    return [goal.model_copy(update={"offers": offers(goal)}) for goal in GOALS]


def first_goals() -> list[Goal]:
    """The goals of a first visit, with the offers that start with one click."""
    found = ((goal, [_filled(offer, ()) for offer in goal.offers if offer.first]) for goal in GOALS)
    return [goal.model_copy(update={"offers": offers}) for goal, offers in found if offers]


def _filled(offer: Offer, programs: Collection[str]) -> Offer:
    """The offer with its command as it is typed, and what is missing here for it."""
    if offer.command is None:
        return offer.model_copy(update={"option": str(offer.page).rpartition("/")[2]})
    form, _ = form_of(offer.command, {})
    option = "study" if offer.seeds is not None else shlex.join(form.words(offer.settings))
    settings = dict(offer.settings)
    if programs and form.variant is not None and form.variant.runs:
        settings["program"] = next(iter(programs))
    return offer.model_copy(
        update={"option": option, "settings": settings, "needs": form.needs(programs)}
    )


def runs_of(seeds: str | None, grid: Mapping[str, Sequence[Any]]) -> int:
    """The number of runs of a study; 1 where it is none."""
    count = 1 if seeds is None else len(seeds_of(seeds))
    return count * math.prod(map(len, grid.values()))
