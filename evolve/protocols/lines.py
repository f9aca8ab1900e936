"""Lines that other programs send, and that go back to them: without control characters.

A protocol that repeats what it was sent (NBoard's `ping`, an error that quotes a word) would carry
escape sequences to what shows the answer. So they are left out where a line comes in, as GTP
asks for, and what is left of others' text, such as the name of an agent, is made harmless where a
line goes out.
"""

from __future__ import annotations

from evolve.terminal_text import plain


def heard(line: str) -> str:
    """A line that has come, without what moves a cursor, hides, or reorders; tabs are spaces."""
    return "".join(sign for sign in line.replace("\t", " ") if sign.isprintable()).strip()


def said(text: str) -> str:
    """Lines on their way out; they stay as many as they are."""
    return plain(text, keep="\n")
