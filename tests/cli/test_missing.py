"""Folders, packages and backends that are not there: each is told as what it is."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from evolve.cli.main import cli
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.extras import install_hint
from evolve.programs.children import LOG, inherited
from tests.cli import QUICK, Result, done, fails, invoke, match, program, python
from tests.programs.test_external import source

GAMES = ("swh", "zero", "--games=2", "--openings=start")

TUNED = Path(__file__).parents[1] / "sweeps/tuned.py"

WORDS: dict[str, tuple[str, ...]] = {
    "run": (), "train dqn": (), "train mcts": (), "train patterns": (),
    **{f"sweep {word}": () for word in SWEEP_TARGETS},
    "sweep program": (f"gtp:{sys.executable} {TUNED} --corner {{corner:1:5}}",),
    "study": ("design.toml",), "resume": ("run",), "show": ("swh",), "compare": ("run",),
    "lineage": ("run", "0-0"), "plot": ("swh",), "report": ("run",), "export": ("swh",),
    "hand-in": ("swh", "--rules=standard"), "match": GAMES, "rate": GAMES, "play": ("swh",),
    "convert": ("moves.txt",),
}  # fmt: skip
"""What commands with files in their options need beside them."""

PLACES = ("FILE", "FOLDER", "FILE.toml", "FILE.parquet")
MISSING = ("missing/x.csv", "my missing/x y.csv", "text.txt/x.csv", "/no/such/place/x.csv")


def commands(
    command: click.Command, words: tuple[str, ...], context: click.Context
) -> Iterator[tuple[str, click.Command]]:
    """It and all commands in it, by their words."""
    yield " ".join(words), command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            yield from commands(found, (*words, name), context)


def options() -> Iterator[tuple[str, str]]:
    """Every option of a command that takes a file or a folder."""
    for words, command in commands(cli, (), click.Context(cli)):
        for option in command.params:
            names_one = option.metavar in PLACES or isinstance(option.type, click.Path)
            if isinstance(option, click.Option) and (names_one or option.name in ("output", "ggf")):
                yield words, option.opts[-1]
    yield from (("match", "--openings"), ("rate", "--openings"))


def test_every_option_tells_a_folder_that_is_not_there() -> None:
    Path("text.txt").write_text("", encoding="utf-8")
    Path("moves.txt").write_text("f5d6\n", encoding="utf-8")
    Path("design.toml").write_text('seeds = "0"\n', encoding="utf-8")
    found = list(options())
    assert len(found) > 40
    assert {words for words, _ in found} == {*WORDS}
    wrong: list[object] = []
    for number, (words, option) in enumerate(found):
        if words.endswith(("dqn", "mcts")) and importlib.util.find_spec("torch") is None:
            continue  # which is told first
        missing = MISSING[number % len(MISSING)]
        result = invoke(*words.split(), *WORDS[words], option, missing)
        named = f"folder {Path(missing).parent}" in result.err
        if not (result.code in (1, 2) and result.err.count("\n") == 1 and named):
            wrong.append((words, option, missing, result))
    assert not wrong
    kept = {"text.txt", "moves.txt", "design.toml"}
    assert {path.name for path in Path().iterdir()} - {"data"} == kept


HIDE = """
import sys
for name in {hidden}:
    sys.modules[name] = None
