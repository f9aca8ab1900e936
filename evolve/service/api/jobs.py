"""Jobs, and the commands that they run; the service itself: health, choices, sessions."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Request, Response
from fastapi.responses import FileResponse

from evolve.agents.calibration.ratings import rungs_of
from evolve.config.matches import CONTESTS, GAMES_FILE
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, Rules
from evolve.fitness.executor import processors
from evolve.runs.ids import new_run_in
from evolve.runs.run_type import RunTable, RunType, TableReading
from evolve.runs.run_types import RUN_TYPES
from evolve.service.costs import runs_of
from evolve.service.downloads import SentFile
from evolve.service.forms import form_of, forms, has_torch, study_words
from evolve.service.job import JobRecord
from evolve.service.job_requests import check_startable, checked, new_job
from evolve.service.models.meta import (
    STUDY,
    Checked,
    ColumnShown,
    CommandInfo,
    Commands,
    ContestInfo,
    CostInfo,
    Design,
    Goals,
    Health,
    KindInfo,
    LogText,
    Meta,
    OfferCosts,
    Presets,
    RulesInfo,
    SettingsOnly,
    Space,
    TableInfo,
    Token,
)
from evolve.service.models.runs import JOB_ID, Game, Games, Job, Jobs, JobState, NewJob
from evolve.service.offers import NEEDS, costs_of_offers, goals
from evolve.service.request_guard import COOKIE_DAYS, Door
from evolve.service.responses import Paged, PagedBy50, ProblemError, not_found
from evolve.service.state import Service, ServiceState
from evolve.service.tables import game_of, games_page
from evolve.tables.columns import rows_with
from evolve.tables.parquet import read_table
from evolve.version import __version__

router = APIRouter()
CommandName = Annotated[str, Path(max_length=40)]
JobId = Annotated[str, Path(pattern=JOB_ID)]
Key = Annotated[str | None, Header(max_length=100)]


@router.get("/health")
async def health(service: Service) -> Health:
    """The version, limits and load of this service."""
    running, queued = service.jobs.counts()
    return Health(
        version=__version__,
        boot=service.events.boot,
        folder=service.folders.runs.name,
        slots=service.jobs.slots,
        cores=processors(),
        running=running,
        queued=queued,
        elsewhere=service.index.running_elsewhere(),
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
        rules=[
            RulesInfo(
                name=name,
                goal=rules.goal,
                discs=rules.discs,
                rungs=[rung._asdict() for rung in rungs_of(name)],
            )
            for name, rules in RULE_SETS.items()
        ],
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
        door.cookie_name, door.cookie, max_age=lasts, httponly=True, samesite="strict"
    )


@router.get("/commands")
def list_commands(service: Service) -> Commands:
    """The forms of all commands that jobs run."""
    tunable = service.agents.tunable
    return Commands(items=[form.info(tunable) for form in forms().values()])


@router.get("/commands/{command}")
def get_command(service: Service, command: CommandName) -> CommandInfo:
    """The form of a command, such as `run` or `train patterns`."""
    form = forms().get(command)
    if form is None:
        raise not_found(f"command {command!r}")
    return form.info(service.agents.tunable)


@router.post("/commands/{command}/check")
async def check_settings(service: Service, command: CommandName, given: SettingsOnly) -> Checked:
    """Whether settings are right, and the equivalent command line."""
    if command not in forms():
        raise not_found(f"command {command!r}")
    form, rest = form_of(command, given.settings)
    settings, _ = await checked(service, form, rest)
    words = form.words(settings)
    if given.is_study:
        await asyncio.to_thread(form.design, settings, given.seeds, given.grid)
        words = study_words(form, settings, given.seeds, given.grid)
    out = [] if given.name is None else ["--out", str(new_run_in(service.folders.runs, given.name))]
    return Checked(settings=settings, line=service.folders.line_of([*words, *out]))


@router.post("/commands/{command}/cost")
async def get_cost(service: Service, command: CommandName, given: Design) -> CostInfo:
    """What a run or study with these settings is expected to cost on this machine."""
    if command not in forms():
        raise not_found(f"command {command!r}")
    form, rest = form_of(command, given.settings)
    settings, _ = await checked(service, form, rest)
    if given.is_study:
        await asyncio.to_thread(form.design, settings, given.seeds, given.grid)
    return await service.costs.of(form, settings, processors(), runs_of(given.seeds, given.grid))


@router.get("/goals")
def list_goals(service: Service) -> Goals:
    """What one may begin with."""
    items = goals(service.agents.tunable)
    missing = {offer.needs for goal in items for offer in goal.offers}
    return Goals(items=items, notes=[text for what, text in NEEDS.items() if what in missing])


@router.get("/goals/costs")
async def list_costs(service: Service, rules: Rules = DEFAULT_RULES) -> OfferCosts:
    """What the offers of all goals cost on this machine, by their names."""
    return await costs_of_offers(service.costs, rules, processors())


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
async def get_space(service: Service, kind: Annotated[str, Path(max_length=40)]) -> Space:
    """The settings that a sweep of a kind searches."""
    if kind not in SWEEP_TARGETS:
        raise not_found(f"kind {kind!r} of sweep")
    parameters: list[dict[str, Any]] = await service.search.ask("space", kind=kind)
    return Space.model_validate({"kind": kind, "items": parameters})


@router.post("/jobs", status_code=202)
async def make_job(
    service: Service, request: NewJob, response: Response, idempotency_key: Key = None
) -> Job:
    """Ask for work. With an Idempotency-Key the same request makes one job, however often sent."""
    async with service.ordering:
        record = await new_job(service, request, idempotency_key)
        if record.id not in service.jobs:
            service.jobs.add(record)
    return _answered(service, record, response)


@router.get("/jobs")
async def list_jobs(service: Service, page: PagedBy50, state: JobState | None = None) -> Jobs:
    """Jobs, the newest first."""
    records = [job for job in service.jobs.all() if state is None or job.state == state]
    chosen, more = page.slice(len(records))
    items = [service.jobs.document(records[number]) for number in chosen]
    return Jobs(items=items, next=more, total=len(records))


@router.get("/jobs/{job}")
async def get_job(service: Service, job: JobId) -> Job:
    """A job."""
    return service.jobs.document(service.jobs.get(job))


@router.delete("/jobs/{job}", status_code=204)
async def delete_job(service: Service, job: JobId) -> None:
    """Delete a job that has ended, with its games; its run stays."""
    service.jobs.remove(service.jobs.get(job))


@router.post("/jobs/{job}/stop", status_code=202)
async def stop_job(service: Service, job: JobId, response: Response) -> Job:
    """End a job after its current step; cancel one that waits."""
    record = service.jobs.get(job)
    service.jobs.stop(record)
    return _answered(service, record, response)


@router.post("/jobs/{job}/kill", status_code=202)
async def kill_job(service: Service, job: JobId, response: Response) -> Job:
    """End a job at once: its current step is lost."""
    record = service.jobs.get(job)
    service.jobs.kill(record)
    return _answered(service, record, response)


@router.post("/jobs/{job}/resume", status_code=202)
async def resume_job(service: Service, job: JobId, response: Response) -> Job:
    """Continue a job where it ended."""
    record = service.jobs.get(job)
    service.jobs.check_resumable(record)
    await check_startable(service, record)
    service.jobs.resume(record)
    return _answered(service, record, response)


@router.get("/jobs/{job}/log")
async def get_log(service: Service, job: JobId) -> LogText:
    """The end of what a job has printed."""
    return LogText(text=service.jobs.log(service.jobs.get(job)))


@router.get("/jobs/{job}/games")
def get_games(
    service: Service,
    job: JobId,
    page: Paged,
    winner: Literal["black", "white", "draw"] | None = None,
    sort: Annotated[str, Query(max_length=20)] = "game",
) -> Games:
    """The games of a match so far."""
    games = _games(service, job)
    upsets = [None] * len(games)
    found = games_page(games, upsets, "", page, sort, winner=winner)
    return found.model_copy(update={"items": [_named(service, job, game) for game in found.items]})


@router.get("/jobs/{job}/games/{number}")
def get_game(
    service: Service, job: JobId, number: Annotated[str, Path(pattern=r"^[0-9]{1,9}$")]
) -> Game:
    """A game of a match."""
    games = _games(service, job)
    rows = rows_with(games, "game", int(number)).to_pylist()
    if not rows:
        raise not_found(f"game {number} in job {job}")
    return _named(service, job, game_of(rows[0], ""))


@router.get("/jobs/{job}/files/{name}", response_class=FileResponse)
async def get_file(
    service: Service, job: JobId, name: Literal["games.parquet", "games.csv", "games.ggf"]
) -> FileResponse:
    """The games of a match as a file."""
    record = service.jobs.get(job)
    path = service.jobs.file(record, name)
    sent_as = f"{job}-{name}"
    if name == "games.csv":
        source = service.jobs.file(record, GAMES_FILE)
        if not source.exists():
            raise not_found(f"games of job {job}")
        made = await service.downloads.made(["convert", str(source), "-o", "{to}"], ".csv")
        return service.downloads.sent(made, sent_as)
    if not path.exists():
        raise not_found(f"{name} of job {job}")
    return SentFile(path, sent_as)


def _named(service: ServiceState, job: str, game: Game) -> Game:
    """The game with its agents by their ids."""
    names = service.jobs.get(job).names
    players = {
        side: names.get(name, name) for side, name in (("black", game.black), ("white", game.white))
    }
    return game.model_copy(update=players)


def _games(service: ServiceState, job: str) -> Any:
    path = service.jobs.file(service.jobs.get(job), GAMES_FILE)
    if not path.exists():
        raise not_found(f"games of job {job}")
    return read_table(path)


def _answered(service: ServiceState, record: JobRecord, response: Response) -> Job:
    response.headers["location"] = f"jobs/{record.id}"
    return service.jobs.document(record)
