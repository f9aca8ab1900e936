"""Files for clients: sent whole or taken back."""

from __future__ import annotations

import asyncio
import io
import re
import sys
from functools import partial
from pathlib import Path
from unittest.mock import AsyncMock

import pandas as pd
import pytest

import evolve
from evolve.records.ggf import scan_trees
from evolve.service import processes
from evolve.service.folders import Folders
from evolve.service.processes import SentFile, discard
from evolve.service.responses import ProblemError
from tests.cli import invoke
from tests.service import Service
from tests.service.inside import App


@pytest.mark.slow
def test_a_hand_in_is_that_of_the_terminal(service: Service, runs: Path, tmp_path: Path) -> None:
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


def test_a_contest_that_cannot_be_is_refused(service: Service) -> None:
    wrong = [("rules", "/etc"), ("seconds", 0), ("seconds", 1e9), ("memory", "much"), ("to", "x")]
    found = [service.post("runs/small/hand-in", {name: it}, 422)["errors"] for name, it in wrong]
    assert [one["pointer"] for (one,) in found] == [f"/{name}" for name, _ in wrong]


@pytest.mark.slow
def test_files_of_a_run(service: Service, runs: Path) -> None:
    run = evolve.load_run(runs / "small")
    files = {one["name"]: one["href"] for one in service.get("runs/small")["files"]}
    assert {"champion.json", "games.csv", "games.parquet", "games.ggf"} <= set(files)
    got = {name: service.client.get(href) for name, href in files.items()}
    assert {answer.status_code for answer in got.values()} == {200}
    saved = {name: answer.headers["content-disposition"] for name, answer in got.items()}
    assert not [name for name in saved if f'filename="small-{name}"' not in saved[name]]
    assert got["champion.json"].content == (runs / "small/champion.json").read_bytes()
    rules = [run.config["rules"]] * len(run.games)
    assert list(pd.read_csv(io.StringIO(got["games.csv"].text))["rules"]) == rules
    assert list(pd.read_parquet(io.BytesIO(got["games.parquet"].content))["rules"]) == rules
    assert [record.rules for record in scan_trees(got["games.ggf"].text).whole()] == rules
    assert not list((runs / ".service/tmp").iterdir())


def test_a_file_that_was_not_sent_is_taken_back(tmp_path: Path) -> None:
    place = Folders(tmp_path)
    place.claim()

    path = place.new_temporary() / "file.csv"
    path.parent.mkdir()
    path.write_text("x")
    (path.parent / ".writing-0123456789abcdef.csv").write_text("a part")
    answer = SentFile(path, "x.csv", partial(discard, path))
    scope = {"type": "http", "method": "GET", "headers": [], "extensions": {}}
    gone = AsyncMock(return_value={"type": "http.disconnect"})
    with pytest.raises(ConnectionError):
        asyncio.run(answer(scope, gone, AsyncMock(side_effect=ConnectionError)))
    assert list(place.temporary.iterdir()) == []
    place.release()


@pytest.mark.slow
@pytest.mark.parametrize("ends", ["fails", "late"])
def test_downloads_that_fail_leave_no_part(
    local: App, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as on a full disk: the command is ended before it has removed what it began."""
    part = "import sys, time, pathlib\n"
    part += "pathlib.Path(sys.argv[-1]).with_name('.writing-x').write_text('a part')\n"
    part += "sys.exit('error: no room')" if ends == "fails" else "time.sleep(600)"
    script = local.folders.runs.parent / "command.py"
    script.write_text(part)

    monkeypatch.setattr(processes, "_PROGRAM", (sys.executable, str(script)))
    monkeypatch.setattr(processes, "_LONGEST", 1.0 if ends == "late" else 60.0)
    with pytest.raises(ProblemError) as found:
        local.runner.run(local.state.downloads.made(["show", "x"], ".csv"))
    assert found.value.status == (422 if ends == "fails" else 504)
    assert list(local.folders.temporary.iterdir()) == []
