"""Hand-ins for a contest: files of agents, a stronger agent, the test of a file, and all at once.

`evolve export`, `check` and `hand-in` share this module: a hand-in is an export by the clock, a
quick check and a short match.
"""

from __future__ import annotations

import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import click

from evolve.agents.agent import StoredAgent
from evolve.agents.names import parse_name
from evolve.arena.hand_in import (
    MATCH_GAMES,
    ShortMatch,
    contest_agent,
    newest_run,
    strongest_agent,
    writable,
)
from evolve.cli.display import compile_moves, print_next, reporting_compilation
from evolve.cli.terminal import counting, print_error, print_json, print_note, print_text
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, RULES_HELP, Rules
from evolve.errors import AgentError, OptionsError
from evolve.files.atomic import write_text
from evolve.number_text import duration
from evolve.programs.examination import Demands, examine, moves_of
from evolve.programs.external import rules_in_source
from evolve.runs.life_cycle import RUNS
from evolve.runs.loading import AgreedRules, agree_on, load_agent, with_settings
from evolve.terminal_text import SHOWN, as_word, count_of

_VERDICTS: Final = {True: "ok", False: "WRONG", None: "?"}


def export(source: str, individual: str | None, output: Path, *, python: bool, numba: bool) -> None:
    """Write the agent of a source to a file, and say how it plays."""
    if individual is None:
        agent = load_agent(source)
    else:
        from evolve.evolution.generation import individual_agent  # not above: it loads DEAP

        parsed = parse_name(source)
        agent = individual_agent(parsed.path, individual)
        agent = with_settings(agent, parsed.settings, parsed.base)
    if not python:
        stored = agent.stored()
        stored.save(output)
        print_text(f"{agent.name} → {output}")
        print_text(
            f"it plays {stored.play}; settings of play follow its name, see evolve match --help"
        )
        return
    agent = writable(agent)
    write_text(output, agent.python_source(numba))
    print_text(f"{agent.name} → {output}")
    print_text(f"it plays {agent.play}")
    if "time" in agent.settings and agent.limit.seconds is None:
        print_text("it does not use the time of a contest; the file of `evolve hand-in` does")
    if output.is_file():  # not standard output
        print_next(f"evolve check {as_word(output)}")


def proposed(agent: StoredAgent, folder: Path) -> str:
    """The command that makes the hand-in of a run's champion.

    Where no Python file can hold the agent, it writes the agent file.
    """
    try:
        agent.python_source()
    except AgentError:
        return f"evolve export {as_word(folder)} -o best.{'npz' if agent.arrays else 'json'}"
    return f"evolve hand-in {as_word(folder)} -o agent.py"


def check(file: Path, demands: Demands, games: int, as_json: bool, **options: Any) -> int:
    """Test a Python file, and print what was tested; return the exit code.

    options: others of `examine`.
    """
    found = _checked(file, demands, games, as_json, **options)
    if as_json:
        print_json({"file": str(file), **found})
    return 0 if found["good"] else 1


def _checked(
    file: Path, demands: Demands, games: int, quiet: bool, after: float = 0.0, **options: Any
) -> dict[str, Any]:
    """Test a Python file; unless `quiet`, print how long that takes and what is found.

    after: seconds of what follows.
    """
    if not quiet:
        moves, seconds = moves_of(games), demands.seconds
        rules = agree_on([], rules_in_source(file))
        what = f"{count_of(games, 'game')}, some {moves} moves" if games else f"{moves} positions"
        shorter = f"; --quick takes some {duration(moves_of(0) * seconds)}" if games else ""
        print_error(
            f"{file}, {rules}: {what} of {seconds:g} s at most: {duration(moves * seconds)} if it "
            f"uses all its time{shorter}"
        )
    most = moves_of(games) * demands.seconds  # two of them are passes, without a thought
    with counting("moves", moves_of(games) + 2, quiet, after=after, limit=most) as advance:
        findings = examine(file, demands=demands, games=games, progress=advance, **options)
    for finding in () if quiet else findings:
        print_text(f"{finding.name:<8} {_VERDICTS[finding.good]:<6} {finding.text}")
    good = all(finding.good is not False for finding in findings)
    return {"good": good, "findings": list(map(asdict, findings))}


@reporting_compilation(print_note)
def hand_in(
    source: str | None,
    output: Path,
    *,
    seconds: float,
    memory: int,
    rules: Rules | None,
    numba: bool,
    as_json: bool,
) -> int:
    """Write the file to hand in, check it, and let it play a short match; return the exit code.

    source: None takes the newest finished run, or the strongest agent of the package. seconds,
    memory: what the contest allows for a move, in MB. rules: None for the agent's own.
    """
    source, why = (source, "") if source is not None else _found(rules)
    compile_moves(as_json)
    agent = contest_agent(source, seconds, rules, _contest_rules)
    text, played = agent.python_source(numba), agent.rules or DEFAULT_RULES
    if not as_json:
        print_text(f"{source}{why} · {AgreedRules(played)} · {seconds:g} s a move")
    write_text(output, text)
    file = output
    if not file.is_file():  # standard output or a pipe: what is read again is a copy
        file = Path(click.get_current_context().with_resource(TemporaryDirectory()), "agent.py")
        write_text(file, text)
        SHOWN[str(file)] = str(output)
    short = ShortMatch(file, source, played, seconds)
    found = _checked(file, Demands(seconds, memory), 0, as_json, short.usual)
    match = None
    if found["good"]:
        if not as_json:
            print_error(f"{MATCH_GAMES} games against {short.opponent}, {short.move:g} s a move")
        with counting("games", MATCH_GAMES, as_json, limit=short.most) as advance:
            match = short.play(advance)
    if as_json:
        head = {"file": str(output), "agent": source, "rules": played, "seconds": seconds}
        print_json({**head, **found, "match": match})
    elif match is None:
        wrong = ", ".join(row["name"] for row in found["findings"] if row["good"] is False)
        print_text(f"do not hand in {output}: {wrong} wrong")
    else:
        points, games = match["wins"] + 0.5 * match["draws"], match["games"]
        result = f"{points:g} of {count_of(games, 'point')}" if games else "no whole game in time"
        faster = "" if numba else " (compiled, so it sees more)"
        move = f"{match['seconds']:g} s a move for both"
        print_text(f"{result} against {match['opponent']}{faster}, {move}")
        print_text(f"hand in {output}: {source}, {agent.play}")
    return 0 if found["good"] else 1


@cache
def _contest_rules() -> Rules:
    """The rules where no run, agent or option tells them: a person's answer.

    A wrong guess would be a file that loses on purpose. OptionsError where nobody can be asked.
    """
    if not sys.stdin.isatty():
        raise OptionsError(f"add --rules, those of the contest; {RULES_HELP}")
    chosen = click.Choice(list(RULE_SETS))
    return click.prompt(f"Rules of the contest ({RULES_HELP})", type=chosen, err=True)


def _found(rules: Rules | None) -> tuple[str, str]:
    """The newest finished run in `runs`, or the strongest agent of the package, and why that one.

    rules: those that it must play by; None takes a run of any rules.
    """
    newest = newest_run(RUNS, rules)
    if newest is not None:
        return str(newest), " (the newest finished run)"
    which = f"no finished {rules} run" if rules else "no finished run"
    return strongest_agent(rules or _contest_rules()), f" (there is {which} in {RUNS})"
