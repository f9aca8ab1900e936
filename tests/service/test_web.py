"""The page's files: how much a browser fetches, and from where."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files
from pathlib import Path

WEB = Path(str(files("evolve.service"))) / "web"


def test_the_page_is_light() -> None:
    sent = [path for path in WEB.rglob("*") if path.suffix in (".js", ".css")]
    assert len(sent) > 20
    assert sum(len(gzip.compress(path.read_bytes(), mtime=0)) for path in sent) <= 63_500


def test_nothing_comes_from_elsewhere() -> None:
    for path in WEB.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg") and "vendor" not in path.parts:
            found = re.findall(r"https?://[^\"'`\s)]+", path.read_text(encoding="utf-8"))
            assert set(found) <= {"http://www.w3.org/2000/svg"}, path
