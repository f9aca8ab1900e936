"""`evolve export`: agent files and stand-alone Python files."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

import evolve
from evolve.agents.registry import with_clock
from tests.cli import done
from tests.standalone import differing, load


def test_an_agent_file_is_carried_over_unchanged(first: Path, tmp_path: Path) -> None:
    done("export", first, "-o", "one.json")
    done("export", "one.json", "-o", "two.json")
    assert (tmp_path / "two.json").read_bytes() == (first / "champion.json").read_bytes()


def test_any_individual(first: Path) -> None:
    individuals = evolve.load_run(first).individuals
    rows = individuals.drop_duplicates("individual", keep="last").to_dict("records")
    names = ("individual", "weights", "depths", "endgame")
    found = []
    for row in rows:
        done("export", first, "--individual", row["individual"], "-o", "one.json", "--force")
        agent: Any = evolve.load_agent("one.json")
        facts = (agent.name, [*chain(*agent.weights)], [*agent.depths], agent.endgame, agent.rules)
        known = agent.provenance
        found.append((*facts, known["run"], known["parents"], round(known["score"], 9)))
    assert found == [
        (*map(row.get, names), "reversed", "first", row["parents"], round(row["score"], 9))
        for row in rows
    ]


def test_python_file_plays_the_moves_of_the_agent(first: Path, tmp_path: Path) -> None:
    done("export", first, "--to", "python", "-o", "player.py")
    text = (tmp_path / "player.py").read_text(encoding="ascii")
    agent: Any = evolve.load_agent(first)
    boards = [evolve.Board.start()]
    assert agent.play in " ".join(text.partition("To use it")[0].replace("#", " ").split())
    for _ in range(12):
        boards.append(boards[-1].play(agent.choose(boards[-1])))
    assert not differing(load(text), agent, boards)


@pytest.mark.parametrize(
    ("words", "python"),
    [
        (("-o", "x.PY"), True),
        (("-o", "x.py", "--numba"), True),
        (("-o", "x.json"), False),
        (("-o", "x"), False),
        (("--to", "python", "-o", "x.txt"), True),
        (("--to", "agent", "-o", "x.agent"), False),
    ],
)
def test_the_ending_says_what_is_written(words: tuple[str, ...], python: bool) -> None:
    done("export", "swh", *words)
    text = Path(words[words.index("-o") + 1]).read_text(encoding="utf-8")
    assert ("\nclass " in text) is python
    assert bool(re.search("import numba", text)) is ("--numba" in words)


@pytest.mark.parametrize(
    ("source", "clocked"),
    [
        ("swh", "swh?time=4.5"),
        ("swh?depth=2&endgame=6", "swh?endgame=6&time=4.5"),
        ("patterns-standard?probcut=1.5&depth=3", "patterns-standard?probcut=1.5&time=4.5"),
        ("runs/why?", "runs/why??time=4.5"),
    ],
)
def test_by_the_clock_no_depth_stops_it(source: str, clocked: str) -> None:
    assert with_clock(source) == clocked


@pytest.mark.parametrize(
    ("source", "deepest"), [("patterns-standard?time=1&depth=2", 2), ("swh?time=1", 60)]
)
@pytest.mark.slow
def test_a_depth_beside_the_time_is_kept(tmp_path: Path, source: str, deepest: int) -> None:
    done("export", source, "-o", "agent.py", "--force")
    text = (tmp_path / "agent.py").read_text(encoding="ascii")
    assert re.findall(r"^DEEPEST = (\d+)$", text, re.M) == [f"{deepest}"]
