"""What results show of themselves: tables by name, the champion, a picture."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.errors import AgentError, RunError
from evolve.runs.run import Run
from evolve.runs.run_types import EVOLUTIONS
from tests.cli.test_light import KEPT_RUN


def test_tables_are_names_and_tables() -> None:
    run = Run(KEPT_RUN)
    assert run.tables == tuple(table.name for table in EVOLUTIONS.tables)
    assert run.tables[0] == "generations"
    assert "games" in run.tables
    assert run.tables["games"] is run.games
    with pytest.raises(RunError, match="has no trials"):
        run.tables["trials"]


def test_a_champion_is_the_run_s_agent_file() -> None:
    champion = Run(KEPT_RUN).champion
    assert champion.choose(evolve.Board.start()) in evolve.Board.start().legal_moves()
    assert champion.name == evolve.load_agent(KEPT_RUN).name


def test_a_study_has_none(tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('command = "run"\nseeds = [0]\n')
    with pytest.raises(AgentError, match="is a study: name one of its runs"):
        _ = evolve.Study(tmp_path).champion
