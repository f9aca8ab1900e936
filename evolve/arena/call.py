"""Make matches and ratings from their settings, and run them from Python."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from evolve.agents.agent import Agent
from evolve.agents.analysis import Solution, solved
from evolve.agents.calibration.ratings import ratings_of
from evolve.arena.match import Match, MatchResult
from evolve.arena.sprt import Sprt
from evolve.arena.tournament import Anchors, Tournament
from evolve.config.matches import GAMES, GAMES_OF_TEST, RANDOM_PLIES, MatchSettings, RateSettings
from evolve.config.toml import resolve_as
from evolve.engine.board.board import Board
from evolve.engine.board.rules import DEFAULT_RULES, Rules, rule_set
from evolve.engine.compiled.compile import require_compiling
from evolve.errors import AgentError, OptionsError
from evolve.fitness.executor import Threads, interruptible
from evolve.fitness.games import GamesDone, counted
from evolve.fitness.openings import (
    START_POSITION,
    Openings,
    Part,
    balanced_openings,
    listed_openings,
    openings_of_games,
)
from evolve.parsing import taking_settings
from evolve.runs.loading import AgreedRules, agree_on, load_agent
from evolve.runs.progress import shown

if TYPE_CHECKING:
    from evolve.arena.result_table import ResultTable  # loads pandas, which a match does not need
    from evolve.keywords import MatchKeywords, RateKeywords


@taking_settings
def match(
    a: Agent | str | Path,
    b: Agent | str | Path,
    *,
    jobs: int = 1,
    progress: GamesDone | bool | None = None,
    **settings: Unpack[MatchKeywords],
) -> MatchResult:
    """Play A against B, both colours on every opening, as `evolve match` does.

    Args:
        a, b: agents, or their names on the command line: `"runs/first"`, `"swh?depth=3"`.
        jobs: number of threads; results do not depend on it.
        progress: whether to show a line of progress, or a function that is called with the number
            of games played since the last call.
        settings: those of `evolve match --help`, such as `games=400`, `seed=2`,
            `rules="reversed"`, `openings="start"` or `sprt="0:20"`.

    Returns A's result: `.score.value` with `.score.low` and `.score.high`, `.elo` with the same
    fields, and so on. Raises AgentError if A or B is not an agent, SettingsError for invalid
    settings, and EngineError if a program cannot be used.

    >>> result = evolve.match("swh", "random", games=20)
    >>> result.wins, result.draws, result.losses
    (16, 1, 3)
    """
    names = {"a": _name(a), "b": _name(b)}
    resolved = resolve_as(MatchSettings, {}, {**settings, **names})
    game, _ = match_of((_agent(a), _agent(b)), resolved, executor=Threads(jobs))
    with games_shown(progress, 2 * len(game.openings)) as count:
        return game.play(count)


def solve(board: Board, rules: Rules = DEFAULT_RULES) -> Solution:
    """Solve a position to the end of the game, as `evolve solve` does.

    The time grows about threefold with every empty square; 20 take seconds.

    >>> board = evolve.Board.parse("OX" + "-" * 62)
    >>> evolve.solve(board, "standard")
    Solution(move=64, score=-64, nodes=3)
    """
    return interruptible(partial(solved, board, rules))


@contextmanager
def games_shown(progress: GamesDone | bool | None, total: int) -> Iterator[GamesDone]:
    """Yield what is called with the games played since the last call: the caller's, or a line's."""
    with shown(progress is True, None) as watching:
        yield progress if callable(progress) else counted(total, partial(watching.whole, "games"))


@taking_settings
def rate(
    agents: Sequence[Agent | str | Path],
    *,
    jobs: int = 1,
    progress: GamesDone | bool | None = None,
    **settings: Unpack[RateKeywords],
) -> ResultTable:
    """Rate agents by a round robin, as `evolve rate` does.

    Args:
        agents: two or more, one with `against`; each an agent or its name on the command line.
        jobs: number of threads; results do not depend on it.
        progress: whether to show a line of progress, or a function that is called with the number
            of games played since the last call.
        settings: those of `evolve rate --help`, such as `games=200`, `seed=2`,
            `rules="reversed"` or `against=["swh", "random"]` for a gauntlet.

    Returns a DataFrame with a row for each agent, the strongest first: `agent`, `elo` with
    `elo_low` and `elo_high` (Bradley-Terry, mean 0), `score`, `games`, `wins`, `draws`, `losses`,
    `failures`; NaN is no bound. Agents of `against` are rows without an interval: their Elo is
    fixed, as `evolve agents` lists it, or of games among them, with mean 0; `.words` says which,
    and how far differences do not add up. It also has `.tables` (`agents`; `cross`, the score of
    each against each; `unexplained` and `cycles`, as in `--json`), `.champion`, the strongest row,
    and `.plot()`. Raises the same errors as `match`.

    >>> evolve.rate(["random", "swh", "zero"], games=20)["agent"].tolist()
    ['swh', 'zero', 'random']
    """
    import pandas as pd

    from evolve.arena.result_table import ResultTable  # loads pandas, too

    against = settings.get("against") or ()
    against = against.split() if isinstance(against, str) else [*against]
    agents = agents.split() if isinstance(agents, str) else [*agents]
    names = {"agents": list(map(_name, agents)), "against": list(map(_name, against))}
    resolved = resolve_as(RateSettings, {}, {**settings, **names})
    players = [_agent(agent) for agent in (*against, *agents)]
    tournament, _ = tournament_of(
        players, resolved.against + resolved.agents, resolved, executor=Threads(jobs)
    )
    with games_shown(progress, tournament.games) as count:
        tournament.play(count)
    found = tournament.document
    frame = pd.DataFrame(found["agents"])
    frame = frame.astype(dict.fromkeys(("elo", "elo_low", "elo_high"), float))  # None is NaN
    cross = pd.DataFrame(found["cross"]).T.reindex(frame["agent"], columns=frame["agent"].tolist())
    left = found["unexplained"] or {"cycles": []}
    cycles = pd.DataFrame(left.pop("cycles"), columns=["agents", "scores", "p_holm"])
    tables = {
        "agents": frame,
        "cross": cross,
        "cycles": cycles,
        "unexplained": pd.DataFrame([left] if left else []),
    }
    words = "\n".join(filter(None, [tournament.scale, *found["words"]]))
    return ResultTable.of(frame, tables, players[tournament.names.index(frame["agent"][0])], words)


def match_of(
    players: tuple[Agent, Agent],
    settings: MatchSettings,
    *,
    tell: Callable[[str], None] = warnings.warn,
    **options: Any,
) -> tuple[Match, AgreedRules]:
    """Return the match of its settings, not started yet, and the rules that were agreed on.

    tell: see `_openings_for`; options: `names`, `executor` and `failed` of Match.
    """
    require_compiling()
    agreed = agree_on(players, settings.rules)
    default = GAMES if settings.sprt is None else GAMES_OF_TEST
    pairs, rng = settings.games and (settings.games + 1) // 2, np.random.default_rng(settings.seed)
    openings = _openings_for(settings, pairs, default // 2, agreed.rules, rng, tell)
    test = None
    if settings.sprt is not None:
        elo0, elo1, unit = settings.sprt
        test = Sprt(elo0, elo1, settings.alpha, settings.beta, unit)
    match = Match(
        *players,
        openings,
        agreed.rules,
        seed=settings.seed,
        sprt=test,
        grows=True,
        settings={
            "openings": _identity_of(settings.openings).split()[-1],
            "opening_plies": "all" if settings.opening_plies is None else settings.opening_plies,
        },
        **options,
    )
    return match, agreed


def tournament_of(
    players: Sequence[Agent],
    names: Sequence[str],
    settings: RateSettings,
    *,
    tell: Callable[[str], None] = warnings.warn,
    **options: Any,
) -> tuple[Tournament, AgreedRules]:
    """Return the tournament of a rating's settings, not started yet, and the agreed rules.

    players, names: those of `settings.against` first. tell: see `_openings_for`; options:
    `executor`, `folder`, `failed` and `warn` of Tournament.
    """
    require_compiling()
    agreed = agree_on(players, settings.rules)
    pairs = (settings.games + 1) // 2

    def drawn(i: int, j: int) -> Openings:
        rng = np.random.default_rng([settings.seed, i, j])
        return _openings_for(settings, pairs, pairs, agreed.rules, rng, tell)

    anchors = Anchors()
    if settings.against:
        known = [_known_elo(name, agreed.rules) for name in settings.against]
        elos = settings.elos or tuple(elo for elo in known if elo is not None)
        anchors = Anchors(len(known), elos if len(elos) == len(known) else ())
    tournament = Tournament(
        players,
        names,
        agreed.rules,
        drawn,
        seed=settings.seed,
        settings={
            "games": 2 * pairs,
            "openings": _identity_of(settings.openings),
            "opening_plies": settings.opening_plies,
        },
        anchors=anchors,
        **options,
    )
    return tournament, agreed


def _known_elo(name: str, rules: Rules) -> float | None:
    """The Elo of a rung of the ladder, or of an agent that was rated on it; None of others."""
    elo = rule_set(rules).ladder.get(name)
    rating = ratings_of(name).get(rules) if elo is None else None
    return rating.elo if rating is not None else elo


def _identity_of(source: str) -> str:
    """Return the value of `openings`; for a file, its name and a hash of its content."""
    path = Path(source)
    if source in ("balanced", "random", "start") or not path.is_file():
        return source
    return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def _openings_for(
    settings: MatchSettings | RateSettings,
    pairs: int | None,
    default: int,
    rules: Rules,
    rng: np.random.Generator,
    tell: Callable[[str], None],
) -> Openings:
    """Return `pairs` openings; without `pairs`, all openings of a file, or `default` many.

    Unreadable parts of a file are skipped and reported to `tell`. Raises OptionsError if `openings`
    is none of `balanced`, `random`, `start`, a file.
    """
    source, plies = settings.openings, settings.opening_plies
    if source == "start":
        return START_POSITION.first(pairs or default)
    if source == "balanced":
        return listed_openings(pairs or default, Part.MATCH, rules, rng)
    if source == "random":
        return balanced_openings(pairs or default, Part.MATCH, rules, rng, plies or RANDOM_PLIES)
    if not Path(source).exists():
        folder = Path(source).parent
        more = "" if folder.is_dir() else f": there is no folder {folder}"
        raise OptionsError(
            f"openings: {source!r} is neither balanced, random, start nor a file{more}"
        )
    from evolve.records.formats import read_games  # imported here: few matches use a file

    reading = read_games(source, tell=tell)
    openings = openings_of_games(reading.records, plies)
    return openings.first(pairs or len(openings))


def _agent(agent: Agent | str | Path) -> Agent:
    return load_agent(str(agent)) if isinstance(agent, str | Path) else agent


def _name(agent: Agent | str | Path) -> str:
    if not isinstance(agent, str | Path | Agent):
        raise AgentError(f"{agent!r} is neither an agent nor its name")
    return str(agent) if isinstance(agent, str | Path) else agent.name
