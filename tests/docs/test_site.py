"""The site that is made of docs/: built strictly, whole, and without any other host."""

from __future__ import annotations

import re
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

import evolve
from evolve.cli.main import COMMANDS
from tests.docs.pages import ROOT

NEEDED = ("sphinx", "furo", "myst_nb", "sphinx_click", "sphinx_design", "sphinx_copybutton")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all(map(find_spec, (*NEEDED, "fastapi"))), reason="needs the extras `docs` and `serve`"
    ),
]

OF_SPHINX = {"genindex.html", "search.html", "py-modindex.html"}
"""Pages that no page of ours links to."""
STYLE = re.compile(r"url\(\s*['\"]?(?:https?:)?//|@import\s+(?:url\()?\s*['\"]?(?:https?:)?//")
SCRIPT = re.compile(r"\b(?:import|from|fetch\()\s*\(?['\"`](?:https?:)?//")


class Page(HTMLParser):
    """The anchors, the links in its article and the files of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.of_article: list[str] = []
        self.loaded: list[str] = []
        self._in_article = False
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attributes}
        self._in_article |= tag == "article"
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.of_article += [given["href"]] * self._in_article
        elif tag != "a":
            self.loaded += [given[name] for name in ("href", "src", "action") if name in given]
            self.loaded += [part.split()[0] for part in given.get("srcset", "").split(",") if part]

    def handle_endtag(self, tag: str) -> None:
        self._in_article &= tag != "article"


class Site(NamedTuple):
    """A built site."""

    folder: Path
    pages: dict[str, Page]
    """By their paths."""

    def goals(self, page: str) -> set[str]:
        """The pages of the site that the article of a page links to."""
        links = map(urlsplit, self.pages[page].of_article)
        paths = [unquote(one.path) for one in links if one.path and not one.scheme + one.netloc]
        whole = [((self.folder / page).parent / path).resolve() for path in paths]
        return {path.relative_to(self.folder).as_posix() for path in whole}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    folder = tmp_path_factory.mktemp("site").resolve()
    built = subprocess.run(
        [
            sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html",
            "-d", folder / "trees", ROOT / "docs", folder / "html",
        ],
        cwd=ROOT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    pages = {
        path.relative_to(folder / "html").as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in (folder / "html").rglob("*.html")
        if not path.relative_to(folder / "html").parts[0].startswith("_")
    }
    return Site(folder / "html", pages)


def test_there_is_a_page_of_everything(site: Site) -> None:
    hand_written = {
        path.relative_to(ROOT / "docs").with_suffix(".html").as_posix()
        for kind in ("md", "ipynb")
        for path in (ROOT / "docs").rglob(f"*.{kind}")
    }
    assert hand_written <= set(site.pages)
    assert {f"reference/commands/{name}.html" for name in COMMANDS} <= set(site.pages)
    elsewhere = {"__version__", "errors", *vars(evolve.errors)}
    public = {f"reference/api/evolve.{name}.html" for name in {*evolve.__all__} - elsewhere}
    assert public <= set(site.pages)
    errors = {f"evolve.errors.{name}" for name in vars(evolve.errors) if name.endswith("Error")}
    assert errors <= site.pages["reference/python.html"].anchors
    assert len(site.pages) >= 80


def test_signatures_can_be_read(site: Site) -> None:
    texts = [p.read_text("utf-8") for p in (site.folder / "reference/api").glob("*.html")]
    found = re.findall(r'<dt class="sig sig-object py".*?</dt>', "".join(texts), re.S)
    signatures = [unescape(re.sub("<[^>]+>", "", signature)) for signature in found]
    odd = re.compile(r"[~<]|TypeAlias|[(\s]_\w+:|None, \w+=None")
    assert not [*filter(odd.search, signatures)]
    assert "Alias for field" not in "".join(texts)


def test_every_page_is_two_clicks_from_the_start(site: Site) -> None:
    reached = last = {"index.html"}
    for _ in range(2):
        last = {goal for name in last & set(site.pages) for goal in site.goals(name)}
        reached = reached | last
    assert set(site.pages) - OF_SPHINX <= reached


def test_no_file_comes_from_another_host(site: Site) -> None:
    links = {(name, link) for name, page in site.pages.items() for link in page.loaded}
    assert not [one for one in links if re.match(r"(https?:)?//", one[1])]
    kinds = {".css": [STYLE], ".js": [STYLE, SCRIPT], ".html": [STYLE], ".svg": [STYLE]}
    texts = {
        path: path.read_text("utf-8") for path in site.folder.rglob("*") if path.suffix in kinds
    }
    assert not [
        path for path, text in texts.items() for one in kinds[path.suffix] if one.search(text)
    ]
    assert "mathjax" not in (site.folder / "index.html").read_text(encoding="utf-8").lower()
