"""`evolve match`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import evolve
from evolve.cli.cluster import executor_for, executor_options
from evolve.cli.display import reporting_compilation
from evolve.cli.options import (
    complete_agents,
    jobs_option,
    json_option,
    log_option,
    output_named,
    readable,
    strict_option,
)
from evolve.cli.progress import progress_of, progress_option
from evolve.cli.settings import GroupedCommand, config_option, model_options, settings_of
from evolve.cli.signals import exit_code
from evolve.cli.terminal import (
    counting,
    failure_reporter,
    print_error,
    print_facts,
    print_note,
    print_text,
)
from evolve.config.matches import MatchSettings
from evolve.number_text import elo_text, too_few, whole

if TYPE_CHECKING:
    from evolve.arena.match import Match
    from evolve.arena.match_files import MatchFile
    from evolve.runs.loading import AgreedRules


_C = TypeVar("_C", bound=Callable[..., Any])


def contest_options(command: _C) -> _C:
    """Add the options of all commands for games between agents, except for their settings."""
    for option in (
        json_option,
        config_option,
        progress_option,
        jobs_option,
        executor_options,
        strict_option,
        log_option,
    ):
        command = option(command)
    return command


@click.command(cls=GroupedCommand, name="match")
@click.argument("a", required=False, shell_complete=complete_agents)
@click.argument("b", required=False, shell_complete=complete_agents)
@model_options(MatchSettings, "a", "b")
@click.option(
    "--out",
    "table",
    callback=output_named(".parquet"),
    metavar="FILE.parquet",
    help="Store the games, pair by pair, in a table, which `evolve convert` turns into other "
    "formats. The same command continues a match that was stopped.",
)
@contest_options
@click.pass_context
@reporting_compilation(print_note)
def match_command(
    context: click.Context,
    /,
    config: str | None,
    table: Path | None,
    strict: bool,
    jobs: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Play A against B, both colours on every opening.

    The score is A's, with a 95 % interval that takes the two games on an opening as one sample.
    A program (gtp:COMMAND, nboard:COMMAND, python:FILE.py) that crashes, hangs or plays an illegal
    move loses that game; one that does not start, or fails in every game, is an error. After Ctrl-C
    the finished pairs of games count. A and B may stand in the file of --config.

    \b
    Examples:
      evolve match runs/reversed-001 random --games 400
      evolve match 'best.json?depth=3&endgame=0' 'swh?depth=3' --seed 2 --json
      evolve match best.json 'gtp:gtp-rhino --level=3?time=5' --out games.parquet
      evolve match new.json old.json --sprt 0 20
      evolve match --config match.toml
    """
    if options["b"] is None and config is None:
        raise click.UsageError("name two agents, A and B, here or in --config")
    from evolve.arena import call, match_files

    settings = settings_of(MatchSettings, options, config)
    names = readable(settings.a), readable(settings.b)
    with executor_for(jobs) as executor:
        match, agreed = call.match_of(
            (evolve.load_agent(settings.a), evolve.load_agent(settings.b)),
            settings,
            {"tell": print_error, "strict": strict},
            names=names,
            executor=executor,
            failed=failure_reporter(),
        )
        if not as_json:
            print_text(f"{names[0]} against {names[1]}, {agreed}")
        file = None if table is None else match_files.MatchFile(match, table, print_error)
        with _claim(file):
            start = {**_head(match), "games": len(match.pairings)}
            progress_of().write("started", command="match", **start)
            interruption = _play(match, file, as_json)
            _report(match, agreed, as_json, interruption is not None)
    if interruption is not None:
        more = "; continue with the same command" if file is not None else ""
        click.echo(f"interrupted after {match.played} games{more}", err=True)
        context.exit(exit_code(interruption))


def _head(match: Match) -> dict[str, str]:
    return {"a": match.names[0], "b": match.names[1], "rules": match.rules}


def _report(match: Match, agreed: AgreedRules, as_json: bool, stopped: bool) -> None:
    if as_json:
        head = {**_head(match), "rules_assumed": agreed.assumed}
        click.echo(json.dumps({**head, **match.document}))
    else:
        _print(match)
    ending = "stopped" if stopped else "played"
    progress_of().write("done", ending=ending, stopped=stopped, **match.document)


@contextmanager
def _claim(file: MatchFile | None) -> Iterator[None]:
    """Claim the file of a match, and write the last games, also where printing them failed."""
    if file is None:
        yield
        return
    with file.claimed():
        try:
            yield
        finally:
            file.finish()


def _play(match: Match, file: MatchFile | None, quiet: bool) -> KeyboardInterrupt | None:
    """Play the rest of a match; return what interrupted it, or None.

    An interruption before any game is finished is raised.
    """
    games = len(match.pairings)
    with counting("games", games, quiet=quiet, done=match.played) as count:

        def save() -> None:
            if file is not None:
                file.keep()
            progress_of().write_often(
                "match", False, lambda: {**match.document, "left": count.left}
            )

        try:
            match.play(count, save)
        except KeyboardInterrupt as interruption:
            if not match.played:
                raise
            match.check_played()
            return interruption
    return None


def _print(match: Match) -> None:
    result = match.result
    known = result.document
    interval = " [{score_low:.3f}, {score_high:.3f}]" if known["superiority"] is not None else ""
    elo = elo_text(*result.elo.columns("elo").values(), signed=True)
    chance = f"{elo}, {100 * result.superiority:.1f} % likely stronger"
    lines = {
        "games": f"{whole(result.games)}: {result.wins} won, {result.draws} drawn, "
        f"{result.losses} lost",
        "score": f"{result.score.value:.3f}{interval.format_map(known)}",
        "as black": f"{result.score_black:.3f}",
        "as white": f"{result.score_white:.3f}",
        "discs": f"{result.mean_discs:+.1f} a game",
        "Elo": chance if interval else f"{elo}, {too_few(2 * sum(result.pentanomial))}",
        "pairs": "  ".join(
            f"{points}: {count}"
            for points, count in zip(("0", "½", "1", "1½", "2"), result.pentanomial, strict=True)
        ),
    }
    if result.played < result.games:
        lost = result.games - result.played
        lines["played"] = f"{result.played} of {result.games} to their end, {lost} lost by failure"
    for player, failures in enumerate((result.failures_a, result.failures_b)):
        if failures:
            why = match.first_failure(player)
            lines[f"{'AB'[player]} failed"] = f"in {failures} games, the first time {why}"
    if match.sprt:
        test, counts = match.sprt, result.pentanomial
        lines["SPRT"] = (
            f"{test.elo1:+g} Elo rather than {test.elo0:+g}: {test.verdict(counts)}, "
            f"log likelihood ratio {test.ratio(counts):.2f} of {test.lower:.2f} to {test.upper:.2f}"
        )
    print_facts(lines)
