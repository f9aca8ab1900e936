"""Values that nobody would send: in every field of every form, and as bodies. None is a fault of
the service, and what is taken is finite and has the words of a command line."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from evolve.service.forms import Form, form_of
from evolve.service.responses import ProblemError
from tests.service import API
from tests.service.inside import App

INFINITE: Final = (math.inf, -math.inf, math.nan)
ODD: Final[tuple[Any, ...]] = (
    *INFINITE,
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 10**60, -(10**60)),
    *(0.5, -0.0, 1e308, 5e-324, 1e17, 2.5),
    *("", " ", "x", "0", "1e400", "nan", "Infinity", "\ud800", "a\x00b", "\n", "--help", "ü" * 300),
    *("gtp:sh", "../x", "{x:1:2}", "1:2", "a=b", "1,2", ",", "1x2x3", "0x0x0", "9" * 30 + "x1"),
    *([], {}, [[]], [{}], [None], [math.nan], ["\ud800"], [0, 0], {"\ud800": 1}),
    *({"": 1}, {"x": math.inf}, {"x": [math.nan]}, {"kind": "x"}, {"low": 1, "high": 0}),
    *({"games": 1}, {"weights": [1, 2]}, {"depths": "x"}, {"self": math.inf}, {"x": {"low": []}}),
)
BASES: Final[Mapping[str, Mapping[str, Any]]] = {
    "sweep program": {"program": "gtp:./engine --x {x:1:50}"},
    "match": {"a": "swh", "b": "random"},
    "rate": {"agents": ["swh", "random"]},
}
"""What a form must be given."""


def taken(form: Form, settings: Mapping[str, Any]) -> dict[str, Any] | None:
    """What a form makes of settings; None where it refuses them."""
    found, status = None, 400
    try:
        _, rest = form_of(form.command, settings)
        found, _ = form.checked(rest, lambda _, text: text)
    except ProblemError as error:
        status = error.status
    assert 400 <= status < 500
    return found


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory, runner: asyncio.Runner) -> Iterator[App]:
    folder = tmp_path_factory.mktemp("served") / "runs"
    folder.mkdir()
    with App(folder, runner, idle=True) as app:
        yield app


def refused(app: App, path: str, body: str) -> tuple[int, str]:
    """The status and the detail of a problem."""
    headers = {"Content-Type": "application/json"}
    answer = app.request("POST", f"{API}/{path}", content=body.encode(), headers=headers)
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return answer.status_code, answer.json()["detail"]


@pytest.mark.parametrize(
    "value",
    ["Infinity", "-Infinity", "NaN", "1e400", "-1e999", '"\\ud800"', '{"\\udfff": 1}', "[" * 99],
)
@pytest.mark.parametrize("path", ["commands/run/check", "jobs", "evaluations", "agents", "session"])
def test_what_is_no_json_of_everyone_is_refused(app: App, path: str, value: str) -> None:
    bodies = (value, f'{{"settings": {{"blend": {value}}}}}', f'{{"agent": {value}}}')
    found = [refused(app, path, body) for body in bodies]
    assert [(status, "JSON" in detail) for status, detail in found] == [(400, True)] * 3


def test_whole_characters_are_let_in(app: App) -> None:
    path, body = "commands/run/check", '{"settings": {"blend": "\U0001f600"}}'
    assert refused(app, path, '{"name": "\\ud83d\\ude00"}')[0] == 422
    assert "blend" in refused(app, path, body)[1]
