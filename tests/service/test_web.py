"""The page's files: how much a browser fetches, and from where."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

from evolve.service.page_files import packed, sent

WEB = Path(str(files("evolve.service"))) / "web"


def test_the_page_is_light() -> None:
    assert sum(len(packed(path, WEB)[0]) for path in sent(WEB)) <= 70_000


def test_addresses_are_encoded_by_one_function() -> None:
    """A query written by hand lost the `+` in the name of a run of a study."""
    for path in WEB.rglob("*.js"):
        if "vendor" not in path.parts:
            assert not re.search(r"[?&]\w+=\$\{(?!encode)", path.read_text()), path


def test_nothing_comes_from_elsewhere() -> None:
    for path in WEB.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg") and "vendor" not in path.parts:
            found = re.findall(r"https?://[^\"'`\s)]+", path.read_text(encoding="utf-8"))
            assert set(found) <= {"http://www.w3.org/2000/svg"}, path
