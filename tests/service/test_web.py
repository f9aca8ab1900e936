"""The page's files: how much a browser fetches, and from where."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import httpx

from evolve.service.page_files import compact, packed
from tests.service import Service

WEB = Path(str(files("evolve.service"))) / "web"


def scripts_and_styles() -> list[Path]:
    return [path for path in WEB.rglob("*") if path.suffix in (".js", ".css")]


def test_the_page_is_light() -> None:
    sent = scripts_and_styles()
    assert len(sent) > 20
    assert sum(len(packed(path)) for path in sent) <= 70_000


def test_nothing_comes_from_elsewhere() -> None:
    for path in WEB.rglob("*"):
        if path.suffix in (".js", ".css", ".html", ".svg") and "vendor" not in path.parts:
            found = re.findall(r"https?://[^\"'`\s)]+", path.read_text(encoding="utf-8"))
            assert set(found) <= {"http://www.w3.org/2000/svg"}, path


def test_what_is_sent_has_no_comments_of_their_own_lines() -> None:
    text = 'a("//no", 1); // kept\n  // gone\n/** gone\n * too */\n\n  b("/*");\n'
    assert compact(text) == 'a("//no", 1); // kept\nb("/*");\n'


def test_browsers_get_compact_files_and_keep_them(service: Service) -> None:
    url = f"http://127.0.0.1:{service.port}/app.js"
    got = httpx.get(url)
    assert got.text == compact((WEB / "app.js").read_text(encoding="utf-8"))
    assert got.headers["cache-control"] == "no-cache"
    assert httpx.get(url, headers={"if-none-match": got.headers["etag"]}).status_code == 304
    plain = httpx.get(url, headers={"accept-encoding": "identity"})
    assert plain.text == (WEB / "app.js").read_text(encoding="utf-8")
