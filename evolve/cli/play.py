"""`evolve play`: a game in the terminal, or through a pipe."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import click

from evolve.cli.completion import complete_agents
from evolve.cli.options import log_option, output_path, rules_option
from evolve.cli.output import show_board
from evolve.cli.terminal import out, say
from evolve.engine.board.rules import PASS, rule_set
from evolve.engine.board.squares import square_name
from evolve.errors import EvolveError, IllegalMoveError, RecordError
from evolve.files.atomic import write_text
from evolve.records.moves import read_move
from evolve.records.packing import read_bytes, text_of
from evolve.terminal_text import count_of

if TYPE_CHECKING:
    from evolve.agents.agent import Agent
    from evolve.arena.agreement import Agreed
    from evolve.engine.board.board import Board, Side
    from evolve.records.record import GameRecord

_OF_UNIT: Final = {
    "discs": "exact scores",
    "forecast": "discs that it expects",
    "evaluation": "its evaluations",
    "value": "its values of the moves",
}
"""What a hint's numbers mean, by their unit."""
_HELP = "a square such as d3, hint, undo, resign, save FILE, load FILE, help, quit"
_AGAIN = "rematch, save FILE, quit"


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
    "--ggf",
    type=click.Path(path_type=Path),
    callback=output_path,
    help="Add every game that ends to this GGF file.",
)
@log_option
@rules_option
def play_command(agent: str, side: str, ggf: Path | None, rules: str | None) -> None:
    """Play against AGENT.

    Moves are typed as squares; hint shows what the agent thinks of yours; undo takes your last move
    back, undo 3 the last three; save FILE.ggf writes the game, load FILE goes on with the first
    game of a file (load FILE 3: the third); resign gives up; rematch after the end plays again with
    colours swapped; quit leaves.

    \b
    Examples:
      evolve play runs/reversed-001
      evolve play 'swh?depth=5' --side white
      evolve play patterns-standard --ggf mine.ggf
    """
    from evolve.arena.agreement import agree_on
    from evolve.runs.loading import load_agent

    if ggf is not None and ggf.suffix.lower() != ".ggf":
        raise click.UsageError(f"--ggf {ggf}: the name must end in .ggf")
    opponent = load_agent(agent)
    agreed = agree_on([opponent], rules)
    player = opponent.with_rules(agreed.rules)
    mine = cast("Side", side)
    while _Game(player, agreed, mine, ggf).play():
        mine = _other(mine)


