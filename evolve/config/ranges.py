"""Ranges of a sweep's parameters, as texts and as scales, and what it requires of them.

The text of a range is LOW:HIGH[:log|:STEP][=DEFAULT], A|B or A|. A position is a number's place in
its range, 0 to 1. Requirements, such as `lo < hi`, are Python expressions, checked node by node
before they run. Allowed are parameters, numbers, texts, + - * / // %, comparisons, and, or, not,
abs, min and max.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from evolve.errors import OptionsError
from evolve.parsing import parse_python

EXAMPLE: Final = (
    "write {corner:1:50}, {weight:0.0:1.0:0.1}, {rate:0.1:5:log=1} or {style:calm|wild}"
)
OF_SETTINGS: Final = "write LOW:HIGH, LOW:HIGH:STEP, LOW:HIGH:log or A|B"
"""The same where a range stands after a parameter's name."""


def range_of(text: str, where: str, example: str = EXAMPLE) -> dict[str, Any]:
    """Return the table of a space file for a text, as {low, high} or {choices}.

    LOW: and :HIGH leave the other end as it is. Where every choice has a `=`, none is a default.
    Raises OptionsError, which begins with `where` and ends with `example`.
    """
    ranged, equals, default = text.partition("=")
    if all("=" in choice for choice in text.split("|")) and "|" in text:
        ranged, equals = text, ""
    if "|" in ranged or ":" not in ranged:
        table = _choices(ranged, where, example)
    else:
        table = _ends(ranged, where, example)
    if equals:
        texts = isinstance(table.get("choices", [0])[0], str)
        table["default"] = default if texts else typed(default)
    return table


def range_text(table: Mapping[str, Any]) -> str:
    """Return the text that gives a table."""
    choices, default = table.get("choices"), table.get("default")
    if isinstance(choices, list):
        text = "|".join(map(_word, choices)) + "|" * (len(choices) == 1)
    else:
        more = "log" if table.get("log") else table.get("step")
        parts = [table.get("low"), table.get("high"), *([] if more is None else [more])]
        text = ":".join(map(_word, parts))
    return text if default is None else f"{text}={_word(default)}"


