"""Options that several commands share: names that can be written to, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import pytest

from evolve.cli.options import jobs_option, output_named, output_path, readable
from evolve.fitness.executor import processors


def given(command: click.Command, *arguments: str) -> dict[str, Any]:
    """What a command is called with."""
    return command.make_context("test", list(arguments)).params


@click.command
@jobs_option
@click.option("-o", callback=output_path)
@click.option("--games", callback=output_named(".parquet", ".csv"))
def writing(**_: Any) -> None:
    pass


def test_jobs_are_all_cores_unless_said() -> None:
    assert given(writing)["jobs"] == processors() >= 1
    assert given(writing, "--jobs", "3")["jobs"] == 3
    with pytest.raises(click.BadParameter, match="0 is not in the range"):
        given(writing, "--jobs", "0")


def test_a_file_may_be_there_or_not_but_its_folder_must(tmp_path: Path) -> None:
    assert given(writing)["o"] is None
    for name in ("new.csv", "there.csv"):
        (tmp_path / "there.csv").touch()
        assert given(writing, "-o", str(tmp_path / name))["o"] == tmp_path / name
    assert not (tmp_path / "new.csv").exists(), "asking writes nothing"
    with pytest.raises(click.ClickException, match="is a folder; name a file in it"):
        given(writing, "-o", str(tmp_path))
    with pytest.raises(click.ClickException, match=r"there is no folder .*/no to write a\.csv to"):
        given(writing, "-o", str(tmp_path / "no" / "a.csv"))


@pytest.mark.parametrize("name", ["g.csv", "g.CSV", "g.parquet"])
def test_tables_of_games_are_named_as_such(name: str) -> None:
    assert given(writing, "--games", name)["games"] == Path(name)


@pytest.mark.parametrize("name", ["g.json", "g", "csv", "g.csv.gz"])
def test_other_names_of_tables_are_refused(name: str) -> None:
    with pytest.raises(click.BadParameter, match=r"must end in \.parquet or \.csv"):
        given(writing, "--games", name)


def test_a_name_of_any_bytes_can_be_shown() -> None:
    assert readable("plain – Ä") == "plain – Ä"
    shown = readable(os.fsdecode(b"b\xff.json"))
    assert shown.encode("utf-8") == b"b?.json"
