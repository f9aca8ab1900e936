"""What alpha-beta and pattern agents share: depths or a limit, the exact search, and settings.

A search by the clock, or by a number of nodes, is as deep as the limit allows.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

from evolve.agents.agent import Limit, Setting, StoredAgent, check_play, moves_to_choose
from evolve.agents.chance import MISTAKES, MistakenAgent
from evolve.agents.memory import thread_context
from evolve.agents.timed_search import (
    SHORTEST,
    TABLE_BITS,
    CutSearch,
    TimedSearch,
    check_seconds,
    prepare_timed_search,
)
from evolve.engine.board.board import Board
from evolve.engine.search.context import MAX_DEPTH, Cells
from evolve.errors import AgentError
from evolve.parsing import are_boundaries
from evolve.standalone.render import Clock, play_in_words

NO_LIMIT: Final = Limit()
_FEWEST_NODES: Final = 100  # the smallest node limit: enough to search every move of any position


class SearchingAgent(StoredAgent):
    """An agent that searches to depths of its own, or as deep as a limit allows.

    A subclass has the fields `endgame` (exact search from that many empties) and `limit` (seconds
    or nodes for each move in place of the depths, to `limit.depth` plies at most; files do not hold
    it), and calls `check_search` when it is made.
    """

    settings: ClassVar[Mapping[str, Setting]] = {
        "depth": Setting("depth"),
        "endgame": Setting("endgame"),
        "time": Setting("limit", float),
        "nodes": Setting("limit"),
        MISTAKES: Setting("share", float),
    }

    if TYPE_CHECKING:

        @property
        def endgame(self) -> int:
            """The empties from which it searches exactly."""

        @property
        def depths(self) -> Sequence[int]:
            """Its depth in each phase of its search, without a limit."""

    def at(self, depth: int | None = None, endgame: int | None = None) -> Self:
        """The agent with `depth` plies in every phase, and exact search from `endgame` empties.

        None keeps the agent's own.
        """
        agent = self if depth is None else self._to_depth(depth)
        return agent if endgame is None else agent._changed(endgame=endgame)

    @abstractmethod
    def _to_depth(self, depth: int) -> Self:
        """The agent with `depth` plies in every phase."""

    @abstractmethod
    def _choose_to_depth(self, board: Board) -> tuple[int, int]:
        """A best square by its depths, and the nodes searched; the board has a choice of moves."""

    @abstractmethod
    def _search(self, board: Board) -> CutSearch:
        """The search from a position that a limit may stop."""

    def _exact(self, empties: int) -> Cells:
        """The memory of its exact search from so many empties."""
        return thread_context(self._rules, TABLE_BITS)

    @abstractmethod
    def values_by_depth(self, board: Board, deepest: int) -> list[int]:
        """The values of a position with moves, at 0, 1, … `deepest` plies, without cuts."""

    @abstractmethod
    def _rendered(self, numba: bool) -> str:
        """Its stand-alone Python file."""

    def check_search(self) -> None:
        """Raise AgentError where its rules, exact search or limit are invalid."""
        check_play(self.rules, self.endgame)
        seconds, nodes, depth = self.limit.seconds, self.limit.nodes, self.limit.depth
        if nodes is not None and nodes < _FEWEST_NODES:
            raise AgentError(f"nodes {nodes} must be {_FEWEST_NODES} or more")
        if depth is not None:
            check_depth(depth)
        if seconds is not None:
            check_seconds(seconds)
            self._prepare_for_clock()

    def _prepare_for_clock(self) -> None:
        """Load or compile the kernels, so that no move spends time on it."""
        prepare_timed_search()

    def choose(self, board: Board) -> int:
        """A best square for the side to move; raises IllegalMoveError when it has none."""
        return self.choose_counted(board)[0]

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the nodes searched for it: 0 for the only legal one."""
        begin = time.perf_counter()
        legal = moves_to_choose(board)
        if len(legal) == 1:
            return legal[0], 0
        if not self._is_limited:
            return self._choose_to_depth(board)
        search, exact = self._search(board), self._exact(board.empties)
        return TimedSearch(board, self.limit, begin, search, exact, self.endgame).choose_counted()

    @property
    def _is_limited(self) -> bool:
        return self.limit.seconds is not None or self.limit.nodes is not None

    @property
    def _limits(self) -> list[str]:
        """The limits that it plays by in place of its depths, in words; empty without."""
        if not self._is_limited:
            return []
        texts = "{:g} s a move", "{} nodes a move", "depth {} at most"
        limits = zip(texts, (self.limit.seconds, self.limit.nodes, self.limit.depth), strict=True)
        return [text.format(value) for text, value in limits if value is not None]

    @property
    def repeats(self) -> bool:
        return self.limit.seconds is None

    def paced(self, pace: float) -> Self:
        if self.limit.seconds is None:
            return self
        seconds = max(SHORTEST, pace * self.limit.seconds)
        return self._changed(limit=replace(self.limit, seconds=seconds))

    def limited(self, limit: Limit) -> Self:
        """The agent, also within the seconds and nodes of `limit`.

        `limit.depth` replaces its depth in every phase, even where it is greater; for an agent with
        a time or node limit it is the maximum.
        """
        depth = self.limit.depth if limit.depth is None else limit.depth
        kept = replace(self.limit & limit, depth=depth, simulations=None)
        limited = self._changed(limit=kept)
        return limited if limit.depth is None or limited._is_limited else self.at(limit.depth)

    def with_settings(self, values: Mapping[str, Any], name: str) -> Any:
        """The agent with these settings, and a new name; with mistakes, a `MistakenAgent`."""
        plain = {key: values[key] for key in ("endgame", "probcut") if key in values}
        limit = Limit(values.get("time"), values.get("nodes"), values.get("depth"))
        limited = self._changed(**plain, name=name).limited(limit)
        return MistakenAgent(limited, values[MISTAKES], name) if MISTAKES in values else limited

    def stored(self) -> Self:
        """The agent itself; AgentError where it plays by a limit, which files cannot hold."""
        if self._is_limited:
            raise AgentError(f"{self.name}: files hold no limit of time or nodes; leave it out")
        return self

    def python_source(self, numba: bool = False) -> str:
        """Its stand-alone Python file; with a time limit, a file that plays by the clock.

        AgentError for a limit of nodes.
        """
        if self.limit.nodes is not None:
            raise AgentError(f"{self.name}: a Python file counts no nodes; give it a time")
        return self._rendered(numba)

    @property
    def play(self) -> str:
        return play_in_words(self.depths, self.endgame, self._clock)

    @property
    def _clock(self) -> Clock | None:
        """The clock of its Python file, in place of the depths; None where it plays by depth."""
        seconds = self.limit.seconds
        return None if seconds is None else Clock(seconds, self.limit.depth)


def check_boundaries(boundaries: Sequence[int], phases: int) -> None:
    """Raise AgentError unless these disc counts can divide a game into so many phases."""
    if len(boundaries) != phases - 1:
        raise AgentError(f"{phases} phases need {phases - 1} boundaries, not {list(boundaries)}")
    if not are_boundaries(boundaries):
        raise AgentError(f"boundaries {list(boundaries)} must ascend from 5 to 64")


def check_depth(depth: int) -> None:
    """Raise AgentError unless a search can have this depth."""
    if not 1 <= depth <= MAX_DEPTH:
        raise AgentError(f"depth {depth} must be 1 to {MAX_DEPTH}")
