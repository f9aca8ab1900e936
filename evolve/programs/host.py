"""Runs a Python file that plays, in a separate process: `host.py FILE CLASS MEGABYTES`.

This script imports nothing of evolve: it also runs where evolve is not installed, from Python 3.7
on. It reads questions as lines of JSON from its original standard input, and writes answers to its
original standard output. The file itself gets an empty input, and its output goes to standard
error.

    {"do": "begin", "seconds": 5.0}                     → {"ok": "AI"}
    {"do": "choose", "new": true, "cells": "---X…", "side": "black", "moves": ["d3"] or null}
                                                        → {"ok": "c3"}

    {"do": "sit", …}, as choose, for a class with `go`: prepare for its moves   → {"ok": null}
    {"do": "examine", …}, as choose, for a class with `go`                      → {"ok": [[2, 3]]}

Any answer may be {"error": "ZeroDivisionError: division by zero (friend.py, line 7)"}. This script
measures nothing: evolve measures time and memory from outside.
"""

from __future__ import annotations

import contextlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import sys
import traceback
from typing import Any

if sys.platform != "win32":
    import resource

_METHODS = ("choose", "genmove", "go")
_SIDES = {"black": -1, "white": 1}  # colours as the CS303 class receives them


class _NotAnAgentError(Exception):
    """The file holds nothing that plays."""


def main(path: str, name: str, megabytes: str) -> None:
    """Answer until the input ends."""
    questions = os.fdopen(os.dup(0), encoding="utf-8")
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)  # a file that reads input would take our questions
    os.close(nothing)
    os.dup2(2, 1)
    sys.path[0] = os.path.dirname(os.path.abspath(path))  # as if Python ran the file itself
    sys.argv = [path]
    player: Any = None
    for line in questions:
        question = json.loads(line)
        try:
            if question["do"] == "begin":
                _limit(int(megabytes))
                player = _Player(_load(path, name), question["seconds"])
                answer = {"ok": player.kind}
            else:
                answer = {"ok": getattr(player, question["do"])(question)}
        except _NotAnAgentError as error:
            answer = {"error": str(error)}
        except BaseException as error:
            answer = {"error": _describe(error, path)}
        sys.stdout.flush()
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _limit(megabytes: int) -> None:
    """Limit its own memory to so many megabytes, where the system can: macOS and Windows cannot."""
    if sys.platform != "win32":
        size = megabytes << 20
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_DATA, (size, size))


def _load(path: str, name: str) -> Any:
    """The class that plays; _NotAnAgentError where there is none, or more than one.

    It is the named one, else the file's `AI`, else its only one, else a class that it imports as
    `AI`.
    """
    # Whatever its name ends in: .PY is no ending of Python's.
    loader = importlib.machinery.SourceFileLoader("agent_under_test", path)
    spec = importlib.util.spec_from_file_location(loader.name, path, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    loader.exec_module(module)
    if name:
        chosen = getattr(module, name, None)
        if chosen is None:
            raise _NotAnAgentError(f"has no {name!r}")
        return chosen
    classes = dict.fromkeys(filter(_plays, vars(module).values()))  # a class may have several names
    own = [player for player in classes if player.__module__ == spec.name]
    default = getattr(module, "AI", None)
    if _plays(default) and (default in own or not own):
        return default
    if not own:
        raise _NotAnAgentError(f"has no class with {' or '.join(_METHODS)}")
    if len(own) > 1:
        names = ", ".join(player.__name__ for player in own)
        raise _NotAnAgentError(f"has several classes that play: name one of {names} after a colon")
    return own[0]


def _plays(value: Any) -> bool:
    """Whether it is a class that plays and that can be instantiated."""
    if not isinstance(value, type) or getattr(value, "_is_protocol", False):
        return False
    return not inspect.isabstract(value) and any(hasattr(value, method) for method in _METHODS)


class _Player:
    """A class that plays, one object for each side; its methods answer questions of their names."""

    def __init__(self, chosen: Any, seconds: float) -> None:
        self._chosen = chosen
        self._seconds = seconds
        self._objects: dict[str, Any] = {}
        self.method = next((method for method in _METHODS if hasattr(chosen, method)), None)
        if self.method is None:
            name = getattr(chosen, "__name__", repr(chosen))
            raise _NotAnAgentError(f"{name} has none of {', '.join(_METHODS)}")
        self.kind = getattr(chosen, "__name__", type(chosen).__name__)

    def choose(self, question: dict[str, Any]) -> str:
        """The square it plays, such as d3."""
        player = self._object(question)
        if self.method == "genmove":
            return _text(player.genmove(question["side"], question["moves"]))
        if self.method == "choose":
            return _text(player.choose(_board(question)))
        pairs = _go(player, question["cells"])
        if not pairs:
            raise _NotAnAgentError("left its candidate_list empty")
        row, column = pairs[-1]
        return _text(row * 8 + column)

    def sit(self, question: dict[str, Any]) -> None:
        """Prepare a class with `go` for its first move."""
        if self.method != "go":
            raise _NotAnAgentError("has no class with go")
        _cells(question["cells"])  # loads numpy here, so that no move's time is spent on it
        self._object(question)

    def examine(self, question: dict[str, Any]) -> list[tuple[int, int]]:
        """All places that a class with `go` puts into its list."""
        return _go(self._object(question), question["cells"])

    def _object(self, question: dict[str, Any]) -> Any:
        """The object for a side; a new one in each game."""
        side = question["side"]
        if question["new"]:
            self._objects = {}
        if side not in self._objects:
            arguments = (8, _SIDES[side], self._seconds) if self.method == "go" else ()
            chosen = self._chosen
            self._objects[side] = chosen(*arguments) if isinstance(chosen, type) else chosen
        return self._objects[side]


def _go(player: Any, cells: str) -> list[tuple[int, int]]:
    """The places that a CS303 class puts into its list."""
    player.candidate_list = []
    player.go(_cells(cells))
    return [(int(row), int(column)) for row, column in player.candidate_list]


def _cells(cells: str) -> Any:
    """The 8×8 array of -1, 1 and 0 that a CS303 class takes."""
    import numpy as np

    values = {"X": -1, "O": 1, "-": 0}
    return np.array([values[cell] for cell in cells]).reshape(8, 8)


def _board(question: dict[str, Any]) -> Any:
    """The position as an evolve.Board, which agents written for evolve take."""
    from evolve.engine.board.board import Board

    return Board.parse(question["cells"], question["side"])


def _text(move: Any) -> str:
    if isinstance(move, str):
        return move
    number = int(move)
    return "abcdefgh"[number % 8] + str(number // 8 + 1) if 0 <= number < 64 else str(move)


def _describe(error: BaseException, path: str) -> str:
    """An error as one line of text, with the last line of the file in its traceback."""
    kind = type(error).__name__
    text = f"{kind}: {error}" if str(error) else kind
    if isinstance(error, SyntaxError) and error.lineno is not None:
        file = os.path.basename(error.filename or "")
        return f"SyntaxError: {error.msg} ({file}, line {error.lineno})"
    folder = os.path.dirname(os.path.abspath(path))
    lines = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if os.path.dirname(os.path.abspath(frame.filename)) == folder and frame.filename != __file__
    ]
    if lines:
        text += f" ({os.path.basename(lines[-1].filename)}, line {lines[-1].lineno})"
    return " ".join(text.split())


if __name__ == "__main__":
    main(*sys.argv[1:4])
