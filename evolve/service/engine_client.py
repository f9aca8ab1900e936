"""The server's side of the engine processes: one question at a time to each, in limited time."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, cast

from evolve.programs.children import Life
from evolve.service.responses import Pool, ProblemError

_LIMIT: Final = 20.0
"""Seconds for an answer; after that the process is killed."""
_START: Final = 120.0
"""Seconds for the start of a process alone: kernels may have to be compiled."""
_LINE: Final = 64 << 20
_IDLE: Final = 600.0
"""Seconds without a question after which a process ends: it takes 200 MB and more."""
_SEARCHES: Final = ("evaluate", "play", "check_file", "cost")
"""Operations that may take the whole time, since an agent thinks; all others only read."""
_SEARCHERS: Final = 2
"""Number of processes for searches.
With one, all other clients would also wait for a client's second long question. A third would take
another 200 MB, and a core from jobs."""
_NONE: Final[Mapping[str, str]] = {}


class Search:
    """Asks the engine processes: one that reads, others that search.

    So reading never waits for a search. A process starts when it is first needed. It ends with this
    one, even in the middle of a question.
    """

    def __init__(self) -> None:
        self._workers = [_Worker(), *(_Worker(searches=True) for _ in range(_SEARCHERS))]
        self._reading = Pool(self._workers[:1], waiting=256, retry=1)
        self._searching = Pool(self._workers[1:], waiting=16, retry=_LIMIT)

    async def ask(self, do: str, places: Mapping[str, str] = _NONE, **question: Any) -> Any:
        """The answer to a question.

        places: pointers to the wrong part of the client's document, by the error's class.

        Raises ProblemError: 422 with the error of the engine process, 500 where that process ends,
        504 where it takes too long, 503 where too many questions wait.
        """
        pool = self._searching if do in _SEARCHES else self._reading
        async with pool.lend("an answer of an agent") as worker:
            answer = await worker.ask({"do": do, **question})
        if "error" in answer:
            text, where = str(answer["error"]).splitlines()[0], places.get(answer["kind"])
            raise ProblemError(422, text, () if where is None else [(where, text)])
        return answer["ok"]

    async def close(self) -> None:
        """End the processes."""
        for worker in self._workers:
            await worker.close()


class _Worker:
    """A process that answers one question at a time."""

    def __init__(self, *, searches: bool = False) -> None:
        self._searches = searches
        self._life: Life | None = None
        self._child: asyncio.subprocess.Process | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Its answer, `ok` or `error`."""
        if self._idle is not None:
            self._idle.cancel()
        try:
            if self._child is None or self._child.returncode is not None:
                self._child = await self._started()
                await self._answer({"do": "ready", "searches": self._searches}, _START)
            answer = await self._answer(question, _LIMIT)
        except BaseException:  # the next question must not get the answer to this one
            await self.close()
            raise
        self._idle = asyncio.get_running_loop().call_later(_IDLE, self._end)
        return answer

    async def _answer(self, question: dict[str, Any], limit: float) -> dict[str, Any]:
        try:
            return await asyncio.wait_for(self._exchange(question), limit)
        except TimeoutError:
            raise ProblemError(504, f"it took more than {limit:.0f} seconds") from None
        except (OSError, ValueError, EOFError) as error:
            raise ProblemError(500, f"the search failed: {error}") from error

    async def close(self) -> None:
        """Kill the process, and wait until it has ended."""
        if self._idle is not None:
            self._idle.cancel()
        self._end()
        if self._child is not None:
            await self._child.wait()
        self._child = None

    def _end(self) -> None:
        if self._child is not None and self._child.returncode is None:
            with suppress(ProcessLookupError):
                self._child.kill()
        if self._life is not None:
            self._life.end()
            self._life = None

    async def _started(self) -> asyncio.subprocess.Process:
        self._end()  # a process that ended by itself leaves its pipe
        life = self._life = Life()
        try:
            return await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "evolve.service.engine_worker",
                *map(str, life.pipes),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                limit=_LINE,
                pass_fds=life.pipes,
                start_new_session=True,  # Ctrl-C goes to the server, which ends it
            )
        finally:
            life.leave()

    async def _exchange(self, question: dict[str, Any]) -> dict[str, Any]:
        child = self._child
        assert child is not None
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(json.dumps(question).encode() + b"\n")
        await child.stdin.drain()
        line = await child.stdout.readline()
        if not line:
            raise EOFError("its process has ended")
        return cast("dict[str, Any]", json.loads(line))
