"""Files of a folder of runs are reached through the door alone: `evolve.files.folder`.

Whatever begins at a `FolderPath` stays inside of it, and mypy sees that functions which want one
get one. So there are two ways past the door: a path that is made as any other, and what opens files
by their names. Each place of either is listed here, with why it may.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import evolve

PACKAGE: Final = Path(evolve.__file__).parent
DOOR: Final = ("files/changes.py", "files/atomic.py", "files/folder.py")
_NAMED: Final = "a file or folder that the user names: an agent, settings, games, what -o writes"
_OURS: Final = "a file of the package, or of the system"
_USER: Final = "in the data folder of the user, which has its own checks"
_DOOR: Final = "made into a path inside at once, or only looked at for whether there is a folder"
_FALLEN: Final = "a name, of which nothing is opened here"
_MEMORY: Final = "from memory, or from a file that is open"
_OTHERS: Final = "a library opens it by its name: `unlinked` has looked right before"
_TIMES: Final = "takes times alone, of a link its own: see `_stamp`"
_ASKED: Final = "what the server names to its child, which it has looked at through the door"
_CURRENT: Final = "of the current folder or the user's own; it may say rules alone"
EXEMPT: Final = {
    ("agents/agent.py", "Path"): _NAMED,
    ("programs/external.py", "cwd"): _NAMED,
    ("programs/external.py", "absolute"): _NAMED,
    ("programs/external.py", "Path"): _NAMED,
    ("agents/names.py", "os.path.exists"): _NAMED,
    ("agents/reference.py", "Path"): _OURS,
    ("agents/discs.py", "Path"): _OURS,
    ("agents/discs.py", "np.load"): _OURS,
    ("fitness/openings.py", "Path"): _OURS,
    ("fitness/openings.py", "np.load"): _OURS,
    ("arena/call.py", "Path"): _NAMED,
    ("arena/match_files.py", "os.path.realpath"): _NAMED,
    ("arena/match_files.py", "Path"): _NAMED,
    ("arena/match_folder.py", "unlinked"): _OTHERS,
    ("cli/boards.py", "Path"): _NAMED,
    ("cli/games.py", "path_type"): _NAMED,
    ("cli/main.py", "open"): _OURS,
    ("cli/options.py", "absolute"): _NAMED,
    ("cli/options.py", "os.access"): _NAMED,
    ("cli/options.py", "Path"): _NAMED,
    ("cli/options.py", "path_type"): _NAMED,
    ("cli/runs.py", "Path"): _DOOR,
    ("cli/serve.py", "path_type"): _DOOR,
    ("cli/settings.py", "Path"): _NAMED,
    ("cli/show.py", "Path"): _DOOR,
    ("cli/signals.py", "os.open"): _OURS,
    ("cli/sweeps.py", "Path"): _NAMED,
    ("config/toml.py", "os.path.lexists"): _CURRENT,
    ("config/toml.py", "Path"): _CURRENT,
    ("errors.py", "os.path.isdir"): _DOOR,
    (
        "evolution/time_slice.py",
        "Path",
    ): "names in an answer, and a folder made to look at its files",
    ("cluster/worker_tasks.py", "Path"): _OURS,
    ("plots/call.py", "Path"): _NAMED,
    ("plots/figure.py", "Path"): _NAMED,
    ("agents/names.py", "absolute"): _NAMED,
    ("agents/names.py", "expanduser"): _NAMED,
    ("agents/names.py", "os.path.isfile"): _NAMED,
    ("agents/names.py", "Path"): _NAMED,
    ("programs/guard.py", "open"): _OURS,
    ("programs/guard.py", "os.listdir"): _OURS,
    ("programs/guard.py", "os.open"): _OURS,
    ("programs/host.py", "os.open"): _OURS,
    ("programs/host.py", "spec_from_file_location"): _NAMED,
    ("programs/meter.py", "Path"): _OURS,
    ("programs/children.py", "os.listdir"): _OURS,
    ("programs/children.py", "Path"): _OURS,
    ("programs/process.py", "Path"): _NAMED,
    ("programs/sessions.py", "Path"): _OURS,
    ("records/formats.py", "Path"): _NAMED,
    ("records/record.py", "absolute"): _NAMED,
    ("records/table.py", "read_csv"): _NAMED,
    ("service/api/jobs.py", "FileResponse"): "the type of an answer, which is a `SentFile`",
    ("service/api/runs.py", "FileResponse"): "the type of an answer, which is a `SentFile`",
    ("service/agents.py", "Path"): _FALLEN,
    ("service/agents.py", "relative_to"): _FALLEN,
    ("service/server.py", "StaticFiles"): _OURS,
    ("service/index.py", "os.lstat"): _TIMES,
    ("service/index.py", "os.path.islink"): _TIMES,
    ("service/index.py", "os.scandir"): "lists the folder itself, which its user named",
    ("service/downloads.py", "FileResponse"): "sends a handle; its name where there are none",
    ("service/downloads.py", "Path"): _OURS,
    ("service/downloads.py", "unlinked"): "where the system has no names for handles",
    ("service/folders.py", "FileLock"): _OTHERS,
    ("service/folders.py", "os.open"): "the folder of runs itself, which its user named",
    ("service/folders.py", "Path"): _OURS,
    ("service/folders.py", "resolve"): _DOOR,
    ("service/folders.py", "unlinked"): _OTHERS,
    ("service/job.py", "Path"): _OURS,
    ("service/engine_worker.py", "Path"): _ASKED,
    ("studies/call.py", "Path"): _DOOR,
    ("sweeps/storage.py", "os.readlink"): _OURS,
    ("sweeps/first_trials.py", "Path"): _NAMED,
    ("sweeps/storage.py", "Path"): _OURS,
    ("sweeps/storage.py", "JournalFileBackend"): _OTHERS,
    ("sweeps/storage.py", "unlinked"): _OTHERS,
    ("sweeps/program_parameters.py", "Path"): _NAMED,
    ("sweeps/program_parameters.py", "resolve"): _DOOR,
    ("sweeps/worker.py", "Path"): _OURS,
    ("agents/agent_file.py", "ZipFile"): _MEMORY,
    ("runs/run_folder.py", "FileLock"): _OTHERS,
    ("runs/run_folder.py", "unlinked"): _OTHERS,
    ("runs/run_folder.py", "Path"): _USER,
    ("runs/run_folder.py", "resolve"): _FALLEN,
    ("tables/parquet.py", "ParquetFile"): _MEMORY,
    ("tables/parquet.py", "read_schema"): _MEMORY,
}
"""Places that do not go through the door, by module and name, and why."""
_OF_OS: Final = {
    *("access", "fwalk", "listdir", "lstat", "open", "readlink", "scandir", "stat", "walk"),
}
_OF_OS_PATH: Final = {
    *("exists", "getmtime", "getsize", "isdir", "isfile", "islink", "lexists", "realpath"),
    "samefile",
}
_MAKES_PATHS: Final = {
    "absolute",
    "cwd",
    "expanduser",
    "home",
    "relative_to",
    "resolve",
    "unlinked",
}
_TEXTS: Final = {"as_posix", "name", "stem", "suffix"}
"""What a path may be made for without a reason: text."""
_OPENS: Final = {
    *("FileLock", "FileResponse", "JournalFileBackend", "ParquetDataset", "ParquetFile"),
    *("StaticFiles", "ZipFile", "iglob", "loadtxt", "memmap", "read_csv", "read_parquet"),
    *("read_schema", "rglob", "run_path", "spec_from_file_location"),
}
_OF_MODULES: Final = {
    "os": _OF_OS,
    "os.path": _OF_OS_PATH,
    "io": {"open"},
    "np": {"load"},
    "pq": {"read_table"},
    "torch": {"load"},
}


def _passing_by(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of everything that may lead past the door, called or handed on."""
    paths = {
        one.asname or one.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "pathlib"
        for one in node.names
    }
    texts = {
        id(made)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr in _TEXTS
        for made in (node.value, getattr(node.value, "func", None))
    }
    for node in ast.walk(tree):
        if id(node) in texts:
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in {"open", *paths}:
                yield node.lineno, "open" if node.func.id == "open" else "Path"
        elif isinstance(node, ast.keyword) and node.arg == "path_type":
            yield node.value.lineno, "path_type"
        elif isinstance(node, ast.ImportFrom) and node.module in (
            "glob",
            "os",
            "os.path",
            "shelve",
        ):
            names = {*_OF_OS, *_OF_OS_PATH, "glob", "iglob", "open"}
            if any(one.name in names for one in node.names):
                yield node.lineno, node.module
        elif isinstance(node, ast.Name) and node.id in _OPENS:
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            before = ast.unparse(node.value)
            of_module = _OF_MODULES.get(before, set())
            if node.attr in of_module:
                yield node.lineno, f"{before}.{node.attr}"
            elif node.attr in _OPENS or node.attr in _MAKES_PATHS:
                yield node.lineno, node.attr


