"""What `evolve resume` keeps: every option of a command whose work goes on has its place here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import click
import pytest
from pydantic import BaseModel, ValidationError

from evolve.cli.match import match_command
from evolve.cli.rate import rate_command
from evolve.cli.run import command_of, resume_command, run_command, study_command
from evolve.cli.sweep import sweep_command
from evolve.config.base import plain_type
from evolve.config.evolution import EvolutionSettings
from evolve.config.learning import DqnSettings, MctsSettings
from evolve.config.matches import MatchSettings, RateSettings
from evolve.config.pattern_training import PatternSettings
from evolve.config.sweep import ProgramSweepSettings, SweepSettings
from evolve.config.toml import config_text, resolve_as
from evolve.learning.kind import KIND as TRAININGS
from evolve.runs.life_cycle import stored_settings
from evolve.runs.run_type import RunType
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.study_spec import StudySpec, read_study_spec, study_spec_of
from tests.cli import done, fails

_TRAIN: Any = command_of(TRAININGS)
COMMANDS: Final[Mapping[str, tuple[click.Command, type[BaseModel]]]] = {
    "run": (run_command, EvolutionSettings),
    "train dqn": (_TRAIN.commands["dqn"], DqnSettings),
    "train mcts": (_TRAIN.commands["mcts"], MctsSettings),
    "train patterns": (_TRAIN.commands["patterns"], PatternSettings),
    "sweep program": (sweep_command.commands["program"], ProgramSweepSettings),
    "sweep mcts": (sweep_command.commands["mcts"], SweepSettings),
    "study": (study_command, StudySpec),
    "match": (match_command, MatchSettings),
    "rate": (rate_command, RateSettings),
}
"""Commands that make long work, with the model whose fields are kept: in config.toml, in
study.toml, or in what the files of a match and of a rating say of it."""

OF_STUDIES: Final = ("seeds", "grid")
"""Kept in study.toml."""

CHANGES_NOTHING: Final[Mapping[str, str]] = {
    "config": "its values are settings, and kept as such",
    "out": "where the work is kept",
    "progress": "tells what happens",
    "log": "tells what is said to programs and by them",
    "json": "how the result is printed",
    "list": "shows what would be searched, and starts nothing",
    "scheduler": "where games are played; test_a_run_on_a_cluster_has_the_tables_of_one_on_threads",
    "jobs": "threads; test_tables_are_the_pinned_ones, test_jobs_change_nothing and others",
}
"""Options that no result depends on, with the reason. `jobs` of a sweep is none: it is a field."""

MAY_CHANGE: Final[Mapping[str, str]] = {
    **dict.fromkeys(("generations", "games", "budget", "trials"), "how far it goes"),
    **dict.fromkeys(("patience", "until_rest", "time_limit", "timeout"), "when it ends"),
    "jobs": "a line says so: test_a_sweep_keeps_how_many_workers_it_had",
    "seeds": "further runs of a study",
    "allow_programs": "an agreement, which is the user's of today",
}
"""Options of `evolve resume`: what they change."""


def options(command: click.Command) -> set[str]:
    found = [one for one in command.params if isinstance(one, click.Option)]
    return {max(one.opts, key=len).lstrip("-") for one in found}


def fields(command: str) -> set[str]:
    return {name.replace("_", "-") for name in COMMANDS[command][1].model_fields}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_kept_or_changes_nothing(command: str) -> None:
    kept = fields(command) | (set() if command in ("match", "rate") else set(OF_STUDIES))
    strange = options(COMMANDS[command][0]) - kept - set(CHANGES_NOTHING)
    assert not strange, "does a result depend on it? then it must be a setting, which is kept"


def test_no_class_of_options_names_any_that_is_gone() -> None:
    known = set().union(*(options(command) for command, _ in COMMANDS.values()))
    assert set(CHANGES_NOTHING) <= known
    sweeps = {"sweep mcts", "sweep program"}
    assert [fields(command) & set(CHANGES_NOTHING) for command in COMMANDS] == [
        {"jobs"} if command in sweeps else set() for command in COMMANDS
    ]


def test_what_resume_may_change() -> None:
    found = options(resume_command) - (set(CHANGES_NOTHING) - {"jobs"})
    assert {name.replace("-", "_") for name in found} == set(MAY_CHANGE)
    models = [
        (kind, {one.name for one in kind.changes_of(command)}, {*variant.model().model_fields})
        for kind in RUN_TYPES
        for command, variant in kind.commands.items()
    ]
    assert not [changes for _, changes, known in models if changes - known]
    assert [kind.workers for kind, _, _ in models] == ["jobs" in known for _, _, known in models]


# What is kept, proved of each setting of each kind: written and read again by what `resume` reads
# it with, another value than the default is the same.

WORDS: Final = [(kind, command) for kind in RUN_TYPES for command in kind.commands]
NETWORK: Final = {"dqn": "dense 8 relu, dense 64", "mcts": "dense 8 relu, dense 1 tanh"}
PROGRAM: Final = {"program": "gtp:engine --x {x:1:9}"}
OTHERS: Final[Mapping[str, list[dict[str, Any]]]] = {
    "bounds": [{"bounds": {"depths": (2, 3)}}],
    "fix": [{"fix": {"depths": 4}}, {"fix": {"gamma": 0.9}}],
    "space": [{"space": {"x": {"low": 1, "high": 2}}}],
    "boundaries": [{"boundaries": (20, 40)}],
    "terms": [{"terms": ("mobility",)}],
    "tie": [{"tie": ("weights",)}],
    "start_from": [{"start_from": "swh"}],
    "opponents": [{"opponents": 5}, {"opponents": {"random": 1.0}}],
    "layers": [{"layers": text} for text in NETWORK.values()],
    "shapes": [{"shapes": ("corner", "edge")}],
    "accept_against": [{"accept_against": ("random",)}],
    "panel": [{"panel": "fixed"}, {"panel": ("random", "swh")}],
    "require": [{"require": ("x < 3",)}],
    "rungs": [{"rungs": ("4x20", "2x30x2"), "budget": 5.0}],
    "program": [{"program": "gtp:other --x {x:1:9}"}],
    "set_command": [{"set_command": "set {name} to {value}"}],
    "minimax": [{"minimax": True, "positional": 0.5, "bootstrap": "own"}],
    "shaping": [{"shaping": 0.5, "bootstrap": "own"}],
    "reward": [{"reward": "outcome"}],
    "random_first": [{"random_first": 0.5}],
    "games": [{"games": 500}, {"games": 100_000}],
}
"""Other values of settings that have none by their type, or that go with others alone."""


@pytest.mark.parametrize(("kind", "command"), WORDS, ids=lambda one: getattr(one, "name", one))
def test_settings_are_read_as_they_were_written(
    kind: RunType, command: str, tmp_path: Path
) -> None:
    file, variant = tmp_path / "config.toml", kind.commands[command]
    model = variant.model()
    word: dict[str, Any] = {"kind": kind.word(command)} if "kind" in model.model_fields else {}
    needed = {**word, **(PROGRAM if command == "sweep program" else {})}
    tried, other = 0, list[object]()
    for name, field in model.model_fields.items():
        extra = field.json_schema_extra
        choices = extra.get("choices", ()) if isinstance(extra, dict) else ()
        numbers = {int: (1, 7, 30), float: (0.25, 2.0)}.get(plain_type(field.annotation), ())
        for values in [*OTHERS.get(name, ()), *({name: one} for one in (*choices, *numbers))]:
            try:
                settings: BaseModel = resolve_as(model, variant.all_presets(), {**needed, **values})
            except (ValidationError, ValueError):
                continue
            tried += 1
            file.write_text(config_text(settings, {}, command), encoding="utf-8")
            other += [values] * (stored_settings(kind, command, file) != settings)
    assert not other
    assert tried > len(model.model_fields) / 2


def test_every_part_of_a_study_is_read_as_it_was_written(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "command": "sweep alphabeta",
        "seeds": "3-5",
        "settings": {"jobs": 2, "trials": 5},
        "grid": {"sampler": ["tpe", "random"]},
        "variants": {"few": {"startup": 2}, "many": {"startup": 20}},
    }
    assert set(values) == set(StudySpec.model_fields)
    design = study_spec_of(values, "here")
    file = tmp_path / "study.toml"
    file.write_text(design.text({"evolve": "0"}), encoding="utf-8")
    assert read_study_spec(file) == design


# A rating goes on by the same command again: with another setting it must be refused. So does a
# match: tests/arena/test_match_files.py.

OTHER_RATING: Final[Mapping[str, tuple[str, ...]]] = {
    "openings": ("--openings=start",), "opening_plies": ("--opening-plies=5",),
    "seed": ("--seed=1",), "rules": ("--rules=reversed",), "games": ("--games=2",),
}  # fmt: skip

OF_GAUNTLETS: Final = ("against", "elos")
"""Kept as well: tests/transcripts/rate.txt."""


def test_a_rating_with_another_setting_does_not_go_on() -> None:
    assert {*OTHER_RATING, *OF_GAUNTLETS, "agents"} == set(RateSettings.model_fields)
    done("rate", "random", "zero", "--games=4", "--jobs=1", "--out=rating")
    done("rate", "random", "zero", "--games=4", "--jobs=2", "--out=rating")
    named = [
        fails("rate", "random", "zero", "--games=4", *words, "--out=rating").split()[2]
        for words in OTHER_RATING.values()
    ]
    # With a length of their own, openings are drawn at random.
    assert named == ["openings" if name == "opening_plies" else name for name in OTHER_RATING]
    fails("rate", "zero", "random", "--games=4", "--out=rating")


def test_the_models_are_those_of_the_commands() -> None:
    sweeps = {"sweep program": "sweep program"}
    words = [sweeps.get(one, "sweep mcts") if one.startswith("sweep") else one for _, one in WORDS]
    models: list[Any] = [kind.commands[command].model() for kind, command in WORDS]
    assert not [model for model in models if not {*model.GROUPS} <= {*model.model_fields}]
    pairs = zip([COMMANDS[word][1] for word in words], models, strict=True)
    assert not [pair for pair in pairs if not issubclass(*pair)]
    assert issubclass(ProgramSweepSettings, SweepSettings)
