"""The table of rules: light, whole, and asked wherever rules can come in."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from pydantic import ValidationError

import evolve
from evolve.agents.analysis import solved
from evolve.agents.dqn import DqnAgent
from evolve.agents.mcts import MctsAgent
from evolve.agents.reference import reference_agent
from evolve.arena.judges import Ladder
from evolve.arena.match import Match
from evolve.cli.speed import half_random
from evolve.config.evolution import EvolutionSettings
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.sweep import SweepSettings
from evolve.engine.board.bits import score_of
from evolve.engine.board.rules import NO_SCORE, RULE_SETS, Rules, check_rules, rule_set
from evolve.errors import PositionError
from evolve.fitness.openings import START_POSITION, Part, balanced_openings
from evolve.programs.external import ExternalAgent
from evolve.protocols.gtp import GtpEngine
from evolve.protocols.nboard import NBoardEngine
from evolve.records.formats import read_games
from evolve.records.record import GameRecord
from evolve.runs.loading import agree_on
from evolve.standalone.render import render
from tests import networks

BAD: Any = "misère"
SWH = evolve.AlphaBetaAgent([[1] * 10])


def test_every_rule_has_a_code_and_a_score() -> None:
    codes = [rules.code for rules in RULE_SETS.values()]
    assert len(set(codes)) == len(codes)
    assert get_args(Rules) == tuple(RULE_SETS)
    assert not [
        code for code in codes if not (-64 <= score_of(np.uint64(7), np.uint64(24), code) <= 64)
    ]
    assert score_of(np.uint64(7), np.uint64(24), 1 + max(codes)) == NO_SCORE


@pytest.mark.parametrize("rules", RULE_SETS)
def test_what_the_search_may_assume_holds(rules: str) -> None:
    table = rule_set(rules)
    full = np.random.default_rng(0).integers(2**64, size=200, dtype=np.uint64)
    scores = [score_of(own, ~own, table.code) for own in full]
    assert scores == [-score_of(~own, own, table.code) for own in full]
    assert max(map(abs, scores)) <= 64
    if table.discs:
        assert scores == [table.discs * (2 * int(own).bit_count() - 64) for own in full]


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_agents_of_the_table_are_there(rules: str) -> None:
    table = rule_set(rules)
    names = (table.greedy, table.judge, table.reference, *table.panel)
    assert not [name for name in names if evolve.load_agent(name).rules not in (None, rules)]
    assert reference_agent(table.greedy).rules in (None, rules)
    assert all(rung.agent.rules == rules for rung in Ladder(rules).rungs)


ENTRIES: dict[str, Callable[[], object]] = {
    "check_rules": lambda: check_rules(BAD),
    "score": lambda: evolve.Board(own=1, opp=0).score(BAD),
    "score before the end": lambda: evolve.Board.start().score(BAD),
    "alphabeta": lambda: evolve.AlphaBetaAgent([[1] * 10], rules=BAD),
    "random": lambda: evolve.RandomAgent(rules=BAD),
    "mcts": lambda: MctsAgent(rules=BAD),
    "dqn": lambda: DqnAgent((networks.random_network(networks.PLAIN, 1),), rules=BAD),
    "program": lambda: ExternalAgent("gtp", sys.executable, rules=BAD),
    "with_rules": lambda: evolve.RandomAgent().with_rules(BAD),
    "solve": lambda: solved(evolve.Board.start(), BAD),
    "agree_on": lambda: agree_on([SWH], BAD),
    "match": lambda: Match(SWH, evolve.RandomAgent(), START_POSITION, BAD),
    "openings": lambda: balanced_openings(1, Part.MATCH, BAD, np.random.default_rng(0)),
    "ladder": lambda: Ladder(BAD),
    "positions": lambda: half_random(1, (9, 9), BAD),
    "gtp": lambda: GtpEngine(evolve.RandomAgent(), BAD),
    "nboard": lambda: NBoardEngine(evolve.RandomAgent(), BAD, print),
    "record": lambda: GameRecord(rules=BAD),
    "records": lambda: read_games(Path("games.ggf"), BAD),
    "export": lambda: render(SWH.parameters, BAD, "", {}),
}


@pytest.mark.parametrize("entry", ENTRIES)
def test_unknown_rules_are_refused(entry: str) -> None:
    with pytest.raises(PositionError, match="misère"):
        ENTRIES[entry]()


@pytest.mark.parametrize(
    "settings", [EvolutionSettings, MctsSettings, DqnSettings, SweepSettings], ids=repr
)
def test_settings_refuse_unknown_rules(settings: Any) -> None:
    with pytest.raises(ValidationError, match="'standard'"):
        settings(rules=BAD)
