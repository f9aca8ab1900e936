"""A small program that speaks GTP or NBoard, well or badly: python engine.py PROTOCOL [FAULT].

It plays the first legal move (last: the last one) by the slow reference rules. Faults, most of
them from the third move on: crash, hang, stop (SIGSTOP), kill (SIGKILL), illegal, garbage, silent
(from the start), flood, endless (an answer without end), resign, deaf (dies at its start), child
(hangs with a child of its own), clings (hangs, heeds no signal and no end of its input, has
children in sessions of their own, and says in the folder that it does), white (illegal, but as
white alone).
Dialects: banner, lower, bare, rules:WORD (says that it plays by these); and of GTP
mute (is silent about commands that it does not know), short (no blank line after an answer),
late (is slow to start), slow (.15 s a move, time_left), naps (.01 s a move), crlf, chatty (says
what it thinks, and `=D3`), passes (where it must not). It is started hundreds of times: what only
faults need is imported by them.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", ".."))

from tests import reference

NAMES = [letter + digit for digit in "12345678" for letter in "abcdefgh"]
START = (0x0000000810000000, 0x0000001008000000)


class Game:
    """The position, and whose turn it is."""

    which = 0
    """Which of the legal moves it plays."""

    def __init__(self) -> None:
        self.own, self.opp = START
        self.black = True

    def begin(self, cells: str, black: bool) -> None:
        own, opp = "*O" if black else "O*"
        self.own, self.opp = (
            sum(1 << square for square, cell in enumerate(cells) if cell == sign)
            for sign in (own, opp)
        )
        self.black = black

    def pass_move(self) -> None:
        self.own, self.opp, self.black = self.opp, self.own, not self.black

    def play(self, square: int) -> None:
        self.own, self.opp = reference.play(self.own, self.opp, square)
        self.black = not self.black

    def turn(self, black: bool) -> None:
        if self.black != black:
            self.pass_move()

    def choice(self) -> int:
        return reference.legal_moves(self.own, self.opp)[self.which]


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def misbehave(fault: str) -> str | None:
    """Do what the fault is; a move to play in place of the right one, if that is the fault."""
    if fault == "crash":
        sys.stderr.write("I give up\n")
        sys.exit(3)
    if fault == "clings":
        open(f"clings-{os.getpid()}", "w").close()
    if fault in ("hang", "child", "clings"):
        if fault == "child":
            import subprocess

            subprocess.Popen(["sleep", "1000"])
        time.sleep(1000)
    if fault in ("stop", "kill"):
        os.kill(os.getpid(), signal.SIGSTOP if fault == "stop" else signal.SIGKILL)
    while fault == "flood":
        sys.stdout.write("noise " * 100 + "\n")
    if fault == "endless":
        say("=")
        while True:
            sys.stdout.write("noise\n")
    return {"illegal": "a1", "garbage": "\x00\xff?!", "resign": "resign", "passes": "pass"}.get(
        fault
    )


def cling() -> None:
    """Do all that makes a program hard to get rid of."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    import subprocess

    subprocess.Popen(["sleep", "1000"], start_new_session=True)
    subprocess.Popen(["sh", "-c", "(trap '' TERM HUP INT; setsid sleep 1000 &) &"])


def gtp(fault: str) -> None:
    game, asked = Game(), 0
    end = {"crlf": "\r\n\r", "short": ""}.get(fault, "\n")
    if fault == "banner":
        say("=== Welcome to Engine 1.0 ===\n\nready\n=\n?")
    for line in sys.stdin:
        word, *words = line.split()
        answer: str | None = ""
        if word == "clear_board":
            game = Game()
        elif word == "play":
            game.turn(words[0].startswith("b"))
            if words[1] != "pass":
                game.play(NAMES.index(words[1].lower()))
        elif word == "genmove":
            game.turn(words[0].startswith("b"))
            asked += 1
            time.sleep({"slow": 0.15, "naps": 0.01}.get(fault, 0.0))
            answer = misbehave(fault) if asked > 2 else None
            if fault == "white" and words[0].startswith("w"):
                answer = "a1"
            if answer is None:
                square = game.choice()
                game.play(square)
                answer = NAMES[square] if fault == "lower" else NAMES[square].upper()
        elif word == "list_commands" and fault not in ("bare", "mute"):
            answer = "play\ngenmove\nlist_games\nset_game\ntime_settings"
            if fault.startswith("rules:"):
                answer += "\nevolve-rules"
            if fault == "slow":
                answer += "\ntime_left"
        elif word == "evolve-rules" and fault.startswith("rules:"):
            answer = fault.removeprefix("rules:")
        elif word == "list_games":
            answer = "Go Othello"
        elif word == "quit":
            say("=\n")
            return
        elif word not in ("boardsize", "set_game", "time_settings", "time_left"):
            if fault != "mute":
                say(f"? unknown command{end}")
            continue
        if fault == "chatty":
            say(f"thinking about {word}\n\n=== nothing special ===\n")
        between = "" if fault == "chatty" else " "
        say(f"={between}{answer}{end}")


def nboard(fault: str) -> None:
    game, asked = Game(), 0
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "set" and rest.startswith("game"):
            board, told = rest.split("BO[8 ")[1].split("]", 1)
            game = Game()
            game.begin(board[:64], board[-1] == "*")
            moves = re.findall(r"([BW])\[(\w+)", told)
            for side, name in moves:
                game.turn(side == "B")
                if name.lower() != "pa":
                    game.play(NAMES.index(name.lower()))
            game.turn((board[-1] == "*") == (len(moves) % 2 == 0))
        elif word == "nboard" and fault.startswith("rules:"):
            say(f"set myname me\nstatus rules: {fault.removeprefix('rules:')}")
        elif word == "ping":
            say(f"pong {rest}")
        elif word == "go":
            asked += 1
            answer = misbehave(fault) if asked > 2 else None
            name = answer or NAMES[game.choice()]
            say("status thinking\nnodestats 12 0.01\nsearch e6 1.00 0 3")
            say(f"=== {name} -1.00 0.0" if fault == "lower" else f"=== {name.upper()}/-1.30/0.11")
        elif word == "quit":
            return


if __name__ == "__main__":
    behaviour = sys.argv[2] if len(sys.argv) > 2 else "good"
    if behaviour == "deaf":
        sys.exit("no book found")
    time.sleep({"silent": 1000.0, "late": 1.2}.get(behaviour, 0.0))
    if behaviour == "last":
        Game.which = -1
    if behaviour == "clings":
        cling()
    (gtp if sys.argv[1] == "gtp" else nboard)(behaviour)
    while behaviour == "clings":
        time.sleep(1000)
