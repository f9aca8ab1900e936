"""`evolve match`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import evolve
from evolve.cli.cluster import executor_for, scheduler_option
from evolve.cli.display import progress_of, progress_option, reporting_compilation
from evolve.cli.options import (
    complete_agents,
    jobs_option,
    json_option,
    log_option,
    output_named,
    readable,
    together,
)
from evolve.cli.settings import GroupedCommand, config_option, model_options, settings_of
from evolve.cli.signals import exit_code
from evolve.cli.terminal import (
    counting,
    failure_reporter,
    loading,
    print_error,
    print_facts,
    print_text,
)
from evolve.config.matches import MatchSettings
from evolve.number_text import elo_text, too_few, whole

if TYPE_CHECKING:
    from evolve.arena.match import Match
    from evolve.arena.match_files import MatchFile
    from evolve.runs.loading import AgreedRules


contest_options = together(
    log_option, scheduler_option, jobs_option, progress_option, config_option, json_option
)
"""The options of all commands for games between agents, except for their settings."""


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
@reporting_compilation()
def match_command(
    context: click.Context,
    /,
    config: str | None,
    table: Path | None,
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
      evolve match new.json old.json --sprt 0:20
      evolve match --config match.toml
    """
    if options["b"] is None and config is None:
        raise click.UsageError("name two agents, A and B, here or in --config")
    with loading():
        from evolve.arena import call, match_files

    settings = settings_of(MatchSettings, options, config)
    names = readable(settings.a), readable(settings.b)
    with executor_for(jobs) as executor:
        match, agreed = call.match_of(
            (evolve.load_agent(settings.a), evolve.load_agent(settings.b)),
            settings,
            names=names,
            tell=print_error,
            executor=executor,
            failed=failure_reporter(),
        )
        start = {**_head(match), "games": len(match.pairings)}
        if match.sprt:
            start["sprt"] = match.sprt.document([0] * 5, start["games"])
        if not as_json:
            print_text(f"{names[0]} against {names[1]}, {agreed}")
            if "sprt" in start:
                print_text(_ahead(start["sprt"]))
        with ExitStack() as stack:
            file = None
            if table is not None:
                opened = match_files.open_match_file(match, table, print_error)
                file = stack.enter_context(opened)
                stack.callback(file.finish)  # also where printing the last games failed
            progress_of().write("started", command="match", **start)
            interruption = _play(match, file, as_json)
            _report(match, agreed, as_json, interruption is not None)
    if interruption is not None:
        more = "; continue with the same command" if file is not None else ""
        click.echo(f"interrupted after {match.played} games{more}", err=True)
        context.exit(exit_code(interruption))


def _head(match: Match) -> dict[str, Any]:
    return {"a": match.names[0], "b": match.names[1], "rules": match.rules}


def _report(match: Match, agreed: AgreedRules, as_json: bool, stopped: bool) -> None:
    if as_json:
        head = {**_head(match), "rules_assumed": agreed.assumed}
        click.echo(json.dumps({**head, **match.document}))
    else:
        _print(match)
    ending = "stopped" if stopped else "played"
    progress_of().write("done", ending=ending, stopped=stopped, **match.document)


def _play(match: Match, file: MatchFile | None, quiet: bool) -> KeyboardInterrupt | None:
    """Play the rest of a match; return what interrupted it, or None.

    An interruption before any game is finished is raised.
    """
    games = len(match.pairings)
    with counting("games", games, quiet=quiet, done=match.played) as count:

        def document() -> dict[str, Any]:
            found = match.document
            if test := found.get("sprt"):
                count.likely = min(1.0, test["games_left"] / max(1, test["games_rest"]))
            return {**found, "left": count.left}

        def state() -> str:
            found = document()
            return f"{_state(found['sprt'])}, pairs {', '.join(map(str, found['pentanomial']))}"

        def save() -> None:
            if file is not None:
                file.keep()
            progress_of().write_often("match", False, document)
            if match.sprt:
                count.tell(state)

        try:
            match.play(count, save)
        except KeyboardInterrupt as interruption:
            if not match.played:
                raise
            match.check_played()
            return interruption
    return None


def _ahead(test: Mapping[str, Any]) -> str:
    """What a test decides and how many games that takes, from its document before them."""
    at0, half, at1 = map(_about, test["games_expected"])
    return (
        f"SPRT: {_CLAIM.format_map(test)}, in about {at0} games at {test['elo0']:+g}, {half} half "
        f"way, {at1} at {test['elo1']:+g}{'' if test['unit'] == 'normalized' else ' without draws'}"
        f"; {whole(test['games_rest'])} at most"
    )


def _state(test: Mapping[str, Any]) -> str:
    text = "LLR {llr:.2f} of {lower:.2f} to {upper:.2f}".format_map(test)
    left, rest = test["games_left"], test["games_rest"]
    text += f", about {_about(left)} games more" if left else ""
    return f"{text}, but the match has {whole(rest)}" if left > rest > 0 else text


def _about(games: int) -> str:
    return whole(float(f"{games:.2g}"))


_CLAIM: Final = "{elo1:+g} rather than {elo0:+g} {unit} Elo"


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
    if test := match.document.get("sprt"):
        lines["SPRT"] = f"{_CLAIM.format_map(test)}: {test['verdict']}, {_state(test)}"
    print_facts(lines)
