"""A study in PostgreSQL, two machines' worth of processes on it, one of them killed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import evolve
from tests.cli import done, finish, spawn, wait_until

OPTIONS = (
    "sweep",
    "alphabeta",
    "--panel=random,positional?depth=5",
    "--panel-openings=24",
    "--final-openings=4",
    "--startup=2",
    "--fix=depths=1",
    "--fix=endgame=0",
    "--fix=weights=100,-25,10,5,-25,1,1,5,2,1",
    *(f"--fix={gene}=0" for gene in ("mobility", "stability", "x_squares", "c_squares")),
    "--jobs=1",
    "--study=shared",
)


def binaries() -> Path | None:
    """Where the server's programs are."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    on_path = shutil.which("initdb")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a database on loopback, made for these tests."""
    pytest.importorskip("psycopg", reason="needs psycopg")
    found = binaries()
    if found is None:
        pytest.skip("needs PostgreSQL's initdb, of Debian's package postgresql")
    folder = tmp_path_factory.mktemp("postgres")
    as_user: list[str] = []
    if os.geteuid() == 0:  # the server refuses to run as root
        if shutil.which("runuser") is None or "\npostgres:" not in Path("/etc/passwd").read_text():
            pytest.skip("needs a user postgres to run the server, which refuses root")
        as_user = ["runuser", "-u", "postgres", "--"]
        folder = Path("/tmp") / f"evolve-postgres-{os.getpid()}"
        folder.mkdir()
        shutil.chown(folder, "postgres", "postgres")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    data = folder / "data"
    control = [*as_user, str(found / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
    where = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
    quiet = {"cwd": folder, "check": True, "stdout": subprocess.DEVNULL}
    try:
        initdb = [*as_user, str(found / "initdb"), "-D", str(data), "-A", "trust", "-U", "evolve"]
        subprocess.run(initdb, **quiet)  # type: ignore[call-overload]
        subprocess.run([*control, "-o", where, "start"], **quiet)  # type: ignore[call-overload]
        yield f"postgresql://evolve@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], cwd=folder, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def finished(folder: Path) -> int:
    if not (folder / "trials.parquet").exists():
        return 0
    return int(evolve.load_run(folder).trials["state"].isin(["COMPLETE", "PRUNED"]).sum())


@pytest.mark.slow
def test_two_join_one_is_killed_and_the_number_is_exact(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    options = (*OPTIONS, f"--storage={server}", "--trials=16")
    one = spawn(tmp_path, *options, "--out=one")
    wait_until(lambda: finished(Path("one")) >= 1, one)
    two = spawn(tmp_path, *options, "--out=two")
    wait_until(lambda: finished(Path("two")) >= 3, two)
    one.kill()
    finish(one)
    result = finish(two)
    assert result.code == 0, result
    done("resume", "one", "--jobs", 1)  # nothing is left but its final
    for folder in ("one", "two"):
        trials = evolve.load_run(folder).trials
        assert finished(Path(folder)) == 16
        assert set(trials["state"]) <= {"COMPLETE", "PRUNED", "FAIL"}
        assert trials["number"].tolist() == list(range(len(trials)))
        assert trials["worker"].str.rpartition("/")[0].nunique() == 2
        assert isinstance(evolve.load_agent(folder), evolve.AlphaBetaAgent)
    # What one had made is there for the other's final, and both come to the same champion.
    trials = evolve.load_run("two").trials
    best = trials[trials["state"] == "COMPLETE"].sort_values("score", ascending=False)
    assert (Path("two") / best["agent"].iloc[0]).exists()
    assert (Path("one") / best["agent"].iloc[0]).exists()
    assert evolve.load_agent("one").name == evolve.load_agent("two").name
