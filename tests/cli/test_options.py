"""Options that several commands share: names that can be written to, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import pytest

from evolve.cli.options import output_path, readable


def given(command: click.Command, *arguments: str) -> dict[str, Any]:
    """What a command is called with."""
    return command.make_context("test", list(arguments)).params


@click.command
@click.option("-o", callback=output_path)
def writing(**_: Any) -> None:
    pass


def test_a_file_may_be_there_or_not_but_its_folder_must(tmp_path: Path) -> None:
    assert given(writing)["o"] is None
    (tmp_path / "there.csv").touch()
    paths = [tmp_path / "new.csv", tmp_path / "there.csv"]
    assert [given(writing, "-o", str(path))["o"] for path in paths] == paths
    assert not (tmp_path / "new.csv").exists(), "asking writes nothing"
    with pytest.raises(click.ClickException, match="folder"):
        given(writing, "-o", str(tmp_path))
    with pytest.raises(click.ClickException, match=r"/no .*a\.csv"):
        given(writing, "-o", str(tmp_path / "no" / "a.csv"))


def test_a_name_of_any_bytes_can_be_shown() -> None:
    assert readable("plain – Ä") == "plain – Ä"
    shown = readable(os.fsdecode(b"b\xff.json"))
    assert shown.encode("utf-8") == b"b?.json"
