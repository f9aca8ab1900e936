"""What it takes to read recorded games, in CPU seconds, here and with the code of another commit.

    python -m benchmarks.reading [--games 100000] [--repeats 3] [--against CHECKOUT]

Random games are written as GGF, WTHOR and PGN. Each file is read in a process of its own, by the
code of CHECKOUT, a folder such as `git worktree add` makes, and by ours in turn; CPU time counts
alone, so that other work on the machine costs little. A format that the other cannot read is left
out of its column.
"""

from __future__ import annotations

import argparse
import os
import statistics
import struct
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from evolve.engine.board import bits
from evolve.engine.board.rules import PASS
from evolve.records.formats import write_games
from evolve.records.record import GameRecord

HERE: Final = Path(__file__).resolve().parent.parent
_SOME: Final = 20
"""Games that are read before the clock starts: what is loaded on first use is loaded then."""
_READ: Final = """
import sys, time
try:
    from evolve.records.formats import read_games
except ImportError:
    from evolve.records.table import read_games
some, path = sys.argv[1:]
read_games(some)
started = time.process_time()
found = read_games(path)
seconds = time.process_time() - started
print(len(getattr(found, "records", found)), seconds)
"""


def random_games(count: int, seed: int) -> Iterator[GameRecord]:
    """Games of random moves, from the start to the end."""
    rng = np.random.default_rng(seed)
    for number in range(count):
        own, opp = bits.START_OWN, bits.START_OPP
        moves: list[int] = []
        for draw in rng.random(128):
            legal = int(bits.legal_moves(own, opp))
            if not legal:
                if not bits.legal_moves(opp, own):
                    break
                own, opp = opp, own
                moves.append(PASS)
                continue
            for _ in range(int(draw * legal.bit_count())):
                legal &= legal - 1
            square = (legal & -legal).bit_length() - 1
            turned = bits.U(bits.flips(square, own, opp))
            own, opp = opp ^ turned, own ^ turned ^ bits.U(1 << square)
            moves.append(square)
        yield GameRecord(tuple(moves), f"black {number % 97}", f"white {number % 89}")


def write_wthor(path: Path, records: Sequence[GameRecord]) -> None:
    """Write games as a WTHOR database, which `evolve` only reads."""
    games = [struct.pack("<4BiHH4B", 20, 26, 1, 1, len(records), 0, 2026, 8, 0, 22, 0)]
    for record in records:
        codes = bytes(10 * (s // 8 + 1) + s % 8 + 1 for s in record.moves if s != PASS)
        score = record.score or 0
        games.append(struct.pack("<3H2B60s", 7, 12, 34, int(score + 64) // 2, 32, codes))
    path.write_bytes(b"".join(games))


def write(folder: Path, name: str, records: Sequence[GameRecord]) -> dict[str, Path]:
    """The games as a file of each format, by its ending."""
    paths = {ending: folder / f"{name}{ending}" for ending in (".ggf", ".wtb", ".pgn")}
    for ending, path in paths.items():
        (write_wthor if ending == ".wtb" else write_games)(path, records)
    return paths


def seconds_of(checkout: Path, some: Path, path: Path, games: int) -> float | None:
    """CPU seconds that the code of a checkout takes for a file; None where it cannot read it."""
    done = subprocess.run(
        [sys.executable, "-c", _READ, str(some), str(path)],
        env={**os.environ, "PYTHONPATH": str(checkout)},
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return None
    count, seconds = done.stdout.split()
    assert int(count) == games, f"{checkout} reads {count} of {games} games of {path}"
    return float(seconds)


def main() -> None:
    """Write the games, read them, and say what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--against", type=Path, metavar="CHECKOUT")
    options = parser.parse_args()
    others = [] if options.against is None else [options.against.resolve()]
    with tempfile.TemporaryDirectory() as folder:
        records = list(random_games(options.games, options.seed))
        paths = write(Path(folder), "games", records)
        some = write(Path(folder), "some", records[:_SOME])
        del records
        for ending, path in paths.items():
            found: dict[Path, list[float]] = {checkout: [] for checkout in (HERE, *others)}
            for _ in range(options.repeats):
                for checkout, times in found.items():
                    seconds = seconds_of(checkout, some[ending], path, options.games)
                    times += [] if seconds is None else [seconds]
            for checkout, times in found.items():
                each = " ".join(f"{one:.2f}" for one in times)
                median = f"{statistics.median(times):.2f} CPU s" if times else "not read"
                print(f"{ending} {checkout.name}: {median} ({each})", flush=True)


if __name__ == "__main__":
    main()
