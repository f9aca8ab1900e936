"""Files for clusters: one image of this version, commands and settings that there are."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

import evolve
from evolve.cli.main import COMMANDS
from tests.cli import ROOT, invoke

DEPLOY = Path(ROOT) / "deploy"


def documents() -> list[Any]:
    found = [yaml.safe_load((DEPLOY / "compose.yaml").read_text())]
    return found + list(yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text()))


def values(document: Any, *names: str) -> list[Any]:
    """Of all keys so called, however deep."""
    if isinstance(document, list):
        return [value for one in document for value in values(one, *names)]
    if not isinstance(document, dict):
        return []
    here = [value for key, value in document.items() if key in names]
    return here + [value for one in document.values() for value in values(one, *names)]


def test_all_are_of_one_image_of_this_version() -> None:
    images = {image for image in values(documents(), "image") if not image.startswith("postgres:")}
    version = evolve.__version__.partition(".dev")[0]
    assert images == {f"evolve:{version}"}
    assert f"-t evolve:{version}" in (DEPLOY / "Containerfile").read_text()


def commands() -> list[list[str]]:
    """Each `evolve …` in what containers run, and in the remarks that say how to."""
    found = [part for part in values(documents(), "command", "args") if isinstance(part, list)]
    words = [word for part in found if part[0] != "sh" for word in [shlex.join(part)]]
    texts = words + [text for part in found for text in part if " evolve " in f" {text} "]
    texts += [(DEPLOY / name).read_text() for name in ("compose.yaml", "Containerfile")]
    lines = [line for text in texts for line in text.replace(";", "\n").splitlines()]
    told = [line.split("evolve ", 1)[1] for line in lines if " evolve " in f" {line}"]
    split = [shlex.split(line.rstrip("\\"), comments=True) for line in told]
    return [words for words in split if words and words[0] in COMMANDS]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_commands_and_their_options_are_there(words: list[str]) -> None:
    name = words[0]
    text = invoke(name, "--help").out
    for word in words[1:]:
        if word.startswith("--"):
            assert word in text, (word, name)


def test_there_are_some() -> None:
    assert {words[0] for words in commands()} >= {"run", "resume", "serve", "sweep", "match"}


def keys(settings: Any, before: tuple[str, ...] = ()) -> set[tuple[str, ...]]:
    """Where the values are, in nested settings."""
    if not isinstance(settings, dict):
        return {before}
    return {key for name, value in settings.items() for key in keys(value, (*before, name))}


def test_dasks_settings_are_ones_that_it_has() -> None:
    distributed = pytest.importorskip("distributed")
    defaults = Path(distributed.__file__).with_name("distributed.yaml")
    ours = keys(yaml.safe_load((DEPLOY / "dask.yaml").read_text()))
    assert len(ours) == 5
    assert ours <= keys(yaml.safe_load(defaults.read_text()))


def test_the_image_has_them() -> None:
    assert "COPY deploy/dask.yaml /etc/dask/" in (DEPLOY / "Containerfile").read_text()
