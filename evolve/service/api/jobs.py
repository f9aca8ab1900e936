"""Jobs, and the commands that they run; the service itself: health, choices, sessions."""

from __future__ import annotations

import asyncio
import math
from typing import Annotated, Any, Literal

import pyarrow as pa
from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import FileResponse

from evolve.agents.calibration.ratings import rungs_of
from evolve.config.matches import CONTESTS, GAMES_FILE
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS
from evolve.errors import EvolveError, RunError
from evolve.fitness.executor import processors
from evolve.parsing import everything_in, json_value
from evolve.runs.run_folder import claim, claimed
from evolve.runs.run_type import RunType
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.study_spec import seeds_of
from evolve.service.api.generations import game_of, games_page
from evolve.service.forms import Form, forms, has_torch
from evolve.service.job import JobRecord
from evolve.service.job_lines import Asked, asked
from evolve.service.models import meta
from evolve.service.models.runs import Game, Job, JobState, NewJob
from evolve.service.processes import SentFile
from evolve.service.request_guard import COOKIE_DAYS, Door
from evolve.service.responses import Paged, ProblemError, not_found, pointer
from evolve.service.state import Service, ServiceState
from evolve.tables.columns import array_of, rows_with
from evolve.tables.parquet import read_table
from evolve.version import __version__

router, session = APIRouter(), APIRouter()


def _form(command: Annotated[str, Path(max_length=40)]) -> Form:
    form = forms().get(command)
    if form is None:
        raise not_found(f"command {command!r}")
    return form


_Form = Annotated[Form, Depends(_form)]


@router.get("/health")
async def health(service: Service) -> meta.Health:
    """The version, limits and load of this service."""
    running, queued = service.jobs.counts()
    return meta.Health(
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
def get_meta() -> meta.Meta:
    """Kinds of runs with their tables, contests, rules: the data behind lists and charts."""
    return meta.Meta(
        kinds=[*map(_kind, RUN_TYPES), meta.STUDY],
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


def _kind(kind: RunType) -> meta.KindInfo:
    tables = [
        {
            **vars(table),
            "title": table.title or table.name.capitalize(),
            "whole": not table.generations,
            "columns": kind.reading.tables[table.name].columns or (),
        }
        for table in kind.tables
    ]
    return meta.KindInfo.model_validate({**vars(kind), "event": kind.row_event, "tables": tables})


@session.post("/session", status_code=204)
async def open_session(request: Request, given: meta.Token, response: Response) -> None:
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
def list_commands(service: Service) -> meta.Items[list[meta.CommandInfo]]:
    """The forms of all commands that jobs run."""
    tunable = service.agents.tunable
    return meta.Items(items=[form.info(tunable) for form in forms().values()])


@router.get("/commands/{command}")
def get_command(service: Service, form: _Form) -> meta.CommandInfo:
    """The form of a command, such as `run` or `train patterns`."""
    return form.info(service.agents.tunable)


@router.post("/commands/{command}/check")
async def check_settings(service: Service, form: _Form, given: meta.NamedDesign) -> meta.Checked:
    """Whether settings are right, and the equivalent command line."""
    found = await _checked(service, form.command, given)
    runs = len(seeds_of(given.seeds or "0")) * math.prod(map(len, given.grid.values()))
    out = [] if given.name is None else ["--out", str(service.folders.new_run(given.name))]
    line = service.folders.line_of([*found.words, *out])
    return meta.Checked(settings=found.settings, line=line, runs=runs)


async def _checked(service: ServiceState, command: str, request: meta.Design) -> Asked:
    found = await asyncio.to_thread(asked, service.agents, command, request)
    form, given = found.form, found.settings
    for source, name in found.names.items():
        if "?" in name:
            fields = (key for key, value in given.items() if source in everything_in(value))
            places = {"AgentError": pointer("settings", next(fields, "preset"))}
            await service.search.ask("load", places, source=source)
    if form.variant is not None and form.variant.check is not None:
        places = dict.fromkeys(("SettingsError", "OptionsError"), "/settings/fix")
        values = {**given, **form.own}
        await service.search.ask("check_settings", places, command=form.command, settings=values)
    missing = form.needs(service.agents.tunable)
    if missing is not None:
        raise ProblemError(409, f"{form.command} needs {missing}, which this server does not have")
    return found


@router.get("/presets")
def list_presets() -> meta.Items[dict[str, Any]]:
    """The presets of all commands, as changes to the defaults."""
    return meta.Items(items={name: json_value(form.presets) for name, form in forms().items()})


@router.get("/spaces/{kind}")
async def get_space(
    service: Service, kind: Annotated[str, Path(max_length=40)]
) -> meta.Items[list[dict[str, Any]]]:
    """The settings that a sweep of a kind searches: `name`, `type`, `range`, `default`, `about`."""
    if kind not in SWEEP_TARGETS:
        raise not_found(f"kind {kind!r} of sweep")
    return meta.Items(items=await service.search.ask("space", kind=kind))


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
        service.jobs.add(record, found)
    return _answered(service, record, response)


def _claimed_name(service: ServiceState, found: Asked, name: str | None) -> str:
    """The name of a new run, whose folder nobody else takes then."""
    form, runs = found.form, service.folders.runs
    assert form.kind is not None
    stem = meta.STUDY.name
    if found.study is None:
        stem = form.kind.stem_of(form.command, found.resolved.rules)
    if name is None:
        return claim(runs, stem).name
    try:
        if (other := service.jobs.of_run(name)) is not None and not other.over:
            raise RunError(f"{name} is the run of job {other.id}")
        return claimed(runs, stem, service.folders.new_run(name))[0].name
    except EvolveError as error:
        taken = f"{name} is taken"
        raise ProblemError(409, f"name: {taken}", [("/name", taken)]) from error


@router.get("/jobs")
async def list_jobs(service: Service, page: Paged, state: JobState | None = None) -> meta.Page[Job]:
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
    service.jobs.check_resumable(record)
    service.lines.of(record)  # raises where it cannot be made
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
) -> meta.Page[Game]:
    """The games of a match so far."""
    games = _games(service, job)
    return games_page(games, [None] * len(games), "", page, sort, winner=winner)


@router.get("/jobs/{job}/games/{number}")
def get_game(
    service: Service, job: str, number: Annotated[str, Path(pattern=r"^[0-9]{1,9}$")]
) -> Game:
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
    return games


def _answered(service: ServiceState, record: JobRecord, response: Response) -> Job:
    response.headers["location"] = f"jobs/{record.id}"
    return service.jobs.document(record)
