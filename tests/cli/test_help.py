"""What helps while a command line is written: groups of options, plain words, completion."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from evolve.agents.registry import REFERENCES
from evolve.cli.main import COMMANDS, cli
from evolve.config.evolution import EvolutionSettings
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.sweep import SweepSettings
from tests.cli import done, environment, fails, invoke, misused


@pytest.mark.parametrize(
    "words", [("run",), ("sweep",), ("train", "dqn"), ("train", "mcts")], ids=" ".join
)
def test_options_come_in_groups_each_once_the_important_first(words: tuple[str, ...]) -> None:
    said = done(*words, "--help").out
    heads = re.findall(r"^(\w[^:\n]+):$", said, re.MULTILINE)
    assert heads[0] == "What matters first"
    assert len(heads) >= 4
    assert len(set(heads)) == len(heads)
    named = re.findall(r"^  (?:-\w, )?--([\w-]+)", said, re.MULTILINE)
    assert len(set(named)) == len(named)
    first = said[said.index("What matters first") :].partition("\n\n")[0]
    for option in ("seed", "jobs", "out", "config", "help"):
        assert f"--{option} " in first
    command: click.Command | None = cli.get_command(click.Context(cli), words[0])
    if isinstance(command, click.Group):
        command = command.get_command(click.Context(command), words[1])
    assert command is not None
    options = {p.opts[0].removeprefix("--") for p in command.params if isinstance(p, click.Option)}
    assert options <= set(named)


@pytest.mark.parametrize("model", [EvolutionSettings, MctsSettings, DqnSettings, SweepSettings])
def test_groups_begin_at_fields_that_exist(model: type) -> None:
    assert set(model.GROUPS) <= set(model.model_fields)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--bounds", "depths=3"], "two whole numbers, LOW:HIGH, such as depths=2:6"),
        (["--bounds", "depths"], "KEY=VALUE, such as --bounds depths=2:6"),
        (["--survivors", "20"], "share of the population that is selected"),
        (["--survivors", "1"], "shares of the population, such as 0.25"),
        (["--population", "2"], "individuals in every generation"),
        (["--fix", "depths=deep"], "it must be a whole number"),
    ],
)
def test_wrong_values_are_told_in_plain_words(options: list[str], words: str) -> None:
    said = misused("run", *options)
    assert words in said
    assert "see evolve run --help" in said
    for jargon in ("field required", "parse", "valid integer"):
        assert jargon not in said


def test_python_code_as_an_agent() -> None:
    Path("agent.py").write_text("print('never run')\n")
    for arguments in (("show", "agent.py"), ("match", "agent.py", "swh", "--games", 2)):
        said = fails(*arguments)
        assert "agent.py is Python code" in said
        assert "gtp:COMMAND" in said


def completions(folder: Path, *words: str, **changes: str) -> list[str]:
    """What bash is offered for the last of the words."""
    ended = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "evolve"],
        cwd=folder,
        env=environment(
            _EVOLVE_COMPLETE="bash_complete",
            COMP_WORDS=" ".join(("evolve", *words)),
            COMP_CWORD=str(len(words)),
        ),
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = {line.rpartition("|")[2].strip() for line in ended.stderr.splitlines()}
    assert not {"numba", "pandas", "pyarrow", "torch", "optuna", "matplotlib"} & loaded
    return [line.partition(",")[2] for line in ended.stdout.splitlines()]


def test_commands_runs_agents_and_presets_are_completed(quick: Path, tmp_path: Path) -> None:
    shutil.copytree(quick, tmp_path / "runs/first")
    shutil.copytree(quick, tmp_path / "runs/evil\nname")
    shutil.copy(quick / "champion.json", tmp_path / "mine.json")
    assert completions(tmp_path, "r") == [name for name in COMMANDS if name.startswith("r")]
    assert completions(tmp_path, "resume", "") == ["runs/first"]
    assert completions(tmp_path, "show", "runs/f") == ["runs/first"]
    found = completions(tmp_path, "match", "")
    assert found == [*REFERENCES, "runs/first", "mine.json"]
    assert completions(tmp_path, "run", "--preset", "") == ["tuned", "published"]
    assert completions(tmp_path, "run", "--start-from", "swh") == ["swh", "swh-mobility"]
    assert "s4-reversiv" in completions(tmp_path, "train", "mcts", "--preset", "s")


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_completion_of_every_command_is_light(command: str, tmp_path: Path) -> None:
    assert "--help" in completions(tmp_path, command, "--h")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell: str, tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "evolve"],
        env=environment(_EVOLVE_COMPLETE=f"{shell}_source", PATH=os.environ["PATH"]),
        capture_output=True,
        text=True,
        check=False,
    )
    if "bash" in ended.stderr:
        pytest.skip("there is no bash of a version that completes")
    assert ended.returncode == 0
    assert f"_EVOLVE_COMPLETE={shell}_complete" in ended.stdout


def test_help_without_a_command() -> None:
    said = invoke()
    assert (said.code, said.out) == (2, "")
    assert "Commands:" in said.err
