"""An engine that speaks the NBoard protocol, version 2.

Source: the protocol's description in NBoard and NTest by C. Welty.
"""

from __future__ import annotations

import contextlib
import queue
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from evolve.agents.agent import Agent, Limit
from evolve.agents.analysis import Analysis
from evolve.agents.calibration.discs import in_discs
from evolve.agents.memory import stopper
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, PASS, Rules
from evolve.engine.board.squares import square_name
from evolve.engine.search.genes import MAX_DEPTH
from evolve.errors import EvolveError, RecordError, ResignedError
from evolve.programs.sessions import RULES_STATUS
from evolve.protocols.session import Session
from evolve.records.ggf import parse_move, scan_trees
from evolve.terminal_text import plain, printable

_MOVE: Final = re.compile(r"(pa|pass|[a-h][1-8])(/.*)?", re.IGNORECASE)
_GRACE: Final = 1.0
"""Seconds that a search may continue after the next line arrives: scripts sent all at once get
their answers, and a user who moved on does not wait."""
_STOP_SECONDS: Final = 0.5


class NBoardEngine:
    """One session: keeps the game, searches in a separate thread, and reads input meanwhile.

    `go` answers without playing the move. `ping` and any other command during a search stop it,
    because the answer is no longer needed. Unknown lines are ignored. After a refused game or move
    the engine has no game, and says so to commands that need one, until it gets another: an answer
    about the old position would be taken for one about the new.

    assumed: whether the rules were not specified; then it plays by the rules of each game.
    """

    def __init__(
        self, agent: Agent, rules: Rules, say: Callable[[str], None], assumed: bool = False
    ) -> None:
        self.agent = agent.with_rules(rules)
        self._name = " ".join(self.agent.name.split())
        self._depth: int | None = None
        self._rules: Rules = rules
        self._assumed = assumed
        self._session: Session | None = Session(self.agent)
        """The game; None where it was lost, and `_lost` says why."""
        self._lost = ""
        self._thinking: threading.Thread | None = None
        self._stop_asked = threading.Event()
        self._stoppers: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._write = say
        self._commands: dict[str, Callable[[str], None]] = {
            "nboard": lambda _: self.say(
                f"set myname {self._name}",
                f"{RULES_STATUS} {self._rules}{' assumed' * self._assumed}",
            ),
            "set": self._set,
            "move": self._move,
            "go": lambda _: self._think(self._go),
            "hint": self._hint,
            "analyze": lambda _: self._think(self._analyze),
            "ping": lambda rest: self.say(f"pong {rest}".rstrip()),
            "learn": lambda _: self.say("learned"),
        }

    def say(self, *lines: str) -> None:
        """Send lines; thread-safe."""
        with self._lock:
            for line in lines:
                self._write(f"{plain(line)}\n")

    def serve(self, lines: Iterable[str]) -> None:
        """Run the commands in lines until `quit` or their end."""
        for line in lines:
            word, _, rest = printable(line).partition(" ")
            word = word.lower()
            if word == "quit":
                self._finish(_GRACE)
                return
            if word in self._commands or _MOVE.fullmatch(word):
                self._finish(_GRACE)
                if word not in self._commands:  # version 1 sent moves without a command word
                    word, rest = "move", f"{word} {rest}"
                try:
                    needs_game = word in ("move", "go", "hint", "analyze")
                    if needs_game and self._session is None:
                        raise RecordError(
                            f"{word}: there is no game, for {self._lost}; send another with "
                            "set game"
                        )
                    self._commands[word](rest.strip())
                except EvolveError as error:
                    self.say(f"status {str(error).splitlines()[0]}")
        self._finish(60.0)

    @property
    def _game(self) -> Session:
        assert self._session is not None  # `serve` has checked it
        return self._session

    def _set(self, rest: str) -> None:
        what, _, value = rest.partition(" ")
        what = what.lower()
        if what == "depth":
            if re.fullmatch(r"\d{1,6}", value.strip(), re.ASCII):
                self._depth = min(max(int(value), 1), MAX_DEPTH)
                self.say(f"set myname {self._name}")
        elif what == "game":
            self._session, self._lost = None, "the last one could not be read"
            self._session = self._read(value)

    def _read(self, text: str) -> Session:
        """Return the game of a text; RecordError if it is unreadable or has other rules."""
        records = scan_trees(text).whole()
        if len(records) > 1:
            raise RecordError(f"set game: {len(records)} games came, and one can be played")
        # Front ends without other rules call all games standard.
        rules = records[0].rules
        if self._assumed and rules != self._rules:
            self._rules, self.agent = rules, self.agent.with_rules(rules)
        if rules not in (DEFAULT_RULES, self._rules):
            raise RecordError(
                f"set game: it is a game of {rules} rules, and {self._name} plays "
                f"{self._rules}; start it with --rules {rules}"
            )
        return Session(self.agent, records[0].start, records[0].moves)

    def _move(self, rest: str) -> None:
        game = self._game
        self._session, self._lost = None, "its last move was refused"
        game.play(parse_move(rest))
        self._session = game

    def _hint(self, rest: str) -> None:
        count = int(rest) if re.fullmatch(r"\d{1,3}", rest, re.ASCII) else 1
        self._think(lambda stopped: self._give_hints(max(1, count), stopped))

    def _think(self, work: Callable[[Callable[[], bool]], None]) -> None:
        """Work in a separate thread, which `_finish` can stop."""
        stopped = self._stop_asked = threading.Event()
        stoppers = self._stoppers = queue.SimpleQueue()

        def run() -> None:
            stoppers.put(stopper())
            with contextlib.suppress(BrokenPipeError):  # the other program is gone
                self.say(f"status {self._name} is thinking")
                last = "status"
                try:
                    work(stopped.is_set)
                except EvolveError as error:
                    last = f"status {str(error).splitlines()[0]}"
                if not stopped.is_set():
                    self.say(last)

        self._thinking = threading.Thread(target=run, daemon=True)
        self._thinking.start()

    def _finish(self, grace: float) -> None:
        """Wait up to `grace` seconds for the end of the work, then stop it.

        Work that cannot be stopped (a program, a tree search) continues, and its result is ignored.
        """
        thread, self._thinking = self._thinking, None
        if thread is None:
            return
        thread.join(grace)
        if thread.is_alive():
            self._stop_asked.set()
            stop = self._stoppers.get()
            end = time.monotonic() + _STOP_SECONDS
            while thread.is_alive() and time.monotonic() < end:
                stop()
                thread.join(0.01)
        self.agent.interrupt()

    def _go(self, stopped: Callable[[], bool]) -> None:
        try:
            limit = None if self._depth is None else Limit(depth=self._depth)
            name = _name_of(self._game.choose(limit))
        except ResignedError:
            name = "resign"
        if not stopped():
            self.say(f"=== {name}")

    def _give_hints(self, count: int, stopped: Callable[[], bool]) -> None:
        board = self._game.board
        if not board.legal_moves():
            self.say("search PA 0.00 0 0")
            return
        for depth in range(1, (self._depth or 6) + 1):
            analysis = self.agent.limited(Limit(depth=depth)).analyse(board)
            if stopped():
                return
            if analysis is None:
                square = self.agent.choose(board)
                if not stopped():
                    self.say(f"search {_name_of(square)} 0.00 0 0 {self._name}, no evaluation")
                return
            values = _in_discs(self.agent, board, analysis)
            for square in list(analysis.values)[:count]:
                if stopped():  # a fit takes up to a second, and ends by itself
                    return
                discs = values.get(square)
                text = f"{analysis.values[square]:.2f} 0 0 {self._name}, no discs"
                if discs is not None:
                    text = f"{discs:.2f} 0 {analysis.depth}"
                self.say(f"search {_name_of(square)} {text}")
            if analysis.depth is None or analysis.exact:
                return

    def _analyze(self, stopped: Callable[[], bool]) -> None:
        player = self.agent
        if self._depth is not None:
            player = player.limited(Limit(depth=self._depth))
        for played, board in reversed(list(enumerate(self._game.boards))):
            value = _value(player, board)
            if value is None or stopped():
                return
            self.say(f"analysis {played} {value:.2f}")


def _value(agent: Agent, board: Board) -> float | None:
    """Return a position's value for the side to move, in discs; None if the agent has none."""
    if board.is_over():
        return float(board.score(agent.rules or DEFAULT_RULES))
    if not board.legal_moves():
        value = _value(agent, board.pass_move())
        return None if value is None else -value
    analysis = agent.analyse(board)
    if analysis is None:
        return None
    best = max(analysis.values, key=lambda square: analysis.values[square])
    return _in_discs(agent, board, analysis).get(best)


def _in_discs(agent: Agent, board: Board, analysis: Analysis) -> Mapping[int, float | None]:
    """The values of moves in discs, of weights by their fit; none where they have none."""
    if analysis.unit != "evaluation":
        return {square: analysis.discs(square) for square in analysis.values}
    with ThreadPoolExecutor(1) as apart:  # a stop of this thread's searches would spoil the fit
        found = apart.submit(in_discs, agent, board, analysis).result()
    return {} if found is None else found.values


def _name_of(square: int) -> str:
    return "PA" if square == PASS else square_name(square).upper()
