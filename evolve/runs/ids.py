"""Names of runs and agents in a folder of runs: texts from clients of a service, never paths."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from evolve.agents.registry import REFERENCES
from evolve.errors import AgentError, RunError
from evolve.files.changes import refuse_link
from evolve.runs.run_types import champion_of
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE

NEW_ID: Final = r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$"
"""Names for new runs that clients may give."""
RUN_ID: Final = r"^[^\x00-\x1f\x7f/\\:?.][^\x00-\x1f\x7f/\\:?]{0,509}$"
"""Names of runs in a folder of runs: what has a sign of these stays out of the service."""
IN_STUDY: Final = "+"
"""Separates the name of a study from the name of a run in it."""
SERVICE: Final = ".service"
"""The service's own folder in a folder of runs."""
UPLOADS: Final = (SERVICE, "agents", "uploads")
AGENT_SUFFIXES: Final = (".json", ".npz")
_NEW: Final = re.compile(NEW_ID)
_RUN: Final = re.compile(RUN_ID)
_INDIVIDUAL: Final = re.compile(r"[0-9]{1,9}-[0-9]{1,9}")
_UPLOAD: Final = re.compile(r"[0-9a-f]{16}")


def new_run_in(root: Path, name: str) -> Path:
    """The folder for a new run of that name; RunError where it is not a valid name."""
    if not _NEW.fullmatch(name):
        raise RunError(f"{name[:80]!r} is not the name of a run")
    return root / name


def is_id(name: str) -> bool:
    """Whether the name of a folder can name its run to clients, in addresses and on screens."""
    return bool(_RUN.fullmatch(name)) and name.isprintable()


def run_in(root: Path, name: str) -> Path:
    """The folder of a run or study, see `find_run`; LinkError where it is a link."""
    folder = find_run(root, name)
    refuse_link(folder)
    return folder


def find_run(root: Path, name: str) -> Path:
    """The folder of a run or study by its name in a folder of runs, or of a run as STUDY+RUN.

    Raises RunError where it is not a valid name; whether there is such a run is not checked.
    """
    if not is_id(name):
        raise RunError(f"{name[:80]!r} is not the name of a run")
    folder = root / name
    study, plus, run = name.partition(IN_STUDY)
    in_study = plus and is_id(run) and is_study_in(root, study)
    if in_study and not os.path.lexists(folder):
        return root / study / run
    return folder


def is_study_in(root: Path, name: str) -> bool:
    """Whether a folder of runs has a study of that name; False for a link."""
    folder = root / name
    return is_id(name) and not folder.is_symlink() and (folder / STUDY_FILE).is_file()


def upload_in(root: Path, name: str) -> Path | None:
    """The agent file that a service of a folder of runs keeps under an id; None without one."""
    if not _UPLOAD.fullmatch(name):
        return None
    folder, names = root.joinpath(*UPLOADS), [f"{name}{suffix}" for suffix in AGENT_SUFFIXES]
    return next((folder / name for name in names if (folder / name).is_file()), None)


def agent_in(root: Path, name: str) -> str:
    """What names an agent everywhere, from its name within a folder of runs.

    Such a name is a reference agent, `run:NAME`, `run:NAME:INDIVIDUAL` or `upload:ID`, with or
    without settings: never a path or a command. Raises AgentError where there is no such agent,
    RunError where a run's name is not valid. Whether the run has that individual is not checked.
    """
    agent, mark, settings = name.partition("?")
    return _agent_in(root, agent) + mark + settings


def _agent_in(root: Path, agent: str) -> str:
    origin, _, rest = agent.partition(":")
    if agent in REFERENCES:
        return agent
    if origin == "run":
        run, _, individual = rest.partition(":")
        folder = run_in(root, run)
        if not (folder / CONFIG_FILE).is_file():
            raise AgentError(f"there is no run {run[:80]}")
        if individual:
            if not _INDIVIDUAL.fullmatch(individual):
                raise AgentError(f"there is no individual {individual[:40]!r}")
            return f"run:{folder}:{individual}"
        if champion_of(folder) is None:
            raise AgentError(f"there is no champion of {run} yet")
        return str(folder)
    if origin == "upload" and (file := upload_in(root, rest)) is not None:
        return str(file)
    raise AgentError(f"there is no agent {agent}")
