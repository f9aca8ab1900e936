"""Comparisons of runs and their seeds; of sweeps, their best and all trials."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field

from evolve.parsing import json_value
from evolve.runs.run import Run, Study
from evolve.runs.run_types import champion_of
from evolve.runs.study_spec import Member
from evolve.runs.summary import differing_in
from evolve.service.api.runs import use_lines, word_of
from evolve.service.folders import IN_STUDY
from evolve.service.index import RunSummary
from evolve.service.responses import Items, RunId, Text, not_found
from evolve.service.state import Service, ServiceState
from evolve.sweeps.scatter import Scatter, scatter_of

router = APIRouter()
_Several = Annotated[list[str], Query(min_length=1, max_length=20)]


class Best(BaseModel):
    """The best trial of a sweep so far; `chosen` where a final has chosen it.

    settings: each with `name`, `title` in words, `phase` of the game where it holds for one alone,
    `about`, `value`, `default`, and its range: `low`, `high` (null of choices) and `log`. lines: to
    copy, each with `about` and `line`.
    """

    trial: int | None
    score: float | None
    chosen: bool
    settings: list[dict[str, Any]]
    lines: list[dict[str, str]]


class Comparison(BaseModel):
    """Runs side by side; settings: the `name` of each that differs, and its `values`."""

    runs: list[RunSummary]
    settings: list[dict[str, Any]]
    line: str = Field(description="a command that lets their champions meet seed by seed")
    champions: list[str] = Field(description="all of them, those of a study's runs too, as agents")


class OverSeeds(BaseModel):
    """Runs compared over their seeds; without items where no two differ only in their seeds.

    words: sentences: which runs have no Elo, and who is better; or why nothing is compared.
    items: a setting's `mean` of a `metric` over its `seeds`, or the mean difference of two, seed by
    seed, where `against` says which; a main effect where `over` names the settings that it is the
    mean over. With its interval, `low` and `high`, by Student's t, at a `level` that agrees with
    `p_holm`, `p` corrected for their number; `winner` (null: undecided), `more_seeds` to show a
    difference of 100 Elo or a tenth of a score; `verdict`, whether the words are of it; `values` of
    a setting by seed; both settings as `label`, `against_label`.
    """

    words: list[str]
    items: list[dict[str, Any]]
    latex: str = Field(description="the same as tables of LaTeX, for documents that load booktabs")
    csv: str


def _opened(service: Service, run: _Several) -> list[Run | Study]:
    return [service.index.source(name) for name in run]


_Opened = Annotated[list[Run | Study], Depends(_opened)]
"""The runs and studies of a query."""


@router.get("/compare")
def compare(service: Service, run: _Several, sources: _Opened) -> Comparison:
    """Runs and studies side by side, and the settings in which they differ.

    Where the runs of a study differ in a setting, its value is a list of theirs.
    """
    configs = [_config(service, source) for source in sources]
    differing = [{"name": key, "values": list(of)} for key, of in differing_in(configs).items()]
    runs = [service.index.summary(name) for name in run]
    words = " ".join(word_of(service, source) for source in sources)
    line = f"evolve compare {words} --games 400"
    champions = [
        f"run:{name}{IN_STUDY}{member.name}" if source.form == "study" else f"run:{name}"
        for name, source in zip(run, sources, strict=True)
        for member in (source.runs if source.form == "study" else [source])
        if champion_of(member.path) is not None
    ]
    return Comparison(runs=runs, settings=differing, line=line, champions=champions)


@router.get("/compare/report.html", response_class=FileResponse)
async def report_comparison(service: Service, sources: _Opened) -> FileResponse:
    """Runs and studies compared as a page to send."""
    words = ["report", *(str(source.path) for source in sources)]
    return await service.downloads.file(words, "comparison.html")


def _config(service: ServiceState, source: Run | Study) -> dict[str, Any]:
    """The settings of a run or a study; a list of its runs' values where these differ."""
    if source.form == "run":
        return service.agents.shown(source.config)
    design, found = source.design, dict[str, list[Any]](command=[source.command])
    for setting in design.settings_of_runs:
        settings = design.resolved(Member(setting, 0)).model_dump(mode="json", exclude_none=True)
        for key, value in service.agents.shown(settings).items():
            if value not in found.setdefault(key, []):
                found[key].append(value)
    found["seed"] = list(design.seeds)
    return {key: values if len(values) > 1 else values[0] for key, values in found.items()}


@router.get("/seeds")
async def compare_seeds(service: Service, sources: _Opened) -> OverSeeds:
    """Runs compared over their seeds: those that differ only in the seed are one setting.

    For each setting its mean over its seeds, and the differences to the other settings, as in
    `evolve compare`.
    """
    folders = [*dict.fromkeys(str(source.path) for source in sources)]
    return OverSeeds.model_validate(await service.search.ask("over_seeds", folders=folders))


@router.get("/runs/{run}/courses")
async def get_courses(
    service: Service, run: RunId, metric: Text = None, over: Text = None
) -> Items[list[dict[str, Any]]]:
    """The course of a run, or the mean of each setting of a study, as `evolve plot` draws them.

    metric: a number of the first table, by default what is usual for its kind; over: generations
    (also checks and trials), games or seconds.

    Each has the mean `y` of its runs at each place `x`, with a band from `low` to `high`: from the
    lowest seed to the highest; from 5 seeds on it is Student's 95 % interval of the mean. A setting
    with one seed has none, or that of its games.
    """
    folder = str(service.index.source(run).path)
    found = await service.search.ask("courses", folder=folder, metric=metric, over=over)
    return Items(items=found)


@router.get("/metrics")
def get_metrics(sources: _Opened) -> Items[list[dict[str, Any]]]:
    """Further metrics of runs, for which the whole run is read: the best score, games, hours."""
    of_runs = [one.kind.reading.metrics(one) if one.form == "run" else {} for one in sources]
    return Items(items=json_value(of_runs))


@router.get("/runs/{run}/best")
async def get_best(service: Service, run: RunId) -> Best:
    """The best trial of a sweep so far, beside the defaults, and how to use its settings."""
    opened = _sweep(service, run)
    found = await service.search.ask("evolve.sweeps.findings:winner_of", folder=opened.path)
    return Best.model_validate({**found, "lines": [*found["lines"], *use_lines(service, opened)]})


@router.get("/runs/{run}/scatter")
def get_scatter(service: Service, run: RunId) -> Scatter:
    """The trials of a sweep over each of its settings, as `evolve plot` draws them."""
    return scatter_of(_sweep(service, run).path)


def _sweep(service: ServiceState, run: str) -> Run:
    opened = service.index.open(run)
    if "trials" not in opened.tables:
        raise not_found(f"trial: {run} is not a sweep")
    return opened
