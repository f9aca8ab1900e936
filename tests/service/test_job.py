"""Jobs from elsewhere: a folder of runs says what it likes, and none of it is started, gone on with
or ended.

In this process, through the app itself. What a planted job would do leaves a file, or ends a
process of the test.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import psutil
import pytest

from evolve.service.agents import Agents
from evolve.service.folders import Folders
from evolve.service.job import JOB_ID, JobRecord
from evolve.service.job_line import Line, line_of
from evolve.service.processes import _children, start_process
from tests.cli import posix
from tests.service.inside import App, rewrite
from tests.waits import PATIENCE, until

pytestmark = [posix, pytest.mark.usefixtures("own_user")]

JOB: Final = "20260101-0000000a"
OTHER: Final = "20260101-0000000b"
MATCH: Final = {"a": "swh", "b": "random", "games": 2}
GTP: Final = "gtp:sh -c 'exit 1'"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


Opened = Callable[..., App]
Child = Callable[[str | None], psutil.Process]


@pytest.fixture
def opened(folder: Path, runner: asyncio.Runner) -> Opened:
    """The app on the folder, with a slot for what waits."""

    def open_app(*programs: str) -> App:
        app = App(folder, runner, *programs)
        app.state.jobs.slots = 1
        return app

    return open_app


def plant(folder: Path, **values: Any) -> Path:
    """A job as somebody else wrote it."""
    place = folder / ".service/jobs" / JOB
    place.mkdir(parents=True, exist_ok=True)
    written = {"id": JOB, "command": "match", "settings": MATCH, "created": 1.0, **values}
    (place / "job.json").write_text(json.dumps(written))
    return place / "job.json"


def assert_left_alone(app: App) -> None:
    """It is no job, whatever is asked of it, and stays as it is."""
    file = app.folders.jobs / JOB / "job.json"
    before = file.read_bytes()
    assert app.get("jobs")["items"] == []
    app.state.jobs.follow()
    app.get(f"jobs/{JOB}", 404)
    for what in ("stop", "kill", "resume"):
        app.post(f"jobs/{JOB}/{what}", None, 404)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "state", ["queued", "running", "stopping", "done", "stopped", "interrupted", "failed"]
)
def test_planted_jobs_are_not_obeyed(
    state: str, folder: Path, opened: Opened, child: Child
) -> None:
    victim = child(None)
    words = ["match", f"gtp:touch {folder / 'done'}", "random", "--games", "2"]
    plant(folder, state=state, words=words, shown=["match", "swh", "random"], process=victim.pid)
    with opened() as app:
        assert_left_alone(app)
    assert not (folder / "done").exists()
    assert victim.is_running()


@pytest.mark.slow
@pytest.mark.parametrize("run", ["../outside", "/outside", ".", "..", "sub/../../outside", ""])
@pytest.mark.parametrize("state", ["queued", "cancelled", "running", "interrupted"])
def test_a_run_of_a_job_is_a_name(run: str, state: str, folder: Path, opened: Opened) -> None:
    (folder.parent / "outside").mkdir()  # empty: what a job that was cancelled gives back
    plant(folder, command="run", settings={}, run=run, state=state)
    with opened() as app:
        found = app.get(f"jobs/{JOB}")
        assert (found["state"], found["run"]) == ("damaged", None)
        assert "run = " in found["error"]
        for what in ("stop", "kill", "resume"):
            app.post(f"jobs/{JOB}/{what}", None, 409)
        app.delete(f"jobs/{JOB}")
    assert (folder.parent / "outside").is_dir()


def test_a_job_of_another_folder_or_another_user_is_left_alone(
    folder: Path,
    opened: Opened,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    record = queued(other, state="interrupted")
    shutil.copytree(other / ".service", folder / ".service")
    with opened() as app:
        assert_left_alone(app)
    assert "1 job of another folder or user" in caplog.text
    shutil.rmtree(folder / ".service/jobs" / JOB)
    (folder / ".service/jobs").rmdir()
    shutil.move(other / ".service/jobs", folder / ".service/jobs")
    record.save(Folders(folder))
    with opened() as app:
        assert app.get(f"jobs/{JOB}")["state"] == "interrupted"
    monkeypatch.setenv("EVOLVE_DATA_DIR", str(tmp_path / "another"))
    with opened() as app:
        assert_left_alone(app)


def test_a_job_goes_by_no_other_name(folder: Path, opened: Opened) -> None:
    queued(folder, id=OTHER, state="interrupted")
    (folder / ".service/jobs" / OTHER).rename(folder / ".service/jobs" / JOB)
    with opened() as app:
        assert_left_alone(app)


def queued(folder: Path, **facts: Any) -> JobRecord:
    """A job that this user's service has made."""
    place = Folders(folder)
    if not place.jobs.exists():
        place.claim()
        place.release()
    given = {"command": "match", "settings": MATCH, "created": 1.0}
    made: dict[str, Any] = {"id": JOB, **given, **facts}
    record = JobRecord(**made)
    record.save(place)
    return record


