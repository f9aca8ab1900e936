"""Settings of learning: all are explained, and what contradicts itself is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.config.learning import DqnSettings, LearningSettings, MctsSettings
from evolve.config.toml import config_text, read_toml, resolve_as
from evolve.errors import SettingsError

BOTH = pytest.mark.parametrize("model", [DqnSettings, MctsSettings])


@BOTH
def test_a_training_ends_somewhere(model: type[LearningSettings]) -> None:
    plain, counted = model(), model(games=5)
    assert plain.budget == plain.default_budget > 0
    assert (counted.budget, counted.games) == (None, 5)
    assert model(games=5, budget=7.0).budget == 7.0
    assert plain.identity == counted.identity == model(patience=3).identity
    assert plain.identity != model(seed=1).identity


@pytest.mark.parametrize("opponents", ["self=0.5,past=0.5", {"self": 0.5, "past": 0.5, "swh": 0}])
def test_opponents_with_a_share_count(opponents: Any) -> None:
    assert DqnSettings(opponents=opponents).opponents == {"self": 0.5, "past": 0.5}


def test_layers_are_written_as_on_the_command_line(tmp_path: Path) -> None:
    settings = DqnSettings(layers="dense  30 relu ,dense 64")  # type: ignore[arg-type]
    assert settings.layers == ("dense 30 relu", "dense 64")
    path = tmp_path / "config.toml"
    path.write_text(config_text(settings, {}, "train dqn"), encoding="utf-8")
    assert DqnSettings(**read_toml(path)) == settings


def test_the_models_are_measured_by_the_judge_of_the_rules() -> None:
    assert MctsSettings(rules="standard").accept_against == ("random", "swh-mobility")
    assert MctsSettings(rules="reversed").accept_against == ("random", "anti-swh-mobility")
    given = MctsSettings(rules="reversed", accept_against="swh")  # type: ignore[arg-type]
    assert given.accept_against == ("swh",)


@pytest.mark.parametrize(
    ("model", "settings", "words"),
    [
        (DqnSettings, {"layers": "dense 30"}, "layers: .*must give"),
        (DqnSettings, {"layers": "dense 1 tanh"}, "it must be actions or action"),
        (MctsSettings, {"layers": "dense 64"}, "it must be value or policy-value"),
        (MctsSettings, {"input": "coloured", "layers": "dense 1 tanh"}, "mover's side"),
        (MctsSettings, {"opponents": "past=1"}, "no past one"),
        (MctsSettings, {"first_ply": 50, "solved": 11}, "nothing to learn from ply 50 on"),
        (DqnSettings, {"opponents": "self=0"}, "a share over 0"),
        (DqnSettings, {"opponents": "self=x"}, "opponents"),
        (DqnSettings, {"reward": "none"}, "positional or shaping"),
        (DqnSettings, {"gamma": 2}, "gamma"),
        (DqnSettings, {"preset": "s9"}, "s9"),
        (DqnSettings, {"reward": "halves"}, "negamax"),
        (DqnSettings, {"bootstrap": "own", "shaping": 1, "lookahead": 1}, "lookahead"),
        (DqnSettings, {"bootstrap": "own", "minimax": True}, "no positional reward"),
        (
            DqnSettings,
            {"input": "coloured-move", "layers": "dense 1", "others_zero": True},
            "legal moves alone",
        ),
    ],
)
def test_contradictions_are_named(
    model: type[LearningSettings], settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(SettingsError, match=words):
        resolve_as(model, {}, settings)
