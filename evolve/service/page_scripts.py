"""The script of the page made shorter: without spaces, and with short names for what it declares.

A name is shortened everywhere or nowhere, so that no scope needs to be known; names of properties
stay. It reads the style that the page is written in, with semicolons and no labels, `with` or
`eval`; the tests in a browser run what comes out.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<number>\d[\w.]*)
    |(?P<word>[A-Za-z_$][\w$]*)
    |(?P<sign>=>|\+\+|--|\.\.\.|\?\.(?!\d)|\?\?|&&|\|\||[-+*/%&|^<>=!]=?|[^\s\w"'`])""",
    re.VERBOSE | re.DOTALL,
)
_REGEX: Final = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_TEMPLATE: Final = re.compile(r"(?:[^`\\$]|\\.|\$(?!\{))*", re.DOTALL)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BETWEEN: Final = re.compile(r"(?<=>)\n(?=<|\$\{)|(?<=^\})\n(?=<)")
"""Ends of lines between the tags of a template, which htm leaves out."""
_KEYWORDS: Final = _words(
    """
    arguments as async await break case catch class const constructor continue default delete do
    else export extends false finally for from function get if import in instanceof let new null
    of return set static super switch this throw true try typeof undefined var void while yield
    """
)
_GLOBALS: Final = _words(
    """
    AbortController Array Blob Boolean Date Error Event EventSource FileReader HashChangeEvent
    Image Infinity Intl JSON Map Math MutationObserver NaN Number Object Promise RegExp
    ResizeObserver Set SharedWorker String Symbol URL URLSearchParams Uint8Array XMLSerializer
    cancelAnimationFrame clearInterval clearTimeout confirm console crypto decodeURIComponent
    document encodeURIComponent fetch getComputedStyle globalThis history innerWidth isNaN
    localStorage location matchMedia navigator parseFloat parseInt performance
    requestAnimationFrame sessionStorage setInterval setTimeout structuredClone window
    """
)
"""Names that the browser gives: all that the page uses, and some that it may."""
_BEFORE_REGEX: Final = _words(
    """
    ( , = : [ ! & | ? { } ; => && || ?? return typeof + -
    """
)
_BEFORE_BLOCK: Final = _words(
    """
    ) => ; { } else try catch finally do
    """
)
_FIRST: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_"


class _Token(NamedTuple):
    """A piece of a script. of: the bracket that it is in, `o` for that of an object or pattern."""

    kind: str
    text: str
    of: str


def shorter(script: str) -> str:
    """The same script, shorter."""
    tokens = list(_tokens(script))
    uses = [_use(tokens, place) for place in range(len(tokens))]
    counts = Counter(
        token.text
        for token, use in zip(tokens, uses, strict=True)
        if use in ("name", "both") and not is_given(token.text)
    )
    kept = {token.text for token in tokens if token.kind == "word" and token.text not in counts}
    names = dict(zip((name for name, _ in counts.most_common()), _short_names(kept), strict=False))
    parts: list[str] = []
    before = ""
    for token, use in zip(tokens, uses, strict=True):
        text = token.text
        if use == "name":
            text = names.get(text, text)
        elif use == "both" and text in names:
            text = f"{text}:{names[text]}"
        if _need_space(before, text):
            parts.append(" ")
        parts.append(text)
        before = text
    return "".join(parts)


def renamed(script: str, names: Mapping[str, str]) -> str:
    """The same script with other names for what it declares or uses; names of properties stay."""
    if not names:
        return script
    tokens = list(_tokens(script))
    parts: list[str] = []
    for place, token in enumerate(tokens):
        new = names.get(token.text) if token.kind == "word" else None
        use = "" if new is None else _use(tokens, place)
        text = token.text
        if new is not None and use == "name":
            text = new
        elif new is not None and use == "both":
            text = f"{text}:{new}"
        if _need_space(tokens[place - 1].text if place else "", text):
            parts.append(" ")
        parts.append(text)
    return "".join(parts)


def is_given(name: str) -> bool:
    """Whether it is a word of the language, or a name that others give."""
    return name in _KEYWORDS or name in _GLOBALS or name.startswith("$")


def _short_names(taken: set[str]) -> Iterator[str]:
    """Names by their length that nothing else has."""
    more = _FIRST + "0123456789"
    for length in itertools.count(1):
        for first in _FIRST:
            for rest in itertools.product(more, repeat=length - 1):
                name = first + "".join(rest)
                if name not in taken and not is_given(name):
                    yield name


def _use(tokens: list[_Token], place: int) -> str:
    """What a word is: a `name`, a `property`, or `both`, as in `{ a }`; empty for all else."""
    token = tokens[place]
    if token.kind != "word":
        return ""
    before = tokens[place - 1].text if place else ";"
    after = tokens[place + 1].text if place + 1 < len(tokens) else ";"
    if before in (".", "?."):
        return "property"
    if token.of == "o" and before in ("{", ","):
        if after in (",", "}", "="):
            return "both"
        return "property" if after in (":", "(") else "name"
    return "name"


def _need_space(before: str, after: str) -> bool:
    """Whether two tokens would become one without a space."""
    if not before or not after:
        return False
    if (before[-1].isalnum() or before[-1] in "_$") and (after[0].isalnum() or after[0] in "_$"):
        return True
    return before[-1] + after[0] in ("++", "--", "//", "/*")


def _tokens(script: str) -> Iterator[_Token]:
    """The tokens of a script; a template is one token for each of its texts."""
    place = 0
    stack: list[str] = []
    before = ";"
    in_class = False
    while place < len(script):
        of = stack[-1] if stack else ""
        if script[place] == "`" or (script[place] == "}" and of == "$"):
            if script[place] == "}":
                stack.pop()
            match = _TEMPLATE.match(script, place + 1)
            assert match is not None
            end = match.end() + (2 if script.startswith("${", match.end()) else 1)
            text = script[place:end]
            if text.endswith("${"):
                stack.append("$")
            yield _Token("template", _BETWEEN.sub("", text), of)
            before, place = ("(" if text.endswith("${") else "`"), end
            continue
        regex = _REGEX.match(script, place) if before in _BEFORE_REGEX else None
        match = _TOKEN.match(script, place)
        if regex is not None and script[place : place + 2] not in ("//", "/*"):
            yield _Token("regex", regex[0], of)
            before, place = "/re/", regex.end()
            continue
        if match is None:
            raise ValueError(f"no script: {script[place : place + 40]!r}")
        place, kind, text = match.end(), str(match.lastgroup), match[0]
        if kind == "space":
            continue
        if text in ("(", "[", "{"):
            block = text == "{" and (before in _BEFORE_BLOCK or in_class)
            in_class = in_class and text != "{"
            stack.append("b" if block else "o" if text == "{" else text)
        elif text in (")", "]", "}"):
            stack.pop()
        in_class = in_class or text == "class"
        yield _Token(kind, text, of)
        before = text
