"""Commands about games and the engine, from `evolve play` to `evolve bench`."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

import evolve
from evolve.cli.display import reporting_compilation
from evolve.cli.options import (
    complete_agents,
    complete_runs,
    input_path,
    json_option,
    log_option,
    output_named,
    output_option,
    rules_option,
)
from evolve.cli.terminal import (
    counting,
    loading,
    print_error,
    print_facts,
    print_json,
    print_rows,
    print_text,
)
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.engine.board.squares import square_name
from evolve.errors import OptionsError, RecordError
from evolve.fitness.executor import interruptible
from evolve.records.formats import PACKED, TABLE, ending_of, read_games, write_games
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.engine.board.board import Side
    from evolve.records.record import GameRecord


_agents_rules_option = rules_option(
    "Rules to play by; those of the agents by default, or standard."
)
_files_rules_option = rules_option("Rules of games that do not say theirs; by default standard.")


@click.command(name="play")
@click.argument("agent", shell_complete=complete_agents)
@click.option(
    "--side",
    type=click.Choice(["black", "white"]),
    default="black",
    show_default=True,
    help="The side you play; black begins.",
)
@click.option(
    "--ggf", callback=output_named(".ggf"), help="Add the game to this GGF file when it ends."
)
@log_option
@_agents_rules_option
def play_command(agent: str, side: Side, ggf: Path | None, rules: str | None) -> None:
    """Play against AGENT.

    Moves are typed as squares; hint shows what the agent thinks of yours; undo takes your last move
    back; save FILE.ggf writes the game; resign gives up; quit leaves.

    \b
    Examples:
      evolve play runs/reversed-001
      evolve play 'swh?depth=5' --side white
      evolve play patterns-standard --ggf mine.ggf
    """
    with loading():
        from evolve.cli.boards import play_against

    play_against(agent, side, ggf, rules)


@click.command(name="engine")
@click.argument("agent", shell_complete=complete_agents)
@click.option(
    "--protocol",
    type=click.Choice(["gtp", "nboard"]),
    required=True,
    help="Protocol of the other program, on standard input and output.",
)
@_agents_rules_option
def engine_command(agent: str, protocol: str, rules: str | None) -> None:
    """Play as AGENT for another program, over GTP or NBoard.

    Without --rules it plays by those of AGENT; if that has none, a line on standard error says
    which rules it assumes. With a GTP clock the agent searches as deep as its time allows and never
    exceeds it; without one, and over NBoard until a depth is set, it plays as its settings say.
    Logs and errors go to standard error; standard output has the protocol alone.

    \b
    Examples:
      evolve engine best.json --protocol gtp
      evolve engine 'best.json?time=5' --protocol nboard
      evolve match swh 'gtp:evolve engine best.json --protocol gtp'
    """
    from evolve.cli.boards import serve_engine

    serve_engine(agent, protocol, rules)


@click.command(name="replay")
@click.argument("source", metavar="RUN|FILE", shell_complete=complete_runs, callback=input_path)
@click.argument("game", required=False)
@_files_rules_option
def replay_command(source: str, game: str | None, rules: str | None) -> None:
    """Show GAME of a run or of a file, move by move.

    Of a run GAME is generation:number, as in the games table, or a number in the last generation.
    Of a file, in any format that evolve convert reads, or of standard input, -, it is the number of
    the game, from 1; the first if not given. Games that cannot be read are left out, named and
    counted.
    On a terminal the arrow keys step forward and back, Home and End go to the ends, q leaves; into
    a pipe all boards are printed.

    \b
    Examples:
      evolve replay runs/reversed-001 12:345
      evolve replay games.ggf 3
      evolve replay WTH_2004.wtb 17
    """
    from evolve.cli.boards import replay_game

    replay_game(source, game, rules)


_CONVERT_HELP: Final = f"""Turn the games of SOURCE into another format, by the names' endings.

\b
{TABLE}

Each may be packed: {", ".join(PACKED)}. - is standard input, for formats of text, or
standard output, in GGF; -o -.csv and the like say another format. An .obf gets the last position of
each game, for evolve solve. Games that cannot be read are left out and named. Games keep their
rules: one with a winner that contradicts them is left out, too.

\b
Examples:
  evolve convert WTH_2004.wtb -o games.parquet
  evolve convert archive.ggf.bz2 -o games.pgn
  evolve convert WTH_2004.wtb --empties 16 -o ends.obf
