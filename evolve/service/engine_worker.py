"""What engine processes do, since the server does not load the engine: agents, values, games."""

from __future__ import annotations

import ctypes
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

from evolve.agents.calibration.discs import in_discs
from evolve.agents.reference import read_agent
from evolve.agents.registry import parse_name
from evolve.config.sweep import SweepSettings
from evolve.engine.board.board import Board, Side
from evolve.engine.board.rules import PASS, check_rules
from evolve.engine.board.squares import square_name
from evolve.engine.games.first_use import MOVES, compile_first
from evolve.errors import OptionsError, PositionError, RecordError
from evolve.extras import imported
from evolve.parsing import json_value
from evolve.protocols.session import Session
from evolve.records.ggf import format_ggf
from evolve.records.moves import read_move, read_moves
from evolve.records.positions import read_position, start_text
from evolve.records.record import GameRecord, Request, positions_of, with_passes
from evolve.records.texts import scan_text
from evolve.runs.loading import agree_on, existing_champion, load_agent
from evolve.runs.run import load_run
from evolve.runs.run_types import kind_of
from evolve.runs.study_spec import short_names, words_of
from evolve.tables.parquet import csv_text
from evolve.tables.paths import CONFIG_FILE

if sys.platform != "win32":
    import resource

_MEMORY: Final = 6 << 30
"""Bytes of address space.
LLVM and the tables of searches need room; an agent's file must not take more."""
_MOST_READ: Final = 20  # most games of a pasted text that are sent back


def answer(do: str, question: Mapping[str, Any]) -> Any:
    """What a function answers as JSON: `ok`, or `error`, a text, and `kind`, its class.

    do: its name here, or `module:name`.
    """
    _prepare()
    try:
        found = {"ok": imported(do if ":" in do else f"{__name__}:{do}")(**question)}
    except (MemoryError, Exception) as error:
        found = {"error": str(error) or type(error).__name__, "kind": type(error).__name__}
    return json_value(found)


@cache
def _prepare() -> None:
    """Limit this process where the system can: it ends with the server, which Ctrl-C goes to."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":  # elsewhere it ends after its question
        pr_set_pdeathsig = 1
        ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)
    if sys.platform != "win32":
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


@lru_cache(16)
def _agent(source: str, stamp: int) -> Any:
    return load_agent(source)


def _loaded(source: str) -> Any:
    """The agent, loaded again only where its file has changed."""
    parsed = parse_name(source)
    path = parsed.path
    if parsed.individual is not None:
        path /= CONFIG_FILE
    elif path.is_dir():
        path = existing_champion(path)  # not a sweep's program: nobody but the owner starts it
    return _agent(source, path.stat().st_mtime_ns if path.exists() else 0)


def ready() -> None:
    """Compile what the cache lacks: the time limit of a question does not allow for that."""
    compile_first(lambda done, total: None, MOVES)
    for name in ("swh?depth=3", "patterns-standard?depth=3"):  # kinds that most questions are about
        load_agent(name).analyse(Board.start())


def describe(source: str) -> dict[str, Any]:
    """An agent's description for people, with the settings that may follow the question mark."""
    agent = _loaded(source)
    return {
        "name": agent.name,
        "rules": agent.rules,
        "kind": getattr(agent, "kind", None),
        "settings": list(agent.settings),
        **vars(agent.describe()),
        "provenance": getattr(agent, "provenance", {}),
    }


def evaluate(
    source: str, moves: str, rules: str, board: str | None = None, first: int | None = None
) -> list[dict[str, Any]]:
    """The value of each legal move of a game's positions from move `first` on; None: the last one.

    The game is `moves` from a board, or from the start position.
    """
    start, played = _game(moves, board)
    agent = _loaded(source).with_rules(rules)
    boards = islice(positions_of(start, played), len(played) if first is None else first, None)
    return [_evaluation(agent, board) for board in boards]


def _evaluation(agent: Any, position: Any) -> dict[str, Any]:
    begin = time.perf_counter()
    empty: dict[str, Any] = {"unit": None, "depth": None, "discs_error": None, "line": []}
    found = {"side": position.side, **empty, "moves": []}
    analysis = agent.analyse(position) if position.legal_moves() else None
    if analysis is not None:
        fitted, values = in_discs(agent, position, analysis), analysis.values
        found |= {
            "unit": analysis.unit,
            "depth": analysis.depth,
            "discs_error": None if fitted is None else fitted.error,
            "line": [square_name(square) for square in analysis.line],
            "moves": [
                {
                    "move": square_name(square),
                    "value": float(values[square]),
                    "text": f"{fitted.values[square]:+.1f}"
                    if fitted and fitted.error
                    else analysis.text(square),
                    "discs": fitted.values[square] if fitted else analysis.discs(square),
                }
                for square in sorted(values, key=lambda square: -values[square])
            ],
        }
    return {**found, "seconds": round(time.perf_counter() - begin, 4)}


def play(
    source: str,
    moves: str,
    rules: str | None,
    side: Side,
    move: str | None,
    board: str | None = None,
    draw: int = 0,
) -> dict[str, Any]:
    """Continue a game against a person: their move, the passes, and the agent's reply.

    move: a square, `undo`, or None where the person does not move yet. draw: the game's seed, for
    an agent that plays at random.
    """
    agent = _loaded(source)
    agreed = agree_on([agent], rules).rules
    game = Session(agent.with_rules(agreed), *_game(moves, board), draw)
    problem = None
    if move == "undo":
        game.take_back(side)
    elif move is not None:
        game.play(read_move(move))
    while not (now := game.board).is_over():
        if now.side == side and now.legal_moves():
            break
        try:
            square = game.choose()
        except Exception as error:
            problem = str(error)
            break
        game.play(square)
    over, discs = now.is_over(), {side: now.discs(side) for side in ("black", "white")}
    score = now.score_of(side, agreed) if over else 0
    return {
        "name": agent.name,
        "rules": agreed,
        "moves": [square_name(square) for square in game.moves],
        "start": start_text(game.boards[0]),
        "board": "".join(now.cells()),
        "to_move": None if over else now.side,
        "legal": [] if over else [square_name(square) for square in now.legal_moves()],
        "discs_black": discs["black"],
        "discs_white": discs["white"],
        "result": None if not over else "won" if score > 0 else "lost" if score < 0 else "draw",
        "problem": problem,
    }


