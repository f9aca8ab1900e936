"""Networks: descriptions that make none, and weights that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from evolve.engine.networks.network import Network
from evolve.errors import AgentError
from tests import networks


def test_weights_that_do_not_fit() -> None:
    good = networks.random_network(networks.VALUE).weights
    with pytest.raises(AgentError, match=r"float64"):
        Network(networks.VALUE, [(good[0][0].astype(float), good[0][1]), *good[1:]])
    with pytest.raises(AgentError, match="finite"):
        Network(networks.VALUE, [(good[0][0] * np.float32(np.inf), good[0][1]), *good[1:]])
    arrays = networks.random_network(networks.VALUE).arrays()
    del arrays["biases-02"]
    with pytest.raises(AgentError, match="biases-02"):
        Network.from_arrays(networks.VALUE, arrays)
