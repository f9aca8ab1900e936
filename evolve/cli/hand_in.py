"""Hand-ins for a contest: files of agents, a stronger agent, the test of a file, and all at once.

`evolve export`, `check` and `hand-in` share this module: a hand-in is an export by the clock, a
quick check and a short match.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

import numpy as np

from evolve.agents.agent import Agent, StoredAgent
from evolve.agents.calibration.ratings import strongest
from evolve.agents.names import parse_name, with_clock
from evolve.cli.display import print_next, reporting_compilation
from evolve.cli.terminal import (
    bar,
    counting,
    duration,
    err,
    print_error,
    print_json,
    print_note,
    print_text,
)
from evolve.config.evolution import EvolutionSettings
from evolve.config.toml import rules_of_defaults
from evolve.engine.board.rules import DEFAULT_RULES, Rules, rule_set
from evolve.errors import AgentError, EvolveError
from evolve.files.atomic import write_text
from evolve.fitness.executor import processors
from evolve.programs.examination import ALLOWED, GAMES, Finding, SoFar, examine, moves_of
from evolve.programs.external import rules_in_source
from evolve.runs.life_cycle import RUNS
from evolve.runs.loading import agree_on, load_agent, with_settings
from evolve.runs.run import Run, list_all
from evolve.runs.run_types import champion_of
from evolve.runs.summary import facts_of
from evolve.runs.time_left import TimeLeft
from evolve.terminal_text import count_of

_VERDICTS: Final = {True: "ok", False: "WRONG", None: "?"}
_MATCH_GAMES: Final = 4
_MATCH_TIMES: Final = 4.0
"""Seconds of the short match, about, in those of a move: as many as the check takes."""
_MATCH_SECONDS: Final = (10.0, 20.0)
"""The match ends after that many: at least, at most. With 5 s a move, all is under a minute."""
_MATCH_MOVE: Final = (0.02, 0.2)
"""Least and most seconds for a move in the short match."""
_MOVES: Final = 60
"""Moves of both sides in a game, about."""


def export(source: str, individual: str | None, output: Path, *, python: bool, numba: bool) -> None:
    """Write the agent of a source to a file, say how it plays, and name what is stronger."""
    agent = _loaded(source, individual)
    if not python:
        stored = agent.stored()
        stored.save(output)
        print_text(f"{agent.name} → {output}")
        print_text(
            f"it plays {stored.play}; settings of play follow its name, see evolve match --help"
        )
        return
    if not isinstance(agent, StoredAgent):
        raise AgentError(f"{agent.name} cannot be written as a Python file")
    write_text(output, agent.python_source(numba))
    print_text(f"{agent.name} → {output}")
    print_text(f"it plays {agent.play}")
    if _has_clock(agent) and agent.limit.seconds is None:
        words = [] if individual is None else ["--individual", individual]
        if numba:
            words.append("--numba")
        print_text(
            "it does not use the time of a contest; by the clock it is stronger: "
            + _by_the_clock(source, output, *words),
            whole=True,
        )
    if individual is None:
        better = _stronger_start(source, agent)
        if better is not None:
            print_text(better, whole=True)
    print_next(shlex.join(["evolve", "check", str(output)]))


def _loaded(source: str, individual: str | None) -> Agent:
    """Load the agent of a source, or an individual of that run, with the settings in its name."""
    if individual is None:
        return load_agent(source)
    from evolve.evolution.generation import individual_agent  # not above: it loads DEAP

    named = parse_name(source)
    agent = individual_agent(named.path, individual)
    return agent if named.query is None else with_settings(agent, source)


def _has_clock(agent: Agent) -> bool:
    """Whether the agent can play by the clock."""
    return "time" in agent.settings


def _by_the_clock(source: str, output: Path, *words: str) -> str:
    """The command that writes the same file again, for an agent that plays by the clock."""
    return shlex.join(
        ["evolve", "export", with_clock(source), *words, "-o", str(output), "--force"]
    )


def proposed(agent: StoredAgent, folder: Path) -> str:
    """The command that makes the hand-in of a run's champion.

    Where no Python file can hold the agent, it writes the agent file.
    """
    try:
        agent.python_source()
    except AgentError:
        ending = "npz" if agent.arrays else "json"
        return shlex.join(["evolve", "export", str(folder), "-o", f"best.{ending}"])
    return shlex.join(["evolve", "hand-in", str(folder), "-o", "agent.py"])


def _stronger_start(source: str, agent: Agent) -> str | None:
    """A line that names the strongest agent of the package, if `source` is a weaker run.

    None where `source` is no run, or its Elo on the ladder is unknown or not lower. It plays no
    game.
    """
    best = strongest(agent.rules or DEFAULT_RULES)
    named = parse_name(source)
    if best is None or named.individual is not None or not named.path.is_dir():
        return None
    run = Run(named.path)
    facts = facts_of(run)
    elo = facts.get("elo")
    if elo is None and run.config.get("panel") == "ladder":
        elo = facts.get("panel_elo")  # of the last generation's best
    name, rating = best
    if not isinstance(elo, int | float) or not elo < rating.elo:
        return None
    return (
        f"{name} is stronger, {rating.elo} Elo on the ladder against {elo:.0f} of this run: "
        + shlex.join(["evolve", "hand-in", name, "-o", "patterns.py"])
    )


def check(
    file: Path, games: int | None, allow: tuple[str, ...], as_json: bool, **options: Any
) -> int:
    """Test a Python file, and print what was tested; return the exit code.

    games: None for the usual number; options: of `examine`.
    """
    games = GAMES if games is None else games
    findings = _examined(file, games, allow, as_json, **options)
    good = _is_good(findings)
    if as_json:
        print_json({"file": str(file), "good": good, "findings": _rows(findings)})
    else:
        _print_findings(findings)
    return 0 if good else 1


def _examined(
    file: Path, games: int, allow: Sequence[str], quiet: bool, **options: Any
) -> list[Finding]:
    """Test a Python file, and show how far that is unless `quiet`; options: of `examine`."""
    agreed = agree_on([], rules_in_source(file))
    with _progress_of(file, str(agreed), games, options["seconds"], quiet) as progress:
        return examine(file, **options, games=games, allowed=(*ALLOWED, *allow), progress=progress)


def _is_good(findings: Sequence[Finding]) -> bool:
    return all(one.good is not False for one in findings)


def _rows(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [{"name": one.name, "good": one.good, "text": one.text} for one in findings]


def _print_findings(findings: Sequence[Finding]) -> None:
    for one in findings:
        print_text(f"{one.name:<8} {_VERDICTS[one.good]:<6} {one.text}")


@contextmanager
def _progress_of(
    file: Path, rules: str, games: int, seconds: float, quiet: bool
) -> Iterator[Callable[[SoFar], None] | None]:
    """Say how long the check will take, and then how far it is, on standard error.

    Progress is a bar on a terminal, a line a game elsewhere.
    """
    if quiet:
        yield None
        return
    moves = moves_of(games)
    what = f"{count_of(games, 'game')}, some {moves} moves" if games else f"{moves} positions"
    shorter = f"; --quick takes some {duration(moves_of(0) * seconds)}" if games else ""
    print_error(
        f"{file}, {rules}: {what} of {seconds:g} s at most: {duration(moves * seconds)} if it uses "
        f"all its time{shorter}"
    )
    if err().is_terminal:
        with bar() as bars:
            task = bars.add_task("starting", total=moves)

            def move(now: SoFar) -> None:
                about = f"slowest {now.slowest:.2f} s"
                bars.update(task, description=about, completed=now.asked, total=now.about)

            yield move
        return
    before: list[SoFar] = []
    remaining = TimeLeft(done=0.0)

    def line(now: SoFar) -> None:
        remaining.reach(now.asked / now.about)
        if before and now.game > before[0].game:
            last = before[0]
            print_error(
                f"game {last.game + 1} of {games}: slowest move {last.slowest:.2f} s, about "
                f"{duration(remaining.left or 0.0)} left"
            )
        before[:] = [now]

    yield line


def hand_in(
    source: str | None,
    output: Path,
    *,
    seconds: float,
    megabytes: int,
    rules: Rules | None,
    numba: bool,
    as_json: bool,
) -> int:
    """Write the file to hand in, check it, and let it play a short match; return the exit code.

    source: None takes the newest finished run, or the strongest agent of the package. seconds,
    megabytes: what the contest allows for a move. rules: None for the agent's own.
    """
    source, why = (source, "") if source is not None else _found(rules)
    agent = _to_hand_in(source, seconds, rules)
    text, played = agent.python_source(numba), agent.rules or DEFAULT_RULES
    if not as_json:
        print_text(f"{source}{why} · {played} · {seconds:g} s a move")
        better = _stronger_start(source, agent)
        if better is not None:
            print_text(better, whole=True)
    write_text(output, text)
    findings = _examined(output, 0, (), as_json, seconds=seconds, megabytes=megabytes)
    good = _is_good(findings)
    if not as_json:
        _print_findings(findings)
    match = _short_match(output, source, played, seconds, as_json) if good else None
    if as_json:
        print_json(
            {
                "file": str(output),
                "agent": source,
                "rules": played,
                "seconds": seconds,
                "good": good,
                "findings": _rows(findings),
                "match": match,
            }
        )
        return 0 if good else 1
    if match is None:
        wrong = ", ".join(one.name for one in findings if one.good is False)
        print_text(f"do not hand in {output}: {wrong} wrong")
    else:
        print_text(
            f"{_points(match)} against {match['opponent']}, {match['seconds']:g} s a move for both"
        )
        print_text(f"hand in {output}: {source}, {agent.play}")
    return 0 if good else 1


def _points(match: Mapping[str, Any]) -> str:
    points, games = match["wins"] + 0.5 * match["draws"], match["games"]
    return f"{points:g} of {count_of(games, 'point')}" if games else "no whole game in time"


def _to_hand_in(source: str, seconds: float, rules: Rules | None) -> StoredAgent:
    """Load an agent with the clock of a contest, by the rules that are asked for."""
    agent = load_agent(source)
    if isinstance(agent, StoredAgent) and _has_clock(agent):
        agent = load_agent(with_clock(source, seconds))
    if not isinstance(agent, StoredAgent):
        raise AgentError(f"{agent.name} cannot be written as a Python file")
    if rules is not None:
        agent = agent.with_rules(rules)
    elif agent.rules is None:
        agent = agent.with_rules(_usual_rules())
    return agent


def _usual_rules() -> Rules:
    """The rules of `evolve run` here."""
    return cast(
        "Rules", rules_of_defaults().get("rules", EvolutionSettings.model_fields["rules"].default)
    )


def _found(rules: Rules | None) -> tuple[str, str]:
    """The newest finished run in `runs`, or the strongest agent of the package, and why that one.

    rules: those that it must play by; None takes a run of any rules.
    """
    newest = _newest_run(rules)
    if newest is not None:
        return str(newest), " (the newest finished run)"
    which = f"no finished {rules} run" if rules else "no finished run"
    return _strongest(rules or _usual_rules()), f" (there is {which} in {RUNS})"


def _strongest(rules: Rules) -> str:
    """The strongest agent of the package; the reference table where none is rated."""
    best = strongest(rules)
    return rule_set(rules).reference if best is None else best[0]


def _newest_run(rules: Rules | None) -> Path | None:
    """The finished run in `runs` whose champion is the newest and can be handed in."""
    runs = list_all(RUNS, lambda path, error: None) if RUNS.is_dir() else []
    champions = {run.path: champion_of(run.path) for run in runs if isinstance(run, Run)}
    dated = [(file.stat().st_mtime, path) for path, file in champions.items() if file is not None]
    for _, path in sorted(dated, reverse=True):
        try:
            facts = facts_of(Run(path))
            if facts["state"] != "done" or rules not in (None, facts["rules"]):
                continue
            agent = load_agent(path)
            if isinstance(agent, StoredAgent):
                agent.python_source()
                return path
        except (EvolveError, OSError):  # damaged, or nothing that a file can hold: the next one
            continue
    return None


def _short_match(
    file: Path, source: str, rules: Rules, seconds: float, quiet: bool
) -> dict[str, Any]:
    """Let a hand-in play the strongest reference agent, or the next one where it is that itself.

    Both have the same seconds for a move, few of them. It ends after so many games, or seconds.
    """
    from evolve.arena.match import Match, StoppedError  # kernels, which the check does not need
    from evolve.fitness.executor import Threads
    from evolve.fitness.openings import Part, listed_openings

    best = _strongest(rules)
    opponent = f"champion-{rules}" if parse_name(source).base == best else best
    jobs = min(_MATCH_GAMES, processors())
    budget = min(_MATCH_TIMES * seconds, _MATCH_SECONDS[1])
    least, most = _MATCH_MOVE
    usual = 2 / 3 * budget * jobs / (_MATCH_GAMES * _MOVES)  # a third is for what is not thought
    move = round(min(max(least, usual), most), 2)
    players = load_agent(f"python:{file}?time={move}"), load_agent(f"{opponent}?time={move}")
    openings = listed_openings(_MATCH_GAMES // 2, Part.MATCH, rules, np.random.default_rng(0))
    match = Match(*players, openings, rules, executor=Threads(jobs))
    if not quiet:
        print_error(f"{_MATCH_GAMES} games against {opponent}, {move:g} s a move")
    deadline = time.monotonic() + max(budget, _MATCH_SECONDS[0])
    with (
        counting("games", _MATCH_GAMES, quiet=quiet) as advance,
        reporting_compilation(print_note),
        suppress(StoppedError),
    ):
        match.play(advance, stop=lambda: time.monotonic() > deadline)
    result = match.result if match.played else None
    ends = ("wins", "draws", "losses")
    counts = {name: getattr(result, name) if result else 0 for name in ends}
    return {"opponent": opponent, "seconds": move, "games": match.played, **counts}
