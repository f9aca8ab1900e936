"""Agents by id, the only way in which clients name them. An id is never a path or a command.

    swh-mobility                a reference agent
    run:reversed-001            the champion of a run
    run:reversed-001:12-40      an individual of an evolution
    upload:3f2a…                an uploaded file
    program:1                   a program that was given to `evolve serve`

Settings may follow a question mark, within limits. The games of people against agents are here as
well, each in a small file, so that a restart loses none.
"""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any, Final

from evolve.agents.agent_file import AgentHeader, read_header
from evolve.agents.calibration.ratings import ratings_of
from evolve.agents.registry import REFERENCES, AgentName, parse_name
from evolve.arena.person import Result, keep_game
from evolve.config.base import Face, Named
from evolve.engine.board.rules import RULE_SETS
from evolve.engine.board.squares import square_name
from evolve.errors import AgentError, EvolveError, LinkError, RecordError
from evolve.evolution.tables import births_of
from evolve.files.atomic import write_bytes, write_text
from evolve.files.changes import remove
from evolve.parsing import finite_number, parse_json, read_document
from evolve.records.moves import read_move
from evolve.runs.run import Run
from evolve.runs.run_types import CHAMPIONS, champion_of
from evolve.runs.summary import check_config
from evolve.service.folders import IN_STUDY, UPLOADS, Folders
from evolve.service.models.agents import AgentInfo, NewPlay, Play, PlayMove
from evolve.service.models.meta import AGENT_ID
from evolve.service.processes import Search
from evolve.service.responses import ProblemError, log_errors, not_found
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
        return name.startswith("program:") and self._exists(name)

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
            if run.kind.table("individuals") is None or births_of(run)(individual) is None:
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

    def keep_upload(self, content: bytes, suffix: str) -> str:
        """Save the content of a file that was checked to be an agent's; returns its id."""
        name = hashlib.sha256(content).hexdigest()[:16]
        write_bytes(self._folders.uploads / f"{name}{suffix}", content)
        return f"upload:{name}"

    def remove_upload(self, name: str) -> None:
        """Remove an uploaded file; ProblemError where there is none."""
        origin, _, rest = name.partition(":")
        file = self._folders.upload(rest) if origin == "upload" else None
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


def _move_of(text: str) -> str:
    """The name of the square that a text names, or `undo` or `resign`; ProblemError otherwise."""
    if (word := text.strip().lower()) in ("undo", "resign"):
        return word
    try:
        return square_name(read_move(text))
    except RecordError as error:
        detail = f"move: {error}; or undo, or resign"
        raise ProblemError(422, detail, [("/move", str(error))]) from error


def _draw(game: str) -> int:
    """The seed of a game, for an agent that plays at random: no two games have the same."""
    return int(game, 16) >> 2


class HumanGames:
    """All games of people against agents."""

    def __init__(self, folders: Folders, agents: Agents, search: Search) -> None:
        self._folders, self._agents, self._search = folders, agents, search

    async def begin(self, request: NewPlay, source: str, places: Mapping[str, str]) -> Play:
        """Begin a game; the agent moves if it is its turn. places: see `Search.ask`."""
        game = request.model_dump(include={"moves", "rules", "side", "board"})
        name = secrets.token_hex(8)
        answer = await self._search.ask(
            "play", places, source=source, move=None, draw=_draw(name), **game
        )
        whole = request.board is None and len(request.moves.strip()) <= 2
        rated = whole and "?" not in request.agent
        own = Play(id=name, agent=request.agent, side=request.side, rated=rated, **answer)
        return self._keep(own)

    def get(self, name: str) -> Play:
        """The game of that id; ProblemError where there is none."""
        path = self._folders.plays / f"{name}.json"
        if not path.is_file():
            raise not_found(f"game {name[:40]}")
        try:
            return Play.model_validate(parse_json(read_document(path)))
        except (OSError, ValueError) as error:
            raise ProblemError(422, f"game {name} is damaged: it cannot be read") from error

    async def move(self, name: str, request: PlayMove, source: str) -> Play:
        """Make a person's move and the agent's, take the last one back, or give the game up.

        What is taken back of a game that was given up is that.
        """
        play = self.get(name)
        if request.ply is not None and request.ply != len(play.moves):
            raise ProblemError(409, f"{len(play.moves)} moves are made, not {request.ply}")
        move: str | None = _move_of(request.move)
        if move == "resign" and play.result is None:
            over = {"result": "lost", "to_move": None, "legal": list[str](), "resigned": True}
            return self._keep(play.model_copy(update=over))
        if move not in ("undo", *play.legal):
            legal = f"legal are {', '.join(play.legal)}" if play.legal else "the game is over"
            detail = f"{move} is not a legal move; {legal}"
            raise ProblemError(409, detail, [("/move", detail)])
        if move == "undo":
            self._count(play, None)
            play = play.model_copy(update={"rated": False})
        move = None if play.resigned else move
        answer = await self._search.ask(
            "play", source=source, move=move, side=play.side, draw=_draw(name), **_position(play)
        )
        return self._keep(play.model_copy(update={"resigned": False, **answer}))

    async def record(self, name: str) -> str:
        """The game as GGF."""
        play = self.get(name)
        names: dict[str, Any] = {"black": play.name, "white": play.name, play.side: "person"}
        resigned = play.side if play.resigned else None
        text = await self._search.ask("ggf", resigned=resigned, **names, **_position(play))
        return str(text)

    def _keep(self, play: Play) -> Play:
        write_text(self._folders.plays / f"{play.id}.json", json.dumps(play.model_dump()) + "\n")
        kept = sorted(self._folders.plays.glob("*.json"), key=lambda path: path.stat().st_mtime)
        for old in kept[:-500]:  # as many games are kept
            remove(old, missing_ok=True)
        self._count(play, play.result)
        return play

    def _count(self, play: Play, result: Result | None) -> None:
        """Let a game that is over count for the person's rating, or no longer: None."""
        known = self._agents.info(play.agent).ratings if play.rated else ()
        elos = [one["elo"] for one in known if one["rules"] == play.rules]
        if elos and play.result is not None:
            with log_errors("a person's result"):
                keep_game(play.id, play.agent, elos[0], play.rules, result)


def _position(play: Play) -> dict[str, Any]:
    return {"moves": " ".join(play.moves), "rules": play.rules, "board": play.start}
