"""By which rules commands play that are not told: EVOLVE_RULES, evolve.toml, and what is first."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from evolve.config.toml import default_rules
from evolve.errors import SettingsError
from evolve.service.forms import forms
from tests.cli import ALPHABETA, QUICK, done, fails, invoke

STUDY = 'command = "run"\nseeds = "0"\n[settings]\n'


def rules_of(folder: str) -> str:
    return str(evolve.load_run(folder).config["rules"])


@pytest.fixture(params=["variable", "project", "user"])
def standard(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """`standard` is what whoever works here has chosen."""
    if request.param == "variable":
        monkeypatch.setenv("EVOLVE_RULES", "standard")
    elif request.param == "project":
        Path("evolve.toml").write_text('rules = "standard"\n', encoding="utf-8")
    else:
        monkeypatch.setenv("EVOLVE_CONFIG_DIR", "settings")
        Path("settings").mkdir()
        Path("settings/evolve.toml").write_text('rules = "standard"\n', encoding="utf-8")


@pytest.mark.usefixtures("standard")
def test_it_holds_for_what_is_not_told() -> None:
    done("run", *QUICK, "--generations=1", "--out=mine")
    assert rules_of("mine") == "standard"


@pytest.mark.parametrize("words", [("--rules=reversed",), ("--config=own.toml",)])
def test_options_and_files_of_a_command_come_first(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOLVE_RULES", "standard")
    Path("own.toml").write_text('rules = "reversed"\n', encoding="utf-8")
    done("run", *QUICK, "--generations=1", *words, "--out=x")
    assert rules_of("x") == "reversed"


def test_the_variable_comes_before_the_project_and_that_before_the_user(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVOLVE_CONFIG_DIR", "user")
    assert default_rules() is None
    Path("user").mkdir()
    Path("user/evolve.toml").write_text('rules = "reversed"\n', encoding="utf-8")
    assert default_rules() == "reversed"
    Path("evolve.toml").write_text("", encoding="utf-8")
    assert default_rules() == "reversed"
    Path("evolve.toml").write_text('rules = "standard"\n', encoding="utf-8")
    assert default_rules() == "standard"
    monkeypatch.setenv("EVOLVE_RULES", "reversed")
    assert default_rules() == "reversed"


def test_a_run_goes_on_by_its_own_rules(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = rules_of(str(copy))
    other = "standard" if before == "reversed" else "reversed"
    monkeypatch.setenv("EVOLVE_RULES", other)
    assert f" · {before} (" in done("resume", copy, "--generations=4", "--jobs=1").lines[0]
    assert rules_of(str(copy)) == before


def test_matches_and_ratings_by_rules_of_agents_files_and_defaults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("--games=2", "--openings=start", "--jobs=1")
    done("match", "swh", "zero", *words, "--out=m.csv")
    done("rate", "swh", "zero", *words, "--out=rated")
    monkeypatch.setenv("EVOLVE_RULES", "reversed")
    assert (
        done("match", "swh", "zero", *words).lines[0]
        == "swh against zero, reversed (fewest discs wins)"
    )
    assert done("rate", "swh", "zero", *words).lines[0] == "reversed (fewest discs wins), 2 games"
    said = fails("match", "swh", "zero", *words, "--out=m.csv")
    assert "m.csv holds another match: rules standard, not reversed" in said
    said = fails("rate", "swh", "zero", *words, "--out=rated")
    assert "rated has rules 'standard', not 'reversed'" in said
    own = ("match", "champion-standard?depth=1&endgame=0", "zero", *words)
    assert done(*own).lines[0].endswith(", standard (most discs wins)")
    assert done(*own, "--rules=reversed").lines[0].endswith(", reversed (fewest discs wins)")
    assert evolve.match("swh", "zero", games=2, openings="start").games == 2


@pytest.mark.slow
def test_studies_and_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("evolve.toml").write_text('rules = "standard"\n', encoding="utf-8")
    settings = "generations = 1\npopulation = 4\nopenings = 'start'\nmove_budget = 300\n"
    more = "panel_openings = 2\nplayoff_openings = 2\n"
    Path("design.toml").write_text(STUDY + settings + more, encoding="utf-8")
    shown = done("study", "design.toml", "--out=s", "--jobs=1").lines
    assert "study of `evolve run` · standard (most discs wins) · " in shown[0]
    assert rules_of("s/seed-0") == "standard"
    monkeypatch.setenv("EVOLVE_RULES", "reversed")
    begun = done(*ALPHABETA, "--trials=1", "--jobs=1", "--out=a").lines[0]
    assert " · reversed (fewest discs wins) · " in begun
    # Its runs to come are as those before.
    done("resume", "s", "--seeds=1", "--jobs=1")
    assert rules_of("s/seed-1") == "standard"


def test_a_folder_of_an_evolution_from_python(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"generations": 1, "population": 4, "openings": "start", "panel_openings": 2}
    settings |= {"playoff_openings": 2, "move_budget": 300}
    monkeypatch.setenv("EVOLVE_RULES", "standard")
    evolve.evolve("e", **settings)
    assert rules_of("e") == "standard"
    monkeypatch.delenv("EVOLVE_RULES")
    evolve.evolve("e", **settings)
    assert rules_of("e") == "standard"


def test_the_forms_of_the_page_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLVE_RULES", "standard")
    form = forms()["run"]
    shown = {field.name: field.default for field in form.info(()).fields}
    assert shown["rules"] == "standard"
    given = form.checked({"generations": 2}, lambda place, text: text)
    assert given == {"rules": "standard", "generations": 2}
    assert form.stem(given) == "standard"
    assert form.checked({"rules": "reversed"}, lambda place, text: text)["rules"] == "reversed"
    contest = forms()["match"].checked({"a": "swh", "b": "zero"}, lambda place, text: text)
    assert "rules" not in contest


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rules = ", "evolve.toml is not a TOML file"),
        ('rules = "othello"', "evolve.toml: rules = 'othello'"),
        ("rules = 3", "evolve.toml: rules = 3"),
        ("generations = 9", "evolve.toml: generations: there is no such setting"),
        ("\udcff", "evolve.toml is not a TOML file"),
        (None, "evolve.toml: Is a directory"),
    ],
)
def test_a_broken_file_is_one_error(text: str | None, why: str) -> None:
    path = Path("evolve.toml")
    if text is None:
        path.mkdir()
    else:
        path.write_bytes(text.encode("utf-8", "surrogateescape"))
    calls = (("run", *QUICK), ("match", "swh", "zero"), ("rate", "swh", "zero"))
    assert not [words for words in calls if why not in fails(*words)]
    assert invoke("show", "swh").code == 0  # what needs no rules goes on
    assert [one.name for one in Path().iterdir()] == ["evolve.toml"]


def test_a_wrong_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOLVE_RULES", "othello")
    assert "EVOLVE_RULES: rules = 'othello': it must be" in fails("run", *QUICK)
    with pytest.raises(SettingsError, match="EVOLVE_RULES"):
        default_rules()


def test_positions_are_solved_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "XXXXXXXXOOOOOOOOXXXXXXXXOOOOOOOOXXXXXXXXOOOOOOOOXXXXXXXXOOOOOO-- X\n"
    Path("p.obf").write_text(line, encoding="utf-8")
    assert done("solve", "p.obf", "--json").document["rules"] == "standard"
    monkeypatch.setenv("EVOLVE_RULES", "reversed")
    assert done("solve", "p.obf", "--json").document["rules"] == "reversed"
    told = done("solve", "p.obf", "--json", "--rules=standard").document
    assert told["rules"] == "standard"
