"""The only access to files in a folder that people name: below that folder no link is followed.

A folder of runs may come from anywhere. A link in it would let its maker choose which files of the
user are read, shown, overwritten or removed. So everything inside is reached from a handle of the
folder, level by level, and a link on the way is an error that names it. The folder itself may be a
link: its user named it. Changes of files use the same handles, see `changes`.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any, Final

from evolve.errors import LinkError, RunError

if sys.platform == "win32":
    from pathlib import WindowsPath as _SystemPath
else:
    from pathlib import PosixPath as _SystemPath

_HANDLES: Final = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
"""Whether the system opens files relative to an open folder, and refuses links itself.

Elsewhere each level is checked first, which leaves a moment in which it may be replaced.
"""
_DIRECTORY: Final = getattr(os, "O_DIRECTORY", 0)
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_BYTES: Final = getattr(os, "O_BINARY", 0)
"""Windows would write two bytes for the end of a line, and end a file at Ctrl-Z."""
_NO_WAIT: Final = getattr(os, "O_NONBLOCK", 0)
_PASS: Final = getattr(os, "O_PATH", os.O_RDONLY) | _DIRECTORY
"""Flags to pass through a folder; on Linux also through one that may not be listed."""
_JUNCTION: Final = getattr(stat, "IO_REPARSE_TAG_MOUNT_POINT", None)


class FolderPath(_SystemPath):
    """A path that follows no link below the folder that the user named.

    base: that folder; names: the path from there. A path joined to it is inside as well; one that
    leads out is a RunError. Every method that checks, opens or lists it raises LinkError for a
    link.
    """

    base: Path
    names: tuple[str, ...]

    def __truediv__(self, name: str | os.PathLike[str]) -> FolderPath:
        return _made(self.base, Path(self) / name)

    def __reduce__(self) -> tuple[Callable[..., FolderPath], tuple[str, ...]]:
        return inside, (str(self.base), *self.names)

    def joinpath(self, *names: str | os.PathLike[str]) -> FolderPath:
        """A path further inside."""
        return _made(self.base, Path(self).joinpath(*names))

    def with_segments(self, *segments: str | os.PathLike[str]) -> Path:
        """An ordinary path: from Python 3.12 on, pathlib's other methods call this."""
        return Path(*segments)

    def with_name(self, name: str) -> FolderPath:
        """The same path with another name; not for the base."""
        return _made(self.base, Path(self).with_name(name))

    def with_suffix(self, suffix: str) -> FolderPath:
        """The same path with another suffix; not for the base."""
        return _made(self.base, Path(self).with_suffix(suffix))

    def relative_to(self, *other: Any, **options: Any) -> Path:  # type: ignore[override]
        """The path relative to another one, as an ordinary path."""
        return Path(self).relative_to(*other, **options)

    def resolve(self, strict: bool = False) -> Path:  # type: ignore[override]
        """The absolute path without links, as an ordinary path."""
        return Path(self).resolve(strict)

    def absolute(self) -> Path:  # type: ignore[override]
        """The absolute path, as an ordinary path."""
        return Path(self).absolute()

    @property
    def parent(self) -> Path:  # type: ignore[override]
        """The folder that contains it; inside as well, unless this is the base."""
        above = Path(self).parent
        return _made(self.base, above) if self.names else above

    @property
    def parents(self) -> Sequence[Path]:  # type: ignore[override]
        """All folders above, as ordinary paths."""
        return Path(self).parents

    def lstat(self) -> os.stat_result:
        """The status of the file, or of the link itself."""
        return self.stat(follow_symlinks=False)

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        """The status of the file; LinkError for a link that would be followed."""
        with reached(self) as (handle, name):
            status = os.stat(name, dir_fd=handle, follow_symlinks=not self.names)
            if follow_symlinks and self.names:
                _refuse(status, handle, name, self)
        return status

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        """Whether something exists at this path."""
        return self._is(lambda mode: True, follow_symlinks)

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a file."""
        return self._is(stat.S_ISREG, follow_symlinks)

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Whether it is a folder."""
        return self._is(stat.S_ISDIR, follow_symlinks)

    def is_symlink(self) -> bool:
        """Whether it is a link; False for the base, which its user named."""
        return self._is(stat.S_ISLNK, False)

    def _is(self, test: Callable[[int], bool], follow_symlinks: bool) -> bool:
        try:
            return test(self.stat(follow_symlinks=follow_symlinks).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False

    def open(  # type: ignore[override]
        self,
        mode: str = "r",
        buffering: int = -1,
        encoding: str | None = None,
        errors: str | None = None,
        newline: str | None = None,
    ) -> IO[Any]:
        """Open the file, as Python does."""
        return open(
            Path(self),
            mode,
            buffering,
            encoding,
            errors,
            newline,
            opener=lambda _, flags: open_handle(self, flags),
        )

    def iterdir(self) -> Generator[FolderPath, None, None]:
        """All entries of the folder, including links, which are not followed."""
        with _listed(self) as entries:
            names = [entry.name for entry in entries]
        for name in names:
            entry = FolderPath(self, name)  # same as `/`, in a third of the time
            entry.base, entry.names = self.base, (*self.names, name)
            yield entry

    def glob(self, pattern: str) -> Generator[FolderPath, None, None]:
        """Entries of the folder that match a pattern; nothing where the folder is missing."""
        first, _, rest = pattern.partition("/")
        for one in list(self.iterdir()) if self.is_dir() else []:
            if fnmatchcase(one.name, first):
                yield from one.glob(rest) if rest else (one,)

    def rglob(self, pattern: str) -> Generator[FolderPath, None, None]:
        """Entries that match a pattern, in this folder and all folders below it."""
        for one in self.iterdir():
            if fnmatchcase(one.name, pattern):
                yield one
            if one.is_dir():
                yield from one.rglob(pattern)

    def refuse_links(self) -> None:
        """Raise LinkError where an entry of the folder is a link."""
        with _listed(self) as entries:
            links = [entry.name for entry in entries if entry.is_symlink()]
        for name in sorted(links)[:1]:
            (self / name).stat()

    def unlinked(self) -> Path:
        """The same path for code that opens files by name: child processes and other libraries.

        Raises LinkError where it is a link now. The file need not exist yet.
        """
        self.exists()
        return Path(self)


def inside(folder: str | Path, *names: str) -> FolderPath:
    """The path of a folder that the user named, or of something inside it."""
    if not isinstance(folder, FolderPath):
        folder = _made(Path(folder), Path(folder))
    return folder.joinpath(*names) if names else folder


def _made(base: Path, path: Path) -> FolderPath:
    count = len(base.parts)
    names = path.parts[count:]
    if path.parts[:count] != base.parts or ".." in names:
        raise RunError(f"{path} leads out of {base}")
    made = FolderPath(path)
    made.base, made.names = base, names
    return made


@contextmanager
def reached(path: Path) -> Iterator[tuple[int | None, str]]:
    """A handle of the folder that contains an inside path, and the name there.

    Raises LinkError where that folder is reached through a link. For any other path, and where the
    system has no such handles: None and the whole path. An OSError always names the whole path.
    """
    names = path.names if isinstance(path, FolderPath) else ()
    if not isinstance(path, FolderPath) or not names or not _HANDLES:
        if isinstance(path, FolderPath):
            _look_at_each(path)
        yield None, str(path)
        return
    place = path.base
    handle = os.open(place, _PASS)
    try:
        for name in names[:-1]:
            place = place / name
            with _named(place, name):
                before, handle = handle, _opened(name, _PASS, handle, place)
            os.close(before)
        with _named(path, names[-1]):
            yield handle, names[-1]
    finally:
        os.close(handle)


def open_handle(path: Path, flags: int, mode: int = 0o666) -> int:
    """Open a file as `os.open` does; a path inside a folder is opened through no link.

    There a pipe or a device is a RunError: opening one can wait for ever, or have effects.
    """
    flags |= _BYTES
    if not isinstance(path, FolderPath):
        return os.open(path, flags, mode)
    with reached(path) as (handle, name):
        if not path.names:
            return os.open(name, flags, mode)
        if not _HANDLES:
            path.exists()
        opened = _opened(name, flags | _NO_WAIT, handle, path, mode)
    kind = os.fstat(opened).st_mode
    if stat.S_ISREG(kind) or stat.S_ISDIR(kind):
        return opened
    os.close(opened)
    raise RunError(f"{path} is a pipe or a device: only files belong there")


def _opened(name: str, flags: int, handle: int | None, place: Path, mode: int = 0o666) -> int:
    try:
        return os.open(name, flags | _NO_LINK, mode, dir_fd=handle)
    except FileNotFoundError:
        raise
    except OSError:  # the errno for a link depends on the system
        _refuse(os.stat(name, dir_fd=handle, follow_symlinks=False), handle, name, place)
        raise


def _refuse(status: os.stat_result, handle: int | None, name: str, place: Path) -> None:
    """Raise LinkError for a link."""
    junction = _JUNCTION is not None and getattr(status, "st_reparse_tag", 0) == _JUNCTION
    if stat.S_ISLNK(status.st_mode) or junction:
        target = os.readlink(name, dir_fd=handle)
        raise LinkError(errno.ELOOP, f"is a link to {target}: put what it names there", str(place))


def _look_at_each(path: FolderPath) -> None:
    """Raise LinkError where a folder on the way to `path` is a link."""
    place = path.base
    for name in path.names[:-1]:
        place = place / name
        _refuse(os.stat(place, follow_symlinks=False), None, str(place), place)


@contextmanager
def _named(path: Path, name: str) -> Iterator[None]:
    """Change an OSError that names only the last part of a path: it names the whole path."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename != name or isinstance(error, LinkError):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error


@contextmanager
def _listed(folder: FolderPath) -> Iterator[Iterator[os.DirEntry[str]]]:
    """The entries of a folder, read from a handle where the system has one."""
    if not _HANDLES:
        folder.stat()
        with os.scandir(Path(folder)) as entries:
            yield entries
        return
    handle = open_handle(folder, os.O_RDONLY | _DIRECTORY)
    try:
        with os.scandir(handle) as entries:
            yield entries
    finally:
        os.close(handle)
