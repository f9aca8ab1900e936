"""Requests of clients: checked, and made into jobs."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from evolve.config.base import SettingPath
from evolve.errors import EvolveError, RunError
from evolve.parsing import Fault
from evolve.runs.ids import new_run_in
from evolve.runs.run_folder import claim, claimed
from evolve.service.forms import Form, form_of
from evolve.service.job import JobRecord
from evolve.service.models.meta import STUDY, Design
from evolve.service.models.runs import NewJob
from evolve.service.responses import ProblemError, faulty, pointer
from evolve.service.state import ServiceState


async def new_job(service: ServiceState, request: NewJob) -> JobRecord:
    """The job that a client asks for, not yet started.

    Raises ProblemError for wrong settings, with the place of each fault.
    """
    form, given, names = await checked(service, request.command, request)
    record = JobRecord.new(**request.model_dump(exclude={"name"}), names=names)
    if form.kind is not None:
        _claim_run(service, record, form, given, request.name)
    elif request.name is not None:
        raise ProblemError(422, "name: only runs have one", [("/name", "only runs have one")])
    return record


async def checked(
    service: ServiceState, command: str, request: Design | JobRecord
) -> tuple[Form, dict[str, Any], dict[str, str]]:
    """The form of a command, and the checked settings of a run or study of it.

    Agents have their names on the command line. Also returns their ids, keyed by these names.
    """
    form, rest = form_of(command, request.settings)
    names: dict[str, str] = {}
    to_load: list[tuple[SettingPath, str]] = []

    def source_of(path: SettingPath, text: str) -> str:
        source = service.agents.checked_source(text)
        names[source] = text
        if "?" in text:
            to_load.append((path, source))
        return source

    given = form.checked(rest, source_of)
    for path, source in to_load:
        places = {"AgentError": pointer("settings", *path)}
        await service.search.ask("load", places, source=source)
    if form.variant is not None and form.variant.check is not None:
        places = dict.fromkeys(("SettingsError", "OptionsError"), "/settings/fix")
        values = {**given, **form.own}
        await service.search.ask("check_settings", places, command=form.command, settings=values)
    missing = form.needs(service.agents.tunable)
    if missing is not None:
        raise ProblemError(409, f"{form.command} needs {missing}, which this server does not have")
    if request.seeds is not None or request.grid:
        await asyncio.to_thread(form.design, given, request.seeds, request.grid)
    return form, given, names


def _claim_run(
    service: ServiceState, record: JobRecord, form: Form, given: Mapping[str, Any], name: str | None
) -> None:
    """Reserve a name for the run of a job."""
    stem = STUDY.name if record.seeds is not None or record.grid else form.stem(given)
    if name is None:
        made = claim(service.folders.runs, stem)
    else:
        try:
            if (other := service.jobs.of_run(name)) is not None and not other.over:
                raise RunError(f"{name} is the run of job {other.id}")
            made, _ = claimed(service.folders.runs, stem, new_run_in(service.folders.runs, name))
        except EvolveError as error:
            taken = f"{name} is taken"
            raise ProblemError(409, f"name: {taken}", [("/name", taken)]) from error
    record.run = made.name


def resumed(
    service: ServiceState, name: str, settings: Mapping[str, Any], threads: int | None
) -> JobRecord:
    """The new job that resumes a run or study."""
    if service.index.study(name) is None:
        service.index.open(name)
    service.check_idle(name)
    record = JobRecord.new(command="resume", settings=settings, run=name, threads=threads)
    service.lines.of(record)
    summary = service.index.summary(name)
    key, done = str(summary.unit), summary.done or 0
    if settings.get(key, done + 1) <= done:
        raise faulty([Fault((key,), f"{key}: {name} has {done} already")], "settings")
    if not settings and summary.state == "done":
        raise ProblemError(422, f"{name} is finished: say how far it is to go")
    return record
