"""The server's side of the engine processes: one question at a time to each, in limited time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import anyio.to_process
from anyio import BrokenWorkerProcess, CapacityLimiter, fail_after

from evolve.extras import call
from evolve.service.responses import ProblemError, lent

_LIMIT: Final = 20.0
"""Seconds for an answer; after that the process is killed."""
_START: Final = 120.0
"""Seconds for the first start of a process that searches: kernels may have to be compiled."""
_SEARCHES: Final = ("evaluate", "play", "check_file")
"""Operations that may take the whole time, since an agent thinks; all others only read."""
_SEARCHERS: Final = 2
"""Number of processes for searches.
With one, all other clients would also wait for a client's second long question. A third would take
another 200 MB, and a core from jobs."""


class Search:
    """Asks the engine processes: one that reads, others that search.

    So reading never waits for a search. A process starts when it is first needed. It ends with this
    one, even in the middle of a question.
    """

    def __init__(self) -> None:
        self._reading, self._searching = CapacityLimiter(1), CapacityLimiter(_SEARCHERS)
        self._processes = CapacityLimiter(1 + _SEARCHERS)
        self._compiled = False

    async def ask(self, do: str, places: Mapping[str, str] | None = None, **question: Any) -> Any:
        """The answer to a question.

        places: pointers to the wrong part of the client's document, by the error's class.

        Raises ProblemError: 422 with the error of the engine process, 500 where that process ends,
        504 where it takes too long, 503 where too many questions wait.
        """
        pool, waiting, retry = self._reading, 256, 1.0
        if do in _SEARCHES:
            pool, waiting, retry = self._searching, 16, _LIMIT
        async with lent(pool, "an answer of an agent", waiting, retry):
            if do in _SEARCHES and not self._compiled:
                await self._answer("ready", {}, _START)
                self._compiled = True
            answer = await self._answer(do, question, _LIMIT)
        if "error" in answer:
            text, where = str(answer["error"]).splitlines()[0], (places or {}).get(answer["kind"])
            raise ProblemError(422, text, () if where is None else [(where, text)])
        return answer["ok"]

    async def _answer(self, do: str, question: Mapping[str, Any], limit: float) -> dict[str, Any]:
        """The answer of a process, `ok` or `error`; it is killed where that takes too long."""
        work = partial(call, "evolve.service.engine_worker:answer", do, question)
        try:
            with fail_after(limit):
                answer: dict[str, Any] = await anyio.to_process.run_sync(
                    work, cancellable=True, limiter=self._processes
                )
        except TimeoutError:
            raise ProblemError(504, f"it took more than {limit:.0f} seconds") from None
        except BrokenWorkerProcess as error:
            raise ProblemError(500, "the search failed: its process has ended") from error
        return answer
