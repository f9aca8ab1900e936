"""A scheduler with two workers, for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.cluster.dask import Place, place

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with place(tmp_path_factory.mktemp("dask"), 2) as found:
        yield found
