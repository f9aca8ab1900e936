"""How evolution scales: its serial part, and clusters of simulated workers.

    python -m benchmarks.scaling serial [--population 512] [--opponents 63]
    python -m benchmarks.scaling cluster [--workers 8 32 128] [--times 1 10] [--longest 60]
    python -m benchmarks.scaling threads [--pairs 5]
    python -m benchmarks.scaling seeds [--generations 20] [--pairs 5]

`serial`: seconds of a generation outside its games, on real ones between cheap agents. `cluster`:
a real scheduler and real workers of Dask whose tasks sleep for as long as games of a default run
were measured to take, or so many times as long; the speed-up is of the games of one generation of
512, and what would take longer than so many seconds is left out. All of them are on this machine:
where they keep it busy, that is what is measured. `threads`: a default run on Dask with two workers
against two threads, CPU and wall, in pairs. `seeds`: a run with eight seeds on one worker and on
two, in pairs; the workers' CPU says how much the two cores are in each other's way.

Schedulers and workers are set by deploy/dask.yaml; DASK_CONFIG=/dev/null leaves Dask as it is.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import psutil

from evolve.config.toml import config_text, resolve
from evolve.errors import ClusterError
from evolve.evolution.loop import Evolution
from evolve.fitness import roundrobin
from evolve.fitness.executor import Threads, task_size
from evolve.fitness.openings import Part, balanced_openings
from evolve.fitness.playing import play_games
from evolve.fitness.roundrobin import all_pairs, schedule
from evolve.runs import run_folder
from evolve.runs.progress import Observer

if TYPE_CHECKING:
    from evolve.cluster.client import Cluster

_DASK: Final = Path(__file__).resolve().parents[1] / "deploy" / "dask.yaml"
_GAMES: Final = 512 * 511
"""Of a generation of 512 individuals who all meet."""
_SAMPLE: Final = 1000
"""Games whose costs are measured one by one."""
_A_HOST: Final = 64
"""Simulated workers of a process."""
_IDLE: Final = 5.0
"""Seconds for which a scheduler is watched that has nothing to do but hear its workers."""


def serial(population: int, opponents: int | None) -> None:
    """Print the seconds of three generations outside their games."""
    options: dict[str, Any] = {"population": population, "generations": 4, "move_budget": 300}
    options |= {"fix": {"depths": 1, "endgame": 0}, "panel_every": 1000, "opponents": opponents}
    playing = 0.0

    def timed(*given: Any, **options: Any) -> Any:
        nonlocal playing
        begin = time.perf_counter()
        found = play_games(*given, **options)
        playing += time.perf_counter() - begin
        return found

    roundrobin.play_games = timed  # type: ignore[attr-defined]
    with tempfile.TemporaryDirectory() as scratch:
        settings = resolve({key: one for key, one in options.items() if one is not None})
        evolution = Evolution(Path(scratch), settings, Threads(os.cpu_count() or 1))
        run_folder.create(Path(scratch), config_text(settings, {}))
        played = None
        for generation in range(4):
            playing, begin = 0.0, time.perf_counter()
            played = evolution._play(played, Observer())
            bred = time.perf_counter() - begin - playing
            begin = time.perf_counter()
            evolution._judge(played)
            written = time.perf_counter() - begin
            if generation:
                games = settings.games_a_generation
                print(
                    f"generation {generation}, {games} games: breeding and standings {bred:.2f} s, "
                    f"writing {written:.2f} s, together {bred + written:.2f} s"
                )


def game_costs() -> npt.NDArray[np.float64]:
    """Seconds of single games between individuals of a young evolution."""
    with tempfile.TemporaryDirectory() as scratch:
        settings = resolve({"generations": 6, "panel_every": 1000})
        evolution = Evolution(Path(scratch), settings, Threads(os.cpu_count() or 1))
        run_folder.create(Path(scratch), config_text(settings, {}))
        played = None
        for _ in range(6):
            played = evolution._play(played, Observer())
            evolution._judge(played)
        assert played is not None
        rng = np.random.default_rng(0)
        pairs = all_pairs(settings.population)
        openings = balanced_openings(_SAMPLE, Part.TRAINING, settings.rules, rng, 8)
        drawn = rng.choice(len(pairs), _SAMPLE // 2, replace=False)
        pairings = schedule(pairs[drawn], np.arange(_SAMPLE // 2)[:, None])
        costs = []
        for number in range(len(pairings)):
            begin = time.perf_counter()
            play_games(
                played.round.agents,
                pairings[number : number + 1],
                openings,
                settings.rules,
                move_budget=settings.move_budget,
                largest_endgame=evolution.genome.largest_endgame,
            )
            costs.append(time.perf_counter() - begin)
        return np.array(costs)


def nap(seconds: float) -> float:
    """What a simulated task does."""
    time.sleep(seconds)
    return seconds


async def _host(address: str, count: int) -> None:
    import dask
    from distributed import Worker

    # So many of one process would do hardly anything else.
    dask.config.set({"distributed.worker.profile.enabled": False})
    dask.config.set({"distributed.admin.system-monitor.interval": "1 minute"})
    dask.config.set({"distributed.admin.tick.interval": "1 minute"})
    async with contextlib.AsyncExitStack() as stack:
        for _ in range(count):
            await stack.enter_async_context(
                Worker(address, nthreads=1, dashboard=False, memory_limit=0)
            )
        await asyncio.Event().wait()


@contextlib.contextmanager
def simulated(workers: int) -> Iterator[tuple[str, psutil.Process]]:
    """A scheduler and so many workers; its address and process."""
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with _scheduler(quiet) as (address, scheduler), contextlib.ExitStack() as stack:
        for start in range(0, workers, _A_HOST):
            count = str(min(_A_HOST, workers - start))
            own = ["benchmarks.scaling", "workers", "--address", address, "--workers", count]
            stack.enter_context(_killed(subprocess.Popen([sys.executable, "-m", *own], **quiet)))
        yield address, scheduler


def cluster(workers: Sequence[int], times: Sequence[float], longest: float) -> None:
    """Print the speed-up of a generation's games of 512 individuals."""
    costs = game_costs()
    print(
        f"{1e3 * costs.mean():.3f} ms a game, deviation {1e3 * costs.std():.3f}; {_GAMES} games a "
        "generation\n"
        "times  workers  tasks  a slot     wall  speed-up  this machine  "
        "scheduler's CPU a task, without hearing workers"
    )
    for factor, count in product(times, workers):
        if factor * costs.mean() * _GAMES / count <= longest:
            _measure(costs, factor, count)


