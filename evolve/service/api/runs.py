"""Runs: lists, tables, games, ancestors, files."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Annotated, Any, Final

import pyarrow as pa
from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from evolve.config.toml import resolve_as
from evolve.engine.board.rules import Rules
from evolve.errors import EvolveError
from evolve.parsing import Fault, parse_json, read_document
from evolve.runs.run import Run, Study
from evolve.runs.run_folder import locked
from evolve.runs.run_type import Change
from evolve.runs.run_types import RUN_TYPES, champion_of
from evolve.runs.study_spec import short_names
from evolve.runs.summary import RunState, playoff_share_of
from evolve.service.api.generations import Rows, page_of
from evolve.service.folders import IN_STUDY, RUN_ID
from evolve.service.forms import forms
from evolve.service.index import Kind, RunSummary, thinned
from evolve.service.job import Job, JobRecord, Threads
from evolve.service.job_line import changes_of, line_of
from evolve.service.processes import PRINTED, SentFile, discard
from evolve.service.responses import (
    Given,
    Page,
    Paged,
    ProblemError,
    RunId,
    Text,
    faulty,
    not_found,
    order_of,
)
from evolve.service.state import Service, ServiceState
from evolve.tables.columns import array_of
from evolve.tables.paths import playoff_file
from evolve.tables.trials import verdict_of
from evolve.terminal_text import as_word

router = APIRouter()
_REPORT: Final = "report.html"
_HANDED: Final = "agent.py"
_OF_SUMMARY = ("elo", "score", "share")


class RunDetail(RunSummary):
    """A run with its settings.

    changes: settings that may change when it continues, each with `name`, `type` and `help`. files:
    each with `name`, `about`, and `href` relative to the API. lines: commands that use its
    champion. cells: of a study its runs, begun or not: `run`, `setting`, `label`, `short`, `seed`.
    """

    settings: dict[str, Any] = Field(default={})
    changed: list[str] = Field(default=[], description="settings that differ from the defaults")
    versions: dict[str, str] = Field(default={})
    tables: list[str] = Field(default=[])
    changes: list[dict[str, str]] = Field(default=[])
    files: list[dict[str, str]] = Field(default=[])
    agent: str | None = Field(default=None, description="id of its champion as an agent")
    playoff: bool = Field(default=False, description="whether there was a play-off")
    playoff_share: float | None = Field(
        default=None,
        description="what the champion won of the play-off's points: games with its own run's "
        "candidates, so no number to compare runs by",
    )
    playoff_share_low: float | None = None
    playoff_share_high: float | None = None
    verdict: str | None = Field(default=None, description="of a sweep's final, on the defaults")
    cells: list[dict[str, Any]] = Field(default=[])
    lines: list[dict[str, str]] = Field(default=[])


class Changes(Given):
    """Settings to change when a run continues."""

    settings: dict[str, Any] = Field(default={}, description="see `changes` of the run")
    threads: Threads = Field(
        default=None,
        description="all cores if not given; of a sweep as many as it had, for what is tried "
        "depends on them",
    )


class Demands(Given):
    """What a contest allows for a move; rules: null for the agent's own."""

    rules: Rules | None = None
    seconds: float = Field(default=5.0, ge=0.05, le=60)
    memory: int = Field(default=100, ge=20, le=1 << 16, description="MB")


class HandIn(BaseModel):
    """A file for a contest, and what `evolve hand-in` says of it."""

    good: bool = Field(description="whether it passes the check")
    lines: list[str] = Field(description="what the terminal shows, the verdict last")
    file: str = Field(description="the content of the Python file")


@router.get("/runs")
def list_runs(
    service: Service,
    page: Paged,
    q: Text = None,
    kind: Kind | None = None,
    rules: Text = None,
    state: RunState | None = None,
    study: Annotated[str | None, Query(pattern=RUN_ID)] = None,
    sort: Annotated[str, Query(max_length=20)] = "-date",
) -> Page[RunSummary]:
    """Runs and studies, or the runs in a study, those that grew last first.

    `q` is searched for in names. Sorted by `elo` or `score`, runs without one come last.
    """
    key, down = order_of(sort, "runs", ("date", "name", *_OF_SUMMARY))
    names = [name for name in service.index.names(study) if q is None or q.lower() in name.lower()]
    wanted = {"kind": kind, "rules": rules, "state": state}
    if any(value is not None for value in wanted.values()) or key in _OF_SUMMARY:
        summaries = service.index.summaries(names)
        for field, value in wanted.items():
            summaries = [run for run in summaries if value is None or getattr(run, field) == value]
        if key in _OF_SUMMARY:
            summaries.sort(key=lambda run: getattr(run, key) or 0, reverse=down)
            summaries.sort(key=lambda run: getattr(run, key) is None)  # the others stay in order
        names = [run.id for run in summaries]
    if key == "name":
        names.sort(reverse=down)
    elif sort == "date":
        names.reverse()
    chosen, more = page.slice(len(names))
    items = service.index.summaries(names[number] for number in chosen)
    return Page(items=[service.index.drawn(run) for run in items], next=more, total=len(names))


