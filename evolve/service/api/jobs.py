"""Jobs: make, watch, stop and resume them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query, Response
from fastapi.responses import FileResponse

from evolve.service.answers import After, Cursor, Limit
from evolve.service.downloads import SentFile
from evolve.service.job import JobRecord
from evolve.service.job_requests import ordered, readied
from evolve.service.lines import GAMES_FILE
from evolve.service.models.common import LogText
from evolve.service.models.jobs import JOB_ID, Job, Jobs, JobState, NewJob
from evolve.service.models.runs import Game, Games
from evolve.service.problems import not_found
from evolve.service.state import Inside, ServiceState
from evolve.service.tables import game_of, games_page
from evolve.tables.columns import rows_with
from evolve.tables.parquet import read_table

router = APIRouter()
JobId = Annotated[str, Path(pattern=JOB_ID)]
Key = Annotated[str | None, Header(max_length=100)]


@router.post("/jobs", status_code=202)
async def make_job(
    service: Inside, asked: NewJob, response: Response, idempotency_key: Key = None
) -> Job:
    """Ask for work. With an Idempotency-Key the same request makes one job, however often sent."""
    async with service.ordering:
        record = await ordered(service, asked, idempotency_key)
        if record.id not in service.jobs:
            service.jobs.add(record)
    return _answered(service, record, response)


@router.get("/jobs")
async def list_jobs(
    service: Inside, limit: Limit = 50, after: After = None, state: JobState | None = None
) -> Jobs:
    """Jobs, the newest first."""
    records = [one for one in service.jobs.all() if state is None or one.state == state]
    chosen, more = Cursor.of(limit, after).slice(len(records))
    items = [service.jobs.document(records[number]) for number in chosen]
    return Jobs(items=items, next=more, total=len(records))


@router.get("/jobs/{job}")
async def get_job(service: Inside, job: JobId) -> Job:
    """A job."""
    return service.jobs.document(service.jobs.get(job))


@router.delete("/jobs/{job}", status_code=204)
async def delete_job(service: Inside, job: JobId) -> None:
    """Delete a job that has ended, with its games; its run stays."""
    service.jobs.remove(service.jobs.get(job))


@router.post("/jobs/{job}/stop", status_code=202)
async def stop_job(service: Inside, job: JobId, response: Response) -> Job:
    """End a job after its current step; cancel one that waits."""
    record = service.jobs.get(job)
    service.jobs.stop(record)
    return _answered(service, record, response)


@router.post("/jobs/{job}/kill", status_code=202)
async def kill_job(service: Inside, job: JobId, response: Response) -> Job:
    """End a job at once: its current step is lost."""
    record = service.jobs.get(job)
    service.jobs.kill(record)
    return _answered(service, record, response)


@router.post("/jobs/{job}/resume", status_code=202)
async def resume_job(service: Inside, job: JobId, response: Response) -> Job:
    """Continue a job where it ended."""
    record = service.jobs.get(job)
    service.jobs.check_resumable(record)
    await readied(service, record)
    service.jobs.resume(record)
    return _answered(service, record, response)


@router.get("/jobs/{job}/log")
async def get_log(service: Inside, job: JobId) -> LogText:
    """The end of what a job has printed."""
    return LogText(text=service.jobs.log(service.jobs.get(job)))


@router.get("/jobs/{job}/games")
def get_games(
    service: Inside,
    job: JobId,
    limit: Limit = 100,
    after: After = None,
    winner: Literal["black", "white", "draw"] | None = None,
    sort: Annotated[str, Query(max_length=20)] = "game",
) -> Games:
    """The games of a match so far."""
    games = _games(service, job)
    upsets = [None] * len(games)
    found = games_page(games, upsets, "", Cursor.of(limit, after), sort, winner=winner)
    return found.model_copy(update={"items": [_named(service, job, game) for game in found.items]})


@router.get("/jobs/{job}/games/{number}")
def get_game(
    service: Inside, job: JobId, number: Annotated[str, Path(pattern=r"^[0-9]{1,9}$")]
) -> Game:
    """A game of a match."""
    games = _games(service, job)
    found = rows_with(games, "game", int(number)).to_pylist()
    if not found:
        raise not_found(f"game {number} in job {job}")
    return _named(service, job, game_of(found[0], ""))


@router.get("/jobs/{job}/files/{name}", response_class=FileResponse)
async def get_file(
    service: Inside, job: JobId, name: Literal["games.parquet", "games.csv", "games.ggf"]
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
