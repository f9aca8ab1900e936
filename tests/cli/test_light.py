"""What is quick stays quick: no command loads what it does not use."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from evolve.cli.main import COMMANDS
from tests.cli import ALPHABETA, TINY, python
from tests.cli.test_games import LAST_TWO
from tests.cli.test_train import SMALL

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
    found = {}
    lines = [line for line in ended.err.splitlines() if line.startswith(_MARK)]
    for words, line in zip(commands, lines, strict=True):
        exit_code, *names = line.removeprefix(_MARK).split()
        assert exit_code == "0", words
        found[" ".join(words)] = set(names)
    return found


def test_help_loads_neither_kernels_nor_tables() -> None:
    others = [command for command in COMMANDS if command not in ("show", "lineage")]
    cases = loaded(("--help",), *((command, "--help") for command in others))
    assert not cases["--help"] & {"pydantic", "rich"}
    assert not [command for command, names in cases.items() if names & (HEAVY | TABLES)]
    found = loaded(("show", "--help"), ("lineage", "--help"))
    # `show` names the columns of a table.
    assert {
        command: names & (HEAVY | {"pandas"}) for command, names in found.items() if names & HEAVY
    } == {}


def test_looking_at_runs_loads_no_kernels() -> None:
    found = loaded(
        ("runs", str(KEPT_RUN.parent)),
        ("show", str(KEPT_RUN)),
        ("show", str(KEPT_RUN), "--table", "games"),
        ("show", str(KEPT_RUN), "--table", "individuals", "--format", "json"),
        ("compare", str(KEPT_RUN)),
    )
    assert not [command for command, names in found.items() if names & HEAVY]


COSTLY = {
    "deap", "distributed", "fastapi", "matplotlib", "optuna", "pandas", "scipy.linalg",
    "scipy.special", "scipy.stats", "sqlalchemy", "torch",
}  # fmt: skip
"""What takes 0.1 s or more and is part of few commands; pandas also 38 MB, scipy.linalg 27."""

EACH = (
    (("--version",), set()),
    (("perft", "3"), set()),
    (("solve", "positions.obf"), set()),
    (("convert", "moves.txt", "-o", "games.ggf"), set()),
    (("runs", "."), set()),
    (("show", "swh"), set()),
    (("show", "KEPT/champion.json"), set()),
    (("replay", "KEPT", "0:1"), set()),
    (("replay", "games.ggf", "1"), set()),
    (("export", "KEPT", "--to", "python", "-o", "agent.py"), set()),
    (("check", "agent.py", "--games=1"), set()),
    (("match", "swh", "zero", "--games=4", "--json"), set()),
    (("match", "swh", "zero", "--games=2", "--openings=moves.txt"), set()),
    (("rate", "swh", "zero", "random", "--games=2", "--out=rated"), set()),
    (("rate", "swh", "zero", "random", "--games=2", "--out=rated", "--json"), set()),
    (("play", "swh"), set()),
    (("engine", "swh", "--protocol=gtp"), set()),
    ((*SMALL["patterns"], "--out=learned"), set()),
    (("run", *TINY, "--out=new"), {"deap"}),
    (("resume", "new"), {"deap"}),
    (("resume", "new", "--generations=4"), {"deap"}),
    (("show", "new"), {"deap", "pandas"}),
    (("lineage", "new"), {"deap", "pandas"}),
    (("compare", "new"), {"deap", "pandas"}),
)
"""Commands, one after the other in one process, with what they and those before them may load."""


@pytest.mark.slow
def test_no_command_loads_what_it_does_not_use(tmp_path: Path) -> None:
    (tmp_path / "moves.txt").write_text("f5 d6 c3\n", encoding="utf-8")
    (tmp_path / "positions.obf").write_text(LAST_TWO, encoding="utf-8")
    shutil.copytree(KEPT_RUN, tmp_path / "KEPT")
    found = loaded(*(words for words, _ in EACH), folder=tmp_path)
    assert not [words for words, may in EACH if not found[" ".join(words)] & COSTLY <= may]


@pytest.mark.slow
def test_a_sweep_loads_optuna_alone(tmp_path: Path) -> None:
    sweep = (*ALPHABETA[:-1], "--trials=2", "--startup=1", "--jobs=1", "--out=swept")
    cases = loaded(sweep, folder=tmp_path).items()
    assert not [words for words, names in cases if names & COSTLY != {"deap", "optuna"}]


@pytest.mark.learning
def test_a_training_loads_torch_alone(tmp_path: Path) -> None:
    small = ("--games=20", "--games-per-iteration=20", "--check-every=20", "--batch=32")
    train = ("train", "dqn", *small, "--panel-openings=2", "--layers=dense 8 relu, dueling")
    cases = loaded((*train, "--out=taught"), folder=tmp_path).items()
    assert not [words for words, names in cases if names & COSTLY != {"torch"}]
