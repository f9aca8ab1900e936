"""`evolve perft`."""

from __future__ import annotations

import pytest

from tests.cli import done, misused

NODES = (1, 4, 12, 56, 244, 1396, 8200, 55092)


@pytest.mark.parametrize(("depth", "nodes"), list(enumerate(NODES)))
def test_perft(depth: int, nodes: int) -> None:
    document = done("perft", depth, "--json").document
    assert (document["depth"], document["nodes"]) == (depth, nodes)
    assert document["seconds"] >= 0
    assert str(nodes) in done("perft", depth).out.split()


@pytest.mark.parametrize("depth", ["-1", "21", "three", "1.5", ""])
def test_perft_of_no_depth(depth: str) -> None:
    assert "DEPTH" in misused("perft", "--", depth)
