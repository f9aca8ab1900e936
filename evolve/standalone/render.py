"""The stand-alone Python file of an agent, for contests that take one file.

Its code is `part_board.py`, `part_values.py` and `part_search.py`, then `part_network.py` or
`part_patterns.py`, and last `part_numba.py` if wanted. This module writes the header and the
parameters.
"""

from __future__ import annotations

import base64
import textwrap
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from evolve.engine.board.rules import rule_set
from evolve.engine.networks import architecture as layout
from evolve.engine.networks.network import Network
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.search.genes import DEFAULT_TERMS, SQUARE_CLASSES, TERM_NAMES
from evolve.errors import AgentError, OptionsError
from evolve.number_text import percent
from evolve.standalone.part_board import TIME_SHARE, bit_count, exact_from
from evolve.standalone.part_values import final_score

_WITH_NUMBA: Final = "# --- exported with numba from here on ---\n"
_START: Final = "# --- exported from here on ---\n"
_PARAMETERS: Final = "# --- parameters ---\n"
_PARAMETERS_END: Final = "# --- end of parameters ---\n"
_WIDTH: Final = 100

# The first two lines hold no text from outside: Python looks for the file's encoding there.
_TITLE: Final = """\
# A Reversi player in one file, written by `evolve export --to python`.
#
"""
_USAGE: Final = """\
#
# To use it, with Python 3.7 or later and numpy:
#
#     player = AI(8, color, time_out)  # color: -1 black, 1 white; time_out: seconds a move
#     player.go(chessboard)            # 8 x 8 integers: -1 black, 1 white, 0 none
#     player.candidate_list            # every legal move as (row, column), then the choice
#
# The list is empty if there is no legal move. The player searches deeper and deeper until it
# reaches its depth or the time is nearly over. With a depth and enough time, it plays the same
# moves as the agent in evolve.
"""

_DEEPEST: Final = 60
"""Most plies of a file's search by the clock."""
_MOST_SIMULATIONS: Final = 20_000
"""Of a file's tree search by the clock: more could take more memory than a contest allows."""


@dataclass(frozen=True)
class Clock:
    """Time for a move in place of a depth: seconds, and the most plies, None for no limit."""

    seconds: float
    deepest: int | None = None

    def __str__(self) -> str:
        return f"{self.seconds:g} s a move (or {percent(TIME_SHARE)} of the contest's, if less)"


def render(
    parameters: Mapping[str, Any],
    rules: str,
    name: str,
    provenance: Mapping[str, Any],
    numba: bool = False,
    clock: Clock | None = None,
) -> str:
    """The text of the stand-alone file: ASCII, for Python 3.7 or later with numpy.

    Args:
        parameters: of an alpha-beta agent, as in agent files: `weights` (P lists of 10 integers),
            `depths` and the terms of `search.genes` (P integers each, 0 for a missing term),
            `boundaries` (P − 1 ascending disc counts) and `endgame` (empties from which the search
            is exact).
        rules: a name in `board.rules.RULE_SETS`.
        name: of the agent, for the header.
        provenance: of the agent, for the header; any text is safe there.
        numba: whether the file compiles its search if numba is installed.
        clock: time in place of the depths.

    Raises PositionError for unknown rules, AgentError for those that the file could not score.
    """
    played = rule_set(rules)
    try:
        final_score(0, 0, played.code, bit_count)
    except ValueError:
        raise AgentError(
            f"no Python file can be written for {rules}: part_values.py lacks it"
        ) from None
    literals = f'RULES = "{rules}"\nRULE = {played.code}\nDISC_SIGN = {played.discs}\n'
    literals += f"CORNERS_LAST = {played.corners_last}\nWEIGHTS = [\n"
    literals += "".join(f"    {table},\n" for table in parameters["weights"]) + "]\nTERMS = {\n"
    for key in TERM_NAMES:
        if key in parameters:
            literals += _wrapped(f'    "{key}": {parameters[key]},', " " * 8)
    literals += "}\n" + _wrapped(f"DEPTHS = {parameters['depths']}")
    literals += _wrapped(f"BOUNDARIES = {parameters['boundaries']}")
    seconds, deepest = (clock.seconds, clock.deepest) if clock else (0.0, None)
    literals += f"ENDGAME = {parameters['endgame']}\nSECONDS = {seconds!r}\n"
    literals += f"DEEPEST = {deepest or _DEEPEST}\n"
    about = {"name": name, "rules": f"{rules}: {played.goal}", **provenance}
    text = _TITLE + "".join(map(_comment, about.items())) + _USAGE
    text += _fill("part_board.py", literals)
    text += "".join(f"\n\n{_source(part)}" for part in ("part_values.py", "part_search.py"))
    return text + _numba_part("part_values.py") if numba else text


