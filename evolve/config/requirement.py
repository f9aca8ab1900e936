"""Requirements of a sweep: comparisons of its parameters, such as `lo < hi`.

They are read as Python expressions, and evaluated here, node by node: no code runs. Allowed are
parameters, numbers, texts, + - * / // %, comparisons, and, or, not, abs, min and max.
"""

from __future__ import annotations

import ast
import keyword
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, cast

from evolve.parsing import parse_python

_LONGEST: Final = 500
"""Most characters of a requirement."""
_BETWEEN: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_COMPARED: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_OF_ONE: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_DOTTED: Final = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|(?<![\w.])[A-Za-z_]\w*(?:\.\w+)+""", re.ASCII
)
"""A text in quotes, or a name with dots."""
_MARK: Final = "_number_"
"""Stands before a number in a name while it is Python, which has no `weights.0`."""
_TAKEN: Final = frozenset(keyword.kwlist) - {"and", "or", "not", "True", "False", "None"}
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {"abs": abs, "min": min, "max": max}


@dataclass(frozen=True)
class Requirement:
    """A comparison of parameters that every trial fulfils; ValueError where it is none."""

    text: str

    def __post_init__(self) -> None:
        try:
            if not _says_whether(self._tree):
                raise ValueError(f"{self.text!r} is not a comparison, such as 'low < high'")
            _check(self._tree)
        except RecursionError as error:
            raise ValueError(f"{self.text!r} nests too deep") from error

    @cached_property
    def _tree(self) -> ast.expr:
        if len(self.text) > _LONGEST:
            raise ValueError(f"a requirement has {_LONGEST} characters at most")
        try:
            return cast(
                "ast.expr", parse_python(_DOTTED.sub(_marked, self.text.strip()), "eval").body
            )
        except ValueError as error:
            taken = [word for word in re.findall(r"\w+", self.text) if word in _TAKEN]
            why = f": no parameter {taken[0]!r} can be in one, a word of Python" if taken else ""
            raise ValueError(
                f"{self.text!r} is not a comparison, such as 'low < high'{why}"
            ) from error

    @cached_property
    def names(self) -> list[str]:
        """The parameters in it, in their order."""
        found: dict[str, None] = {}
        _collect(self._tree, found)
        return list(found)

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether values fulfil it; not where a division by zero leaves that open.

        Raises ValueError where it compares or reckons with texts as if they were numbers.
        """
        try:
            return bool(_value(self._tree, values))
        except (ZeroDivisionError, OverflowError):
            return False
        except TypeError as error:
            raise ValueError(f"{self.text!r} mixes texts and numbers") from error


def _marked(found: re.Match[str]) -> str:
    """A name with marks before the numbers in it; a text in quotes as it is."""
    return found[0] if found[0][0] in "'\"" else re.sub(r"\.(?=\d)", f".{_MARK}", found[0])


def _says_whether(node: ast.expr) -> bool:
    if isinstance(node, ast.BoolOp):
        return all(map(_says_whether, node.values))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return _says_whether(node.operand)
    return isinstance(node, ast.Compare)


def _check(node: ast.expr) -> None:
    """Raise ValueError for any part that is not allowed."""
    match node:
        case ast.BoolOp(values=parts):
            pass
        case ast.Compare(left=left, ops=ops, comparators=more) if all(
            type(one) in _COMPARED for one in ops
        ):
            parts = [left, *more]
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BETWEEN:
            parts = [left, right]
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _OF_ONE:
            parts = [operand]
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]) if (
            name in _FUNCTIONS and (len(parts) == 1) == (name == "abs") and parts
        ):
            pass
        case ast.Constant(value=int() | float() | str() | bool()):
            return
        case ast.Name() | ast.Attribute() if _name_of(node) is not None:
            return
        case _:
            shown = ast.unparse(node).replace(_MARK, "")
            raise ValueError(
                f"{shown!r} may not be in a requirement: there are parameters, "
                "numbers, 'texts', + - * / // %, < <= > >= == !=, and, or, not, abs, min and max"
            )
    for part in parts:
        _check(part)


def _name_of(node: ast.expr) -> str | None:
    """The parameter that a node names, also `weights.0`-like ones with dots; None for another."""
    if isinstance(node, ast.Attribute):
        before = _name_of(node.value)
        return None if before is None else f"{before}.{node.attr.removeprefix(_MARK)}"
    return node.id if isinstance(node, ast.Name) else None


def _collect(node: ast.AST, found: dict[str, None]) -> None:
    name = _name_of(node) if isinstance(node, ast.expr) else None
    if name is not None:
        found[name] = None
        return
    parts = node.args if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    for part in parts:
        _collect(part, found)


def _value(node: ast.expr, values: Mapping[str, Any]) -> Any:
    match node:
        case ast.BoolOp(op=ast.And()):
            return all(_value(part, values) for part in node.values)
        case ast.BoolOp():
            return any(_value(part, values) for part in node.values)
        case ast.Compare():
            sides = [_value(part, values) for part in (node.left, *node.comparators)]
            pairs = zip(node.ops, sides, sides[1:], strict=False)
            return all(_COMPARED[type(op)](one, other) for op, one, other in pairs)
        case ast.BinOp():
            return _BETWEEN[type(node.op)](
                _number(_value(node.left, values)), _number(_value(node.right, values))
            )
        case ast.UnaryOp(op=ast.Not()):
            return not _value(node.operand, values)
        case ast.UnaryOp():
            return _OF_ONE[type(node.op)](_number(_value(node.operand, values)))
        case ast.Call(func=ast.Name(id=name)):
            return _FUNCTIONS[name](*(_number(_value(part, values)) for part in node.args))
        case ast.Constant():
            return node.value
    return values[str(_name_of(node))]


def _number(value: Any) -> Any:
    """Return a number; TypeError for a text, of which `%` and `*` make other texts."""
    if isinstance(value, str):
        raise TypeError
    return value
