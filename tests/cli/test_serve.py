"""`evolve serve`: its folder, its port, and the token that lets its user in."""

from __future__ import annotations

import os
import re
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from evolve.cli.serve import _token_file, _user_token
from evolve.service.server import _listen
from tests import forks
from tests.cli import fails
from tests.service import Service, until


def test_where_it_cannot_serve(tmp_path: Path) -> None:
    assert "nonesuch.invalid" in fails("serve", tmp_path, "--host", "nonesuch.invalid")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs/.service").symlink_to(tmp_path)
    assert "link" in fails("serve", tmp_path / "runs")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0,
    reason="root may write everywhere, and Windows has no such modes",
)
def test_a_folder_that_is_read_only(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir(mode=0o555)
    assert "jobs" in fails("serve", tmp_path / "runs")


def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        one.listen()
        assert "--port" in fails("serve", tmp_path, "--port", one.getsockname()[1])


def test_without_port_it_takes_the_next_that_is_free() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with _listen("127.0.0.1", [taken.getsockname()[1], 0]) as found:
            assert found.getsockname()[1] not in (0, taken.getsockname()[1])
            assert found.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY), "no answer waits 40 ms"


def test_the_secret_is_kept_for_its_user() -> None:
    token = _user_token()
    assert _user_token() == token
    assert len(token) >= 32
    if os.name == "posix":
        assert stat.S_IMODE(_token_file().stat().st_mode) == 0o600
        _token_file().chmod(0o640)
        assert _user_token() != token, "others could have read it"
        assert stat.S_IMODE(_token_file().stat().st_mode) == 0o600
    _token_file().write_text("short")
    assert len(_user_token()) >= 32


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_data_folder_that_others_can_change_keeps_no_secret(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data").chmod(0o777)
    with pytest.raises(PermissionError, match="data"):
        _user_token()


def started(tmp_path: Path, *options: str, **variables: str) -> tuple[Any, Path]:
    """`evolve serve` as a user starts it, and its log."""
    (tmp_path / "runs").mkdir(exist_ok=True)
    log = tmp_path / f"log-{len(list(tmp_path.iterdir()))}"
    environment = {**os.environ, "EVOLVE_DATA_DIR": str(tmp_path / "data"), **variables}
    words = [*forks.PROGRAM, "serve", str(tmp_path / "runs"), "--port", "0", *options]
    with log.open("wb") as sink:
        process = forks.start(words, stdout=sink, stderr=sink, env=environment)
    until(lambda: "Ctrl-C ends it" in log.read_text())
    return process, log


def ended(process: Any) -> None:
    process.terminate()
    process.wait(60)


def test_restarts_print_the_same_token_and_open_shows_it_to_the_browser(tmp_path: Path) -> None:
    process, before = started(tmp_path)
    ended(process)
    """The words of its command can be seen by every account."""
    seen = tmp_path / "seen"
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf %s "$*" > {seen}.part && mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    process, log = started(tmp_path, "--open", BROWSER=f"{browser} %s")
    try:
        until(seen.exists)
        words = seen.read_text()
        token, said = (tmp_path / "data/token").read_text().strip(), before.read_text()
        assert re.findall(r"http://127\.0\.0\.1:\d+/\?token=(\S+)", said) == [token]
        assert str(tmp_path / "data/token") in said
        assert token not in words
        page = Path(re.sub("^file://", "", words))
        if os.name == "posix":
            assert stat.S_IMODE(page.stat().st_mode) == 0o600
        (address,) = re.findall(r"http://\S+/\?token=\S+", log.read_text())
        assert address.endswith(f"={token}")
        assert f"url={address}" in page.read_text()
    finally:
        ended(process)
    assert not page.exists()


def test_without_a_token_it_says_what_that_means(tmp_path: Path) -> None:
    with Service(tmp_path / "runs", token=None).start() as service:
        service.get("runs")
        assert "securitySchemes" not in service.get("openapi.json")["components"]
        text = service.log.read_text()
        assert "token=" not in text
