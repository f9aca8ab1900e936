"""Play games between agents of any kind: whole games by the kernels, or move by move."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from evolve.agents.agent import Agent
from evolve.engine.board.rules import Rules
from evolve.engine.search.context import table_bits_for
from evolve.fitness.executor import ONE_THREAD, Executor, Threads
from evolve.fitness.games import (
    Games,
    GamesDone,
    GamesTask,
    agent_rows,
    empty_rows,
    parts_of,
    play_task,
    played_by_kernels,
)
from evolve.fitness.live_games import (
    GameStart,
    LiveGame,
    LiveTask,
    Parcel,
    games_a_second,
    play_live,
)
from evolve.fitness.openings import Openings
from evolve.programs.kept import Answers, is_task

_Numbers = npt.NDArray[np.int64]  # numbers of games


@dataclass
class Series:
    """The games of `pairings` [N, 3] (black, white, opening), to be played part by part.

    `moves` and `results` have the rows of games that are played, `failures` how programs failed, by
    number of the game. Random agents draw from `seed` and the number of the game, so results do not
    depend on the executor; `draws` is how many such numbers a seed has, by default as many as
    there are games. Games that are played move by move stay on its threads of this machine, unless
    a program plays in them. For the kernels are `move_budget`, nodes per move, 0 for no limit, and
    `largest_endgame`, which sets the table's size, which affects node counts; by default the agents
    set it.
    """

    agents: Sequence[Agent]
    pairings: npt.NDArray[np.int32]
    openings: Openings
    rules: Rules
    seed: int = 0
    move_budget: int = 0
    largest_endgame: int | None = None
    executor: Executor = ONE_THREAD
    draws: int | None = None

    def __post_init__(self) -> None:
        self.moves, self.results = empty_rows(len(self.pairings))
        self.failures: dict[int, str] = {}

    def games(self, numbers: _Numbers) -> Games:
        failures = {
            row: self.failures[number]
            for row, number in enumerate(numbers.tolist())
            if number in self.failures
        }
        return Games(self.pairings[numbers], self.moves[numbers], self.results[numbers], failures)

    def play(
        self,
        numbers: _Numbers,
        *,
        in_pairs: bool = False,
        check_stop: Callable[[], None] = lambda: None,
    ) -> Generator[_Numbers, None, None]:
        """Play games; yield the numbers of each part as it finishes.

        in_pairs: whether every two of the numbers belong together; then parts are whole pairs, and
        slow games come pair by pair, so that finished pairs are saved soon. check_stop: called
        between the moves of games that are played side by side; what it raises ends them.
        """
        stop = threading.Event()
        try:
            for agent in self.agents:
                if not (agent.is_program and is_task()):
                    agent.prepare()
            if played_by_kernels(self.agents, self.openings):
                yield from self._by_kernels(numbers, in_pairs)
            elif any(agent.together for agent in self.agents):
                yield from self._side_by_side(numbers, check_stop)
            else:
                yield from self._one_by_one(numbers, in_pairs, stop)
        except BaseException:
            # Otherwise threads that wait for a program continue and start more games.
            stop.set()
            for agent in self.agents:
                agent.interrupt()
            raise

    def _by_kernels(self, numbers: _Numbers, in_pairs: bool) -> Iterator[_Numbers]:
        bits = max(agent.table_bits for agent in self.agents)
        if self.largest_endgame is not None:
            bits = table_bits_for(self.largest_endgame)
        every = GamesTask(
            agent_rows(self.agents),
            self.pairings,
            self.openings.moves,
            self.rules,
            self.move_budget,
            bits,
        )
        parts: list[slice] = []
        seconds = math.inf

        def tasks() -> Iterator[GamesTask]:
            start = 0
            while start < len(numbers):
                step = self.executor.games(len(numbers), seconds)
                if in_pairs and seconds >= 0.02:  # a task of joblib costs 0.3 ms
                    step = 2
                parts.append(slice(start, min(start + step, len(numbers))))
                start = parts[-1].stop
                yield every.part(numbers[parts[-1]])

        with closing(self.executor.run(play_task, tasks())) as answers:
            for number, (moves, results, took) in answers:
                finished = numbers[parts[number]]
                seconds = took / len(finished)
                self.moves[finished], self.results[finished] = moves, results
                yield finished

    def _one_by_one(
        self, numbers: _Numbers, in_pairs: bool, stop: threading.Event
    ) -> Iterator[_Numbers]:
        executor, play = Threads(self.executor.threads), partial(play_live, is_stopped=stop.is_set)
        if self._travels:
            executor, play = self.executor, partial(play_live)
        parts = parts_of(len(numbers), 2 if in_pairs else 1)
        tasks = (self._task(numbers[part]) for part in parts)
        with closing(executor.run(play, tasks)) as answers:
            for number, (moves, results, failures) in answers:
                finished = numbers[parts[number]]
                self.moves[finished], self.results[finished] = moves, results
                self.failures.update({int(finished[row]): why for row, why in failures.items()})
                yield finished

    @cached_property
    def _travels(self) -> bool:
        """Whether games that are played move by move go to other machines: those of programs do."""
        return self.executor.is_remote and any(agent.is_program for agent in self.agents)

    @cached_property
    def _parcels(self) -> list[Agent | Parcel]:
        """The agents as they are sent; each program of a worker is one of its own."""
        return [agent if agent.is_program else Parcel(agent) for agent in self.agents]

    @cached_property
    def _answers(self) -> dict[int, Answers]:
        return {n: Answers.of(agent) for n, agent in enumerate(self.agents) if agent.is_program}

    def _task(self, numbers: _Numbers) -> LiveTask:
        games = [self._start(number) for number in numbers.tolist()]
        agents = {n: self.agents[n] for game in games for n in (game.black, game.white)}
        if not self._travels:
            return LiveTask(agents, games, self.rules)
        answers = {n: answer for n, answer in self._answers.items() if n in agents}
        timed = any(agent.paced(2.0) is not agent for agent in agents.values())
        speed = games_a_second() if timed else None
        parcels = {n: self._parcels[n] for n in agents}
        return LiveTask(parcels, games, self.rules, answers, speed)

    def _side_by_side(
        self, numbers: _Numbers, check_stop: Callable[[], None]
    ) -> Iterator[_Numbers]:
        """Play 256 games at once, so that an agent chooses moves for many boards per call."""
        for part in parts_of(len(numbers), 256):
            games = {
                number: LiveGame(self._start(number), self.agents, self.rules)
                for number in numbers[part].tolist()
            }
            while not all(game.over for game in games.values()):
                check_stop()
                for number, agent in enumerate(self.agents):
                    _choose(
                        agent, [g for g in games.values() if not g.over and g.to_move == number]
                    )
            for number, game in games.items():
                game.write(self.moves[number], self.results[number])
                if game.failure is not None:
                    self.failures[number] = game.failure
            yield numbers[part]

    def _start(self, number: int) -> GameStart:
        black, white, opening = self.pairings[number].tolist()
        draw = 2 * (self.seed * (self.draws or len(self.pairings)) + number)
        return GameStart(black, white, draw, *self.openings.begin(opening))


def _choose(agent: Agent, games: Sequence[LiveGame]) -> None:
    if not agent.together:
        for game in games:
            game.choose()
        return
    chosen = agent.choose_all([game.board for game in games])
    for game, (square, nodes) in zip(games, chosen, strict=True):
        game.play(square, nodes)


def play_games(
    agents: Sequence[Agent],
    pairings: npt.NDArray[np.int32],
    openings: Openings,
    rules: Rules,
    *,
    progress: GamesDone | None = None,
    **how: Any,
) -> Games:
    """Play the games of `pairings` [N, 3] (black, white, opening).

    progress: called with the number of games as they end. how: further fields of Series.
    """
    series = Series(agents, pairings, openings, rules, **how)
    numbers = np.arange(len(pairings))
    with closing(series.play(numbers)) as parts:
        for finished in parts:
            if progress is not None:
                progress(len(finished))
    return series.games(numbers)
