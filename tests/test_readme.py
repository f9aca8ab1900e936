"""The README's examples run, and the commands it shows exist with their options."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from evolve.cli.main import COMMANDS, cli
from tests.evolution.conftest import start

ROOT = Path(__file__).parent.parent
LEARNING = (ROOT / "docs" / "guides" / "networks.md").read_text(encoding="utf-8")
SWEEPS = (ROOT / "docs" / "guides" / "sweeps.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
RUNS = (ROOT / "runs" / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README + RUNS + LEARNING + SWEEPS, re.DOTALL)


def shown_commands() -> list[list[str]]:
    lines = [line.partition("  #")[0] for block in blocks("sh") for line in block.splitlines()]
    found = [shlex.split(line) for line in lines if line.startswith("evolve ")]
    assert len(found) >= 15
    return found


@pytest.mark.parametrize("words", shown_commands(), ids=" ".join)
def test_commands_and_options_exist(words: list[str]) -> None:
    assert words[1] in COMMANDS
    command = cli.get_command(click.Context(cli), words[1])
    if isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words[2])
    assert command is not None
    known = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words[2:] if word.startswith("-")} <= known


def test_python_examples_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs").mkdir()
    start(tmp_path / "runs" / "reversed-001", generations=1)
    start(tmp_path / "runs" / "NAME", generations=1)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), names)
    assert "to move" in capsys.readouterr().out
    assert (tmp_path / "mine.json").exists()
