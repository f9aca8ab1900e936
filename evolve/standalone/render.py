"""The stand-alone Python file of an agent, for contests that take one file.

Its code is `part_board.py` and the parts of `_REST`, then `part_network.py` or `part_patterns.py`,
and last `part_numba.py` if wanted. This module writes the header and the parameters.
"""

from __future__ import annotations

import base64
import textwrap
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

from evolve.engine.board.rules import rule_set
from evolve.engine.networks import architecture as layout
from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.engine.patterns.patterns import Patterns
from evolve.engine.search.genes import DEFAULT_TERMS, TERM_NAMES
from evolve.errors import AgentError, OptionsError
from evolve.standalone.part_board import TIME_SHARE, bit_count, exact_from
from evolve.standalone.part_solver import final_score

_BOARD: Final = "part_board.py"
_EVALUATION: Final = "part_evaluation.py"
_SOLVER: Final = "part_solver.py"
_REST: Final = (_SOLVER, _EVALUATION, "part_search.py")
_NUMBA_TEMPLATE: Final = "part_numba.py"
_NETWORK_TEMPLATE: Final = "part_network.py"
_PATTERN_TEMPLATE: Final = "part_patterns.py"
_WITH_NUMBA: Final = "# --- exported with numba from here on ---\n"
_START: Final = "# --- exported from here on ---\n"
_PARAMETERS: Final = "# --- parameters ---\n"
_PARAMETERS_END: Final = "# --- end of parameters ---\n"

_CLASSES: Final = 10
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

DEEPEST: Final = 60
"""Most plies of a file's search by the clock."""
MOST_SIMULATIONS: Final = 20_000
"""Of a file's tree search by the clock: more could take more memory than a contest allows."""


@dataclass(frozen=True)
class Clock:
    """Time for a move in place of a depth: seconds, and the most plies, None for no limit."""

    seconds: float
    deepest: int | None = None

    def __str__(self) -> str:
        return f"{self.seconds:g} s a move (or {TIME_SHARE:.0%} of the contest's, if less)"


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
    _check_score(rules)
    seconds, deepest = (clock.seconds, clock.deepest) if clock else (0.0, None)
    literals = _literals(parameters, rules)
    literals += f"SECONDS = {seconds!r}\nDEEPEST = {deepest or DEEPEST}\n"
    text = _header(rules, name, provenance) + _filled(_BOARD, literals)
    text += "".join(f"\n\n{_source(part)}" for part in _REST)
    return text + _compiled(_EVALUATION) if numba else text


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
            how = f"as many simulations as {self.clock} allow, {MOST_SIMULATIONS} at most"
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
    return f"{text}\n\n{_filled(_NETWORK_TEMPLATE, _network_literals(networks, play))}"


def render_patterns(
    patterns: Patterns,
    schedule: tuple[Sequence[int], Sequence[int]],
    endgame: int,
    rules: str,
    name: str,
    provenance: Mapping[str, Any],
    numba: bool = False,
    clock: Clock | None = None,
) -> str:
    """The same for an agent with patterns, without forward cuts.

    schedule: depths, and the disc counts from which the next one holds.
    """
    packed = zlib.compress(patterns.weights.astype("<i2").tobytes(), 9)
    shapes = "".join(f"    {squares},\n" for squares in patterns.shapes.shapes)
    literals = (
        _assignment("phase_starts", list(patterns.boundaries))
        + f"SHAPES = [\n{shapes}]\nPACKED_WEIGHTS = {_quoted(base64.b85encode(packed).decode())}\n"
    )
    parameters = _neutral(endgame, *schedule)
    text = render(parameters, rules, name, provenance, clock=clock)
    text += f"\n\n{_filled(_PATTERN_TEMPLATE, literals)}"
    return text + _compiled(_PATTERN_TEMPLATE) if numba else text


def _filled(template: str, literals: str) -> str:
    """The exported part of a template, with these parameters in place of its own."""
    before, _, rest = _source(template).partition(_PARAMETERS)
    _, _, after = rest.partition(_PARAMETERS_END)
    return f"{before}{_PARAMETERS}{literals}{_PARAMETERS_END}{after}"


def _compiled(template: str) -> str:
    """The end of a file with numba: the template's compiled evaluation, and the search."""
    evaluation = _whole(template).partition(_WITH_NUMBA)[2]
    return f"\n\n{evaluation}\n\n{_source(_NUMBA_TEMPLATE)}"


def _neutral(
    endgame: int, depths: Sequence[int] = (1,), boundaries: Sequence[int] = ()
) -> dict[str, Any]:
    """Parameters of a search in which only the exact end counts."""
    phases = len(depths)
    return {
        "weights": [[0] * _CLASSES] * phases,
        **{term: [0] * phases for term in DEFAULT_TERMS},
        "depths": list(depths),
        "boundaries": list(boundaries),
        "endgame": endgame,
    }


