"""What one may begin with: goals, the ways to each, and what these cost on this machine.

A command without an offer of its own stands with the first goal that has its first word.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from evolve.extras import install_hint
from evolve.service.costs import Costs, cost_info, runs_of
from evolve.service.forms import Form, form_of, forms
from evolve.service.models.meta import GoalInfo, OfferCosts, OfferInfo
from evolve.service.responses import ProblemError


@dataclass(frozen=True)
class Offer:
    """A way to begin.

    settings: what differs from the defaults. elo: of its champions on the ladder, by rules, as
    measured. time: in words, where it is no estimate of this machine. seeds, grid: of a study of
    the command. page: the page's own for it. first: whether a first visit shows it.
    """

    title: str
    about: str
    command: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    elo: Mapping[str, int] = field(default_factory=dict)
    time: str | None = None
    seeds: str | None = None
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    page: str | None = None
    first: bool = False

    @property
    def name(self) -> str:
        """Tells it apart from all others."""
        return self.title.lower().replace(" ", "-").replace(",", "")

    @property
    def option(self) -> str:
        """The command as it is typed, in short."""
        if self.command is None or self.seeds is not None:
            return "study" if self.seeds is not None else str(self.page).rpartition("/")[2]
        form, _ = form_of(self.command, {})
        return shlex.join(form.words(self.settings))

    def info(self, programs: Collection[str]) -> OfferInfo:
        """The offer as clients get it."""
        form = None if self.command is None else forms()[self.command]
        return OfferInfo(
            name=self.name,
            title=self.title,
            about=self.about,
            command=self.command,
            settings={**self.settings, **programs_of(form, programs)},
            seeds=self.seeds,
            grid={**self.grid},
            page=self.page,
            option=self.option,
            time=self.time,
            elo={**self.elo},
            needs=None if form is None else form.needs(programs),
        )


def programs_of(form: Form | None, programs: Collection[str]) -> dict[str, str]:
    """The setting that names a program, where a command needs one."""
    if form is None or form.variant is None or not form.variant.runs:
        return {}
    first = next(iter(programs), None)
    return {} if first is None else {"program": first}


@dataclass(frozen=True)
class Goal:
    """What one may want. words: first words of the commands for it."""

    name: str
    title: str
    about: str
    words: tuple[str, ...]
    offers: tuple[Offer, ...]


GOALS: Final = (
    Goal(
        "evolve",
        "Evolve",
        "Agents play each other, the best have children. You get a champion, its weights as a "
        "board, its ancestors and every game.",
        ("run",),
        (
            Offer(
                "First look",
                "20 generations of 64 agents. Enough to see it rise.",
                "run",
                {"generations": 20},
                elo={"reversed": 620},
                first=True,
            ),
            Offer(
                "Full run",
                "168 generations, or until nothing more is gained.",
                "run",
                {"until_rest": True},
                elo={"reversed": 720},
            ),
            Offer(
                "As published",
                "The settings of the published experiment, 10,000 nodes a move.",
                "run",
                {"preset": "published"},
            ),
            Offer(
                "From an agent you have",
                "Its genes are where the search begins; name it in the settings.",
                "run",
                {"start_from": "swh?depth=3"},
            ),
        ),
    ),
    Goal(
        "teach",
        "Teach",
        "An agent learns from games with itself. You get one file that plays, and its curve.",
        ("train",),
        (
            Offer(
                "Patterns",
                "Tables for corners, edges and rows. The strongest for its time.",
                "train patterns",
                first=True,
            ),
            Offer(
                "Patterns, strong",
                "Deeper searches, more exact scores and shapes: like those that come with evolve.",
                "train patterns",
                {"preset": "strong"},
            ),
            Offer(
                "Tree search network",
                "A network guides a tree search; it learns from its own games.",
                "train mcts",
            ),
            Offer("Deep Q-learning", "A network predicts the value of every move.", "train dqn"),
        ),
    ),
    Goal(
        "search",
        "Search",
        "Tries settings and keeps what wins. You get the best settings, what matters among them, "
        "and a command to copy.",
        ("sweep",),
        (
            Offer(
                "Your own engine",
                "Any program that speaks GTP or NBoard, with its parameters as {name:low:high}.",
                "sweep program",
                {"games": 1600},
                time="as long as 1,600 of its games",
            ),
            Offer(
                "An alpha-beta agent",
                "Its weights, terms and depths, in 120 trials.",
                "sweep alphabeta",
                {"trials": 120},
            ),
            Offer("Pattern learning", "Shapes, rates, how games are drawn.", "sweep patterns"),
            Offer("Evolution itself", "Population, crossover, mutation.", "sweep evolution"),
            Offer("Tree search learning", "Network, rates, playouts.", "sweep mcts"),
            Offer("Q-learning settings", "Network, rates, rewards.", "sweep dqn"),
        ),
    ),
    Goal(
        "compare",
        "Compare",
        "Tells chance from strength. You get a difference in Elo with its error, in words.",
        (),
        (
            Offer(
                "Study",
                "Settings × seeds: which setting is better, over many runs.",
                "run",
                {"generations": 12, "population": 24},
                seeds="0-3",
                grid={"crossover": ["blend", "uniform"]},
            ),
            Offer(
                "Match",
                "Two agents, both colours on every opening.",
                page="new/match",
                time="seconds to minutes",
            ),
            Offer(
                "Rating",
                "Many agents, each against each.",
                page="ratings",
                time="seconds to minutes",
            ),
            Offer(
                "Side by side",
                "Curves of runs you have, and the settings in which they differ.",
                page="compare",
                time="at once",
            ),
        ),
    ),
)


NEEDS: Final[Mapping[str, str]] = {
    "PyTorch": f"PyTorch is not installed here: {install_hint('learn')} adds what is grey.",
    "a program": "An engine of your own is tuned where the server was started with it: "
    "evolve serve --allow-programs 'gtp:./engine --corner {corner:1:50}'",
}
"""How what is missing can be had, by what `Form.needs` calls it."""


def goals(programs: Collection[str]) -> list[GoalInfo]:
    """All goals as clients get them; programs: those that may be tuned."""
    offered = {offer.command for goal in GOALS for offer in goal.offers}
    others = [form for name, form in forms().items() if name not in offered and form.kind]

    def offers(goal: Goal) -> list[Offer]:
        added = (form for form in others if _goal_of(form) is goal)
        return [*goal.offers, *(Offer(one.command, one.about, one.command) for one in added)]

    return [_goal_info(goal, offers(goal), programs) for goal in GOALS]


def first_goals() -> list[GoalInfo]:
    """The goals of a first visit, with the offers that start with one click."""
    found = ((goal, [offer for offer in goal.offers if offer.first]) for goal in GOALS)
    return [_goal_info(goal, offers, ()) for goal, offers in found if offers]


def _goal_info(goal: Goal, offers: Sequence[Offer], programs: Collection[str]) -> GoalInfo:
    infos = [offer.info(programs) for offer in offers]
    return GoalInfo(name=goal.name, title=goal.title, about=goal.about, offers=infos)


def _goal_of(form: Form) -> Goal:
    return next((one for one in GOALS if form.first in one.words), GOALS[0])


async def costs_of_offers(costs: Costs, rules: str, threads: int) -> OfferCosts:
    """What all offers cost under some rules, where that can be estimated."""
    items = {}
    for offer in (one for goal in GOALS for one in goal.offers):
        form = None if offer.command is None else forms()[offer.command]
        if form is None or form.variant is None or form.variant.cost is None or offer.time:
            continue
        settings = {**form.own, "rules": rules, **offer.settings}
        try:
            cost = await costs.of(form.command, settings, threads)
        except ProblemError:  # this one has no estimate; the others do
            continue
        items[offer.name] = cost_info(cost, runs_of(offer.seeds, offer.grid))
    return OfferCosts(items=items)
