"""The page's files: what a browser fetches at first, and from where."""

from __future__ import annotations

import posixpath
import re
from importlib.resources import files
from pathlib import Path

from tests.service import Service

WEB = Path(str(files("evolve.service"))) / "web"


def test_the_first_page_names_all_that_it_needs() -> None:
    """So a browser fetches its modules at once, rather than each after those that import it."""
    waiting, needed = ["app.js", "pages/home.js", "pages/welcome.js"], set()
    while waiting:
        module = waiting.pop()
        needed.add(module)
        imports = re.findall(r'from ?"(\.[^"]+)"', (WEB / module).read_text("utf-8"))
        folder = posixpath.dirname(module)
        found = {posixpath.normpath(posixpath.join(folder, name)) for name in imports}
        waiting += found - needed
    index = (WEB / "index.html").read_text("utf-8")
    named = re.findall(r'<link rel="modulepreload" href="./(.+)">', index)
    assert sorted([*named, "app.js"]) == sorted(needed)
    styles = re.findall(r'<link rel="stylesheet" href="./(.+)">', index)
    assert sorted(styles) == sorted(p.relative_to(WEB).as_posix() for p in WEB.rglob("*.css"))


def test_browsers_get_files_as_they_are_and_check_them(service: Service) -> None:
    url = f"http://127.0.0.1:{service.port}/app.js"
    got = service.client.get(url)
    assert got.text == (WEB / "app.js").read_text(encoding="utf-8")
    assert got.headers["content-encoding"] == "gzip"
    assert got.headers["cache-control"] == "no-cache"
    assert (
        service.client.get(url, headers={"if-none-match": got.headers["etag"]}).status_code == 304
    )
    plain = service.client.get(url, headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers


def test_addresses_are_encoded_by_one_function() -> None:
    """A query written by hand lost the `+` in the name of a run of a study."""
    scripts = [path for path in WEB.rglob("*.js") if "vendor" not in path.parts]
    by_hand = re.compile(r"[?&]\w+=\$\{(?!encode)")
    assert not [path for path in scripts if by_hand.search(path.read_text())]


def test_nothing_comes_from_elsewhere() -> None:
    kinds = {".js", ".css", ".html", ".svg"}
    paths = [p for p in WEB.rglob("*") if p.suffix in kinds and "vendor" not in p.parts]
    texts = [path.read_text(encoding="utf-8") for path in paths]
    found = re.findall(r"https?://[^\"'`\s)]+", "\n".join(texts))
    assert set(found) <= {"http://www.w3.org/2000/svg"}
