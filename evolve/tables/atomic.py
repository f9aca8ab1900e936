"""Writing a file so that at any moment the old or the new one is there, whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

TEMPORARY_PREFIX = ".writing-"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; it takes the place of `path` when all went well.

    The data is on the disk before the rename is. The folder must exist. A link is followed; a
    pipe or a device is written to. OSError passes through under the name of `path`, and nothing
    is left behind.
    """
    target = Path(os.path.realpath(path))
    special = target.exists() and not target.is_file()
    try:
        handle, name = tempfile.mkstemp(
            prefix=TEMPORARY_PREFIX, suffix=path.suffix, dir=None if special else target.parent
        )
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if special:
            with temporary.open("rb") as source, target.open("wb") as sink:
                shutil.copyfileobj(source, sink)
            temporary.unlink()
            return
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        # mkstemp makes the file private; give it the mode any new file would have.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: Path, text: str) -> None:
    """Replace the text file `path` (UTF-8) in one step."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
