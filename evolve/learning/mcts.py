"""A network of values, or of policy and value, that learns from its own tree search.

The loop follows Silver et al. 2017, "Mastering the game of Go without human knowledge".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from evolve.agents.mcts import MctsAgent
from evolve.agents.memory import Evaluate, OutOfTimeError
from evolve.arena.judges import Panel
from evolve.config.learning import ITSELF, MctsSettings
from evolve.engine.board.bits import SQUARE_IMAGES, images_of
from evolve.engine.games.training_games import RANDOM_PLAYER, GameRecords, Lineup
from evolve.engine.networks.network import Network
from evolve.fitness.executor import Threads
from evolve.fitness.games import GamesDone
from evolve.learning.learner import (
    Learner,
    Left,
    Replay,
    Share,
    alphabeta_agents,
    left_for_games,
    part_of,
    seconds_of_choice,
    shares_drawn,
)
from evolve.learning.model import Model, Module, encoded
from evolve.learning.self_play import TreeGames


class TreeLearner(Learner):
    """Plays games by tree search, and fits its network to their outcomes and visit counts."""

    kind = "mcts"
    counts = ("iteration", "accepted", "accept_seconds", "owed")

    settings: MctsSettings

    def __init__(self, settings: MctsSettings, jobs: int) -> None:
        super().__init__(settings, jobs)
        self.accepted = 0
        self.model = Model(settings, settings.seed)
        self.policy = self.model.architecture.output == "policy-value"
        self.replay = Replay(settings.window)
        self.player: Network | None = None
        """The network that evaluates positions in games; None at first, when rollouts do."""
        self.owed = 0.0
        self._choice_cost = 0.0  # CPU seconds that the last matches between models took
        self._agents = alphabeta_agents(settings.opponents, (ITSELF, "random"), settings.rules)

    @property
    def steps(self) -> int:
        return self.model.steps

    def iterate(
        self, rng: np.random.Generator, count: int, share: Share, progress: GamesDone, left: Left
    ) -> tuple[int, float]:
        played, added = self._play(rng, count, progress, left_for_games(left))
        self.owed += added * self.settings.updates / self.settings.batch
        losses = []
        while self.owed >= 1.0 and left() > self._choice_cost:
            self.owed -= 1.0
            self.model.set_progress(share())
            losses.append(self._learn(rng))
        self.iteration += 1
        if losses:
            before = self.accept_seconds
            with seconds_of_choice(self, left) as choosing:
                self._promote(rng, choosing, left)
            self._choice_cost = self.accept_seconds - before
        return played, float(np.mean(losses)) if losses else float("nan")

    def agent(self, simulations: int | None = None, left: Left | None = None) -> MctsAgent:
        network = self.player or self.model.network()
        return MctsAgent(
            simulations or self.settings.play_simulations,
            self.settings.play_c_puct,
            "puct",
            self.settings.endgame,
            rules=self.settings.rules,
            network=network,
            reuse=self.settings.reuse,
            order=self.settings.solve_by,
            evaluate=self._evaluator(network, left),
            name="mcts",
        )

    def checked_agent(self) -> MctsAgent:
        return self.agent(self.settings.check_simulations)

    def _play(
        self, rng: np.random.Generator, count: int, progress: GamesDone, left: Left
    ) -> tuple[int, int]:
        """Play games into the replay; return how many games and how many positions."""
        settings, network = self.settings, self.player
        player_of = {ITSELF: 0, "random": RANDOM_PLAYER}
        others = (name for name in settings.opponents if name not in player_of)
        player_of |= {name: 1 + number for number, name in enumerate(others)}
        names = shares_drawn(settings.opponents, count, rng)
        players = np.zeros((count, 2), np.int32)
        other = (rng.choice(np.array([1, -1], np.int8), count) > 0).astype(np.int8)
        players[np.arange(count), other] = [player_of[name] for name in names]
        if network is None:  # rollouts value positions, and so few are enough
            settings = settings.model_copy(update={"simulations": 32})
        lineup = Lineup.drawn(players, settings.openings, rng)
        games = TreeGames(settings, lineup, self._agents, with_visits=self.policy)
        evaluate = self._evaluator(network, left) if network else None
        if evaluate is not None:
            played = games.play_in_step(evaluate, progress, lambda: left() <= 0.0)
        else:
            played = games.play(network, self.jobs, progress, lambda: left() <= 0.0)
        return played, self._remember(games.records, settings.root_value if network else 0.0)

    def _remember(self, records: GameRecords, mix: float) -> int:
        """Put positions into the replay; return how many.

        Their targets are the outcome of the game and, with the share `mix`, the value of the
        search.
        """
        positions = records.positions
        discs = np.bitwise_count(positions[:, :, 0] | positions[:, :, 1])
        used = np.arange(positions.shape[1]) < records.counts[:, None]
        used &= discs.astype(np.int64) >= 4 + self.settings.first_ply
        outcome = (records.results[:, None] * records.sides).astype(np.float32)
        rows: dict[str, npt.NDArray[Any]] = {
            "positions": positions[used],
            "targets": ((1.0 - mix) * outcome + mix * records.values)[used].astype(np.float32),
        }
        if self.policy:
            rows["visits"] = records.visits[used]
        self.replay.add(rows)
        return int(used.sum())

    def _evaluator(self, network: Network, left: Left | None = None) -> Evaluate | None:
        """Return a function that evaluates many positions at once, where that is faster.

        The function raises OutOfTimeError when no time is left. None where evaluation one by one is
        faster.
        """
        device = self.model.device
        kinds = {layer.kind for layer in network.architecture.parsed}
        if "conv" not in kinds and device.type == "cpu":
            return None
        module = Module.playing(network).to(device)

        def evaluate(positions: npt.NDArray[np.uint64]) -> npt.NDArray[np.float32]:
            if left is not None and left() <= 0.0:
                raise OutOfTimeError
            inputs = encoded(network.architecture, positions, np.zeros(len(positions), np.int8))
            with torch.no_grad():
                outputs: npt.NDArray[np.float32] = module(inputs.to(device)).cpu().numpy()
            return outputs

        return evaluate

    def _learn(self, rng: np.random.Generator) -> float:
        settings = self.settings
        rows = self.replay.sample(settings.batch, rng)
        images = rng.integers(0, 8 if settings.augment else 1, settings.batch).astype(np.int8)
        turned = images_of(rows["positions"], images)
        nobody = np.zeros(len(turned), np.int8)
        inputs = encoded(self.model.architecture, turned, nobody)
        device = self.model.device
        values = torch.from_numpy(rows["targets"]).to(device)
        visits: Tensor | None = None
        if self.policy:
            shares = np.zeros_like(rows["visits"])
            np.put_along_axis(shares, SQUARE_IMAGES[images].astype(np.int64), rows["visits"], 1)
            visits = torch.from_numpy(shares).to(device)

        def loss_of(outputs: Tensor) -> Tensor:
            loss = ((outputs[:, -1] - values) ** 2).mean()
            if visits is not None:
                logits = torch.log_softmax(outputs[:, :64], dim=1)
                loss = loss - (visits * logits).sum(dim=1).mean()
            return loss

        return self.model.learn(inputs, loss_of, int(rng.integers(2**31)))

    def _promote(self, rng: np.random.Generator, progress: GamesDone, left: Left) -> None:
        """Use the current network in later games, if it is good enough."""
        settings = self.settings
        candidate = self.model.network()
        if settings.accept and self.player is not None:
            before = self.agent(settings.simulations, left)
            after = replace(before, network=candidate, evaluate=self._evaluator(candidate, left))
            seed = int(rng.integers(2**31))
            panel = Panel(settings.accept_against, settings.accept_games, settings.rules, seed)
            old, new = (
                panel.judge(agent, Threads(self.jobs), progress).scores for agent in (before, after)
            )
            if any(last.value < first.value for first, last in zip(old, new, strict=True)) or (
                panel.against(after, before, Threads(self.jobs), progress) < 0.5
            ):
                return
        self.player = candidate
        self.accepted += 1

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        checkpoint = {f"model/{name}": array for name, array in self.model.state().items()}
        if self.player is not None:
            checkpoint.update({f"player/{n}": array for n, array in self.player.arrays().items()})
        return {**checkpoint, **self.replay.arrays("replay/")}

    def facts(self) -> dict[str, Any]:
        return {**super().facts(), "added": self.replay.added}

    def restore(self, facts: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        super().restore(facts, {})
        self.model.load_state(part_of(arrays, "model/"))
        player = part_of(arrays, "player/")
        if player:
            self.player = Network.from_arrays(self.model.architecture, player)
        self.replay.restore(arrays, "replay/", facts["added"])


LEARNER: Final = TreeLearner
