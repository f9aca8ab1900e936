"""Tree searches of many games side by side, for networks that are asked about many positions.

Every game has a tree of its own. `descend_all` takes each to a position that wants a value;
whoever calls has them valued together, on whatever device, and `hand_up_all` gives the values
back. Games, records and choices are those of `engine.selfplay`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from evolve.engine.compile import kernel
from evolve.engine.mcts import (
    CHILDREN,
    PUCT,
    UNKNOWN,
    descend,
    expand,
    hand_up,
    set_priors,
)
from evolve.engine.memory import int64
from evolve.engine.scoring import outcome
from evolve.engine.selfplay import OPP, OWN, STATE, advance, begin, decide, disturb, root


@kernel
def begin_all(
    seeds: npt.NDArray[np.uint64], discs: npt.NDArray[np.uint64], counters: npt.NDArray[np.int64]
) -> None:
    """Set up N games: seeds [N], discs [N, DISCS], counters [N, COUNTERS]."""
    for game in range(seeds.shape[0]):
        begin(seeds[game], discs[game], counters[game])


@kernel
def advance_all(
    searching: npt.NDArray[np.bool_],
    used: npt.NDArray[np.int64],
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    opponents: npt.NDArray[np.int32],
    colours: npt.NDArray[np.int8],
    openings: npt.NDArray[np.int32],
    agents: npt.NDArray[np.int64],
    solved_empties: int,
    rules: int,
    reuse: bool,
    memory: npt.NDArray[np.int64],
    discs: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    searched: npt.NDArray[np.float32],
    visits: npt.NDArray[np.float32],
    counts: npt.NDArray[np.int64],
    results: npt.NDArray[np.int8],
) -> int:
    """Play the games of `searching` [N] on; False is put where one has ended.

    Where the search is to move a tree is planted, or with `reuse` the game's kept, of which
    used [N] nodes are in use: boards, links, values [N, nodes, …]. Returns how many games go on.
    """
    context = int64(memory.ctypes.data)
    going = int64(0)
    for game in range(searching.shape[0]):
        if not searching[game]:
            continue
        searching[game] = advance(
            game,
            opponents,
            colours,
            openings,
            agents,
            solved_empties,
            rules,
            context,
            discs[game],
            counters[game],
            positions,
            sides,
            searched,
            visits,
            counts,
            results,
        )
        if searching[game]:
            own, opp = discs[game, OWN], discs[game, OPP]
            kept = used[game] if reuse else int64(0)
            used[game] = root(own, opp, kept, boards[game], links[game], values[game])
            going += 1
    return going


@kernel
def descend_all(
    searching: npt.NDArray[np.bool_],
    used: npt.NDArray[np.int64],
    boards: npt.NDArray[np.uint64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    paths: npt.NDArray[np.int32],
    depths: npt.NDArray[np.int64],
    leaves: npt.NDArray[np.uint64],
    rules: int,
    c: float,
) -> int:
    """Follow every tree to a position without children; how many of them want a value.

    Those are put in leaves [N, 2], one after the other; paths [N, DEEPEST] and depths [N] are
    filled, depth −1 where nothing is wanted: the game is over there, or its value known.
    """
    wanted = int64(0)
    for game in range(searching.shape[0]):
        depths[game] = -1
        if not searching[game] or used[game] + 64 > boards.shape[1]:
            continue
        path = paths[game]
        depth = descend(path, PUCT, c, links[game], values[game])
        node = int64(path[depth])
        if links[game, node, CHILDREN] == UNKNOWN:
            used[game] += expand(node, used[game], boards[game], links[game], values[game], PUCT)
        own, opp = boards[game, node, 0], boards[game, node, 1]
        if links[game, node, CHILDREN] == 0:
            value = np.float32(outcome(own, opp, rules))
            hand_up(path, depth, value, PUCT, links[game], values[game])
            continue
        leaves[wanted, 0], leaves[wanted, 1] = own, opp
        depths[game] = depth
        wanted += 1
    return wanted


@kernel
def hand_up_all(
    outputs: npt.NDArray[np.float32],
    paths: npt.NDArray[np.int32],
    depths: npt.NDArray[np.int64],
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
) -> None:
    """Give what came out for the leaves, [wanted, outputs], to their trees."""
    last = outputs.shape[1] - 1
    row = int64(0)
    for game in range(depths.shape[0]):
        depth = depths[game]
        if depth < 0:
            continue
        path = paths[game]
        if last > 0:
            logits = int64(outputs[row].ctypes.data)
            set_priors(int64(path[depth]), logits, links[game], values[game])
        hand_up(path, depth, outputs[row, last], PUCT, links[game], values[game])
        row += 1


@kernel
def disturb_all(
    searching: npt.NDArray[np.bool_],
    noise: float,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    discs: npt.NDArray[np.uint64],
) -> None:
    """Mix noise into the priors of the roots, whose children are there."""
    for game in range(searching.shape[0]):
        if searching[game]:
            disturb(noise, links[game], values[game], discs[game, STATE])


@kernel
def decide_all(
    searching: npt.NDArray[np.bool_],
    temperature: float,
    temperature_plies: int,
    links: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    discs: npt.NDArray[np.uint64],
    counters: npt.NDArray[np.int64],
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    searched: npt.NDArray[np.float32],
    visits: npt.NDArray[np.float32],
) -> None:
    """Record what the trees say and play a move in every game."""
    for game in range(searching.shape[0]):
        if searching[game]:
            decide(
                game,
                temperature,
                temperature_plies,
                links[game],
                values[game],
                discs[game],
                counters[game],
                positions,
                sides,
                searched,
                visits,
            )
