"""Hand-ins for a contest: files of agents, a stronger agent, the test of a file, and all at once.

`evolve export`, `check` and `hand-in` share this module: a hand-in is an export by the clock, a
quick check and a short match.
"""

from __future__ import annotations

import sys
import time
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, cast

import click
import numpy as np

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.calibration.ratings import strongest
from evolve.agents.registry import parse_name, with_clock
from evolve.cli.display import compile_moves, print_next, reporting_compilation
from evolve.cli.terminal import counting, print_error, print_json, print_text
from evolve.engine.board.rules import DEFAULT_RULES, RULE_SETS, RULES_HELP, Rules, rule_set
from evolve.errors import AgentError, EvolveError, OptionsError
from evolve.files.atomic import write_text
from evolve.fitness.executor import Threads, processors
from evolve.number_text import duration
from evolve.programs.examination import Demands, examine, moves_of
from evolve.programs.external import rules_in_source
from evolve.runs.life_cycle import RUNS
from evolve.runs.loading import AgreedRules, agree_on, individual_agent, load_agent, with_settings
from evolve.runs.run import Run, list_all
from evolve.runs.run_types import champion_of
from evolve.runs.summary import summary_of
from evolve.terminal_text import SHOWN, as_word, count_of

_VERDICTS: Final = {True: "ok", False: "WRONG", None: "?"}
_MATCH_GAMES: Final = 4


def export(source: str, individual: str | None, output: Path, *, python: bool, numba: bool) -> None:
    """Write the agent of a source to a file, and say how it plays."""
    if individual is None:
        agent = load_agent(source)
    else:
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
    agent = _writable(agent)
    write_text(output, agent.python_source(numba))
    print_text(f"{agent.name} → {output}")
    print_text(f"it plays {agent.play}")
    if "time" in agent.settings and agent.limit.seconds is None:
        print_text("it does not use the time of a contest; the file of `evolve hand-in` does")
    if output.is_file():  # not standard output
        print_next(f"evolve check {as_word(output)}")


def _writable(agent: Agent) -> StoredAgent:
    """The agent; AgentError where no Python file can hold it."""
    if not agent.kind:
        raise AgentError(f"{agent.name} cannot be written as a Python file")
    return cast("StoredAgent", agent)


def proposed(agent: StoredAgent, folder: Path) -> str:
    """The command that makes the hand-in of a run's champion.

    Where no Python file can hold the agent, it writes the agent file.
    """
    try:
        agent.python_source()
    except AgentError:
        return f"evolve export {as_word(folder)} -o best.{'npz' if agent.arrays else 'json'}"
    return f"evolve hand-in {as_word(folder)} -o agent.py"


