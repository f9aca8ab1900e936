"""Runs, their tables and their games, and the jobs that make them, as documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeAlias, get_args

from pydantic import BaseModel, ConfigDict, Field

from evolve.config.matches import CONTESTS
from evolve.runs import summary
from evolve.runs.run_types import RUN_TYPES
from evolve.service.folders import RUN_ID
from evolve.service.models.agents import NewPlay
from evolve.service.models.meta import STUDY, Given, Goal, NamedDesign, Page
from evolve.tables.columns import Format

if TYPE_CHECKING:
    Kind: TypeAlias = str  # a type checker does not look into the registry
else:
    Kind = Literal[(*(kind.name for kind in RUN_TYPES), STUDY.name)]
    """Name of a kind of run, or that of studies."""


class RunSummary(summary.RunSummary):
    """A run in the lists of the service."""

    id: str
    kind: Kind | None = None
    study: str | None = Field(default=None, description="the study that it is in")
    job: str | None = Field(default=None, description="the job that is at work on it, or was last")
    curve: list[float] = Field(default=[], description="how it rose: 40 points at most")
    curves: list[list[float]] = Field(default=[], description="of a study, those of its first runs")


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


class ColumnInfo(BaseModel):
    """A column of a table."""

    name: str
    title: str = Field(description="its name in words")
    type: Literal["number", "text", "list", "bool"]
    format: Format = Field("number", description="of numbers: `percent` are shares, 0 to 1")


class Rows(Page[dict[str, Any]]):
    """A page of a table's rows."""

    columns: list[ColumnInfo]


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


class CrossTable(BaseModel):
    """Scores of a round robin: row against column, 0 to 1; null where they did not play."""

    individuals: list[str]
    scores: list[list[float | None]]
    totals: list[float]


class LineageNode(BaseModel):
    """An individual and its birth.

    `main`: whether it is on the line that goes from each to the parent that gave it most of its
    numbers. `elo`: in the generation of its birth, by its score and its best's games.
    """

    individual: str
    born: int
    origin: str
    score: float
    parents: list[str]
    main: bool
    elo: float | None


class Lineage(BaseModel):
    """The ancestors of an individual, itself first, each once, up to `depth` steps back."""

    items: list[LineageNode]
    complete: bool = Field(description="whether there are none further back")


class Game(BaseModel):
    """A game of a run."""

    id: str = Field(description="generation:number, such as 12:345 or playoff:3")
    generation: int
    kind: str
    game: int
    black: str
    white: str
    opening: str
    moves: str | None
    discs_black: int
    discs_white: int
    winner: str | None
    plies: int
    nodes_black: int | None
    nodes_white: int | None
    reason: str
    rules: str | None
    start: str | None = Field(description="the board as OBF where it is not the usual one")
    upset: float | None = Field(description="score of the loser less that of the winner")


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


_AtWork = Literal["queued", "running", "stopping"]
_Ended = Literal["done", "stopped", "interrupted", "failed", "cancelled", "damaged"]
JobState = Literal[_AtWork, _Ended]
"""`damaged`: its file cannot be read."""
if TYPE_CHECKING:
    New: TypeAlias = str  # a type checker does not look into the registries
    Command: TypeAlias = str
else:
    _NEW = (*(kind.name for kind in RUN_TYPES), *CONTESTS)
    New = Literal[_NEW]
    """First word of a command that jobs run."""
    Command = Literal[(*_NEW, "resume")]
ENDED: Final[tuple[str, ...]] = get_args(_Ended)
"""States of a job that has no process and does not wait for one."""


Threads = Annotated[int | None, Field(ge=1, le=1024)]


class NewJob(NamedDesign):
    """A request for a job.

    `settings` are the fields of the command's settings model; of `train` and `sweep` its `kind` as
    well, such as `patterns`.
    """

    command: New
    threads: Threads = Field(default=None, description="all cores if not given")


class Changes(Given):
    """Settings to change when a run continues."""

    settings: dict[str, Any] = Field(default={}, description="see `changes` of the run")
    threads: Threads = Field(
        default=None,
        description="all cores if not given; of a sweep as many as it had, for what is tried "
        "depends on them",
    )


class JobProgress(BaseModel):
    """How far a job is: the whole of it, and its current stage."""

    model_config = ConfigDict(allow_inf_nan=False)

    done: float | None = None
    total: float | None = None
    stage: str | None = None
    stage_done: float | None = None
    stage_total: float | None = None
    left: float | None = Field(default=None, description="seconds that are left, as it looks")


class Job(BaseModel):
    """A job: one process of the command line at a time."""

    id: str
    command: Command | None = Field(description="null of a damaged one")
    settings: dict[str, Any]
    seeds: str | None = Field(default=None, description="of a study")
    grid: dict[str, list[Any]] = Field(default={}, description="of a study")
    state: JobState = "queued"
    line: str = Field(default="", description="the equal command line; empty where there is none")
    run: str | None = Field(default=None, pattern=RUN_ID, description="once there is one")
    created: float = 0.0
    started: float | None = None
    ended: float | None = None
    process: int | None = Field(default=None, gt=0)
    place: int | None = Field(default=None, description="in the queue, from 1")
    progress: JobProgress = JobProgress()
    result: dict[str, Any] | None = Field(default=None, description="of a match or rating, so far")
    ending: str | None = Field(default=None, description="why it ended")
    error: str | None = None
    notes: list[str] = []


class Welcome(BaseModel):
    """The example that comes with evolve, as lists show it; a game of it; what may be started.

    game: its `rules`, `black`, `white`, `moves`, `discs_black`, `discs_white`, and `discs`: Black's
    lead as a coach sees it, from the start to the end.
    """

    run: RunSummary
    game: dict[str, Any]
    play: NewPlay = Field(description="a game to begin with")
    goals: list[Goal] = Field(description="each with what starts with one click")