def _measure(costs: npt.NDArray[np.float64], factor: float, workers: int) -> None:
    """So many simulated workers whose games take so many times as long as was measured."""
    rng = np.random.default_rng(1)
    size = task_size(_GAMES, workers)
    tasks = [
        float(factor * rng.choice(costs, min(size, _GAMES - start)).sum())
        for start in range(0, _GAMES, size)
    ]
    with simulated(workers) as (address, scheduler), _connected(address) as executor:
        while executor.slots < workers:
            time.sleep(0.2)
        list(executor.run(nap, [0.01] * 2 * workers))
        hearing, begin = _cpu(scheduler), time.perf_counter()
        time.sleep(_IDLE)
        hearing = (_cpu(scheduler) - hearing) / (time.perf_counter() - begin)
        before, begin = _cpu(scheduler), time.perf_counter()
        psutil.cpu_percent()
        list(executor.run(nap, tasks))
        busy, wall = psutil.cpu_percent(), time.perf_counter() - begin
        spent = _cpu(scheduler) - before
    print(
        f"{factor:5g}{workers:9}{len(tasks):7}{len(tasks) / workers:8.1f}{wall:9.2f}"
        f"{sum(tasks) / wall:10.1f}{busy:12.0f} %"
        f"{1e3 * spent / len(tasks):12.2f} ms"
        f"{1e3 * (spent - hearing * wall) / len(tasks):12.2f} ms",
        flush=True,
    )


def _connected(address: str) -> Cluster:
    """A client, once the scheduler has started."""
    from evolve.cluster.client import Cluster

    while True:
        with contextlib.suppress(ClusterError):
            return Cluster(address)


def threads(pairs: int) -> None:
    """Print the ratios of CPU and wall of a short default run, Dask against threads."""
    with tempfile.TemporaryDirectory() as scratch, _dask(Path(scratch)) as (address, processes):

        def run(name: str, *words: str) -> tuple[float, float]:
            own = [sys.executable, "-m", "evolve", "run", "--generations", "8", "--seed", "1"]
            before = sum(_cpu(process) for process in processes)
            begin = time.perf_counter()
            child = psutil.Popen(
                [*own, "--jobs", "2", "--out", f"{scratch}/{name}", *words],
                stdout=subprocess.DEVNULL,
            )
            _, _, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - begin
            after = sum(_cpu(process) for process in processes)
            return usage.ru_utime + usage.ru_stime + after - before, wall

        run("warm", "--scheduler", address)
        ratios = []
        for number in range(pairs):
            order: list[Callable[[], tuple[float, float]]] = [
                lambda n=number: run(f"dask-{n}", "--scheduler", address),  # type: ignore[misc]
                lambda n=number: run(f"threads-{n}"),  # type: ignore[misc]
            ]
            if number % 2:
                threaded, dask = order[1](), order[0]()
            else:
                dask, threaded = order[0](), order[1]()
            ratios.append((dask[0] / threaded[0], dask[1] / threaded[1]))
            print(
                f"CPU {dask[0]:.2f} against {threaded[0]:.2f} s, wall {dask[1]:.2f} against "
                f"{threaded[1]:.2f} s",
                flush=True,
            )
        cpu, wall = (statistics.median(column) for column in zip(*ratios, strict=True))
        print(f"medians of the ratios: CPU {cpu:.3f}, wall {wall:.3f}")