from tests.cli import invoke
import json
print(json.dumps([invoke(*words) for words in {words}]))
"""

CLUSTER = "clusters need Dask, the extra `cluster` of evolve, which is not installed"

TORCH = "learning needs PyTorch, the extra `learn` of evolve, which is not installed"

LACKING = (
    (("run", "--scheduler=tcp://127.0.0.1:9"), CLUSTER),
    (("match", *GAMES, "--scheduler=tcp://127.0.0.1:9"), CLUSTER),
    (("rate", *GAMES, "--scheduler=tcp://127.0.0.1:9"), CLUSTER),
    (("sweep", "evolution", "--scheduler=tcp://127.0.0.1:9"), "this needs optuna"),
    (("train", "mcts"), TORCH),
    (("train", "dqn", "--seeds=0-1"), TORCH),
    (("serve",), f"the extra `serve` of evolve, which is not installed: {install_hint('serve')}"),
    (("plot", "swh", "-o", "x.png"), "this needs matplotlib, which is not installed"),
    (("sweep", "alphabeta", "--trials=1"), "this needs optuna, which is not installed"),
    (("sweep", "program", "gtp:cat {x:1:5}"), "this needs optuna, which is not installed"),
)


def without(hidden: tuple[str, ...], words: list[tuple[str, ...]], **changes: str) -> list[Result]:
    """What commands do, one after another in a process that lacks some packages."""
    ended = python(HIDE.format(hidden=hidden, words=words), folder=Path.cwd(), **changes)
    assert ended.code == 0, ended
    return [Result(*found) for found in json.loads(ended.lines[-1])]


@pytest.mark.slow
def test_every_command_tells_a_package_that_is_not_there(tmp_path: Path) -> None:
    hidden = ("dask", "distributed", "torch", "fastapi", "uvicorn", "matplotlib", "optuna")
    results = without(hidden, [words for words, _ in LACKING])
    assert [(code, err.count("\n")) for code, _, err in results] == [(1, 1)] * len(results)
    both = [*zip(LACKING, results, strict=True)]
    assert not [(words, said) for (words, why), said in both if why not in said.err]
    assert not [words for (words, _), said in both if "Traceback" in said.out]
    assert not (tmp_path / "runs").exists()


@pytest.mark.slow
def test_a_sign_stands_for_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In each word, whatever shells leave of it; not inside of a name."""
    home = tmp_path / "a b"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    (home / "first.py").write_text(
        "class First:\n    def choose(self, board):\n        return board.legal_moves()[0]\n"
    )
    for name in ("python:~/first.py", "python:~/first.py:First"):
        done("match", name, "zero", "--games=2", "--openings=start", "--out=~/games.parquet")
        (home / "games.parquet").unlink()
    for words in [("-o", "~/0"), ("-o~/1",), ("--output=~/2",)]:
        done("export", "swh", *words[:-1], f"{words[-1]}.json")
    assert {path.name for path in home.glob("*.json")} == {"0.json", "1.json", "2.json"}
    (home / "r.toml").write_text('agents = ["zero"]\ngames = 2\nopenings = "start"\n')
    (home / "0.json").rename(home / "swh.json")
    done("rate", "--config=~/r.toml", "--against=~/swh.json")
    names = ("swh,~/none.json", "run:~/none:0-1")
    said = [fails("sweep", "alphabeta", "--trials=1", f"--panel={name}") for name in names]
    assert not [line for line in said if "~" in line or f"{tmp_path}" not in line]
    done("play", "swh", stdin="save ~/game.ggf\n")
    assert (home / "game.ggf").is_file()
    assert done("show", "~/swh.json").out == done("show", home / "swh.json").out
    assert "x~/swh.json" in fails("show", "x~/swh.json")