class _Game:
    """One game between a person and an agent."""

    def __init__(self, agent: Agent, agreed: Agreed, side: Side, ggf: Path | None) -> None:
        from evolve.protocols.session import Session

        self.agent = agent
        self.agreed = agreed
        self.side: Side = side
        self.ggf = ggf
        self.session = Session(agent)
        self.resigned = False

    @property
    def board(self) -> Board:
        """The current position."""
        return self.session.board

    def play(self) -> bool:
        """Play the game; return whether the person wants another one."""
        goal = rule_set(self.agreed.rules).goal
        say(f"{self.agreed}: {goal}. You are {self.side}. Type {_HELP}.")
        while not self.board.is_over() and not self.resigned:
            square = PASS
            if not self.board.legal_moves():
                say(f"{self.board.side} has no move and passes")
            elif self.board.side != self.side:
                square = self.session.choose()
                say(f"{self.agent.name} plays {square_name(square)}")
            elif self._person_moves():
                continue
            else:
                return False
            self.session.play(square)
        self._show()
        say(self._result())
        if self.ggf is not None:
            self._add(self.ggf)
        return self._again()

    def _show(self) -> None:
        moves = self.session.moves
        last = moves[-1] if moves and moves[-1] != PASS else None
        show_board(self.board, last, self.board.legal_moves())

    def _typed(self, prompt: str) -> str | None:
        """Read a line; None at the end of the input."""
        try:
            return input(prompt).strip()
        except EOFError:
            return None

    def _person_moves(self) -> bool:
        """Ask until the person moves, resigns or loads a game; return False to quit."""
        self._show()
        while (text := self._typed(f"{self.side}> ")) is not None:
            word, _, rest = text.partition(" ")
            match word.lower():
                case "quit" | "exit" | "q":
                    return False
                case "help" | "?" | "h":
                    say(f"Type {_HELP}. Legal moves: {_names(self.board)}")
                case "hint":
                    say(self._hint())
                case "undo":
                    self._undo(rest.strip())
                case "save" if rest:
                    self._save(Path(rest.strip()))
                case "load" if rest:
                    if self._load(rest.strip()):
                        return True
                case "resign":
                    self.resigned = True
                    return True
                case "":
                    pass
                case _ if self._move(text.lower()):
                    return True
        say("end of input")
        return False

    def _move(self, text: str) -> bool:
        try:
            square = read_move(text)
            if square == PASS:
                raise IllegalMoveError(f"you must not pass; legal: {_names(self.board)}")
            self.session.play(square)
        except (IllegalMoveError, RecordError) as error:
            say(str(error).splitlines()[0])
            return False
        return True

    def _undo(self, count: str) -> None:
        """Go back to before the person's last move, or the last `count` moves."""
        if count and not (count.isascii() and count.isdigit() and 0 < int(count) < 100):
            say(f"{count!r} is not a number of moves")
            return
        try:
            self.session.take_back(self.side, int(count or 1))
        except IllegalMoveError as error:
            say(str(error))
        else:
            self._show()

    def _hint(self) -> str:
        analysis = self.agent.analyse(self.board)
        if analysis is None:
            return f"{self.agent.name} has no opinion; legal moves: {_names(self.board)}"
        ranked = sorted(analysis.values, key=lambda square: -analysis.values[square])
        texts = {square: analysis.text(square) for square in ranked}
        if len(ranked) > 1 and len({*texts.values()}) == 1:
            names = " ".join(map(square_name, ranked))
            return f"{_OF_UNIT[analysis.unit]}: {texts[ranked[0]]} for each of {names}"
        moves = "  ".join(f"{square_name(square)} {texts[square]}" for square in ranked)
        return f"{_OF_UNIT[analysis.unit]}: {moves}"

    def _record(self) -> GameRecord:
        names = {self.side: "you", _other(self.side): self.agent.name}
        lost = float(64 if self.side == "white" else -64)
        return self.session.record(
            names["black"],
            names["white"],
            result=lost if self.resigned else None,
            stopped="resigned" if self.resigned else "unfinished",
        )

    def _save(self, path: Path) -> None:
        from evolve.records.formats import write_games

        try:
            write_games(path, [self._record()])
        except (EvolveError, OSError) as error:
            say(str(error).splitlines()[0])
        else:
            say(f"the game so far → {path}")

    def _add(self, path: Path) -> None:
        """Add the game to the end of a GGF file, whatever else is in it."""
        from evolve.records.ggf import format_ggf, scan_ggf

        before = text_of(read_bytes(path)) if path.exists() else ""
        number = scan_ggf(before).next if before.strip() else 1
        line = "" if not before or before.endswith("\n") else "\n"
        write_text(path, f"{before}{line}{format_ggf(self._record())}\n")
        say(f"{count_of(number, 'game')} in {path}")

    def _load(self, text: str) -> bool:
        """Go on with a game of a file; return whether that worked."""
        from evolve.protocols.session import Session
        from evolve.records.formats import read_games

        name, _, number = text.rpartition(" ")
        if not name or not (number.isascii() and number.isdigit()):
            name, number = text, "1"
        try:
            # The check below compares the rules, for that one game alone.
            reading = read_games(name, self.agreed.rules, judged=False)
            record = reading.game(Path(name), int(number))
            rules = self.agreed.rules
            if record.rules != rules:
                raise RecordError(f"game {number} of {name} is {record.rules}, not {rules}")
            if record.start.moves is None and self.agent.needs_moves:
                raise RecordError(
                    f"game {number} of {name} begins elsewhere than at the usual start, and "
                    f"{self.agent.name} can be told moves only"
                )
            self.session = Session(self.agent, record.start, record.moves)
        except (EvolveError, OSError) as error:
            say(str(error).splitlines()[0])
            return False
        return True

    def _again(self) -> bool:
        """Ask what comes next; return whether it is another game."""
        prompt = "" if not out().is_terminal else f"{_AGAIN}> "
        while (text := self._typed(prompt)) is not None:
            word, _, rest = text.partition(" ")
            if word.lower() == "rematch":
                return True
            if word.lower() == "save" and rest:
                self._save(Path(rest.strip()))
            elif word.lower() in ("quit", "exit", "q"):
                break
            elif text:
                say(f"the game is over: {_AGAIN}")
        return False

    def _result(self) -> str:
        rules = self.agreed.rules
        black, white = self.board.discs("black"), self.board.discs("white")
        if self.resigned:
            return f"black {black}, white {white} ({rules}): you resign"
        score = self.board.score_of(self.side, rules)
        verdict = "you win" if score > 0 else "you lose" if score < 0 else "a draw"
        return f"black {black}, white {white} ({rules}): {verdict}"


def _other(side: Side) -> Side:
    return "white" if side == "black" else "black"


def _names(board: Board) -> str:
    return " ".join(map(square_name, board.legal_moves()))
