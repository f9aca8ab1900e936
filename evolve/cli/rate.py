"""`evolve rate`."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import evolve
from evolve.cli.display import reporting_compilation
from evolve.cli.executors import executor_for
from evolve.cli.match import contest_options
from evolve.cli.options import (
    complete_agents,
    output_folder,
    readable,
)
from evolve.cli.progress import progress_of, report_event, report_start
from evolve.cli.settings import (
    GroupedCommand,
    model_options,
    settings_of,
)
from evolve.cli.terminal import (
    NOTHING,
    Failures,
    counting,
    elo_text,
    print_error,
    print_note,
    print_rows,
    print_text,
)
from evolve.config.matches import RateSettings

if TYPE_CHECKING:
    from evolve.arena.tournament import Tournament
    from evolve.runs.loading import AgreedRules


_AGAINST: Final = "--against"


class _RateCommand(GroupedCommand):
    """Takes several agents after `--against`, up to the next option."""

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse as click does, with `--against` before each of them."""
        words: list[str] = []
        opponents = False
        for word in args:
            if opponents and words[-1] != _AGAINST and not word.startswith("-"):
                words.append(_AGAINST)
            begun = word == _AGAINST or word.startswith(f"{_AGAINST}=")
            opponents = begun or (opponents and not word.startswith("-"))
            words.append(word)
        return super().parse_args(context, words)


@click.command(cls=_RateCommand, name="rate")
@click.argument("agents", nargs=-1, shell_complete=complete_agents)
@model_options(RateSettings, "agents", "against")
@click.option(
    _AGAINST,
    multiple=True,
    metavar="A B …",
    shell_complete=complete_agents,
    help="A gauntlet: AGENTS play these alone, whose ratings stay fixed.",
)
@click.option(
    "--out",
    "folder",
    callback=output_folder,
    metavar="FOLDER",
    help="Store the games there; the same command continues a rating that was stopped, also with "
    "more agents at the end.",
)
@contest_options
@reporting_compilation(print_note)
def rate_command(
    agents: tuple[str, ...],
    against: tuple[str, ...],
    config: str | None,
    folder: Path | None,
    strict: bool,
    jobs: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Rate AGENTS by a round robin, every pair playing both colours on every opening.

    Ratings are Bradley–Terry's in Elo, mean 0, with 95 % intervals that take the two games on an
    opening as one sample. The table also has the score of each agent against each. AGENTS may stand
    in the file of --config.

    With --against it is a gauntlet: AGENTS play those agents alone, and are rated among them, whose
    Elo is fixed: by --elos, or as on the ladder of the rules, or else by games among themselves,
    which --out keeps for the next of AGENTS.

    \b
    Examples:
      evolve rate swh swh-mobility random --games 200
      evolve rate runs/* 'swh?depth=3' --out ratings --json
      evolve rate new.json --against swh?depth=3 swh?depth=5 old.json --out gauntlet
      evolve rate 'gtp:./new' --against 'gtp:./old' 'gtp:./other' --elos 1200,1350
      evolve rate --config rating.toml
    """
    from evolve.arena.call import tournament_of

    if against and not agents and config is None:
        raise click.UsageError("name the AGENTS that play them before --against")
    if len(agents) < 2 and not against and (agents or config is None):
        raise click.UsageError("name two AGENTS or more, here or in --config")
    settings = settings_of(RateSettings, {"agents": agents, "against": against, **options}, config)
    everyone = settings.against + settings.agents
    names = [readable(name) for name in everyone]
    with executor_for(jobs) as executor:
        tournament, agreed = tournament_of(
            [evolve.load_agent(name) for name in everyone],
            names,
            settings,
            {"tell": functools.cache(print_error), "strict": strict},  # once, not for every pair
            executor=executor,
            folder=folder,
            failed=Failures().report,
            warn=print_error,
        )
        begun = {"agents": names, "rules": agreed.rules, "games": tournament.games}
        report_start(command="rate", **begun, folder=folder)
        if not as_json:
            print_text(f"{agreed}, {tournament.games} games{_about_anchors(tournament)}")
        _play(tournament, as_json)
    wanted = as_json or progress_of() is not None
    document = _document(tournament, agreed) if wanted else {}
    report_event("done", ending="played", stopped=False, **document)
    if as_json:
        click.echo(json.dumps(document))
    else:
        _print(tournament)


def _play(tournament: Tournament, quiet: bool) -> None:
    """Play the games that are missing; if interrupted, say how to continue."""
    games = tournament.games
    with counting("games", games, quiet=quiet) as advance:
        played = 0

        def count(done: int) -> None:
            nonlocal played
            advance(done)
            played += done
            file = progress_of()
            if file is not None:
                share = {"stage": "games", "done": played, "total": games}
                file.write_often("progress", played == games, lambda: share)

        try:
            tournament.play(count)
        except KeyboardInterrupt:
            folder = tournament.folder
            kept = "" if folder is None else f"; continue with the same command, --out {folder}"
            print_error(f"after {tournament.finished} of {len(tournament.pairs)} pairs{kept}")
            raise


def _about_anchors(tournament: Tournament) -> str:
    count, elos = tournament.anchors.count, tournament.anchors.elos
    if not count:
        return ""
    names = tournament.names[:count]
    if elos:
        shown = ", ".join(f"{name} {elo:+.0f}" for name, elo in zip(names, elos, strict=True))
        return f"; Elo fixed: {shown}"
    return (
        f"; Elo fixed by games among {', '.join(names)}" if count > 1 else f"; {names[0]} has 0 Elo"
    )


def _document(tournament: Tournament, agreed: AgreedRules) -> dict[str, object]:
    scores, games = tournament.cross().scores, tournament.cross().games
    return {
        "rules": agreed.rules,
        "rules_assumed": agreed.assumed,
        "agents": [row.facts for row in tournament.rows()],
        "cross": {
            name: {other: scores[i, j] for j, other in enumerate(tournament.names) if games[i, j]}
            for i, name in enumerate(tournament.names)
        },
        "comparable": tournament.comparable,
    }


def _print(tournament: Tournament) -> None:
    rows = tournament.rows()
    scores, games = tournament.cross().scores, tournament.cross().games
    index = {name: number for number, name in enumerate(tournament.names)}
    heads = ["", "agent", "Elo", "low", "high", "score", "games"]
    heads += [str(number) for number in range(1, len(rows) + 1)]
    lines = []
    for number, row in enumerate(rows, 1):
        i = index[row.agent]
        cross = []
        for other in rows:
            j = index[other.agent]
            cross.append(f"{scores[i, j]:.3f}" if games[i, j] else NOTHING)
        elos = map(elo_text, row.elo.columns("elo").values())
        lines.append([number, row.agent, *elos, row.score, row.games, *cross])
    print_rows(heads, lines)
    for row in rows:
        if row.failures:
            print_text(f"{row.agent} lost {row.failures} of {row.games} games by failure")
    if not tournament.comparable:
        print_text("some never scored against others: their distance is at least what is shown")
