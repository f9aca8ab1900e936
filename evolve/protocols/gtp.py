"""An engine that speaks GTP, the Go Text Protocol as Reversi programs use it.

Source: the draft of GTP version 2 by G. Farnebäck, with set_game and list_games as in GRhino and
Quarry. Squares are a1 to h8, a1 at the top left.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable
from typing import Final

from evolve import __version__
from evolve.agents.agent import Agent, Limit
from evolve.engine.board.board import Side
from evolve.engine.board.rules import PASS, Rules
from evolve.engine.board.squares import square_name
from evolve.errors import EvolveError, IllegalMoveError, RecordError, ResignedError
from evolve.programs.sessions import RULES_COMMAND
from evolve.protocols.session import Clock, Session
from evolve.records.moves import read_move
from evolve.terminal_text import plain, printable

_SIDES: Final[dict[str, Side]] = {"b": "black", "black": "black", "w": "white", "white": "white"}
_LARGEST: Final = 1e9
_ID: Final = re.compile(r"(\d{1,18})(?:\s+|$)(.*)", re.ASCII)


class _RefusedError(EvolveError):
    """A refused command; the answer begins with `?`."""


class GtpEngine:
    """One session.

    With a clock the agent searches as deep as its time allows, otherwise to its own depths.
    `answer` takes a line and returns the text to send, None for a line without a command.
    """

    def __init__(self, agent: Agent, rules: Rules, assumed: bool = False) -> None:
        self.agent = agent.with_rules(rules)
        self.rules: Rules = rules
        self._assumed = assumed
        self.finished = False
        self._session = Session(self.agent)
        self._clock = Clock()
        self._commands: dict[str, Callable[[list[str]], str | None]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: f"evolve {' '.join(self.agent.name.split())}",
            "version": lambda _: __version__,
            "known_command": lambda words: (
                "true" if words and words[0].lower() in self._commands else "false"
            ),
            "list_commands": lambda _: "\n".join(self._commands),
            "quit": self._quit,
            "boardsize": self._boardsize,
            "clear_board": self._clear_board,
            "komi": self._komi,
            "play": self._play,
            "genmove": self._genmove,
            "reg_genmove": lambda words: _vertex(self._chosen(self._side(words))),
            "undo": lambda _: self._session.undo(),
            "time_settings": self._time_settings,
            "time_left": self._time_left,
            "final_score": self._final_score,
            "showboard": lambda _: f"\n{self._session.board}",
            "set_game": self._set_game,
            "list_games": lambda _: "Othello",
            "evolve-analyze": self._analyze,
            RULES_COMMAND: lambda _: self.rules + " assumed" * self._assumed,
        }

    def answer(self, line: str) -> str | None:
        """Return the answer to a line, without the empty line after it; bad lines never raise."""
        text = printable(line.partition("#")[0])
        if not text:
            return None
        match = _ID.fullmatch(text)
        number, rest = (match[1], match[2]) if match else ("", text)
        name, *words = rest.split() or [""]
        name = name.lower()
        try:
            if name not in self._commands:
                raise _RefusedError("unknown command")
            return plain(f"={number} {self._commands[name](words) or ''}".rstrip(" "), keep="\n")
        except IllegalMoveError:
            return f"?{number} {'cannot undo' if name == 'undo' else 'illegal move'}"
        except RecordError:
            return f"?{number} syntax error"
        except ResignedError:
            return f"={number} resign"
        except EvolveError as error:
            return plain(f"?{number} {str(error).splitlines()[0]}")

    def serve(self, lines: Iterable[str], say: Callable[[str], None]) -> None:
        """Answer lines until `quit` or their end."""
        for line in lines:
            if (answer := self.answer(line)) is not None:
                say(f"{answer}\n\n")
            if self.finished:
                return

    def _quit(self, words: list[str]) -> None:
        self.finished = True

    def _boardsize(self, words: list[str]) -> None:
        if self._numbers(words, 1) != [8]:
            raise _RefusedError("unacceptable size")

    def _komi(self, words: list[str]) -> None:
        """Accept komi without effect: Reversi has none."""
        self._numbers(words, 1, signed=True)

    def _clear_board(self, words: list[str]) -> None:
        self._session = Session(self.agent)
        self._clock.restart()

    def _play(self, words: list[str]) -> None:
        if len(words) != 2:
            raise _RefusedError("syntax error")
        self._session.play(read_move(words[1]), self._side(words))

    def _genmove(self, words: list[str]) -> str:
        side = self._side(words)
        square = self._chosen(side)
        self._session.play(square, side)
        return _vertex(square)

    def _analyze(self, words: list[str]) -> str:
        """Return the agent's value for each legal move, best move first, one line per move.

        A line has pairs of a name and a value, as in `lz-analyze` of Leela Zero. GTP requires the
        prefix for a program's own commands.
        """
        board = self._session.with_turn(self._side(words))
        analysis = self.agent.analyse(board) if board.legal_moves() else None
        if analysis is None:
            raise _RefusedError("nothing to analyze")
        depth = "" if analysis.depth is None else f" depth {analysis.depth}"
        lines = [
            f"info move {_vertex(square)} value {value:.6g} unit {analysis.unit}{depth}"
            for square, value in analysis.values.items()
        ]
        lines[0] += f" pv {' '.join(map(_vertex, analysis.line))}"
        return "\n".join(lines)

    def _time_settings(self, words: list[str]) -> None:
        main, byo, stones = self._numbers(words, 3)
        self._clock.set(main, byo, int(stones))

    def _time_left(self, words: list[str]) -> None:
        seconds, stones = self._numbers(words[1:], 2, signed=True)
        # Controllers that continue after the time is up send negative seconds.
        self._clock.tell(self._side(words), max(0.0, seconds), max(0, int(stones)))

    def _final_score(self, words: list[str]) -> str:
        board = self._session.board
        if not board.is_over():
            raise _RefusedError("cannot score")
        score = board.score_of("black", self.rules)
        return "0" if score == 0 else f"{'B' if score > 0 else 'W'}+{abs(score)}"

    def _set_game(self, words: list[str]) -> None:
        if len(words) != 1 or words[0].lower() not in ("othello", "reversi"):
            raise _RefusedError("unsupported game")

    def _side(self, words: list[str]) -> Side:
        side = _SIDES.get(words[0].lower()) if words else None
        if side is None:
            raise _RefusedError("syntax error")
        return side

    @staticmethod
    def _numbers(words: list[str], count: int, signed: bool = False) -> list[float]:
        """Parse `count` numbers, not negative unless `signed`."""
        with contextlib.suppress(ValueError):
            numbers = [float(word) for word in words]
            least = -_LARGEST if signed else 0.0
            if len(words) == count and all(least <= number < _LARGEST for number in numbers):
                return numbers
        raise _RefusedError("syntax error")

    def _chosen(self, side: Side) -> int:
        board = self._session.with_turn(side)
        if not board.legal_moves():
            return PASS
        seconds = self._clock.seconds_for(side, board)
        limit = None if seconds is None else Limit(seconds=seconds)
        with self._clock.thinking(side):
            return self._session.choose(limit, side)


def _vertex(square: int) -> str:
    return square_name(square).upper()
