"""`evolve resume`: whatever ended a run, the tables are those of one that was not ended."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import evolve
from evolve.runs import run_folder
from tests.cli import (
    INTERRUPTED,
    QUICK,
    done,
    environment,
    fails,
    finish,
    invoke,
    snapshot,
    spawn,
    tables,
    wait_until,
)

LONG = tuple(option for option in QUICK if not option.startswith("--generations"))
"""A quick run without its number of generations."""


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of six generations that nothing interrupted."""
    folder = tmp_path_factory.mktemp("resume") / "whole"
    done("run", *LONG, "--generations", 6, "--out", folder)
    return folder


def test_a_finished_run_says_so_and_stays(copy: Path) -> None:
    before = snapshot(copy)
    assert "finished" in done("resume", copy).out
    assert "finished" in done("resume", copy, "--generations", 3).out
    assert snapshot(copy) == before


def test_a_champion_that_was_lost_comes_back(copy: Path, quick: Path) -> None:
    (copy / "champion.json").unlink()
    done("resume", copy)
    assert tables(copy) == tables(quick)


def test_the_header_of_a_run_that_lacks_its_play_off_alone(copy: Path, quick: Path) -> None:
    (copy / "games/playoff.parquet").unlink()
    said = done("resume", copy).out
    assert "3 to 2" not in said
    assert "play-off" in said
    assert tables(copy) == tables(quick)


