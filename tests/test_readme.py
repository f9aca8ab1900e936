"""The README is short, what it sends each reader to works, and commands named anywhere exist."""

from __future__ import annotations

import re
import shlex
from itertools import takewhile
from pathlib import Path

import click
import pytest

from evolve.cli.main import COMMANDS, cli
from tests.cli import ROOT
from tests.docs.pages import all_pages, read_page
from tests.docs.terminal import Terminal
from tests.evolution.conftest import start

README = ROOT / "README.md"
TABLES = ROOT / "runs/README.md"
"""A page that is beside the runs, not among those of docs/."""
INLINE = re.compile(r"`(evolve [^`]+)`")


def shown_commands() -> list[tuple[str, ...]]:
    """The commands in sentences of all pages, and those of blocks that no other test runs."""
    own = ROOT / "docs/extending.md"  # about commands that it adds; tests/test_extending.py
    pages = [README, TABLES, ROOT / "CONTRIBUTING.md", *({*ROOT.glob("docs/**/*.md")} - {own})]
    run = {page.path for page in all_pages()}
    found = set()
    for path in pages:
        text = path.read_text(encoding="utf-8")
        lines = INLINE.findall(re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S))
        for language, block in read_page(path).blocks if path not in run else ():
            if language == "sh":
                lines += re.findall(r"^evolve .*", block.replace("\\\n", " "), re.M)
        for line in lines:
            if "…" in line:  # a part of a command
                continue
            words = shlex.shlex(line.replace("\n", " "), posix=True, punctuation_chars=True)
            words.whitespace_split = True
            found.add(tuple(takewhile(lambda word: word[0] not in "|;<>&()", words))[1:])
    assert len(found) >= 15
    return sorted(found)


@pytest.mark.parametrize("words", shown_commands(), ids=" ".join)
def test_commands_and_options_exist(words: tuple[str, ...]) -> None:
    if words[0].startswith("-"):
        return
    assert words[0] in COMMANDS
    context = click.Context(cli)
    command = cli.get_command(context, words[0])
    if isinstance(command, click.Group):
        command = command.get_command(context, words[1]) if len(words) > 1 else command
    known = {name for parameter in command.params for name in parameter.opts}
    known |= {name for parameter in command.params for name in parameter.secondary_opts}
    given = {word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)}
    assert given <= known | {"-h", "--help"}


def test_the_readme_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 120
    assert len(text.split()) <= 900


@pytest.mark.slow
@pytest.mark.learning
def test_what_the_readme_sends_each_reader_to_works(tmp_path: Path) -> None:
    text = README.read_text(encoding="utf-8")
    commands = re.findall(r"^\|[^|]*\| `(evolve [^`]+)` \|", text, re.M)
    assert len(commands) == 5
    folder = tmp_path / "page"
    folder.mkdir()
    page = read_page(ROOT / "docs/tutorials/tune-engine.md")
    engine = folder / "engine"
    engine.write_text("#!/usr/bin/env python3\n" + page.written_files()["engine.py"])
    engine.chmod(0o755)
    with Terminal(folder, tmp_path / "apart") as terminal:
        for command in commands:
            terminal.run(command + "\n")
    assert (folder / "agent.py").exists()
    assert {path.name for path in folder.glob("runs/[a-z]*")} == {
        "study-001", "sweep-program-001", "mcts-001",
    }  # fmt: skip


def test_python_beside_the_runs_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start(tmp_path / "runs/NAME", generations=1)
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = [block for language, block in read_page(TABLES).blocks if language == "python"]
    assert blocks
    for block in blocks:
        exec(compile(block, "runs/README.md", "exec"), names)
