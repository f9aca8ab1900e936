"""Links between pages lead somewhere, and guides are easy to read: seen without building a site."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest

from evolve.cli.main import COMMANDS
from tests.docs.pages import FENCE, ROOT, all_pages

DOCS = ROOT / "docs"
MADE = DOCS / "reference"
"""Where a build of the site writes pages."""
GENERATED = {MADE / "commands" / f"{name}.rst" for name in COMMANDS} | {
    MADE / "rest" / f"{name}.md" for name in ("endpoints", "schemas")
}
PAGES = sorted(
    path
    for path in (*ROOT.glob("*.md"), ROOT / "runs/README.md", *DOCS.glob("**/*.md"))
    if path not in GENERATED
)
LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)")
CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)", re.S)
LONG = 35
"""Words of a sentence that is long."""
SHARE = 0.03
"""The most long sentences of a page; one may always be."""


def without_code(text: str) -> str:
    return CODE.sub("code", FENCE.sub("", text))


@cache
def anchors(path: Path) -> frozenset[str]:
    """Those that GitHub gives the headings of a page, and those it names itself."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    found = set(re.findall(r"^\(([\w-]+)\)=$", text, re.M))
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.M):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        names = (slug, *(f"{slug}-{number}" for number in range(1, 20)))
        found.add(next(name for name in names if name not in found))
    return frozenset(found)


def broken(path: Path) -> Iterator[str]:
    for target in LINK.findall(without_code(path.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        place, _, anchor = unquote(target).partition("#")
        file = (path.parent / place).resolve() if place else path
        if file in GENERATED:
            continue
        there = anchors(file) if file.suffix == ".md" and file.exists() else {anchor}
        if not file.exists() or anchor not in {"", *there}:
            yield target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    assert not list(broken(path))


def sentences(text: str) -> list[int]:
    """The words of each sentence of a page, without code, tables and headings."""
    text = re.sub(r"<!--.*?-->", "", without_code(text), flags=re.S)
    text = re.sub(r"!\[[^\]]*\]\([^)]*\)", "", text)
    text = re.sub(r"\[([^\[\]]*)\]\([^)]*\)", r"\1", text)
    kept = [
        line for line in text.splitlines() if not re.match(r"\s*(\||#|:::|\(.*\)=|:\w+:)", line)
    ]
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)", "\n".join(kept))
    found = []
    for block in blocks:
        words = re.sub(r"^\s*(?:[-*+>]|\d+\.)\s+|[*_]{1,2}(?=\w)|(?<=\w)[*_]{1,2}", "", block)
        parts = re.split(r"(?<=[.!?])[)\"”]*\s+(?=[\"“(]?[A-Z0-9])", words)
        found += [len(re.findall(r"\S*\w\S*", part)) for part in parts]
    return [count for count in found if count >= 4]


@pytest.mark.parametrize(
    "path",
    [path for path in PAGES if path.parent.name in ("tutorials", "guides")],
    ids=lambda path: str(path.relative_to(DOCS)),
)
def test_sentences_are_short(path: Path) -> None:
    counts = sentences(path.read_text(encoding="utf-8"))
    long = [count for count in counts if count > LONG]
    assert len(long) <= max(1, SHARE * len(counts)), f"{len(long)} of {len(counts)}: {long}"


def test_how_sentences_are_counted() -> None:
    text = (
        "# A heading of some four words\n\nOne two three four. Five six `seven eight` [nine\nten]"
        "(x.md). Too short.\n\n- An item of five words\n- **Bold** item, of five words\n\n"
        "```sh\nno words of code here\n```\n| no | words | of | tables |\n"
    )
    assert sentences(text) == [4, 5, 5, 5]


def test_how_links_are_followed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# The `x`: a heading\n\n[1](#the-x-a-heading) [2](#no) [3](other.md#b) [4](no.md)\n"
        "`[5](code.md)` [6](https://example.org) ![7](no.png)\n"
    )
    (tmp_path / "other.md").write_text("## B\n\n## B\n")
    assert list(broken(page)) == ["#no", "no.md", "no.png"]
    assert anchors(tmp_path / "other.md") == {"b", "b-1"}


Image = pytest.importorskip("PIL.Image")
pictures = pytest.importorskip("benchmarks.pictures")
SHOWN = re.compile(r"pictures/([\w-]+)\.png")


def shown(folder: str) -> set[str]:
    pages = ROOT.glob(f"docs/{folder}/*.md")
    return {name for page in pages for name in SHOWN.findall(page.read_text(encoding="utf-8"))}


def test_each_picture_is_shown_and_made_by_the_command_or_of_the_evidence() -> None:
    stored = {path.stem for path in pictures.PICTURES.glob("*.png")}
    made = {name for work in pictures.WORKS for name in work.pictures}
    assert made <= {name for page in all_pages() for name in SHOWN.findall(page.path.read_text())}
    assert stored == made | shown("evidence")


@pytest.mark.parametrize("work", pictures.WORKS, ids=lambda work: work.page)
def test_pictures_are_of_the_shipped_weights_and_of_what_their_page_says(work: object) -> None:
    page = (ROOT / f"docs/{work.page}.md").read_text(encoding="utf-8")
    if work.command.startswith("evolve") and work.page != "guides/serve":
        assert work.command in re.sub(r" *\\\n *", " ", page)
    texts = {}
    for name in work.pictures:
        with Image.open(pictures.PICTURES / f"{name}.png") as picture:
            texts[name] = dict(picture.text)
    stale = [name for name, text in texts.items() if text["Weights"] != pictures.shipped_weights()]
    assert not stale, f"older than the shipped weights: python -m benchmarks.pictures {stale}"
    assert all(text["Software"].startswith("evolve ") for text in texts.values())
    assert {name: text["Source"] for name, text in texts.items()} == {
        name: "; ".join(part for part in (work.command, drawn) if part != "true")
        for name, drawn in work.pictures.items()
    }
