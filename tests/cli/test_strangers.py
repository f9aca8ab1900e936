"""Folders that may come from anybody: nothing in them is run, followed or believed."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import evolve
from tests.cli import done, fails, invoke, posix, program, snapshot


@pytest.mark.parametrize(
    "place",
    [
        pytest.param("../outside.json", marks=pytest.mark.slow),
        pytest.param("trials/../../outside.json", marks=pytest.mark.slow),
        "absolute",
    ],
)
def test_agents_of_a_journal_stay_inside(sweep: Path, tmp_path: Path, place: str) -> None:
    outside = tmp_path / "outside.json"
    evolve.load_agent("swh").save(outside)  # type: ignore[union-attr]
    place = str(outside) if place == "absolute" else place
    champion = (sweep / "champion.json").read_bytes()
    journal = sweep / "journal.log"
    text = journal.read_text()
    for number in range(5):
        text = text.replace(f"trials/trial-{number:04d}.json", place)
    journal.write_text(text)
    (sweep / "final.json").unlink()
    for arguments in (("resume", sweep), ("resume", sweep, "--trials=6")):
        said = fails(*arguments)
        assert repr(place) in said
        assert "trial" in said
    assert (sweep / "champion.json").read_bytes() == champion


@pytest.mark.parametrize(
    "damage",
    [
        ('"op_code":4', '"op_code":99'),
        ('"trial_id":1', '"trial_id":"x"'),
        pytest.param(('"trial_id":1', '"trial_id":77'), marks=pytest.mark.slow),
        ('"seconds"', '"seconds":[1],"y"'),
        ('"user_attr":', '"no":'),
        ("{", "["),
        ('"op_code"', "[" * 3000),
    ],
)
def test_a_journal_that_optuna_would_fall_over_is_told_in_a_line(
    sweep: Path, damage: tuple[str, str]
) -> None:
    journal = sweep / "journal.log"
    text = journal.read_text()
    assert damage[0] in text
    journal.write_text(text.replace(*damage))
    result = invoke("resume", sweep, "--trials=6", "--jobs=1")
    assert "Traceback" not in result.err
    assert result.code == 0 or result.err.startswith("error: "), result
    assert result.err.count("\n") <= 1


def outside(tmp_path: Path, like: Path) -> Path:
    """Something outside that a link leads to: a copy of what it stands in for."""
    place = tmp_path / "outside"
    place.mkdir()
    if like.is_dir():
        shutil.copytree(like, place / like.name)
        (place / like.name / ".writing-precious").write_text("precious")
        (place / like.name / "gen-0009.parquet").write_text("precious")
    elif like.exists():
        shutil.copy(like, place / like.name)
    else:
        (place / like.name).write_text("precious")
    return place / like.name


@posix
@pytest.mark.parametrize(
    "name",
    ["generations", "games", "champion.json", ".lock", "config.toml", "games/playoff.parquet"],
)
def test_links_in_a_run_are_not_followed(copy: Path, tmp_path: Path, name: str) -> None:
    check_link(copy, tmp_path, name, "--generations=5")


@posix
@pytest.mark.parametrize(
    "name", ["trials", "trials.parquet", "journal.log", "final.json", "trials/trial-0005.json"]
)
def test_links_in_a_sweep_are_not_followed(sweep: Path, tmp_path: Path, name: str) -> None:
    check_link(sweep, tmp_path, name, "--trials=6")


def check_link(folder: Path, tmp_path: Path, name: str, more: str) -> None:
    target = outside(tmp_path, folder / name)
    if (folder / name).is_dir():
        shutil.rmtree(folder / name)
    else:
        (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)
    before = snapshot(target.parent)
    for arguments in (("resume", folder), ("resume", folder, more)):
        said = fails(*arguments)
        assert f"{folder / name} is a link" in said
    assert snapshot(target.parent) == before


def link_in(folder: Path, tmp_path: Path, name: str) -> Path:
    """Let something in a run be a link to a copy of it, all of whose text says so."""
    target = outside(tmp_path, folder / name)
    if target.suffix in (".json", ".toml"):
        text = target.read_text().replace('"name": "', f'"name": "{MARK}-')
        target.write_text(text.replace("standard", MARK))
    if (folder / name).is_dir():
        shutil.rmtree(folder / name)
    else:
        (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(target)
    return target


MARK = "stolen"
GENERATION = "generations/gen-0001.parquet"
READERS = {
    "show": ("show",),
    "individuals": ("show", "--table=individuals"),
    "games": ("show", "--table=games", "-o", "games.csv"),
    "export": ("export", "--to=python", "-o", "agent.py"),
    "plot": ("plot", "-o", "plot.png"),
    "compare": ("compare", "first"),
    "lineage": ("lineage", "0-1"),
    "replay": ("replay", "1:0"),
    "match": ("match", "swh", "--games=2"),
    "rate": ("rate", "swh", "random", "--games=2"),
    "resume": ("resume",),
    "completed": ("resume", "--generations=9"),
}
"""Commands that read a run, behind whose first word it is named."""


@posix
@pytest.mark.parametrize(
    ("name", "readers"),
    [
        ("config.toml", [one for one in READERS if one not in ("match", "rate", "export")]),
        ("champion.json", ["show", "export", "plot", "compare", "match", "rate", "resume"]),
        (GENERATION, ["show", "individuals", "plot", "lineage", "resume", "completed"]),
        ("generations", ["show", "individuals", "plot", "compare", "lineage", "replay", "resume"]),
        ("games/gen-0001.parquet", ["games", "replay", "resume", "completed"]),
        ("games/playoff.parquet", ["games", "compare", "resume"]),
        ("games", ["games", "replay", "resume"]),
    ],
)
def test_readers_follow_no_link(
    copy: Path, first: Path, tmp_path: Path, name: str, readers: list[str]
) -> None:
    (tmp_path / "first").symlink_to(first)  # what its user names may be one
    target = link_in(copy, tmp_path, name)
    before = snapshot(target.parent)
    for reader in readers:
        word, *more = READERS[reader]
        said = fails(word, "copy", *more)
        assert f"copy/{name} is a link to {target}: put what it names there" in said, reader
    assert snapshot(target.parent) == before
    left = {path.name for path in tmp_path.iterdir()} - {"data"}
    assert left == {"copy", "first", "outside"}, "nothing is made"


@posix
@pytest.mark.parametrize("name", ["config.toml", "champion.json", GENERATION, ""])
def test_a_run_with_a_link_is_a_line_in_the_list(
    copy: Path, first: Path, tmp_path: Path, name: str
) -> None:
    (tmp_path / "all").mkdir()
    shutil.copytree(first, tmp_path / "all" / "fine")
    shutil.copytree(copy, tmp_path / "all" / "odd")
    if name == GENERATION:  # the last one, of which lists are made
        name = "generations/gen-0002.parquet"
    target = copy
    if name:
        target = link_in(tmp_path / "all" / "odd", tmp_path, name)
    else:
        shutil.rmtree(tmp_path / "all" / "odd")
        (tmp_path / "all" / "odd").symlink_to(copy)
    rows = {Path(row["run"]).name: row for row in done("runs", "all", "--json").document}
    assert rows["fine"]["state"] == "done"
    assert f"{Path('all/odd', name)} is a link to {target}" in rows["odd"]["state"]
    assert MARK not in done("runs", "all").out


@posix
@pytest.mark.parametrize("name", ["trials.parquet", "final.json", "champion.json", "rungs"])
def test_readers_of_a_sweep_follow_no_link(sweep: Path, tmp_path: Path, name: str) -> None:
    readers = {
        "trials.parquet": (("show",), ("plot", "-o", "x.png"), ("resume",)),
        "final.json": (("show", "--table=final"), ("resume",)),
        "champion.json": (("show",), ("match", "swh", "--games=2"), ("export", "-o", "x.json")),
        "rungs": (("show", "--table=rungs"), ("resume",)),
    }
    link_in(sweep, tmp_path, name)
    for word, *more in readers[name]:
        assert f"{name} is a link to" in fails(word, "sweep", *more), word


@posix
def test_a_lock_of_a_journal_that_is_a_link_is_not_waited_for(sweep: Path) -> None:
    (sweep / "journal.log.lock").symlink_to("nothing")
    assert "journal.log.lock is a link to nothing" in fails("resume", sweep, "--trials=6")


@posix
@pytest.mark.slow
@pytest.mark.parametrize("name", ["config.toml", "games/gen-0001.parquet"])
@pytest.mark.parametrize("target", ["pipe", "/dev/zero"])
def test_real_programs_wait_for_no_pipe_and_no_device(
    copy: Path, tmp_path: Path, name: str, target: str
) -> None:
    (copy / name).unlink()
    if target == "pipe":
        os.mkfifo(copy / name)
    else:
        (copy / name).symlink_to(target)
    for word in ("show", "resume"):
        ended = program(tmp_path, word, "copy", real=True)
        assert (ended.code, ended.err.count("\n")) == (1, 1)
        assert f"copy/{name} is a " in ended.err
    assert f"copy/{name} is a " in program(tmp_path, "runs", ".", "--json", real=True).out


@posix
def test_what_the_user_names_may_be_a_link(first: Path, tmp_path: Path) -> None:
    shutil.copytree(first, tmp_path / "real")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "agent.json").symlink_to("real/champion.json")
    (tmp_path / "config.toml").symlink_to("real/config.toml")
    (tmp_path / "out.csv").symlink_to("there.csv")
    (tmp_path / "runs").symlink_to(".")
    done("show", "link", "-o", "out.csv")
    assert (tmp_path / "there.csv").exists()
    done("show", "agent.json")
    done("match", "link", "agent.json", "--games=2")
    assert [row["run"] for row in done("runs", "--json").document if "preset" in row] == [
        "runs/real"
    ]


@posix
def test_a_new_run_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "generations").symlink_to(tmp_path / "elsewhere")
    assert "taken" in fails("run", "--generations=1", "--population=4", "--out", "new")
    assert not any((tmp_path / "elsewhere").iterdir())


@posix
def test_a_run_may_be_named_by_a_link(copy: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(copy)
    done("resume", "link", "--generations=4")
    assert evolve.load_run(copy).generation_count == 4


@posix
def test_a_rating_follows_no_link(tmp_path: Path) -> None:
    arguments = ("rate", "zero", "swh", "--games=2", "--out", "rated")
    done(*arguments)
    target = outside(tmp_path, tmp_path / "rated" / "games")
    shutil.rmtree(tmp_path / "rated" / "games")
    (tmp_path / "rated" / "games").symlink_to(target)
    assert "is a link" in fails(*arguments)
