"""Pages of `evolve report`: a run, a match or a game, for people who have no evolve."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

import evolve
from evolve import __version__
from evolve.agents.calibration.discs import in_discs
from evolve.agents.registry import COACH
from evolve.cli.output import rounded
from evolve.cli.runs import describe_champion, strength_of
from evolve.cli.terminal import cell, counting, print_error
from evolve.engine.board.board import Board
from evolve.engine.board.squares import parse_moves, square_name
from evolve.fitness.statistics import in_elo, score_of_pairs, stated
from evolve.number_text import elo_text
from evolve.records.formats import read_games
from evolve.records.record import GameRecord, positions_of
from evolve.runs.run_types import champion_of
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE
from evolve.terminal_text import plain

if TYPE_CHECKING:
    import pandas as pd

_MOST: Final = 200  # most rows of a table: the last ones
_LOST: Final = 4
"""Discs that a move lost, from which on it is named; `service/web/coach.js` has the same words."""
_ENDS: Final = {1.0: "won", 0.5: "drawn", 0.0: "lost"}
_STYLE: Final = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } .big { font-size: 1.6rem; font-weight: 700; margin: 0.5rem 0; }
.scroll { overflow-x: auto; } pre { overflow-x: auto; padding: 0.8rem; border: 1px solid #8884; }
img { max-width: 100%; background: #fff; } summary { cursor: pointer; margin: 0.6rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.6rem; text-align: right; border-bottom: 1px solid #8884; }
.game svg { width: min(22rem, 100%); display: block; } .game figure { display: none; margin: 0; }
.game figure:target, .game:not(:has(:target)) figure.last { display: block; }
.hidden { position: absolute; width: 0; height: 0; } .k { fill: #111; } .w { fill: #fff; }
"""
# No script and no other host: what a table or a name may say is text.
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
_GRID: Final = (
    '<svg class="hidden" aria-hidden="true"><defs><g id="grid"><rect width="8" height="8" '
    'fill="#2b8257"/><path d="M0 1h8M0 2h8M0 3h8M0 4h8M0 5h8M0 6h8M0 7h8M1 0v8M2 0v8M3 0v8M4 0v8'
    'M5 0v8M6 0v8M7 0v8" stroke="#1c5f3f" stroke-width=".04"/></g></defs></svg>'
)


def page_of(*sources: evolve.Run | evolve.Study) -> str:
    """Return the page of a run or a study, or of several compared.

    Raises RunError where there is nothing to draw yet.
    """
    if len(sources) > 1:
        return _page(" · ".join(source.name for source in sources), _compared(sources))
    (source,) = sources
    parts = (_head(source), [_picture(source)], _best_game(source), _tables(source))
    return _page(source.name, chain(*parts, _settings(source)))


def _compared(sources: Sequence[evolve.Run | evolve.Study]) -> Iterator[str]:
    import pandas as pd

    from evolve.runs.summary import differing_in
    from evolve.studies.comparison import over_seeds

    found = over_seeds(sources)
    words = [found] if isinstance(found, str) else found.words
    yield from (f"<p>{html.escape(line)}</p>" for line in words)
    yield _picture(*sources)
    for source in sources:
        yield f"<h2>{html.escape(plain(source.name))}</h2>"
        yield from _head(source)
    if not isinstance(found, str):
        yield _table("settings over their seeds", found.frame)
    differing = differing_in([source.config for source in sources])
    names = [source.name for source in sources]
    rows = [[key, *map(str, values)] for key, values in differing.items()]
    yield _table("settings in which they differ", pd.DataFrame(rows, columns=["", *names]))


def page_of_games(path: Path) -> str:
    """Return the page of a file of games: of a match, or of one game with the coach's words.

    Raises RecordError where it holds none that can be read.
    """
    records = read_games(path, tell=print_error).records
    players = {frozenset((record.black, record.white)) for record in records}
    names = " – ".join(filter(None, (records[0].black, records[0].white)))
    title = names if names and len(players) == 1 else path.name
    return _page(title, _game(records[0]) if len(records) == 1 else _match(records))


def _page(name: str, parts: Iterable[str]) -> str:
    title = html.escape(plain(name))
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style><h1>{title}</h1>"
    )
    return f'<!doctype html>\n<html lang="en">{head}{"".join(parts)}</html>\n'


