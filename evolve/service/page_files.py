"""The files of the page as browsers get them: without comments and indentation, compressed once."""

from __future__ import annotations

import gzip
import re
from functools import lru_cache
from os import PathLike, stat_result
from pathlib import Path
from typing import Any, Final

from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

_MEDIA: Final = {".js": "text/javascript", ".css": "text/css"}
_LINE_COMMENT: Final = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
_BLOCK_COMMENT: Final = re.compile(r"^[ \t]*/\*.*?\*/[ \t]*\n", re.MULTILINE | re.DOTALL)
_INDENTATION: Final = re.compile(r"^[ \t]+|^\n", re.MULTILINE)


def compact(text: str) -> str:
    """A script or style sheet without indentation and the comments that have their own lines."""
    for gone in (_LINE_COMMENT, _BLOCK_COMMENT, _INDENTATION):
        text = gone.sub("", text)
    return text


@lru_cache(256)
def _packed(path: str, changed: int) -> bytes:
    text = Path(path).read_text(encoding="utf-8")
    return gzip.compress(compact(text).encode(), mtime=0)


def packed(path: Path) -> bytes:
    """A script or style sheet as it is sent: compact, in gzip."""
    return _packed(str(path), path.stat().st_mtime_ns)


class PageFiles(StaticFiles):
    """The page's files; browsers ask whether theirs are the newest, so that versions never mix."""

    def file_response(
        self,
        full_path: str | PathLike[str],
        stat_result: stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Answer with a file; scripts and styles are compact."""
        answer = super().file_response(full_path, stat_result, scope, status_code)
        path, headers = Path(full_path), Headers(scope=scope)
        answer.headers["cache-control"] = "no-cache"
        compressed = "gzip" in headers.get("accept-encoding", "")
        if isinstance(answer, NotModifiedResponse) or path.suffix not in _MEDIA or not compressed:
            return answer
        kept: dict[str, Any] = {
            name: answer.headers[name] for name in ("etag", "last-modified", "cache-control")
        }
        kept |= {"content-encoding": "gzip", "vary": "Accept-Encoding"}
        return Response(packed(path), status_code, kept, _MEDIA[path.suffix])
