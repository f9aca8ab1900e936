"""`evolve report`: one file that needs nothing else, with the numbers of the terminal."""

from __future__ import annotations

import html
import json
import os
import platform
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import evolve
from evolve.agents.calibration.discs import in_discs
from evolve.agents.registry import COACH
from evolve.engine.board.rules import Rules
from evolve.records.formats import read_games
from evolve.records.record import positions_of
from evolve.runs.summary import summary_of
from evolve.tables.trials import verdict_of
from tests.cli import QUICK, done, fails, misused


def page_of(source: Path) -> str:
    done("report", source, "-o", "report.html")
    return Path("report.html").read_text(encoding="utf-8")


def test_a_run_says_what_the_terminal_says_and_shows_its_best_game_to_its_end(first: Path) -> None:
    page, run = page_of(first), evolve.load_run(first)
    champion = done("show", first).lines[-1]
    assert champion.partition(", ")[2].rpartition(": ")[0] in html.unescape(page)
    best = run.generations["best_score"]
    assert [f"<td>{score:.3f}</td>" in page for score in best] == [True] * len(best)
    assert len(page) < 1_000_000
    shown = re.findall(r'<figure id="m(\d+)".*?black (\d+), white (\d+) ', page)
    black, white = (int(discs) for discs in shown[-1][1:])
    (names,) = re.findall(r"<p>black (\S+), white (\S+)</p>", page)
    games = run.table("games")
    game = games[(games["kind"] == "playoff") & (games["plies"] == len(shown))]
    game = game[(game["black"] == names[0]) & (game["white"] == names[1])]
    assert (black, white) in list(zip(game["discs_black"], game["discs_white"], strict=True))
    assert len(re.findall(r"<circle", page.rpartition("<figure")[2])) == black + white
    assert evolve.load_agent(first).name in names


@pytest.mark.slow
def test_several_are_compared(first: Path, swept: Path) -> None:
    done("report", first, swept, "-o", "both.html")
    page = html.unescape(Path("both.html").read_text(encoding="utf-8"))
    elos = [summary_of(evolve.Run(path)).row["elo"] for path in (first, swept)]
    told = re.findall(r'<p class="big">(\S+) ± \d+ Elo', page)
    assert told == [f"{elo:.0f}" for elo in elos if elo is not None]
    assert evolve.Run(first).config["command"] in page
    assert re.findall("<h2>([^<]+)", page) == [first.name, swept.name]


@pytest.mark.slow
def test_a_sweep_has_its_verdict_and_its_tables(swept: Path) -> None:
    page = html.unescape(page_of(swept))
    assert str(verdict_of(swept)) in page
    assert re.findall(r"<summary>(\w+)", page) == ["trials", "final", "config"]


@pytest.mark.slow
def test_a_study_has_its_comparison(tmp_path: Path) -> None:
    grid = ("--seeds=0-1", "--grid=crossover=blend,uniform")
    done("run", *QUICK, "--generations=2", *grid, "--out=study")
    page = html.unescape(page_of(tmp_path / "study"))
    assert evolve.compare("study").words[0] in page
    assert page.count("evolve study study.toml") == 1
    done("compare", "study", "-o", "methods.md")
    methods = Path("methods.md").read_text(encoding="utf-8").partition("\n")[0]
    games = {run.elo.n for run in evolve.load_run("study").runs if run.elo is not None}
    said = {
        "2 settings of `evolve run` (crossover = blend or uniform) ran with 2 seeds each: 0, 1; 4 "
        "of 4 runs have ended.",
        f"a ladder of fixed opponents, in {games.pop()} games after it.",
        "population = 6",
        "corrected for 1 comparison after Holm",
        f"evolve {evolve.__version__}, python {platform.python_version()}",
        f"on {platform.system()} {platform.machine()}, {os.cpu_count()} processors.",
    }
    assert [words for words in said if words not in methods] == []


def test_a_match_has_the_numbers_of_the_terminal(tmp_path: Path) -> None:
    told = done("match", "swh?depth=1", "random", "--games=20", "--out=games.parquet", "--json")
    page, found = page_of(Path("games.parquet")), json.loads(told.out)
    counts = "{wins} won, {draws} drawn, {losses} lost; ".format_map(found)
    score = "score {score:.3f} [{score_low:.3f}, {score_high:.3f}]".format_map(found)
    assert counts + score in page
    assert f"{found['elo']:+.0f} " in page
    assert page.count("<tr>") == 1 + 20
    shown = re.findall(r'<figure id="m(\d+)"', page)
    games = pq.read_table(tmp_path / "games.parquet").to_pylist()
    assert len(shown) in {len(game["moves"].split()) for game in games if game["winner"]}


@pytest.mark.slow
@pytest.mark.parametrize("rules", ["standard", "reversed"])
def test_a_game_has_the_values_and_the_words_of_the_coach(rules: Rules) -> None:
    done("match", "random", "random", "--games=2", f"--rules={rules}", "--out=games.parquet")
    done("convert", "games.parquet", "-o", "games.ggf")
    first = Path("games.ggf").read_text().splitlines()[0]
    Path("mine.ggf").write_text(first.replace("random", "<b>me", 1))
    page = html.unescape(page_of(Path("mine.ggf")))
    (record,) = read_games("mine.ggf", rules).records
    coach = evolve.load_agent(COACH.format(rules=rules))
    lost = {}
    for ply, board in enumerate(positions_of(record.start, record.moves[:-1])):
        if len(board.legal_moves()) > 1:
            found = in_discs(coach, board, coach.analyse(board))
            worth = found.values[record.moves[ply]]
            lost[ply + 1] = round(max(found.values.values())) - round(worth)
            lead = round(worth if board.side == "black" else -worth)
            assert (f"black is {abs(lead)} {'ahead' if lead > 0 else 'behind'}" if lead
                    else "black is even") in page  # fmt: skip
    told = re.findall(r'<a href="#m(\d+)">\d+ \w\d</a> lost (\d+) discs', page)
    assert {int(ply): int(discs) for ply, discs in told} == {
        ply: discs for ply, discs in lost.items() if discs >= 4
    }
    assert told, "a random game without a mistake"


@pytest.mark.slow
def test_it_needs_nothing_and_runs_nothing(copy: Path, tmp_path: Path) -> None:
    file = copy / "games/playoff.parquet"
    games, champion = pq.read_table(file), evolve.load_agent(copy).name
    for column in ("black", "white"):
        at = games.column_names.index(column)
        names = [name if name == champion else "<script>" for name in games[column].to_pylist()]
        games = games.set_column(at, games.schema.field(column), pa.array(names))
    pq.write_table(games, file)
    hostile = copy.rename(tmp_path / "<script>alert(1)<")
    page = page_of(hostile)
    assert not re.findall(r"<script|https?:|\bon\w+=|<link|url\(|src=\"(?!data:)", page)
    assert "&lt;script&gt;" in page


def test_what_cannot_be_written(first: Path, tmp_path: Path) -> None:
    assert ".html" in misused("report", first, "-o", "report.pdf")
    assert "nowhere" in fails("report", "nowhere", "-o", "report.html")
    assert not list(tmp_path.glob("report*"))
