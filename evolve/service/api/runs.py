"""Runs: lists, tables, games, ancestors, files."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import FileResponse

from evolve.agents.facts import share_in_playoff
from evolve.agents.registry import with_clock
from evolve.config.toml import resolve_as
from evolve.documents import json_value
from evolve.errors import EvolveError
from evolve.files.changes import move, remove, remove_tree
from evolve.files.folder import FolderPath
from evolve.service.api.parameters import RunId, Text
from evolve.service.forms import form_of
from evolve.service.house import House, Inside
from evolve.service.lending import SentFile, join_games
from evolve.service.models.jobs import Changes, Job
from evolve.service.models.runs import (
    Change,
    Comparison,
    Download,
    Figures,
    Importances,
    Kind,
    OverSeeds,
    Rows,
    RunDetail,
    Runs,
    RunState,
    SettingDifference,
)
from evolve.service.orders import resumed
from evolve.service.paging import After, Cursor, Limit
from evolve.service.problems import ProblemError, not_found
from evolve.service.rows import (
    figures_of,
    rows_of,
)
from evolve.service.tags import Tagged
from evolve.tables.final import verdict_of
from evolve.tables.folder import locked
from evolve.tables.kinds import champion_of
from evolve.tables.layout import playoff_file
from evolve.tables.run import Run
from evolve.tables.trials import importances_of, read_trials

router = APIRouter()
Several = Annotated[list[str], Query(min_length=1, max_length=20)]
_TABLES: Final = ("generations", "metrics", "trials", "rungs", "final")
_NOTHING: Final[Mapping[str, Any]] = {
    **{key: {} for key in ("settings", "versions")},
    **{key: [] for key in ("changed", "tables", "changes", "files")},
    "agent": None,
    "playoff": False,
}
"""Of a run that cannot be read."""
_DEFAULT_SORT = "-date"
_OF_SUMMARY = ("elo", "score", "share")
_SORTS = ("date", "name", *_OF_SUMMARY)


@router.get("/runs")
def list_runs(
    house: Inside,
    limit: Limit = 50,
    after: After = None,
    q: Text = None,
    kind: Kind | None = None,
    rules: Text = None,
    state: RunState | None = None,
    sort: Annotated[str, Query(max_length=20)] = _DEFAULT_SORT,
) -> Runs:
    """Runs, those that grew last first; `q` is looked for in names. Sorted by `elo` or `score`,
    those that have none come last."""
    cursor = Cursor.of(limit, after)
    key = sort.lstrip("-")
    if key not in _SORTS:
        detail = f"runs are sorted by {', '.join(_SORTS)}, not by {key!r}"
        raise ProblemError(422, f"sort: {detail}", [("/query/sort", detail)])
    names = [name for name in house.index.names() if q is None or q.lower() in name.lower()]
    wanted = {"kind": kind, "rules": rules, "state": state}
    if any(value is not None for value in wanted.values()) or key in _OF_SUMMARY:
        found = [house.index.summary(name, fresh=False) for name in names]
        for field, value in wanted.items():
            found = [one for one in found if value is None or getattr(one, field) == value]
        if key in _OF_SUMMARY:
            have = [one for one in found if getattr(one, key) is not None]
            have.sort(key=lambda one: getattr(one, key), reverse=sort.startswith("-"))
            found = have + [one for one in found if getattr(one, key) is None]
        names = [one.id for one in found]
    if sort in ("name", "-name"):
        names.sort(reverse=sort == "-name")
    elif sort == "date":
        names.reverse()
    chosen, more = cursor.slice(len(names))
    items = [house.index.drawn(house.index.summary(names[number])) for number in chosen]
    return Runs(items=items, next=more, total=len(names))


@router.get("/runs/{run}")
def get_run(house: Inside, run: RunId) -> RunDetail:
    """A run with its settings."""
    summary = house.index.drawn(house.index.summary(run))
    if summary.state == "damaged":
        return RunDetail.model_validate({**summary.model_dump(), **_NOTHING})
    opened = house.index.open(run)
    config = dict(opened.config)
    versions = {name: str(value) for name, value in config.pop("versions", {}).items()}
    config.pop("command", None)
    kind = opened.kind
    detail = {
        **summary.model_dump(),
        "settings": _hidden(config),
        "changed": _changed(opened, config),
        "versions": versions,
        "tables": list(opened.tables),
        "changes": [
            Change(name=one.name, type=_type_name(one.type), help=_of_one(one.help))
            for one in kind.changes_of(opened.command)
            if one.name != "storage"
        ],
        "files": _files(opened),
        "agent": None if champion_of(opened.path) is None else f"run:{run}",
        "playoff": playoff_file(opened.path).exists(),
        **share_in_playoff(opened),
        "verdict": verdict_of(opened.path),
    }
    return RunDetail.model_validate(detail)


@router.delete("/runs/{run}", status_code=204)
async def delete_run(house: Inside, run: RunId) -> None:
    """Delete a run for ever: 409 where it is written to."""
    house.index.summary(run)  # it is there
    record, folder = house.jobs.of_run(run), house.place.run(run)
    if record is not None and not record.over:
        raise ProblemError(409, f"job {record.id} is at work on {run}: stop it first")
    if folder.is_symlink():
        raise ProblemError(409, f"{run} is a link: remove it where it is")
    await asyncio.to_thread(_delete, house, folder)
    house.index.scan()
    house.events.tell("run", {"id": run, "gone": True})


@router.post("/runs/{run}/resume", status_code=202)
async def resume_run(house: Inside, run: RunId, changes: Changes, response: Response) -> Job:
    """Go on with a run, to another end where that is given: a new job."""
    opened = house.index.open(run)
    record = resumed(house, opened, changes.settings, changes.threads)
    house.jobs.add(record)
    response.headers["location"] = f"../../jobs/{record.id}"
    return house.jobs.document(record)


@router.get("/runs/{run}/importances")
def get_importances(house: Inside, run: RunId) -> Importances:
    """How much each setting of a sweep matters."""
    opened = house.index.open(run)
    if "trials" not in opened.tables:
        raise not_found(f"importance: {run} is not a sweep")
    table = read_trials(opened.path)
    if table is None:
        return Importances(items=[], why="there are no trials yet")
    found = importances_of(table)
    items = [
        {"parameter": name, "share": share, "p": found.p.get(name)}
        for name, share in found.shares.items()
    ]
    return Importances(items=items, why=None if items else found.reason)


@router.get("/compare")
def compare(house: Inside, run: Several) -> Comparison:
    """Runs side by side, and the settings in which they differ."""
    opened = [house.index.open(name) for name in run]
    configs = [_hidden(one.config) for one in opened]
    keys = dict.fromkeys(key for config in configs for key in config if key != "versions")
    differing = [
        SettingDifference(name=key, values=[config.get(key) for config in configs])
        for key in keys
        if any(config.get(key) != configs[0].get(key) for config in configs)
    ]
    runs = [house.index.summary(name) for name in run]
    return Comparison(runs=runs, settings=differing)


@router.get("/seeds")
async def compare_seeds(house: Inside, run: Several) -> OverSeeds:
    """Runs that differ in their seeds alone as one setting: its mean over them, and the
    differences to the other settings, as `evolve compare` has them."""
    folders = [str(house.index.open(name).path) for name in dict.fromkeys(run)]
    rows: list[dict[str, Any]] = await house.search.ask("over_seeds", folders=folders)
    return OverSeeds.model_validate({"items": rows})


@router.get("/figures")
def get_figures(house: Inside, run: Several) -> Figures:
    """Further figures of runs, for which all of them is read: the best score, games, hours."""
    return Figures(items=[figures_of(house.index.open(name)) for name in run])


@router.get("/runs/{run}/files/{name}", response_class=FileResponse)
async def get_file(
    house: Inside, run: RunId, name: Annotated[str, Path(max_length=100)]
) -> FileResponse:
    """A file of a run: see its `files`."""
    opened = house.index.open(run)
    known = {one.name for one in _files(opened)}
    if name not in known:
        raise not_found(f"file {name[:60]!r} of {run}; there are {', '.join(sorted(known))}")
    champion, source, sent_as = champion_of(opened.path), str(opened.path), f"{run}-{name}"
    stem, _, suffix = name.rpartition(".")
    if champion is not None and name == champion.name:
        return SentFile(champion, sent_as)
    if name == "agent.py":
        if "time" in (await house.search.ask("describe", source=source))["settings"]:
            source = with_clock(source)
        words = ["export", source, "-o", "{to}"]
        return house.lending.sent(await house.lending.made(words, ".py"), sent_as)
    if name in ("games.parquet", "games.ggf"):
        joined = house.lending.new(".parquet")
        await asyncio.to_thread(join_games, opened, joined)
        if suffix == "parquet":
            return house.lending.sent(joined, sent_as)
        try:
            words = ["convert", str(joined), "-o", "{to}"]
            made = await house.lending.made(words, ".ggf")
        finally:
            remove(joined, missing_ok=True)
        return house.lending.sent(made, sent_as)
    words = ["show", source, "--table", stem, "-o", "{to}"]
    return house.lending.sent(await house.lending.made(words, f".{suffix}"), sent_as)


def _table_route(table: str) -> Callable[..., Rows]:
    """The route of a table; each has its own, so that other words are no tables of any run."""

    def get_table(
        tags: Tagged,
        house: Inside,
        run: RunId,
        limit: Limit = 100,
        after: After = None,
        since: Annotated[int, Query(ge=0, le=10**9)] = 0,
        points: Annotated[int | None, Query(ge=2, le=2000)] = None,
    ) -> Rows:
        opened = house.index.open(run)
        found = rows_of(opened, table, Cursor.of(limit, after), points, since)
        tags.newest(opened, table, found.total, limit, after, since, points)
        return found

    get_table.__doc__ = (
        f"The {table} of a run, from row `since` on; with `points` so many rows of all, evenly."
    )
    return get_table


for _table in _TABLES:
    router.add_api_route(f"/runs/{{run}}/{_table}", _table_route(_table), name=f"get_{_table}")


def _delete(house: House, folder: FolderPath) -> None:
    """Remove the folder of a run that nobody writes to: taken away in one step, then emptied.

    Links in it go, and what they lead to stays.
    """
    try:
        with locked(folder, with_links=True):
            gone = house.lending.new("")
            move(folder, gone)
    except EvolveError as error:
        raise ProblemError(409, str(error)) from error
    remove_tree(gone, ignore_errors=True)


def _files(run: Run) -> list[Download]:
    """What can be downloaded of a run."""
    found: list[tuple[str, str]] = []
    champion = champion_of(run.path)
    if champion is not None:
        found.append((champion.name, "the champion's agent file"))
        found.append(
            (
                "agent.py",
                "the champion as one Python file to hand in, which goes by the clock if it can",
            )
        )
    for table in run.tables:
        if table == "games":
            found.append(("games.ggf", "all games as GGF"))
        found.append((f"{table}.csv", f"{table} as CSV"))
        found.append((f"{table}.parquet", f"{table} as Parquet"))
    return [
        Download(name=name, href=f"runs/{run.path.name}/files/{name}", about=about)
        for name, about in found
    ]


def _of_one(text: str) -> str:
    """The help of an option for runs of several kinds, without the words that say of which."""
    return text.partition(": ")[2].capitalize() if text.startswith("Of a ") else text


def _type_name(kind: type) -> Literal["int", "float", "bool", "str"]:
    names: dict[type, Literal["int", "float", "bool", "str"]]
    names = {int: "int", float: "float", bool: "bool", str: "str"}
    return names[kind]


def _hidden(config: dict[str, Any]) -> dict[str, Any]:
    """Without what is nobody else's business, storages have passwords, and what is no JSON."""
    shown = {key: value for key, value in config.items() if key not in ("storage", "study")}
    found: dict[str, Any] = json_value(shown)
    return found


def _changed(run: Run, config: dict[str, Any]) -> list[str]:
    """Settings that differ from the defaults of the run's command."""
    try:
        form, _ = form_of(run.command, {})
        usual = resolve_as(form.model, {}, {"kind": form.second} if form.first == "sweep" else {})
    except (EvolveError, ProblemError):
        return []
    defaults = usual.model_dump(mode="json")
    return [key for key, value in config.items() if key in defaults and defaults[key] != value]
