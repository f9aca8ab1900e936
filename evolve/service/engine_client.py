"""The server's end of its searchers: a question at a time to each, within a limit of time."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from typing import Any, Final

from evolve.programs.life import Life
from evolve.service.problems import ProblemError
from evolve.service.turns import Turns

_LIMIT: Final = 20.0
"""Seconds for an answer; then the process is ended, whatever it does."""
_START: Final = 120.0
"""The same for its start alone: kernels may have to be compiled."""
_LINE: Final = 64 << 20
_IDLE: Final = 600.0
"""Seconds without a question after which a process ends: it holds 200 MB and more."""
_SEARCHES: Final = ("evaluate", "play", "check_file")
"""What lets an agent think, which may take all of the time; all else reads."""
_SEARCHERS: Final = 2
"""Processes for these. With one, a client's second long question would be a second wait of all
others; a third would take another 200 MB, and a core from jobs."""
_NONE: Final[Mapping[str, str]] = {}


class Search:
    """Questions to the processes that have the engine: one that reads, and others that search.

    Reading never waits behind a search, and a client never behind more than one search of another.
    A process is started when it is needed, and ends with this one, also in the middle of a
    question.
    """

    def __init__(self) -> None:
        self._reading = Turns(1, each=32, most=256, after=1)
        self._reader = _Worker(searches=False)
        self._searching = Turns(_SEARCHERS, each=1, most=8, after=_LIMIT)
        self._searchers = [_Worker(searches=True) for _ in range(_SEARCHERS)]

    async def ask(self, do: str, places: Mapping[str, str] = _NONE, **question: Any) -> Any:
        """The answer; ProblemError where there is none, 504 where it takes too long, 429 or 503
        where it would have to wait too long.

        places: pointers to what is to blame in the client's document, by the error's class.
        """
        answer = await self._ask({"do": do, **question})
        if "error" in answer:
            text, place = str(answer["error"]).splitlines()[0], places.get(answer["kind"])
            raise ProblemError(422, text, () if place is None else [(place, text)])
        return answer["ok"]

    async def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        async with AsyncExitStack() as stack:
            if question["do"] in _SEARCHES:
                place = await stack.enter_async_context(self._searching.turn("a search"))
                worker = self._searchers[place]
            else:
                await stack.enter_async_context(self._reading.turn("what is read"))
                worker = self._reader
            held = stack.pop_all()

        async def asked() -> dict[str, Any]:
            async with held:
                return await worker.ask(question)

        # A client that leaves must not leave an answer for the next one to take for its own.
        return await asyncio.shield(asyncio.ensure_future(asked()))

    async def close(self) -> None:
        """End the processes."""
        for worker in (self._reader, *self._searchers):
            await worker.close()


class _Worker:
    """A process that answers one question at a time."""

    def __init__(self, *, searches: bool) -> None:
        self._searches = searches
        self._life: Life | None = None
        self._child: asyncio.subprocess.Process | None = None
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, question: dict[str, Any]) -> dict[str, Any]:
        """Its answer, `ok` or `error`."""
        if self._idle is not None:
            self._idle.cancel()
        if self._child is None or self._child.returncode is not None:
            self._child = await self._started()
            await self._answer({"do": "ready", "searches": self._searches}, _START)
        answer = await self._answer(question, _LIMIT)
        self._idle = asyncio.get_running_loop().call_later(_IDLE, self._end)
        return answer

    async def _answer(self, question: dict[str, Any], limit: float) -> dict[str, Any]:
        try:
            return await asyncio.wait_for(self._exchange(question), limit)
        except TimeoutError:
            await self.close()
            raise ProblemError(504, f"it took more than {limit:.0f} seconds") from None
        except (OSError, ValueError, EOFError) as error:
            await self.close()
            raise ProblemError(500, f"the searches have ended: {error}") from error

    async def close(self) -> None:
        """End it."""
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
        self._end()  # of one that has ended by itself, its pipe is left
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
                start_new_session=True,  # Ctrl-C is for the server, which ends it
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
            raise EOFError("their process is gone")
        answer: dict[str, Any] = json.loads(line)
        return answer
