"""The command line of a job's process, made from the job's settings each time.

No file has it. What is shown, started and resumed comes from here, through the form that checks
requests: a file can hold only settings, and wrong ones start nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from evolve.agents.registry import programs_in
from evolve.config.base import Place as Where
from evolve.config.base import option_words
from evolve.parsing import Fault
from evolve.runs.run import Run
from evolve.service.agents import Agents
from evolve.service.folders import Place
from evolve.service.forms import form_of
from evolve.service.job import JobRecord
from evolve.service.problems import ProblemError, not_found, wrong_settings

GAMES_FILE: Final = "games.parquet"
GGF_FILE: Final = "games.ggf"
RATING_FOLDER: Final = "rating"
SETTINGS_FILE: Final = "settings.toml"


@dataclass(frozen=True)
class Line:
    """The command line of a job: the words after `evolve`.

    shown: for people, with the settings as options. words: for the process: the same, or the words
    that resume its run. file: settings for SETTINGS_FILE, which `words` names. names: ids of its
    agents, keyed by their names on the command line.
    """

    shown: list[str]
    words: list[str]
    file: Mapping[str, Any] | None = None
    names: Mapping[str, str] = field(default_factory=dict)


class Lines:
    """Makes the command lines of jobs."""

    def __init__(self, place: Place, agents: Agents) -> None:
        self._place, self._agents = place, agents

    def of(self, record: JobRecord) -> Line:
        """The current command line of a job.

        Raises ProblemError where its settings are wrong, or name a program that the server does not
        allow.
        """
        if record.command is None:
            raise ProblemError(409, f"{record.said}: {record.error}")
        if record.command == "resume":
            return self._resumed(record)
        form, rest = form_of(record.command, record.settings)
        names: dict[str, str] = {}

        def source(place: Where, text: str) -> str:
            found = self._agents.source(text)
            names[found] = text
            return found

        given = form.checked(rest, source)
        self._check_programs(record, names)
        shown, folder = form.words(given), self._place.jobs / record.id
        if record.run is not None:
            run = self._place.run(record.run)
            shown += ["--out", str(run)]
            if self._place.has_run(record.run):
                return Line(shown, self._going_on(record.run), names=names)
            file = ["--config", str(folder / SETTINGS_FILE), "--out", str(run)]
            return Line(shown, [*form.command.split(), *file], given, names)
        if form.kind is not None:
            raise ProblemError(409, f"job {record.id} names no run")
        kept = ["--out", str(folder / RATING_FOLDER)]
        if form.first == "match":
            kept = ["--out", str(folder / GAMES_FILE), "--ggf", str(folder / GGF_FILE)]
        return Line(shown, [*shown, *kept], names=names)

    def _resumed(self, record: JobRecord) -> Line:
        words = self._going_on(record.run)
        words += changed(Run(self._place.run(str(record.run))), record.settings)
        return Line(words, words)

    def _going_on(self, name: str | None) -> list[str]:
        """The words that resume a run; its config.toml says what is started."""
        if name is None or not self._place.has_run(name):
            raise not_found(f"run {name}")
        run = Run(self._place.run(name))
        allowed = self._agents.allowed
        strange = [one for one in programs_in(run.config) if one not in allowed]
        if strange:
            raise ProblemError(
                422,
                f"{name} names programs that the server was not started with: "
                f"{', '.join(strange)}; where you know them, add --allow-programs to evolve serve",
            )
        return ["resume", str(run.path)]

    def _check_programs(self, record: JobRecord, names: Mapping[str, str]) -> None:
        """Raise ProblemError where the id of a program now names another one.

        Programs are numbered in the order in which the server got them.
        """
        before = {name: source for source, name in record.names.items()}
        for source, name in names.items():
            if name.startswith("program:") and before.get(name, source) != source:
                raise ProblemError(
                    409,
                    f"{name} was {before[name]} when job {record.id} was made, and is {source} "
                    "now: start evolve serve with the programs of then",
                )


def changed(run: Run, settings: Mapping[str, Any]) -> list[str]:
    """The options of `resume` that give these changes; ProblemError where one is wrong."""
    known = {
        change.name: change
        for change in run.kind.changes_of(run.command)
        if change.name != "storage"
    }
    wrong: list[Fault] = []
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
        elif change.type is not str and change.type is not bool and not 0 < value < float("inf"):
            wrong.append(Fault((key,), f"{key}: it must be more than 0"))
    if wrong:
        raise wrong_settings(wrong)
    return option_words(settings)
