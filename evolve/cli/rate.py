"""`evolve rate` and `evolve agents`: ratings by games, and those of the agents known by name."""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import evolve
from evolve.agents.calibration.ratings import RATINGS
from evolve.cli.cluster import executor_for
from evolve.cli.display import progress_of, reporting_compilation
from evolve.cli.match import contest_options
from evolve.cli.options import complete_agents, json_option, output_path, readable, rules_option
from evolve.cli.output import BY_ENDING, style_of, write_in_style
from evolve.cli.settings import GroupedCommand, model_options, settings_of
from evolve.cli.terminal import (
    counting,
    failure_reporter,
    loading,
    print_error,
    print_json,
    print_rows,
    print_text,
)
from evolve.config.matches import RateSettings
from evolve.engine.board.rules import DEFAULT_RULES, Rules, rule_set
from evolve.files.atomic import is_standard
from evolve.number_text import elo_text, too_few
from evolve.records.formats import FORMATS, ending_of
from evolve.terminal_text import as_word, count_of

if TYPE_CHECKING:
    from evolve.arena.tournament import Tournament
    from evolve.runs.loading import AgreedRules


def _is_table(path: Path) -> bool:
    """Whether --out names a table of the ratings, not a folder of games."""
    return path.suffix.lower() in BY_ENDING


