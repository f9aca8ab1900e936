"""The base classes of all agents, and of agents that files can hold."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

import numpy as np
import numpy.typing as npt

from evolve.agents.agent_file import FORMAT, VERSION, Arrays, Fields, content_of
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, Rules, check_rules
from evolve.errors import AgentError, IllegalMoveError
from evolve.files.atomic import write_bytes

if TYPE_CHECKING:
    from evolve.agents.analysis import Analysis


@dataclass(frozen=True)
class Setting:
    """A setting that may follow the question mark in an agent's name: its field and type."""

    field: str
    type: type[int] | type[float] | type[bool] | type[str] = int


@dataclass(frozen=True)
class Description:
    """A description of an agent for people.

    facts: shown beside its name; lines: further remarks; columns and rows: a table, which may be
    empty; boards: titles, each with 64 numbers, a1 first.
    """

    facts: Sequence[str] = ()
    lines: Sequence[str] = ()
    columns: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    boards: Mapping[str, Sequence[int]] = field(default_factory=dict)


class Agent(ABC):
    """Anything that chooses a legal square.

    A kind of agent is a frozen dataclass with the fields `name` (its name in tables) and `rules`
    (the rules it plays by; None for any), which a class without fields has as well. Its methods and
    properties give callers all they need to know; only `choose` has no default. Agents are
    immutable; several threads may use one.

    kind: the name of its class in files; empty where no file can hold it. draws: whether it draws
    from the seed of `for_game`. is_program: whether it is an outside program (ExternalAgent).
    """

    kind: ClassVar[str] = ""
    draws: ClassVar[bool] = False
    is_program: ClassVar[bool] = False

    if TYPE_CHECKING:

        @property
        def name(self) -> str:
            """Its name in tables."""

        @property
        def rules(self) -> Rules | None:
            """The rules it plays by; None for any."""

    else:

        def __getattr__(self, key: str) -> str | None:
            if key in ("name", "rules"):
                return type(self).__name__ if key == "name" else None
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {key!r}")

    @abstractmethod
    def choose(self, board: Board) -> int:
        """A legal square of `board` (0..63); raises IllegalMoveError when there is none."""

    def choose_counted(self, board: Board) -> tuple[int, int]:
        """The same square, and the nodes searched for it.

        0 nodes where the agent does not search, or where a program does not report them.
        """
        return self.choose(board), 0

    @property
    def together(self) -> bool:
        """Whether it is faster on many boards at once."""
        return False

    def choose_all(self, boards: Sequence[Board]) -> list[tuple[int, int]]:
        """The result of `choose_counted` for each of the boards."""
        return [self.choose_counted(board) for board in boards]

    def analyse(self, board: Board) -> Analysis | None:
        """Its values of the legal moves; None where the agent has no values.

        There must be a legal move. Time limits do not apply here; limits of depth and simulations
        do.
        """
        return None

    def with_rules(self, rules: Rules) -> Self:
        """The agent, playing by `rules`."""
        return self._changed(rules=check_rules(rules))

    def own_rules(self) -> Rules | None:
        """The rules that it plays by on its own; None for any.

        A program starts, to answer this; EngineError where it cannot be used.
        """
        return self.rules

    def for_game(self, seed: int) -> Self:
        """The agent for one game of many; a random agent draws from `seed` there."""
        return self

    @property
    def repeats(self) -> bool:
        """Whether it always plays the same move in the same position."""
        return False

    @property
    def identity(self) -> Any:
        """All that determines how it plays, as JSON; by default its name.

        It is the key of stored games: two agents with the same identity play alike. The name
        includes the settings after the question mark, but no change made from Python.
        """
        return self.name

    @property
    def limit(self) -> Limit:
        """The most that its moves may cost."""
        return Limit()

    def limited(self, limit: Limit) -> Self:
        """The agent, within `limit` as far as its kind can; it never gets more time than before."""
        return self

    def paced(self, pace: float) -> Self:
        """The agent with `pace` times its time for a move or a game; itself where it has none."""
        return self

    @property
    def needs_moves(self) -> bool:
        """Whether it takes only games from the usual start position, move by move."""
        return False

    @property
    def settings(self) -> Mapping[str, Setting]:
        """The settings that may follow the question mark in the agent's name."""
        return {}

    def with_settings(self, values: Mapping[str, Any], name: str) -> Self:
        """The agent with these settings, and a new name. Raises AgentError."""
        changes = {self.settings[key].field: value for key, value in values.items()}
        return self._changed(**changes, name=name)

    @property
    def row(self) -> npt.NDArray[np.int64] | None:
        """Its parameters as the kernels of whole games read them (see `search.context`).

        None where the agent plays one move at a time, outside of these kernels.
        """
        return None

    @property
    def table_bits(self) -> int:
        """The table size (see `search.context`) that its searches need, if it has a row."""
        return 1

    def prepare(self) -> None:  # noqa: B027 - most have nothing to prepare
        """Load all that its first move needs; EngineError where a program cannot be used."""

    def interrupt(self) -> None:  # noqa: B027 - most run no program
        """Stop its programs' thinking: a caller that waits for a move gets an EngineError."""

    def describe(self) -> Description:
        """A description of the agent for people."""
        return Description()

    def stored(self) -> StoredAgent:
        """The agent, if files can hold it; else AgentError."""
        raise AgentError(f"{self.name} is not an agent that a file could hold")

    @property
    def _rules(self) -> Rules:
        return self.rules or DEFAULT_RULES

    def _changed(self, **changes: Any) -> Self:
        if is_dataclass(self):
            return cast("Self", replace(self, **changes))
        changed = copy(self)
        vars(changed).update(changes)
        return changed