@pytest.mark.slow
def test_without_compiling_what_plays_says_so_and_all_else_works(tmp_path: Path) -> None:
    (tmp_path / "start.txt").write_text("f5d6")
    (tmp_path / "study.toml").write_text('command = "sweep alphabeta"\nseeds = [0]\n')
    others = {
        ("show", "nothere"): "no such file",
        ("show", "swh"): "",
        ("hand-in", "x"): "no agent 'x'",
        ("export", "swh", "-o", "swh.py"): "",
        ("plot", "swh", "-o", "swh.png"): "",
        ("match", "nothere", "swh"): "no such file",
        ("resume", "nothere"): "no such folder",
        ("replay", "nothere.ggf"): "No such file",
        ("agents",): "",
        ("runs", "."): "",
    }
    plays: list[tuple[str, ...]] = [
        *(("match", *GAMES), ("rate", *GAMES, "--out=rated"), ("play", "swh")),
        *(("engine", "swh", "--protocol=gtp"), ("hand-in", "swh", "--rules=standard")),
        *(("run",), ("sweep", "alphabeta"), ("train", "patterns"), ("study", "study.toml")),
        *(("perft", "3"), ("solve", "start.txt"), ("serve",)),
    ]
    answers = without((), [*others, *plays], NUMBA_DISABLE_JIT="1")
    assert not [
        (command, said)
        for said, (command, message) in zip(answers, others.items(), strict=False)
        if (said.code, message in said.err) != (bool(message), True)
    ]
    refused, start = answers[len(others) :], "error: NUMBA_DISABLE_JIT is set, "
    assert [(said.code, said.err.count("\n")) for said in refused] == [(1, 1)] * len(plays)
    assert {said.err[: len(start)] for said in refused} == {start}
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *("start.txt", "study.toml", "swh.png", "swh.py")
    ]


@pytest.mark.slow
def test_a_sampler_that_is_not_there() -> None:
    words = ("sweep", "alphabeta", "--trials=1", "--panel=random,swh", "--sampler=gp")
    ((code, _, err),) = without(("torch",), [words])
    assert (code, err.count("\n"), "torch" in err) == (1, 1, True)


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["module://no.such.backend", ""])
def test_pictures_need_no_backend(backend: str, tmp_path: Path) -> None:
    result = program(tmp_path, "plot", "swh", "-o", "x.png", real=True, MPLBACKEND=backend)
    assert (result.code, result.err) == (0, "")
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")


def test_programs_do_not_inherit_where_a_notebook_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    monkeypatch.setenv(LOG, "talk.txt")
    assert {"MPLBACKEND", LOG} & set(inherited()) == set()
    assert {**os.environ, **inherited()} == dict(os.environ)
    monkeypatch.setenv("MPLBACKEND", "svg")
    assert inherited()["MPLBACKEND"] == "svg"


@pytest.mark.parametrize(
    "name", ["runs of 5?/it's mine", pytest.param("what?", marks=pytest.mark.slow)]
)
def test_runs_with_odd_names_go_on_and_play_by_what_is_said(name: str, copy: Path) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    copy.rename(name)
    assert done("resume", name, "--generations=4", "--jobs=1").code == 0
    shown = f"continue with: evolve resume {shlex.quote(name)}"
    assert shown in fails("run", *QUICK, "--out", name)
    assert match(f"{name}?depth=1", name, "--games=2", "--jobs=1")["a"] == f"{name}?depth=1"
    calls = (("show", name), ("show", f"{name}/champion.json?depth=1"), ("runs", "."))
    assert not [words for words in calls if not done(*words).out]
    if name == "what?":  # a picture takes a second
        done("plot", name, "-o", "x.png")
    done("export", f"{name}?depth=1", "-o", "what?.json")
    assert done("show", "what?.json").lines[0] == done("show", f"{name}?depth=1").lines[0]


@pytest.mark.parametrize(
    "words",
    [
        ("match", "PROGRAM", *GAMES[1:], "--jobs=1"), ("rate", "PROGRAM", *GAMES, "--jobs=1"),
        ("play", "PROGRAM", "--side=white"),
    ],
)  # fmt: skip
def test_the_whole_talk_is_logged(words: tuple[str, ...]) -> None:
    named = source("gtp", "lower")
    result = invoke(*(word.replace("PROGRAM", named) for word in words), "--log", "my talk.txt")
    assert result.code == 0, result
    text = Path("my talk.txt").read_text(encoding="utf-8")
    assert re.match(r".* \$ .* gtp lower\n.*> boardsize", text)
    assert re.search("> .*genmove black", text)
    assert re.search("< =", text)
    assert LOG not in os.environ
    assert "talk" not in result.out