def check_file(
    file: Path, demands: Demands, games: int, quiet: bool, after: float = 0.0, **options: Any
) -> dict[str, Any]:
    """Test a Python file; unless `quiet`, print how long that takes and what is found.

    after: seconds of what follows; options: others of `examine`.
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
    lines = [f"{one.name:<8} {_VERDICTS[one.good]:<6} {one.text}" for one in findings]
    for line in () if quiet else lines:
        print_text(line)
    good = all(finding.good is not False for finding in findings)
    return {"good": good, "findings": list(map(asdict, findings)), "lines": lines}


@reporting_compilation()
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
    source, why = (source, "") if source is not None else _choose_source(rules)
    compile_moves(as_json)
    agent = _contest_agent(source, seconds, rules)
    text, played = agent.python_source(numba), agent.rules or DEFAULT_RULES
    begin = f"{source}{why} · {AgreedRules(played)} · {seconds:g} s a move"
    if not as_json:
        print_text(begin)
    write_text(output, text)
    file = output
    if not file.is_file():  # standard output or a pipe: what is read again is a copy
        file = Path(click.get_current_context().with_resource(TemporaryDirectory()), "agent.py")
        write_text(file, text)
        SHOWN[str(file)] = str(output)
    (move, usual, most), best, match = _times(seconds), _strongest(played), None
    found = check_file(file, Demands(seconds, memory), 0, as_json, usual)
    if found["good"]:
        opponent = f"champion-{played}" if parse_name(source).base == best else best
        if not as_json:
            print_error(f"{_MATCH_GAMES} games against {opponent}, {move:g} s a move")
        match = _short_match(file, opponent, played, move, most, as_json)
        points, games = match["wins"] + 0.5 * match["draws"], match["games"]
        result = f"{points:g} of {count_of(games, 'point')}" if games else "no whole game in time"
        faster = "" if numba else " (compiled, so it sees more)"
        end = [f"{result} against {opponent}{faster}, {move:g} s a move for both"]
        end += [f"hand in {output}: {source}, {agent.play}"]
    else:
        wrong = ", ".join(row["name"] for row in found["findings"] if row["good"] is False)
        end = [f"do not hand in {output}: {wrong} wrong"]
    if as_json:
        head = {"file": str(output), "agent": source, "rules": played, "seconds": seconds}
        print_json({**head, **found, "match": match, "lines": [begin, *found["lines"], *end]})
    for line in () if as_json else end:
        print_text(line)
    return 0 if found["good"] else 1


def _times(seconds: float) -> tuple[float, float, float]:
    """Seconds of the short match: for a move, few of them; what it usually thinks; at most.

    seconds: what the contest allows for a move.
    """
    # As many moves' time as the check takes. With 5 s a move, all is under a minute.
    budget = min(4.0 * seconds, 20.0)
    moves = 60 * _MATCH_GAMES / min(_MATCH_GAMES, processors())  # of both sides, about
    # A third is for what is not thought.
    move = round(min(max(0.02, 2 / 3 * budget / moves), 0.2), 2)
    return move, move * moves, max(budget, 10.0)


def _short_match(
    file: Path, opponent: str, rules: Rules, move: float, most: float, quiet: bool
) -> dict[str, Any]:
    """Play a hand-in against an agent, with the same seconds for a move, until `most` are over.

    Returns the opponent, the seconds for a move and the counts of games.
    """
    from evolve.arena.match import Match, StoppedError  # kernels, which a check does not need
    from evolve.fitness.openings import Part, listed_openings

    a, b = (load_agent(f"{name}?time={move}") for name in (f"python:{file}", opponent))
    openings = listed_openings(_MATCH_GAMES // 2, Part.MATCH, rules, np.random.default_rng(0))
    match = Match(a, b, openings, rules, executor=Threads(min(_MATCH_GAMES, processors())))
    deadline = time.monotonic() + most
    with counting("games", _MATCH_GAMES, quiet, limit=most) as advance, suppress(StoppedError):
        match.play(advance, stop=lambda: time.monotonic() > deadline)
    ends = ("wins", "draws", "losses")
    counts = {end: getattr(match.result, end) if match.played else 0 for end in ends}
    return {"opponent": opponent, "seconds": move, "games": match.played, **counts}


def _contest_agent(source: str, seconds: float, rules: Rules | None) -> StoredAgent:
    """Load an agent with the clock of a contest; rules: None for its own, or those asked for."""
    agent = load_agent(source)
    if agent.kind and "time" in agent.settings:
        agent = load_agent(with_clock(source, seconds))
    agent = _writable(agent)
    return agent.with_rules(rules or agent.rules or _contest_rules())


@cache
def _contest_rules() -> Rules:
    """The rules where no run, agent or option tells them: a person's answer.

    A wrong guess would be a file that loses on purpose. OptionsError where nobody can be asked.
    """
    if not sys.stdin.isatty():
        raise OptionsError(f"add --rules, those of the contest; {RULES_HELP}")
    chosen = click.Choice(list(RULE_SETS))
    return click.prompt(f"Rules of the contest ({RULES_HELP})", type=chosen, err=True)


def _choose_source(rules: Rules | None) -> tuple[str, str]:
    """The newest finished run in `runs`, or the strongest agent of the package, and why that one.

    A run's champion must be one that can be handed in. rules: those that it must play by; None
    takes a run of any rules.
    """
    runs = list_all(RUNS, lambda path, error: None) if RUNS.is_dir() else []
    champions = {run.path: champion_of(run.path) for run in runs if run.form == "run"}
    dated = [(file.stat().st_mtime, path) for path, file in champions.items() if file is not None]
    for _, path in sorted(dated, reverse=True):
        with suppress(EvolveError, OSError):  # damaged, or nothing that a file can hold
            summary = summary_of(Run(path))
            if summary.state == "done" and rules in (None, summary.rules):
                _writable(load_agent(path)).python_source()
                return str(path), " (the newest finished run)"
    which = f"no finished {rules} run" if rules else "no finished run"
    return _strongest(rules or _contest_rules()), f" (there is {which} in {RUNS})"


def _strongest(rules: Rules) -> str:
    """The strongest agent of the package; the reference table where none is rated."""
    best = strongest(rules)
    return rule_set(rules).reference if best is None else best[0]
