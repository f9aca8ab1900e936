"""The files of the page as browsers get them: joined, without comments and indentation, compressed.

The modules of the page are many small files, as one reads them. A browser gets them as one script,
which is 15 % less and one request instead of 40; so with the style sheets. Any server of static
files can send them as they are, too.
"""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import re
from collections.abc import Iterator
from functools import lru_cache
from os import PathLike, stat_result
from pathlib import Path
from typing import Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

_MEDIA: Final = {".js": "text/javascript", ".css": "text/css"}
_ENTRY: Final = "app.js"
_STYLES: Final = "page.css"
_APART: Final = ("theme.js", "events-worker.js")
"""Scripts that are no part of the one: it comes first, or runs elsewhere."""
_VENDOR: Final = "vendor/"
_LINE_COMMENT: Final = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
_BLOCK_COMMENT: Final = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
_INDENTATION: Final = re.compile(r"^[ \t]+|^\n", re.MULTILINE)
_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\}|(\w+)) from "([^"]+)";\n', re.MULTILINE)
_REEXPORT: Final = re.compile(r'^export \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
_EXPORTED: Final = re.compile(
    r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE
)
_STYLE_IMPORT: Final = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)


def compact(text: str) -> str:
    """A script or style sheet without indentation and the comments that have their own lines."""
    for gone in (_LINE_COMMENT, _BLOCK_COMMENT, _INDENTATION):
        text = gone.sub("", text)
    return text


class _Bundle:
    """The modules of a page as one: each is a function that returns what it exports."""

    def __init__(self, web: Path) -> None:
        self._web = web
        self._names: dict[str, str] = {}
        self._parts: list[str] = []
        self._imports: list[str] = []

    def script(self) -> str:
        """The script: imports of what stays apart, all modules, and the entry at its end."""
        entry = self._rewritten(_ENTRY)[0]
        for path in sorted(self._web.rglob("*.js")):
            name = path.relative_to(self._web).as_posix()
            if name not in _APART and not name.startswith(_VENDOR) and name != _ENTRY:
                self._name(name)
        known = ",".join(f'"{name}":{value}' for name, value in self._names.items())
        find = (
            f"const $all={{{known}}};\nconst $load=async(base,name)=>"
            '$all[name.startsWith("../")?name.slice(3):base+name.slice(2)];\n'
        )
        return "".join([*self._imports, *self._parts, find, entry])

    def _name(self, module: str) -> str:
        """The name that holds what a module exports; the module is added where it is new."""
        if module not in self._names:
            apart = module in _APART or module.startswith(_VENDOR)
            text, exports = ("", "") if apart else self._rewritten(module)
            name = f"${len(self._names)}"
            self._names[module] = name
            if apart:
                self._imports.append(f'import * as {name} from "./{module}";\n')
            else:
                self._parts.append(f"const {name}=(()=>{{\n{text}return{{{exports}}};\n}})();\n")
        return self._names[module]

    def _rewritten(self, module: str) -> tuple[str, str]:
        """A module without imports and exports, and what it exports as fields of an object."""
        text = compact((self._web / module).read_text(encoding="utf-8"))
        folder = posixpath.dirname(module)
        exports = [f"{name}" for _, name in _EXPORTED.findall(text)]

        def source(path: str) -> str:
            return self._name(posixpath.normpath(posixpath.join(folder, path)))

        def imported(match: re.Match[str]) -> str:
            names = ",".join(f"{name}:{own}" for name, own in _pairs(match[1] or ""))
            found = f"default:{match[2]}" if match[2] else names
            return f"const {{{found}}}={source(match[3])};\n"

        def passed_on(match: re.Match[str]) -> str:
            exports.extend(f"{own}:{source(match[2])}.{name}" for name, own in _pairs(match[1]))
            return ""

        def named(match: re.Match[str]) -> str:
            exports.extend(f"{own}:{name}" for name, own in _pairs(match[1]))
            return ""

        text = _IMPORT.sub(imported, text)
        text = _EXPORT.sub(named, _REEXPORT.sub(passed_on, text))
        text = _EXPORTED.sub(r"\1", text)
        base = f"{folder}/" if folder else ""
        return text.replace("import(", f'$load("{base}",'), ",".join(exports)


def _pairs(names: str) -> Iterator[tuple[str, str]]:
    """The names in braces, each with the name it gets: `a, b as c`."""
    for part in filter(None, (one.strip() for one in names.split(","))):
        name, _, own = part.partition(" as ")
        yield name, own or name


def _joined(web: Path) -> str:
    """The style sheets as one."""

    def inlined(match: re.Match[str]) -> str:
        return (web / match[1]).read_text(encoding="utf-8")

    return compact(_STYLE_IMPORT.sub(inlined, (web / _STYLES).read_text(encoding="utf-8")))


@lru_cache(64)
def _packed(path: Path, web: Path, changed: int) -> tuple[bytes, str]:
    name = path.relative_to(web).as_posix()
    if name == _ENTRY:
        text = _Bundle(web).script()
    elif name == _STYLES:
        text = _joined(web)
    else:
        text = compact(path.read_text(encoding="utf-8"))
    digest = hashlib.sha256(text.encode()).hexdigest()[:20]
    return gzip.compress(text.encode(), mtime=0), f'"{digest}"'


def packed(path: Path, web: Path) -> tuple[bytes, str]:
    """A script or style sheet of the page as it is sent, in gzip, and its tag."""
    newest = max(one.stat().st_mtime_ns for one in web.rglob("*") if one.suffix in _MEDIA)
    return _packed(path, web, newest)


def sent(web: Path) -> list[Path]:
    """The scripts and style sheets that a browser gets, with those joined into them."""
    vendor = sorted((web / _VENDOR).glob("*.js"))
    return [web / _ENTRY, web / _STYLES, *(web / name for name in _APART), *vendor]


class PageFiles(StaticFiles):
    """The page's files; browsers ask whether theirs are the newest, so that versions never mix."""

    def __init__(self, web: Path) -> None:
        super().__init__(directory=web, html=True)
        self._web = web.resolve()

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Answer with a file; scripts and styles are compact."""
        path, asked = Path(full_path).resolve(), Headers(scope=scope)
        if path.suffix not in _MEDIA or "gzip" not in asked.get("accept-encoding", ""):
            answer = super().file_response(full_path, stat_result, scope, status_code)
            answer.headers["cache-control"] = "no-cache"
            return answer
        content, tag = packed(path, self._web)
        headers = {"etag": tag, "cache-control": "no-cache", "vary": "Accept-Encoding"}
        headers["content-encoding"] = "gzip"
        response = Response(content, status_code, headers, _MEDIA[path.suffix])
        if self.is_not_modified(response.headers, asked):
            return NotModifiedResponse(response.headers)
        return response
