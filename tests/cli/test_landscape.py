"""The picture of a sweep in the terminal, and its winner to paste."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evolve.cli.landscape import print_landscape, print_winner
from evolve.tables.trials import Importances, write_trials

TYPES = {"corner": int, "mobility": float, "style": str}


def sweep(folder: Path, names: tuple[str, ...], count: int = 30) -> None:
    rng = np.random.default_rng(1)
    (folder / "config.toml").write_text('command = "sweep program"\nprogram = "gtp:x"\n')
    rows: list[dict[str, Any]] = []
    for number in range(count):
        values = {
            "corner": int(rng.integers(1, 50)),
            "mobility": float(rng.uniform(0, 3)),
            "style": str(rng.choice(["calm", "wild"])),
        }
        score = 0.3 + values["corner"] / 100 + 0.1 * (values["style"] == "wild")
        rows.append(
            {
                "number": number,
                "state": "COMPLETE",
                "score": score,
                "score_error": 0.03,
                "origin": "sampler" if number else "defaults",
                **{name: values[name] for name in names},
            }
        )
    write_trials(folder, rows, {name: TYPES[name] for name in names}, Importances())


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("corner", "mobility"), "by corner (across) and mobility (up)"),
        (("style", "corner"), "by style (across) and corner (up)"),
        (("corner", "style"), "by corner (across) and style (up)"),
        (("corner",), "by corner: "),
        (("style",), "by style: calm"),
    ],
)
def test_pictures(
    names: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sweep(tmp_path, names)
    print_landscape(tmp_path)
    text = capsys.readouterr().out
    assert said in text
    assert max(map(len, text.splitlines()[1:]), default=0) <= 80
    if len(names) == 2:
        assert text.count("★") == 2
        assert text.count("◆") == 2
        framed = [line for line in text.splitlines() if line.endswith("|")]
        assert len({len(line) for line in framed}) == 1


def test_a_terminal_without_such_signs_gets_plain_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evolve.cli.landscape._SHADES", "\udc80")  # no encoding has it
    sweep(tmp_path, ("corner", "mobility"))
    print_landscape(tmp_path)
    assert capsys.readouterr().out.isascii()


def test_few_trials_and_none_have_no_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    print_landscape(tmp_path)
    print_winner(tmp_path)
    sweep(tmp_path, ("corner", "mobility"), 3)
    print_landscape(tmp_path)
    assert capsys.readouterr().out == ""


def test_the_winner_is_one_line_to_paste(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    best = {"program": "gtp:./my engine --x 3", "environment": {"corner": "a b"}}
    (tmp_path / "best.json").write_text(json.dumps(best))
    print_winner(tmp_path)
    words = shlex.split(capsys.readouterr().out.removeprefix("paste: "))
    assert words[:4] == ["corner=a b", "evolve", "match", "gtp:./my engine --x 3"]
    (tmp_path / "best.json").write_text(json.dumps({"program": "gtp:x", "commands": ["set y 3"]}))
    print_winner(tmp_path)
    assert capsys.readouterr().out.endswith("at its start: set y 3\n"), "no line plays it"
