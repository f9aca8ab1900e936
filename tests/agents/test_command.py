"""Commands of programs: shells' words, paths of Windows, and names with blanks."""

from __future__ import annotations

from pathlib import Path

import pytest

from evolve.agents.names import located, why_not, words_of


def program(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n", encoding="utf-8")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize(
    ("windows", "command", "words"),
    [
        (False, "engine --level 3", ["engine", "--level", "3"]),
        (True, r"C:\engines\rhino.exe --level 3", [r"C:\engines\rhino.exe", "--level", "3"]),
        (True, r'"C:\Program Files\edax.exe" -gtp', [r"C:\Program Files\edax.exe", "-gtp"]),
        (True, r"\\server\share\bot.exe -n 1", [r"\\server\share\bot.exe", "-n", "1"]),
        (False, r"my\ engine --q it\'s", ["my engine", "--q", "it's"]),
        (False, r"engine 'a\b c' \"x\"", ["engine", r"a\b c", '"x"']),
        (False, 'engine "say \\"hi\\" \\\\ to"', ["engine", 'say "hi" \\ to']),
    ],
)
def test_words(
    windows: bool, command: str, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.agents.names._WINDOWS", windows)
    assert words_of(command) == words


@pytest.mark.parametrize("command", ["engine 'x", 'engine "x', "it's"])
def test_a_quote_that_is_open(command: str) -> None:
    with pytest.raises(ValueError, match="quotation"):
        words_of(command)


@pytest.mark.parametrize("name", ["text", "my text.py"])
def test_a_text_is_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text("no program", encoding="utf-8")
    assert located(f"./{name}") is None
    assert why_not(name).startswith(f"'{name}' may not be executed: chmod +x")


def test_where_a_program_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, here = tmp_path / "its own", tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    both, there = program(home / "both"), program(home / "bin" / "there")
    program(here / "both")
    only = program(here / "only")
    assert located("./both", home) == both
    assert located("bin/there", home) == there
    assert located("./only", home) == only
    assert located("only") == only
    assert located("sh") == "sh"
    assert located("bin/there") is None
    assert located("") is None
    assert why_not("./none") == "there is no program './none' to run"
    assert why_not(r"C:\none.exe") == r"there is no program 'C:\none.exe' to run"
