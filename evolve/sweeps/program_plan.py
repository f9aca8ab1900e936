"""A sweep over the parameters of a program: a trial is the program with their values."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np
import tomli_w
from optuna.trial import FrozenTrial, TrialState

from evolve.agents.agent import Agent
from evolve.agents.external import ExternalAgent
from evolve.agents.loading import load_agent
from evolve.agents.registry import PROGRAM_FORMS, PROGRAMS
from evolve.arena.match import Match
from evolve.arena.sprt import Sprt
from evolve.config.program_sweep import ProgramSweepSettings
from evolve.engine.rules import MAX_PLIES
from evolve.errors import EngineError, OptionsError, SettingsError
from evolve.fitness.openings import Openings, Part, balanced_openings
from evolve.fitness.score import elo_of
from evolve.sweeps.attempts import number_of
from evolve.sweeps.final import DEFAULTS
from evolve.sweeps.objective import Outcome, Report, Task
from evolve.sweeps.plan import Plan
from evolve.sweeps.rating import Met, rated, shares_of
from evolve.sweeps.space import Parameter, Space
from evolve.sweeps.spsa import MIRROR
from evolve.sweeps.template import CommandTemplate, Template, middle, value_text
from evolve.tables.atomic import write_text
from evolve.tables.layout import BEST_FILE, BEST_TOML, TRIALS

if TYPE_CHECKING:
    from evolve.sweeps.objective import Objective

_SETTINGS: Final = re.compile(r"\w+=[^\s{}]*")
"""What may follow the question mark of a program."""
_FILE: Final = "file"
"""The hole of the command for the file that is made of the template."""
_ONE_THREAD: Final = (
    "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS", "GOMAXPROCS",
)  # fmt: skip
"""Variables that say how many threads a program starts."""
_IDLE: Final = 5
"""Trials that play exactly like the defaults before that is told."""
_FIRST_PAIRS: Final = 2
"""Of the defaults with themselves: enough to see that they play."""


@dataclass(frozen=True)
class ProgramPlan(Plan):
    """The parameters are those of the command's holes, and those of the space."""

    @cached_property
    def own(self) -> ProgramSweepSettings:
        """The settings of such a sweep."""
        assert isinstance(self.sweep, ProgramSweepSettings)
        return self.sweep

    @cached_property
    def command(self) -> CommandTemplate:
        """The command, without its protocol and the settings after the question mark."""
        return CommandTemplate.of(self._named[1])

    @cached_property
    def _named(self) -> tuple[str, str, str]:
        """Protocol, command, and the settings with their question mark."""
        protocol, colon, command = self.own.program.partition(":")
        if not colon or protocol not in PROGRAMS:
            raise OptionsError(f"{self.own.program!r} is not {' or '.join(PROGRAM_FORMS)}")
        place, mark, query = command.rpartition("?")
        if mark and _SETTINGS.fullmatch(query):
            return protocol, place, f"?{query}"
        return protocol, command, ""

    @cached_property
    def template(self) -> Template | None:
        """The text of the file that a program reads."""
        if self.own.template is None:
            return None
        try:
            return Template.of(Path(self.own.template).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"template: {self.own.template}: {error}") from error

    @cached_property
    def space(self) -> Space:
        """The parameters, their ranges as asked for, those that are held left out."""
        found = {**self.command.parameters}
        if self.template is not None:
            found |= {one.name: one for one in self.template.parameters}
        for name, given in self.sweep.space.items():
            if not isinstance(given, Mapping):
                raise SettingsError(f"space: {name}: a range is a table; a value is held by fix")
            ranged = {key: value for key, value in given.items() if key != "default"}
            known = found.get(name) or Parameter(name, "choice", "")
            found[name] = known.narrowed(ranged, "space")
        self._check_places(found)
        chosen = Space.of(found[name] for name in found if name not in self.sweep.fix)
        if not chosen.parameters:
            raise SettingsError("program: it has no parameter to search: write {corner:1:50}")
        if self.sweep.sampler == "spsa":
            choices = [one.name for one in chosen.parameters if one.kind == "choice"]
            if choices:
                raise SettingsError(
                    f"sampler: spsa moves numbers, and {choices[0]} is a choice: hold it by --fix, "
                    "or take another sampler"
                )
        return chosen

    def _check_places(self, found: Mapping[str, Parameter]) -> None:
        """Raise SettingsError where a hole has no range, or a parameter no place."""
        holes = set(self.command.names)
        if self.template is not None:
            if _FILE not in holes:
                raise SettingsError("program: the command has no {file} for what --template makes")
            holes = (holes - {_FILE}) | set(self.template.names)
        nameless = sorted(holes - set(found) - set(self.sweep.fix))
        if nameless:
            raise SettingsError(
                f"program: nothing says what {nameless[0]} may be: write "
                f"{{{nameless[0]}:1:50}}, or give its range in --space"
            )
        lost = [name for name in (*found, *self.sweep.fix) if name not in holes]
        if lost and self.own.set_by in (None, "file"):
            raise SettingsError(
                f"program: it has no place for {lost[0]}: write {{{lost[0]}}} in it, or say how it "
                "is told by --set-by"
            )

    @cached_property
    def defaults(self) -> dict[str, Any] | None:
        """The values that the command or the space call so; else the middle of each range."""
        told: dict[str, Any] = {**self.command.defaults}
        if self.template is not None:
            told |= self.template.defaults
        for name, given in self.sweep.space.items():
            if isinstance(given, Mapping) and "default" in given:
                told[name] = given["default"]
        values = {one.name: told.get(one.name, middle(one)) for one in self.space.parameters}
        for name, value in values.items():
            if not self.space[name].holds(value):
                raise SettingsError(
                    f"space: {name}: its default {value!r} is not in {self.space[name].range_text}"
                )
        return values

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise AgentError for a program that is not there."""
        self._agent(values, "", Path(self.own.template or ""))

    def try_out(self) -> None:
        """Start the program with its defaults; EngineError where it cannot be used."""
        with tempfile.TemporaryDirectory() as folder:
            program = self.agent(self.defaults or {}, "the program", Path(folder))
            try:
                program.prepare()
            finally:
                program.close()

    def line(self, values: Mapping[str, Any], folder: Path | None = None) -> str:
        """The program as the command line names it, with these values.

        folder: where the files made of a template are.
        """
        protocol, _, query = self._named
        return f"{protocol}:{self._command(values, self._file(values, folder))}{query}"

    def agent(self, values: Mapping[str, Any], name: str, folder: Path) -> ExternalAgent:
        """The program with these values; the file made of a template is written."""
        file = self._file(values, folder)
        if self.template is not None and not file.exists():
            file.parent.mkdir(exist_ok=True)
            write_text(file, self.template.filled(self._all(values)))
        return self._agent(values, name, file)

    def _agent(self, values: Mapping[str, Any], name: str, file: Path) -> ExternalAgent:
        protocol, _, query = self._named
        made = load_agent(f"{protocol}:{self._command(values, file)}{query}")
        environment = dict.fromkeys(_ONE_THREAD, str(self.own.cores))
        setup = self._setup(values) if self.own.set_by == "gtp" else []
        if self.own.set_by == "env":
            environment |= self._told(values)
        found: Any = replace(
            cast("ExternalAgent", made), name=name, environment=environment, setup=tuple(setup)
        )
        return cast("ExternalAgent", found)

    def _setup(self, values: Mapping[str, Any]) -> list[str]:
        """The GTP commands that tell the values."""
        line = self.own.set_command
        return [
            line.replace("{name}", name).replace("{value}", text)
            for name, text in self._told(values).items()
        ]

    def _all(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The values of a trial and those that are held."""
        return {**self.sweep.fix, **values}

    def _told(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Those that the command has no place for."""
        return {
            name: value_text(value)
            for name, value in self._all(values).items()
            if name not in self.command.names
        }

    def _command(self, values: Mapping[str, Any], file: Path) -> str:
        command = self.command.filled({**self._all(values), _FILE: file})
        if self.own.set_by == "option":
            told = self._told(values).items()
            words = [word for name, text in told for word in (f"--{name}", text)]
            command = f"{command} {shlex.join(words)}".strip()
        return command

    def _file(self, values: Mapping[str, Any], folder: Path | None) -> Path:
        """Where the file of these values is: named by its content, so that none changes."""
        if self.template is None:
            return Path()
        text = self.template.filled(self._all(values))
        stem = hashlib.sha256(text.encode()).hexdigest()[:16]
        name = f"{stem}{Path(str(self.own.template)).suffix}"
        return Path(name) if folder is None else folder.resolve() / TRIALS / name

    # Trials

    def brief(self, trial: FrozenTrial, trials: Sequence[FrozenTrial]) -> dict[str, Any]:
        """Whom it meets beside the defaults: its mirror image, or the best trial so far."""
        if MIRROR in trial.user_attrs:
            return {MIRROR: trial.user_attrs[MIRROR]}
        if self.own.objective == "panel":
            return {}
        if _is_defaults(trial):
            return {DEFAULTS: True}
        complete = [one for one in trials if one.state == TrialState.COMPLETE]
        best = max(complete, key=_certain, default=None)
        if best is None or _is_defaults(best):
            return {}
        elo = elo_of(best.values[0])
        return {"best": {"number": number_of(best), "values": dict(best.params), "elo": elo}}

    def run(self, objective: Objective, task: Task, report: Report) -> Outcome:
        """Let the program meet whom it is to meet, in parts, after each of which it may end."""
        agent = self.agent(task.values, f"trial-{task.number}", objective.folder)
        games = _Games(agent, MIRROR in task.brief or self.own.objective == "self")
        try:
            if MIRROR in task.brief:
                return self._step(objective, task, games, report)
            told = self._compared(objective, task, games)
            if self.own.objective == "panel":
                told = self._judged(objective, games)
            score, error = 0.5, 0.0
            for step, (score, error) in enumerate(told, 1):
                if report(step, score, error) and step < self.sweep.reports:
                    return Outcome(score, error, None, games.facts)
            path = self.keep_trial(objective.folder, task, score, error)
            return Outcome(score, error, path, games.facts)
        finally:
            agent.close()

    def _step(self, objective: Objective, task: Task, games: _Games, report: Report) -> Outcome:
        """A step of SPSA: it meets its mirror image, and is no candidate."""
        below = self._opponent(objective, task.brief[MIRROR], "mirror")
        openings = self.openings(self.own.pairs, task.number)
        result = games.meet(below, openings, self.sweep.rules, self.sweep.seed)
        report(1, result.score.score, result.score.error)
        return Outcome(result.score.score, result.score.error, None, games.facts)

    def _compared(
        self, objective: Objective, task: Task, games: _Games
    ) -> Iterator[tuple[float, float]]:
        """Scores that the trial would have against the defaults, part after part."""
        assert self.defaults is not None
        defaults = self._opponent(objective, self.defaults, "defaults")
        rules, seed = self.sweep.rules, self.sweep.seed
        if task.brief.get(DEFAULTS):
            games.meet(defaults, self.openings(_FIRST_PAIRS), rules, seed)
            yield 0.5, 0.0
            return
        others: list[tuple[Agent, float]] = [(defaults, 0.0)]
        best = task.brief.get("best")
        if best is not None:
            others.append((self._opponent(objective, best["values"], "best"), best["elo"]))
        openings = self.openings(self.own.pairs)
        shares = shares_of([elo for _, elo in others], others[-1][1])
        met: list[Met] = []
        for start, stop in _parts_of(self.own.pairs, self.sweep.reports):
            for (other, elo), part in zip(others, _shared(start, stop, shares), strict=True):
                if part:
                    chosen = Openings(openings.moves[part])
                    score = games.meet(other, chosen, rules, seed).score
                    met.append(Met(elo, score.games, score.score * score.games))
            rating = rated(met)
            yield rating.score, rating.score_error

    def _opponent(
        self, objective: Objective, values: Mapping[str, Any], name: str
    ) -> ExternalAgent:
        """The program with the values of another trial: left running for the next ones."""
        before = objective.kept.get(name)
        if before is not None and before[0] == values:
            return cast("ExternalAgent", before[1])
        if before is not None:
            before[1].close()
        made = self.agent(values, name, objective.folder)
        objective.kept[name] = dict(values), made
        return made

    def _judged(self, objective: Objective, games: _Games) -> Iterator[tuple[float, float]]:
        """Mean scores against the panel, part after part."""
        panel = objective.panel
        points, squares, count = 0.0, 0.0, 0
        for start, stop in _parts_of(self.sweep.panel_openings, self.sweep.reports):
            part = Openings(panel.openings.moves[start:stop])
            for other in panel.agents:
                score = games.meet(other, part, self.sweep.rules, 0).score
                points += score.score * score.games
                squares += (score.error * score.games) ** 2
                count += score.games
            yield points / count, squares**0.5 / count

    def openings(self, count: int, *key: int) -> Openings:
        """Openings of all trials alike, or those of a key."""
        rng = np.random.default_rng([self.sweep.seed, 1, *key])
        return balanced_openings(count, Part.PANEL, self.sweep.rules, rng)

    def keep_trial(self, folder: Path, task: Task, score: float, error: float) -> Path:
        """Write what a trial was; where that is."""
        path = folder / TRIALS / f"trial-{task.number:04d}.json"
        path.parent.mkdir(exist_ok=True)
        document = {
            **self._found(task.values, folder),
            "trial": task.number,
            "score": score,
            "error": error,
        }
        write_text(path, json.dumps(document, indent=1) + "\n")
        return path

    def _found(self, values: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        """Values as they are kept: with those that are held, and the program that has them."""
        found = {"parameters": self._all(values), "program": self.line(values, folder)}
        if self.own.set_by == "env":
            found["environment"] = self._told(values)
        elif self.own.set_by == "gtp":
            found["commands"] = self._setup(values)
        return found

    # The sweep's own

    def agent_of(self, folder: Path, trial: FrozenTrial) -> Agent:
        """See Plan."""
        return self.agent(trial.params, f"trial-{number_of(trial)}", folder)

    def crown(self, folder: Path, trial: FrozenTrial, facts: Mapping[str, Any]) -> Path:
        """Keep the best parameters, as JSON and as TOML; where the JSON is."""
        found = self._found(trial.params, folder)
        elo = elo_of(trial.values[0]) if trial.values else None
        document = {**found, "trial": number_of(trial), "elo_in_the_sweep": elo, **facts}
        path = folder / BEST_FILE
        write_text(path, json.dumps(document, indent=1) + "\n")
        write_text(folder / BEST_TOML, tomli_w.dumps(found["parameters"]))
        return path

    @property
    def test(self) -> Sprt | None:
        """See Plan."""
        return None if self.own.sprt is None else Sprt(*self.own.sprt)

    def settle(self, place: int) -> None:
        """Keep a worker and its programs to cores of their own."""
        count = self.own.cores
        if hasattr(os, "sched_setaffinity"):
            there = sorted(os.sched_getaffinity(0))
            mine = {there[(place * count + number) % len(there)] for number in range(count)}
            with suppress(OSError):
                os.sched_setaffinity(0, mine)

    @property
    def games(self) -> int | None:
        """See Plan: without those of the final."""
        return None if self.own.games is None else self.own.games - self.own.final_games

    @property
    def games_of_one(self) -> int:
        """See Plan."""
        return self.own.trial_games

    def games_of(self, trials: Sequence[FrozenTrial]) -> int:
        """See Plan."""
        running = sum(trial.state == TrialState.RUNNING for trial in trials)
        played = sum(int(trial.user_attrs.get("games", 0)) for trial in trials)
        return played + running * self.games_of_one

    def remark(self, trials: Sequence[FrozenTrial]) -> str | None:
        """See Plan: that a program ignores its parameters."""
        seen = [one for one in trials if one.user_attrs.get("games") and not _is_defaults(one)]
        if len(seen) < _IDLE or not all(one.user_attrs.get("alike") for one in seen):
            return None
        return (
            f"all {len(seen)} trials so far played exactly like the defaults: does the program "
            "take its parameters?"
        )

    @property
    def bred(self) -> bool:
        """See Plan."""
        return self.own.algorithm == "ga"

    @property
    def forgiving(self) -> bool:
        """See Plan: a program may crash on some values."""
        return True


def _is_defaults(trial: FrozenTrial) -> bool:
    return trial.user_attrs.get("origin") == DEFAULTS


class _Games:
    """The games of a trial; compares: whether the same program is on both sides."""

    def __init__(self, agent: ExternalAgent, compares: bool) -> None:
        self._agent, self._compares = agent, compares
        self._count = 0
        self._alike = True

    def meet(self, other: Agent, openings: Openings, rules: Any, seed: int) -> Any:
        """A match; EngineError where a program fails in any of its games."""
        match = Match(self._agent, other, openings, rules, seed=seed)
        result = match.play()
        for player, whose in ((0, ""), (1, f"{other.name}: ")):
            failure = match.first_failure(player)
            if failure is not None:
                raise EngineError(f"{whose}{failure}")
        self._count += result.games
        if self._compares:
            both = match.games.moves.reshape(-1, 2, MAX_PLIES)
            self._alike = self._alike and bool((both[:, 0] == both[:, 1]).all())
        return result

    @property
    def facts(self) -> dict[str, Any]:
        """Of the trial: its games, and whether they came out the same with colours swapped, as
        those of a program against itself do."""
        return {"games": self._count, "alike": self._compares and self._alike}


def _certain(trial: FrozenTrial) -> float:
    """A score less its error: what a trial is worth for certain."""
    return float(trial.values[0]) - float(trial.user_attrs.get("score_error", 0.0))


def _parts_of(count: int, parts: int) -> Iterator[tuple[int, int]]:
    """Where `count` things are cut into so many parts, none of them empty."""
    ends = sorted({round(count * part / parts) for part in range(parts + 1)})
    return pairwise(ends)


def _shared(start: int, stop: int, shares: Sequence[float]) -> list[list[int]]:
    """The numbers from start to stop, shared out; who has got too little so far comes first."""
    found: list[list[int]] = [[] for _ in shares]
    debts = [share * start - int(share * start) for share in shares]
    for number in range(start, stop):
        debts = [debt + share for debt, share in zip(debts, shares, strict=True)]
        most = debts.index(max(debts))
        debts[most] -= 1.0
        found[most].append(number)
    return found
