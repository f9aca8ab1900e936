"""Agents by id, the only way in which clients name them. An id is never a path or a command.

    swh-mobility                a reference agent
    run:reversed-001            the champion of a run
    run:reversed-001:12-40      an individual of an evolution
    upload:3f2a…                an uploaded file
    program:1                   a program that was given to `evolve serve`

Settings may follow a question mark, within limits.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import Final, Literal

from evolve.agents.agent_file import read_header
from evolve.agents.names import parse_name
from evolve.agents.registry import REFERENCES
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.errors import EvolveError, LinkError
from evolve.files.atomic import write_bytes
from evolve.files.changes import remove
from evolve.files.folder import FolderPath
from evolve.runs.run import Run
from evolve.runs.run_types import champion_of
from evolve.runs.summary import check_config
from evolve.service.folders import Place
from evolve.service.models.agents import AgentInfo
from evolve.service.models.common import AGENT_ID, RUN_ID
from evolve.service.problems import ProblemError, not_found
from evolve.service.tables import check_individual
from evolve.tables.paths import CONFIG_FILE

LARGEST_UPLOAD: Final = 32 << 20
"""Most bytes of an uploaded agent file."""
MOST: Final = {
    "depth": 20,
    "endgame": 24,
    "simulations": 20_000,
    "time": 10.0,
    "nodes": 20_000_000,
}
"""Upper limits of the settings that cost time."""
_INDIVIDUAL: Final = re.compile(r"[0-9]{1,9}-[0-9]{1,9}")
_SETTING: Final = re.compile(r"([a-z_]+)=([0-9.]{1,20})")
_KINDS: Final = {"json": ".json", "npz": ".npz"}


class Agents:
    """All agents of a service."""

    def __init__(self, place: Place, programs: Sequence[str]) -> None:
        self._place = place
        self._programs = {f"program:{number}": text for number, text in enumerate(programs, 1)}

    @property
    def programs(self) -> list[str]:
        """Ids of the programs."""
        return [*self._programs]

    @property
    def allowed(self) -> frozenset[str]:
        """The programs themselves, as they were given to `evolve serve`."""
        return frozenset(self._programs.values())

    def source(self, name: str) -> str:
        """The name of an agent for other processes and the command line.

        Raises ProblemError where there is no such agent, or a setting is wrong. Whether a run has
        an individual, only `checked_source` checks.
        """
        if not re.fullmatch(AGENT_ID, name):
            raise ProblemError(422, f"{name[:80]!r} is not the id of an agent")
        place, mark, settings = name.partition("?")
        for setting in settings.split("&") if mark else ():
            _check_setting(setting)
        return self._source(place) + mark + settings

    def checked_source(self, name: str, at: str | None = None) -> str:
        """The same; ProblemError also where the run has no such individual.

        at: a pointer to where the client named the agent, for the error.
        """
        try:
            source = self.source(name)
            named = parse_name(source)
            if named.individual is not None:
                run = Run(named.path)
                check_config(run)
                check_individual(run, named.individual)
            return source
        except ProblemError as error:
            if at is None or error.errors:
                raise
            wrong = [(at, error.detail)]
            raise ProblemError(error.status, error.detail, wrong, retry=error.retry) from error

    def _source(self, place: str) -> str:
        origin, colon, rest = place.partition(":")
        if not colon and place in REFERENCES:
            return place
        if origin == "program" and place in self._programs:
            return self._programs[place]
        if origin == "run":
            run, _, individual = rest.partition(":")
            folder = self._run(run)
            if individual:
                if not _INDIVIDUAL.fullmatch(individual):
                    raise not_found(f"individual {individual[:40]!r}")
                return f"run:{folder}:{individual}"
            if champion_of(folder) is None:
                raise not_found(f"champion of {run} yet")
            return str(folder)
        if origin == "upload" and (file := self._upload(rest)) is not None:
            return str(file)
        raise not_found(f"agent {place}")

    def _run(self, name: str) -> FolderPath:
        folder = self._place.run(name)
        if not re.fullmatch(RUN_ID, name) or not (folder / CONFIG_FILE).is_file():
            raise not_found(f"run {name[:80]}")
        return folder

    def _upload(self, name: str) -> FolderPath | None:
        if not re.fullmatch(r"[0-9a-f]{16}", name):
            return None
        found = (self._place.uploads / f"{name}{suffix}" for suffix in _KINDS.values())
        return next((path for path in found if path.is_file()), None)

    def keep_upload(self, content: bytes, suffix: str) -> str:
        """Save the content of a file that was checked to be an agent's; returns its id."""
        name = hashlib.sha256(content).hexdigest()[:16]
        write_bytes(self._place.uploads / f"{name}{suffix}", content)
        return f"upload:{name}"

    def remove_upload(self, name: str) -> None:
        """Remove an uploaded file; ProblemError where there is none."""
        file = self._upload(name.removeprefix("upload:")) if name.startswith("upload:") else None
        if file is None:
            raise ProblemError(409 if self._exists(name) else 404, f"{name} was not uploaded")
        remove(file)

    def _exists(self, name: str) -> bool:
        try:
            self.source(name)
        except ProblemError:
            return False
        return True

    def ids(self, runs: Sequence[str]) -> list[str]:
        """The ids of references, champions of these runs, uploads and programs, in this order."""
        crowned = (run for run in runs if self._has_champion(run))
        uploads = sorted(path.stem for path in self._place.uploads.iterdir())
        return [
            *REFERENCES,
            *(f"run:{run}" for run in crowned),
            *(f"upload:{name}" for name in uploads),
            *self._programs,
        ]

    def _has_champion(self, run: str) -> bool:
        try:
            return champion_of(self._place.run(run)) is not None
        except LinkError:
            return False

    def info(self, name: str) -> AgentInfo:
        """An agent as lists show it; where its file cannot be read, `about` says so."""
        origin, _, rest = name.partition(":")
        if name in REFERENCES:
            rules = next((one for one in RULE_SETS if name.endswith(f"-{one}")), None)
            return _info(name, name, "reference", _about(name), rules=rules)
        if origin == "program":
            text = self._programs[name]
            return _info(name, text, "program", f"speaks {text.partition(':')[0].upper()}")
        kind: Literal["run", "upload"] = "run" if origin == "run" else "upload"
        run, _, individual = rest.partition(":")
        if individual:
            return _info(name, individual, kind, f"individual {individual} of {run}")
        try:
            path = champion_of(self._place.run(rest)) if kind == "run" else self._upload(rest)
            header = None if path is None else read_header(path)
        except (EvolveError, OSError) as error:
            return _info(name, rest, kind, str(error))
        if header is None:
            return _info(name, rest, kind, "is gone")
        about = f"{header.kind}, {header.rules or 'any rules'}"
        return _info(name, header.name, kind, about, header.kind, header.rules)


def _check_setting(text: str) -> None:
    found = _SETTING.fullmatch(text)
    try:
        value = float(found[2]) if found else None
    except ValueError:
        value = None
    if found is None or value is None:
        raise ProblemError(422, f"{text!r} is not a setting: write depth=3")
    most = MOST.get(found[1])
    if most is not None and value > most:
        raise ProblemError(422, f"{found[1]} may be {most:g} at most here")


def _about(name: str) -> str:
    """A short description of a reference agent."""
    for start, text in (
        ("champion-", "evolved by evolve run"),
        ("published-", "evolved with the published settings"),
        ("patterns-", "patterns, taught by evolve train patterns"),
        ("random", "random moves"),
        ("uct", "tree search by random games"),
    ):
        if name.startswith(start):
            return text
    return "a table of weights, one ply ahead unless told"


def _info(
    name: str,
    shown: str,
    origin: Literal["reference", "run", "upload", "program"],
    about: str,
    kind: str | None = None,
    rules: Rules | None = None,
) -> AgentInfo:
    return AgentInfo(id=name, name=shown, kind=kind, rules=rules, origin=origin, about=about)
