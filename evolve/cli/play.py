"""`evolve play`: a game in the terminal, or through a pipe."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

import click

from evolve.cli.completion import complete_agents
from evolve.cli.options import rules_option
from evolve.cli.terminal import out, say
from evolve.engine.rules import rule_set
from evolve.errors import IllegalMoveError, RecordError

if TYPE_CHECKING:
    from evolve.agents.agent import Agent
    from evolve.engine.board import Board, Side
    from evolve.engine.rules import Rules

_OF_UNIT: Final = {
    "discs": "exact scores",
    "forecast": "discs that it expects",
    "evaluation": "its evaluations",
    "value": "its values of the moves",
}
"""What a hint's numbers are, by their unit."""
_HELP = "a square such as d3, undo, hint, help, quit"


@click.command(name="play")
@click.argument("agent", shell_complete=complete_agents)
@click.option(
    "--side",
    type=click.Choice(["black", "white"]),
    default="black",
    show_default=True,
    help="The side you play; black begins.",
)
@rules_option
def play_command(agent: str, side: str, rules: str | None) -> None:
    """Play against AGENT.

    Moves are typed as squares; undo takes your last move back, hint shows what the agent thinks
    of yours, quit ends the game.

    \b
    Examples:
      evolve play runs/reversed-001
      evolve play 'swh?depth=5' --side white
    """
    from evolve.agents.loading import load_agent
    from evolve.arena.match import common_rules

    opponent = load_agent(agent)
    agreed = common_rules([opponent], rules)
    _Game(opponent.with_rules(agreed), agreed, cast("Side", side)).play()


class _Game:
    """One game between a person and an agent; `history` holds the boards where the person moved."""

    def __init__(self, agent: Agent, rules: Rules, side: Side) -> None:
        from evolve.engine.board import Board

        self.agent = agent
        self.rules: Rules = rules
        self.side: Side = side
        self.board = Board.start()
        self.history: list[Board] = []

    def play(self) -> None:
        from evolve.engine.squares import square_name

        say(f"{self.rules}: {rule_set(self.rules).goal}. You are {self.side}. Type {_HELP}.")
        while not self.board.is_over():
            if not self.board.legal_moves():
                say(f"{self.board.side} has no move and passes")
                self.board = self.board.pass_move()
            elif self.board.side != self.side:
                square = self.agent.choose(self.board)
                say(f"{self.agent.name} plays {square_name(square)}")
                self.board = self.board.play(square)
            elif not self._person_moves():
                return
        _show(self.board)
        say(self._result())

    def _person_moves(self) -> bool:
        """Ask until a move is made; False to quit."""
        from evolve.engine.rules import PASS
        from evolve.engine.squares import parse_square

        _show(self.board)
        while True:
            try:
                text = input(f"{self.side}> ").strip().lower()
            except EOFError:
                say("end of input")
                return False
            if text in ("quit", "exit", "q"):
                return False
            if text in ("help", "?", "h"):
                say(f"Type {_HELP}. Legal moves: {_names(self.board)}")
            elif text == "hint":
                say(self._hint())
            elif text == "undo":
                if not self.history:
                    say("there is nothing to undo")
                    continue
                self.board = self.history.pop()
                _show(self.board)
            elif text:
                try:
                    square = parse_square(text)
                    if square == PASS:
                        raise IllegalMoveError(f"you must not pass; legal: {_names(self.board)}")
                    after = self.board.play(square)
                except (IllegalMoveError, RecordError) as error:
                    say(str(error).splitlines()[0])
                    continue
                self.history.append(self.board)
                self.board = after
                return True

    def _hint(self) -> str:
        from evolve.engine.squares import square_name

        analysis = self.agent.analyse(self.board)
        if analysis is None:
            return f"{self.agent.name} has no opinion; legal moves: {_names(self.board)}"
        ranked = sorted(analysis.values, key=lambda square: -analysis.values[square])
        moves = "  ".join(f"{square_name(square)} {analysis.text(square)}" for square in ranked)
        return f"{_OF_UNIT[analysis.unit]}: {moves}"

    def _result(self) -> str:
        black, white = self.board.discs("black"), self.board.discs("white")
        score = self.board.score(self.rules) * (1 if self.board.side == self.side else -1)
        verdict = "you win" if score > 0 else "you lose" if score < 0 else "a draw"
        return f"black {black}, white {white} ({self.rules}): {verdict}"


def _names(board: Board) -> str:
    from evolve.engine.squares import square_name

    return " ".join(map(square_name, board.legal_moves()))


def _show(board: Board) -> None:
    """The board, with the legal moves marked."""
    legal = board.legal_moves()
    glyphs = {"X": "●", "O": "○", "-": "·"} if out().encoding.lower().startswith("utf") else {}
    lines = ["  a b c d e f g h"]
    cells = board.cells()
    for row in range(8):
        shown = [
            "*" if square in legal else glyphs.get(cells[square], cells[square])
            for square in range(8 * row, 8 * row + 8)
        ]
        lines.append(f"{row + 1} " + " ".join(shown))
    black, white = board.discs("black"), board.discs("white")
    marks = (glyphs.get("X", "X"), glyphs.get("O", "O"))
    lines.append(f"{marks[0]} black {black}, {marks[1]} white {white}; {board.side} to move")
    for line in lines:
        say(line)
