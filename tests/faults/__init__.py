"""Faults at the changes of files that some work makes: it ends, fails or is interrupted there.

All changes of files in people's folders go through `evolve.files.changes`, whose hook this sets.
The work runs once undisturbed, and its points are recorded. Then, for each of them, it runs again
with a fault there, goes on as its user would, and must come to the same.

A death is simulated: at the point the folder is copied, and the copy is what `kill -9` leaves; one
piece of work gives the copies of all its points.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from evolve.files import changes
from evolve.files.atomic import TEMPORARY_PREFIX
from evolve.files.changes import Change, Hook
from evolve.tables.parquet import read_table
from tests.cli import Result, invoke

_TEMPORARY: Final = re.compile(re.escape(TEMPORARY_PREFIX) + r"[0-9a-f]{16}")
_NUMBER: Final = re.compile(r"[0-9]+")
_GROWS: Final[tuple[Change, ...]] = ("make", "write", "append")
"""Changes that a full disk refuses, this one and all that follow."""
_REASONS: Final[dict[Change, int]] = {
    **dict.fromkeys(_GROWS, errno.ENOSPC), "rename": errno.EACCES, "remove": errno.EACCES,
    "cut": errno.EIO, "sync": errno.EIO,
}  # fmt: skip
"""What goes wrong with each kind of change."""
DATA: Final = "data"
"""What evolve knows of its user is in the folder of the work, so that it may be hit as well."""


class Point(NamedTuple):
    """A change that work makes; a temporary file's name is the same each time."""

    change: Change
    place: str

    @classmethod
    def of(cls, change: Change, path: Path, root: Path) -> Point:
        place = os.path.relpath(path, root)
        return cls(change, _TEMPORARY.sub(TEMPORARY_PREFIX, place))


@contextlib.contextmanager
def hooked(hook: Hook) -> Iterator[None]:
    """Call `hook` before every change while the block runs, but in a worker's scratch folders."""
    assert changes.hook is None

    def called(change: Change, path: Path, piece: bytes) -> None:
        if not any(part.startswith("evolve-") for part in path.parts):
            hook(change, path, piece)

    changes.hook = called
    try:
        yield
    finally:
        changes.hook = None


@contextlib.contextmanager
def recorded(root: Path) -> Iterator[list[Point]]:
    """The points that the block passes, named as seen from `root`."""
    points: list[Point] = []
    with hooked(lambda change, path, piece: points.append(Point.of(change, path, root))):
        yield points


@contextlib.contextmanager
def deaths(root: Path, place: Path, numbers: Container[int]) -> Iterator[dict[int, Path]]:
    """Copies of a folder at some points of the block, by their numbers: what a process that dies
    there leaves, in the middle of the change where that has one."""
    copies: dict[int, Path] = {}
    passed = count()

    def copy(change: Change, path: Path, piece: bytes) -> None:
        if (number := next(passed)) in numbers:
            copies[number] = place / f"death-{number}"
            shutil.copytree(root, copies[number], symlinks=True)
            tear(change, copies[number] / os.path.relpath(path, root), piece)

    with hooked(copy):
        yield copies


class Failure:
    """A hook by which the change at point number `at`, counted from 0, fails; a full disk leaves
    half of what was to be written, and stays full."""

    def __init__(self, at: int) -> None:
        self._left, self.reason = at, 0

    def __call__(self, change: Change, path: Path, piece: bytes) -> None:
        if self.reason:
            if self.reason == errno.ENOSPC and change in _GROWS:
                raise OSError(self.reason, os.strerror(self.reason), str(path))
        elif self._left:
            self._left -= 1
        else:
            tear(change, path, piece)
            self.reason = _REASONS[change]
            # Of a file that is open, the system does not say the name.
            names = () if change == "write" else (str(path),)
            raise OSError(self.reason, os.strerror(self.reason), *names)


def at_point(number: int, action: Callable[[], object]) -> Hook:
    """A hook that does something at point `number`; the change happens all the same."""
    passed = count()

    def hook(*_: object) -> None:
        if next(passed) == number:
            action()

    return hook


def named(points: Sequence[Point], number: int) -> Point:
    """A point, a temporary file by the name that it is to have."""
    point = points[number]
    return Point("write", points[number + 1].place) if point.change == "write" else point


def death_points(points: Sequence[Point]) -> set[int]:
    """The numbers of those at which a death leaves a state of its own.

    Before a written file is synced and renamed there is what there is in the middle of writing it,
    but for the size of a file that nobody reads.
    """
    changes = [(number, point.change) for number, point in enumerate(points)]
    awake = [(number, change) for number, change in changes if change != "sync"]
    return {
        number
        for (_, last), (number, change) in zip([(-1, ""), *awake], awake, strict=False)
        if (last, change) != ("write", "rename")
    }


