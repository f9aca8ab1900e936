"""Remove control characters from lines that come from other programs or go to them.

A protocol that repeats its input (NBoard's `ping`, an error that quotes a word) would pass escape
sequences on to the display of the answer. So they are removed from incoming lines, as GTP requires,
and other foreign text, such as the name of an agent, is cleaned in outgoing lines.
"""

from __future__ import annotations

from evolve.terminal_text import plain


def heard(line: str) -> str:
    """Clean an incoming line: tabs become spaces; other unprintable characters are removed.

    These could move a cursor, hide text or reorder it.
    """
    return "".join(sign for sign in line.replace("\t", " ") if sign.isprintable()).strip()


def said(text: str) -> str:
    """Clean outgoing lines; their number stays the same."""
    return plain(text, keep="\n")
