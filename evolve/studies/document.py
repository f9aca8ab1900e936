"""Comparisons as tables for people, and for a document: LaTeX and Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from evolve.config.toml import read_toml
from evolve.number_text import places_of
from evolve.runs.study_spec import text_of
from evolve.tables.paths import STUDY_FILE
from evolve.terminal_text import count_of, plain

if TYPE_CHECKING:
    import pandas as pd

    from evolve.runs.run import Study

ENDINGS: Final = (".tex", ".md")
HEAD_TO_HEAD: Final = "head_to_head"
"""The metric of champions that have met."""
_TITLES: Final = {
    "settings": "{}: means over seeds, with Student's 95 % intervals",
    "differences": "differences in {}, seed by seed",
    "effects": "main effects on {}, seed by seed: means over the other settings",
    HEAD_TO_HEAD: "champions in matches, seed by seed: scores of the first",
}
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


def parts_of(frame: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the tables of a comparison by name, those that have rows."""
    met, alone = frame["metric"] == HEAD_TO_HEAD, frame["against"].isna()
    effects = frame["over"].notna()
    parts = {"settings": alone, "differences": ~(alone | met | effects), "effects": effects}
    parts[HEAD_TO_HEAD] = met
    return {name: frame[rows] for name, rows in parts.items() if rows.any()}


def sections_of(frame: pd.DataFrame) -> list[Section]:
    """Return a comparison as tables of texts."""
    sections = []
    for part, rows in parts_of(frame).items():
        of_two, met = part != "settings", part == HEAD_TO_HEAD
        texts = [
            [f"{row.setting} against {row.against}" if of_two else row.setting,
             str(row.seeds), *_mean(row, of_two and not met)]
            + [_NONE if p != p else "<0.001" if p < 0.0005 else f"{p:.3f}"
               for p in (row.p, row.p_holm) if of_two]
            for row in cast("Any", rows.itertuples())
        ]  # fmt: skip
        head = "score" if met else "difference"
        heads = ["setting", "seeds", "mean", "95 %"]
        if of_two:
            heads = ["comparison", "seeds", head, "95 % (Holm)", "p", "p (Holm)"]
        title = _TITLES[part].format(rows["metric"].iloc[0])
        sections.append(Section(title, heads, texts))
    return sections


def methods_of(study: Study, frame: pd.DataFrame) -> str:
    """What the methods section of a paper says of a study: a paragraph; frame: its comparison."""
    design = study.design
    versions = read_toml(study.path / STUDY_FILE, but=()).get("versions", {})
    runs = study.runs
    ended = sum(run.kind.reading.progress(run).complete for run in runs)
    games = {run.elo.n for run in runs if run.elo is not None}
    metric, parts = str(frame["metric"].iloc[0]), parts_of(frame)
    varied = ", ".join(
        [*design.variants]
        + [f"{key} = {' or '.join(map(text_of, values))}" for key, values in design.grid.items()]
    )
    fixed = "".join(
        f", {key} = {text_of(value)}"
        for key, value in design.settings.items()
        if key not in (*design.grid, "rules")
    )
    rules = " and ".join(dict.fromkeys(settings.rules for settings in design.checked()))
    of = " to ".join(map(str, sorted({min(games, default=0), max(games, default=0)})))
    elo = f"the Elo of its champion on a ladder of fixed opponents, in {of} games after it"
    sentences = [
        f"{count_of(len(design.settings_of_runs), 'setting')} of `evolve {design.command}` "
        f"({varied or 'see the table'}) ran with {count_of(len(design.seeds), 'seed')} each: "
        f"{', '.join(map(str, design.seeds))}; {ended} of {len(design.members)} runs have ended.",
        f"They play by {rules} rules{fixed}; what is not named is the default.",
        f"The result of a run is {elo if metric == 'elo' else f'its {metric}'}.",
        "Means over seeds have Student's 95 % intervals.",
    ]  # fmt: skip
    counts = {part: count_of(len(rows), "comparison") for part, rows in parts.items()}
    if "differences" in parts:
        effects = f"; so are main effects, for {counts.get('effects')}" * ("effects" in parts)
        sentences.append(
            "Each two settings are compared seed by seed, by a two-sided paired t-test; p and "
            f"intervals are corrected for {counts['differences']} after Holm, and p below 0.05 "
            f"counts as decided{effects}."
        )
    if HEAD_TO_HEAD in parts:
        sentences.append("Champions of the same seed also met in matches, both colours each.")
    used = ", ".join(f"{name} {version}" for name, version in versions.items() if name != "machine")
    if used:
        sentences.append(f"Computed with {used}, on {versions.get('machine', 'a machine')}.")
    return plain(" ".join(sentences)) + "\n"


def _mean(row: Any, signed: bool = False) -> tuple[str, str]:
    """A mean and its interval: Elo whole, scores with three decimals; differences with a sign."""
    places, sign = places_of(row.metric, row.mean), "+" if signed else ""
    low, high = (f"{value:{sign}.{places}f}" for value in (row.low, row.high))
    interval = f"[{low}, {high}]" if row.low == row.low else _NONE
    return f"{row.mean:{sign}.{places}f}", interval


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
    return re.sub(r"(?<![^\[ ])-(?=[0-9])", "−", plain(text)).translate(_LATEX)


def _markdown(section: Section) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(plain(cell).replace("|", "\\|") for cell in cells) + " |"

    right = [all(map(_is_number, column)) for column in zip(*section.rows, strict=True)]
    rule = line(["--:" if numbers else "---" for numbers in right])
    title = [f"{plain(section.title)}\n"] if section.title else []
    return "\n".join([*title, line(section.heads), rule, *map(line, section.rows), ""])