@pytest.mark.parametrize(
    "options",
    [
        (),
        pytest.param(("--algorithm=cma",), marks=pytest.mark.slow),
        pytest.param(
            ("--panel-every=2", "--selection=tournament", "--population=8"), marks=pytest.mark.slow
        ),
        pytest.param(("--openings=pair", "--rules=standard"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_past_the_target_is_as_in_one_go(tmp_path: Path, options: tuple[str, ...]) -> None:
    done("run", *LONG, *options, "--generations", 2, "--out", "parts")
    assert "playoff" in set(evolve.load_run("parts").games["kind"])
    done("resume", "parts", "--generations", 3)
    done("resume", "parts", "--generations", 5, "--jobs", 2)
    done("run", *LONG, *options, "--generations", 5, "--out", "one-go")
    assert tables(tmp_path / "parts") == tables(tmp_path / "one-go")
    assert evolve.load_run("parts").config == evolve.load_run("one-go").config


def test_fewer_generations_than_there_are_is_refused(copy: Path) -> None:
    before = snapshot(copy)
    assert "3 generations already" in fails("resume", copy, "--generations", 2)
    assert snapshot(copy) == before


def test_ctrl_c_ends_after_the_generation_in_hand(tmp_path: Path) -> None:
    process = spawn(tmp_path, "run", *LONG, "--generations", 9999, "--out", "stopped")
    wait_until(lambda: (tmp_path / "stopped/generations/gen-0001.parquet").exists(), process)
    process.send_signal(signal.SIGINT)
    ended = finish(process)
    assert ended.code == 130, ended
    assert ended.err == ""
    assert "evolve resume stopped" in ended.out
    assert not list((tmp_path / "stopped").rglob(".writing-*"))
    count = evolve.load_run("stopped").generation_count + 1
    done("show", "stopped")
    done("resume", "stopped", "--generations", count, "--jobs", 1)
    done("run", *LONG, "--generations", count, "--out", "whole")
    assert tables(tmp_path / "stopped") == tables(tmp_path / "whole")


@pytest.mark.slow
def test_ctrl_c_twice_loses_no_whole_generation(tmp_path: Path) -> None:
    process = spawn(tmp_path, "run", *LONG, "--generations", 9999, "--out", "stopped")
    wait_until(lambda: (tmp_path / "stopped/generations/gen-0002.parquet").exists(), process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    assert finish(process).code in INTERRUPTED
    count = evolve.load_run("stopped").generation_count + 1
    assert count >= 4
    done("resume", "stopped", "--generations", count, "--jobs", 1)
    done("run", *LONG, "--generations", count, "--out", "whole")
    assert tables(tmp_path / "stopped") == tables(tmp_path / "whole")


@pytest.mark.parametrize(
    "seen",
    [
        pytest.param("config.toml", marks=pytest.mark.slow),
        "games/gen-0000.parquet",
        pytest.param("champion.json", marks=pytest.mark.slow),
        pytest.param("games/gen-0003.parquet", marks=pytest.mark.slow),
    ],
)
def test_kill_as_soon_as_a_file_is_there(tmp_path: Path, whole: Path, seen: str) -> None:
    process = spawn(tmp_path, "run", *LONG, "--generations", 6, "--out", "killed")
    wait_until(lambda: (tmp_path / "killed" / seen).exists(), process)
    process.kill()
    assert finish(process).code == -signal.SIGKILL
    # Whoever looks sees whole generations only.
    done("show", "killed")
    done("show", "killed", "--table", "games")
    done("resume", "killed", "--jobs", 1)
    assert tables(tmp_path / "killed") == tables(whole)
    assert not list((tmp_path / "killed").rglob(".writing-*"))


_DIES = """
import os, sys
number, after = int(sys.argv[1]), sys.argv[2] == "after"
real, count = os.replace, 0
def replace(source, target, **options):
    global count
    if ".writing-" in str(source):
        count += 1
        if count == number and not after:
            os._exit(9)
    real(source, target, **options)
    if ".writing-" in str(source) and count == number:
        os._exit(9)
os.replace = replace
from evolve.cli.main import main
main(sys.argv[3:])
"""


# The third file to be renamed holds the first individuals: that is the commit.
@pytest.mark.parametrize(
    ("number", "when"),
    [
        (3, "before"),
        pytest.param(3, "after", marks=pytest.mark.slow),
        pytest.param(5, "after", marks=pytest.mark.slow),
    ],
)
def test_death_around_a_rename(tmp_path: Path, whole: Path, number: int, when: str) -> None:
    script = [sys.executable, "-c", _DIES, str(number), when]
    options = [*LONG, "--generations", "6", "--out", "killed"]
    dead = subprocess.run(
        [*script, "run", *options],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert dead.returncode == 9, dead
    for arguments in (("show", "killed"), ("runs", "."), ("show", "killed", "--table", "games")):
        done(*arguments)
    done("resume", "killed", "--jobs", 1)
    assert tables(tmp_path / "killed") == tables(whole)


def test_what_a_killed_writer_left_is_swept(copy: Path, quick: Path) -> None:
    for name in (".writing-a.toml", "games/.writing-b.parquet", "generations/.writing-c.parquet"):
        (copy / name).write_bytes(b"half")
    (copy / "games/gen-0003.parquet").write_bytes(b"never committed")
    (copy / "games/playoff.parquet").unlink()
    done("resume", copy, "--jobs", 1)
    assert not list(copy.rglob(".writing-*"))
    assert tables(copy) == tables(quick)


def test_a_folder_whose_config_was_never_written_is_not_in_the_way(tmp_path: Path) -> None:
    # What a kill leaves between making the folders and renaming config.toml into place.
    for part in ("generations", "games"):
        (tmp_path / "killed" / part).mkdir(parents=True)
    (tmp_path / "killed/.writing-x.toml").write_text("half")
    done("run", *QUICK, "--generations", 1, "--out", "killed")
    assert evolve.load_run("killed").generation_count == 1


def test_a_second_writer_is_refused(copy: Path) -> None:
    with run_folder.locked(copy):
        before = snapshot(copy)
        assert "another process" in fails("resume", copy, "--generations", 5)
        assert snapshot(copy) == before
        done("show", copy)  # readers need no lock
    done("resume", copy, "--generations", 4)


def test_the_agent_started_from_is_not_needed_again(first: Path, tmp_path: Path) -> None:
    shutil.copy(first / "champion.json", "seed.json")
    done("run", *QUICK, "--generations", 1, "--start-from", "seed.json", "--out", "parts")
    done("run", *QUICK, "--generations", 2, "--start-from", "seed.json", "--out", "whole")
    (tmp_path / "seed.json").unlink()
    done("resume", "parts", "--generations", 2)
    assert tables(tmp_path / "parts") == tables(tmp_path / "whole")


@pytest.mark.slow
def test_a_run_that_patience_ended_says_what_goes_on(tmp_path: Path) -> None:
    done("run", *LONG, "--generations", 60, "--patience", 1, "--out", "impatient")
    count = evolve.load_run("impatient").generation_count
    said = done("resume", "impatient", "--generations", 70).out
    assert "patience" in said or evolve.load_run("impatient").generation_count > count
    done("resume", "impatient", "--generations", count + 2, "--patience", 99)
    assert evolve.load_run("impatient").generation_count == count + 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("phases = 3", "phases = 1"),
        ('algorithm = "ga"', 'algorithm = "cma"'),
        ("population = 6", "population = 9"),
        ("seed = 0", "seed = 1"),
        ("tie = []", 'tie = ["weights"]'),
        ("seed = 0", "seed = -1"),
        ("seed = 0", "sede = 0"),
    ],
)
def test_settings_changed_by_hand_are_refused(copy: Path, old: str, new: str) -> None:
    config = copy / "config.toml"
    text = config.read_text(encoding="utf-8")
    assert old in text
    changed = text.replace(old, new)
    if old.startswith("phases"):
        changed = changed.replace("boundaries = [\n    24,\n    45,\n]", "boundaries = []")
    config.write_text(changed, encoding="utf-8")
    before = snapshot(copy)
    assert "config.toml" in fails("resume", copy, "--generations", 4)
    assert snapshot(copy) == before


@pytest.mark.parametrize("share", [0, 0.5])
def test_a_truncated_config_is_refused(copy: Path, share: float) -> None:
    config = copy / "config.toml"
    lines = config.read_text(encoding="utf-8").splitlines(keepends=True)
    # Cut where a TOML file may end: what is left reads well, and means other settings.
    kept = "".join(lines[: int(len(lines) * share)]).partition("terms = ")[0]
    config.write_text(kept, encoding="utf-8")
    before = snapshot(copy)
    assert "config.toml" in fails("resume", copy, "--generations", 4)
    assert snapshot(copy) == before


def test_a_missing_generation_is_told(copy: Path) -> None:
    (copy / "generations/gen-0001.parquet").unlink()
    before = snapshot(copy)
    assert "gen-0001" in fails("resume", copy, "--generations", 5)
    assert snapshot(copy) == before


def test_a_checkpoint_that_lacks_something_is_told(copy: Path) -> None:
    import pyarrow.parquet as pq

    path = copy / "generations/gen-0002.parquet"
    table = pq.read_table(path)
    metadata = json.loads(table.schema.metadata[b"evolve"])
    metadata["checkpoint"] = {}
    pq.write_table(table.replace_schema_metadata({b"evolve": json.dumps(metadata)}), path)
    before = snapshot(copy)
    assert "gen-0002" in fails("resume", copy, "--generations", 5)
    assert snapshot(copy) == before


def test_a_damaged_last_generation_is_told(copy: Path) -> None:
    path = copy / "generations/gen-0002.parquet"
    path.write_bytes(path.read_bytes()[:-20])
    before = snapshot(copy)
    assert "gen-0002" in fails("resume", copy, "--generations", 5)
    assert snapshot(copy) == before


def test_a_copy_of_another_generation_is_told(copy: Path) -> None:
    shutil.copy(copy / "generations/gen-0001.parquet", copy / "generations/gen-0002.parquet")
    assert "gen-0002" in fails("resume", copy, "--generations", 5)


def test_a_full_disk_loses_nothing(
    tmp_path: Path, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    real, room = pq.ParquetWriter.write_table, [5]

    def write_table(*arguments: object, **options: object) -> None:
        room[0] -= 1
        if room[0] < 0:
            raise OSError(28, "No space left on device")
        real(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(pq.ParquetWriter, "write_table", write_table)
        ended = invoke("run", *LONG, "--generations", 6, "--out", "full")
        assert ended.code == 1
        assert ended.err.startswith("error: ")
        assert ended.err.count("\n") == 1
        assert "No space left" in ended.err
        assert evolve.load_run("full").generation_count == 2
        assert not list((tmp_path / "full").rglob(".writing-*"))
        # No generation at all: no folder either.
        assert invoke("run", *QUICK, "--out", "none").code == 1
        assert not (tmp_path / "none").exists()
    done("resume", "full", "--jobs", 1)
    assert tables(tmp_path / "full") == tables(whole)
