"""A run as lists show it: its progress, and its champion's strength. It loads no kernel.

The document is the same on the terminal, in `--json`, over REST and on the page.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolve.agents.agent_file import read_header
from evolve.agents.calibration.ratings import beaten_by
from evolve.config.toml import merged
from evolve.errors import EvolveError, RunError
from evolve.parsing import faults, finite_number
from evolve.runs.run import Run, Study, load_run
from evolve.runs.run_folder import is_locked
from evolve.runs.run_types import CHAMPIONS, PARTS, RUN_TYPES, champion_of
from evolve.runs.study_spec import Member
from evolve.tables.paths import CONFIG_FILE, FINAL_FILE

RunState = Literal["running", "stopped", "interrupted", "done", "damaged"]
"""`interrupted`: stopped because the process of its job died."""
STUDY: Final[Mapping[str, Any]] = {"kind": "study", "noun": "a study", "unit": "runs"}
"""What a study has in place of a kind of run."""
_ELO: Final = ("elo", "elo_low", "elo_high")
"""The champion's Elo on the ladder and its 95 % interval: the names in its file and in lists."""
_FILES: Final = (file for kind in RUN_TYPES for file in kind.files)
_GROWING: Final = (f for f in _FILES if f in CHAMPIONS or f.endswith((".parquet", FINAL_FILE)))
_WATCHED: Final = dict.fromkeys((CONFIG_FILE, *_GROWING, *PARTS))
"""What changes when a run continues: files are replaced, and folders get new files."""


class RunSummary(BaseModel):
    """A run or a study in lists. `done` and `target` are in its `unit`.

    Its main metric is `elo` where it plays the ladder; otherwise `score`, of trainings and sweeps
    against their panels.
    """

    model_config = ConfigDict(frozen=True)

    command: str | None = Field(default=None, description="such as `run`, `train patterns`")
    kind: str | None = None
    noun: str | None = None
    rules: str | None = None
    preset: str | None = None
    seed: int | None = None
    state: RunState
    date: float = Field(description="when it last grew, in seconds since 1970")
    done: int | float | None = None
    target: int | float | None = None
    unit: str | None = None
    share: float | None = Field(default=None, description="of the way to its end, 0 to 1")
    elo: float | None = Field(
        default=None,
        description="its champion's on the ladder; of an evolution from games after the play-off",
    )
    elo_low: float | None = Field(
        default=None, description="where the 95 % interval of that begins"
    )
    elo_high: float | None = Field(default=None, description="and where it ends")
    elo_so_far: float | None = Field(
        default=None, description="without one, the strength of an evolution's last bests, smoothed"
    )
    elo_so_far_low: float | None = None
    elo_so_far_high: float | None = None
    score: float | None = Field(
        default=None,
        description="of a training or a sweep against its panel, 0 to 1; before its end the last "
        "or best there was",
    )
    score_low: float | None = None
    score_high: float | None = None
    gain: float | None = Field(
        default=None,
        description="of a sweep's winner, in Elo over the defaults, in games that no trial played",
    )
    gain_low: float | None = None
    gain_high: float | None = None
    beats: str | None = Field(
        default=None,
        description="the highest rung of its ladder below the whole interval of `elo`, in words",
    )
    champion: str | None = Field(default=None, description="the name of its best agent")
    weights: list[float] | None = Field(
        default=None,
        description="its champion's 10 weights of squares in the middle phase, in the order "
        "a1 b1 c1 d1 b2 c2 d2 c3 d3 d4",
    )
    grid: list[list[float | None]] | None = Field(
        default=None,
        description="of a study, the Elo of its runs' champions: a row a setting, a column a seed",
    )
    metrics: dict[str, float | None] = Field(default={}, description="further numbers of its kind")
    problem: str | None = Field(default=None, description="what is wrong, of a damaged one")

    @property
    def row(self) -> dict[str, Any]:
        """What tables have of it."""
        return {**self.model_dump(exclude={"weights", "grid", "metrics"}), **self.metrics}


