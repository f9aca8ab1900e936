"""What is quick stays quick: no command loads what it does not use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evolve.cli.main import COMMANDS
from tests.cli import ALPHABETA, QUICK, python
from tests.cli.test_games import LAST_TWO
from tests.cli.test_train import SMALL, TRAIN

HEAVY = {"deap", "joblib", "matplotlib", "numba", "optuna", "scipy", "torch"}
TABLES = {"numpy", "pandas", "pyarrow"}
KEPT_RUN = Path(__file__).parent / "run-0.2"
_MARK = "loaded:"


def loaded(*commands: tuple[str, ...], folder: Path | None = None) -> dict[str, set[str]]:
    """The modules that are loaded after each of some commands, one after the other in a process:
    what is not there after the last was loaded by none."""
    code = (
        "import json, sys\n"
        "from evolve.cli.main import main\n"
        "for words in json.loads(sys.argv[1]):\n"
        "    try:\n"
        "        main(words)\n"
        "        code = 0\n"
        "    except SystemExit as ended:\n"
        "        code = ended.code\n"
        f"    print({_MARK!r}, code, *sorted(sys.modules), file=sys.stderr)\n"
    )
    ended = python(code, json.dumps(commands), folder=folder)
    assert ended.code == 0, ended
    lines = [line.split() for line in ended.err.splitlines() if line.startswith(_MARK)]
    assert [code for _, code, *_ in lines] == ["0"] * len(commands)
    return {" ".join(words): {*line[2:]} for words, line in zip(commands, lines, strict=True)}


def test_help_loads_neither_kernels_nor_tables() -> None:
    others = [command for command in COMMANDS if command not in ("show", "lineage")]
    cases = loaded(("--help",), *((command, "--help") for command in others))
    assert not cases["--help"] & {"pydantic", "rich"}
    assert not [command for command, names in cases.items() if names & (HEAVY | TABLES)]
    found = loaded(("show", "--help"), ("lineage", "--help"))
    # `show` names the columns of a table.
    assert not [command for command, names in found.items() if names & HEAVY]


def test_looking_at_runs_loads_no_kernels() -> None:
    run = str(KEPT_RUN)
    table = ("--table", "individuals", "--format", "json")
    looks = (("show", run), ("show", run, "--table", "games"), ("show", run, *table))
    found = loaded(("runs", str(KEPT_RUN.parent)), *looks, ("compare", run))
    assert not [command for command, names in found.items() if names & HEAVY]


COSTLY = {
    "deap", "distributed", "fastapi", "matplotlib", "optuna", "pandas", "scipy.linalg",
    "scipy.special", "scipy.stats", "sqlalchemy", "torch",
}  # fmt: skip
"""What takes 0.1 s or more and is part of few commands; pandas also 38 MB, scipy.linalg 27."""

RATE = ("rate", "swh", "zero", "random", "--games=2", "--out=rated")
NONE, DEAP, FRAMES = frozenset[str](), frozenset({"deap"}), frozenset({"deap", "pandas"})
EACH: dict[tuple[str, ...], frozenset[str]] = {
    **dict.fromkeys((
        ("--version",), ("perft", "3"), ("solve", "positions.obf"),
        ("convert", "moves.txt", "-o", "games.ggf"), ("runs", "."), ("show", "swh"),
        ("show", "KEPT/champion.json"), ("replay", "KEPT", "0:1"), ("replay", "games.ggf", "1"),
        ("export", "KEPT", "--to", "python", "-o", "agent.py"), ("check", "agent.py", "--games=1"),
        ("match", "swh", "zero", "--games=4", "--json"),
        ("match", "swh", "zero", "--games=2", "--openings=moves.txt"), RATE, (*RATE, "--json"),
        ("play", "swh"), ("engine", "swh", "--protocol=gtp"), (*SMALL["patterns"], "--out=learned"),
    ), NONE),
    **dict.fromkeys((("run", *QUICK, "--out=new"), ("resume", "new")), DEAP),
    ("resume", "new", "--generations=4"): DEAP,
    **dict.fromkeys((("show", "new"), ("lineage", "new"), ("compare", "new")), FRAMES),
}  # fmt: skip
"""Commands, one after the other in one process, with what they and those before them may load."""


@pytest.mark.slow
def test_no_command_loads_what_it_does_not_use(tmp_path: Path) -> None:
    (tmp_path / "moves.txt").write_text("f5 d6 c3\n", encoding="utf-8")
    (tmp_path / "positions.obf").write_text(LAST_TWO, encoding="utf-8")
    shutil.copytree(KEPT_RUN, tmp_path / "KEPT")
    found = loaded(*EACH, folder=tmp_path)
    assert not [words for words, may in EACH.items() if not found[" ".join(words)] & COSTLY <= may]


@pytest.mark.slow
def test_a_sweep_loads_optuna_alone(tmp_path: Path) -> None:
    few = ("--trials=2", "--startup=1", "--jobs=1", "--out=swept")
    (names,) = loaded((*ALPHABETA, *few), folder=tmp_path).values()
    assert names & COSTLY == {"deap", "optuna"}


@pytest.mark.learning
@pytest.mark.slow
def test_a_training_loads_torch_alone(tmp_path: Path) -> None:
    (names,) = loaded((*TRAIN["dqn"], "--games=20", "--out=taught"), folder=tmp_path).values()
    assert names & COSTLY == {"torch"}
