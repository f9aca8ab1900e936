"""`--progress FILE`: what other programs read of the work, to its last line."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evolve
from evolve.cli.display import ProgressFile
from evolve.files import changes
from tests.cli import QUICK, QUICK_SWEEP, done, fails, invoke

FILE = "events.jsonl"
OPTION = ("--progress", FILE)


def events(path: Path | str = FILE) -> list[dict[str, Any]]:
    lines = Path(path).read_text(encoding="ascii").splitlines()
    found = [json.loads(line, parse_constant=lambda name: pytest.fail(name)) for line in lines]
    times = [event["time"] for event in found]
    assert times == sorted(times)
    return found


def names(found: list[dict[str, Any]]) -> list[str]:
    """Their names, each once where it comes several times in a row."""
    return [name for name, _ in itertools.groupby(event["event"] for event in found)]


def test_a_run_and_its_resume() -> None:
    done("run", *QUICK, "--out", "seen", *OPTION)
    found = events()
    rows = [event for event in found if event["event"] == "generation"]
    generations = evolve.load_run("seen").generations
    assert [event["row"]["best"] for event in rows] == generations["best"].tolist()
    assert [(event["done"], event["total"]) for event in rows] == [(1, 3), (2, 3), (3, 3)]
    assert (found[0]["command"], found[0]["folder"]) == ("run", "seen")
    assert found[0]["version"] == evolve.__version__
    last = [found[-1][key] for key in ("event", "stopped", "folder", "ending")]
    assert last == ["done", False, "seen", "all generations are done"]
    stages = {event["stage"] for event in found if event["event"] == "progress"}
    assert stages >= {"generation 0", "play-off"}
    # Further commands append; one with nothing to do is done, too.
    done("resume", "seen", *OPTION)
    assert names(events()[len(found) :]) == ["done"]


def test_a_match_and_a_rating() -> None:
    result = done("match", "swh", "zero", "--games", 40, "--sprt", "-100:100", "--json", *OPTION)
    found = events()
    assert names(found) == ["started", "match", "done"]
    assert (found[0]["a"], found[0]["b"]) == ("swh", "zero")
    assert found[0]["sprt"]["games_left"] == found[0]["sprt"]["games_expected"][1] > 0
    assert {"pentanomial", "left"} <= found[1].keys()
    assert found[1]["sprt"].keys() == found[0]["sprt"].keys()
    assert [found[-1][key] for key in ("score", "sprt")] == [
        result.document[key] for key in ("score", "sprt")
    ]
    Path(FILE).unlink()
    result = done("rate", "swh", "zero", "random", "--games", 10, "--json", *OPTION)
    found = events()
    assert names(found) == ["started", "progress", "done"]
    assert (found[-2]["done"], found[-2]["total"]) == (30, 30)
    assert found[-1]["agents"] == result.document["agents"]


@pytest.mark.slow
def test_a_sweep_and_a_training_without_torch() -> None:
    few = ("--fix=depths=1", "--trials=2", "--jobs=1", "--out", "swept")
    done("sweep", "alphabeta", *QUICK_SWEEP[1:], *few, *OPTION)
    found = events()
    assert [event["row"]["number"] for event in found if event["event"] == "trial"] == [0, 1]
    assert found[-1]["ending"] == "all trials are finished"
    Path(FILE).unlink()
    learn = ("--shapes=a1-b2", "--games=100", "--checks=1", "--panel-openings=2", "--depth=1")
    done("train", "patterns", *learn, "--probcut=0", "--out", "taught", *OPTION)
    found = events()
    [check] = [event for event in found if event["event"] == "check"]
    assert (check["row"]["games"], check["done"]) == (100, 1.0)
    assert found[-1]["event"] == "done"


def test_errors_are_its_last_line() -> None:
    said = fails("match", "swh", "nobody", *OPTION)
    assert names(events()) == ["error"]
    assert said.startswith(events()[0]["message"])
    Path(FILE).unlink()
    assert invoke("run", "--population=2", *OPTION).code == 2
    assert [event["event"] for event in events()] == ["error"]


def test_a_full_disk_ends_the_events_and_not_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(change: str, path: Path, piece: bytes) -> None:
        if change == "append":
            raise OSError(28, "No space left on device", str(path))

    monkeypatch.setattr(changes, "hook", full)
    found = invoke("match", "swh", "zero", "--games", 4, "--json", *OPTION)
    assert found.code == 0
    assert found.document["games"] == 4
    assert found.err == f"{FILE}: No space left on device; no further events are written there\n"


def test_numbers_that_json_does_not_know() -> None:
    file = ProgressFile(Path(FILE))
    row = {"loss": math.nan, "count": np.int64(3), "mean": np.float32(0.5), "list": (np.inf, 1)}
    file.write("check", row=row, place=Path("x"))
    file.write("done")
    file.write("note", text="too late")
    found = events()
    assert found[0]["row"] == {"loss": None, "count": 3, "mean": 0.5, "list": [None, 1]}
    assert (found[0]["place"], len(found)) == ("x", 2)
