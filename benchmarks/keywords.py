"""Write the types of the settings that Python calls take: `evolve/keywords.pyi`, from the models.

    python -m benchmarks.keywords

Type checkers and editors then know `evolve.train(…, learning_rate=…)`; nothing is loaded for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

import evolve
from evolve.config.base import plain_type
from evolve.config.evolution import OWNABLE, EvolutionSettings
from evolve.config.matches import MatchSettings, RateSettings
from evolve.engine.board.rules import RULE_SETS
from evolve.learning.kind import KIND as TRAININGS
from evolve.sweeps.kind import KIND as SWEEPS

FILE = Path(evolve.__file__).parent / "keywords.pyi"
HEAD = '''"""The settings that Python calls take, made from models by `benchmarks.keywords`."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict

from evolve.agents.agent import Agent
from evolve.engine.board.rules import Rules
from evolve.population.genome import Encoding
'''
OTHERS = {
    ("StudyKeywords", "encoding"): "str | Encoding",
    ("MatchKeywords", "sprt"): "str | Sequence[float | str] | None",
    ("RateKeywords", "against"): "Sequence[Agent | str | Path] | str",
}
"""What calls take besides: agents and encodings made by the caller, and parts of a text."""


def type_of(name: str, field: FieldInfo) -> Iterable[str]:
    """The types that a call takes for a field."""
    kind, origin = plain_type(field.annotation), get_origin(plain_type(field.annotation))
    if name in OWNABLE and isinstance(field.json_schema_extra, dict):
        yield from ("str", "Callable[..., Any]")
    elif origin is Literal and set(get_args(kind)) == set(RULE_SETS):
        yield "Rules"
    elif origin is Literal:
        yield f"Literal[{', '.join(f'{choice!r}' for choice in get_args(kind))}]"
    elif origin is tuple:
        item = plain_type(get_args(kind)[0])
        yield f"Sequence[{item.__name__ if item in (int, float) else 'str'}]"
        if item is int:
            yield from ("int", "str")
    else:
        yield "Mapping[str, Any]" if origin is dict else kind.__name__
    if type(None) in get_args(field.annotation):
        yield "None"


def class_of(name: str, models: Iterable[type[BaseModel]], call: Any) -> str:
    """The keywords of a call: the fields of any of the models that are no arguments of its own."""
    types: dict[str, dict[str, None]] = {}
    for model in models:
        for field, info in model.model_fields.items():
            types.setdefault(field, {}).update(dict.fromkeys(type_of(field, info)))
    own = [*inspect.signature(call).parameters, "kind"]
    lines = [
        f"    {field}: {OTHERS.get((name, field)) or ' | '.join(sorted(kinds, key='None'.__eq__))}"
        for field, kinds in types.items()
        if field not in own
    ]
    return "\n".join((f"\n\nclass {name}(TypedDict, total=False):", *lines)) + "\n"


def text() -> str:
    """The whole file."""
    return "".join((
        HEAD,
        class_of("StudyKeywords", [EvolutionSettings], evolve.study).replace("    seed: int\n", ""),
        "\n\nclass EvolutionKeywords(StudyKeywords, total=False):\n    seed: int\n",
        class_of("TrainingKeywords", models_of(TRAININGS.variants), evolve.train),
        class_of("SweepKeywords", models_of(SWEEPS.variants), evolve.sweep),
        class_of("MatchKeywords", [MatchSettings], evolve.match),
        class_of("RateKeywords", [RateSettings], evolve.rate),
    ))  # fmt: skip


def models_of(variants: Mapping[str, Any]) -> list[type[BaseModel]]:
    """The settings models of what a command's second word chooses."""
    return [variant.model() for variant in variants.values()]


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
