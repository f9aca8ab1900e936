"""`evolve report`: a run, a study or a sweep as one page, for people who have no evolve."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import evolve
from evolve.cli.options import complete_runs, output_named
from evolve.cli.output import rounded
from evolve.cli.runs import describe_champion, strength_of
from evolve.cli.terminal import cell, print_text
from evolve.errors import RunError
from evolve.files.atomic import write_text
from evolve.runs.run_types import champion_of
from evolve.tables.paths import CONFIG_FILE, STUDY_FILE
from evolve.terminal_text import plain
from evolve.version import __version__

if TYPE_CHECKING:
    import pandas as pd

_MOST: Final = 200
"""Most rows of a table: the last ones."""
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


@click.command(name="report")
@click.argument("source", metavar="RUN", shell_complete=complete_runs)
@click.option(
    "-o", "--output", required=True, callback=output_named(".html"), help="The file to write."
)
def report_command(source: str, output: Path) -> None:
    """Write RUN, a run, a training, a sweep or a study, as one page to send: its strength, its
    picture, its best game to click through, its tables, and how to repeat it. The file needs no
    other one, no network and no script.

    \b
    Examples:
      evolve report runs/reversed-001 -o report.html
      evolve report runs/study-001 -o study.html
    """
    found = evolve.load_run(source)
    write_text(output, page_of(found))
    print_text(f"{source} → {output}")


def page_of(source: evolve.Run | evolve.Study) -> str:
    """Return the page of a run or a study. RunError where there is nothing to draw yet."""
    title = html.escape(plain(source.name))
    parts = [
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{title}</title><style>{_STYLE}</style>",
        f"<h1>{title}</h1>",
        *_head(source),
        _picture(source),
        *_best_game(source),
        "<h2>Tables</h2>",
        *_tables(source),
        *_settings(source),
    ]
    return f'<!doctype html>\n<html lang="en">{"".join(parts)}</html>\n'


def _head(source: evolve.Run | evolve.Study) -> Iterator[str]:
    """What it is, and how strong: the same numbers and words as on the terminal."""
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


def _picture(source: evolve.Run | evolve.Study) -> str:
    data = base64.b64encode(evolve.plot(source)._repr_png_()).decode()
    return f'<img alt="what evolve plot draws of it" src="data:image/png;base64,{data}">'


def _tables(source: evolve.Run | evolve.Study) -> Iterator[str]:
    """Tables of a row a generation, check, trial or setting; those of games are too long."""
    from evolve.studies.comparison import compared, groups_of

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
    """A game that an evolution's champion won in the play-off, move by move."""
    if source.form == "study" or (games := source.playoff_table()) is None:
        return
    from evolve.runs.summary import summary_of

    champion = summary_of(source).champion
    won = [row for row in games.to_pylist() if row.get(row["winner"]) == champion]
    if not won:
        return
    game: dict[str, Any] = max(won, key=lambda row: row["plies"])
    moves, board = game["moves"].split(), evolve.Board.start()
    links, figures = list[str](), list[str]()
    for number, move in enumerate(moves, 1):
        text = f"{number}. {board.side} {move}"
        board = board.pass_move() if move == "pass" else board.play(move)
        links.append(f'<a href="#m{number}">{move}</a>')
        last = ' class="last"' * (number == len(moves))
        around = (
            f'<a href="#m{at}">{word}</a>' * (0 < at <= len(moves))
            for at, word in ((number - 1, "before"), (number + 1, "next"))
        )
        figures.append(
            f'<figure id="m{number}"{last}>{_board(board)}<figcaption>{text}: black '
            f"{board.discs('black')}, white {board.discs('white')} {' '.join(around)}</figcaption>"
            "</figure>"
        )
    black, white = (html.escape(plain(game[side])) for side in ("black", "white"))
    yield f"<h2>Its best game</h2><p>black {black}, white {white}</p>"
    yield f'{_GRID}<p>{" ".join(links)}</p><div class="game">{"".join(figures)}</div>'


def _board(board: evolve.Board) -> str:
    discs = (
        f'<circle class="{"k" if cell == "X" else "w"}" cx="{square % 8}.5" '
        f'cy="{square // 8}.5" r=".42"/>'
        for square, cell in enumerate(board.cells())
        if cell != "-"
    )
    return f'<svg viewBox="0 0 8 8" role="img"><use href="#grid"/>{"".join(discs)}</svg>'


def _settings(source: evolve.Run | evolve.Study) -> Iterator[str]:
    """Its settings as a file, the versions among them, and the command that takes the file."""
    study = source.form == "study"
    file = STUDY_FILE if study else CONFIG_FILE
    try:
        text = (source.path / file).read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"{source.path / file}: {error.strerror or error}") from error
    line = f"evolve study {file}" if study else f"evolve {source.command} --config {file}"
    yield f"<h2>Repeat it</h2><p>With evolve {__version__}, and these settings as {file}:</p>"
    yield f"<pre>{html.escape(line)}</pre><details><summary>{file}</summary>"
    yield f"<pre>{html.escape(text)}</pre></details>"