@router.get("/runs/{run}")
def get_run(service: Service, run: RunId) -> RunDetail:
    """A run with its settings."""
    detail = service.index.drawn(service.index.summary(run)).model_dump()
    if detail["state"] == "damaged":
        return RunDetail.model_validate(detail)
    opened = service.index.source(run)
    changes = [
        {"name": change.name, "type": change.type.__name__, "help": _help_of(change)}
        for change in changes_of(opened)
    ]
    detail |= {"changes": changes, "files": _files(run, opened)}
    if opened.form == "study":
        line = f"evolve compare {word_of(service, opened)} --games 400"
        names = [setting.name for setting in opened.design.settings_of_runs]
        short = dict(zip(names, short_names(names)[1], strict=True))
        cells = [
            {
                "run": f"{run}{IN_STUDY}{member.name}",
                "setting": member.setting.name,
                "label": member.setting.label,
                "short": short[member.setting.name],
                "seed": member.seed,
            }
            for member in opened.design.members
        ]
        design = {"command": opened.command, "settings": {}, **opened.config}  # as in its file
        detail |= {
            "settings": service.agents.shown(design),
            "lines": [{"about": "Its champions meet", "line": line}],
            "cells": cells,
        }
    else:
        config = {key: opened.config[key] for key in opened.config if key != "command"}
        found = config.pop("versions", None)
        detail |= {
            "settings": service.agents.shown(config),
            "changed": _changed(opened, config),
            "versions": {key: str(found[key]) for key in found} if type(found) is dict else {},
            "tables": list(opened.tables),
            "agent": None if champion_of(opened.path) is None else f"run:{run}",
            "playoff": playoff_file(opened.path).exists(),
            **playoff_share_of(opened),
            "verdict": verdict_of(opened.path),
            "lines": use_lines(service, opened),
        }
    return RunDetail.model_validate(detail)


@router.delete("/runs/{run}", status_code=204)
async def delete_run(service: Service, run: RunId) -> None:
    """Delete a run for good: 409 where a process writes to it."""
    service.index.summary(run)  # raises where there is none
    service.check_idle(run)
    folder = service.folders.run(run)
    try:
        with locked(folder):
            await asyncio.to_thread(service.folders.throw_away, folder)
    except EvolveError as error:
        raise ProblemError(409, str(error)) from error
    await service.look()


@router.post("/runs/{run}/resume", status_code=202)
async def resume_run(service: Service, run: RunId, changes: Changes, response: Response) -> Job:
    """Continue a run or study as a new job, to another end where one is given."""
    service.index.source(run)  # raises where there is none
    service.check_idle(run)
    record = JobRecord.new(command="resume", run=run, **changes.model_dump())
    line_of(service.folders, service.agents, record)  # raises where a change is wrong
    summary = service.index.summary(run)
    key, done = str(summary.unit), summary.done or 0
    if changes.settings.get(key, done + 1) <= done:
        raise faulty([Fault((key,), f"{key}: {run} has {done} already")], "settings")
    if not changes.settings and summary.state == "done":
        raise ProblemError(422, f"{run} is finished: say how far it is to go")
    service.jobs.add(record)
    response.headers["location"] = f"../../jobs/{record.id}"
    return service.jobs.document(record)


def word_of(service: ServiceState, run: Run | Study) -> str:
    """A run or study as a word of a command line, from where the folder of the runs is."""
    return as_word(run.path.relative_to(service.folders.runs.parent).as_posix())


def use_lines(service: ServiceState, run: Run) -> list[dict[str, str]]:
    """Command lines that use the champion of a run; none before there is one."""
    if champion_of(run.path) is None:
        return []
    word = word_of(service, run)
    return [
        {"about": "As an agent, in any command", "line": f"evolve match {word} swh --games 200"},
        {"about": "As a file for a contest", "line": f"evolve hand-in {word} -o {_HANDED}"},
    ]


