"""The REST API keeps to its own document: schemathesis asks all that the document allows, and what
it does not."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path

import pytest

from tests.cli import ran
from tests.service import API, SIGNED, SMALL, Service

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
