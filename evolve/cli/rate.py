"""`evolve rate`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from evolve.cli.completion import complete_agents
from evolve.cli.executors import executor_for, executor_options
from evolve.cli.options import (
    jobs_option,
    json_option,
    log_option,
    output_folder,
    readable,
    strict_option,
)
from evolve.cli.progress import progress_of, progress_option, tell_event, tell_started
from evolve.cli.settings import GroupedCommand, given_options, model_options
from evolve.cli.terminal import NOTHING, Failures, complain, counting, elo_text, print_rows, say
from evolve.config.matches import RateSettings
from evolve.config.toml import resolve_as

if TYPE_CHECKING:
    from evolve.arena.tournament import Tournament
    from evolve.runs.loading import Agreed


@click.command(cls=GroupedCommand, name="rate")
@click.argument("agents", nargs=-1, required=True, shell_complete=complete_agents)
@model_options(RateSettings, "agents")
@click.option(
    "--out",
    "folder",
    callback=output_folder,
    metavar="FOLDER",
    help="Keep the games there; the same command goes on where it was stopped, also with more "
    "agents at the end.",
)
@log_option
@strict_option
@executor_options
@jobs_option
@progress_option
@json_option
@click.pass_context
def rate_command(
    context: click.Context,
    /,
    agents: tuple[str, ...],
    folder: Path | None,
    strict: bool,
    jobs: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Rate AGENTS by a round robin, every pair playing both colours on every opening.

    Ratings are Bradley–Terry's in Elo, mean 0, with 95 % intervals that take the two games on an
    opening as one sample. Below is the score of each agent against each.

    \b
    Examples:
      evolve rate swh swh-mobility random --games 200
      evolve rate runs/* 'swh?depth=3' --out ratings --json
    """
    from evolve.arena.call import tournament_of
    from evolve.runs.loading import load_agent

    if len(agents) < 2:
        raise click.UsageError("name two agents or more")
    given = {"agents": agents, **given_options(RateSettings, options)}
    settings = resolve_as(RateSettings, {}, given)
    players = [load_agent(name) for name in agents]
    agents = tuple(map(readable, agents))
    with executor_for(jobs) as executor:
        tournament, agreed = tournament_of(
            players,
            agents,
            settings,
            {"tell": functools.cache(complain), "strict": strict},  # once, not for every pair
            executor=executor,
            folder=folder,
            failed=Failures().tell,
            warn=complain,
        )
        total = 2 * ((settings.games + 1) // 2) * len(tournament.pairs)
        tell_started(
            command="rate", agents=agents, rules=tournament.rules, games=total, folder=folder
        )
        if not as_json:
            say(f"{agreed}, {total} games")
        _play(tournament, total, as_json)
    tell_event("done", ending="played", stopped=False, **_document(tournament, agreed))
    if as_json:
        click.echo(json.dumps(_document(tournament, agreed)))
    else:
        _print(tournament)


def _play(tournament: Tournament, games: int, quiet: bool) -> None:
    """Play the games that are missing; if interrupted, say how to go on."""
    with counting("games", games, quiet=quiet) as advance:
        played = 0

        def count(done: int) -> None:
            nonlocal played
            advance(done)
            played += done
            file = progress_of()
            if file is not None:
                share = {"stage": "games", "done": played, "total": games}
                file.tell_often("progress", played == games, lambda: share)

        try:
            tournament.play(count)
        except KeyboardInterrupt:
            folder = tournament.folder
            kept = "" if folder is None else f"; go on with the same command, --out {folder}"
            complain(f"after {tournament.finished} of {len(tournament.pairs)} pairs{kept}")
            raise


def _document(tournament: Tournament, agreed: Agreed) -> dict[str, object]:
    scores = tournament.cross().scores
    return {
        "rules": tournament.rules,
        "rules_assumed": agreed.assumed,
        "agents": [row.facts for row in tournament.rows()],
        "cross": {
            name: {other: scores[i, j] for j, other in enumerate(tournament.names) if i != j}
            for i, name in enumerate(tournament.names)
        },
        "comparable": tournament.comparable,
    }


def _print(tournament: Tournament) -> None:
    rows = tournament.rows()
    scores = tournament.cross().scores
    place = {name: index for index, name in enumerate(tournament.names)}
    heads = ["", "agent", "Elo", "low", "high", "score", "games"]
    heads += [str(number) for number in range(1, len(rows) + 1)]
    lines = []
    for number, row in enumerate(rows, 1):
        i = place[row.agent]
        cross = []
        for other in rows:
            j = place[other.agent]
            cross.append(NOTHING if i == j else f"{scores[i, j]:.3f}")
        elos = map(elo_text, row.elo.columns("elo").values())
        lines.append([number, row.agent, *elos, row.score, row.games, *cross])
    print_rows(heads, lines)
    for row in rows:
        if row.failures:
            say(f"{row.agent} lost {row.failures} of {row.games} games by failure")
    if not tournament.comparable:
        say("some never scored against others: their distance is at least what is shown")
