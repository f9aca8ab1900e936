"""The design of a study: settings of one command, each with the same seeds."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Final, cast

import tomli_w
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from evolve.config.base import Anything
from evolve.config.toml import read_toml, resolve_as
from evolve.errors import EvolveError, OptionsError, SettingsError
from evolve.parsing import faults, laid_over, split_pair
from evolve.runs.run_type import RunType, Variant
from evolve.runs.run_types import RUN_TYPES, kind_of

BASE: Final = "base"
"""Name of the setting in a study with only one."""
_MOST: Final = 10_000  # most runs of a study
_BEFORE_FIELD: Final = re.compile(r" (?=[\w.]+=)")
_WORD: Final = re.compile(r"[A-Za-z][\w-]*")
_COUNTED: Final = {"population": "individuals", "generations": "generations", "trials": "trials"}
"""What the numbers in fields count."""
_LONGEST: Final = 80  # most characters of a setting in the name of a folder
_GRID: Final = (
    "FIELD=A,B, such as --grid crossover=blend,uniform, or FIELD=A|B where values hold commas"
)
_SEEDS: Final = "seeds are numbers and ranges from 0, such as 0-9 or 1,4,7-9"


def seeds_of(value: Any) -> Any:
    """The seeds that a text such as `0-4,7` names; any other value stays as it is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,)
    if not isinstance(value, str):
        return value
    seeds: list[int] = []
    for part in value.split(","):
        match = re.fullmatch(r"(\d{1,18})(?:-(\d{1,18}))?", part.strip())
        if match is None:
            raise ValueError(f"{_SEEDS}, not {part.strip()!r}")
        first, last = int(match[1]), int(match[2] or match[1])
        if not first <= last < first + _MOST - len(seeds):
            raise ValueError(f"{_SEEDS}, {_MOST} at most in all, not {part.strip()!r}")
        seeds += range(first, last + 1)
    return tuple(seeds)


_Seed = Annotated[int, Field(ge=0, le=2**62)]


@dataclass(frozen=True)
class Setting:
    """What some runs of a study have in common, beside its settings.

    name: for people. varied: the fields in which settings of the study differ, with their values
    here. changes: the same values, in the form that is laid over the study's settings. stem: of the
    folders' names.
    """

    name: str
    varied: Mapping[str, Any] = field(hash=False)
    changes: Mapping[str, Any] = field(hash=False)
    stem: str

    @property
    def label(self) -> str:
        """In words; where settings differ in one field alone, its value."""
        values = list(self.varied.values())
        return text_of(values[0]) if len(values) == 1 else words_of(self.name)


@dataclass(frozen=True)
class Member:
    """One run of a study."""

    setting: Setting
    seed: int

    @property
    def name(self) -> str:
        """The name of its folder, inside the study's."""
        return "-".join(filter(None, (self.setting.stem, f"seed-{self.seed}")))


class StudySpec(BaseModel):
    """The design of a study, as in study.toml and the file for `evolve study`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    command: str = Field("run", description="run, train patterns, sweep alphabeta and the like")
    seeds: Annotated[tuple[_Seed, ...], BeforeValidator(seeds_of)] = Field(
        description="of the runs of each setting: 0-9, or a list", max_length=_MOST
    )
    settings: dict[str, Anything] = Field({}, description="of all runs, as the command's --config")
    grid: dict[str, Annotated[list[Anything], Field(min_length=1)]] = Field(
        {}, description="values of a setting, or of KEY in one as SETTING.KEY; all combinations"
    )
    variants: dict[str, dict[str, Anything]] = Field(
        {}, description="tables of settings, by their names; each with the whole grid"
    )

    @model_validator(mode="after")
    def _consistent(self) -> StudySpec:
        known = [name for kind in RUN_TYPES for name in kind.commands]
        if self.command not in known:
            raise ValueError(f"command = {self.command!r} is unknown; there are {', '.join(known)}")
        if not self.seeds:
            raise ValueError("seeds: there must be one or more")
        if len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds: a seed is given twice")
        combined = math.prod(map(len, self.grid.values()))
        if max(1, len(self.variants)) * combined * len(self.seeds) > _MOST:
            raise ValueError(f"a study has {_MOST} runs at most")
        _ = self.settings_of_runs  # ValueError where two are the same
        sections: dict[str, Mapping[str, Any]] = {"settings": self.settings, "grid": self.grid}
        sections |= {f"variants.{name}": fields for name, fields in self.variants.items()}
        for section, fields in sections.items():
            if "seed" in fields:
                own = "a study has seeds of its own: give these, not the setting"
                raise ValueError(f"{section}.seed: {own}")
        return self

    @property
    def kind(self) -> RunType:
        return kind_of(self.command, "the study")

    @property
    def variant(self) -> Variant:
        return self.kind.commands[self.command]

    @cached_property
    def settings_of_runs(self) -> tuple[Setting, ...]:
        """Every variant with every combination of the grid."""
        settings: list[Setting] = []
        stems: set[str] = set()
        for variant in self.variants or {"": {}}:
            for values in itertools.product(*self.grid.values()):
                varied = dict(zip(self.grid, values, strict=True))
                parts = [variant, *(f"{key}={text_of(value)}" for key, value in varied.items())]
                name = " ".join(filter(None, parts))
                stem = re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:_LONGEST]
                while name and (not stem or stem in stems):
                    stem = f"{stem}-{len(stems) + 1}".lstrip("-")
                stems.add(stem)
                changes = dict(self.variants.get(variant, {}))
                for key, value in varied.items():
                    name_of_field, dot, inner = key.partition(".")  # such as fix.depths
                    changes = laid_over(changes, {name_of_field: {inner: value} if dot else value})
                varied_in = {"variant": variant, **varied} if self.variants else varied
                settings.append(Setting(name or BASE, varied_in, changes, stem))
        names = [setting.name for setting in settings]
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"grid: {twice} is given twice")
        return tuple(settings)

    @cached_property
    def members(self) -> tuple[Member, ...]:
        """Its runs seed by seed, so that the first ones cover all settings."""
        return tuple(
            Member(setting, seed) for seed in self.seeds for setting in self.settings_of_runs
        )

    def values_of(self, member: Member) -> dict[str, Any]:
        """The settings of a run, for its command's --config."""
        return {**laid_over(self.settings, member.setting.changes), "seed": member.seed}

    def resolved(self, member: Member) -> BaseModel:
        """The checked settings of a run; SettingsError where they are wrong."""
        model, values = self.variant.model(), self.values_of(member)
        if "kind" in model.model_fields:
            values["kind"] = self.kind.word(self.command)
        return cast("BaseModel", resolve_as(model, self.variant.all_presets(), values))

    def checked(self) -> list[Any]:
        """The settings of its runs, one for each of `settings_of_runs`; SettingsError if wrong."""
        found = []
        for setting in self.settings_of_runs:
            try:
                found.append(self.resolved(Member(setting, self.seeds[0])))
            except EvolveError as error:
                prefix = "" if setting.name == BASE else f"{setting.name}: "
                raise SettingsError(f"{prefix}{error}") from error
        return found

    def text(self, versions: Mapping[str, str]) -> str:
        """The text of study.toml; `read_study_spec` reads it back."""
        values = self.model_dump(mode="json", exclude_defaults=True)
        values = {"command": self.command, **values, "seeds": list(self.seeds)}
        return tomli_w.dumps({**values, "versions": dict(versions)})


