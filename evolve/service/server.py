"""Running the service until Ctrl-C."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

import uvicorn

from evolve.errors import RunError
from evolve.service.app import make_app
from evolve.service.house import House
from evolve.service.place import Place

_BACKLOG = 2048
_GRACE = 1


class _Server(uvicorn.Server):
    """Ends streams of events with the first Ctrl-C: else it would wait for them."""

    def __init__(self, config: uvicorn.Config, house: House) -> None:
        super().__init__(config)
        self._house = house

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """See uvicorn."""
        self._house.events.close()
        super().handle_exit(sig, frame)


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

    Raises RunError where the folder or the port cannot be had.
    """
    place = Place(runs)
    place.claim()
    try:
        listening = _listen(host, port)
        house = House(place, slots, programs)
        app = make_app(house, hosts=(host, *hosts), token=token)
        config = uvicorn.Config(
            app,
            log_level="error",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=_GRACE,
            server_header=False,
            http="httptools",
            timeout_keep_alive=30,
            ws="none",
        )
        number = listening.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        ready(f"http://{shown}:{number}/")
        _Server(config, house).run(sockets=[listening])
    finally:
        place.release()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family)
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        why = error.strerror or str(error)
        raise RunError(f"cannot listen on {host} port {port}: {why}; try another --port") from error
    return listening
