"""Runs the service until Ctrl-C."""

from __future__ import annotations

import asyncio
import errno
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from evolve.errors import RunError
from evolve.service.app import make_app
from evolve.service.folders import Place
from evolve.service.request_guard import EVERYWHERE
from evolve.service.request_limits import Connection
from evolve.service.state import ServiceState

_BACKLOG = 2048
_GRACE = 1
_NONE_LEFT = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_QUIET = 60.0
"""Seconds between two lines that report these errors."""


class _Server(uvicorn.Server):
    """Ends streams of events at the first Ctrl-C: otherwise it would wait for them."""

    def __init__(self, config: uvicorn.Config, service: ServiceState) -> None:
        super().__init__(config)
        self._service = service
        self._loop: asyncio.AbstractEventLoop | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """See uvicorn; also ends the streams of events.

        A signal may come within any line, even as a stream begins to wait. Ending the stream right
        there, instead of between two steps of the loop, would leave it waiting.
        """
        super().handle_exit(sig, frame)
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._service.events.close)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self._loop = asyncio.get_running_loop()
        self._loop.set_exception_handler(_NoHandles())
        await super().startup(sockets)


class _NoHandles:
    """Reports now and then, in one line, that no handles are left for connections.

    asyncio reports each of thousands of attempts, with a traceback.
    """

    def __init__(self) -> None:
        self._next = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in _NONE_LEFT:
            loop.default_exception_handler(context)
        elif loop.time() >= self._next:
            self._next = loop.time() + _QUIET
            print(f"no connection can be taken: {error.strerror}", file=sys.stderr, flush=True)


def serve(
    runs: Path,
    *,
    host: str,
    port: int,
    slots: int,
    hosts: Sequence[str],
    token: str | None,
    programs: Sequence[str],
    ready: Callable[[str], None],
) -> None:
    """Serve a folder of runs; `ready` is called with the address once it answers.

    Raises RunError where the folder or the port is not available.
    """
    place = Place(runs)
    place.claim()
    try:
        listening = _listen(host, port)
        service = ServiceState(place, slots, programs)
        app = make_app(service, hosts=(host, *hosts), token=token)
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=_GRACE,
            server_header=False,
            http=Connection,
            timeout_keep_alive=30,
            ws="none",
        )
        number = listening.getsockname()[1]
        named = socket.gethostname() if host in EVERYWHERE else host
        shown = f"[{named}]" if ":" in named else named
        ready(f"http://{shown}:{number}/")
        _Server(config, service).run(sockets=[listening])
    finally:
        place.release()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with ExitStack() as stack:
            listening = stack.enter_context(socket.socket(family))
            if sys.platform != "win32":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
            listening.listen(_BACKLOG)
            stack.pop_all()
    except socket.gaierror as error:
        raise RunError(f"--host {host}: {error.strerror}") from error
    except OSError as error:
        why = error.strerror or str(error)
        raise RunError(f"cannot listen on {host} port {port}: {why}; try another --port") from error
    return listening
