"""Moves and boards as people write them, and how many questions wait for how long."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from anyio import CapacityLimiter

from evolve.engine.board.board import Board
from evolve.service.processes import Search
from evolve.service.responses import ProblemError
from tests.service import Service
from tests.service.inside import App
from tests.waits import PATIENCE


def test_moves_and_boards_are_read_as_people_write_them(service: Service) -> None:
    def asked(**position: str) -> Any:
        return service.post("evaluations", {"agent": "swh", "position": position}, 200)["moves"]

    cells = Board.start().play(37).play(43).cells()
    ways = ({"moves": "f5 d6"}, {"moves": "1: F5 2: D6"}, {"board": f"{cells} X"})
    known, *others = ([(move["move"], move["value"]) for move in asked(**way)] for way in ways)
    assert others == [known] * 2
    play = service.post("plays", {"agent": "swh", "moves": "F5D6C3"}, 201)
    assert play["moves"][:3] == ["f5", "d6", "c3"]
    name = f" 1. {play['legal'][0].upper()} "
    made = service.post(f"plays/{play['id']}/moves", {"move": name}, 200)
    assert made["moves"][len(play["moves"])] == play["legal"][0]
    service.post(f"plays/{play['id']}/moves", {"move": "z9"}, 422)


DEEP = "swh?depth=20"
MOVES = "f5 d6 c3 d3 c4"


async def so(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


def test_some_wait_and_more_are_refused_with_when_to_try_again(
    tmp_path: Path, runner: asyncio.Runner
) -> None:
    with App(tmp_path / "runs", runner) as app:
        app.state.search._searching = CapacityLimiter(0)

        async def check() -> None:
            search = app.state.search
            tasks = [asyncio.ensure_future(search.ask("evaluate")) for _ in range(16)]
            await so(lambda: search._searching.statistics().tasks_waiting == 16)
            with pytest.raises(ProblemError) as refused:
                await search.ask("evaluate")
            assert (refused.value.status, refused.value.retry) == (503, 20)
            tasks[2].cancel()  # one that waits leaves, and another may
            await asyncio.gather(tasks[2], return_exceptions=True)
            assert search._searching.statistics().tasks_waiting == 15
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        runner.run(check())


@pytest.mark.slow
def test_a_process_that_dies_is_an_error_of_one_question(runner: asyncio.Runner) -> None:
    search = Search()

    async def check() -> None:
        question: dict[str, Any] = {"source": DEEP, "moves": MOVES, "rules": "standard"}
        work = asyncio.ensure_future(search.ask("evaluate", **question))
        await so(lambda: search._compiled)
        await asyncio.sleep(0.5)
        for child in psutil.Process().children():
            if "anyio.to_process" in child.cmdline():
                child.kill()
        with pytest.raises(ProblemError, match="process"):
            await work
        assert (await search.ask("describe", source="swh"))["name"] == "swh"

    runner.run(check())


@pytest.mark.clock
@pytest.mark.slow
def test_a_short_question_behind_two_long_ones(fresh: Service) -> None:
    """At most 20 s for the one before it, a start of the process that was ended, and itself."""
    short = {"agent": "swh?depth=1", "position": {}}
    long = {"agent": DEEP, "position": {"moves": MOVES}}
    fresh.post("evaluations", short, 200)
    with ThreadPoolExecutor() as threads:
        asked = [threads.submit(fresh.client.post, "evaluations", json=long) for _ in range(2)]
        fresh.get("agents/swh")
        time.sleep(2)  # both are at work: nothing says so
        begin = time.monotonic()
        fresh.post("evaluations", short, 200)
        assert time.monotonic() - begin <= 25
        begin = time.monotonic()
        fresh.get("agents/zero")
        assert time.monotonic() - begin <= 5
    assert [one.result().status_code for one in asked] == [504, 504]
