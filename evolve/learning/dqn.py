"""Deep Q-learning (Mnih et al. 2015): a network of move values that learns from games."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evolve.agents.dqn import DqnAgent, Rewards
from evolve.agents.reference import POSITIONAL
from evolve.arena.judges import Panel
from evolve.config.learning import PAST, DqnSettings
from evolve.engine.board.bits import SQUARE_IMAGES, images_of, legal_moves_of_all
from evolve.engine.networks.network import Network
from evolve.fitness.executor import Threads
from evolve.fitness.games import GamesDone
from evolve.learning.learner import (
    Learner,
    Left,
    Replay,
    Share,
    left_for_games,
    part_of,
    seconds_of_choice,
)
from evolve.learning.model import Model, encoded
from evolve.learning.self_play import Experience, Networks


class _MoveLearner(Learner):
    """Plays games, with some random moves, and fits its network to their rewards."""

    kind = "dqn"
    counts = ("iteration", "survived", "accept_seconds", "owed")

    settings: DqnSettings

    def __init__(self, settings: DqnSettings, jobs: int) -> None:
        super().__init__(settings, jobs)
        self.survived = 0
        seeds = range(settings.seed, settings.seed + settings.networks)
        self.models = [Model(settings, seed) for seed in seeds]
        self.targets = [Model(settings, seed) for seed in seeds]
        self.architecture = self.models[0].architecture
        self.replays = [Replay(max(1, settings.window // settings.networks)) for _ in self.models]
        self._past: deque[Networks] = deque([self._networks()], maxlen=settings.past + 1)
        self._survivor: list[dict[str, npt.NDArray[Any]]] = [m.state() for m in self.models]
        self.owed = [0.0] * settings.networks
        self._experience = Experience(settings, jobs)

    def _networks(self) -> Networks:
        return tuple(model.network() for model in self.models)

    @property
    def steps(self) -> int:
        return sum(model.steps for model in self.models)

    def agent(self) -> DqnAgent:
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

    def iterate(
        self, rng: np.random.Generator, count: int, share: Share, progress: GamesDone, left: Left
    ) -> tuple[int, float]:
        settings, losses = self.settings, []
        new, old = self._past[-1], self._past[0]
        played, rows = self._experience.play(
            rng, count, share(), new, old, progress, left_for_games(left)
        )
        for number, (model, replay) in enumerate(zip(self.models, self.replays, strict=True)):
            both = len(self.models) == 1
            side = slice(None) if both else rows["sides"] == (1 if number == 0 else -1)
            part = {name: array[side] for name, array in rows.items()}
            replay.add(part)
            self.owed[number] += len(part["sides"]) * settings.updates / settings.batch
            while self.owed[number] >= 1.0 and len(replay) > 0 and left() > 0.0:
                self.owed[number] -= 1.0
                model.set_progress(share())
                losses.append(self._learn(number, rng))
        self.iteration += 1
        self._past.append(self._networks())
        if settings.survival and self.iteration % settings.survival == 0:
            with seconds_of_choice(self, left) as progress:
                self._survive(rng, progress)
        return played, float(np.mean(losses)) if losses else float("nan")

    def _learn(self, number: int, rng: np.random.Generator) -> float:
        settings, model = self.settings, self.models[number]
        if model.steps % settings.target_period == 0:
            self.targets[number].copy_from(model)
        rows = self.replays[number].sample(settings.batch, rng)
        images = rng.integers(0, 8 if settings.augment else 1, settings.batch).astype(np.int8)
        boards = images_of(rows["boards"], images)
        moves = SQUARE_IMAGES[images, rows["moves"]]
        targets = torch.from_numpy(rows["returns"]).to(model.device)
        going_on = np.flatnonzero(rows["discounts"])
        if len(going_on):
            best = self.best_values(number, boards[going_on, 2:], rows["next_sides"][going_on])
            factors = torch.from_numpy(rows["discounts"][going_on]).to(model.device)
            targets[torch.from_numpy(going_on)] += factors * best
        inputs = encoded(
            self.architecture, np.ascontiguousarray(boards[:, :2]), rows["sides"], moves
        )
        chosen = torch.from_numpy(moves.astype(np.int64)).to(model.device)
        error = torch.nn.functional.mse_loss

        def loss_of(outputs: Tensor) -> Tensor:
            if outputs.shape[1] == 1:
                return error(outputs[:, 0], targets)
            if settings.others_zero:
                expected = torch.zeros_like(outputs).scatter(1, chosen[:, None], targets[:, None])
                return error(outputs, expected)
            return error(outputs.gather(1, chosen[:, None])[:, 0], targets)

        return model.learn(inputs, loss_of, int(rng.integers(2**31)))

    def _survive(self, rng: np.random.Generator, progress: GamesDone) -> None:
        """Play the current models against those of last time; continue with the better."""
        settings = self.settings
        now = self.agent()
        states = [model.state() for model in self.models]
        self._load(self._survivor)
        before = self._agent(self._networks())
        self._load(states)  # the current models stay where there is no time for the match
        panel = Panel((), settings.survival_games, settings.rules, int(rng.integers(2**31)))
        if panel.against(now, before, Threads(self.jobs), progress) >= 0.5:
            self._survivor = states
            self.survived += 1
        else:
            self._load(self._survivor)
            self._past[-1] = before.networks
            for target, model in zip(self.targets, self.models, strict=True):
                target.copy_from(model)

    def _load(self, states: list[dict[str, npt.NDArray[Any]]]) -> None:
        """Continue from these states, with the learning steps so far."""
        for model, state in zip(self.models, states, strict=True):
            model.load_state(state, steps=model.steps)

    @property
    def _remembered(self) -> list[Networks]:
        """The networks that later games may need: all, or only the last."""
        return list(self._past) if PAST in self.settings.opponents else [self._past[-1]]

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        checkpoint: dict[str, npt.NDArray[Any]] = {}
        for number in range(len(self.models)):
            parts = {
                "model": self.models[number].state(),
                "target": self.targets[number].state(),
                "survivor": self._survivor[number],
            }
            for age, networks in enumerate(self._remembered):
                parts[f"past-{age}"] = dict(networks[number].arrays())
            for part, arrays in parts.items():
                checkpoint.update({f"{part}/{number}/{name}": a for name, a in arrays.items()})
            checkpoint.update(self.replays[number].arrays(f"replay/{number}/"))
        return checkpoint

    def facts(self) -> dict[str, Any]:
        added = [replay.added for replay in self.replays]
        return {**super().facts(), "added": added, "past": len(self._remembered)}

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(facts, {})
        numbers = range(len(self.models))
        for number in numbers:
            self.models[number].load_state(part_of(arrays, f"model/{number}/"))
            self.targets[number].load_state(part_of(arrays, f"target/{number}/"))
            self.replays[number].restore(arrays, f"replay/{number}/", facts["added"][number])
        self._survivor = [part_of(arrays, f"survivor/{number}/") for number in numbers]
        self._past.clear()
        for age in range(facts["past"]):
            parts = (part_of(arrays, f"past-{age}/{number}/") for number in numbers)
            self._past.append(tuple(Network.from_arrays(self.architecture, p) for p in parts))

    def best_values(
        self, number: int, positions: npt.NDArray[np.uint64], sides: npt.NDArray[np.int8]
    ) -> Tensor:
        """Return the values [B] of the best moves of positions [B, 2], for learning by one network.

        The target network of the side to move gives the value: after a pass, or an odd number of
        plies, that is the other colour's network. With double learning the model chooses the move;
        van Hasselt, Guez and Silver 2016, "Deep reinforcement learning with double Q-learning".
        """
        best = self._best_by(number, positions, sides)
        if len(self.models) == 1:
            return best
        others = torch.from_numpy(sides == (-1 if number == 0 else 1)).to(best.device)
        return torch.where(others, self._best_by(1 - number, positions, sides), best)

    def _best_by(
        self, number: int, positions: npt.NDArray[np.uint64], sides: npt.NDArray[np.int8]
    ) -> Tensor:
        """The same by one of the networks for all positions."""
        settings = self.settings
        positions = np.ascontiguousarray(positions)
        bits = np.empty(len(positions), np.uint64)
        legal_moves_of_all(positions, bits)
        octets = bits.view(np.uint8).reshape(-1, 8)
        legal = np.unpackbits(octets, axis=1, bitorder="little").astype(np.bool_)

        def values_by(by: Model) -> Tensor:
            if settings.input == "coloured-move":
                return _each_move(by, positions, sides, legal)
            return by.outputs(encoded(by.architecture, positions, sides))

        values = values_by(self.targets[number])
        judged = values_by(self.models[number]) if settings.double else values
        judged = judged.masked_fill(~torch.from_numpy(legal).to(judged.device), -torch.inf)
        return values.gather(1, judged.argmax(dim=1, keepdim=True))[:, 0]


def _each_move(
    model: Model,
    positions: npt.NDArray[np.uint64],
    sides: npt.NDArray[np.int8],
    legal: npt.NDArray[np.bool_],
) -> Tensor:
    """Return values [B, 64] of legal moves, by a network that takes the move as input."""
    row, square = np.nonzero(legal)
    inputs = encoded(model.architecture, positions[row], sides[row], square.astype(np.int8))
    values = torch.zeros(legal.shape, device=model.device)
    values[torch.from_numpy(row), torch.from_numpy(square)] = model.outputs(inputs)[:, 0]
    return values


LEARNER: Final = _MoveLearner
