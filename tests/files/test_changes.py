"""The one door through which files of people's folders are changed."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import evolve
from evolve.files import changes
from evolve.files.atomic import write_bytes, write_text
from evolve.files.changes import (
    Appender,
    append,
    cut,
    make_folder,
    move,
    remove,
    remove_folder,
    remove_tree,
)
from tests.engine import posix

PACKAGE: Final = Path(evolve.__file__).parent
ITSELF: Final = ("files/changes.py", "files/atomic.py")
_OWN_TESTS: Final = "the kernel cache, which holds nothing of anyone's and has tests of damage"
_CHILD: Final = "a child process writes it, not this one"
_SCRATCH: Final = "in a temporary folder of this process, of which nothing is kept"
_MEMORY: Final = "into memory, or into a file that `replacing` gave"
_PANDAS: Final = "a column of pandas gets another name"
EXEMPT: Final = {
    ("engine/compile.py", "os.replace"): _OWN_TESTS,
    ("engine/compile.py", "os.unlink"): _OWN_TESTS,
    ("engine/compile.py", "unlink"): _OWN_TESTS,
    ("engine/compile.py", "open"): _OWN_TESTS,
    ("engine/compile.py", "tempfile.mkstemp"): _OWN_TESTS,
    ("engine/private.py", "mkdir"): "the folder of that cache, and of the user's secret",
    ("engine/private.py", "os.mkdir"): "the folder of that cache, and of the user's secret",
    ("service/lending.py", "open"): _CHILD,
    ("service/process.py", "open"): _CHILD,
    ("studies/process.py", "os.open"): _CHILD,
    ("evolution/leg.py", "mkdir"): _SCRATCH,
    ("evolution/leg.py", "write_bytes"): _SCRATCH,
    ("tables/arrays.py", "ZipFile"): _MEMORY,
    ("tables/parquet.py", "ParquetWriter"): _MEMORY,
    ("service/lending.py", "ParquetWriter"): _MEMORY,
    ("plots/figure.py", "savefig"): _MEMORY,
    ("tables/sheet.py", "to_csv"): _MEMORY,
    ("sweeps/../tables/sweep.py", "rename"): _PANDAS,
}
"""Changes that do not go through the door, by module and function, and why."""
