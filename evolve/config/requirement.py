"""Requirements of a sweep: comparisons of its parameters, such as `lo < hi`.

They are Python expressions, checked node by node before they run. Allowed are parameters, numbers,
texts, + - * / // %, comparisons, and, or, not, abs, min and max.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType
from typing import Any, Final, cast

from evolve.parsing import parse_python

_LONGEST: Final = 500
"""Most characters of a requirement."""
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
_TAKEN: Final = frozenset(keyword.kwlist) - {"and", "or", "not", "True", "False", "None"}
_FUNCTIONS: Final[Mapping[str, Callable[..., Any]]] = {"abs": abs, "min": min, "max": max}


@dataclass(frozen=True)
class Requirement:
    """A comparison of parameters that every trial fulfils; ValueError where it is none."""

    text: str

    def __post_init__(self) -> None:
        try:
            if not _is_condition(self._tree):
                raise ValueError(f"{self.text!r} is not a comparison, such as 'low < high'")
            _ = self._code
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
    def _code(self) -> tuple[CodeType, list[str]]:
        """The expression, compiled, and the parameters in it."""
        compiler = _Compiler()
        tree = ast.fix_missing_locations(ast.Expression(compiler.visit(self._tree)))
        return compile(tree, "<requirement>", "eval"), list(compiler.names)

    @property
    def names(self) -> list[str]:
        """The parameters in it, in their order."""
        return self._code[1]

    def holds(self, values: Mapping[str, Any]) -> bool:
        """Return whether values fulfil it; not where a division by zero leaves that open.

        Raises ValueError where it compares or reckons with texts as if they were numbers.
        """
        functions = {f"{name}()": function for name, function in _FUNCTIONS.items()}
        functions["number()"] = _number
        try:
            return bool(eval(self._code[0], {"__builtins__": {}, **functions}, values))
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


def _is_condition(node: ast.expr) -> bool:
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