def _folder_or_table(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    if value is None or _is_table(path := Path(value)) or is_standard(path):
        return output_path(context, parameter, value)
    if not path.parent.is_dir():
        raise click.BadParameter(f"there is no folder {path.parent} to make {path.name} in")
    if path.is_file() or (ending_of(path) in FORMATS and not path.exists()):
        raise click.BadParameter(f"{path} must end in {', '.join(BY_ENDING)}, or be a folder")
    return path


@click.command(cls=GroupedCommand, name="rate")
@click.argument("agents", nargs=-1, shell_complete=complete_agents)
@model_options(RateSettings, "agents")
@click.option(
    "--out",
    callback=_folder_or_table,
    metavar="FOLDER|FILE",
    help="Store the games in a folder; the same command continues a rating that was stopped, also "
    f"with more agents at the end. A name that ends in {', '.join(BY_ENDING)} gets the ratings.",
)
@contest_options
@reporting_compilation()
def rate_command(
    agents: tuple[str, ...],
    against: tuple[str, ...],
    config: str | None,
    out: Path | None,
    jobs: int,
    as_json: bool,
    **options: Any,
) -> None:
    """Rate AGENTS by a round robin, every pair playing both colours on every opening.

    Ratings are Bradley–Terry's in Elo, mean 0, with 95 % intervals that take the two games on an
    opening as one sample. The table has the score of each agent against each; below it stands how
    far differences do not add up. AGENTS may stand in the file of --config.

    With --against it is a gauntlet: AGENTS play those agents alone, and are rated among them, whose
    Elo is fixed: by --elos, or as `evolve agents` lists it, if it knows all of them, or else by
    games among themselves with mean 0, which --out keeps for the next of AGENTS.

    \b
    Examples:
      evolve rate swh swh-mobility random --games 200
      evolve rate runs/* 'swh?depth=3' --out ratings --json
      evolve rate new.json --against 'swh?depth=3' --against old.json --out gauntlet
      evolve rate 'gtp:./new' --against 'gtp:./old' --against 'gtp:./other' --elos 1200,1350
      evolve rate --config rating.toml
    """
    with loading():
        from evolve.arena.call import tournament_of

    if against and not agents and config is None:
        raise click.UsageError("name the AGENTS that play them before --against")
    if len(agents) < 2 and not against and (agents or config is None):
        raise click.UsageError("name two AGENTS or more, here or in --config")
    table, folder = (out, None) if out is not None and _is_table(out) else (None, out)
    settings = settings_of(RateSettings, {"agents": agents, "against": against, **options}, config)
    everyone = settings.against + settings.agents
    names = [*map(readable, everyone)]
    with executor_for(jobs) as executor:
        tournament, agreed = tournament_of(
            [evolve.load_agent(name) for name in everyone],
            names,
            settings,
            tell=functools.cache(print_error),  # once, not for every pair
            executor=executor,
            folder=folder,
            failed=failure_reporter(),
            warn=print_error,
        )
        begun = {"agents": names, "rules": agreed.rules, "games": tournament.games}
        progress_of().write("started", command="rate", **begun, folder=folder)
        if not as_json:
            games = count_of(tournament.games, "game")
            print_text("; ".join(filter(None, (f"{agreed}, {games}", tournament.scale))))
        _play(tournament, as_json)
    _report(tournament, agreed, as_json)
    if table is not None:
        rows = [row.document for row in tournament.rows()]
        write_in_style(rows, style_of(None, table), table)


def _play(tournament: Tournament, quiet: bool) -> None:
    games, events = tournament.games, progress_of()
    with counting("games", games, quiet=quiet) as count:

        def advance(done: int) -> None:
            count(done)
            events.seconds_left = count.left
            events.whole("games", count.done, games)

        try:
            tournament.play(advance)
        except KeyboardInterrupt:
            folder = tournament.folder
            more = f"; continue with the same command, --out {as_word(folder)}" if folder else ""
            print_error(f"after {tournament.finished} of {len(tournament.pairs)} pairs{more}")
            raise


def _report(tournament: Tournament, agreed: AgreedRules, as_json: bool) -> None:
    rows, found = tournament.rows(), tournament.document
    document = {"rules": agreed.rules, "rules_assumed": agreed.assumed, **found}
    progress_of().write("done", ending="played", stopped=False, **document)
    if as_json:
        click.echo(json.dumps(document))
        return
    heads = ["", "agent", "Elo", "score", "games", *map(str, range(1, len(rows) + 1))]
    lines = []
    for number, row in enumerate(rows, 1):
        with_others = [found["cross"][row.agent].get(other.agent) for other in rows]
        elo = elo_text(*row.elo.columns("elo").values(), signed=True)
        lines.append([number, row.agent, elo, row.score, row.games, *with_others])
    print_rows(heads, lines)
    for row in rows:
        if row.elo.n and math.isnan(row.elo.low):
            print_text(f"{row.agent}: {too_few(row.elo.n)}")
        if row.failures:
            print_text(f"{row.agent} lost {row.failures} of {row.games} games by failure")
    if not tournament.comparable:
        print_text("some never scored against others: their distance is at least what is shown")
    for text in found["words"]:
        print_text(text)


@click.command(name="agents")
@rules_option("Rules to play by; standard by default.")
@json_option
def agents_command(rules: Rules | None, as_json: bool) -> None:
    """List the agents that are known by name, the weakest first.

    Elo is on the ladder's scale, ± half of its 95 % interval; `s a move` is the time of a move on
    one core. `level-1` to `level-12` are for playing against, by any rules: the last column has the
    agent that a level is, and its step is by how much it beats the level below, in Elo.

    \b
    Examples:
      evolve agents
      evolve agents --rules reversed
      evolve play level-3
    """
    rules = rules or DEFAULT_RULES
    rated = sorted(RATINGS.get(rules, {}).items(), key=lambda item: item[1].elo)
    rows = [
        {
            "agent": name,
            "elo": rating.elo,
            "elo_error": rating.error or None,
            "seconds": rating.seconds,
            "about": rating.about,
            "plays": rating.plays or name,
            "step": rating.step or None,
            "step_error": rating.step_error or None,
        }
        for name, rating in rated
    ]
    if as_json:
        print_json({"rules": rules, "agents": rows})
        return
    print_text(f"{rules} ({rule_set(rules).goal}), Elo 0 is {rule_set(rules).reference}")
    lines = [
        (
            name,
            _with_error(f"{rating.elo}", rating.error),
            _with_error(f"{rating.step:+}", rating.step_error) if rating.step else "",
            f"{rating.seconds:.6f}".rstrip("0").rstrip("."),
            rating.about,
            rating.plays,
        )
        for name, rating in rated
    ]
    print_rows(("agent", "Elo", "step", "s a move", "what it is", "as"), lines)


def _with_error(value: str, error: int) -> str:
    return f"{value} ± {error}" if error else f"about {value}"
