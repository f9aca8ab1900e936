"""Agents by id, the only way in which clients name them. An id is never a path or a command.

    swh-mobility                a reference agent
    run:reversed-001            the champion of a run
    run:reversed-001:12-40      an individual of an evolution
    upload:3f2a…                an uploaded file
    program:1                   a program that was given to `evolve serve`

Settings may follow a question mark, within limits.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, Final, Literal

from pydantic import BaseModel, Field

from evolve.agents.agent_file import AgentHeader, read_header
from evolve.agents.calibration.ratings import ratings_of
from evolve.agents.registry import REFERENCES, AgentName, parse_name
from evolve.config.base import Face, Named
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.errors import AgentError, EvolveError, LinkError
from evolve.evolution.tables import births_of
from evolve.parsing import finite_number, json_value, with_texts
from evolve.runs.run import Run
from evolve.runs.run_types import CHAMPIONS, champion_of
from evolve.runs.summary import check_config
from evolve.service.folders import IN_STUDY, UPLOADS, Folders
from evolve.service.responses import AGENT_ID, ProblemError, not_found
from evolve.tables.paths import CONFIG_FILE

LIMITS: Final[Mapping[str, float | None]] = {
    "depth": 20,
    "endgame": 24,
    "simulations": 20_000,
    "time": 10.0,
    "nodes": 20_000_000,
    **dict.fromkeys(("c", "c_puct", "lookahead", "mistakes", "probcut", "reuse", "seed")),
}
"""The settings that clients may give, with the most of those that cost time.

