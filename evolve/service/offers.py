"""What one may begin with: the goals of goals.toml, and the offers of each.

A command without an offer of its own stands with the first goal that has its first word.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from evolve.extras import install_hint
from evolve.parsing import parse_toml
from evolve.service.forms import form_of, forms
from evolve.service.models.meta import Goal, Offer

NEEDS: Final[Mapping[str, str]] = {
    "PyTorch": f"PyTorch is not installed here: {install_hint('learn')} adds what is grey.",
    "a program": "An engine of your own is tuned where the server was started with it: "
    "evolve serve --allow-programs 'gtp:./engine --corner {corner:1:50}'",
}
"""How what is missing can be had, by what `Form.needs` calls it."""


@cache
def _goals() -> list[Goal]:
    file = files("evolve.service") / "goals.toml"
    return [Goal.model_validate(goal) for goal in parse_toml(file.read_bytes())["goals"]]


def goals(programs: Collection[str]) -> list[Goal]:
    """All goals as clients get them; programs: those that may be tuned."""
    first = _goals()[0]
    offered = {offer.command for goal in _goals() for offer in goal.offers}
    others = [form for name, form in forms().items() if name not in offered and form.kind]
    by_word = {word: goal for goal in _goals() for word in goal.words}

    def offers(goal: Goal) -> list[Offer]:
        added = (form for form in others if by_word.get(form.first, first) is goal)
        more = [Offer(title=form.command, about=form.about, command=form.command) for form in added]
        return [_filled(offer, programs) for offer in (*goal.offers, *more)]

    return [goal.model_copy(update={"offers": offers(goal)}) for goal in _goals()]


def first_goals() -> list[Goal]:
    """The goals of a first visit, with the offers that start with one click."""
    found = [(goal, [offer for offer in goal.offers if offer.first]) for goal in _goals()]
    return [
        goal.model_copy(update={"offers": [_filled(offer, ()) for offer in offers]})
        for goal, offers in found
        if offers
    ]


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
