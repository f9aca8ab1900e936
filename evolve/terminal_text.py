"""Text for a terminal: makes foreign text harmless, and writes our signs where it can.

Light, because every start of the command needs it: no rich here.
"""

from __future__ import annotations

import codecs
import io
import os
import shlex
import sys
import unicodedata
from typing import Final

from evolve.number_text import whole

_FALLBACK: Final = "evolve-signs"
"""Name of the codec error handler that writes what an encoding lacks in other signs."""

_SIGNS: Final = {
    "–": "-", "−": "-", "─": "-", "·": "|", "│": "|", "├": "+", "└": "+", "…": "...", "→": "->",
    "×": "x", "±": "+/-", "½": ".5", "≤": "<=", "≥": ">=", "√": "sqrt ", "∞": "inf", "●": "X",
    "○": "O", "←": "<-", "█": "#", "░": ".",
}  # fmt: skip
"""Signs beyond ASCII that we print, and what replaces them where an encoding lacks them."""

SHOWN: Final[dict[str, str]] = {}
"""What messages show in place of paths that no user knows."""


def plain(text: str, keep: str = "") -> str:
    r"""Make `text` from any source harmless for a terminal; the characters in `keep` stay.

    Everything that moves the cursor, colours, hides or reorders (control characters and the
    escape sequences that they begin, bidirectional overrides, line separators, characters without
    width, lone surrogates) becomes what Python would write, `\x1b`. A line stays one line.
    """
    for path, name in SHOWN.items():
        text = text.replace(path, name)
    if text.isprintable():
        return text
    return "".join(
        sign if sign in keep or sign.isprintable() or unicodedata.category(sign) == "Zs"
        # A space of another width is harmless, though Python does not call it printable.
        else sign.encode("unicode_escape").decode("ascii")
        for sign in text
    )  # fmt: skip


def printable(line: str) -> str:
    """A line from another program: tabs become spaces, other unprintable characters are removed.

    A protocol that repeats its input (NBoard's `ping`, an error that quotes a word) would pass on
    what moves a cursor, hides or reorders text.
    """
    return "".join(sign for sign in line.replace("\t", " ") if sign.isprintable()).strip()


def as_word(thing: object) -> str:
    """A path as a word of a command line to copy: in quotes where a shell needs them."""
    text = str(thing)
    text = f"./{text}" if text.startswith("-") else text
    if text.isprintable():
        return shlex.quote(text)
    signs = (
        chr(byte) if 32 <= byte < 127 and byte not in b"\\'" else f"\\x{byte:02x}"
        for byte in os.fsencode(text)
    )
    return f"$'{''.join(signs)}'"


def count_of(number: int, thing: str) -> str:
    """A count with its noun: `1 thread`, `2 threads`."""
    return f"{whole(number)} {thing}{'' if number == 1 else 's'}"


def expect_any_text() -> None:
    """Let standard streams take any text: read any bytes, and write signs that they have.

    A sign that an encoding lacks is replaced by another one, never by a question mark.
    """
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_FALLBACK)


def _in_other_signs(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    signs = (_SIGNS.get(sign) or sign.encode("unicode_escape").decode("ascii") for sign in missing)
    return "".join(signs), error.end


def writable(text: str, encoding: str) -> str:
    """`text` in the signs that `encoding` has, so that columns are as wide as they are shown."""
    try:
        return text.encode(encoding, _FALLBACK).decode(encoding)
    except LookupError:  # an unknown encoding, of a caller's own stream
        return text


codecs.register_error(_FALLBACK, _in_other_signs)
