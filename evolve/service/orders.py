"""Orders: what a client asks for becomes a job, where it is right."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

import tomli_w

from evolve.config.naming import Place as Where
from evolve.config.naming import with_agents
from evolve.config.toml import Fault
from evolve.errors import EvolveError, RunError
from evolve.files.atomic import write_text
from evolve.files.changes import make_folder
from evolve.service.forms import KIND, Form, form_of
from evolve.service.house import House
from evolve.service.job import JobRecord
from evolve.service.jobs import SETTINGS_FILE
from evolve.service.models.jobs import NewJob
from evolve.service.problems import ProblemError, pointer, wrong_settings
from evolve.service.sources import source_of
from evolve.tables.folder import claim, claimed
from evolve.tables.run import Run

GAMES_FILE: Final = "games.parquet"
GGF_FILE: Final = "games.ggf"
RATING_FOLDER: Final = "rating"


async def ordered(house: House, asked: NewJob, key: str | None) -> JobRecord:
    """The job that a client asks for, not yet begun; the one of before where `key` was used.

    ProblemError where settings are wrong, with the place of each fault.
    """
    content = json.dumps(asked.model_dump(), sort_keys=True).encode()
    digest = hashlib.sha256(content).hexdigest()
    known = None if key is None else house.jobs.of_key(key)
    if known is not None:
        if known.asked != digest:
            raise ProblemError(422, "this Idempotency-Key was used for another request")
        return known
    form, rest = form_of(asked.command, asked.settings)
    given, names = await checked(house, form, rest)
    record = JobRecord.new(
        asked.command,
        asked.settings,
        form.words(given),
        threads=asked.threads,
        names=names,
        key=key,
        asked=digest,
    )
    if form.kind is None:
        _place_contest(house, record, form, asked.name)
    else:
        _place_run(house, record, form, given, asked.name)
    return record


async def checked(
    house: House, form: Form, settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The settings of a form, right, with what the command line calls their agents; and the ids of
    these by that."""
    found: dict[str, str] = {}
    wrong: list[Fault] = []
    named: list[tuple[Where, str]] = []

    def note(place: Where, text: str) -> str:
        named.append((place, text))
        return text

    with_agents(form.model, settings, note)
    for place, text in named:
        try:
            found[text] = await source_of(house, text)
        except ProblemError as error:
            wrong.append(Fault(place, f"{place[0]}: {error.detail}"))
    if wrong:
        raise wrong_settings(wrong)
    given = form.checked(settings, lambda place, text: found[text])
    for place, text in named:
        if "?" in text:
            await house.search.ask("load", {"AgentError": _pointer(place)}, source=found[text])
    if form.first == "sweep":
        places = {"SettingsError": _pointer(("fix",)), "OptionsError": _pointer(("fix",))}
        await house.search.ask("check_sweep", places, settings={**given, KIND: form.second})
    if not form.available:
        raise ProblemError(409, f"{form.command} needs PyTorch, which is not installed here")
    return given, {source: name for name, source in found.items()}


def _pointer(place: Where) -> str:
    return pointer("settings", *place)


def _place_contest(house: House, record: JobRecord, form: Form, name: str | None) -> None:
    """Let the games of a match or a rating be kept with the job."""
    if name is not None:
        raise ProblemError(422, "name: only runs have one", [("/name", "only runs have one")])
    folder = house.place.jobs / record.id
    if form.first == "match":
        record.words += ["--out", str(folder / GAMES_FILE), "--ggf", str(folder / GGF_FILE)]
    else:
        record.words += ["--out", str(folder / RATING_FOLDER)]


def _place_run(
    house: House, record: JobRecord, form: Form, given: Mapping[str, Any], name: str | None
) -> None:
    """Take a name for the run, and write its settings for the command line."""
    stem = form.stem(given)
    if name is None:
        made = claim(house.place.runs, stem)
    else:
        try:
            if (other := house.jobs.of_run(name)) is not None and not other.over:
                raise RunError(f"{name} is the run of job {other.id}")
            made, _ = claimed(house.place.runs, stem, house.place.run(name))
        except EvolveError as error:
            taken = f"{name} is taken"
            raise ProblemError(409, f"name: {taken}", [("/name", taken)]) from error
    folder = house.place.jobs / record.id
    file = folder / SETTINGS_FILE
    record.run = made.name
    try:
        make_folder(folder)
        write_text(file, tomli_w.dumps(dict(given)))
    except OSError:
        house.jobs.give_up(record)
        raise
    record.shown += ["--out", str(made)]
    record.words = [*form.command.split(), "--config", str(file), "--out", str(made)]


def resumed(house: House, run: Run, settings: Mapping[str, Any], threads: int | None) -> JobRecord:
    """The job that goes on with a run."""
    name = run.path.name
    other = house.jobs.of_run(name)
    if other is not None and not other.over:
        raise ProblemError(409, f"job {other.id} is at work on {name}")
    if house.index.is_running(name):
        raise ProblemError(409, f"{name} is being written to by another process")
    words, wrong = ["resume", str(run.path)], []
    done = house.index.summary(name).done or 0
    known = {
        change.name: change
        for change in run.kind.changes_of(run.command)
        if change.name != "storage"
    }
    for key, value in settings.items():
        change = known.get(key)
        fits = change is not None and (
            isinstance(value, bool) == (change.type is bool)
            and isinstance(value, change.type if change.type is not float else int | float)
        )
        if change is None or not fits:
            there = (
                f"may change: {', '.join(known)}"
                if change is None
                else f"no {change.type.__name__}"
            )
            wrong.append(Fault((key,), f"{key}: {there}"))
        elif key == run.kind.unit and value <= done:
            wrong.append(Fault((key,), f"{key}: {name} has {done} already"))
        elif change.type is not str and change.type is not bool and value <= 0:
            wrong.append(Fault((key,), f"{key}: it must be more than 0"))
        elif change.type is bool:
            words.append(change.option if value else change.option.replace("--", "--no-", 1))
        else:
            words += [change.option, str(value)]
    if wrong:
        raise wrong_settings(wrong)
    if not words[2:] and house.index.summary(name).state == "done":
        raise ProblemError(422, f"{name} is finished: say how far it is to go")
    return JobRecord.new("resume", settings, words, run=name, threads=threads)
