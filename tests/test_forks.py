"""A forked program is as one that was started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from tests import forks
from tests.cli import command, environment, finish, program, read_terminal, spawn

pty = pytest.importorskip("pty", reason="Windows neither forks nor has such terminals")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="by what Linux says of processes")
KEPT_RUN = Path(__file__).parent / "cli/run-0.2"


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        (("show", KEPT_RUN), {"COLUMNS": "60", "PYTHONIOENCODING": "ascii:replace"}),
        pytest.param(("show", "nothing"), {}, marks=pytest.mark.slow),
        pytest.param(("runs", "."), {"PYTHONUNBUFFERED": ""}, marks=pytest.mark.slow),
        (("perft", "x"), {}),
    ],
)
def test_it_writes_and_ends_alike(
    words: tuple[object, ...], changes: dict[str, str], tmp_path: Path
) -> None:
    started = program(tmp_path, *words, real=True, **changes)
    assert program(tmp_path, *words, **changes) == started


def test_its_place_in_the_system(tmp_path: Path) -> None:
    here, there = pty.openpty()
    process = forks.start(
        command("play", "swh"),
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=there,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert (os.getsid(process.pid), os.getpgid(process.pid)) == (process.pid, process.pid)
    assert psutil.Process(process.pid).cwd() == str(tmp_path)
    if sys.platform == "linux":
        streams = [os.readlink(f"/proc/{process.pid}/fd/{number}") for number in range(3)]
        assert streams[1] == os.ttyname(there)
        assert all(stream.startswith("pipe:") for stream in streams[::2])
        opened = [int(path.name) for path in Path(f"/proc/{process.pid}/fd").iterdir()]
        assert max(opened) < 10, "none of the server's"
    os.close(there)
    process.kill()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    read_terminal(here)


@pytest.mark.parametrize(
    ("name", "value"), [("EVOLVE_CACHE_DIR", "cache"), ("PYTHONPATH", f"{forks.ROOT}:x")]
)
def test_what_counts_while_python_starts_is_really_started(
    tmp_path: Path, name: str, value: str
) -> None:
    process = spawn(tmp_path, "--help", **{name: value})
    assert not isinstance(process, forks.Fork)
    assert finish(process).code == 0
