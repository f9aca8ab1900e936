"""The command line of a job: what is shown, started and resumed.

A command line is made from the job's settings each time, and no file has it. It comes from here,
by the one check of a request: a file can hold only settings, and wrong ones start nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import AfterValidator, TypeAdapter, ValidationError

from evolve.agents.registry import programs_in
from evolve.config.base import option_words
from evolve.config.matches import CONTESTS
from evolve.parsing import Fault, plain_words
from evolve.runs.run import Run, Study, load_run
from evolve.runs.run_type import Change
from evolve.runs.study_spec import seeds_of
from evolve.service.agents import Agents
from evolve.service.folders import Folders
from evolve.service.forms import asked, forms
from evolve.service.job import JobRecord
from evolve.service.responses import ProblemError, faulty, not_found

SETTINGS_FILE: Final = "settings.toml"


@dataclass(frozen=True)
class Line:
    """The command line of a job: the words after `evolve`.

    shown: for people, with the settings as options. words: for the process, with the settings in
    SETTINGS_FILE, or those that resume its run. names: ids of its agents, keyed by their names on
    the command line. file: what SETTINGS_FILE must hold.
    """

    shown: list[str]
    words: list[str]
    names: Mapping[str, str]
    file: Mapping[str, Any] | None = None


def line_of(folders: Folders, agents: Agents, record: JobRecord) -> Line:
    """The current command line of a job.

    Raises ProblemError where its settings are wrong, name a program that the server does not allow,
    or name one by an id that is another one's now.
    """
    if record.command is None:
        raise ProblemError(409, f"{record.label}: {record.error}")
    if record.command == "resume":
        run = _resumed(folders, agents, record.run)
        words = ["resume", str(run.path), *changed(run, record.settings)]
        return Line(words, words, {})
    found = asked(agents, record.command, record.settings, record.seeds, record.grid)
    before = {name: source for source, name in record.names.items()}
    for source, name in found.names.items():
        # Programs are numbered in the order in which the server got them.
        if name.startswith("program:") and before.get(name, source) != source:
            raise ProblemError(
                409,
                f"{name} was {before[name]} when job {record.id} was made, and is {source} "
                "now: start evolve serve with the programs of that time",
            )
    command, shown, folder = found.form.command, found.words, folders.jobs / record.id
    if record.run is None:
        out = ["--out", str(folder / CONTESTS[command].OUT)]
    else:
        out = ["--out", str(folders.run(record.run))]
        shown = [*shown, *out]
        if folders.has_run(record.run):
            run = _resumed(folders, agents, record.run)
            return Line(shown, ["resume", str(run.path)], found.names)
    words, values = [*command.split(), "--config"], found.settings
    if found.study is not None:
        words, values = ["study"], found.study.model_dump(mode="json", exclude_unset=True)
    return Line(shown, [*words, str(folder / SETTINGS_FILE), *out], found.names, values)


def _resumed(folders: Folders, agents: Agents, name: str | None) -> Run | Study:
    """A run or study to resume, where the programs that the settings in its folder name may run."""
    if name is None or not folders.has_run(name):
        raise not_found(f"run {name}")
    run = load_run(folders.run(name))
    strange = [text for text in programs_in(run.config) if not agents.allows(text)]
    if strange:
        raise ProblemError(
            422,
            f"{name} names programs that the server was not started with: "
            f"{', '.join(strange)}; where you know them, add --allow-programs to evolve serve",
        )
    return run


def changes_of(run: Run | Study) -> list[Change]:
    """What clients may change when a run or study continues: nothing that the owner decides."""
    owned = forms()[run.command].model.OF_OWNER
    return [change for change in run.changes if change.name not in owned]


def changed(run: Run | Study, settings: Mapping[str, Any]) -> list[str]:
    """The options of `resume` that give these changes; ProblemError where one is wrong."""
    allowed = {change.name: change for change in changes_of(run)}
    fields = forms()[run.command].model.model_fields
    wrong: list[Fault] = []
    for key, value in settings.items():
        if key not in allowed:
            wrong.append(Fault((key,), f"{key}: may change: {', '.join(allowed)}"))
            continue
        taken: Any = Annotated[str, AfterValidator(seeds_of)]  # of a study's seeds
        if (field := fields.get(key)) is not None:
            taken = Annotated[field.annotation, field]
        try:
            TypeAdapter(taken).validate_python(value, strict=True)
        except ValidationError as error:
            wrong.append(Fault((key,), f"{key}: {plain_words(error.errors()[0])}"))
    if wrong:
        raise faulty(wrong, "settings")
    return option_words(settings)
