"""Descriptions of networks, and what makes none."""

from __future__ import annotations

import pytest

from evolve.engine.networks.architecture import Architecture
from evolve.errors import AgentError


@pytest.mark.parametrize(
    ("seen", "layers", "words"),
    [
        ("everything", ["dense 1"], "no input 'everything'"),
        ("canonical", [], "0 layers"),
        ("canonical", ["dense"], "is not a layer"),
        ("canonical", ["gate 5"], "is not a layer"),
        ("canonical", ["dense 5000"], "is not a layer"),
        ("canonical", ["dense 1 relu tanh"], "is not a layer"),
        ("canonical", ["dense 1 softplus"], "is not a layer"),
        ("canonical", ["gate norm", "dense 1"], "is not a layer"),
        ("canonical", ["attention 3"], "is not a layer"),
        ("canonical", ["dueling relu"], "is not a layer"),
        ("canonical", ["dueling", "dense 1"], "must be the last"),
        ("canonical", ["dense 2"], "must give 1 value or 64"),
        ("planes", ["conv 1"], "must give 1 value or 64"),
        ("coloured", ["conv 8", "dense 1"], "must follow an input by squares"),
        ("canonical", ["dense 4096"] * 5 + ["dense 1"], "weights are more than"),
    ],
)
def test_what_is_no_network(seen: str, layers: list[str], words: str) -> None:
    with pytest.raises(AgentError, match=words):
        Architecture(seen, tuple(layers))
