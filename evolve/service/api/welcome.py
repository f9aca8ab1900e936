"""What one may begin with: goals with their offers; of a first visit a game and an example as well.

A command without an offer of its own in goals.toml stands with the first goal that has its first
word. The example is a small evolution, one compressed archive in the package that `python -m
benchmarks.example` makes. It comes into a folder of runs only when a client asks for that, and is a
run like any other from then on.
"""

from __future__ import annotations

import asyncio
import io
import shlex
import tarfile
import time
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final, cast

from fastapi import APIRouter

from evolve.extras import install_hint
from evolve.files.changes import move, remove
from evolve.parsing import parse_json, parse_toml
from evolve.service.folders import Folders
from evolve.service.forms import form_of, forms
from evolve.service.models.agents import NewPlay
from evolve.service.models.meta import Goal, Goals, Offer
from evolve.service.models.runs import RunSummary, Welcome
from evolve.service.responses import ProblemError
from evolve.service.state import Service

router = APIRouter()
PLAY: Final = NewPlay(agent="level-5", rules="standard", side="black")
"""An easy game."""
NAME: Final = "example"
ARCHIVE: Final = "example.tar.xz"
ABOUT: Final = "about.json"
"""The file of the archive that is not of the run: what lists show of it, and a game."""


_NEEDS: Final[Mapping[str, str]] = {
    "PyTorch": f"PyTorch is not installed here: {install_hint('learn')} adds what is grey.",
    "a program": "An engine of your own is tuned where the server was started with it: "
    "evolve serve --allow-programs 'gtp:./engine --corner {corner:1:50}'",
}
"""How what is missing can be had, by what `Form.needs` calls it."""


@cache
def _goals() -> list[Goal]:
    file = files("evolve.service") / "goals.toml"
    return [Goal.model_validate(goal) for goal in parse_toml(file.read_bytes())["goals"]]


def _all_goals(programs: Collection[str]) -> list[Goal]:
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


def _first_goals() -> list[Goal]:
    found = [(goal, [offer for offer in goal.offers if offer.first]) for goal in _goals()]
    return [
        goal.model_copy(update={"offers": [_filled(offer, ()) for offer in offers]})
        for goal, offers in found
        if offers
    ]


def _filled(offer: Offer, programs: Collection[str]) -> Offer:
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


def _archive() -> tarfile.TarFile:
    packed = io.BytesIO((files("evolve.service") / ARCHIVE).read_bytes())
    return tarfile.open(fileobj=packed)


@cache
def _about() -> dict[str, Any]:
    """What lists show of the example, `run`, and a game of its champion, `game`."""
    with _archive() as archive:
        file: Any = archive.extractfile(ABOUT)
        return cast("dict[str, Any]", parse_json(file.read()))


def _unpack(folders: Folders) -> None:
    """Make the example a run of the folder, in one step; where there is a run of its name, not."""
    if not folders.has_run(NAME):
        folder = folders.new_temporary()
        with _archive() as archive:
            for member in archive:
                member.mtime = time.time()  # lists show the run as new
            archive.extractall(folder, filter="data")
        remove(folder / ABOUT)
        move(folder, folders.run(NAME))


@router.get("/goals")
def list_goals(service: Service) -> Goals:
    """What one may begin with."""
    items = _all_goals(service.agents.tunable)
    missing = {offer.needs for goal in items for offer in goal.offers}
    return Goals(items=items, notes=[text for what, text in _NEEDS.items() if what in missing])


@router.get("/welcome")
def get_welcome() -> Welcome:
    """What a first visit offers."""
    return Welcome.model_validate({**_about(), "play": PLAY, "goals": _first_goals()})


@router.post("/welcome/example", status_code=201)
async def add_example(service: Service) -> RunSummary:
    """Put the example into the folder of runs, unless it is there."""
    async with service.ordering:  # a job may want the name, and another request the same
        job = service.jobs.of_run(NAME)
        if job is not None and not job.over:
            raise ProblemError(409, f"{NAME} is the run of job {job.id}")
        await asyncio.to_thread(_unpack, service.folders)
    return service.index.drawn(service.index.summary(NAME))
