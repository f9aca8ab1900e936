"""All commands and programs of the README and the tutorials work as they stand.

Those of the guides are in `test_guides`, so that another process can run them meanwhile.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.docs.pages import Page, all_pages, smaller_text
from tests.docs.terminal import Terminal

PAGES = all_pages()

pytestmark = pytest.mark.skipif(
    sys.platform == "win32" or shutil.which("sh") is None, reason="pages are for a POSIX shell"
)


def parameter(page: Page) -> object:
    marks = [pytest.mark.slow, pytestmark, *([pytest.mark.learning] if page.learns else [])]
    return pytest.param(page, marks=marks, id=f"{page.path.parent.name}/{page.path.stem}")


@pytest.mark.parametrize(
    "page", [parameter(page) for page in PAGES if page.path.parent.name != "guides"]
)
def test_a_page_works(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work(page, tmp_path, monkeypatch)


def work(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run all blocks of a page."""
    folder = tmp_path / "page"
    folder.mkdir()
    for name, text in page.written_files().items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(smaller_text(text), encoding="utf-8")
        file.chmod(0o755 if text.startswith("#!") else 0o644)
    with Terminal(folder, tmp_path / "apart") as terminal:
        for block in page.of("sh"):
            terminal.run(block)
        for name in ("HOME", "XDG_CACHE_HOME", "EVOLVE_DATA_DIR", "PATH"):
            monkeypatch.setenv(name, terminal.environment[name])
        monkeypatch.setenv("MPLBACKEND", "agg")
        monkeypatch.chdir(folder)
        monkeypatch.syspath_prepend(str(folder))
        names: dict[str, object] = {}
        for number, block in enumerate(page.of("python"), 1):
            name = f"{page.path.name}, block {number} of python"
            exec(compile(smaller_text(block), name, "exec"), names)


def test_blocks_have_a_language() -> None:
    known = {"sh", "python", "text", "toml", "json", "yaml", "ini", "bibtex", "latex", "csv"}
    assert not [
        page.path
        for page in PAGES
        if not {language for language, _ in page.blocks if "{" not in language} <= known
    ]


@pytest.mark.slow
def test_a_block_is_run_as_it_stands(tmp_path: Path) -> None:
    (tmp_path / "page").mkdir()
    with Terminal(tmp_path / "page", tmp_path / "apart") as terminal:
        said = terminal.run(
            "cd .. # a word of the shell\n"
            "cd page\n"
            "export WHAT=4\n"
            "for depth in 1 2; do evolve perft $depth; done > out\n"
            "python -m evolve perft \\\n  $WHAT --json | tr -d ' '\n"
            "pip install nothing && evolve --help | head -n 1\n"
        )
        assert (tmp_path / "page/out").read_text().count("\n") >= 2
        assert "244" in said
        assert "Usage" in said
        for wrong in ("evolve perft\n", "evolve nothing\necho past\n", "no-such-program\n"):
            with pytest.raises(AssertionError):
                terminal.run(wrong)
