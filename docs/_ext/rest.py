"""The pages of the REST API, made of its own description, the service's `openapi.json`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from commands import write

from evolve.service.server import API, make_app

Schema = dict[str, Any]
HEADS: Final = {
    "jobs": "Jobs", "runs": "Runs and studies", "commands": "Commands and their settings",
    "agents": "Agents", "plays": "Games against agents", "goals": "What to begin with",
}  # fmt: skip
"""Titles of paths that begin with these; all others are under `OTHERS`."""
OTHERS: Final = "Other resources"


def endpoints(document: Schema) -> Iterator[str]:
    """The page of all requests."""
    yield "# REST endpoints\n"
    yield f"Each path begins with `{API}`. [The REST API](../rest.md) says how to ask. Every fault"
    yield "is a [Problem](schemas.md#problem).\n"
    groups: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        short = path.removeprefix(API)
        head = HEADS.get(short.split("/")[1], OTHERS)
        for method, what in methods.items():
            groups.setdefault(head, []).extend(_endpoint(f"{method.upper()} {short}", what))
    for head in sorted(groups, key=[*HEADS.values(), OTHERS].index):
        yield f"## {head}\n"
        yield from groups[head]


def schemas(document: Schema) -> Iterator[str]:
    """The page of all documents that are sent."""
    yield "# REST documents\n"
    yield "What requests send and what answers hold, as JSON.\n"
    for name, schema in sorted(document["components"]["schemas"].items()):
        yield f"## {name}\n"
        yield from _lines(schema)
        required = schema.get("required", ())
        rows = [
            (f"`{field}`", _type(about), _about(about, field in required))
            for field, about in schema.get("properties", {}).items()
        ]
        yield from _table(("Field", "Type", "About"), rows)


def _endpoint(head: str, what: Schema) -> Iterator[str]:
    yield f"### `{head}`\n"
    yield from _lines(what)
    rows = [
        (
            f"`{one['name']}`",
            one["in"],
            _type(one["schema"]),
            _about(one["schema"], one.get("required")),
        )
        for one in what.get("parameters", ())
    ]
    yield from _table(("Parameter", "In", "Type", "About"), rows)
    for body in what.get("requestBody", {}).get("content", {}).items():
        yield f"Send: {_content(*body)}\n"
    for code, answer in what["responses"].items():
        if not code.endswith("XX"):
            contents = [_content(*body) for body in answer.get("content", {}).items()]
            yield f"Answer: {code}, {' or '.join(contents) or 'no content'}\n"


def _lines(what: Schema) -> Iterator[str]:
    if text := what.get("description"):
        yield text.strip() + "\n"


def _content(kind: str, body: Schema) -> str:
    made = _type(body.get("schema", {}))
    return made if kind == "application/json" and made != "anything" else f"`{kind}`"


def _type(schema: Schema, page: str = "schemas.md") -> str:
    """A type in words, with links to the documents that it names."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        return f"[{name}]({page}#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        parts = [_type(one, page) for one in schema.get("anyOf") or schema["oneOf"]]
        parts = [part for part in dict.fromkeys(parts) if part != "null"]
        return " or ".join(parts)
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "anything")
    if kind == "array" and "items" in schema:
        return f"list of {_type(schema['items'], page)}"
    if kind == "object" and isinstance(schema.get("additionalProperties"), dict):
        return f"object of {_type(schema['additionalProperties'], page)}"
    return str(kind)


def _about(schema: Schema, required: bool | None) -> str:
    parts = [*schema.get("anyOf", ()), schema]
    said = [schema["description"].strip().replace("\n", " ")] if "description" in schema else []
    bounds = {
        "minimum": "at least", "maximum": "at most", "maxLength": "at most, in characters:",
        "maxItems": "at most, in items:",
    }  # fmt: skip
    said += [f"{word} {one[key]}" for one in parts for key, word in bounds.items() if key in one]
    if schema.get("default") is not None:
        said.append(f"default `{schema['default']}`")
    elif required:
        said.append("required")
    return "; ".join(said).replace("|", "\\|")


def _table(heads: tuple[str, ...], rows: list[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        lines = [heads, ("---",) * len(heads), *rows]
        yield "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def setup(app: Any) -> None:
    """Write the pages."""
    folder = Path(app.srcdir) / "reference/rest"
    events = SimpleNamespace(response=lambda request: None)
    nobody: Any = SimpleNamespace(events=events, open=None, close=None)
    document = make_app(nobody, token="x" * 16).openapi()
    for name, page in (("endpoints", endpoints), ("schemas", schemas)):
        write(folder / f"{name}.md", "\n".join(page(document)))
