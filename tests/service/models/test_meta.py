"""What kinds of runs say of themselves to the page."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from evolve.service.api.jobs import get_meta
from evolve.service.models.meta import Design, FileCheck, KindInfo


@pytest.mark.parametrize("kind", get_meta().kinds[:-1], ids=lambda kind: kind.name)
def test_the_first_table_of_a_kind_can_be_drawn(kind: KindInfo) -> None:
    first, names = kind.tables[0], {column.name for column in kind.tables[0].columns}
    assert first.whole
    assert first.key in names
    assert first.over
    assert set(first.over) <= names
    charts = [column.chart for column in first.columns if column.chart is not None]
    assert charts
    assert {
        len({one.format for one in first.columns if one.chart == chart}) for chart in charts
    } == {1}


def test_seeds_are_never_empty_and_a_check_may_not_decide() -> None:
    with pytest.raises(ValidationError, match="seeds"):
        Design(seeds="")
    FileCheck(good=True, findings=[{"name": "memory", "good": None, "text": "?"}])