def ggf(
    moves: str,
    black: str,
    white: str,
    rules: str,
    board: str | None = None,
    resigned: Side | None = None,
) -> str:
    """A game as a GGF record; resigned: the side that gave it up."""
    start, played = _game(moves, board)
    about: dict[str, Any] = {}
    if resigned is not None:
        about = {"stopped": "resigned", "result": -64 if resigned == "black" else 64}
    return format_ggf(GameRecord(played, black, white, check_rules(rules), start, **about)) + "\n"


def read(text: str, rules: str) -> dict[str, Any]:
    """The games or positions of a text that somebody pasted, the first few of them."""
    reading = scan_text(text, Request(default=check_rules(rules), side="black"))
    if not reading.records:
        raise RecordError(reading.left_out[0].reason)
    return {
        "games": [
            {
                "start": start_text(record.start),
                "moves": [square_name(square) for square in record.moves],
                "rules": record.rules,
                "black": record.black,
                "white": record.white,
            }
            for record in reading.records[:_MOST_READ]
        ],
        "total": len(reading.records),
        "left_out": [str(reason) for reason in reading.left_out[:_MOST_READ]],
    }


def check_file(path: str) -> dict[str, Any]:
    """The name, kind and rules of the agent in a file; raises an error where it cannot play."""
    agent = read_agent(Path(path))
    agent.choose(Board.start())
    return {"name": agent.name, "kind": agent.kind, "rules": agent.rules}


def load(source: str) -> None:
    """Load an agent, and do nothing more: a program is not started."""
    _loaded(source)


def check_settings(command: str, settings: dict[str, Any]) -> None:
    """Raise SettingsError for settings with which a command cannot run."""
    variant = kind_of(command, Path()).commands[command]
    imported(str(variant.check))(variant.model().model_validate(settings))


def space(kind: str) -> list[dict[str, Any]]:
    """The parameters that a sweep of a kind searches."""
    from evolve.sweeps.plan import plan_of

    return plan_of(SweepSettings.model_validate({"kind": kind})).described


def over_seeds(folders: Sequence[str]) -> dict[str, Any]:
    """Runs compared over their seeds, in words, as rows and as files; see `OverSeeds`."""
    from evolve.studies import comparison, document, verdict

    found = comparison.over_seeds([load_run(Path(folder)) for folder in folders])
    if isinstance(found, str) or not found.has_seeds:
        words = [found] if isinstance(found, str) else found.words
        return {"words": words, "items": [], "latex": "", "csv": ""}
    frame = found.frame
    items: list[dict[str, Any]] = frame.to_dict("records")  # type: ignore[assignment]
    surest = verdict.surest_in(frame)
    for index, row in enumerate(items):
        row["verdict"] = index in surest
        row["values"] = None if isinstance(row["against"], str) else found.values[row["setting"]]
        row["winner"] = verdict.winner_in(row)
        row["more_seeds"] = verdict.more_seeds(row)
        for key, label in (("setting", "label"), ("against", "against_label")):
            row[label] = words_of(row[key]) if isinstance(row[key], str) else None
    latex = document.document_of(document.sections_of(frame), ".tex")
    return {"words": found.words, "items": items, "latex": latex, "csv": csv_text(frame)}


def courses(folder: str, metric: str | None, over: str | None) -> list[dict[str, Any]]:
    """The mean course of each setting of a study: of its runs that are done, before that of all.

    metric, over: as `course_of` has them; a kind that does not count these is over what is usual.
    """
    from evolve.studies import comparison, course

    def mean_of(group: comparison.Group) -> course.Course | None:
        try:
            return course.course_of_group(group, metric, over)
        except OptionsError:
            return course.course_of_group(group, metric)

    found, groups = [], comparison.groups_of([load_run(Path(folder))])
    _, short = short_names([group.name for group in groups])
    for group, name in zip(groups, short, strict=True):
        runs = group.runs.items()
        done = {seed: run for seed, run in runs if run.kind.reading.progress(run).complete}
        mean = mean_of(replace(group, runs=done or group.runs))
        if mean is None:
            continue
        shown = np.unique(np.linspace(0, len(mean.x) - 1, 200).round().astype(int))
        names = {"setting": mean.name, "label": words_of(mean.name), "short": name}
        about = {**names, "seeds": mean.seeds}
        numbers = ((name, getattr(mean, name)) for name in ("x", "y", "low", "high"))
        points = {name: [] if ys is None else ys[shown] for name, ys in numbers}
        found.append({**about, "metric": mean.metric, "over": mean.steps, **points})
    return found


def _game(moves: str, start: str | None = None) -> tuple[Board, tuple[int, ...]]:
    """A board, the start position where none is given, and moves from it with their passes.

    Raises PositionError for an invalid board; RecordError names the first illegal move.
    """
    try:
        begin = Board.start() if start is None else read_position(start)
    except RecordError as error:
        raise PositionError(str(error)) from error
    written = read_moves(moves).squares
    played, _ = with_passes(begin, written)
    if played[-1:] == (PASS,) and written[-1:] != (PASS,):
        played = played[:-1]  # the side that must pass stays to move
    return begin, played
