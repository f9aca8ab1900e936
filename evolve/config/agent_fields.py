"""Which settings name agents, or places outside their run.

Each field says so in its `json_schema_extra`. `names` is `agent` (a text), `agents` (a list),
`shares` (the keys of a mapping) or `place` (a file, a URL or a name elsewhere). `words` are texts
that name neither an agent nor a place.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pydantic import BaseModel

from evolve.parsing import split_list

Place = tuple[str | int, ...]
"""Position of a text in the settings: its keys, the outermost first."""


def names_of(model: type[BaseModel], field: str) -> str | None:
    """What a field names; None where it names nothing or there is no such field."""
    extra = _extra(model, field)
    return None if extra is None else extra.get("names")


def with_agents(
    model: type[BaseModel], values: Mapping[str, Any], change: Callable[[Place, str], str]
) -> dict[str, Any]:
    """Return the values, with each agent in them replaced by what `change` returns for it.

    Values with another form than their field takes stay as they are: validation reports them.
    """
    changed = dict(values)
    for field, value in values.items():
        extra = _extra(model, field) or {}
        names, words = extra.get("names"), extra.get("words", ())

        def one(place: Place, text: Any, words: Any = words) -> Any:
            return change(place, text) if isinstance(text, str) and text not in words else text

        if names == "agent":
            changed[field] = one((field,), value)
        elif names == "agents":
            listed = split_list(value)
            if isinstance(listed, list | tuple):
                changed[field] = [one((field, number), text) for number, text in enumerate(listed)]
        elif names == "shares" and isinstance(value, Mapping):
            changed[field] = {one((field, key), key): share for key, share in value.items()}
        elif names == "shares":
            changed[field] = {}
    return changed


def _extra(model: type[BaseModel], field: str) -> dict[str, Any] | None:
    info = model.model_fields.get(field)
    extra = None if info is None else info.json_schema_extra
    return extra if isinstance(extra, dict) else None
