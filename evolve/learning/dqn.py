"""A network of move values taught by games: DQN and its kin."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evolve.agents.alphabeta import thread_context
from evolve.agents.dqn import DqnAgent, Rewards
from evolve.agents.memory import thread_scratch
from evolve.agents.reference import POSITIONAL
from evolve.arena.panel import Panel
from evolve.config.learning import ITSELF, PAST, DqnSettings
from evolve.engine.bits import legal_moves_of_all
from evolve.engine.context import GAME_TABLE_BITS
from evolve.engine.episodes import (
    MOST_MOVES,
    play_episodes,
    transitions_of,
)
from evolve.engine.evaluation import CLASS_OF_SQUARE
from evolve.engine.network import Architecture, Network
from evolve.engine.random import RANDOM
from evolve.engine.rewards import DIFFERENCE, HALVES, NO_REWARD, OUTCOME, SHARE
from evolve.engine.rules import rule_set
from evolve.engine.symmetry import SQUARE_IMAGES, turn_all
from evolve.fitness.games import agent_rows, in_batches
from evolve.learning.learner import (
    Iteration,
    Left,
    Progress,
    Share,
    alphabeta_agents,
    left_for_games,
    seconds_of_choice,
    shares_drawn,
)
from evolve.learning.model import Model
from evolve.learning.modules import encoded
from evolve.learning.replay import Replay

_REWARDS: Final = {
    "none": NO_REWARD,
    "outcome": OUTCOME,
    "halves": HALVES,
    "share": SHARE,
    "difference": DIFFERENCE,
}
_TABLE: Final = np.array(POSITIONAL, np.float32)[np.array(CLASS_OF_SQUARE)]
"""V of every square, for the positional reward; published as a picture alone, so assumed."""
_EPSILON_OF_OTHERS: Final = 0.1
"""Share of random moves of alpha-beta opponents, which would play the same games else (assumed)."""

Networks = tuple[Network, ...]


class MoveLearner:
    """Plays games with its network, random moves mixed in, and fits it to their rewards."""

    kind = "dqn"

    def __init__(self, settings: DqnSettings, jobs: int) -> None:
        self.settings = settings
        self.jobs = jobs
        self.iteration = 0
        self.survived = 0
        self.accept_seconds = 0.0
        self.architecture = Architecture(settings.input, settings.layers)
        self.models = [self._model(settings.seed + number) for number in range(settings.networks)]
        self.targets = [self._model(settings.seed + number) for number in range(settings.networks)]
        self.replays = [Replay(max(1, settings.window // settings.networks)) for _ in self.models]
        self._past: deque[Networks] = deque([self._networks()], maxlen=settings.past + 1)
        self._survivor: list[dict[str, npt.NDArray[Any]]] = [m.state() for m in self.models]
        self._owed = [0.0] * settings.networks
        self._agents = alphabeta_agents(
            settings.opponents, (ITSELF, PAST, "random"), settings.rules
        )
        self._rows = agent_rows(self._agents) if self._agents else np.zeros((1, 1), np.int64)

    def _model(self, seed: int) -> Model:
        settings = self.settings
        return Model(
            self.architecture,
            seed,
            rate=settings.learning_rate,
            decay=settings.decay,
            weight_decay=settings.weight_decay,
            device=settings.device,
        )

    def _networks(self) -> Networks:
        return tuple(model.network() for model in self.models)

    @property
    def steps(self) -> int:
        """Steps of learning so far, of all networks."""
        return sum(model.steps for model in self.models)

    def agent(self) -> DqnAgent:
        """The agent that plays with the networks as they are."""
        return self._agent(self._past[-1])

    def _agent(self, networks: Networks) -> DqnAgent:
        settings = self.settings
        rewards = Rewards(
            tuple(settings.positional * value for value in POSITIONAL),
            settings.shaping,
            settings.gamma,
            "ply" if settings.bootstrap == "negamax" else "turn",
        )
        return DqnAgent(
            networks, settings.lookahead, settings.endgame, rewards, rules=settings.rules
        )

    def checked_agent(self) -> DqnAgent:
        """The agent as the panel meets it."""
        return self.agent()

    def iterate(
        self, rng: np.random.Generator, count: int, share: Share, progress: Progress, left: Left
    ) -> Iteration:
        """Play, then learn, in the time left."""
        settings, losses = self.settings, []
        played, added = self._play(rng, count, share(), progress, left_for_games(left))
        for number, model in enumerate(self.models):
            self._owed[number] += added[number] * settings.updates / settings.batch
            while self._owed[number] >= 1.0 and len(self.replays[number]) > 0 and left() > 0.0:
                self._owed[number] -= 1.0
                model.set_progress(share())
                losses.append(self._learn(number, rng))
        self.iteration += 1
        self._past.append(self._networks())
        if settings.survival and self.iteration % settings.survival == 0:
            with seconds_of_choice(self, left) as progress:
                self._survive(rng, progress)
        return Iteration(played, float(np.mean(losses)) if losses else float("nan"))

    def _play(
        self, rng: np.random.Generator, count: int, share: float, progress: Progress, left: Left
    ) -> tuple[int, list[int]]:
        """Play games into the replays; how many there were, and of moves in each replay."""
        settings = self.settings
        new, old = self._past[-1], self._past[0]
        addresses = np.array([n.address for n in (new[0], new[-1], old[0], old[-1])], np.int64)
        shares = {"random": 1.0} if share < settings.random_first else settings.opponents
        names = shares_drawn(shares, count, rng)
        row_of = {
            name: 4 + number
            for number, name in enumerate(
                name for name in settings.opponents if name not in (ITSELF, PAST, "random")
            )
        }
        black = rng.random(count) < 0.5
        players = np.empty((count, 2), np.int32)
        learners = np.ones((count, 2), np.int8)
        level = settings.epsilon + (settings.epsilon_end - settings.epsilon) * share
        epsilons = np.full((count, 2), level)
        for game, name in enumerate(names):
            players[game] = 0, 1
            if name == ITSELF:
                continue
            other = 1 if black[game] else 0
            learners[game, other] = settings.both_sides
            if name == PAST:
                players[game, other] = 2 + other
            elif name == "random":
                players[game, other] = RANDOM
            else:
                players[game, other] = row_of[name]
                epsilons[game, other] = _EPSILON_OF_OTHERS
        openings = rng.integers(0, settings.openings + 1, count).astype(np.int32)
        seeds = rng.integers(0, 2**64, count, dtype=np.uint64)
        positions = np.zeros((count, MOST_MOVES, 2), np.uint64)
        sides, moves = np.zeros((2, count, MOST_MOVES), np.int8)
        counts, scores = np.zeros(count, np.int64), np.zeros(count, np.int8)
        discs = np.zeros((count, 2), np.int8)
        played: list[int] = []
        bits = max([GAME_TABLE_BITS] + [agent.table_bits for agent in self._agents])

        def play(part: slice) -> None:
            if left() <= 0.0:
                return
            played.append(part.stop - part.start)
            play_episodes(
                players[part],
                epsilons[part],
                openings[part],
                seeds[part],
                addresses,
                self._rows,
                rule_set(settings.rules).code,
                thread_context(settings.rules, bits),
                thread_scratch(new[0].scratch_size),
                positions[part],
                sides[part],
                moves[part],
                counts[part],
                scores[part],
                discs[part],
            )

        def told(games: int) -> None:
            if left() > 0.0:  # the batches after that were not played
                progress(games)

        in_batches(count, play, self.jobs, told)
        added = self._remember(positions, sides, moves, counts, scores, discs, learners)
        return sum(played), added

    def _remember(
        self,
        positions: npt.NDArray[np.uint64],
        sides: npt.NDArray[np.int8],
        moves: npt.NDArray[np.int8],
        counts: npt.NDArray[np.int64],
        scores: npt.NDArray[np.int8],
        discs: npt.NDArray[np.int8],
        learners: npt.NDArray[np.int8],
    ) -> list[int]:
        settings = self.settings
        most = positions.shape[0] * MOST_MOVES
        plies = np.empty((most, 3), np.int32)
        returns, discounts = np.empty((2, most), np.float32)
        filled = transitions_of(
            positions,
            sides,
            moves,
            counts,
            scores,
            discs,
            learners,
            _REWARDS[settings.reward],
            settings.shaping,
            _TABLE,
            settings.positional,
            settings.minimax,
            settings.bootstrap == "negamax",
            settings.steps,
            settings.gamma,
            rule_set(settings.rules).code,
            plies,
            returns,
            discounts,
        )
        game, ply, then = plies[:filled].T
        rows: dict[str, npt.NDArray[Any]] = {
            "boards": np.concatenate([positions[game, ply], positions[game, then]], axis=1),
            "sides": sides[game, ply],
            "next_sides": sides[game, then],
            "moves": moves[game, ply],
            "returns": returns[:filled],
            "discounts": discounts[:filled],
        }
        added = []
        for number, replay in enumerate(self.replays):
            mine = slice(None)
            if len(self.replays) == 2:
                mine = rows["sides"] == (1 if number == 0 else -1)
            own = {name: array[mine] for name, array in rows.items()}
            replay.add(own)
            added.append(len(own["sides"]))
        return added

    def _learn(self, number: int, rng: np.random.Generator) -> float:
        settings, model = self.settings, self.models[number]
        if model.steps % settings.target_period == 0:
            self.targets[number].copy_from(model)
        rows = self.replays[number].sample(settings.batch, rng)
        images = rng.integers(0, 8 if settings.augment else 1, settings.batch).astype(np.int8)
        boards = np.empty_like(rows["boards"])
        turn_all(rows["boards"], images, boards)
        moves = SQUARE_IMAGES[images, rows["moves"]]
        targets = torch.from_numpy(rows["returns"]).to(model.device)
        going_on = np.flatnonzero(rows["discounts"])
        if len(going_on):
            best = self._best_of_side(number, boards[going_on, 2:], rows["next_sides"][going_on])
            factors = torch.from_numpy(rows["discounts"][going_on]).to(model.device)
            targets[torch.from_numpy(going_on)] += factors * best
        inputs = encoded(
            self.architecture, np.ascontiguousarray(boards[:, :2]), rows["sides"], moves
        )
        chosen = torch.from_numpy(moves.astype(np.int64)).to(model.device)
        error: Callable[[Tensor, Tensor], Tensor] = (
            torch.nn.functional.mse_loss
            if settings.loss == "squared"
            else torch.nn.functional.smooth_l1_loss
        )

        def loss_of(found: Tensor) -> Tensor:
            if found.shape[1] == 1:
                return error(found[:, 0], targets)
            if settings.others_zero:
                wanted = torch.zeros_like(found).scatter(1, chosen[:, None], targets[:, None])
                return error(found, wanted)
            return error(found.gather(1, chosen[:, None])[:, 0], targets)

        return model.learn(inputs, loss_of, int(rng.integers(2**31)))

    def _best_of_side(
        self, number: int, positions: npt.NDArray[np.uint64], sides: npt.NDArray[np.int8]
    ) -> Tensor:
        """What the best moves are worth, by the network that plays the side to move.

        After a pass, or an odd number of plies, it is the other colour's to say.
        """
        best = self._best_next(number, positions, sides)
        if len(self.models) == 1:
            return best
        others = torch.from_numpy(sides == (-1 if number == 0 else 1)).to(best.device)
        return torch.where(others, self._best_next(1 - number, positions, sides), best)

    def _best_next(
        self, number: int, positions: npt.NDArray[np.uint64], sides: npt.NDArray[np.int8]
    ) -> Tensor:
        """What the best move of each position [B, 2] is worth, [B], by one of the networks."""
        settings = self.settings
        positions = np.ascontiguousarray(positions)
        target, model = self.targets[number], self.models[number]
        legal = _legal(positions)
        if settings.input == "coloured-move":
            values = self._each_move(target, positions, sides, legal)
            judged = self._each_move(model, positions, sides, legal) if settings.double else values
        else:
            inputs = encoded(self.architecture, positions, sides)
            values = target.outputs(inputs)
            judged = model.outputs(inputs) if settings.double else values
        if settings.legal:
            judged = judged.masked_fill(~torch.from_numpy(legal).to(judged.device), -torch.inf)
        return values.gather(1, judged.argmax(dim=1, keepdim=True))[:, 0]

    def _each_move(
        self,
        model: Model,
        positions: npt.NDArray[np.uint64],
        sides: npt.NDArray[np.int8],
        legal: npt.NDArray[np.bool_],
    ) -> Tensor:
        """Values [B, 64] by a network that takes the move, of legal ones."""
        row, square = np.nonzero(legal)
        inputs = encoded(self.architecture, positions[row], sides[row], square.astype(np.int8))
        values = torch.zeros(legal.shape, device=model.device)
        values[torch.from_numpy(row), torch.from_numpy(square)] = model.outputs(inputs)[:, 0]
        return values

    def _survive(self, rng: np.random.Generator, progress: Progress) -> None:
        """Let the models as they are meet those of last time; the better go on."""
        settings = self.settings
        now = self.agent()
        states = [model.state() for model in self.models]
        self._load(self._survivor)
        before = self._agent(self._networks())
        self._load(states)  # they stay where there is no time for the match
        panel = Panel((), settings.survival_games, settings.rules, int(rng.integers(2**31)))
        if panel.against(now, before, self.jobs, progress) >= 0.5:
            self._survivor = states
            self.survived += 1
        else:
            self._load(self._survivor)
            self._past[-1] = before.networks
            for target, model in zip(self.targets, self.models, strict=True):
                target.copy_from(model)

    def _load(self, states: list[dict[str, npt.NDArray[Any]]]) -> None:
        """Go on from these states, with the steps of learning so far."""
        for model, state in zip(self.models, states, strict=True):
            model.load_state(state, steps=model.steps)

    @property
    def _remembered(self) -> list[Networks]:
        """The networks that the games to come may want: all, or the last alone."""
        return list(self._past) if PAST in self.settings.opponents else [self._past[-1]]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that is needed to go on, but for `facts`."""
        found: dict[str, npt.NDArray[Any]] = {}
        for number in range(len(self.models)):
            parts = {
                "model": self.models[number].state(),
                "target": self.targets[number].state(),
                "survivor": self._survivor[number],
            }
            for age, networks in enumerate(self._remembered):
                parts[f"past-{age}"] = dict(networks[number].arrays())
            for part, arrays in parts.items():
                found.update({f"{part}/{number}/{name}": a for name, a in arrays.items()})
            found.update(self.replays[number].arrays(f"replay/{number}/"))
        return found

    def facts(self) -> dict[str, Any]:
        """The same, as JSON."""
        return {
            "iteration": self.iteration,
            "survived": self.survived,
            "accept_seconds": self.accept_seconds,
            "owed": self._owed,
            "added": [replay.added for replay in self.replays],
            "past": len(self._remembered),
        }

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `arrays` and `facts` gave."""
        self.iteration, self.survived = facts["iteration"], facts["survived"]
        self.accept_seconds = facts.get("accept_seconds", 0.0)  # 0.1 did not count them
        self._owed = list(facts["owed"])

        def part(prefix: str) -> dict[str, npt.NDArray[Any]]:
            return {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}

        count = len(self.models)
        for number in range(count):
            self.models[number].load_state(part(f"model/{number}/"))
            self.targets[number].load_state(part(f"target/{number}/"))
            self.replays[number].restore(arrays, f"replay/{number}/", facts["added"][number])
        self._survivor = [part(f"survivor/{number}/") for number in range(count)]
        self._past.clear()
        for age in range(facts["past"]):
            self._past.append(
                tuple(
                    Network.from_arrays(self.architecture, part(f"past-{age}/{number}/"))
                    for number in range(count)
                )
            )


def _legal(positions: npt.NDArray[np.uint64]) -> npt.NDArray[np.bool_]:
    """Legal moves of positions [B, 2] as flags [B, 64]."""
    bits = np.empty(len(positions), np.uint64)
    legal_moves_of_all(positions, bits)
    flags = np.unpackbits(bits.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    return flags.astype(np.bool_)
