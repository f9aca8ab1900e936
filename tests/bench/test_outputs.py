"""Printed outputs on pages are renewed line by line."""

from __future__ import annotations

from benchmarks.outputs import renewed

OUTPUT = "note\nplace  agent    Elo\n1      level-2  +19 ± 2\n2      level-3  +1 ± 51\n"


def test_an_output_that_is_there_stays() -> None:
    below = "place agent Elo\n…\n2 level-3 +1 ± 51\n"
    assert renewed(below, OUTPUT) == (below, [])


def test_lines_get_the_numbers_of_the_output() -> None:
    below = "place  agent\n1      level-3  +194 ± 72\n…\nin words\n"
    new, lost = renewed(below, OUTPUT)
    assert new == "place  agent\n1      level-2  +19 ± 2\n…\nin words\n"
    assert lost == ["in words"]