def study_spec_of(values: Mapping[str, Any], source: str) -> StudySpec:
    """A design from the values of a file or options; SettingsError, which names `source`."""
    try:
        return StudySpec.model_validate(values)
    except ValidationError as error:
        message = "; ".join(fault.text for fault in faults(error, StudySpec))
        raise SettingsError(f"{source}: {message}") from error


def read_study_spec(path: Path) -> StudySpec:
    """The design in a TOML file; SettingsError where it is wrong."""
    return study_spec_of(read_toml(path, but=("versions",)), str(path))


def grid_of(text: str) -> tuple[str, list[str]]:
    """Parse a line of the grid: FIELD=A,B, or FIELD=A|B where values contain commas."""
    name, values = split_pair("grid", text, _GRID)
    choices = [choice.strip() for choice in values.split("|" if "|" in values else ",")]
    if not all(choices):
        raise OptionsError(f"--grid takes {_GRID}, not {text!r}")
    return name, choices


def grid_line(name: str, values: Sequence[Any]) -> str:
    """The line of the grid with these values; OptionsError where `grid_of` would read others."""
    texts = list(map(text_of, values))
    mark = "|" if any("," in text for text in texts) else ","
    line = f"{name}={mark.join(texts)}"
    if grid_of(line) != (name, texts):
        raise OptionsError(
            "a command line cannot give these values: a single one with commas belongs in the "
            "settings, and none may have | or begin or end with a space"
        )
    return line


def bare(value: Any) -> Any:
    """Settings in the types of TOML: None values are left out."""
    if isinstance(value, Mapping):
        return {str(key): bare(item) for key, item in value.items() if item is not None}
    return [bare(item) for item in value] if isinstance(value, list | tuple) else value


def text_of(value: Any) -> str:
    """A field's value as part of a setting's name."""
    if isinstance(value, list | tuple):
        return ",".join(map(text_of, value))
    return str(value)


def short_names(names: Sequence[str]) -> tuple[str, list[str]]:
    """Names of settings where they stand side by side, and the fields that their values are of.

    `crossover=blend population=8` becomes `blend · 8`, of `crossover and population`; a field that
    is the same for all is left out. A study's name stays before it; other names stay as they are.
    """
    parted = [[part.partition("=") for part in _BEFORE_FIELD.split(name)] for name in names]
    heads = [" ".join(key for key, equals, _ in parts if not equals) for parts in parted]
    fields = [{key: value for key, equals, value in parts if equals} for parts in parted]
    keyed = [values for values in fields if values] or [{}]
    varied = [key for key in keyed[0] if len({values.get(key) for values in keyed}) > 1]
    tails = [" · ".join(values[key] for key in varied if key in values) for values in fields]
    short = [": ".join(filter(None, pair)) for pair in zip(heads, tails, strict=True)]
    alike = all(values.keys() == keyed[0].keys() for values in keyed)
    known = alike and len({*short} - {""}) == len(names)
    return (" and ".join(varied), short) if known else ("", list(names))


def words_of(name: str) -> str:
    """The name of a setting as people say it, such as `uniform crossover with 32 individuals`."""
    parts = [part.partition("=") for part in _BEFORE_FIELD.split(name)]
    texts: list[str] = []
    for key, equals, value in sorted(
        parts, key=lambda part: bool(part[1]) and not _WORD.fullmatch(part[2])
    ):
        label = key.rpartition(".")[2].replace("_", " ")
        if not equals:
            texts.append(key)
        elif value in ("True", "False"):
            texts.append(label if value == "True" else f"no {label}")
        elif _WORD.fullmatch(value):
            texts.append(f"{value.replace('_', ' ')} {label}")
        else:
            counted = key in _COUNTED and texts
            texts.append(f"{value} {_COUNTED[key]}" if counted else f"{label} {value}")
    head, *details = texts
    return f"{head} with {' and '.join(details)}" if details else head