def play_in_words(depths: Sequence[int], endgame: int, clock: Clock | None) -> str:
    """How a file of an alpha-beta agent or of patterns plays: depth or time, and the exact end."""
    if clock is None:
        far = f"depth {depths[0]}" if len(set(depths)) == 1 else f"depths {list(depths)} by phase"
        return f"to {far}; exact from {endgame} empties"
    plies = "" if clock.deepest is None else f", {clock.deepest} plies at most"
    return (
        f"as deep as {clock} allow{plies}; exact from {exact_from(endgame, clock.seconds)} empties"
    )


@dataclass(frozen=True)
class NetworkPlay:
    """How a file with a network plays.

    kind: `dqn` plays the move with the highest value, `mcts` searches a tree. endgame: empties from
    which the search is exact. rewards [REWARD_CELLS] (`networks.action_search`) and lookahead: of a
    DQN. simulations, c and order (`visits` or `value`): of a tree search; with a clock it runs as
    many simulations as the time allows.
    """

    kind: Literal["dqn", "mcts"]
    endgame: int
    rewards: npt.NDArray[np.float64]
    lookahead: int = 0
    simulations: int = 0
    c: float = 0.0
    order: str = "visits"
    clock: Clock | None = None

    def in_words(self) -> str:
        """How the file plays: its use of the network, and the exact end."""
        if self.kind == "dqn":
            how = f"the move that its network values most at depth {self.lookahead}"
        elif self.clock is not None:
            how = f"as many simulations as {self.clock} allow, {_MOST_SIMULATIONS} at most"
        else:
            how = f"{self.simulations} simulations a move"
        return f"{how}; exact from {self.endgame} empties"


def render_network(
    networks: Sequence[Network],
    play: NetworkPlay,
    rules: str,
    name: str,
    provenance: Mapping[str, Any],
    numba: bool = False,
) -> str:
    """The same for an agent with a network, or one for each colour, black's first.

    Raises OptionsError for `numba`, which can compile only alpha-beta with weights of squares or
    patterns.
    """
    if numba:
        raise OptionsError("--numba is for alpha-beta agents and patterns, not for networks")
    text = render(_neutral(play.endgame), rules, name, provenance, clock=play.clock)
    return f"{text}\n\n{_fill('part_network.py', _network_literals(networks, play))}"


def render_patterns(
    patterns: Patterns,
    depth: int,
    endgame: int,
    rules: str,
    name: str,
    provenance: Mapping[str, Any],
    numba: bool = False,
    clock: Clock | None = None,
) -> str:
    """The same for an agent with patterns, without forward cuts."""
    steps = np.diff(patterns.weights, axis=0, prepend=0).astype("<i2")
    packed = base64.b64encode(zlib.compress(steps.tobytes(), 9)).decode()
    shapes = "".join(f"    {squares},\n" for squares in patterns.shapes.shapes)
    literals = _wrapped(f"PHASE_STARTS = {list(patterns.boundaries)}")
    literals += _wrapped(f"TEMPO = {patterns.tempo.tolist()}")
    literals += f"SHAPES = [\n{shapes}]\n"
    literals += f"PACKED_WEIGHTS = {_quote(packed)}\n"
    text = render(_neutral(endgame, depth), rules, name, provenance, clock=clock)
    text += f"\n\n{_fill('part_patterns.py', literals)}"
    return text + _numba_part("part_patterns.py") if numba else text