def check_play(rules: Rules | None, endgame: int) -> None:
    """Raise an error for unknown rules, and for an exact search from impossibly many empties."""
    if rules is not None:
        check_rules(rules)
    if not 0 <= endgame <= 60:
        raise AgentError(f"endgame {endgame} must be 0 to 60 empties")


def moves_to_choose(board: Board) -> list[int]:
    """The legal moves; IllegalMoveError where there is none."""
    moves = board.legal_moves()
    if not moves:
        raise IllegalMoveError(f"there is no move to choose\n{board}")
    return moves


class StoredAgent(Agent):
    """An agent that files can hold: a JSON document, and arrays where it has a network.

    `kind` is its name in the registry, too; `required` and `optional`: the parameters that its
    document must and may have.
    """

    required: ClassVar[tuple[str, ...]] = ()
    optional: ClassVar[tuple[str, ...]] = ()

    if TYPE_CHECKING:

        @property
        def provenance(self) -> Mapping[str, Any]:
            """The origin of the agent."""

    @classmethod
    @abstractmethod
    def from_parts(cls, parameters: Fields, arrays: Arrays, common: Fields) -> Self:
        """The agent of a file's parameters and arrays; `common` are rules, name and provenance.

        Raises AgentError, ValueError or TypeError for invalid values.
        """

    @property
    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Its parameters in the document, as plain lists, texts and numbers."""

    @property
    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays in its file, beside the document."""
        return {}

    @property
    def identity(self) -> Any:
        """Its name, and all in its file that determines how it plays."""
        digests = {
            key: hashlib.sha256(np.ascontiguousarray(array).tobytes()).hexdigest()
            for key, array in self.arrays.items()
        }
        return [self.name, self.parameters, digests]

    @property
    def document(self) -> dict[str, Any]:
        """The whole JSON document of its file."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "rules": self.rules,
            "name": self.name,
            "parameters": self.parameters,
            "provenance": dict(self.provenance),
        }

    def save(self, path: str | Path) -> None:
        """Write an agent file in one step; the folder must exist, OSError otherwise.

        The name must end in .npz for agents with arrays, and must not for others. AgentError
        otherwise, and for an agent with a limit, which files cannot hold.
        """
        agent, path = self.stored(), Path(path)
        if bool(agent.arrays) != (path.suffix.lower() == ".npz"):
            raise AgentError(
                f"{path}: the file of an agent with a network must end in .npz"
                if agent.arrays
                else f"{path}: {agent.name} has no network to be kept in an .npz file; take .json"
            )
        write_bytes(path, content_of(agent.document, agent.arrays))

    def file(self) -> tuple[bytes, str]:
        """The content and the suffix of its file; errors as in `save`."""
        agent = self.stored()
        return content_of(agent.document, agent.arrays), ".npz" if agent.arrays else ".json"

    def with_provenance(self, **facts: Any) -> Self:
        """The agent with these facts added to its provenance."""
        return self._changed(provenance={**self.provenance, **facts})

    def python_source(self, numba: bool = False) -> str:
        """Its stand-alone Python file; AgentError where its kind has none.

        `numba`: whether the file compiles its search where numba is installed.
        """
        raise AgentError(f"agents of kind {self.kind} cannot be written as a Python file")

    @property
    def play(self) -> str:
        """How its stand-alone file plays, in words for people.

        Its depth, its simulations or its time for a move, and the empties of its exact search.
        """
        return ", ".join(self.describe().facts)

    @property
    def _about(self) -> tuple[Rules, str, Mapping[str, Any]]:
        """What its Python file says of it: its rules, its name, how it plays and its origin."""
        return self._rules, self.name, {"plays": self.play, **self.provenance}

    def stored(self) -> StoredAgent:
        return self


@dataclass(frozen=True)
class Limit:
    """The most that a move may cost; None for no limit.

    seconds: of clock time. nodes: positions that a search enters. depth: plies that it looks ahead.
    simulations: of a tree search. An agent keeps to the limits of its kind and ignores the others:
    a network that plays without a search ignores the depth.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    simulations: int | None = None

    def __and__(self, other: Limit) -> Limit:
        """Both limits at once: the smaller of each value."""
        pairs = [(getattr(self, f.name), getattr(other, f.name)) for f in fields(self)]
        known = [[value for value in pair if value is not None] for pair in pairs]
        return Limit(*(min(values, default=None) for values in known))