def seeds(generations: int, pairs: int) -> None:
    """Print how long a run with eight seeds takes on one worker, and on two."""
    with tempfile.TemporaryDirectory() as scratch:

        def run(name: str, address: str, last: int, generations: int) -> float:
            own = [sys.executable, "-m", "evolve", "run", "--generations", str(generations)]
            own += ["--population", "32", "--seeds", f"0-{last}", "--scheduler", address]
            begin = time.perf_counter()
            subprocess.run(
                [*own, "--out", f"{scratch}/{name}"], stdout=subprocess.DEVNULL, check=True
            )
            return time.perf_counter() - begin

        def study(name: str, workers: int) -> tuple[float, float]:
            with _dask(Path(scratch), workers) as (address, (_, *processes)):
                run(f"warm-{name}", address, 1, 1)
                before = sum(map(_cpu, processes))
                took = run(name, address, 7, generations)
                return took, sum(map(_cpu, processes)) - before

        ratios = []
        for number in range(pairs):
            order = (1, 2) if number % 2 == 0 else (2, 1)
            took = {workers: study(f"{number}-on-{workers}", workers) for workers in order}
            (one, its_cpu), (two, their_cpu) = took[1], took[2]
            ratios.append(one / two)
            print(
                f"one worker {one:.1f} s, two {two:.1f} s: {ratios[-1]:.2f} times as fast; "
                f"CPU {its_cpu:.1f} and {their_cpu:.1f} s",
                flush=True,
            )
        print(f"median of the ratios: {statistics.median(ratios):.2f}")


@contextlib.contextmanager
def _dask(folder: Path, workers: int = 2) -> Iterator[tuple[str, list[psutil.Process]]]:
    """A scheduler and workers by hand; their processes."""
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    head = [sys.executable, "-m", "dask", "worker"]
    with _scheduler(quiet) as (address, scheduler), contextlib.ExitStack() as stack:
        started = [scheduler]
        for _ in range(workers):
            words = [address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
            worker = subprocess.Popen([*head, *words], **quiet)
            stack.enter_context(_killed(worker))
            started.append(psutil.Process(worker.pid))
        time.sleep(5)
        yield address, started


@contextlib.contextmanager
def _scheduler(how: dict[str, Any]) -> Iterator[tuple[str, psutil.Process]]:
    """A scheduler of Dask; its address and process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["dask", "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    with _killed(subprocess.Popen([sys.executable, "-m", *words], **how)) as process:
        yield f"tcp://127.0.0.1:{port}", psutil.Process(process.pid)


@contextlib.contextmanager
def _killed(process: subprocess.Popen[bytes]) -> Iterator[subprocess.Popen[bytes]]:
    """A process that does not outlive what it is for."""
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _cpu(process: psutil.Process) -> float:
    """Seconds that a process has taken."""
    return float(sum(process.cpu_times()[:2]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=["serial", "cluster", "threads", "seeds", "workers"])
    parser.add_argument("--population", type=int, default=512)
    parser.add_argument("--opponents", type=int)
    parser.add_argument("--workers", type=int, nargs="+", default=[8, 32, 128])
    parser.add_argument("--times", type=float, nargs="+", default=[1.0, 10.0])
    parser.add_argument("--longest", type=float, default=60.0)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--generations", type=int, default=20)
    parser.add_argument("--address")
    given = parser.parse_args()
    os.environ.setdefault("DASK_CONFIG", str(_DASK))
    if given.part == "serial":
        serial(given.population, given.opponents)
    elif given.part == "cluster":
        cluster(given.workers, given.times, given.longest)
    elif given.part == "threads":
        threads(given.pairs)
    elif given.part == "seeds":
        seeds(given.generations, given.pairs)
    else:
        asyncio.run(_host(given.address, given.workers[0]))