def _network_literals(networks: Sequence[Network], play: NetworkPlay) -> str:
    """The parameters of `part_network.py` as Python source."""
    architecture = networks[0].architecture
    packed = [
        base64.b64encode(np.concatenate([matrix.ravel(), bias]).astype("<f4").tobytes()).decode()
        for network in networks
        for matrix, bias in network.weights
    ]
    layers = "".join(f"    {layer!r},\n" for layer in _layers(architecture))
    parts = "".join(f"    {number}: {_quoted(text)},\n" for number, text in enumerate(packed))
    return (
        f'KIND = "{play.kind}"\n'
        f'INPUT = "{architecture.input}"\n'
        f"LAYERS = [\n{layers}]\nPACKED = {{\n{parts}}}\n"
        f"SIMULATIONS = {MOST_SIMULATIONS if play.clock else play.simulations}\n"
        f"C_PUCT = {play.c!r}\nLOOKAHEAD = {play.lookahead}\n"
        + _reward_literals(play.rewards)
        + f'SOLVE_BY = "{play.order}"\n'
    )


def _layers(architecture: Architecture) -> Iterator[tuple[str, int, int, str, int]]:
    """The steps of a network for `part_network.py`.

    They are: kind, numbers of inputs and outputs (of a convolution: of a square and its neighbours,
    and of a square), activation, number of the weights.
    """
    cells, part = architecture.program()[layout.HEAD_CELLS :], 0
    for step in range(0, len(cells), layout.STEP_CELLS):
        kind, inputs, outputs, activation = cells[step : step + 4]
        word = _STEPS[kind]
        inputs *= 9 if word == "conv" else 1
        yield word, inputs, outputs, layout.ACTIVATIONS[activation], part
        part += word in _WEIGHTED


_STEPS: Final = {
    layout.DENSE: "dense",
    layout.GATE: "gate",
    layout.CONVOLVE: "conv",
    layout.SAVE: "save",
    layout.ADD: "add",
    layout.DUEL: "duel",
    layout.SQUASH_LAST: "squash",
}
_WEIGHTED: Final = ("dense", "gate", "conv")


def _reward_literals(cells: npt.NDArray[np.float64]) -> str:
    """The rewards of moves as Python source."""
    squares: list[float] = cells[:64].tolist()
    discs, *discounts = cells[64:].tolist()
    table = textwrap.fill(f"SQUARE_REWARDS = {squares}", _WIDTH, subsequent_indent="    ")
    return f"{table}\nDISC_REWARD = {discs!r}\nDISCOUNTS = {tuple(discounts)!r}\n"


def _quoted(text: str) -> str:
    """A long text as literals of one line each, in brackets."""
    step = _WIDTH - 10
    lines = [text[start : start + step] for start in range(0, len(text), step)]
    return "(\n" + "".join(f'        "{line}"\n' for line in lines) + "    )"


def _source(template: str) -> str:
    """The exported part of a template, without what is exported only with numba."""
    return _whole(template).partition(_START)[2].partition(_WITH_NUMBA)[0].rstrip() + "\n"


def _whole(template: str) -> str:
    return resources.files(__package__).joinpath(template).read_text(encoding="utf-8")


def _header(rules: str, name: str, provenance: Mapping[str, Any]) -> str:
    lines = [_comment("name", name), _comment("rules", f"{rules}: {rule_set(rules).goal}")]
    lines += [_comment(key, value) for key, value in provenance.items()]
    return _TITLE + "".join(lines) + _USAGE


def _comment(key: object, value: object) -> str:
    """One header entry, as comment lines: no text from outside can end the comment."""
    text = f"{key}: {value}".encode("unicode_escape").decode("ascii")
    return textwrap.fill(text, _WIDTH, initial_indent="# ", subsequent_indent="#     ") + "\n"


def _check_score(rules: str) -> None:
    """Raise AgentError for rules whose finished games the exported file cannot score."""
    code = rule_set(rules).code
    try:
        final_score(0, 0, code, bit_count)
    except ValueError:
        raise AgentError(f"no Python file can be written for {rules}: {_SOLVER} lacks it") from None


def _literals(parameters: Mapping[str, Any], rules: str) -> str:
    """The parameters as Python source: integers alone."""
    played = rule_set(rules)
    weights = [_ints(table) for table in parameters["weights"]]
    terms = {key: _ints(parameters[key]) for key in TERM_NAMES if key in parameters}
    source = f'RULES = "{rules}"\nRULE = {played.code}\nDISC_SIGN = {played.discs}\n'
    source += f"CORNERS_LAST = {played.corners_last}\nWEIGHTS = [\n"
    source += "".join(f"    {table},\n" for table in weights) + "]\n"
    source += "TERMS = {\n"
    for key, values in terms.items():
        text = f'    "{key}": {values},'
        source += textwrap.fill(text, _WIDTH, subsequent_indent=" " * 8, break_on_hyphens=False)
        source += "\n"
    source += "}\n" + "".join(
        _assignment(key, _ints(parameters[key])) for key in ("depths", "boundaries")
    )
    return source + f"ENDGAME = {int(parameters['endgame'])}\n"


def _assignment(key: str, values: list[int]) -> str:
    text = f"{key.upper()} = {values}"
    return textwrap.fill(text, _WIDTH, subsequent_indent="    ", break_on_hyphens=False) + "\n"


def _ints(values: Iterable[Any]) -> list[int]:
    return [int(value) for value in values]
