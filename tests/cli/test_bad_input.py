"""Whatever is wrong: the right exit code, one clear line, nothing lost, nothing left behind."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from evolve.cli.main import COMMANDS
from tests.cli import QUICK, Result, done, fails, invoke, snapshot


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_every_command(command: str, option: str) -> None:
    said = done(command, option).out
    assert said.startswith(f"Usage: evolve {command}")
    assert "Example" in said


def test_every_wrong_field_of_a_file_is_named_at_once(tmp_path: Path) -> None:
    text = (
        'population = 2\nseed = "a"\nrules = "odd"\npreset = "best"\nsurvivers = 0.5\n'
        'terms = ["luck"]\nmutation_rate = 7\n'
        '[fix]\ndepths = "deep"\n[bounds]\nweights = [1, 2, 3]\n'
    )
    names = "population seed rules preset survivers terms mutation_rate fix.depths bounds.weights"
    Path("settings.toml").write_text(text, encoding="utf-8")
    message = fails("run", "--config", "settings.toml")
    assert message.startswith("settings.toml: ")
    assert all(name in message for name in names.split())
    assert [path.name for path in tmp_path.iterdir()] == ["settings.toml"]


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    assert "nowhere.toml" in fails("run", "--config", "nowhere.toml")
    assert str(tmp_path) in fails("run", "--config", tmp_path)


FILES = (
    "config.toml",
    "champion.json",
    "generations/gen-0001.parquet",
    "generations/gen-0002.parquet",
    "games/gen-0001.parquet",
    "games/playoff.parquet",
)


Damage = Callable[[Path], object]


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


DAMAGES: dict[str, Damage] = {
    "emptied": lambda path: path.write_bytes(b""),
    "cut in half": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "one byte short": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "noise": lambda path: path.write_bytes(random.Random(1).randbytes(path.stat().st_size)),
    "zeros": lambda path: path.write_bytes(bytes(path.stat().st_size)),
    "other JSON": lambda path: path.write_text("[1]\n"),
    "gone": lambda path: path.unlink(),
    "a folder": _folder,
    "another table": lambda path: shutil.copy(path.parent.parent / "games/gen-0000.parquet", path),
    "other individuals": lambda path: shutil.copy(
        path.parent.parent / "generations/gen-0000.parquet", path
    ),
}


LOOKS: tuple[tuple[object, ...], ...] = (
    ("show", "copy"),
    ("show", "copy", "--table", "individuals"),
    ("show", "copy", "--table", "games", "--format", "csv"),
    ("show", "copy", "--table", "games", "--generation", 1, "--format", "json"),
    ("show", "copy/champion.json"),
    ("runs", "."),
    ("runs", ".", "--json"),
    ("compare", "copy"),
    ("replay", "copy", "1:3"),
    ("export", "copy", "-o", "out.json"),
    ("export", "copy", "--individual", "0-1", "-o", "out.json"),
    ("resume", "copy", "--generations", 3),
)


def _clean(result: Result) -> bool:
    """Done, or one line of error."""
    lines = [line for line in result.err.splitlines() if line]
    if result.code == 0:
        return not lines
    return result.code == 1 and len(lines) == 1 and lines[0].startswith("error: ")


@pytest.mark.parametrize(
    ("file", "damage"),
    [
        pytest.param(
            file,
            damage,
            marks=[] if (one + 2 * other) % 3 == 0 else [pytest.mark.slow],  # some of each
        )
        for one, file in enumerate(FILES)
        for other, damage in enumerate(DAMAGES)
        if file.endswith(".parquet") or damage not in ("another table", "other individuals")
    ],
)
def test_damaged_files_of_a_run(copy: Path, file: str, damage: str) -> None:
    DAMAGES[damage](copy / file)
    before = snapshot(copy)
    faults = []
    for arguments in LOOKS:
        try:
            result = invoke(*arguments)
        except Exception as error:
            faults.append(f"{' '.join(map(str, arguments))}: {type(error).__name__}: {error}")
            continue
        if not _clean(result):
            faults.append(f"{' '.join(map(str, arguments))}: {result}")
        if arguments[0] != "resume" and snapshot(copy) != before:
            faults.append(f"{arguments} changes a file")
    assert faults == []


@pytest.mark.parametrize(
    ("file", "table", "damage"),
    [
        ("generations/gen-0001.parquet", "individuals", "cut in half"),
        ("generations/gen-0001.parquet", "individuals", "another table"),
        ("games/gen-0001.parquet", "games", "noise"),
        ("games/gen-0001.parquet", "games", "gone"),
    ],
)
def test_a_damaged_table_is_told_with_its_name(
    copy: Path, file: str, table: str, damage: str
) -> None:
    DAMAGES[damage](copy / file)
    assert file in fails("show", copy, "--table", table).replace("\\", "/")


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "bad.json"),
        ("match", "bad.json", "zero", "--games", 2),
        ("play", "bad.json"),
        ("export", "bad.json", "-o", "out.json"),
        ("export", "bad.json", "--to", "python", "-o", "out.py"),
        ("run", *QUICK, "--start-from", "bad.json", "--out", "run"),
    ],
)
@pytest.mark.parametrize("text", ["", "5", '{"format": "evolve-agent", "version": 2}'])
def test_bad_agent_files(tmp_path: Path, text: str, arguments: tuple[object, ...]) -> None:
    """More of them are in `tests/agents/test_agent_file.py`."""
    (tmp_path / "bad.json").write_text(text, encoding="utf-8")
    assert "bad.json" in fails(*arguments)
    assert [path.name for path in tmp_path.iterdir()] == ["bad.json"]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (("--debug", "show", "nowhere"), "nowhere"),
        (("show", "nowhere", "--debug"), "nowhere"),
        (("--debug", "run", "--population=2"), "population"),
    ],
)
def test_debug_shows_where_an_error_comes_from(arguments: tuple[str, ...], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        invoke(*arguments)


def test_an_error_of_many_lines_is_told_in_one(copy: Path) -> None:
    path = copy / "champion.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    document["rules"] = "a\nb\r\nc"
    path.write_text(json.dumps(document), encoding="utf-8")
    assert "champion.json" in fails("show", path)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("match", "swh?depth=1&depth=2", "swh"), "depth"),
        (("match", "gtp:cat?time=1?time=2", "swh"), "time"),
        (("train", "mcts", "--config", "shares.toml"), "swh"),
        (("run", "--config", "twice.toml"), "line 2"),
        (("match", "twice.json", "swh"), "name"),
        (("convert", "games.json", "-o", "out.csv"), "moves"),
        (("convert", "games.csv", "-o", "out.ggf"), "rules"),
    ],
)
def test_nothing_is_given_twice(words: tuple[str, ...], name: str) -> None:
    done("export", "swh", "-o", "once.json")
    text = Path("once.json").read_text(encoding="utf-8")
    Path("twice.json").write_text(text.replace('"name"', '"name": "x", "name"'), encoding="utf-8")
    Path("games.json").write_text('[{"moves": "f5 d6", "moves": "f5"}]', encoding="utf-8")
    Path("games.csv").write_text("moves,rules,Rules\nf5,reversed,standard\n", encoding="utf-8")
    Path("shares.toml").write_text('opponents = "swh=1,swh=2"\n', encoding="utf-8")
    Path("twice.toml").write_text("seed = 1\nseed = 2\n", encoding="utf-8")
    result = invoke(*words)
    assert result.code in (1, 2)
    assert re.search(rf"^error: .*\b{name}\b", result.err)
