"""Values that nobody would send: in every field of every form, and as bodies. None is a fault of
the service, and what is taken is finite and has the words of a command line."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx
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


def post(app: App, path: str, body: bytes) -> httpx.Response:
    headers = {"Content-Type": "application/json"}
    return app.request("POST", f"{API}/{path}", content=body, headers=headers)


def problem(answer: httpx.Response) -> Any:
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return answer.json()


@pytest.mark.parametrize(
    "value",
    ["Infinity", "-Infinity", "NaN", "1e400", "-1e999", '"\\ud800"', '{"\\udfff": 1}', "[" * 99],
)
@pytest.mark.parametrize("path", ["commands/run/check", "jobs", "evaluations", "agents", "session"])
def test_what_is_no_json_of_everyone_is_refused_at_the_door(
    app: App, path: str, value: str
) -> None:
    bodies = (value, f'{{"settings": {{"blend": {value}}}}}', f'{{"agent": {value}}}')
    answers = [post(app, path, body.encode()) for body in bodies]
    assert [answer.status_code for answer in answers] == [400] * 3
    assert not [one for one in answers if "JSON" not in problem(one)["detail"]]


def test_whole_characters_are_let_in(app: App) -> None:
    body = b'{"settings": {"blend": 0.5}, "name": "\\ud83d\\ude00"}'
    assert post(app, "commands/run/check", body).status_code == 422, "as a name"
    body = json.dumps({"settings": {"blend": "\U0001f600"}}).encode()
    assert "blend" in problem(post(app, "commands/run/check", body))["detail"]