def last_changes(folder: Path) -> tuple[int, ...]:
    """When the files of a run last changed, in ns since 1970, 0 for each that is not there.

    FileNotFoundError without a config.toml.
    """
    times = []
    for name in _WATCHED:
        try:
            times.append(os.lstat(f"{folder}/{name}").st_mtime_ns)
        except OSError:
            if name == CONFIG_FILE:
                raise
            times.append(0)
    return tuple(times)


def summary_of(run: Run, running: bool | None = None) -> RunSummary:
    """A run as lists show it.

    running: whether a process writes to it; None looks it up. Raises RunError where its settings
    cannot be shown.
    """
    kind, progress = run.kind, run.kind.reading.progress(run)
    running = is_locked(run.path) if running is None else running
    state = "running" if running else "done" if progress.complete else "stopped"
    champion = champion_of(run.path)
    agent = None if champion is None else read_header(champion)
    provenance = agent.provenance if agent is not None and progress.crowned else {}
    elo = {key: finite_number(provenance.get(key)) for key in _ELO}
    rung = beaten_by(run.config.get("rules"), elo["elo_low"])
    so_far = progress.metrics if elo["elo"] is None else {}
    facts = {
        **{key: run.config.get(key) for key in ("rules", "preset", "seed")},
        **({} if kind.rated else {"score": progress.so_far, **_score(provenance, "score")}),
        **elo,
        **{f"elo_so_far{end}": so_far.get(f"rating{end}") for end in ("", "_low", "_high")},
        **_gain(run),
    }
    try:
        return RunSummary.model_validate(
            {
                "command": run.command,
                "kind": kind.name,
                "noun": kind.noun,
                "state": state,
                "date": max(last_changes(run.path)) / 1e9,
                "done": progress.done,
                "target": progress.target,
                "unit": kind.unit,
                "share": 1.0 if state == "done" else progress.part,
                "beats": None if rung is None else rung.label,
                "champion": None if agent is None else agent.name,
                "weights": None if agent is None else _weights(agent.parameters),
                "metrics": progress.metrics,
                **facts,
            }
        )
    except ValidationError as error:
        texts = "; ".join(fault.text for fault in faults(error))
        raise RunError(f"{run.path / CONFIG_FILE} is damaged: {texts}") from error


def _score(provenance: Mapping[str, Any], name: str) -> dict[str, float | None]:
    """A champion's score with its interval under a name; empty without games."""
    keys = ("score", "score_low", "score_high", "error")
    score, low, high, error = (finite_number(provenance.get(key)) for key in keys)
    if score is None:
        return {}
    if low is None and error is not None:
        low, high = max(0.0, score - 1.96 * error), min(1.0, score + 1.96 * error)
    return {name: score, f"{name}_low": low, f"{name}_high": high}


def playoff_share_of(run: Run) -> dict[str, float | None]:
    """The champion's score in the play-off, with its interval; empty where it had no games.

    The opponents are the run's own candidates, so no list has this number: it compares no runs.
    """
    champion = champion_of(run.path)
    if champion is None or not (run.kind.rated and run.kind.reading.progress(run).crowned):
        return {}
    return _score(read_header(champion).provenance, "playoff_share")


_MOST: Final = 5  # most wrong values that a message names


