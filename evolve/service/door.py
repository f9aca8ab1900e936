"""The token that lets clients in: kept for its user, sent once by each browser for a cookie.

Every account on this machine reaches 127.0.0.1, so an address does not prove who asks. A token is
therefore always required, unless the service is explicitly started without one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Final

from evolve.engine.compiled.private import check_private, private_folder
from evolve.files.atomic import write_bytes
from evolve.runs.trust import data_folder

SHORTEST: Final = 16
"""Least characters of a token: 96 bits where they are drawn from the 64 of base64."""
TOKEN: Final = re.compile(rf"[A-Za-z0-9._~+/=-]{{{SHORTEST},200}}")
COOKIE_DAYS: Final = 90
_FILE: Final = "token"
_OTHERS: Final = 0o077
"""The part of a file's mode that is about other users."""
_SCRIPT: Final = "script"


def token_file() -> Path:
    """The file of a user's token."""
    return data_folder() / _FILE


def user_token() -> str:
    """This user's token; a new one where there is none, or where others could have read it.

    It stays the same, so that a browser that was let in once still is after a restart. Raises
    OSError where it cannot be saved, or where others could replace it.
    """
    place = private_folder(token_file().parent) / _FILE
    if place.exists():
        check_private(place)
        text = place.read_text(encoding="ascii", errors="replace").strip()
        if not place.stat().st_mode & _OTHERS and TOKEN.fullmatch(text):
            return text
    text = new_token()
    write_bytes(place, text.encode() + b"\n", private=True)
    return text


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(24)


class Door:
    """Lets in clients that send the token, as a header or as the cookie that they got for it.

    The cookie's name depends on the token, because browsers send a host's cookies to every port of
    it: services with different tokens must not overwrite each other's. Its value proves the token
    without containing it. The value begins with the browser's own number, by which `Turns` tells
    clients apart.
    """

    def __init__(self, token: str | None) -> None:
        self._token = None if token is None else token.encode()
        digest = hashlib.sha256(b"cookie name\n" + (self._token or b"")).hexdigest()
        self.cookie_name = f"evolve-{digest[:8]}"

    @property
    def is_open(self) -> bool:
        """Whether everyone is let in."""
        return self._token is None

    def fits(self, token: str) -> bool:
        """Whether `token` is the right one."""
        return self._token is not None and hmac.compare_digest(token.encode(), self._token)

    def new_cookie(self) -> str:
        """The value of a cookie for a browser that has sent the token."""
        browser = secrets.token_hex(8)
        return f"{browser}.{self._proof(browser)}"

    def who(self, headers: Mapping[bytes, Sequence[str]]) -> str | None:
        """The client that sent a request: a browser's own number, or one name for all scripts.

        None where the request is not let in.
        """
        for value in headers.get(b"authorization", ()):
            scheme, _, token = value.strip().partition(" ")
            if scheme.lower() == "bearer" and self.fits(token.strip()):
                return _SCRIPT
        for value in headers.get(b"cookie", ()):
            try:
                cookie = SimpleCookie(value).get(self.cookie_name)
            except CookieError:
                continue
            browser, _, proof = ("" if cookie is None else cookie.value).partition(".")
            if self._token and hmac.compare_digest(proof.encode(), self._proof(browser).encode()):
                return browser
        return _SCRIPT if self.is_open else None

    def _proof(self, browser: str) -> str:
        return hmac.new(self._token or b"", f"browser {browser}".encode(), "sha256").hexdigest()
