"""Comparisons as tables for people, and for a document: LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from evolve.number_text import is_elo
from evolve.terminal_text import plain

if TYPE_CHECKING:
    import pandas as pd

ENDINGS: Final = (".tex", ".md")
"""Endings of the files of documents."""
_HEADS: Final = ["setting", "seeds", "mean", "95 %"]
_NONE: Final = "–"
_LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
        "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", "[": "{[}", "]": "{]}",
        "−": "$-$", "–": "--", **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    }
)  # fmt: skip
_NUMBER: Final = re.compile(r"[<+−-]?\s?[0-9][0-9.,]*")


class Section(NamedTuple):
    """One table: what it shows, the heads of its columns, and its rows."""

    title: str
    heads: list[str]
    rows: list[list[str]]


def sections_of(frame: pd.DataFrame) -> list[Section]:
    """Return a comparison as tables of texts: settings, then differences, metric by metric."""
    sections = []
    for name, part in frame.groupby("metric", sort=False):
        scores = name == "head_to_head"
        compared, head = part["against"].notna(), "score" if scores else "difference"
        effects = part["over"].notna()
        for title, chosen in (
            (f"{name}: means over seeds, with Student's 95 % intervals", ~compared),
            ("champions in matches, seed by seed: scores of the first", compared & scores),
            (f"differences in {name}, seed by seed", compared & ~effects & (not scores)),
            (f"main effects on {name}, seed by seed: means over the other settings", effects),
        ):
            if not chosen.any():
                continue
            of_two, listed = bool(compared[chosen].all()), cast("Any", part[chosen].itertuples())
            rows = [
                [f"{row.setting} against {row.against}" if of_two else row.setting,
                 str(row.seeds), *_mean(row, of_two and not scores)]
                + [_chance(p) for p in (row.p, row.p_holm) if of_two]
                for row in listed
            ]  # fmt: skip
            heads = ["comparison", "seeds", head, "95 % (Holm)", "p", "p (Holm)"]
            sections.append(Section(title, heads if of_two else _HEADS, rows))
    return sections


def _mean(row: Any, signed: bool = False) -> tuple[str, str]:
    """A mean and its interval: Elo whole, scores with three decimals; differences with a sign."""
    places = 0 if is_elo(row.metric) else 1 if abs(row.mean) >= 10 else 3
    sign = "+" if signed else ""
    low, high = (f"{value:{sign}.{places}f}" for value in (row.low, row.high))
    interval = f"[{low}, {high}]" if row.low == row.low else _NONE
    return f"{row.mean:{sign}.{places}f}", interval


def _chance(p: float) -> str:
    return _NONE if p != p else "<0.001" if p < 0.0005 else f"{p:.3f}"


def document_of(sections: Sequence[Section], ending: str) -> str:
    """Return tables as the text of a .tex file for \\input, or of a .md file."""
    if ending == ".md":
        return "\n".join(map(_markdown, sections))
    head = "% Tables of evolve compare, for \\input{…}; they need \\usepackage{booktabs}.\n"
    return head + "\n\\par\\medskip\n\n".join(map(_latex, sections))


def _latex(section: Section) -> str:
    right = [all(map(_is_number, column)) for column in zip(*section.rows, strict=True)]
    columns = "".join("r" if numbers else "l" for numbers in right)
    rows = [" & ".join(map(_latex_text, row)) + r" \\" for row in (section.heads, *section.rows)]
    title = f"% {plain(section.title)}\n" if section.title else ""
    return "\n".join(
        [f"{title}\\begin{{tabular}}{{{columns}}}", r"\toprule", rows[0], r"\midrule", *rows[1:],
         r"\bottomrule", "\\end{tabular}\n"]
    )  # fmt: skip


def _is_number(text: str) -> bool:
    return bool(text.startswith("[") or text == _NONE or _NUMBER.fullmatch(text))


def _latex_text(text: str) -> str:
    """Return a text as LaTeX sets it."""
    return re.sub(r"(?<![^\[ ])-(?=[0-9])", "−", plain(text)).translate(_LATEX)


def _markdown(section: Section) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(plain(cell).replace("|", "\\|") for cell in cells) + " |"

    right = [all(map(_is_number, column)) for column in zip(*section.rows, strict=True)]
    rule = line(["--:" if numbers else "---" for numbers in right])
    title = [f"{plain(section.title)}\n"] if section.title else []
    return "\n".join([*title, line(section.heads), rule, *map(line, section.rows), ""])
