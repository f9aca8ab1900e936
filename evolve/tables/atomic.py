"""Writing a file so that at any moment the old or the new one is there, whole."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

TEMPORARY_PREFIX = ".writing-"


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; it takes the place of `path` when all went well.

    The data is on the disk before the rename is. The folder must exist; OSError passes through
    and leaves nothing behind.
    """
    handle, name = tempfile.mkstemp(prefix=TEMPORARY_PREFIX, suffix=path.suffix, dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        # mkstemp makes the file private; give it the mode any new file would have.
        os.chmod(temporary, 0o666 & ~_umask())
        os.replace(temporary, path)
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
