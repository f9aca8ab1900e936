"""The token that lets clients in: kept for its user, sent once by each browser, then its cookie.

Whoever has an account on this machine reaches 127.0.0.1: an address is no proof of who asks. So a
token is always wanted, unless the one who starts the service says aloud that it is not.
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

from evolve.engine.private import check_private, private_folder
from evolve.files.atomic import write_bytes
from evolve.tables.trust import data_folder

SHORTEST: Final = 16
"""Characters of a token: 96 bits where they were drawn from the 64 of base64."""
TOKEN: Final = re.compile(rf"[A-Za-z0-9._~+/=-]{{{SHORTEST},200}}")
COOKIE_DAYS: Final = 90
_FILE: Final = "token"
_OTHERS: Final = 0o077
"""The part of a file's mode that is about other users."""
_SCRIPT: Final = "script"


def token_file() -> Path:
    """Where a user's token is kept."""
    return data_folder() / _FILE


def user_token() -> str:
    """This user's token, made where there is none, or where others could have read it.

    It stays the same, so that a browser that was let in once still is after a restart. OSError
    where it cannot be kept, or where others could put another one in its place.
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
    """Who is let in: those who say the token, as a header or as the cookie that they got for it.

    The cookie has a name by its token, because browsers send a host's cookies to every port of it:
    services with different tokens must not take each other's away. Its value proves the token
    without being it, and begins with a number of the browser's own, by which `Turns` tells clients
    apart.
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
        """Whether that is the token."""
        return self._token is not None and hmac.compare_digest(token.encode(), self._token)

    def new_cookie(self) -> str:
        """The value of a cookie for a browser that has sent the token."""
        browser = secrets.token_hex(8)
        return f"{browser}.{self._proof(browser)}"

    def who(self, headers: Mapping[bytes, Sequence[str]]) -> str | None:
        """Which client of those who are let in a request is from: a browser by its own number, all
        scripts together; None where it is not let in."""
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
