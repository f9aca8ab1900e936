"""The REST API keeps to its own document: schemathesis asks all that the document allows, and what
it does not."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli import ran
from tests.service import API, SIGNED, SMALL, TOKEN, Service

# What the document cannot say, such as which agents there are, is 422 as well.
CONFIG = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "401", "403", "404", "409", "422"]
"""


@pytest.mark.slow
def test_answers_are_as_the_document_says(fresh: Service, tmp_path: Path) -> None:
    # A job that stands still takes the one slot: otherwise a minute of CPU goes into those that the
    # document allows. They wait, and can be asked for and cancelled.
    job = fresh.wait(fresh.order("run", **SMALL), "running")
    os.killpg(job["process"], signal.SIGSTOP)
    (tmp_path / "schemathesis.toml").write_text(CONFIG)
    document = f"http://127.0.0.1:{fresh.port}{API}/openapi.json"
    options = ["--checks=all", "--max-examples=3", "--seed=1", "--no-color", "-H", SIGNED]
    done = ran(sys.executable, "-m", "schemathesis.cli", "run", document, *options, folder=tmp_path)
    assert done.code == 0, done.out[-4000:] + done.err[-2000:]
    generated = re.search(r"(\d+) generated", done.out)
    assert generated is not None, done.out[-2000:]
    assert int(generated[1]) > 300


TEXT = (Path(__file__).parents[2] / "docs/reference/rest.md").read_text(encoding="utf-8")
PRESET = '"preset": "quick"'
LITTLE = ', "budget": 2, "checks": 1, "panel_openings": 2, "depth": 4, "probcut_positions": 50'
POPULATION = '"population": 32'
AS_SMALL = '"population": 6, "panel_openings": 2, "playoff_openings": 2, "move_budget": 300'
"""Half a minute of learning, as much of games against the ladder, and a larger run: for readers."""


def said(text: str, service: Service, folder: Path, old: str, new: str) -> str:
    """A text that asks this service, with its token, and for less."""
    (folder / "token").write_text(f"{TOKEN}\n")
    here = {"127.0.0.1:8765": f"127.0.0.1:{service.port}", old: new}
    here["~/.local/share/evolve/token"] = str(folder / "token")
    assert [words for words in here if words not in text] == []
    for words, others in here.items():
        text = text.replace(words, others)
    return text


@pytest.mark.slow
def test_by_python(fresh: Service, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    exec(said(code, fresh, tmp_path, PRESET, PRESET + LITTLE), {})
    assert "'move':" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_way_by_curl(fresh: Service, tmp_path: Path) -> None:
    (script,) = [one for one in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL) if "curl" in one]
    script = said(script.replace("-m 20", "-m 2"), fresh, tmp_path, POPULATION, AS_SMALL)
    first = script.partition('ask "$api/jobs')[0]
    for part in (script, first):
        subprocess.run(["sh", "-c", part], check=True, cwd=tmp_path, timeout=300)
    assert "class AI" in (tmp_path / "agent.py").read_text()
    assert fresh.get("jobs")["total"] == 1, "the key makes it one job"
