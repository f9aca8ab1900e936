"""What there is to choose from reaches clients and the page from the registries alone."""

from __future__ import annotations

import re
from pathlib import Path

import evolve
from evolve.engine.board.rules import RULE_SETS
from evolve.runs.run_types import RUN_TYPES
from evolve.service.api.welcome import get_meta

WEB = Path(evolve.__file__).parent / "service/web"


def test_the_page_has_the_modules_that_kinds_name() -> None:
    named = {kind.page for kind in get_meta().kinds} - {None}
    assert named == {path.stem for path in (WEB / "kinds").glob("*.js")}


def test_no_script_has_a_list_of_its_own() -> None:
    names = {kind.name for kind in RUN_TYPES} - {"run"}  # which is the name of a page, too
    names |= {table.name for kind in RUN_TYPES for table in kind.tables} - {
        *("games", "generations", "metrics")  # paths of the API, too
    }
    names |= {*RULE_SETS}
    own = "|".join(sorted(names))
    scripts = [*WEB.glob("*.js"), *(WEB / "pages").glob("*.js")]
    assert len(scripts) > 15
    found = [
        f"{script.name}: {match[0]}"
        for script in scripts
        for match in re.finditer(rf"[\"'`]({own})[\"'`]", script.read_text(encoding="utf-8"))
    ]
    assert found == []
