"""What there is to choose from, and what one may begin with.

Choices are kinds of runs with their tables, contests, rules, and forms of commands. One begins with
goals and their offers; of a first visit with a game and an example as well.

A command without an offer of its own in goals.toml stands with the first goal that has its first
word. The example is a small evolution, one compressed archive in the package that `python -m
benchmarks.example` makes. It comes into a folder of runs only when a client asks for that, and is a
run like any other from then on.
"""

from __future__ import annotations

import asyncio
import shlex
import tarfile
import time
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final, cast

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field, computed_field

from evolve.agents.calibration.ratings import rungs_of
from evolve.config.matches import CONTESTS
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS
from evolve.extras import install_hint
from evolve.files.changes import move, remove
from evolve.parsing import json_value, parse_json, parse_toml
from evolve.runs.run_type import RunType
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.summary import STUDY
from evolve.service.api.plays import NewPlay
from evolve.service.folders import Folders
from evolve.service.forms import CommandInfo, Form, forms
from evolve.service.index import RunSummary
from evolve.service.responses import Items, not_found
from evolve.service.state import Service
from evolve.tables.columns import Chart, Format

router = APIRouter()


class ColumnShown(BaseModel):
    """A column of a table, and how it is shown."""

    model_config = ConfigDict(from_attributes=True)

    name: str
    label: str | None = Field(description="its name in its chart")
    format: Format
    chart: Chart | None


class TableInfo(BaseModel):
    """A table of a kind of run. The first table of a kind is the one that grows row by row."""

    name: str
    title: str
    key: str | None = Field(description="column that tells rows apart")
    over: list[str] = Field(description="columns that charts are drawn over, the usual one first")
    whole: bool = Field(description="whether `GET /runs/{run}/NAME` has it")
    drawn: bool = Field(description="whether the kind's own page shows it")
    columns: list[ColumnShown] = Field(description="those of which more is known than in the rows")


class KindInfo(BaseModel):
    """A kind of run."""

    name: str
    noun: str
    plural: str
    unit: str = Field(description="what it is counted by")
    event: str = Field(description="name of the event that brings a new row of its first table")
    page: str | None = Field(description="its module on the page; without one, the tables")
    tables: list[TableInfo]


class Meta(BaseModel):
    """What clients can choose from.

    contests: commands in which agents play each other, each with `name` and `plural`. rules: each
    with `name`, `goal`, `discs` (1 where most discs win, −1 where fewest do) and its ladder,
    `rungs`, the weakest first.
    """

    kinds: list[KindInfo]
    contests: list[dict[str, str]]
    rules: list[dict[str, Any]]
    default_rules: str


@router.get("/meta")
def get_meta() -> Meta:
    """Kinds of runs with their tables, contests, rules: the data behind lists and charts."""
    # Studies are listed and opened like runs; their tables are those of their runs.
    shown = {"name": STUDY["kind"], "plural": "studies", "event": "", "page": "study", "tables": []}
    study = KindInfo.model_validate({**STUDY, **shown})
    return Meta(
        kinds=[*map(_kind, RUN_TYPES), study],
        contests=[{"name": name, "plural": contest.PLURAL} for name, contest in CONTESTS.items()],
        rules=[
            {
                "name": name,
                "goal": rules.goal,
                "discs": rules.discs,
                "rungs": [rung._asdict() for rung in rungs_of(name)],
            }
            for name, rules in RULE_SETS.items()
        ],
        default_rules=DEFAULT_RULES,
    )


def _kind(kind: RunType) -> KindInfo:
    tables = [
        {
            **vars(table),
            "title": table.title or table.name.capitalize(),
            "whole": not table.generations,
            "columns": kind.reading.tables[table.name].columns or (),
        }
        for table in kind.tables
    ]
    return KindInfo.model_validate({**vars(kind), "event": kind.row_event, "tables": tables})


def _form(command: Annotated[str, Path(max_length=40)]) -> Form:
    form = forms().get(command)
    if form is None:
        raise not_found(f"command {command!r}")
    return form


FormOf = Annotated[Form, Depends(_form)]
"""The form of a command, as a parameter of routes."""