The others say how a program is started, which its owner decides.
"""


class AgentInfo(BaseModel):
    """An agent in lists."""

    id: str
    name: str
    kind: str | None = None
    rules: Rules | None = None
    origin: Literal["reference", "run", "upload", "program"]
    about: str
    ratings: list[dict[str, Any]] = Field(
        default=[],
        description="of a reference agent under `rules`: `elo` on the ladder, `error`, half of its "
        "95 % interval, `seconds` of a move on one core, `about`, `plays`",
    )
    settings: list[str] = Field(
        default=[], description="what may follow the question mark; empty in lists"
    )


class Agents:
    """All agents of a service."""

    def __init__(self, folders: Folders, programs: Sequence[str]) -> None:
        self._folders = folders
        self._programs = {f"program:{number}": text for number, text in enumerate(programs, 1)}

    @property
    def programs(self) -> list[str]:
        return [*self._programs]

    @property
    def tunable(self) -> list[str]:
        """Ids of the programs with parameters, such as {corner:1:50}, which a sweep can tune."""
        hole = re.compile(r"\{[A-Za-z_][^{}]*:[^{}]*\}")
        return [name for name, text in self._programs.items() if hole.search(text)]

    def allows(self, source: str) -> bool:
        """Whether a program is one of the owner's, with or without settings of a client."""
        name = self.id_of(source)
        try:
            return name.startswith("program:") and bool(self.source(name))
        except ProblemError:
            return False

    def source(self, name: str) -> str:
        """The name of an agent for other processes and the command line.

        Raises ProblemError where there is no such agent, or a setting is wrong.
        """
        if not re.fullmatch(AGENT_ID, name):
            raise ProblemError(422, f"{name[:80]!r} is not the id of an agent")
        base, mark, query = name.partition("?")
        try:
            settings = AgentName(base, query if mark else None).settings
        except AgentError as error:
            raise ProblemError(422, str(error)) from error
        for key, value in settings.items():
            if key not in LIMITS:
                raise ProblemError(422, f"no service takes {key}; it takes {', '.join(LIMITS)}")
            if (most := LIMITS[key]) is not None and value > most:
                raise ProblemError(422, f"{key} may be {most:g} at most here")
        if base in self._programs:
            program = self._programs[base]
            owned = parse_name(program)
            for key in settings.keys() & owned.settings.keys():
                raise ProblemError(422, f"the owner of the service gave {key} for this program")
            return f"{program}{'?' if owned.query is None else '&'}{query}" if query else program
        return f"{self._place(base)}{mark}{query}"

    def _place(self, base: str) -> str:
        """The file, folder, run or name that an id without settings is of, if it is no program."""
        origin, _, rest = base.partition(":")
        if base in REFERENCES:
            return base
        if origin == "upload" and (file := self._folders.upload(rest)) is not None:
            return str(file)
        if origin != "run":
            raise not_found(f"agent {base}")
        name, _, individual = rest.partition(":")
        folder = self._folders.run(name)
        if not (folder / CONFIG_FILE).is_file():
            raise not_found(f"run {name[:80]}")
        if individual:
            run = Run(folder)
            check_config(run)
            known = re.fullmatch(r"[0-9]{1,9}-[0-9]{1,9}", individual) is not None
            known = known and run.kind.table("individuals") is not None
            if not known or births_of(run)(individual) is None:
                raise not_found(f"individual {individual[:40]!r} in {name}")
            return f"run:{folder}:{individual}"
        if champion_of(folder) is None:
            raise not_found(f"champion of {name} yet")
        return str(folder)

    def face(self, ids: dict[str, str]) -> Face:
        """What takes the names in a client's settings: agents and sweeps by ids, and no places.

        ids: gets the id of each agent, by its name for the command line.
        """

        def named(what: Named, text: str) -> str:
            if what.what == "place":
                words = " or ".join(what.words)
                raise ValueError(f"it must be {words}" if words else "no service takes it")
            try:
                source = self._sweep(text) if what.what == "sweep" else self.source(text)
            except (ProblemError, EvolveError) as error:
                raise ValueError(self._folders.error_text(error)) from error
            ids[source] = text
            return source

        return named

    def _sweep(self, name: str) -> str:
        """The folder of a sweep with trials, by its id, such as run:sweep-dqn-001."""
        run = Run(self._folders.run(name.removeprefix("run:")))
        if "trials" not in run.tables:
            raise ProblemError(404, f"there are no trials of {name}")
        return str(run.path)

    def id_of(self, source: str) -> str:
        """The id of an agent by its name elsewhere; that name itself where it has no id.

        A run's settings name runs and uploads by paths, which begin with the folder of runs, or
        with its name where people typed them.
        """
        longest_first = sorted(self._programs.items(), key=lambda item: -len(item[1]))
        for name, program in longest_first:
            mark = "?" if parse_name(program).query is None else "&"
            if source == program or source.startswith(program + mark):
                settings = source.removeprefix(program)[1:]
                return f"{name}?{settings}" if settings else name
        parsed, runs = parse_name(source), self._folders.runs
        settings = "" if parsed.query is None else f"?{parsed.query}"
        path = PurePath(parsed.base.removeprefix("run:"))
        root = next((root for root in (runs, PurePath(runs.name)) if root in path.parents), None)
        if root is None:
            return source
        *folders, last = path.relative_to(root).parts
        if (*folders,) == UPLOADS:
            return f"upload:{PurePath(last).stem}{settings}"
        names = folders if last in CHAMPIONS else [*folders, last]
        if len(names) == 1 or (len(names) == 2 and self._folders.has_study(names[0])):
            return f"run:{IN_STUDY.join(names)}{settings}"
        return f"{PurePath(runs.name, *folders, last)}{settings}"

    def shown(self, config: Mapping[str, Any]) -> dict[str, Any]:
        """Settings of a run as JSON, with the ids of agents."""
        return dict(with_texts(json_value(dict(config)), self.id_of))

    def ids(self, runs: Sequence[str]) -> list[str]:
        """The ids of references, champions of these runs, uploads and programs, in this order."""
        crowned = []
        for run in runs:
            with suppress(LinkError):
                crowned += [run] if champion_of(self._folders.run(run)) else []
        uploads = sorted(path.stem for path in self._folders.uploads.iterdir())
        return [
            *REFERENCES,
            *(f"run:{run}" for run in crowned),
            *(f"upload:{name}" for name in uploads),
            *self._programs,
        ]

    def info(self, name: str) -> AgentInfo:
        """An agent as lists show it; where its file cannot be read, `about` says so."""
        origin, _, rest = name.partition(":")
        run, _, individual = rest.partition(":")
        facts: dict[str, Any] = {"origin": origin, "name": individual or rest, "about": "is gone"}
        if name in REFERENCES:
            rules = next((rules for rules in RULE_SETS if name.endswith(f"-{rules}")), None)
            ratings = [{"rules": key, **vars(rating)} for key, rating in ratings_of(name).items()]
            about = ratings[0]["about"] if ratings else ""
            more = {"rules": rules, "ratings": ratings, "about": about}
            facts = {"origin": "reference", "name": name, **more}
        elif origin == "program":
            text = self._programs[name]
            facts |= {"name": text, "about": f"speaks {text.partition(':')[0].upper()}"}
        elif individual:
            facts["about"] = f"individual {individual} of {run}"
        else:
            try:
                folders = self._folders
                path = champion_of(folders.run(run)) if origin == "run" else folders.upload(run)
                if path is not None:
                    header = read_header(path)
                    facts |= {"name": header.name, "kind": header.kind, "rules": header.rules}
                    facts["about"] = f"{header.kind}, {header.rules or 'any rules'}"
                    if origin == "run":  # an upload may say anything
                        facts["ratings"] = _ratings_of(header)
            except (EvolveError, OSError) as error:
                facts["about"] = str(error)
        return AgentInfo(id=name, **facts)


def _ratings_of(header: AgentHeader) -> list[dict[str, Any]]:
    found = [finite_number(header.provenance.get(key)) for key in ("elo", "elo_low", "elo_high")]
    elo, low, high = found
    if elo is None:
        return []
    error = 0 if low is None or high is None else round((high - low) / 2)
    return [{"rules": header.rules, "elo": round(elo), "error": error}]
