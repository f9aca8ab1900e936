"""Command lines of jobs: what is shown, started and resumed.

A command line is made from the job's settings each time, and no file has it. It comes from here,
through the form that checks requests: a file can hold only settings, and wrong ones start nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from evolve.agents.registry import programs_in
from evolve.config.base import SettingPath, option_words
from evolve.config.matches import CONTESTS
from evolve.parsing import Fault
from evolve.runs.run import Run, Study, load_run
from evolve.runs.run_type import Change
from evolve.runs.study_spec import seeds_of
from evolve.service.agents import Agents
from evolve.service.folders import Folders
from evolve.service.forms import form_of
from evolve.service.job import JobRecord
from evolve.service.responses import ProblemError, faulty, not_found

SETTINGS_FILE: Final = "settings.toml"


@dataclass(frozen=True)
class Line:
    """The command line of a job: the words after `evolve`.

    shown: for people, with the settings as options. words: for the process: the same, or the words
    that resume its run. names: ids of its agents, keyed by their names on the command line. file:
    settings for SETTINGS_FILE, which `words` names.
    """

    shown: list[str]
    words: list[str]
    names: Mapping[str, str]
    file: Mapping[str, Any] | None = None


class Lines:
    """Makes the command lines of jobs."""

    def __init__(self, folders: Folders, agents: Agents) -> None:
        self._folders, self._agents = folders, agents

    def of(self, record: JobRecord) -> Line:
        """The current command line of a job.

        Raises ProblemError where its settings are wrong, or name a program that the server does not
        allow.
        """
        if record.command is None:
            raise ProblemError(409, f"{record.label}: {record.error}")
        if record.command == "resume":
            words = self._resume_words(record.run)
            words += changed(load_run(self._folders.run(str(record.run))), record.settings)
            return Line(words, words, {})
        form, rest = form_of(record.command, record.settings)
        names: dict[str, str] = {}

        def source(path: SettingPath, text: str) -> str:
            source = self._agents.source(text)
            names[source] = text
            return source

        given = form.checked(rest, source)
        self._check_programs(record, names)
        design = None
        if record.seeds is not None or record.grid:
            design = form.design(given, record.seeds, record.grid)
        shown = form.words(given, record.seeds, record.grid)
        folder = self._folders.jobs / record.id
        if record.run is not None:
            run = self._folders.run(record.run)
            shown += ["--out", str(run)]
            if self._folders.has_run(record.run):
                return Line(shown, self._resume_words(record.run), names)
            if design is not None:
                words = ["study", str(folder / SETTINGS_FILE), "--out", str(run)]
                values = design.model_dump(mode="json", exclude_unset=True)
                return Line(shown, words, names, values)
            file = ["--config", str(folder / SETTINGS_FILE), "--out", str(run)]
            return Line(shown, [*form.command.split(), *file], names, given)
        kept = CONTESTS[form.command].kept.items()
        words = [word for option, name in kept for word in (option, str(folder / name))]
        return Line(shown, [*shown, *words], names)

    def _resume_words(self, name: str | None) -> list[str]:
        """The words that resume a run or study; the settings in its folder say what is started."""
        if name is None or not self._folders.has_run(name):
            raise not_found(f"run {name}")
        run = load_run(self._folders.run(name))
        strange = [text for text in programs_in(run.config) if not self._agents.allows(text)]
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
                    "now: start evolve serve with the programs of that time",
                )


def changes_of(run: Run | Study) -> list[Change]:
    """What clients may change when a run or study continues.

    Not a storage, which has a password, and nothing that the owner of the service decides.
    """
    model = form_of(run.command, {})[0].model
    owned = ("storage", *getattr(model, "OF_OWNER", ()))
    return [change for change in run.changes if change.name not in owned]


def changed(run: Run | Study, settings: Mapping[str, Any]) -> list[str]:
    """The options of `resume` that give these changes; ProblemError where one is wrong."""
    allowed = {change.name: change for change in changes_of(run)}
    wrong: list[Fault] = []
    for key, value in settings.items():
        if key not in allowed:
            wrong.append(Fault((key,), f"{key}: may change: {', '.join(allowed)}"))
        elif (fault := _fault_of(allowed[key], value)) is not None:
            wrong.append(Fault((key,), f"{key}: {fault}"))
    if wrong:
        raise faulty(wrong, "settings")
    return option_words(settings)


def _fault_of(change: Change, value: Any) -> str | None:
    """What is wrong with a value that a client gives a setting; None for nothing."""
    taken: Any = int | float if change.type is float else change.type
    if isinstance(value, bool) != (change.type is bool) or not isinstance(value, taken):
        return f"no {change.type.__name__}"
    if change.type in (int, float) and not 0 < value < float("inf"):
        return "it must be more than 0"
    if change.name == "seeds":
        try:
            seeds_of(value)
        except ValueError as error:
            return str(error)
    return None
