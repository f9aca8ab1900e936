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

from evolve.service.page_scripts import is_given, renamed, shorter

_MEDIA: Final = {".js": "text/javascript", ".css": "text/css"}
_ENTRY: Final = "app.js"
_STYLES: Final = "page.css"
_APART: Final = ("theme.js", "events-worker.js")
"""Scripts that are no part of the one: it comes first, or runs elsewhere."""
_VENDOR: Final = "vendor/"
_LINE_COMMENT: Final = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
_BLOCK_COMMENT: Final = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
_STYLE_COMMENT: Final = re.compile(r"/\*.*?\*/", re.DOTALL)
_INDENTATION: Final = re.compile(r"^[ \t]+|^\n", re.MULTILINE)
_IMPORT: Final = re.compile(r'^import (?:\{([^}]*)\}|(\w+)) from "([^"]+)";\n', re.MULTILINE)
_REEXPORT: Final = re.compile(r'^export \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export \{([^}]*)\};\n", re.MULTILINE)
_EXPORTED: Final = re.compile(
    r"^export ((?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE
)
_DECLARED: Final = re.compile(
    r"^(?:(?:async )?function (\w+)|(?:const|let|class) (\w+))", re.MULTILINE
)
_TAKEN: Final = re.compile(r"^const \{([^}]*)\}=\$m\d+;$", re.MULTILINE)
_BESIDE: Final = re.compile(r"\s*([{};,])\s*")
_SMALL_IMPORT: Final = re.compile(r'import\{([^}]*)\}from"([^"]+)";')
_SMALL_EXPORT: Final = re.compile(r"export\s*\{([^}]*)\};?$")
_STYLE_IMPORT: Final = re.compile(r'^@import "([^"]+)";\n', re.MULTILINE)


def compact(text: str) -> str:
    """A script or style sheet without indentation and the comments that have their own lines."""
    for gone in (_LINE_COMMENT, _BLOCK_COMMENT, _INDENTATION):
        text = gone.sub("", text)
    return text


class _Bundle:
    """The modules of a page as one script, in which no two of them declare the same name."""

    def __init__(self, web: Path) -> None:
        self._web = web
        self._apart: dict[str, str] = {}
        """The names that hold the modules that stay apart."""
        self._exports: dict[str, dict[str, str]] = {}
        """By module and exported name, the name in the script."""
        self._taken: set[str] = set()
        self._imported: set[tuple[str, str]] = set()
        """Modules with those of their names that others import: no page and no kind of run."""
        self._first: list[str] = []
        self._parts: list[str] = []

    def script(self) -> str:
        """Imports of what stays apart, all modules after those that they import, the entry last."""
        entry = self._rewritten(_ENTRY)
        begun = set(self._exports)
        for path in sorted(self._web.rglob("*.js")):
            name = path.relative_to(self._web).as_posix()
            if not _is_apart(name) and name != _ENTRY:
                self._add(name)
        later = ",".join(
            f'"{module}":{{{",".join(fields)}}}'
            for module, exports in self._exports.items()
            if "/" in module or module not in begun
            if (
                fields := [
                    f"{n}:{own}" for n, own in exports.items() if (module, n) not in self._imported
                ]
            )
        )
        find = (
            f"const $all={{{later}}};\nconst $load=async(base,name)=>"
            '$all[name.startsWith("../")?name.slice(3):base+name.slice(2)];\n'
        )
        return "".join([*self._first, shorter("".join([*self._parts, find, entry]))])

    def _add(self, module: str) -> None:
        if _is_apart(module):
            if module not in self._apart:
                self._first.append(self._whole(module))
        elif module not in self._exports:
            self._parts.append(self._rewritten(module))

    def _whole(self, module: str) -> str:
        """A module that stays as it is: imported, or, of others' libraries, a scope of its own."""
        if not module.startswith(_VENDOR):
            name = self._apart[module] = f"$m{len(self._apart)}"
            return f'import*as {name} from"./{module}";\n'
        folder = posixpath.dirname(module)

        def taken(match: re.Match[str]) -> str:
            source = posixpath.normpath(posixpath.join(folder, match[2]))
            self._add(source)
            return f"const{{{_fields(match[1])}}}={self._apart[source]};"

        text = (self._web / module).read_text(encoding="utf-8").strip()
        text = _SMALL_IMPORT.sub(taken, text)
        listed = _SMALL_EXPORT.search(text)
        if listed is None:
            text = text.replace("export default ", "return{default:").removesuffix(";") + "}"
        else:
            fields = ",".join(f"{own}:{name}" for name, own in _pairs(listed[1]))
            text = f"{text[: listed.start()]}return{{{fields}}}"
        name = self._apart[module] = f"$m{len(self._apart)}"
        return f"const {name}=(()=>{{{text}}})();\n"

    def _rewritten(self, module: str) -> str:
        """A module without imports and exports; its names are unlike those of all others."""
        text = compact((self._web / module).read_text(encoding="utf-8"))
        folder = posixpath.dirname(module)
        exports: dict[str, str] = {}
        names: dict[str, str] = {}

        def declared(taken_names: str | None, default: str | None, path: str) -> str:
            """The line that takes names from a module that stays apart."""
            source = posixpath.normpath(posixpath.join(folder, path))
            self._add(source)
            pairs = [("default", default)] if default else list(_pairs(taken_names or ""))
            if _is_apart(source):
                fields = f"default:{default}" if default else _fields(taken_names or "")
                return f"const {{{fields}}}={self._apart[source]};\n"
            names.update({own: self._exports[source][name] for name, own in pairs})
            self._imported |= {(source, name) for name, _ in pairs}
            return ""

        def passed_on(match: re.Match[str]) -> str:
            pairs = list(_pairs(match[1]))
            exports.update({own: own for _, own in pairs})
            return declared(match[1], None, match[2])

        def named(match: re.Match[str]) -> str:
            exports.update({own: name for name, own in _pairs(match[1])})
            return ""

        text = _IMPORT.sub(lambda match: declared(match[1], match[2], match[3]), text)
        text = _EXPORT.sub(named, _REEXPORT.sub(passed_on, text))
        exports |= {name: name for _, name in _EXPORTED.findall(text)}
        text = _EXPORTED.sub(r"\1", text)
        own = {name for found in _DECLARED.findall(text) for name in found if name}
        for listed in _TAKEN.findall(text):
            own |= {name for part in listed.split(",") for name in [part.partition(":")[2]]}
        for name in sorted(own):
            if name in self._taken or name in exports or is_given(name):
                names[name] = f"{name}${len(self._exports)}"
            self._taken.add(name)
        self._exports[module] = {name: names.get(one, one) for name, one in exports.items()}
        base = f"{folder}/" if folder else ""
        return renamed(text.replace("import(", f'$load("{base}",'), names) + "\n"


def _is_apart(module: str) -> bool:
    return module in _APART or module.startswith(_VENDOR)


def _pairs(names: str) -> Iterator[tuple[str, str]]:
    """The names in braces, each with the name it gets: `a, b as c`."""
    for part in filter(None, (one.strip() for one in names.split(","))):
        name, _, own = part.partition(" as ")
        yield name, own or name


def _fields(names: str) -> str:
    """The same as a pattern takes them: `a:a,b:c`."""
    return ",".join(f"{name}:{own}" for name, own in _pairs(names))


def _joined(web: Path) -> str:
    """The style sheets as one, without spaces beside their signs."""

    def inlined(match: re.Match[str]) -> str:
        return (web / match[1]).read_text(encoding="utf-8")

    text = compact(_STYLE_IMPORT.sub(inlined, (web / _STYLES).read_text(encoding="utf-8")))
    text = _STYLE_COMMENT.sub("", text)
    return _BESIDE.sub(r"\1", text).replace(": ", ":").replace(";}", "}")


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
    return [web / name for name in (_ENTRY, _STYLES, *_APART)]


class PageFiles(StaticFiles):
    """The page's files; browsers ask whether theirs are the newest, so that versions never mix."""

    def __init__(self, web: Path) -> None:
        super().__init__(directory=web, html=True)
        self._web = web.resolve()

    def pack(self) -> None:
        """Make what browsers get at first, which takes long."""
        for path in sent(self._web):
            packed(path, self._web)

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
