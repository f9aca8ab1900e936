"""Settings out of options, files and presets, and written settings that read back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evolve.config.toml import config_text, read_toml, resolve
from evolve.errors import OptionsError, SettingsError


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"preset": "published"},
        {"fix": {"depths": "5,3,6"}, "bounds": {"weights": "-9:9"}, "tie": "weights,terms"},
        {"phases": 61, "time_limit": 0.5, "patience": 3, "start_from": 'a "b".json'},
    ],
)
def test_a_written_config_reads_back_the_same(tmp_path: Path, options: dict[str, Any]) -> None:
    settings = resolve(options)
    path = tmp_path / "config.toml"
    path.write_text(config_text(settings, {"evolve": "1"}), encoding="utf-8")
    assert resolve({}, read_toml(path)) == settings


def test_options_come_before_the_file_and_the_file_before_the_preset() -> None:
    file = {"preset": "published", "population": 20, "bounds": {"weights": [-7, 7]}}
    settings = resolve({"population": 10}, file)
    assert settings.population == 10
    assert settings.bounds["weights"] == (-7, 7)
    assert settings.bounds["depths"] == (1, 7), "of the preset"
    assert settings.openings == "start"


def test_settings_are_read_without_what_says_how_a_run_was_made(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('command = "run"\nseed = 3\n[versions]\nevolve = "0.2"\n', encoding="utf-8")
    assert read_toml(path) == {"seed": 3}
    with pytest.raises(SettingsError, match="No such file"):
        read_toml(tmp_path / "none.toml")


def test_options_and_files_are_told_apart() -> None:
    with pytest.raises(OptionsError) as caught:
        resolve({"population": "many"}, {"seed": "x" * 1000, "population": 8}, "x.toml")
    said = str(caught.value)
    assert said.startswith("x.toml: seed = ")
    assert "population = 'many': it must be a whole number (individuals in every" in said
    assert len(said) < 500
    with pytest.raises(SettingsError) as caught_of_file:
        resolve({}, {"population": 1.5}, "x.toml")
    assert not isinstance(caught_of_file.value, OptionsError)


def test_a_range_of_a_term_that_is_off_is_refused_where_it_is_asked_for() -> None:
    """A preset, and the config.toml of a run, has them too: that is no fault."""
    ranges = {"mobility": "-9:9", "stability": "-5:5", "weights": "-7:7"}
    with pytest.raises(OptionsError) as caught:
        resolve({"terms": "stability", "bounds": ranges})
    assert str(caught.value) == "bounds.mobility: the term is not among the terms in use"
    kept = resolve({"seed": 1}, {"terms": ["stability"], "bounds": ranges})
    assert kept.bounds["mobility"] == (-9, 9)
    with pytest.raises(OptionsError, match=r"bounds\.mobility"):
        resolve({"bounds": {"mobility": "-1:1"}}, {"terms": ["stability"]})
    assert resolve({"preset": "published", "terms": "stability"}).bounds["mobility"] == (-100, 100)


@pytest.mark.parametrize("content", [b"population = ", b"\xff", b"[[[", b"a = 1\na = 2"])
def test_files_that_are_no_toml(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.toml").write_bytes(content)
    with pytest.raises(SettingsError, match="TOML"):
        read_toml(tmp_path / "x.toml")