def _head(source: evolve.Run | evolve.Study) -> Iterator[str]:
    from evolve.runs.summary import summary

    found = summary(source)
    date = datetime.fromtimestamp(found.date).isoformat(" ", "minutes")
    of = f"{found.noun}, {found.rules} rules, {cell(found.done)} of {cell(found.target)}"
    yield f"<p>{html.escape(f'{of} {found.unit}, {found.state}, {date}')}</p>"
    if (strength := strength_of(found.row)) is not None:
        yield f'<p class="big">{strength} Elo</p>'
    yield from (f"<p>{html.escape(line)}</p>" for line in _words(source))


def _words(source: evolve.Run | evolve.Study) -> Sequence[str]:
    from evolve.agents.agent_file import read_header
    from evolve.studies.comparison import compared, groups_of
    from evolve.tables.trials import verdict_of

    if source.form == "study":
        return compared(groups_of([source])).words
    champion, verdict = champion_of(source.path), verdict_of(source.path)
    words = [] if verdict is None else [verdict]
    if champion is not None:
        header = read_header(champion)
        words.append(f"champion {header.name}: {describe_champion(source, header.provenance)}")
    return words


def _picture(*sources: evolve.Run | evolve.Study) -> str:
    data = base64.b64encode(evolve.plot(*sources)._repr_png_()).decode()
    return f'<img alt="what evolve plot draws of it" src="data:image/png;base64,{data}">'


def _tables(source: evolve.Run | evolve.Study) -> Iterator[str]:
    """Tables of a row a generation, check, trial or setting; those of games are too long."""
    from evolve.studies.comparison import compared, groups_of

    yield "<h2>Tables</h2>"
    if source.form == "study":
        yield _table("settings over their seeds", compared(groups_of([source])).frame)
        return
    for name in source.tables:
        table = source.kind.table(name)
        if table is not None and not table.generations and name != "games":
            yield _table(name, source.table(name))


def _table(name: str, frame: pd.DataFrame) -> str:
    rows = frame.tail(_MOST).astype(object).to_dict("records")
    heads = [str(column) for column in frame.columns]
    lines = [_row("td", [cell(rounded(key, row[key])) for key in heads]) for row in rows]
    left_out = f", the last {_MOST} of {len(frame)} rows" * (len(frame) > _MOST)
    return (
        f"<details><summary>{html.escape(name)}{left_out}</summary>"
        f'<div class="scroll"><table>{_row("th", heads)}{"".join(lines)}</table></div></details>'
    )


def _row(tag: str, texts: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(plain(text))}</{tag}>' for text in texts)}</tr>"


def _best_game(source: evolve.Run | evolve.Study) -> Iterator[str]:
    if source.form == "study" or (games := source.playoff_table()) is None:
        return
    from evolve.runs.summary import summary_of

    champion = summary_of(source).champion
    won = [row for row in games.to_pylist() if row.get(row["winner"]) == champion]
    if not won:
        return
    game: dict[str, Any] = max(won, key=lambda row: row["plies"])
    yield f"<h2>Its best game</h2>{_players(game['black'], game['white'])}"
    yield from _steps(Board.start(), parse_moves(game["moves"]))


def _players(black: str, white: str, about: str = "") -> str:
    black, white = (html.escape(plain(name)) or "?" for name in (black, white))
    return f"<p>black {black}, white {white}{html.escape(plain(about))}</p>"


def _steps(start: Board, moves: Sequence[int], notes: Mapping[int, str] = {}) -> Iterator[str]:
    """A game move by move, by links alone; notes: what is said of the position after a move."""
    boards, links, figures = positions_of(start, moves), list[str](), list[str]()
    before = next(boards)
    for number, (square, board) in enumerate(zip(moves, boards, strict=True), 1):
        move = square_name(square)
        text = f"{number}. {before.side} {move}: black {board.discs('black')}, white"
        before = board
        links.append(f'<a href="#m{number}">{move}</a>')
        last = ' class="last"' * (number == len(moves))
        around = (
            f'<a href="#m{at}">{word}</a>' * (0 < at <= len(moves))
            for at, word in ((number - 1, "before"), (number + 1, "next"))
        )
        said = f"<br>{notes[number]}" if number in notes else ""
        figures.append(
            f'<figure id="m{number}"{last}>{_board(board)}<figcaption>{text} '
            f"{board.discs('white')} {' '.join(around)}{said}</figcaption></figure>"
        )
    yield f'{_GRID}<p>{" ".join(links)}</p><div class="game">{"".join(figures)}</div>'