@router.get("/commands")
def list_commands(service: Service) -> Items[list[CommandInfo]]:
    """The forms of all commands that jobs run."""
    tunable = service.agents.tunable
    return Items(items=[form.info(tunable) for form in forms().values()])


@router.get("/commands/{command}")
def get_command(service: Service, form: FormOf) -> CommandInfo:
    """The form of a command, such as `run` or `train patterns`."""
    return form.info(service.agents.tunable)


@router.get("/presets")
def list_presets() -> Items[dict[str, Any]]:
    """The presets of all commands, as changes to the defaults."""
    return Items(items={name: json_value(form.presets) for name, form in forms().items()})


@router.get("/spaces/{kind}")
async def get_space(
    service: Service, kind: Annotated[str, Path(max_length=40)]
) -> Items[list[dict[str, Any]]]:
    """The settings that a sweep of a kind searches: `name`, `type`, `range`, `default`, `about`."""
    if kind not in SWEEP_TARGETS:
        raise not_found(f"kind {kind!r} of sweep")
    return Items(items=await service.search.ask("space", kind=kind))


class Offer(BaseModel):
    """A way to begin: a command with settings, or a page."""

    title: str
    about: str
    command: str | None = Field(
        default=None, description="such as `train patterns`; null of a page"
    )
    settings: dict[str, Any] = Field(default={}, description="what differs from the defaults")
    seeds: str | None = Field(default=None, description="of a study of the command")
    grid: dict[str, list[Any]] = Field(default={}, description="of a study of the command")
    page: str | None = Field(default=None, description="the page's own for it, such as `compare`")
    option: str = Field(default="", description="the command as it is typed")
    time: str | None = Field(default=None, description="how long it takes, in words")
    elo: dict[str, int] = Field(default={}, description="measured, of its champions, by rules")
    needs: str | None = Field(default=None, description="what is missing here for it")
    first: bool = Field(default=False, description="whether a first visit shows it")

    @computed_field  # type: ignore[prop-decorator]
    @property
    def name(self) -> str:
        """Tells it apart from all others."""
        return self.title.lower().replace(" ", "-").replace(",", "")


class Goal(BaseModel):
    """What one may want, and the ways to it. `words`: first words of the commands for it."""

    name: str
    title: str
    about: str
    words: list[str]
    offers: list[Offer]


class Goals(BaseModel):
    """All goals; `notes` say how what is missing here can be had."""

    items: list[Goal]
    notes: list[str]


class Welcome(BaseModel):
    """The example that comes with evolve, as lists show it; a game of it; what may be started.

    game: its `rules`, `black`, `white`, `moves`, `discs_black`, `discs_white`, and `discs`: Black's
    lead as a coach sees it, from the start to the end.
    """

    run: RunSummary
    game: dict[str, Any]
    play: NewPlay = Field(description="a game to begin with")
    goals: list[Goal] = Field(description="each with what starts with one click")


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


def _filled(offer: Offer, programs: Collection[str]) -> Offer:
    if offer.command is None:
        return offer.model_copy(update={"option": str(offer.page).rpartition("/")[2]})
    form = forms()[offer.command]
    option = "study" if offer.seeds is not None else shlex.join(form.words(offer.settings))
    settings = dict(offer.settings)
    if programs and form.variant is not None and form.variant.runs:
        settings["program"] = next(iter(programs))
    return offer.model_copy(
        update={"option": option, "settings": settings, "needs": form.needs(programs)}
    )


def _archive() -> tarfile.TarFile:
    return tarfile.open(str(files("evolve.service") / ARCHIVE))


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
    easy = NewPlay(agent="level-5", rules="standard", side="black")
    found = [(goal, [offer for offer in goal.offers if offer.first]) for goal in _all_goals(())]
    goals = [goal.model_copy(update={"offers": offers}) for goal, offers in found if offers]
    return Welcome.model_validate({**_about(), "play": easy, "goals": goals})


@router.post("/welcome/example", status_code=201)
async def add_example(service: Service) -> RunSummary:
    """Put the example into the folder of runs, unless it is there."""
    async with service.ordering:  # a job may want the name, and another request the same
        service.check_idle(NAME)
        await asyncio.to_thread(_unpack, service.folders)
    return service.index.drawn(service.index.summary(NAME))
