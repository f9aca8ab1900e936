"""Jobs and their games; the service itself: its health, and sessions."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

import pyarrow as pa
from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from evolve import __version__
from evolve.config.matches import GAMES_FILE
from evolve.errors import EvolveError, RunError
from evolve.fitness.executor import processors
from evolve.parsing import everything_in
from evolve.runs.run_folder import claim, claimed
from evolve.runs.summary import STUDY
from evolve.service.api.generations import Game, GameNumber, game_of, games_page
from evolve.service.api.welcome import FormOf
from evolve.service.folders import NEW_ID
from evolve.service.forms import Asked, Design, asked, has_torch
from evolve.service.job import Job, JobRecord, JobState, New, Threads
from evolve.service.processes import SentFile
from evolve.service.request_guard import COOKIE_DAYS, Door
from evolve.service.responses import Given, Page, Paged, ProblemError, not_found, pointer
from evolve.service.state import Service, ServiceState
from evolve.tables.columns import array_of, rows_with
from evolve.tables.parquet import read_table

router, session = APIRouter(), APIRouter()


class Health(BaseModel):
    """The version, limits and load of this service.

    `boot` changes with every start of the server.
    """

    status: Literal["ok"] = "ok"
    version: str
    boot: str
    folder: str
    slots: int
    cores: int
    running: int
    queued: int
    elsewhere: int = Field(description="runs that processes write to which are no jobs of it")
    learn: bool = Field(description="whether PyTorch is installed, for networks")
    programs: list[str] = Field(description="ids of the programs that may be met")


class Token(Given):
    """The token that lets a client in."""

    token: str = Field(max_length=200, description="as it was printed when the server started")


class Checked(BaseModel):
    """Settings that are right: complete, with the equivalent command line."""

    settings: dict[str, Any]
    line: str
    runs: int = Field(description="of a study; else 1")


class NamedDesign(Design):
    """The same, with the name of the folder."""

    name: str | None = Field(
        default=None,
        pattern=NEW_ID,
        description="of the run's folder; the next that is free if not given",
    )


class NewJob(NamedDesign):
    """A request for a job.

    `settings` are the fields of the command's settings model; of `train` and `sweep` its `kind` as
    well, such as `patterns`.
    """

    command: New
    threads: Threads = Field(default=None, description="all cores if not given")


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


@session.post("/session", status_code=204)
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


@router.post("/commands/{command}/check")
async def check_settings(service: Service, form: FormOf, given: NamedDesign) -> Checked:
    """Whether settings are right, and the equivalent command line."""
    found = await _checked(service, form.command, given)
    runs = 1 if found.study is None else len(found.study.members)
    out = [] if given.name is None else ["--out", str(service.folders.runs / given.name)]
    line = service.folders.line_of([*found.words, *out])
    return Checked(settings=found.settings, line=line, runs=runs)


async def _checked(service: ServiceState, command: str, design: Design) -> Asked:
    given = (design.settings, design.seeds, design.grid)
    found = await asyncio.to_thread(asked, service.agents, command, *given)
    form, settings = found.form, found.settings
    for source, name in found.names.items():
        if "?" in name:
            fields = (key for key, value in settings.items() if source in everything_in(value))
            places = {"AgentError": pointer("settings", next(fields, "preset"))}
            await service.search.ask("load", places, source=source)
    if form.variant is not None and form.variant.check is not None:
        places = dict.fromkeys(("SettingsError", "OptionsError"), "/settings/fix")
        values = {**settings, **form.own}
        await service.search.ask("check_settings", places, command=form.command, settings=values)
    missing = form.needs(service.agents.tunable)
    if missing is not None:
        raise ProblemError(409, f"{form.command} needs {missing}, which this server does not have")
    return found


@router.post("/jobs", status_code=202)
async def make_job(service: Service, request: NewJob, response: Response) -> Job:
    """Ask for work."""
    async with service.ordering:
        found = await _checked(service, request.command, request)
        record = JobRecord.new(**request.model_dump(exclude={"name"}), names=found.names)
        if found.form.kind is not None:
            record.run = _claimed_name(service, found, request.name)
        elif request.name is not None:
            raise ProblemError(422, "name: only runs have one", [("/name", "only runs have one")])
        service.jobs.add(record)
    return _answered(service, record, response)


def _claimed_name(service: ServiceState, found: Asked, name: str | None) -> str:
    """The name of a new run, whose folder nobody else takes then."""
    form, runs = found.form, service.folders.runs
    assert form.kind is not None
    stem = STUDY["kind"]
    if found.study is None:
        stem = form.kind.stem_of(form.command, found.resolved.rules)
    if name is None:
        return claim(runs, stem).name
    try:
        if (other := service.jobs.of_run(name)) is not None and not other.over:
            raise RunError(f"{name} is the run of job {other.id}")
        return claimed(runs, stem, runs / name)[0].name
    except EvolveError as error:
        taken = f"{name} is taken"
        raise ProblemError(409, f"name: {taken}", [("/name", taken)]) from error


@router.get("/jobs")
async def list_jobs(service: Service, page: Paged, state: JobState | None = None) -> Page[Job]:
    """Jobs, the newest first."""
    records = [job for job in service.jobs.all() if state is None or job.state == state]
    return page.page(records, service.jobs.document)


@router.get("/jobs/{job}")
async def get_job(service: Service, job: str) -> Job:
    """A job."""
    return service.jobs.document(service.jobs.get(job))


@router.delete("/jobs/{job}", status_code=204)
async def delete_job(service: Service, job: str) -> None:
    """Delete a job that has ended, with its games; its run stays."""
    service.jobs.remove(service.jobs.get(job))


@router.post("/jobs/{job}/stop", status_code=202)
async def stop_job(service: Service, job: str, response: Response) -> Job:
    """End a job after its current step; cancel one that waits."""
    record = service.jobs.get(job)
    service.jobs.stop(record)
    return _answered(service, record, response)


@router.post("/jobs/{job}/kill", status_code=202)
async def kill_job(service: Service, job: str, response: Response) -> Job:
    """End a job at once: its current step is lost."""
    record = service.jobs.get(job)
    service.jobs.stop(record, at_once=True)
    return _answered(service, record, response)


@router.post("/jobs/{job}/resume", status_code=202)
async def resume_job(service: Service, job: str, response: Response) -> Job:
    """Continue a job where it ended."""
    record = service.jobs.get(job)
    service.jobs.resume(record)
    return _answered(service, record, response)


@router.get("/jobs/{job}/log")
async def get_log(service: Service, job: str) -> dict[str, str]:
    """The end of what a job has printed, as `text`."""
    return {"text": service.jobs.log(service.jobs.get(job))}


@router.get("/jobs/{job}/games")
def get_games(
    service: Service,
    job: str,
    page: Paged,
    winner: Literal["black", "white", "draw"] | None = None,
    sort: Annotated[str, Query(max_length=20)] = "game",
) -> Page[Game]:
    """The games of a match so far."""
    return games_page(_games(service, job), "", page, sort, winner=winner)


@router.get("/jobs/{job}/games/{number}")
def get_game(service: Service, job: str, number: GameNumber) -> Game:
    """A game of a match."""
    rows = rows_with(_games(service, job), "game", int(number)).to_pylist()
    if not rows:
        raise not_found(f"game {number} in job {job}")
    return game_of(rows[0], "")


@router.get("/jobs/{job}/files/{name}", response_class=FileResponse)
async def get_file(
    service: Service,
    job: str,
    name: Literal["games.parquet", "games.csv", "games.ggf", "report.html"],
) -> FileResponse:
    """The games of a match as a file, or the match as a page to send."""
    path = service.jobs.file(service.jobs.get(job), GAMES_FILE)
    if not path.exists():
        raise not_found(f"{name} of job {job}")
    if name == GAMES_FILE:
        return SentFile(path, f"{job}-{name}")
    words = ["report" if name == "report.html" else "convert", str(path)]
    return await service.downloads.file(words, f"{job}-{name}")


def _games(service: ServiceState, job: str) -> pa.Table:
    """The games of a match, with agents by their ids."""
    record = service.jobs.get(job)
    path = service.jobs.file(record, GAMES_FILE)
    if not path.exists():
        raise not_found(f"games of job {job}")
    games = read_table(path)
    for side in ("black", "white"):
        ids = [record.names.get(name, name) for name in games[side].to_pylist()]
        place = games.column_names.index(side)
        games = games.set_column(place, side, array_of(ids, pa.string()))
    return games.append_column("upset", pa.nulls(len(games), pa.float64()))


def _answered(service: ServiceState, record: JobRecord, response: Response) -> Job:
    response.headers["location"] = f"jobs/{record.id}"
    return service.jobs.document(record)
