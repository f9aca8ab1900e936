"""What the service is and can do: health, forms, presets, spaces, the session of a page."""

from __future__ import annotations

import shlex
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from evolve.config.matches import CONTESTS
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS
from evolve.runs.run_type import RunTable, RunType, TableReading
from evolve.runs.run_types import RUN_TYPES
from evolve.service.door import COOKIE_DAYS, Door
from evolve.service.forms import form_of, forms, has_torch
from evolve.service.job_requests import checked
from evolve.service.models.common import Health, Token
from evolve.service.models.meta import (
    STUDY,
    Checked,
    ColumnShown,
    CommandInfo,
    Commands,
    ContestInfo,
    KindInfo,
    Meta,
    Presets,
    RulesInfo,
    SettingsOnly,
    Space,
    TableInfo,
)
from evolve.service.problems import ProblemError, not_found
from evolve.service.state import Inside, cores
from evolve.version import __version__

router = APIRouter()
CommandName = Annotated[str, Path(max_length=40)]


@router.get("/health")
async def health(service: Inside) -> Health:
    """The version, limits and load of this service."""
    running, queued = service.jobs.counts()
    return Health(
        version=__version__,
        boot=service.events.boot,
        folder=service.place.runs.name,
        slots=service.jobs.slots,
        cores=cores(),
        running=running,
        queued=queued,
        learn=has_torch(),
        programs=service.agents.programs,
    )


@router.get("/meta")
def get_meta() -> Meta:
    """Kinds of runs with their tables, contests, rules: the data behind lists and charts."""
    return Meta(
        kinds=[*(_kind(kind) for kind in RUN_TYPES), STUDY],
        contests=[
            ContestInfo(name=name, plural=contest.plural) for name, contest in CONTESTS.items()
        ],
        rules=[RulesInfo(name=name, goal=rules.goal) for name, rules in RULE_SETS.items()],
        default_rules=DEFAULT_RULES,
    )


def _kind(kind: RunType) -> KindInfo:
    return KindInfo(
        name=kind.name,
        noun=kind.noun,
        plural=kind.plural,
        unit=kind.unit,
        event=kind.row_event,
        page=kind.page,
        tables=[_table(table, kind.reading.tables[table.name]) for table in kind.tables],
    )


def _table(table: RunTable, reading: TableReading) -> TableInfo:
    return TableInfo(
        name=table.name,
        title=table.title or table.name.capitalize(),
        key=table.key,
        over=list(table.over),
        whole=not table.generations,
        drawn=table.drawn,
        columns=[ColumnShown.model_validate(column) for column in reading.columns or ()],
    )


@router.post("/session", status_code=204)
async def open_session(request: Request, given: Token, response: Response) -> None:
    """Send the token once and get a cookie, which streams of events need."""
    door: Door = request.app.state.door
    if door.is_open:
        return
    if not door.fits(given.token):
        raise ProblemError(401, "this is not the token")
    lasts = COOKIE_DAYS * 24 * 3600
    response.set_cookie(
        door.cookie_name, door.new_cookie(), max_age=lasts, httponly=True, samesite="strict"
    )


@router.get("/commands")
def list_commands() -> Commands:
    """The forms of all commands that jobs run."""
    return Commands(items=[form.info() for form in forms().values()])


@router.get("/commands/{command}")
def get_command(command: CommandName) -> CommandInfo:
    """The form of a command, such as `run` or `train patterns`."""
    form = forms().get(command)
    if form is None:
        raise not_found(f"command {command!r}")
    return form.info()


@router.post("/commands/{command}/check")
async def check_settings(service: Inside, command: CommandName, given: SettingsOnly) -> Checked:
    """Whether settings are right, and the equivalent command line."""
    if command not in forms():
        raise not_found(f"command {command!r}")
    form, rest = form_of(command, given.settings)
    settings, _ = await checked(service, form, rest)
    out = [] if given.name is None else ["--out", str(service.place.new_run(given.name))]
    return Checked(settings=settings, line=shlex.join(["evolve", *form.words(settings), *out]))


@router.get("/presets")
def list_presets() -> Presets:
    """The presets of all commands."""
    return Presets(
        items={
            name: {preset: dict(values) for preset, values in form.presets.items()}
            for name, form in forms().items()
        }
    )


@router.get("/spaces/{kind}")
async def get_space(service: Inside, kind: Annotated[str, Path(max_length=40)]) -> Space:
    """The settings that a sweep of a kind searches."""
    if kind not in SWEEP_TARGETS:
        raise not_found(f"kind {kind!r} of sweep")
    found: list[dict[str, Any]] = await service.search.ask("space", kind=kind)
    return Space.model_validate({"kind": kind, "items": found})