def test_every_way_past_the_door_is_known() -> None:
    found = set()
    for path in sorted(PACKAGE.rglob("*.py")):
        place = path.relative_to(PACKAGE).as_posix()
        if place in DOOR or place.startswith("engine/"):  # kernels, and their cache
            continue
        for line, name in _passing_by(ast.parse(path.read_text(encoding="utf-8"))):
            found.add((place, name))
            assert (place, name) in EXEMPT, f"evolve/{place}:{line}: {name} leads past the door"
    assert found == EXEMPT.keys(), f"no longer needed: {EXEMPT.keys() - found}"


@pytest.mark.parametrize(
    "text",
    [
        "open(path)",
        "open(path, 'ab')",
        "io.open(path)",
        "from pathlib import Path\nPath(str(folder), 'champion.json').read_bytes()",
        "from pathlib import Path as File\nFile(place)",
        "folder.resolve() / 'games'",
        "folder.absolute()",
        "os.open(path, os.O_RDONLY)",
        "os.scandir(folder)",
        "later(os.listdir, folder)",
        "os.path.exists(path)",
        "from os import walk",
        "from glob import glob",
        "click.Path(path_type=File)",
        "zipfile.ZipFile(path)",
        "pq.ParquetFile(path)",
        "pq.read_table(path)",
        "np.load(path)",
        "FileResponse(path)",
        "later(FileResponse, path)",
        "filelock.FileLock(path)",
        "path.rglob('*')",
    ],
)
def test_what_leads_past_it_is_seen(text: str) -> None:
    assert len(list(_passing_by(ast.parse(text)))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "path.open('rb')",
        "path.read_text()",
        "path.exists()",
        "folder.resolve().name",
        "path.relative_to(folder).as_posix()",
        "from fastapi import Path\nPath(max_length=3)",
        "from pathlib import Path\nPath(place).suffix",
        "read_table(path)",
        "house.index.open(name)",
        "os.replace(a, b)",
    ],
)
def test_what_takes_it_or_opens_nothing_may_stand_anywhere(text: str) -> None:
    assert not list(_passing_by(ast.parse(text)))
