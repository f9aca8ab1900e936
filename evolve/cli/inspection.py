"""`evolve runs`, `show`, `compare` and `replay`."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any, Final, cast

import click
import pandas as pd

from evolve.agents.alphabeta import AlphaBetaAgent
from evolve.agents.files import Stored, agent_document, read_agent
from evolve.agents.loading import load_agent
from evolve.agents.protocol import Agent
from evolve.cli.agents import print_agent, print_network_agent
from evolve.cli.options import json_option, output_path
from evolve.cli.progress import SHOWN, RunDisplay
from evolve.cli.terminal import cell, json_text, out, print_rows
from evolve.engine.board import Board
from evolve.engine.game import PASS
from evolve.engine.squares import parse_moves, square_name
from evolve.errors import EvolveError, RunError
from evolve.runner.recall import ancestry
from evolve.tables.atomic import write_text
from evolve.tables.layout import CHAMPION_FILE, CONFIG_FILE, LEARNED_FILE, champion_of
from evolve.tables.run import TABLE_OF, TABLES, Run, list_runs
from evolve.tables.trials import FINISHED, TRIAL_COLUMNS

_NUMBER: Final = re.compile(r"[0-9]{1,9}")
_PARAMETERS: Final = 6
"""Parameters of a sweep shown in a table for people: those that matter most."""
_NARROW: Final = 28
"""Characters of a cell shown in a table for people; CSV and JSON have all."""


@click.command(name="runs")
@click.argument("folder", default="runs")
@json_option
def runs_command(folder: str, as_json: bool) -> None:
    """List the runs in FOLDER (runs by default).

    \b
    Example:
      evolve runs
    """
    rows: list[dict[str, Any]] = []
    # Before the first run there is no folder for them.
    found = [] if folder == "runs" and not Path(folder).exists() else list_runs(folder)
    for run in found:
        try:
            rows.append({"run": str(run.path), **_facts(run)})
        except EvolveError as error:
            rows.append({"run": str(run.path), "state": str(error)})
    if as_json:
        click.echo(json_text(rows))
    elif rows:
        columns = list(dict.fromkeys(key for row in rows for key in row))
        print_rows(columns, [[row.get(key) for key in columns] for row in rows])
    else:
        click.echo(f"no runs in {folder}; start one with: evolve run")


def _facts(run: Run) -> dict[str, Any]:
    """What is said of a run among others."""
    config = run.config
    facts: dict[str, Any] = {"command": run.command}
    facts.update({key: config.get(key) for key in ("rules", "preset", "seed")})
    if run.command.startswith("train "):
        return {**facts, **_training_facts(run)}
    if run.command.startswith("sweep "):
        return {**facts, **_sweep_facts(run)}
    count = run.generation_count
    facts["generations"] = f"{count}/{config.get('generations')}"
    row = run.metadata(count - 1)[0] if count else {}
    for key in ("best_score", "panel_score", "panel_elo"):
        facts[key] = row.get(key)
    champion = run.path / CHAMPION_FILE
    facts["champion"] = read_agent(champion).name if champion.exists() else None
    return facts


def _training_facts(run: Run) -> dict[str, Any]:
    """The same of a training, as of its last check."""
    metrics = run.metrics
    last = metrics.iloc[-1].to_dict() if len(metrics) else {}
    champion = run.path / LEARNED_FILE
    return {
        "games": last.get("games", 0),
        "panel_score": last.get("score"),
        "champion": read_agent(champion).name if champion.exists() else None,
    }


def _sweep_facts(run: Run) -> dict[str, Any]:
    """The same of a sweep; trials are those that are finished."""
    trials = run.trials
    champion = champion_of(run.path)
    finished = int(trials["state"].isin(FINISHED).sum())
    return {
        "trials": f"{finished}/{run.config.get('trials')}",
        "best_score": _best_score(trials),
        "champion": read_agent(champion).name if champion else None,
    }


def _best_score(trials: pd.DataFrame) -> float | None:
    complete = trials[trials["state"] == "COMPLETE"]
    return float(complete["score"].max()) if len(complete) else None


@click.command(name="show")
@click.argument("source")
@click.option(
    "--table",
    type=click.Choice(TABLES),
    help="Table of a run; generations by default, metrics of a training, trials of a sweep.",
)
@click.option("--generation", type=click.IntRange(min=0), help="Of this generation alone.")
@click.option("--top", type=click.IntRange(min=1), help="The best so many rows only, best first.")
@click.option(
    "--format",
    "style",
    type=click.Choice(["table", "csv", "json"]),
    default="table",
    show_default=True,
    help="For people, or with every column for programs.",
)
@click.option("-o", "--output", callback=output_path, help="File to write to.")
def show_command(
    source: str,
    table: str | None,
    generation: int | None,
    top: int | None,
    style: str,
    output: Path | None,
) -> None:
    """Show a table of a run, or an agent as boards of weights.

    \b
    Examples:
      evolve show runs/reversed-001
      evolve show runs/reversed-001 --table individuals --generation 20 --top 5
      evolve show runs/reversed-001 --table games --format csv -o games.csv
      evolve show runs/reversed-001/champion.json
      evolve show swh
    """
    path = Path(source)
    if not path.is_dir():
        if any(value is not None for value in (table, generation, top)):
            raise click.UsageError(
                f"{source} is an agent; --table, --generation and --top are of runs"
            )
        _show_agent(source, load_agent(source), style, output)
        return
    run = Run(path)
    name = table or TABLE_OF[run.command.partition(" ")[0]]
    frame = _table(run, name, generation)
    if top is not None:
        frame = _best(frame, name).head(top)
    if style == "table" and output is None:
        _print_frame(run, name, frame)
    else:
        _write_frame(frame, style, output)


def _table(run: Run, name: str, generation: int | None) -> pd.DataFrame:
    if generation is not None:
        run.check_generation(generation)
        if name in ("individuals", "games"):
            individuals, games = run.generation(generation)
            return individuals if name == "individuals" else games
    frame: pd.DataFrame = getattr(run, name)
    if generation is not None and "generation" in frame:
        frame = frame[frame["generation"] == generation]
    return frame


def _best(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    by = {
        "individuals": "score",
        "generations": "panel_score",
        "trials": "score",
        "metrics": "score",
    }.get(name)
    if by is None:
        return frame
    return frame.sort_values(by, ascending=False, kind="stable", na_position="last")


def _print_frame(run: Run, name: str, frame: pd.DataFrame) -> None:
    if frame.empty:
        kind = run.command
        fits = name == TABLE_OF[kind.partition(" ")[0]] or (
            kind == "run" and name in ("individuals", "games")
        )
        click.echo(
            f"{run.path} has no {name} yet"
            if fits
            else f"{run.path} is of `evolve {kind}`: no {name}"
        )
        return
    if name == "generations" and out().is_terminal:
        # On a terminal a generation is one line of 80 columns; elsewhere there is room.
        records = cast("list[dict[str, Any]]", frame.to_dict("records"))
        shown = [RunDisplay.texts(row) for row in records]
        print_rows(list(SHOWN.values()), shown)
        _print_champion(run)
        return
    if name == "trials":
        _print_trials(run, frame)
        return
    values = frame.astype(object).to_numpy().tolist()
    rows = [[_narrow(value) for value in row] for row in values]
    print_rows(list(frame.columns), rows)
    if name in ("generations", "metrics"):
        _print_champion(run)


def _print_trials(run: Run, frame: pd.DataFrame) -> None:
    """The trials with what was varied most to effect, the importances, and the champion."""
    importances = run.importances
    shares = importances.shares
    parameters = [name for name in frame.columns if name not in TRIAL_COLUMNS]
    shown = sorted(parameters, key=lambda name: -shares.get(name, 0.0))[:_PARAMETERS]
    columns = ["number", "state", "score", "score_error", "seconds", *shown]
    values = frame[columns].astype(object).to_numpy().tolist()
    print_rows(columns, [[_narrow(_short(value)) for value in row] for row in values])
    if len(parameters) > len(shown):
        _say(f"{len(shown)} of {len(parameters)} parameters; --format csv has all")
    if shares:
        parts = [
            f"{name} {share:.2f} (p {importances.p[name]:.3f})" for name, share in shares.items()
        ]
        _say(f"importance for a good score: {', '.join(parts[:_PARAMETERS])}")
        _say("p: how often the largest of all is as large by chance")
    else:
        _say(importances.reason)
    _print_champion(run)


def _short(value: Any) -> Any:
    """A number with the digits that count; others as they are."""
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.3g}" if abs(value) < 0.1 else f"{value:.3f}"
    return value


def _print_champion(run: Run) -> None:
    path = champion_of(run.path)
    if path is not None:
        agent = read_agent(path)
        score, against = (cell(agent.provenance.get(key)) for key in ("score", "against"))
        where = "in a" if run.command == "run" else "against"
        _say(f"champion {agent.name}, score {score} {where} {against}: {path}")


def _narrow(value: Any) -> Any:
    if isinstance(value, list):
        value = " ".join(map(str, value))
    if isinstance(value, str) and len(value) > _NARROW:
        return value[: _NARROW - 1] + "…"
    return value


def _write_frame(frame: pd.DataFrame, style: str, output: Path | None) -> None:
    if style == "json":
        text = json_text(frame.astype(object).to_dict("records")) + "\n"
    elif style == "csv":
        text = frame.to_csv(index=False)
    else:
        text = frame.to_string(index=False) + "\n"
    if output is None:
        click.echo(text, nl=False)
    else:
        write_text(output, text)


def _show_agent(source: str, agent: Agent, style: str, output: Path | None) -> None:
    if not isinstance(agent, Stored):
        raise RunError(f"{source} has nothing to show: no agent file could hold it")
    if style == "csv":
        raise click.UsageError("an agent is no table; use --format json")
    if style == "json":
        text = json.dumps(agent_document(agent), indent=1) + "\n"
        click.echo(text, nl=False) if output is None else write_text(output, text)
        return
    if output is not None:
        raise click.UsageError("-o writes --format json; `evolve plot` draws pictures of runs")
    folder = Path(source.partition("?")[0]).parent
    lines = []
    if isinstance(agent, AlphaBetaAgent) and agent.provenance and (folder / CONFIG_FILE).exists():
        lines = ancestry(Run(folder), agent.provenance)
    if isinstance(agent, AlphaBetaAgent):
        print_agent(agent, lines)
    else:
        print_network_agent(agent)


@click.command(name="compare")
@click.argument("runs", nargs=-1, required=True)
@json_option
def compare_command(runs: tuple[str, ...], as_json: bool) -> None:
    """Show RUNS side by side: their results, and the settings in which they differ.

    \b
    Example:
      evolve compare runs/reversed-001 runs/reversed-002
    """
    opened = [Run(path) for path in runs]
    facts = [{**_facts(run), **_totals(run)} for run in opened]
    settings = [
        {key: value for key, value in run.config.items() if key != "versions"} for run in opened
    ]
    keys = dict.fromkeys(key for one in settings for key in one)
    differing = [
        key for key in keys if any(one.get(key) != settings[0].get(key) for one in settings)
    ]
    for fact, one in zip(facts, settings, strict=True):
        fact.update({key: _flat(one.get(key)) for key in differing if key not in fact})
    if as_json:
        click.echo(
            json_text([{"run": path, **fact} for path, fact in zip(runs, facts, strict=True)])
        )
        return
    rows = [[key, *(fact.get(key) for fact in facts)] for key in facts[0]]
    print_rows(["", *runs], rows)


def _totals(run: Run) -> dict[str, Any]:
    if run.command.startswith("train "):
        metrics = run.metrics
        return {"best_panel_score": float(metrics["score"].max())} if len(metrics) else {}
    frame = run.generations
    if frame.empty:
        return {}
    return {
        "best_panel_score": float(frame["panel_score"].max()),
        "games": int(frame["games"].sum()),
        "hours": float(frame["seconds"].sum() / 3600),
    }


def _flat(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{key}={item}" for key, item in value.items())
    return value


@click.command(name="replay")
@click.argument("run")
@click.argument("game")
@click.option("--moves", "moves_only", is_flag=True, help="The moves in one line, no boards.")
def replay_command(run: str, game: str, moves_only: bool) -> None:
    """Show GAME of RUN, move by move.

    GAME is generation:number, as in the games table, or a number in the last generation.

    \b
    Example:
      evolve replay runs/reversed-001 12:345
    """
    opened = Run(run)
    generation, number = _game_id(game, opened)
    _, games = opened.generation(generation)
    rows = games[games["game"] == number]
    if rows.empty:
        raise RunError(
            f"{run} has no game {number} in generation {generation}; 0 to {len(games) - 1}"
        )
    row = rows.iloc[0]
    board, moves = Board.start(), parse_moves(row["moves"])
    out().print(
        f"generation {generation}, game {number} ({row['kind']}): black {row['black']}, white "
        f"{row['white']}",
        markup=False,
    )
    if moves_only:
        out().print(row["moves"], soft_wrap=True, markup=False)
    else:
        book = len(parse_moves(row["opening"]))
        out().print(str(board), markup=False)
        for ply, square in enumerate(moves, 1):
            mover = board.side
            board = board.pass_move() if square == PASS else board.play(square)
            note = " (opening)" if ply <= book else ""
            out().print(f"\n{ply}. {mover} {square_name(square)}{note}\n{board}", markup=False)
    out().print(
        f"\n{row['discs_black']}–{row['discs_white']}, "
        f"{'a draw' if row['winner'] == 'draw' else row['winner'] + ' wins'} ({row['reason']})",
        markup=False,
    )


def _game_id(text: str, run: Run) -> tuple[int, int]:
    generation, colon, number = text.rpartition(":")
    if not _NUMBER.fullmatch(number) or (colon and not _NUMBER.fullmatch(generation)):
        raise click.UsageError(f"{text!r} is no game: write generation:number, or a number")
    chosen = int(generation) if colon else run.generation_count - 1
    run.check_generation(chosen)
    return chosen, int(number)


def _say(text: str) -> None:
    out().print(text, soft_wrap=True, markup=False)