def tear(change: Change, path: Path, piece: bytes) -> None:
    """Leave half of what is being written on the disk."""
    if change == "append":
        with path.open("ab") as file:
            file.write(piece[: len(piece) // 2])
    elif change == "write":
        os.truncate(path, path.stat().st_size // 2)


def leftovers(folder: Path) -> list[str]:
    """Temporary files below a folder."""
    return sorted(
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.name.startswith(TEMPORARY_PREFIX)
    )


class Work(NamedTuple):
    """Some work in a folder, which is the working directory meanwhile.

    `begin` does it; `go_on` is what its user does after a fault; `outcome` is compared.
    """

    begin: Callable[[], Result]
    go_on: Callable[[], Result]
    outcome: Callable[[], Any]
    prepared: Path | None = None
    """What is in the folder before."""

    def ready(self, folder: Path) -> None:
        """Make the folder."""
        if self.prepared is None:
            folder.mkdir()
        else:
            shutil.copytree(self.prepared, folder)


def command(
    words: Sequence[object], out: str, outcome: Callable[[], Any], file: str = "config.toml"
) -> Work:
    """A command that makes the run `out`: it is typed again where there is no run yet."""

    def go_on() -> Result:
        again = ("resume", out, "--jobs", 1) if (Path(out) / file).exists() else words
        return invoke(*again)

    return Work(lambda: invoke(*words), go_on, outcome)


def typed_again(
    words: Sequence[object], outcome: Callable[[], Any], prepared: Path | None = None
) -> Work:
    """A command that goes on when it is typed again."""
    work = partial(invoke, *words)
    return Work(work, work, outcome, prepared)


Where = Callable[[Point, int], bool]
"""Whether a point, by its number as well, is to be looked at."""


class Enumeration:
    """All points of some work, and what it comes to."""

    def __init__(self, work: Work, place: Path) -> None:
        self.work = work
        self.place = place
        self._left_before = [] if work.prepared is None else leftovers(work.prepared)
        with self.inside() as folder, recorded(folder) as self.points:
            whole = work.begin()
            assert whole.code == 0, whole
            self.expected = work.outcome()
            assert leftovers(folder) == []

    @contextlib.contextmanager
    def inside(self, left: Path | None = None) -> Iterator[Path]:
        """A folder ready for the work as working directory, removed afterwards; `left`: the copy
        that it is to be."""
        folder = self.place / "work"
        if left is None:
            self.work.ready(folder)
        else:
            left.rename(folder)
        with contextlib.chdir(folder):
            yield folder
        shutil.rmtree(folder)

    def place_of(self, change: Change, place: str) -> int:
        """The number of the first point that is so."""
        return self.points.index(Point(change, place))

    def ends(self, *names: str) -> Where:
        """Of the changes of files that are called so, or of all, the first and the last of each
        kind; a name ends as given, and stands for all that differ from it in numbers."""
        found: dict[Point, list[int]] = {}
        for number in range(len(self.points)):
            change, place = named(self.points, number)
            kind = Point(change, _NUMBER.sub("N", place))
            if kind.place.endswith(names or ""):
                found.setdefault(kind, []).append(number)
        missing = [name for name in names if not any(k.place.endswith(name) for k in found)]
        assert missing == [], found.keys()
        chosen = {number for numbers in found.values() for number in (numbers[0], numbers[-1])}
        return lambda point, number: number in chosen

    def die(self, at: Where | None = None) -> int:
        """Die at every change that is `at` such a place, and go on; how often."""
        numbers = {n for n in death_points(self.points) if at is None or at(self.points[n], n)}
        with self.inside() as folder, deaths(folder, self.place, numbers) as copies:
            answer = self.work.begin()
            assert answer.code == 0, answer
        for number, copy in copies.items():
            with self.inside(copy), explained(self.points[number], number):
                self._go_on()
        return len(numbers)

    def fail(self, check: Callable[[Point, Result], None], at: Where | None = None) -> int:
        """Fail at every point that is so, `check` the answer, and go on; how often."""
        chosen = [(n, p) for n, p in enumerate(self.points) if at is None or at(p, n)]
        for number, point in chosen:
            with self.inside() as folder, explained(point, number):
                failure = Failure(number)
                with hooked(failure):
                    answer = self.work.begin()
                assert failure.reason
                assert leftovers(folder) in ([], self._left_before)
                check(named(self.points, number), answer)
                self._go_on()
        return len(chosen)

    def interrupt(
        self, action: Callable[[], object], check: Callable[[Result], None], at: range
    ) -> int:
        """Do something at some points, as a signal, `check` the answer, and go on; how often."""
        for number in at:
            with self.inside() as folder, explained(self.points[number], number):
                with hooked(at_point(number, action)):
                    answer = self.work.begin()
                check(answer)
                assert leftovers(folder) == []
                self._go_on()
        return len(at)

    def _go_on(self) -> None:
        result = self.work.go_on()
        assert result.code == 0, result
        assert self.work.outcome() == self.expected
        # Half a secret in the folder of the user's data stays: whether another process is just
        # writing its own there cannot be seen.
        assert [name for name in leftovers(Path()) if not name.startswith(DATA)] == []


@contextlib.contextmanager
def explained(point: Point, number: int) -> Iterator[None]:
    """Say where it was, if anything goes wrong."""
    try:
        yield
    except Exception as error:
        error.add_note(f"the fault was at point {number}: {point.change} {point.place}")
        raise


def in_one_line(point: Point, answer: Result) -> None:
    """The command failed, and said so in a line that names the file."""
    assert answer.code == 1, answer
    assert answer.err.startswith("error: "), answer
    assert answer.err.count("\n") == 1, answer
    assert Path(point.place).name in _TEMPORARY.sub(TEMPORARY_PREFIX, answer.err), answer


_NOT_RESULTS: Final = ("seconds", "worker")


def results(folder: Path) -> dict[str, Any]:
    """What a run comes to: its tables and its champion, without times and the run's name."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*.parquet")):
        table = read_table(path).replace_schema_metadata(None)
        names = [name for name in table.column_names if not name.endswith(_NOT_RESULTS)]
        found[path.relative_to(folder).as_posix()] = table.select(names).to_pylist()
    for path in sorted(folder.glob("*.json")):
        found[path.name] = json.loads(path.read_text(encoding="utf-8"))
    return found