"""


@click.command(name="convert", help=_CONVERT_HELP)
@click.argument("source", type=click.Path(path_type=Path), callback=input_path)
@output_option("File to write.", required=True)
@click.option(
    "--empties",
    type=click.IntRange(0, 60),
    help="For .obf: the position of each game with so many empty squares, not the last one.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Fail if a game of the file cannot be read, instead of leaving it out.",
)
@_files_rules_option
def convert_command(
    source: Path, output: Path, empties: int | None, strict: bool, rules: str | None
) -> None:
    """See _CONVERT_HELP."""
    positions = ending_of(output) == ".obf"
    if empties is not None and not positions:
        raise OptionsError("--empties goes with a name that ends in .obf")
    games = records = read_games(source, rules, strict=strict, tell=print_error).records
    if empties is not None:
        records = [record for game in games for record in _with_empties(game, empties)]
    write_games(output, records)
    found = f"{count_of(len(records), 'position')} of " if positions else ""
    print_text(f"{found}{count_of(len(games), 'game')} → {output}")


def _with_empties(game: GameRecord, empties: int) -> list[GameRecord]:
    """A list of the position with `empties` empty squares and a side that can move, if any."""
    from evolve.records.record import GameRecord, positions_of

    positions = positions_of(game.start, game.moves)
    boards = [board for board in positions if board.empties == empties and board.legal_moves()]
    return [GameRecord(start=board, rules=game.rules) for board in boards[:1]]


@click.command(name="solve")
@click.argument("file", type=click.Path(path_type=Path), callback=input_path)
@rules_option(
    "Rules, and so what a score is, if the file does not say them: "
    + "; ".join(f"{name}, {rules.score}" for name, rules in RULE_SETS.items())
    + "."
)
@click.option(
    "--side",
    type=click.Choice(["black", "white"]),
    help="Side to move in positions that do not say it.",
)
@json_option
@reporting_compilation()
def solve_command(file: Path, rules: Rules | None, side: Side | None, as_json: bool) -> None:
    """Solve every position of a file, or of standard input, -: exact score and a best move.

    A position is 64 cells a1 to h8 (X black, O white, - empty), in a line or in rows, then the side
    to move; of a file of games, in any format that evolve convert reads, it is the last one of
    each. Scores are for the side to move. Time grows about threefold with every empty square; 20
    take seconds.

    \b
    Examples:
      evolve solve ffo.obf
      evolve solve ends.obf --rules reversed --json
    """
    reading = read_games(file, rules, side=side, tell=print_error)
    boards = [record.final for record in reading.records]
    found = sorted({record.rules for record in reading.records})
    if len(found) > 1:
        raise RecordError(f"{file} has positions of {' and '.join(found)} rules; split it")
    (rules,) = found
    # Before the clock starts: seconds are without compilation.
    evolve.solve(evolve.Board(own=1 << 9, opp=1 << 18), rules)
    answers = []
    with counting("solving", len(boards), quiet=as_json) as advance:
        for number, board in zip(reading.numbers, boards, strict=True):
            started = time.perf_counter()
            move, score, nodes = evolve.solve(board, rules)
            answers.append(
                {
                    "position": number,
                    "side": board.side,
                    "empties": board.empties,
                    "move": None if move is None else square_name(move),
                    "score": score,
                    "nodes": nodes,
                    "seconds": time.perf_counter() - started,
                }
            )
            advance(1)
    if as_json:
        click.echo(json.dumps({"rules": rules, "positions": answers}, indent=1))
        return
    print_text(f"rules {rules}")
    print_rows([*answers[0]], [[*answer.values()] for answer in answers])


@click.command(name="perft")
@click.argument("depth", type=click.IntRange(0, 20))
@json_option
def perft_command(depth: int, as_json: bool) -> None:
    """Count the positions after DEPTH plies from the start.

    A pass is a ply, a finished game one position; one thread, no table, no symmetry. Seconds are
    without compilation.

    \b
    Example:
      evolve perft 9
    """
    from evolve.engine.board import bits

    bits.perft(bits.START_OWN, bits.START_OPP, 1)
    started = time.perf_counter()
    nodes = int(interruptible(lambda: bits.perft(bits.START_OWN, bits.START_OPP, depth)))
    seconds = time.perf_counter() - started
    (print_json if as_json else print_facts)({"depth": depth, "nodes": nodes, "seconds": seconds})


@click.command(name="bench")
@json_option
def bench_command(as_json: bool) -> None:
    """Measure the speed of the engine on this machine, in some seconds.

    The nodes of a fixed set of searches are the same on every machine: they change only where the
    engine searches otherwise. Nodes a second are of one core, games a second of all cores.

    \b
    Example:
      evolve bench --json > bench.json
    """
    from evolve.cli.speed import bench

    (print_json if as_json else print_facts)(interruptible(bench))
