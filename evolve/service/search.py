"""The server's end of its searcher: one question at a time, within a limit of time."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

from evolve.programs.life import Life
from evolve.service.problems import ProblemError

_LIMIT: Final = 20.0
"""Seconds for an answer; then the process is ended, whatever it does."""
_START: Final = 120.0
"""The same where it has just been started: kernels may have to be compiled."""
_LINE: Final = 64 << 20
_IDLE: Final = 600.0
"""Seconds without a question after which the process ends: it holds 200 MB and more."""
_NONE: Final[Mapping[str, str]] = {}


class Search:
    """Questions to the process that has the engine. It is started when it is needed.

    It ends with this process, also in the middle of a question.
    """

    def __init__(self) -> None:
        self._life: Life | None = None
        self._child: asyncio.subprocess.Process | None = None
        self._turn = asyncio.Lock()
        self._idle: asyncio.TimerHandle | None = None

    async def ask(self, do: str, places: Mapping[str, str] = _NONE, **question: Any) -> Any:
        """The answer; ProblemError where there is none, 504 where it takes too long.

        places: pointers to what is to blame in the client's document, by the error's class.
        """
        # A client that leaves must not leave an answer for the next one to take for its own.
        asked = self._ask({"do": do, **question}, places)
        return await asyncio.shield(asyncio.ensure_future(asked))

    async def _ask(self, question: dict[str, Any], places: Mapping[str, str]) -> Any:
        async with self._turn:
            if self._idle is not None:
                self._idle.cancel()
            limit = _LIMIT
            if self._child is None or self._child.returncode is not None:
                self._child, limit = await self._started(), _START
            try:
                answer = await asyncio.wait_for(self._exchange(question), limit)
            except TimeoutError:
                await self.close()
                raise ProblemError(504, f"it took more than {limit:.0f} seconds") from None
            except (OSError, ValueError, EOFError) as error:
                await self.close()
                raise ProblemError(500, f"the searches have ended: {error}") from error
            self._idle = asyncio.get_running_loop().call_later(_IDLE, self._end)
        if "error" in answer:
            text, place = str(answer["error"]).splitlines()[0], places.get(answer["kind"])
            raise ProblemError(422, text, () if place is None else [(place, text)])
        return answer["ok"]

    async def close(self) -> None:
        """End the process."""
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
                "evolve.service.searcher",
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