def _word(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _choices(text: str, where: str, example: str) -> dict[str, Any]:
    texts = text.split("|")
    if len(texts) == 2 and not texts[1]:
        del texts[1]
    choices = list(map(typed, texts))
    if "|" not in text or "" in choices or len({*choices}) < len(choices):
        raise OptionsError(f"{where}: is neither a range nor a choice: {example}")
    return {"choices": choices if len({*map(type, choices)}) == 1 else texts}


def _ends(text: str, where: str, example: str) -> dict[str, Any]:
    low, high, *more = text.split(":")
    ends = zip(("low", "high"), (low, high), strict=True)
    table = {key: typed(end) for key, end in ends if end.strip()}
    if not table or len(more) > 1 or any(isinstance(end, str) for end in table.values()):
        raise OptionsError(f"{where}: is not a range: {example}")
    if [part.strip().lower() for part in more] == ["log"]:
        return {**table, "log": True}
    if more and isinstance(typed(more[0]), str):
        raise OptionsError(f"{where}: {more[0]!r} is neither log nor a step, such as 5 or 0.1")
    return {**table, **({"step": typed(more[0])} if more else {})}


def typed(text: str) -> float | int | str:
    """Return a number where the text is one, otherwise the text.

    Blanks around a number are ignored. `1_000` is not a number: only Python reads it as one.
    """
    number = text.strip()
    if re.fullmatch(r"[-+]?[0-9]{1,15}", number):
        return int(number)
    try:
        return float(number) if re.search("[0-9]", number) and "_" not in number else text
    except ValueError:
        return text


class _Scale(Protocol):
    """A range of numbers; with log, equal ratios are equally far apart."""

    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def log(self) -> bool: ...


def to_unit(value: float, scale: _Scale) -> float:
    """Return the position of a value in its range, 0 to 1; .5 where the range is one value."""
    scaled = math.log if scale.log else float
    low, high = scaled(scale.low), scaled(scale.high)
    return 0.5 if low == high else (scaled(value) - low) / (high - low)


def value_at(position: float, scale: _Scale) -> float:
    """Return the number at a position, without a grid; outside 0 to 1, the nearest end."""
    scaled = math.log if scale.log else float
    low, high = scaled(scale.low), scaled(scale.high)
    value = low + min(1.0, max(0.0, position)) * (high - low)
    if scale.log:
        value = math.exp(value)
    return min(max(value, scale.low), scale.high)


_LONGEST: Final = 500  # most characters of a requirement
_ALLOWED: Final = (
    ast.BoolOp, ast.boolop, ast.Compare, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq,
    ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod,
    ast.UnaryOp, ast.USub, ast.UAdd, ast.Not, ast.Load,
)  # fmt: skip
_DOTTED: Final = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+""", re.ASCII
)
"""A text in quotes, or a name with dots."""
_MARK: Final = "_number_"
"""Stands before a number in a name while it is Python, which has no `weights.0`."""
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {"abs": abs, "min": min, "max": max}


class Requirement:
    """A comparison of parameters that every trial fulfils; ValueError where it is none.

    names: the parameters in it, in their order.
    """

    def __init__(self, text: str) -> None:
        self.text, compiler = text, _Compiler()
        if len(text) > _LONGEST:
            raise ValueError(f"a requirement has {_LONGEST} characters at most")
        try:
            try:
                tree = parse_python(_DOTTED.sub(_marked, text.strip()), "eval").body
            except ValueError:
                tree = None
            if not _is_condition(tree):
                raise ValueError(f"{text!r} is not a comparison, such as 'low < high'")
            expression = ast.fix_missing_locations(ast.Expression(compiler.visit(tree)))
            self._code = compile(expression, "<requirement>", "eval")
        except RecursionError as error:
            raise ValueError(f"{text!r} nests too deep") from error
        self.names = list(compiler.names)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether values fulfil it; not where a division by zero leaves that open.

        Raises ValueError where it compares or reckons with texts as if they were numbers.
        """
        functions = {f"{name}()": function for name, function in _FUNCTIONS.items()}
        functions["number()"] = _number
        try:
            return bool(eval(self._code, {"__builtins__": {}, **functions}, values))
        except (ZeroDivisionError, OverflowError):
            return False
        except TypeError as error:
            raise ValueError(f"{self.text!r} mixes texts and numbers") from error


def _number(value: Any) -> Any:
    """Return a number; TypeError for a text, of which `%` and `*` make other texts."""
    if isinstance(value, str):
        raise TypeError
    return value


def _marked(found: re.Match[str]) -> str:
    """A name with marks before the numbers in it; a text in quotes as it is."""
    return found[0] if found[0][0] in "'\"" else re.sub(r"\.(?=\d)", f".{_MARK}", found[0])


def _is_condition(node: ast.expr | None) -> bool:
    if isinstance(node, ast.BoolOp):
        return all(map(_is_condition, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _is_condition(node.operand)
    return isinstance(node, ast.Compare)


def _operand(node: ast.expr) -> ast.Call:
    return ast.Call(ast.Name("number()", ast.Load()), [node], [])


class _Compiler(ast.NodeTransformer):
    """Checks a tree, makes one name of each parameter, and has operands checked when they run."""

    def __init__(self) -> None:
        self.names: dict[str, None] = {}

    def visit(self, node: ast.AST) -> Any:
        match node:
            case ast.Name() | ast.Attribute():
                text = ast.unparse(node)
                if re.fullmatch(r"\w+(\.\w+)*", text):
                    name = text.replace(_MARK, "")
                    self.names[name] = None
                    return ast.Name(name, ast.Load())
            case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if (
                name in _FUNCTIONS and (len(parts) == 1) == (name == "abs") and parts
            ):
                arguments: list[ast.expr] = [_operand(self.visit(part)) for part in parts]
                return ast.Call(ast.Name(f"{name}()", ast.Load()), arguments, [])
            case ast.Constant(value=int() | float() | str() | bool()):
                return node
            case _ if isinstance(node, _ALLOWED):
                self.generic_visit(node)
                if isinstance(node, ast.BinOp):
                    node.left, node.right = _operand(node.left), _operand(node.right)
                elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
                    node.operand = _operand(node.operand)
                return node
        shown = ast.unparse(node).replace(_MARK, "")
        raise ValueError(
            f"{shown!r} may not be in a requirement: there are parameters, "
            "numbers, 'texts', + - * / // %, < <= > >= == !=, and, or, not, abs, min and max"
        )