def test_what_is_shown_is_what_is_started(
    folder: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever lies beside the job when it is started."""
    started: list[tuple[list[str], dict[str, Any]]] = []

    def start(words: list[str], *rest: Any) -> int:
        started.append((words[2:5], tomllib.loads(Path(words[5]).read_text())))
        return os.getpid()

    monkeypatch.setattr("evolve.service.jobs.start_process", start)
    queued(folder)
    (folder / ".service/jobs" / JOB / "settings.toml").write_text('panel = ["gtp:touch x"]')
    with opened() as app:
        line = app.get(f"jobs/{JOB}")["line"]
    assert line == "evolve match swh random --games 2"
    assert started == [(["evolve", "match", "--config"], MATCH)]


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        ({"settings": {**MATCH, "a": GTP}}, "is not the id of an agent"),
        ({"settings": {**MATCH, "b": "program:1"}}, "there is no agent program:1"),
        ({"settings": {**MATCH, "nothing": 1}}, "nothing: there is no such setting"),
        ({"command": "sweep", "settings": {"kind": "unknown"}}, "kind: it must be"),
        ({"command": "resume", "settings": {}, "run": "x"}, "there is no run x"),
    ],
)
def test_a_job_of_ours_whose_settings_are_not_right_fails_alone(
    facts: dict[str, Any], said: str, folder: Path, opened: Opened
) -> None:
    queued(folder, **facts)
    with opened() as app:
        found = app.get(f"jobs/{JOB}")
        assert (found["state"], found["process"]) == ("failed", None)
        assert said in found["error"]


def test_an_unexpected_error_of_one_job_keeps_no_other_from_starting(
    folder: Path, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    queued(folder)
    queued(folder, id=OTHER, created=2.0)

    def faulty(folders: Folders, agents: Agents, record: JobRecord) -> Line:
        if record.id == JOB:
            raise PermissionError(13, "denied")
        return line_of(folders, agents, record)

    monkeypatch.setattr("evolve.service.jobs.line_of", faulty)
    monkeypatch.setattr("evolve.service.jobs.start_process", lambda *_: os.getpid())
    with opened() as app:
        found = {job["id"]: job for job in app.get("jobs")["items"]}
        assert (found[JOB]["state"], found[JOB]["line"]) == ("failed", "")
        assert "an unexpected error; the log has failure " in found[JOB]["error"]
        assert found[OTHER]["started"] is not None


def test_a_job_that_is_stopped_at_once_has_no_traceback_in_its_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = [sys.executable, "-m", "evolve", "runs"]
    for _ in range(5):
        number = start_process(words, tmp_path, log, JOB)
        os.kill(number, signal.SIGINT)
    codes = [child.wait(PATIENCE) for child in _children if child.args == words]
    assert codes == [130] * 5
    assert log.read_text() == ""


@pytest.mark.parametrize("state", ["queued", "interrupted"])
def test_programs_must_be_allowed_at_each_start(state: str, folder: Path, opened: Opened) -> None:
    settings = {**MATCH, "a": "program:1"}
    queued(folder, settings=settings, names={GTP: "program:1", "random": "random"}, state=state)
    for programs, said in (
        ((), "there is no agent program:1"),
        (("gtp:other",), f"program:1 was {GTP} when job {JOB} was made, and is gtp:other now"),
    ):
        with opened(*programs) as app:
            if state == "interrupted":
                assert said in app.ask("POST", f"jobs/{JOB}/resume").json()["detail"]
            else:
                assert said in app.get(f"jobs/{JOB}")["error"]
                rewrite(folder, JOB, state="queued", error=None)


def test_a_run_of_programs_goes_on_where_they_are_allowed(folder: Path, opened: Opened) -> None:
    (folder / "x").mkdir()
    text = f'command = "sweep alphabeta"\nrules = "standard"\nseed = 0\npanel = ["{GTP}"]\n'
    (folder / "x/config.toml").write_text(text)
    with opened() as app:
        said = app.post("runs/x/resume", {}, 422)["detail"]
        assert f"names programs that the server was not started with: {GTP}" in said
        assert app.get("jobs")["total"] == 0
    with opened(GTP) as app:
        app.state.jobs.slots = 0
        assert app.post("runs/x/resume", {}, 202)["state"] == "queued"
    with opened() as app:  # without the program by now
        job = app.get("jobs")["items"][0]
        assert job["state"] == "failed"
        assert "names programs" in job["error"]


@pytest.fixture
def child(folder: Path) -> Iterator[Child]:
    """Processes in sessions of their own with a job's id, or none, in their environment; the
    words name the file of its progress."""
    made: list[subprocess.Popen[bytes]] = []

    def start(job: str | None) -> psutil.Process:
        path = folder / ".service/jobs" / JOB / "progress.jsonl"
        words = [sys.executable, "-c", "import time; time.sleep(600)", "--progress", str(path)]
        environment = {**os.environ} if job is None else {**os.environ, JOB_ID: job}
        made.append(subprocess.Popen(words, env=environment, start_new_session=True))
        found = psutil.Process(made[-1].pid)
        until(found.environ)  # for a moment after its start it has none
        return found

    yield start
    for one in made:
        one.kill()
        one.wait()


@pytest.mark.parametrize("other", [None, "another"])
def test_a_process_is_taken_for_a_jobs_by_its_id(
    folder: Path, opened: Opened, child: Child, other: str | None
) -> None:
    strange = child(other)
    queued(folder, state="running", started=1.0, process=strange.pid)
    with opened() as app:  # the path of its progress among the words is no proof
        assert app.get(f"jobs/{JOB}")["state"] == "interrupted"
    job = rewrite(folder, JOB, state="running", process=strange.pid)
    job.stop()
    job.kill()
    assert strange.status() != psutil.STATUS_ZOMBIE
    mine = child(JOB)
    rewrite(folder, JOB, process=mine.pid)
    with opened() as app:
        assert app.get(f"jobs/{JOB}")["process"] == mine.pid
        app.post(f"jobs/{JOB}/kill", None, 202)
        until(lambda: mine.status() == psutil.STATUS_ZOMBIE)


def test_a_process_just_begun_is_alive(child: Child, monkeypatch: pytest.MonkeyPatch) -> None:
    """For a moment Linux shows no environment of it: in 1 of 400 starts."""
    job = JobRecord(id=JOB, command="match", settings={}, process=child(JOB).pid)
    monkeypatch.setattr(psutil.Process, "environ", lambda self: {})
    assert job.alive


def test_the_time_left_is_what_its_command_says() -> None:
    job = JobRecord(id=JOB, command="sweep", settings={}, run="s")
    job.take({"event": "trial", "time": 10.0, "done": 1, "total": 2, "row": {}, "left": None})
    assert job.progress.left is None
    end = {"time": 20.0, "done": 2, "total": 2, "left": 98.0}
    job.take({"event": "trial", "row": {}, **end})
    assert job.progress.left == 98.0
    job.take({"event": "progress", "stage": "final", **end})
    assert job.progress.left == 98.0
    job.take({"event": "progress", "stage": "9 games", "done": 0.5, "total": 1.0, "whole": True})
    assert (job.progress.done, job.progress.total) == (0.5, 1.0)


def test_a_match_has_its_test_before_its_games() -> None:
    job = JobRecord(id=JOB, command="match", settings={})
    job.take({"event": "started", "rules": "standard", "games": 8, "sprt": {"llr": 0.0}})
    assert job.result == {"rules": "standard", "sprt": {"llr": 0.0}}
