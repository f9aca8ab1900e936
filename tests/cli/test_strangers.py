"""Folders that may come from anybody: nothing in them is run, followed or believed."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

import evolve
from tests.cli import done, fails, posix, program, snapshot


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


MARK = "stolen"
GENERATION = "generations/gen-0001.parquet"
OF_RUNS = (
    "generations", "games", "champion.json", ".lock", "config.toml", GENERATION,
    "games/gen-0001.parquet", "games/playoff.parquet",
)  # fmt: skip
OF_SWEEPS = (
    "trials", "trials.parquet", "journal.log", "journal.log.lock", "final.json", "champion.json",
    "rungs", "trials/trial-0005.json",
)  # fmt: skip


def link_in(folder: Path, tmp_path: Path, name: str) -> Path:
    """Let something in a folder be a link to a copy of it, all of whose text says so."""
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


@posix
@pytest.mark.parametrize(
    ("kind", "name"),
    [*(("run", name) for name in OF_RUNS), *(("sweep", name) for name in OF_SWEEPS)],
)
def test_links_in_a_folder_are_not_followed(
    kind: str, name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    folder = request.getfixturevalue("copy" if kind == "run" else "sweep")
    target = link_in(folder, tmp_path, name)
    before = snapshot(target.parent)
    more = "--generations=5" if kind == "run" else "--trials=6"
    for arguments in (("show", folder), ("resume", folder), ("resume", folder, more)):
        assert f"{folder / name} is a link to {target}: put" in fails(*arguments)
    assert snapshot(target.parent) == before


@posix
def test_readers_follow_no_link(copy: Path, first: Path, tmp_path: Path) -> None:
    (tmp_path / "first").symlink_to(first)  # what its user names may be one
    (copy / "champion.json").unlink()
    (copy / "champion.json").symlink_to(first / "champion.json")
    link_in(copy, tmp_path, GENERATION)
    for arguments in (
        ("show", "copy", "--table=individuals"),
        ("show", "copy", "--table=games", "-o", "games.csv"),
        ("export", "copy", "--to=python", "-o", "agent.py"),
        ("plot", "copy", "-o", "plot.png"),
        ("compare", "first", "copy"),
        ("lineage", "copy", "0-1"),
        ("replay", "copy", "1:0"),
        ("match", "copy", "swh", "--games=2"),
        ("rate", "copy", "swh", "random", "--games=2"),
        ("resume", "copy", "--generations=9"),
    ):
        message = fails(*arguments)
        assert re.search(f"copy/(champion.json|{GENERATION}) is a link to ", message), message
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
    done("resume", "link")
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
def test_a_rating_follows_no_link(tmp_path: Path) -> None:
    arguments = ("rate", "zero", "swh", "--games=2", "--out", "rated")
    done(*arguments)
    target = outside(tmp_path, tmp_path / "rated" / "games")
    shutil.rmtree(tmp_path / "rated" / "games")
    (tmp_path / "rated" / "games").symlink_to(target)
    assert "is a link" in fails(*arguments)
