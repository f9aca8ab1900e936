"""Networks: descriptions that make none, and weights that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.engine.networks.architecture import Architecture
from evolve.engine.networks.network import Network
from evolve.errors import AgentError
from tests import networks


@pytest.mark.parametrize(
    ("seen", "layers", "words"),
    [
        ("everything", ["dense 1"], "no input 'everything'"),
        ("canonical", [], "0 layers"),
        ("canonical", ["dense"], "takes a size"),
        ("canonical", ["gate 5"], "takes no size"),
        ("canonical", ["dense 5000"], "1 to 4096"),
        ("canonical", ["dense 1 relu tanh"], "one of"),
        ("canonical", ["dense 1 softplus"], "one of"),
        ("canonical", ["gate norm", "dense 1"], "norm and dropout"),
        ("canonical", ["attention 3"], "not a layer"),
        ("canonical", ["dueling relu"], "nothing follows"),
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


def test_weights_that_do_not_fit() -> None:
    good = networks.random_network(networks.VALUE).weights
    with pytest.raises(AgentError, match="2 weights for 3"):
        Network(networks.VALUE, good[:2])
    with pytest.raises(AgentError, match=r"float64"):
        Network(networks.VALUE, [(good[0][0].astype(float), good[0][1]), *good[1:]])
    with pytest.raises(AgentError, match="finite"):
        Network(networks.VALUE, [(good[0][0] * np.float32(np.inf), good[0][1]), *good[1:]])
    arrays = networks.random_network(networks.VALUE).arrays()
    del arrays["biases-02"]
    with pytest.raises(AgentError, match="biases-02 is missing"):
        Network.from_arrays(networks.VALUE, arrays)