def _result(record: GameRecord) -> str:
    won = {None: "not finished", "draw": "a draw"}.get(record.winner, f"{record.winner} wins")
    discs = "–".join(str(record.final.discs(side)) for side in ("black", "white"))
    return f": {discs}, {won} ({record.ending}), {record.rules} rules"


def _game(record: GameRecord) -> Iterator[str]:
    yield _players(record.black, record.white, _result(record))
    coach = evolve.load_agent(COACH.format(rules=record.rules)).with_rules(record.rules)
    notes, lessons = dict[int, str](), list[str]()
    boards = positions_of(record.start, record.moves)
    with counting("moves", len(record.moves)) as advance:
        for number, (square, board) in enumerate(zip(record.moves, boards, strict=False), 1):
            advance(1)
            analysis = coach.analyse(board) if board.legal_moves() else None
            found = None if analysis is None else in_discs(coach, board, analysis)
            if found is None:
                continue
            worth, side = found.values, board.side
            best = max(worth, key=worth.__getitem__)
            notes[number] = f"black is {_ahead(worth[square] * (1 if side == 'black' else -1))}"
            lost = round(worth[best]) - round(worth[square])
            if lost >= _LOST:
                move = square_name(square)
                lessons.append(
                    f'<li><a href="#m{number}">{number} {move}</a> lost {lost} discs. With '
                    f"{square_name(best)} {side} would have been {_ahead(worth[best])}; after "
                    f"{move} {side} was {_ahead(worth[square])}.</li>"
                )
    yield from _steps(record.start, record.moves, notes)
    yield f"<ul>{''.join(lessons) or f'<li>No move lost {_LOST} discs or more.</li>'}</ul>"
    yield f"<p>Values are those of {html.escape(COACH.format(rules=record.rules))}, in discs.</p>"


def _ahead(discs: float) -> str:
    return f"{abs(round(discs))} {'ahead' if discs > 0 else 'behind'}" if round(discs) else "even"


def _match(records: Sequence[GameRecord]) -> Iterator[str]:
    """The score of the first game's black where two players meet in pairs of games; all games."""
    from evolve.records.table import games_frame

    first, second = records[0].black, records[0].white
    yield f"<p>{len(records)} games, {records[0].rules} rules</p>"
    names, chosen = [(record.black, record.white) for record in records], records[0]
    if first != second and names == [(first, second), (second, first)] * (len(names) // 2):
        winners = [getattr(record, record.winner or "", "draw") for record in records]
        ends = [1.0 if name == first else 0.0 if name == second else 0.5 for name in winners]
        pairs = {
            (one.start.cells(), one.moves, two.moves): sum(points) / 2
            for one, two, *points in zip(
                records[::2], records[1::2], ends[::2], ends[1::2], strict=True
            )
        }  # a pair that repeats says nothing new, see `fresh_pairs`
        found = score_of_pairs(np.array([*pairs.values()]))._replace(value=fmean(ends))
        score = stated(found, len(pairs))
        elo = elo_text(*in_elo(score)[:3], signed=True)
        yield f'<p class="big">{elo} Elo for the first</p>'
        counts = ", ".join(f"{ends.count(end)} {word}" for end, word in _ENDS.items())
        within = f" [{cell(score.low)}, {cell(score.high)}]" if score.low == score.low else ""
        yield f"<p>{counts}; score {cell(score.value)}{within}</p>"
        chosen = records[ends.index(max(ends))]
    yield _table("games", games_frame(records))
    yield f"<h2>A game</h2>{_players(chosen.black, chosen.white, _result(chosen))}"
    yield from _steps(chosen.start, chosen.moves)


def _board(board: Board) -> str:
    discs = (
        f'<circle class="{"k" if cell == "X" else "w"}" cx="{square % 8}.5" '
        f'cy="{square // 8}.5" r=".42"/>'
        for square, cell in enumerate(board.cells())
        if cell != "-"
    )
    return f'<svg viewBox="0 0 8 8" role="img"><use href="#grid"/>{"".join(discs)}</svg>'


def _settings(source: evolve.Run | evolve.Study) -> Iterator[str]:
    study = source.form == "study"
    file = STUDY_FILE if study else CONFIG_FILE
    text = (source.path / file).read_text(encoding="utf-8")
    line = f"evolve study {file}" if study else f"evolve {source.command} --config {file}"
    yield f"<h2>Repeat it</h2><p>With evolve {__version__}, and these settings as {file}:</p>"
    yield f"<pre>{html.escape(line)}</pre><details><summary>{file}</summary>"
    yield f"<pre>{html.escape(text)}</pre></details>"