@router.post("/runs/{run}/hand-in")
async def hand_in(service: Service, run: RunId, demands: Demands) -> HandIn:
    """The champion's file for a contest, as `evolve hand-in` makes and checks it: a minute."""
    opened = service.index.open(run)
    if champion_of(opened.path) is None:
        raise not_found(f"champion of {run} yet")
    options = demands.model_dump(exclude_none=True).items()
    words = ["hand-in", str(opened.path), "--json"]
    words += [f"--{name}={value}" for name, value in options]
    file = await service.downloads.made(words, ".py", codes=(0, 1))
    try:
        found = parse_json(read_document(file.with_name(PRINTED)))
        above = os.path.join(service.folders.runs.parent, "")
        said = [line.replace(str(file), _HANDED).replace(above, "") for line in found["lines"]]
        return HandIn(good=found["good"], lines=said, file=file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ProblemError(422, f"it could not be checked: {error}") from error
    finally:
        discard(file)


@router.get("/runs/{run}/files/{name}", response_class=FileResponse)
async def get_file(
    service: Service, run: RunId, name: Annotated[str, Path(max_length=100)]
) -> FileResponse:
    """A file of a run; see its `files`."""
    opened = service.index.source(run)
    names = {file["name"] for file in _files(run, opened)}
    if name not in names:
        raise not_found(f"file {name[:60]!r} of {run}; there are {', '.join(sorted(names))}")
    champion = champion_of(opened.path)
    source, sent_as = str(opened.path), f"{run}-{name}"
    stem, _, suffix = name.rpartition(".")
    if champion is not None and name == champion.name:
        return SentFile(champion, sent_as)
    words = ["report", source] if name == _REPORT else ["show", source, "--table", stem]
    if suffix != "ggf":
        return await service.downloads.file(words, sent_as)
    whole = await service.downloads.made(words, ".parquet")
    try:
        return await service.downloads.file(["convert", str(whole)], sent_as)
    finally:
        discard(whole)


def _table_route(table: str) -> Callable[..., Rows]:
    """The route of a table; each has its own, so that other words are not tables of any run."""

    def get_table(
        service: Service,
        run: RunId,
        page: Paged,
        since: Annotated[int, Query(ge=0, le=10**9)] = 0,
        points: Annotated[int | None, Query(ge=2, le=2000)] = None,
    ) -> Rows:
        opened = service.index.open(run)
        if opened.kind.table(table) is None:
            raise not_found(f"table {table} of {opened.name}")
        reading = opened.kind.reading.tables[table]
        taken: Callable[[Sequence[int]], pa.Table]
        if reading.rows is not None and reading.count is not None:
            count, taken = reading.count(opened), partial(reading.rows, opened)
        else:
            whole = reading.read(opened)
            count, taken = len(whole), lambda rows: whole.take(array_of(list(rows), pa.int64()))
        chosen: tuple[Sequence[int], str | None] = page.slice(count, since)
        if points is not None:
            chosen = [since + number for number in thinned(max(0, count - since), points)], None
        return page_of(taken(chosen[0]), reading.columns, chosen[1], count)

    get_table.__doc__ = (
        f"The {table} of a run, from row `since` on; with `points` so many rows of all, evenly."
    )
    return get_table


for _table in dict.fromkeys(
    table.name for kind in RUN_TYPES for table in kind.tables if not table.generations
):
    router.add_api_route(f"/runs/{{run}}/{_table}", _table_route(_table), name=f"get_{_table}")


def _files(name: str, run: Run | Study) -> list[dict[str, str]]:
    files: list[tuple[str, str]] = []
    champion = champion_of(run.path)
    if champion is not None:
        files.append((champion.name, "the champion's agent file"))
    if run.tables:
        files.append((_REPORT, "one page to send, which needs no evolve"))
    for table in run.tables:
        if run.form == "run" and run.kind.reading.tables[table].of_games:
            files.append((f"{table}.ggf", f"all {table} as GGF"))
        files.append((f"{table}.csv", f"{table} as CSV"))
        files.append((f"{table}.parquet", f"{table} as Parquet"))
    return [
        {"name": file, "href": f"runs/{name}/files/{file}", "about": about} for file, about in files
    ]


def _help_of(change: Change) -> str:
    """The help of its option, without the words that name the kind of run, and the terminal's."""
    head, _, rest = change.help.partition(": ")
    text = rest[:1].upper() + rest[1:] if head.startswith("Of a ") else change.help
    return text.replace("may be repeated", "one a line")


def _changed(run: Run, config: dict[str, Any]) -> list[str]:
    """Settings that differ from the defaults of the run's command, or have none."""
    try:
        form = forms()[run.command]
        fields = form.model.model_fields.items()
        needed = {name: config.get(name) for name, field in fields if field.is_required()}
        defaults = resolve_as(form.model, {}, {**needed, **form.own}).model_dump(mode="json")
    except EvolveError:
        return []
    differing = {key for key, value in defaults.items() if config.get(key, value) != value}
    return [key for key in config if key in differing | needed.keys()]
