"""All commands and programs of the guides work as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.pages import Page
from tests.docs.test_commands import PAGES, parameter, work


@pytest.mark.parametrize(
    "page", [parameter(page) for page in PAGES if page.path.parent.name == "guides"]
)
def test_a_guide_works(page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work(page, tmp_path, monkeypatch)
