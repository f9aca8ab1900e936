"""The registry of kinds of runs: every entry is complete, and what is unknown is refused."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from evolve.cli.run import resume_command
from evolve.errors import RunError
from evolve.runs.run_types import RUN_TYPES, kind_of
from tests.cli import done, invoke
from tests.cli.test_kept_run import KEPT


def test_a_name_is_of_one_kind_alone() -> None:
    names = [kind.name for kind in RUN_TYPES]
    commands = [command for kind in RUN_TYPES for command in kind.commands]
    assert len(set(names)) == len(names)
    assert len(set(commands)) == len(commands)
    changes = [change for kind in RUN_TYPES for change in kind.changes]
    told = {(change.name, change.type, change.help) for change in changes}
    assert len({change.name for change in changes}) == len(told)  # alike where shared
    offered = {parameter.name for parameter in resume_command.params}
    assert {change.name for change in changes} <= offered


def test_the_registry_is_light() -> None:
    code = (
        "import sys, evolve.runs.run_types; "
        "print([name for name in ('numpy', 'pandas', 'click', 'pydantic') if name in sys.modules])"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout.strip() == "[]"


@pytest.mark.parametrize("command", ["nonesuch", "train", "train trees", "runs", "", 3, ["run"]])
def test_unknown_kinds_are_refused(command: Any) -> None:
    with pytest.raises(RunError, match=r"place: command = .* is unknown; .* run, .*train dqn"):
        kind_of(command, Path("place"))


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run whose kind is unknown, alone in the folder `runs`."""
    monkeypatch.chdir(tmp_path)
    folder = Path(shutil.copytree(KEPT, tmp_path / "runs/strange"))
    config = folder / "config.toml"
    text = config.read_text(encoding="utf-8")
    config.write_text('command = "nonesuch"\n' + text.replace('command = "run"\n', ""), "utf-8")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("resume",),
        ("resume", "--generations", 9),
        ("show",),
        ("show", "--table", "games"),
        ("show", "--generation", 0),
        ("plot", "-o", "a.png"),
        ("compare",),
        ("compare", KEPT),
        ("replay", "0:0"),
    ],
    ids=str,
)
def test_no_command_takes_a_run_of_an_unknown_kind(
    strange: Path, arguments: tuple[object, ...]
) -> None:
    command, *rest = arguments
    result = invoke(command, strange, *rest)
    assert result.code == 1
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert "command = 'nonesuch' is unknown; there are run," in result.err
    assert not Path("a.png").exists()


def test_runs_says_that_a_kind_is_unknown(strange: Path) -> None:
    rows = done("runs", "--json").document
    assert [row["run"] for row in rows] == ["runs/strange"]
    assert "command = 'nonesuch' is unknown" in rows[0]["state"]
    assert done("runs").out.count("is unknown") == 1
