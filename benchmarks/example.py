"""The example run that comes with evolve: makes it again, and packs it.

python -m benchmarks.example

It takes a minute on one core. Of each generation's games it keeps a few, so that the archive stays
small; the tables of individuals are whole.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any, Final

import pyarrow as pa

import evolve
from evolve.records.moves import read_move
from evolve.service.api.welcome import ABOUT, ARCHIVE, NAME
from evolve.service.folders import Folders
from evolve.service.index import Index
from evolve.tables.games import GAMES_COLUMNS
from evolve.tables.individuals import table_metadata
from evolve.tables.parquet import read_table, write_table

_SETTINGS: Final = ("--population=16", "--generations=12", "--seed=1", "--jobs=1")
_KEPT: Final = 6
"""Games of a generation that are kept: some that its best won."""
_OF_GAME: Final = ("rules", "black", "white", "moves", "discs_black", "discs_white")
_COACH: Final = "patterns-{rules}?depth=4&endgame=12"
_OUT: Final = Path(evolve.__file__).parent / "service" / ARCHIVE


def _champion_of(folder: Path) -> str:
    return str(json.loads((folder / "champion.json").read_text())["name"])


def _best_of(path: Path) -> str:
    """The best of a generation, from its file."""
    return str(table_metadata(read_table(path), path)[0]["best"])


def _champions_game(folder: Path) -> dict[str, Any]:
    """A game that the champion won clearly in the play-off, with a coach's values."""
    champion = _champion_of(folder)
    rows = read_table(Path(folder) / "games/playoff.parquet").to_pylist()
    won = [row for row in rows if row.get(row["winner"]) == champion]
    row = min(won, key=lambda one: (-one["plies"], one[f"discs_{one['winner']}"], one["game"]))
    kept = {key: row[key] for key in _OF_GAME}
    coach = evolve.load_agent(_COACH.format(rules=row["rules"]))
    discs: list[float] = []
    board = evolve.Board.start()
    for move in [*row["moves"].split(), None]:
        sign = 1 if board.side == "black" else -1
        analysis = None if not board.legal_moves() else coach.analyse(board)
        if board.is_over():
            value = float(board.score(row["rules"]))
        elif analysis is None:
            value = sign * discs[-1] if discs else 0.0
        else:
            value = max(analysis.discs(square) or 0.0 for square in analysis.values)
        discs.append(round(sign * value, 1))
        if move is not None:
            board = board.pass_move() if move == "pass" else board.play(read_move(move))
    return {**kept, "discs": discs}


def make(folder: Path) -> dict[str, bytes]:
    """Make the run in a folder; returns the files of the archive."""
    command = [sys.executable, "-m", "evolve", "run", *_SETTINGS, "--out", str(folder / NAME)]
    subprocess.run(command, check=True)
    run = folder / NAME
    game = _champions_game(run)
    best = {path.stem: _best_of(path) for path in sorted(Path(run).glob("generations/*"))}
    for path in sorted(Path(run).glob("games/*")):
        table = read_table(path, GAMES_COLUMNS)
        name = best.get(path.stem) or _champion_of(run)
        won = [row.get(row["winner"]) == name for row in table.to_pylist()]
        write_table(path, table.filter(pa.array(won)).slice(0, _KEPT))
    place = Folders(folder)
    index = Index(place, lambda name: None)
    index.scan()
    summary = index.drawn(index.summary(NAME))
    about = {"run": summary.model_dump(mode="json"), "game": game}
    paths = sorted(path for path in run.rglob("*") if path.is_file() and path.name != ".lock")
    files = {str(path.relative_to(run)): path.read_bytes() for path in paths}
    return {ABOUT: json.dumps(about).encode(), **files}


def pack(files: dict[str, bytes]) -> bytes:
    """The archive, the same for the same files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz", preset=9) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        packed = pack(make(Path(folder)))
    _OUT.write_bytes(packed)
    print(f"{_OUT}: {len(packed) / 1000:.0f} kB")


if __name__ == "__main__":
    main()
