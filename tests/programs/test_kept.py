"""Programs that stay with a worker from task to task, and end with what they are for."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from contextlib import nullcontext, suppress
from itertools import count
from pathlib import Path
from typing import Any

import psutil
import pytest

import evolve
from evolve.arena.match import Match
from evolve.errors import AgentError, ClusterError, EngineError
from evolve.fitness.openings import START_POSITION
from evolve.programs import kept
from evolve.programs.external import ExternalAgent
from evolve.programs.kept import Answers, Caller, end_programs, kept_program, working_for
from tests.programs.test_external import ENGINE, agent
from tests.waits import until

_NAMES = count()


def children() -> list[psutil.Process]:
    """The programs that run, without their guards."""
    found = []
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if str(ENGINE) in process.cmdline() and "guard.py" not in " ".join(process.cmdline()):
                found.append(process)
    return found


@pytest.fixture
def caller() -> Iterator[Caller]:
    one = Caller(f"one {next(_NAMES)}")
    yield one
    end_programs(one.name)
    until(lambda: not children())


def played_by(player: ExternalAgent, caller: Caller) -> psutil.Process:
    """The process that plays a task of the caller."""
    before = {process.pid for process in children()}
    with working_for(caller), kept_program(player) as live:
        live.choose(evolve.Board.start())
        new = [process for process in children() if process.pid not in before]
        return new[0] if new else children()[0]


def test_a_program_plays_one_task_after_another_of_a_client(caller: Caller) -> None:
    first = played_by(agent("gtp"), caller)
    assert played_by(pickle.loads(pickle.dumps(agent("gtp"))), caller) == first
    assert caller.keeps
    assert played_by(agent("gtp", "lower"), caller) != first, "another command"
    other = played_by(agent("gtp"), Caller("other"))
    assert other != first
    end_programs("other")
    until(lambda: not other.is_running())
    assert first.is_running()


def test_two_tasks_at_a_time_have_a_program_each(caller: Caller) -> None:
    with working_for(caller), kept_program(agent("gtp")) as one, kept_program(agent("gtp")) as two:
        assert one is not two


def test_without_a_client_the_agent_itself_plays() -> None:
    player = agent("gtp")
    with kept_program(player) as live:
        assert live is player
    player.close()


def test_an_idle_program_ends(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "_IDLE", 0.2)
    process = played_by(agent("gtp"), caller)
    until(lambda: not process.is_running())


def test_the_client_goes_while_a_program_thinks(caller: Caller) -> None:
    gone: list[bool] = []
    leaving = Caller("leaving", lambda: bool(gone))
    with working_for(leaving), kept_program(agent("gtp", "hang")) as live:
        board = evolve.Board.start()
        for _ in range(2):
            live.choose(board)
        gone.append(True)
        with pytest.raises(EngineError):
            live.choose(board)
        assert kept.unwanted()
    assert not children()


@pytest.mark.parametrize("answers", [None, Answers("", None)])
def test_a_program_that_does_not_start_is_not_tried_again(
    caller: Caller, answers: Answers | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = EngineError if answers is None else ClusterError
    deaf = agent("gtp", "deaf")
    with working_for(caller):
        with pytest.raises(kind, match="book") as first, kept_program(deaf, answers):
            raise AssertionError
        monkeypatch.setattr(ExternalAgent, "_make", None)
        with pytest.raises(kind) as again, kept_program(agent("gtp", "deaf"), answers):
            raise AssertionError
    assert str(again.value) == str(first.value)


def test_matches_of_a_task_start_each_program_once(caller: Caller) -> None:
    with working_for(caller):
        for _ in range(2):
            Match(agent("gtp"), agent("nboard"), START_POSITION, "standard").play()
    assert len(children()) == 2


@pytest.mark.parametrize(
    ("answers", "differs"),
    [(Answers("", None), False), (Answers("me 2", None), True), (Answers("", "a1 a2 a3"), True)],
)
def test_programs_answer_as_at_the_client(caller: Caller, answers: Answers, differs: bool) -> None:
    refused = pytest.raises(ClusterError) if differs else nullcontext()
    with refused, working_for(caller), kept_program(agent("gtp"), answers):
        pass
    assert bool(children()) != differs


def test_what_a_program_answers() -> None:
    for player in (agent("gtp"), agent("nboard", "rules:standard")):
        answers = Answers.of(player)
        player.close()
        answers.check(player)
        player.close()
    assert answers.name == "me"
    assert answers.moves is not None
    assert Answers.of(agent("gtp", settings="?time=5")).moves is None


def test_a_file_is_known_by_its_content(tmp_path: Path) -> None:
    file, names = tmp_path / "player.py", set()
    for end in ("", "# another\n"):
        file.write_text(f"class P:\n    def choose(self, board): return 19\n{end}")
        player: Any = evolve.load_agent(f"python:{file}:P")
        names.add(player.told_name())
    assert len(names) == 2


def test_an_agent_arrives_whole_and_only_where_its_program_is(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    player = evolve.load_agent(f"gtp:{program}?clock=60+1&margin=2").with_rules("reversed")
    sent = pickle.dumps(player.for_game(3))
    assert pickle.loads(sent) == player
    assert pickle.loads(sent).name == player.name
    program.unlink()
    with pytest.raises(AgentError, match="program"):
        pickle.loads(sent)
