"""Documents of agents: what clients may send, by its fields alone."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from evolve.service.models.agents import NewEvaluation, NewPlay, PlayMove, Upload


def test_what_is_left_out_has_its_default() -> None:
    asked = NewEvaluation.model_validate({"agent": "swh?depth=2", "position": {}})
    position = asked.position
    assert (position.moves, position.board, position.rules) == ("", None, "standard")
    play = NewPlay.model_validate({"agent": "run:small:0-1"})
    assert (play.rules, play.side, play.moves) == (None, "black", "")


@pytest.mark.parametrize(
    ("model", "document"),
    [
        (NewEvaluation, {"agent": "swh"}),
        (NewEvaluation, {"agent": "../swh", "position": {}}),
        (NewEvaluation, {"agent": "swh", "position": {"rules": "none"}}),
        (NewEvaluation, {"agent": "swh", "position": {"moves": "f5" * 1001}}),
        (NewPlay, {"agent": "swh", "side": "red"}),
        (NewPlay, {"agent": "swh", "depth": 2}),
        (PlayMove, {"move": "f5", "ply": -1}),
        (PlayMove, {"move": "f" * 41}),
        (Upload, {"name": "a" * 201, "data": ""}),
    ],
)
def test_what_is_no_document(model: type[BaseModel], document: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        model.model_validate(document)
