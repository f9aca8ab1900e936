"""`--executor`, `--scheduler` and certificates: what cannot be, and where games are played."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from evolve.cli.executors import executor_for, on_cluster, where
from tests.cli import misused

TLS = ("--scheduler", "tls://127.0.0.1:9")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--executor=dask",), "--executor dask needs --scheduler URL, or EVOLVE_SCHEDULER"),
        (("--executor=threads", "--scheduler=tcp://127.0.0.1:9"), "--scheduler is for --executor"),
        (("--tls-ca=ca.pem",), "--tls-ca is for --executor dask"),
        (TLS, "a tls:// scheduler needs --tls-ca, --tls-cert and --tls-key"),
        ((*TLS, "--tls-ca=ca.pem"), "--tls-cert must be given with the others"),
    ],
)
def test_options_that_do_not_go_together(options: tuple[str, ...], said: str) -> None:
    Path("ca.pem").touch()
    assert said in misused("match", "swh", "zero", *options)


def test_without_options_games_are_played_on_threads() -> None:
    with click.Context(click.Command("match")), executor_for(2) as executor:
        assert not on_cluster()
        assert executor.slots == 2
        assert where(executor) == "2 threads"
