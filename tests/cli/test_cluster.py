"""`--executor` and `--scheduler`."""

from __future__ import annotations

import click
import pytest

from evolve.cli.cluster import executor_for, on_cluster, where
from tests.cli import misused

pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--executor=dask",), "--executor dask needs --scheduler URL, or EVOLVE_SCHEDULER"),
        (("--executor=threads", "--scheduler=tcp://127.0.0.1:9"), "--scheduler is for --executor"),
    ],
)
def test_options_that_do_not_go_together(options: tuple[str, ...], said: str) -> None:
    assert said in misused("match", "swh", "zero", *options)


def test_without_options_games_are_played_on_threads() -> None:
    with click.Context(click.Command("match")), executor_for(2) as executor:
        assert not on_cluster()
        assert executor.slots == 2
        assert where(executor) == "2 threads"
