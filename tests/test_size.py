"""How large the project may be: growth is a decision, and a commit that raises a limit says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import size

ROOT = Path(__file__).parent.parent
LIMITS = {
    "lines": 51_146, "modules": 228, "public names": 1_693, "strings that point up": 0,
    "lines of tests": 40_000, "test files": 222, "tests that hold a wording": 96,
    "tests with assert in a loop": 76, "words of docs": 44_000, "options": 315,
}  # fmt: skip
"""What `python -m benchmarks.size` counts, at most. Lower a number with what goes."""


@pytest.fixture(scope="module")
def totals() -> dict[str, int]:
    return size.limited(ROOT)


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.slow
def test_no_more_is_there_than_was_decided(name: str, totals: dict[str, int]) -> None:
    assert totals[name] <= LIMITS[name]


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


def test_strings_that_name_a_module_of_a_higher_floor_are_found(tmp_path: Path) -> None:
    (tmp_path / "evolve" / "files").mkdir(parents=True)
    layers = '["evolve.cli", "evolve.runs : evolve.arena", "evolve.files"]'
    contract = f'[[tool.importlinter.contracts]]\ntype = "layers"\nlayers = {layers}\n'
    (tmp_path / "pyproject.toml").write_text(contract)
    text = 'a = "evolve.cli"\nb = "evolve.arena.match:play"\nc = "evolve.files.x", "evolve.toml"\n'
    (tmp_path / "evolve" / "files" / "low.py").write_text(text)
    (tmp_path / "evolve" / "arena.py").write_text('x = "evolve.runs.x"\ny = "evolve.cli.run"\n')
    assert size.upward(tmp_path) == [
        "evolve/arena.py: evolve.cli.run",
        "evolve/files/low.py: evolve.cli",
        "evolve/files/low.py: evolve.arena.match:play",
    ]


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ('assert f"{x} is wrong" in y', "tests that hold a wording"),
        ('assert "not so" not in y', "tests that hold a wording"),
        ('with pytest.raises(E, match=r"two .*words"): ...', "tests that hold a wording"),
        ("while x:\n        assert x", "tests with assert in a loop"),
        ("for x in y:\n        with z:\n            assert x", "tests with assert in a loop"),
        ('assert "word" in y and match("two words")', None),
        ("assert [x for x in y] == z", None),
    ],
)
def test_wordings_and_loops_are_counted(tmp_path: Path, body: str, name: str | None) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(f"def test_it():\n    {body}\n")
    counts = size.count_tests(tmp_path)
    counts.pop("lines of tests")
    others = {"tests that hold a wording": 0, "tests with assert in a loop": 0}
    assert counts == {"test files": 1, "tests": 1, **others, **({name: 1} if name else {})}
