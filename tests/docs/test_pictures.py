"""Pictures of the pages are today's: they say what they were made from."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import ROOT, all_pages

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