def differing_in(configs: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The settings in which runs differ, each with its value in every run."""
    keys = dict.fromkeys(key for config in configs for key in config if key != "versions")
    rows = {key: [config.get(key) for config in configs] for key in keys}
    return {key: row for key, row in rows.items() if any(value != row[0] for value in row)}


def check_config(run: Run) -> None:
    """Raise RunError where config.toml is damaged: missing, empty, or with a value of a wrong type.

    Unknown settings and contradictions, such as from another version, are no damage: the tables of
    such a run are still valid. `evolve resume` checks more.
    """
    file, config, kind = run.path / CONFIG_FILE, run.config, run.kind
    # Settings that every kind of run has.
    missing = [name for name in ("rules", "seed") if name not in config]
    if missing:
        raise RunError(f"{file} is damaged: it has no {', '.join(missing)}")
    model = kind.commands[run.command].model()
    given = {key: value for key, value in config.items() if key not in ("command", "versions")}
    if "kind" in model.model_fields:
        given["kind"] = kind.word(run.command)
    presets = kind.commands[run.command].all_presets()
    try:
        model.model_validate(merged(presets, {}, given))
    except ValidationError as error:
        unknown = {detail["loc"] for detail in error.errors() if "extra" in detail["type"]}
        wrong = [fault.text for fault in faults(error) if fault.keys and fault.keys not in unknown]
        if wrong:
            raise RunError(f"{file} is damaged: {'; '.join(wrong[:_MOST])}") from error


def _gain(run: Run) -> dict[str, float | None]:
    """How much better its champion is than the defaults, in Elo; nothing where that is unknown."""
    gain_of = run.kind.reading.gain
    found = None if gain_of is None else gain_of(run)
    return {} if found is None else found.columns("gain")


def _weights(parameters: Mapping[str, Any]) -> list[float] | None:
    """A champion's weights of squares in the middle phase; None for other kinds of agents."""
    try:
        phases = parameters["weights"]
        weights = phases[len(phases) // 2]
    except (LookupError, TypeError):
        return None
    return weights if isinstance(weights, list) and len(weights) == 10 else None


def damaged(folder: Path, problem: object) -> RunSummary:
    """What lists show of a run that cannot be read."""
    date = os.lstat(folder).st_mtime if os.path.lexists(folder) else 0.0
    return RunSummary(state="damaged", date=date, problem=str(problem))


def _summaries_of(study: Study, *members: Member) -> dict[str, RunSummary]:
    """The runs of a study that have begun, by name: of these members, or of all."""
    found = {}
    for member in members or study.design.members:
        folder = study.folder_of(member)
        if (folder / CONFIG_FILE).exists():
            try:
                found[member.name] = summary_of(Run(folder))
            except (EvolveError, OSError) as error:
                found[member.name] = damaged(folder, error)
    return found


def row_of(study: Study, member: Member) -> dict[str, Any]:
    """Return a run of a study as a row: its settings, its state and its champion's rating."""
    head = {"setting": member.setting.name, **member.setting.varied, "seed": member.seed}
    summary = _summaries_of(study, member).get(member.name)
    row = {"state": "not begun"} if summary is None else summary.row
    return {**row, **head, "run": str(study.folder_of(member))}


def study_summary(study: Study, runs: Mapping[str, RunSummary], running: bool) -> RunSummary:
    """A study as lists show it; runs: those that have begun, by name."""
    members = study.design.members
    done = sum(run.state == "done" for run in runs.values())
    found = {key: {getattr(run, key) for run in runs.values()} for key in ("rules", "preset")}
    common: dict[str, Any] = {key: of.pop() if len(of) == 1 else None for key, of in found.items()}
    grid: dict[str, list[float | None]] = {}
    for member in members:
        run = runs.get(member.name)
        grid.setdefault(member.setting.name, []).append(None if run is None else run.elo)
    return RunSummary(
        **STUDY,
        command=f"study of {study.design.command}",
        **common,
        state="running" if running else "done" if done == len(members) else "stopped",
        date=max((run.date for run in runs.values()), default=os.lstat(study.path).st_mtime),
        done=done,
        target=len(members),
        share=done / len(members) if members else None,
        grid=[*grid.values()],
    )


def summary(source: Run | Study | str | Path) -> RunSummary:
    """A run or study as `evolve runs --json`, REST and the page show it in lists.

    Raises RunError where it cannot be read, and OSError.

    >>> evolve.summary("runs/first").state
    'done'
    """
    found = source if isinstance(source, Run | Study) else load_run(source)
    if found.form == "run":
        return summary_of(found)
    return study_summary(found, _summaries_of(found), is_locked(found.path))