def _fill(template: str, literals: str) -> str:
    """The exported part of a template, with these parameters in place of its own."""
    before, _, rest = _source(template).partition(_PARAMETERS)
    _, _, after = rest.partition(_PARAMETERS_END)
    return f"{before}{_PARAMETERS}{literals}{_PARAMETERS_END}{after}"


def _numba_part(template: str) -> str:
    """The end of a file with numba: the template's compiled evaluation, and the search."""
    evaluation = _whole(template).partition(_WITH_NUMBA)[2]
    return f"\n\n{evaluation}\n\n{_source('part_numba.py')}"


def _neutral(endgame: int, depth: int = 1) -> dict[str, Any]:
    """Parameters of a search in which only the exact end counts."""
    terms = {term: [0] for term in DEFAULT_TERMS}
    tables = {"weights": [[0] * SQUARE_CLASSES], **terms, "depths": [depth], "boundaries": []}
    return {**tables, "endgame": endgame}


def _network_literals(networks: Sequence[Network], play: NetworkPlay) -> str:
    """The parameters of `part_network.py` as Python source."""
    architecture = networks[0].architecture
    # Of each step: kind, numbers of inputs and outputs (of a convolution: of a square and its
    # neighbours, and of a square), activation.
    cells, layers, packed = architecture.program()[layout.HEAD_CELLS :], "", ""
    for step in range(0, len(cells), layout.STEP_CELLS):
        kind, inputs, outputs, activation = cells[step : step + 4]
        inputs *= 9 if kind == layout.CONVOLVE else 1
        layers += f"    {(_STEPS[kind], inputs, outputs, layout.ACTIVATIONS[activation])},\n"
    for network in networks:
        packed += "    [\n"
        for arrays in network.weights:
            weights = np.concatenate([array.ravel() for array in arrays]).astype("<f4").tobytes()
            packed += f"        {_quote(base64.b64encode(weights).decode())},\n"
        packed += "    ],\n"
    squares: list[float] = play.rewards[:64].tolist()
    discs, *discounts = play.rewards[64:].tolist()
    return (
        f'KIND = "{play.kind}"\n'
        f'INPUT = "{architecture.input}"\n'
        f"LAYERS = [\n{layers}]\nPACKED = [\n{packed}]\n"
        f"SIMULATIONS = {_MOST_SIMULATIONS if play.clock else play.simulations}\n"
        f"C_PUCT = {play.c!r}\nLOOKAHEAD = {play.lookahead}\n"
        + _wrapped(f"SQUARE_REWARDS = {squares}")
        + f"DISC_REWARD = {discs!r}\nDISCOUNTS = {tuple(discounts)!r}\n"
        + f'SOLVE_BY = "{play.order}"\n'
    )


_STEPS: Final = ("dense", "gate", "save", "add", "duel", "conv", "squash")
"""The words for kinds of steps, in the order of their numbers."""


def _quote(text: str) -> str:
    """A long text as one literal of short lines."""
    step = _WIDTH - 1
    lines = [text[start : start + step] for start in range(0, len(text), step)]
    return '"""\\\n' + "\\\n".join(lines) + '"""'


def _source(template: str) -> str:
    """The exported part of a template, without what is exported only with numba."""
    return _whole(template).partition(_START)[2].partition(_WITH_NUMBA)[0].rstrip() + "\n"


def _whole(template: str) -> str:
    return resources.files(__package__).joinpath(template).read_text(encoding="utf-8")


def _comment(entry: tuple[object, object]) -> str:
    """One header entry, as comment lines: no text from outside can end the comment."""
    text = f"{entry[0]}: {entry[1]}".encode("unicode_escape").decode("ascii")
    return textwrap.fill(text, _WIDTH, initial_indent="# ", subsequent_indent="#     ") + "\n"


def _wrapped(text: str, indent: str = "    ") -> str:
    """A line of source as lines that are not too long."""
    return textwrap.fill(text, _WIDTH, subsequent_indent=indent, break_on_hyphens=False) + "\n"
