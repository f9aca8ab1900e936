"""Files for clients: sent whole or taken back."""

from __future__ import annotations

import asyncio
import re
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.records.ggf import scan_trees
from evolve.service.folders import Folders
from evolve.service.processes import SentFile, discard
from evolve.service.responses import ProblemError
from tests.cli import invoke
from tests.service import Service
from tests.service.inside import App


def test_the_file_for_a_contest_is_that_of_the_terminal(
    service: Service, runs: Path, tmp_path: Path
) -> None:
    demands = {"seconds": 0.5, "memory": 20, "rules": "standard"}  # numpy alone has more
    found = service.post("runs/small/hand-in", demands, 200)
    options = [f"--{name}={value}" for name, value in demands.items()]
    said = invoke("hand-in", runs / "small", "-o", tmp_path / "agent.py", *options)
    assert (found["good"], said.code) == (False, 1)
    assert found["file"].encode() == (tmp_path / "agent.py").read_bytes()
    own = said.out.replace(f"{tmp_path}/", "").replace(f"{runs.parent}/", "").splitlines()
    assert found["lines"][-1] == "do not hand in agent.py: memory wrong"
    measured = re.compile(r"[0-9.]+|\? |ok|WRONG|; .*")
    assert [measured.sub("", line) for line in found["lines"]] == [
        measured.sub("", line) for line in own
    ]
    assert not list((runs / ".service/tmp").iterdir())


@pytest.mark.parametrize(
    "wrong", [{"rules": "/etc"}, {"seconds": 0}, {"seconds": 1e9}, {"memory": "much"}, {"to": "x"}]
)
def test_a_contest_that_cannot_be_is_refused(service: Service, wrong: dict[str, object]) -> None:
    (problem,) = service.post("runs/small/hand-in", wrong, 422)["errors"]
    assert problem["pointer"] == f"/{next(iter(wrong))}"


@pytest.mark.slow
def test_files_of_a_run(service: Service, runs: Path, tmp_path: Path) -> None:
    run = evolve.load_run(runs / "small")
    files = {one["name"]: one["href"] for one in service.get("runs/small")["files"]}
    assert {"champion.json", "games.csv", "games.parquet", "games.ggf"} <= set(files)
    got = {name: service.client.get(href) for name, href in files.items()}
    assert {answer.status_code for answer in got.values()} == {200}
    saved = {name: answer.headers["content-disposition"] for name, answer in got.items()}
    assert not [name for name in saved if f'filename="small-{name}"' not in saved[name]]
    assert got["champion.json"].content == (runs / "small/champion.json").read_bytes()
    assert len(got["games.csv"].text.splitlines()) == len(run.games) + 1
    (tmp_path / "games.parquet").write_bytes(got["games.parquet"].content)
    import pandas as pd

    assert len(pd.read_parquet(tmp_path / "games.parquet")) == len(run.games)
    assert got["games.ggf"].text.count("(;") == len(run.games)
    rules = run.config["rules"]
    (tmp_path / "games.csv").write_text(got["games.csv"].text)
    assert set(pd.read_csv(tmp_path / "games.csv")["rules"]) == {rules}
    assert {record.rules for record in scan_trees(got["games.ggf"].text).whole()} == {rules}
    assert not list((runs / ".service/tmp").iterdir())


class _GoneError(Exception):
    """A reader is gone."""


def test_a_file_that_was_not_sent_is_taken_back(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    place = Folders(tmp_path / "runs")
    place.claim()

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(_: Any) -> None:
        raise _GoneError

    path = place.new_temporary() / "file.csv"
    path.parent.mkdir()
    path.write_text("x")
    (path.parent / ".writing-0123456789abcdef.csv").write_text("a part")
    answer = SentFile(path, "x.csv", partial(discard, path))
    scope = {"type": "http", "method": "GET", "headers": [], "extensions": {}}
    with pytest.raises(_GoneError):
        asyncio.run(answer(scope, receive, send))
    assert list(place.temporary.iterdir()) == []
    place.release()


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["fails", "late"])
def test_a_download_that_fails_leaves_no_part(
    local: App, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as on a full disk: the command is ended before it has removed what it began."""
    from evolve.service import processes as lending

    part = "import sys, time, pathlib\n"
    part += "pathlib.Path(sys.argv[-1]).with_name('.writing-x').write_text('a part')\n"
    part += "sys.exit('error: no room')" if ends == "fails" else "time.sleep(600)"
    script = local.folders.runs.parent / "command.py"
    script.write_text(part)

    monkeypatch.setattr(lending, "_PROGRAM", (sys.executable, str(script)))
    monkeypatch.setattr(lending, "_LONGEST", 1.0 if ends == "late" else 60.0)

    async def made() -> None:
        with pytest.raises(ProblemError) as found:
            await local.state.downloads.made(["show", "x"], ".csv")
        assert found.value.status == (422 if ends == "fails" else 504)

    local.runner.run(made())
    assert list(local.folders.temporary.iterdir()) == []
