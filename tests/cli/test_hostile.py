"""Files made to break their reader, and places that cannot be written to: a line, no traceback."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.records.formats import read_games, write_games
from tests.cli import Result, command, done, environment, fails, invoke, snapshot

posix = pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")

READERS = (("show",), ("resume",), ("compare",), ("plot", "-o", "x.png"))
BOMBS = {
    "a number of 5000 digits": "x = " + "9" * 5000,
    "a long number in hex": "seed = 0x" + "f" * 5000,
    "brackets": "x = " + "[" * 3000,
    "closed brackets": "x = " + "[" * 3000 + "]" * 3000,
    "tables": "x = " + "{a=" * 3000,
    "a long way down": "x" + ".a" * 3000 + " = 1",
    "a deep table": "[x" + ".a" * 3000 + "]",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_settings_that_are_bombs(copy: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "bomb.toml").write_text(BOMBS[name] + "\n")
    for arguments in (("run", "--config", "bomb.toml"), ("sweep", "dqn", "--space", "bomb.toml")):
        assert "bomb.toml" in fails(*arguments)
    config = copy / "config.toml"
    config.write_text(f"{BOMBS[name]}\n{config.read_text()}")
    for word, *more in READERS:
        said = fails(word, copy, *more)
        assert str(config) in said
        assert len(said) < 400
    assert done("runs", ".").out.count("config.toml") == 1


@posix
def test_a_device_without_an_end_is_no_agent() -> None:
    assert "16 MiB" in fails("match", "/dev/zero", "swh")


@pytest.mark.parametrize("value", ['"runn"', '"train go"', '"sweep"', "5", "[]", '""'])
def test_a_command_that_is_not_known(copy: Path, value: str) -> None:
    config = copy / "config.toml"
    config.write_text(config.read_text().replace('command = "run"', f"command = {value}"))
    for word, *more in READERS:
        said = fails(word, copy, *more)
        assert str(config) in said
        assert "there are run, train dqn" in said
    assert "is unknown" in done("runs", ".").out


def test_files_with_other_digits_are_not_ours(copy: Path) -> None:
    names = ("gen-².parquet", "gen-٣.parquet", "gen-x.parquet", "gen-.parquet")
    files = [copy / part / name for part in ("generations", "games") for name in names]
    for file in files:
        file.write_bytes(b"theirs")
    done("show", copy)
    done("resume", copy, "--generations=4")
    assert [file.read_bytes() for file in files] == [b"theirs"] * 8


def shell(folder: Path, line: str) -> Result:
    """A line of sh, `evolve` in it being this one."""
    words = " ".join(command())
    ended = subprocess.run(
        ["sh", "-c", f'evolve() {{ {words} "$@"; }}; {line}'],
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(ended.returncode, ended.stdout, ended.stderr)


RUN = "run --generations 1 --population 4 --openings start --panel-openings 2 --playoff-openings 2"


@posix
@pytest.mark.parametrize(
    ("what", "closed"),
    [
        pytest.param("runs .", ">&-", marks=pytest.mark.slow),
        ("runs .", "<&- >&- 2>&-"),
        pytest.param(f"{RUN} --out new", ">&-", marks=pytest.mark.slow),
        pytest.param(f"{RUN} --out new", "<&- >&- 2>&-", marks=pytest.mark.slow),
    ],
)
def test_a_closed_standard_output(copy: Path, tmp_path: Path, what: str, closed: str) -> None:
    assert shell(tmp_path, f"evolve {what} {closed}") == (0, "", "")
    # Nothing that was opened later got the place, and the lines, of standard output.
    for path in tmp_path.rglob("*.toml"):
        assert "evolve 0" not in path.read_text()


@posix
@pytest.mark.parametrize(
    "what", [pytest.param("--version", marks=pytest.mark.slow), "show copy --table games"]
)
def test_a_reader_that_wants_one_line(copy: Path, tmp_path: Path, what: str) -> None:
    ended = shell(tmp_path, f"{{ evolve {what}; echo $? >code; }} | head -n 1 >/dev/null; cat code")
    assert (ended.out.strip(), ended.err) == ("0", "")


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="there is no /dev/stdout here")
def test_standard_streams_that_are_pipes_are_written_through(copy: Path, tmp_path: Path) -> None:
    ended = shell(
        tmp_path,
        "evolve match swh zero --games=2 --json --progress /dev/stderr;"
        "evolve show copy --table games -o /dev/stdout --format=json | cat",
    )
    events = [json.loads(line)["event"] for line in ended.err.splitlines()]
    assert (events[0], events[-1]) == ("started", "done"), ended
    assert '"reason"' in ended.out, ended
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize(
    ("what", "unbuffered"),
    [
        ("show copy --table games", ""),
        ("--help", "1"),
        pytest.param("show copy --table games", "1", marks=pytest.mark.slow),
        pytest.param("--help", "", marks=pytest.mark.slow),
    ],
)
def test_a_full_standard_output(copy: Path, tmp_path: Path, what: str, unbuffered: str) -> None:
    line = f"export PYTHONUNBUFFERED={unbuffered}; evolve {what} >/dev/full"
    assert shell(tmp_path, line) == (1, "", "error: No space left on device\n")


@posix
@pytest.mark.parametrize(
    "what",
    [
        pytest.param("plot copy -o x.pdf", marks=pytest.mark.slow),
        pytest.param("convert copy/games/gen-0000.parquet -o x.parquet", marks=pytest.mark.slow),
        pytest.param("convert copy/games/gen-0000.parquet -o x.csv", marks=pytest.mark.slow),
        f"{RUN} --out x",
    ],
)
def test_a_writer_on_a_full_disk(copy: Path, tmp_path: Path, what: str) -> None:
    """A limit to the size of files stands in for it: their writer fails, and fails again while
    it closes."""
    before = snapshot(tmp_path)
    ended = shell(tmp_path, f"ulimit -f 1; evolve {what}")
    assert ended.code == 1
    assert ended.err.count("\n") == 1, ended.err
    assert ended.err.startswith("error: x"), ended.err
    assert ended.err.endswith("File too large\n")
    assert snapshot(tmp_path) == before


def test_names_that_would_be_formulas_come_back(tmp_path: Path) -> None:
    agent = evolve.load_agent("swh")
    names = {"=1+1.json", "@x.json"}
    for name in names:
        agent.save(name)  # type: ignore[union-attr]
    done("match", *sorted(names), "--games=2", "--out", "games.csv", "--json")
    text = Path("games.csv").read_text()
    assert "'=1+1.json," in text
    assert "'@x.json," in text
    games = read_games("games.csv").records
    assert {games[0].black, games[0].white} == names
    write_games(Path("again.csv"), games)
    again = read_games("again.csv").records
    assert [game.black for game in again] == [game.black for game in games]


VALUES = [
    "-1", "0", "1e999", "nan", "-inf", "true", "[]", "{}", '""', '"x"', "[[[]]]", "0x" + "f" * 5000,
    "9" * 5000, "[" * 3000, "1979-05-27", "07:32:00", '[1, "a"]', "{a = 1}", '"gtp:x"', '"/"',
]  # fmt: skip
JSONS: list[Any] = [
    None, True, -1, 0, 1e308, float("nan"), 10**30, 10**80, "", "x", "\ud800", [], {}, [[]], [1],
    {"a": 1}, -0.5, 2**63,
]  # fmt: skip


def damaged_toml(text: str, rng: random.Random) -> str:
    lines = text.splitlines()
    place = rng.randrange(len(lines))
    if "=" in lines[place] and rng.random() < 0.8:
        lines[place] = lines[place].split("=")[0] + "= " + rng.choice(VALUES)
    else:
        lines[place] = lines[place][: rng.randrange(1 + len(lines[place]))]
    return "\n".join(lines) + "\n"


def damaged_json(text: str, rng: random.Random) -> str:
    document = json.loads(text)
    places: list[tuple[Any, Any]] = []

    def walk(value: Any) -> None:
        keys = value if isinstance(value, dict) else range(len(value))
        for key in keys:
            places.append((value, key))
            if isinstance(value[key], dict | list):
                walk(value[key])

    walk(document)
    holder, key = rng.choice(places)
    if rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = rng.choice(JSONS)
    return json.dumps(document)


def try_damage(copy: Path, count: int) -> None:
    """Damage one thing in a file and look at the run in every way: one line or a good end."""
    looks: list[tuple[Any, ...]] = [
        ("show", copy), ("show", copy / "champion.json"), ("runs", "."),
        ("compare", copy, "--json"),
        ("export", copy, "-o", "x.json"), ("export", copy, "--individual", "1-0", "-o", "x.json"),
        ("plot", copy, "-o", "x.svg"), ("match", copy, "swh", "--games=2", "--out", "x.parquet"),
        ("resume", copy, "--generations=4", "--jobs=1"),
    ]  # fmt: skip
    whole = copy.rename("whole")
    rng = random.Random(count)
    makers: dict[str, Callable[[str, random.Random], str]] = {
        "config.toml": damaged_toml,
        "champion.json": damaged_json,
    }
    for _ in range(count):
        name = rng.choice(sorted(makers))
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(whole, copy)
        (copy / name).write_text(makers[name]((copy / name).read_text(), rng))
        for arguments in rng.sample(looks, 2):
            what = (arguments, (copy / name).read_text())
            result = invoke(*arguments)
            assert result.code in (0, 1, 2), (what, result)
            assert "Traceback" not in result.err, (what, result)
            assert result.code == 0 or result.err.count("\n") == 1, (what, result)


@pytest.mark.slow
def test_damaged_settings_and_agents_are_told_in_a_line(copy: Path) -> None:
    try_damage(copy, 50)
