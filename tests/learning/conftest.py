"""torch with one thread, as in training: more of them wait for each other beside other tests."""

from __future__ import annotations

import importlib.util

import pytest


@pytest.fixture(autouse=True, scope="session")
def one_thread() -> None:
    if importlib.util.find_spec("torch") is None:
        return  # games by trees need none
    import torch

    torch.set_num_threads(1)
