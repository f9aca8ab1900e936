"""How large the package may be: growth is a decision, and the number here says who took it."""

from __future__ import annotations

from pathlib import Path

from benchmarks import size

ROOT = Path(__file__).parent.parent
LINES = 50_889
"""Lines of Python in evolve/. Lower it with what goes; raise it with a reason in the commit."""


def test_the_package_has_no_more_lines_than_were_decided() -> None:
    assert size.lines(ROOT, "evolve") <= LINES


def test_what_is_too_long_is_named_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "evolve" / "engine").mkdir(parents=True)
    body = "\n".join(f"    x = {number}" for number in range(size.LONGEST_FUNCTION))
    taken = ", ".join(f"p{number}" for number in range(size.MOST_PARAMETERS + 1))
    text = f"def long():\n{body}\n"
    text += f"def wide({taken}): ...\n@click.command()\ndef do({taken}): ...\n"
    (tmp_path / "evolve" / "module.py").write_text(text)
    (tmp_path / "evolve" / "engine" / "kernel.py").write_text(text)
    assert size.long_functions(tmp_path) == ["evolve/module.py: long (61)"]
    assert size.wide_functions(tmp_path) == ["evolve/module.py: wide (9)"]


def test_docstrings_blank_lines_and_code_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "evolve").mkdir()
    text = '"""A module.\n\nOf two lines."""\n\nimport os\n\n\n'
    text += 'def public():\n    """Does."""\n    import re\n    raise OSError\n'
    (tmp_path / "evolve" / "module.py").write_text(text)
    counts = size.count(tmp_path)["(top)"]
    assert (counts["lines"], counts["docstrings"], counts["code"]) == (11, 4, 4)
    assert (counts["modules"], counts["functions"], counts["public"]) == (1, 1, 1)
    assert (counts["raise"], counts["imports"], counts["except"]) == (1, 1, 0)
