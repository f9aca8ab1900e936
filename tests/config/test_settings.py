"""Settings of every command: valid ones survive files, words and forms; faults name their field."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from evolve.cli.settings import given_options
from evolve.config.base import FormField, Named, Settings, form_of_model, option_words
from evolve.config.evolution import EvolutionSettings
from evolve.config.learning import DqnSettings, MctsSettings, TrainingSettings
from evolve.config.learning_presets import DQN_PRESETS, MCTS_PRESETS
from evolve.config.matches import MatchSettings, RateSettings
from evolve.config.pattern_training import PATTERN_PRESETS, PatternSettings
from evolve.config.sweep import ProgramSweepSettings, SweepSettings
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import config_text, read_toml, resolve, resolve_as
from evolve.engine.board.rules import RULE_SETS, Rules
from evolve.engine.patterns.shapes import SETS, STRONG_SHAPES
from evolve.engine.search.genes import TERM_NAMES
from evolve.errors import OptionsError, SettingsError
from evolve.parsing import faults
from evolve.runs.run_types import RUN_TYPES
from evolve.runs.study_spec import StudySpec
from evolve.service.forms import forms
from tests.cli import misused
from tests.cli.test_kept import COMMANDS, OTHERS
from tests.service.test_values import BASES, INFINITE


def models() -> dict[str, type[BaseModel]]:
    """Every settings model of a command, by it."""
    of_kinds = {
        kind.command(word): variant.model()
        for kind in RUN_TYPES
        for word, variant in kind.variants.items()
        if not variant.runs
    }
    return of_kinds | {name: form.model for name, form in forms().items()}


def values_of(field: FormField) -> st.SearchStrategy[Any]:
    """Values that a field may take by its type; contradictions with others remain."""
    least, most = field.least or 0, min(field.most or 1000, 1000)
    match field.type:
        case "int":
            return st.integers(int(least), int(most))
        case "float":
            return st.floats(least, most) | st.integers(int(least), int(most)).map(float)
        case "bool":
            return st.booleans()
        case "choice":
            return st.sampled_from([*(field.choices or ())])
    return st.sampled_from([one[field.name] for one in OTHERS.get(field.name, [])] or [None])


@st.composite
def valid_settings(draw: st.DrawFn, command: str) -> tuple[dict[str, Any], BaseModel]:
    """Some settings of a command that do not contradict each other, and the model of all."""
    form = forms()[command]
    known = {one.name for one in COMMANDS[command][0].params} - {"kind"}
    known -= {"fix"} if form.own else set()  # of what is tuned: a text until it is used
    fields = {one.name: one for one in form_of_model(form.model) if one.name in known}
    taken: dict[str, Any] = {**BASES.get(command, {}), **form.own}
    model: BaseModel = resolve_as(form.model, form.presets, taken)
    for name in draw(st.lists(st.sampled_from([*fields]), unique=True, max_size=8)):
        more = {**taken, name: draw(values_of(fields[name]))}
        with suppress(SettingsError):
            model, taken = resolve_as(form.model, form.presets, more), more
    return taken, model


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "study"])
@hypothesis_settings(
    max_examples=15, deadline=None, derandomize=True, database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)  # fmt: skip
@given(data=st.data())
def test_valid_settings_survive(command: str, data: st.DataObject, tmp_path: Path) -> None:
    form, file = forms()[command], tmp_path / "config.toml"
    taken, settings = data.draw(valid_settings(command))
    # As a file of settings, for --config and for resume.
    file.write_text(config_text(settings, {"evolve": "1"}, command), encoding="utf-8")
    assert resolve_as(form.model, {}, {**read_toml(file), **form.own}) == settings
    # As words of the command line.
    positional = {name: taken[name] for name in BASES.get(command, {}) if name != "kind"}
    agents = [*positional.values()]
    optional = {name: one for name, one in taken.items() if name not in {*positional, *form.own}}
    flat = [word for one in agents for word in ([one] if isinstance(one, str) else one)]
    words = [*flat, *option_words(optional, form.model)]
    context = COMMANDS[command][0].make_context(command, words)
    again = {**given_options(form.model, context.params), **positional, **form.own}
    # What the command makes of options of its own.
    again |= {name: taken[name] for name in ("jobs", "space", "fix") if name in taken}
    assert resolve_as(form.model, form.presets, again) == settings
    # As a form that was filled in.
    shown = {name: one for name, one in taken.items() if name not in form.own}
    offered = {field.name for field in form.info(()).fields}
    if shown.keys() <= offered:
        assert form.checked(shown, lambda _, text: text)[1] == settings


COLOURED: Final = {"input": "coloured-move", "layers": "dense 1"}
CONTRADICTIONS: Final[tuple[tuple[str, dict[str, Any], str], ...]] = (
    ("run", {"fix": {"depth": "3"}}, "no gene depth"),
    ("run", {"fix": {"depths": "1,2"}}, "it takes 1 or 3"),
    ("run", {"fix": {"depths": "0"}}, "1 to 60"),
    ("run", {"fix": {"depths": "deep"}}, r"fix\.depths.*deep"),
    ("run", {"fix": {"stability": "1"}, "terms": "mobility"}, r"fix\.stability"),
    ("run", {"bounds": {"luck": "1:2"}}, "bounds.*luck"),
    ("run", {"bounds": {"weights": "9:1"}}, "9 is above 1"),
    ("run", {"bounds": {"weights": "a:1"}}, "bounds.weights"),
    ("run", {"bounds": {"endgame": "0:99"}}, "endgame"),
    ("run", {"terms": "mobility,luck"}, "terms.*luck"),
    ("run", {"tie": "endgame"}, "tie.*endgame"),
    ("run", {"boundaries": "30"}, "boundaries"),
    ("run", {"boundaries": "40,20"}, "boundaries"),
    ("run", {"time_limit": 0}, "time_limit.*0"),
    ("run", {"survivors": 1.0}, "survivors"),
    ("run", {"survivors": 0.9, "newcomers": 0.1}, "survivors"),
    ("run", {"opponents": 64}, "opponents: 64 individuals have 63 others, not 64"),
    ("run", {"opponents": 3, "population": 9}, "opponents: 9 individuals cannot have 3 each"),
    ("run", {"opponents": 3, "selection": "lexicase"}, "opponents: lexicase compares"),
    ("train dqn", {"layers": "dense 30"}, "layers: .*must give"),
    ("train dqn", {"layers": "dense 1 tanh"}, "it must be actions or action"),
    ("train dqn", {"opponents": "self=0"}, "a share over 0"),
    ("train dqn", {"opponents": "self=x"}, "opponents"),
    ("train dqn", {"reward": "none"}, "positional or shaping"),
    ("train dqn", {"reward": "halves"}, "negamax"),
    ("train dqn", {"bootstrap": "own", "shaping": 1, "lookahead": 1}, "lookahead"),
    ("train dqn", {"bootstrap": "own", "minimax": True}, "no positional reward"),
    ("train dqn", {**COLOURED, "others_zero": True}, "legal moves alone"),
    ("train mcts", {"layers": "dense 64"}, "it must be value or policy-value"),
    ("train mcts", {"input": "coloured", "layers": "dense 1 tanh"}, "mover's side"),
    ("train mcts", {"opponents": "past=1"}, "no past one"),
    ("train mcts", {"first_ply": 50, "solved": 11}, "nothing to learn from ply 50 on"),
    ("train patterns", {"shapes": ""}, "shapes"),
    ("train patterns", {"shapes": "a1-c3, f6-h8"}, "shapes: .*image"),
    ("train patterns", {"shapes": "corners"}, "shapes: 'corners' is not.*name a set: corner, "),
    ("train patterns", {"probcut": 0.05}, r"probcut: it must be 0\.1 or more, or 0 for no cuts"),
    ("train patterns", {"duel_depths": "0"}, "duel_depths"),
    ("train patterns", {"duel_depths": "2,9"}, "duel_depths"),
    ("train patterns", {"duel_plies": "20,4"}, "duel_plies: the fewest first"),
    ("train patterns", {"duel_plies": "1,2,3"}, "duel_plies"),
    ("train patterns", {"duel_shapes": "z9", "duels": 1}, "duel_shapes: .*'z9' is not part of a"),
    ("train patterns", {"duel_shapes": "a1-a2"}, "duel_shapes: they need duels=1"),
    ("train patterns", {"duel_shapes": "a1/c3", "duels": 1, "shapes": "a1-b2"}, "a1 b2 c3"),
    ("match", {"openings": "random", "opening_plies": 2}, "random openings have 3 moves or more"),
    ("match", {"alpha": 0.5}, "alpha"),
    ("match", {"sprt": (20, 0)}, "the first must be under the second"),
    ("match", {"sprt": "0:201"}, "-200 to 200 in normalized Elo"),
    ("match", {"sprt": "0:3000:logistic"}, "-2000 to 2000 in logistic Elo"),
    ("match", {"sprt": "0:20:bayesian"}, "sprt.2"),
    ("match", {"sprt": 20}, "sprt"),
    ("match", {"sprt": "20"}, "ELO0:ELO1"),
    ("match", {"nonsense": 1}, "nonsense: there is no such setting"),
    ("sweep alphabeta", {"budget": 5.0}, "trials of alphabeta learn nothing"),
    ("sweep mcts", {"kind": "chess"}, "there is no 'chess'; there are .*dqn, mcts"),
    ("sweep mcts", {"panel": ""}, "panel: it is empty"),
)
"""A command, settings that cannot be, and what the one line of error must say of them."""


@pytest.mark.parametrize(("command", "values", "words"), CONTRADICTIONS)
def test_contradictions_are_named(command: str, values: dict[str, Any], words: str) -> None:
    form = forms()[command]
    with pytest.raises(SettingsError, match=words) as caught:
        resolve_as(form.model, form.presets, {**BASES.get(command, {}), **form.own, **values})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("command", sorted(models()))
def test_what_is_outside_of_a_field_is_refused_by_its_name(command: str) -> None:
    """Numbers beyond its ends, and words that are none of its choices."""
    taken = []
    for field in form_of_model(models()[command]):
        ends = () if field.least is None else (field.least - 1,)
        ends += () if field.most is None else (field.most + 1,)
        for value in ("magic",) if field.type == "choice" else ends:
            with pytest.raises(SettingsError) as found:
                resolve_as(models()[command], {}, {**BASES.get(command, {}), field.name: value})
            taken += [] if field.name in str(found.value) else [(field.name, value)]
    assert not taken


def _unbounded(schema: Any, path: str = "") -> list[str]:
    """Where a schema has a number with no bound below or none above."""
    if isinstance(schema, list):
        return [found for n, part in enumerate(schema) for found in _unbounded(part, f"{path}/{n}")]
    if not isinstance(schema, dict):
        return []
    ends = ({"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"})
    number = schema.get("type") in ("integer", "number")
    faulty = number and not all(schema.keys() & end for end in ends)
    within = (found for key, part in schema.items() for found in _unbounded(part, f"{path}/{key}"))
    return [path, *within] if faulty else [*within]


@pytest.mark.parametrize("command", sorted(models()))
def test_every_number_has_bounds(command: str) -> None:
    schema = models()[command].model_json_schema()
    assert "integer" in str(schema)
    assert _unbounded(schema) == []


@pytest.mark.parametrize(
    "line",
    [
        "run --jobs=", "run --move-budget=", "run --panel-openings=", "run --fix=mobility=",
        "run --bounds=mobility=0:", "train mcts --opponents=swh=", "resume nowhere --generations=",
        "resume nowhere --jobs=", "show nowhere --top=", "match swh swh --jobs=",
        "compare nowhere --games=",
    ],
)  # fmt: skip
def test_huge_numbers_are_wrong_usage(line: str) -> None:
    option = line.partition("--")[2].partition("=")[0].replace("-", "_")
    assert option in misused(*f"{line}{10**17}".split()).replace("-", "_")


@pytest.mark.parametrize("command", sorted(models()))
def test_every_field_has_a_line_of_documentation(command: str) -> None:
    model = models()[command]
    if model.__module__.startswith("evolve.config"):
        bare = {name for name, field in model.model_fields.items() if not field.description}
        assert bare <= {"kind"}


def finite(value: Any) -> bool:
    if isinstance(value, Mapping):
        return all(map(finite, (*value, *value.values())))
    if isinstance(value, list | tuple):
        return all(map(finite, value))
    return not isinstance(value, float) or math.isfinite(value)


@pytest.mark.parametrize("command", sorted(models()))
def test_no_settings_model_takes_a_number_that_is_not_finite(command: str) -> None:
    model = models()[command]
    assert issubclass(model, Settings)
    taken = []
    odd = [v for n in INFINITE for v in (n, [n], (n, n), {"x": n}, {"x": [n]})]
    for field, value in product(model.model_fields, odd):
        with suppress(ValidationError):
            found = model.model_validate({**BASES.get(command, {}), field: value})
            taken += [(field, value)] * (not finite(found.model_dump()))
    assert not taken


@pytest.mark.parametrize(
    ("part", "odd"), [("settings", math.inf), ("grid", [1.0, math.nan]), ("variants", math.inf)]
)
def test_a_study_takes_none_either(part: str, odd: Any) -> None:
    of_name = {"time_limit": odd}
    given = {"command": "run", "seeds": [0]}
    StudySpec.model_validate(given)
    with pytest.raises(ValidationError):
        StudySpec.model_validate({**given, part: {"a": of_name} if part == "variants" else of_name})


def test_a_folder_of_a_version_before_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('seed = 1\nislands = 4\n[versions]\nevolve = "0.1.0"\n')
    with pytest.raises(SettingsError, match="made by a version before"):
        read_toml(file)
    file.write_text('seed = 1\n[versions]\nevolve = "0.2.0"\n')
    assert read_toml(file) == {"seed": 1}


def test_options_come_before_the_file_and_the_file_before_the_preset() -> None:
    file = {"preset": "published", "population": 20, "bounds": {"weights": [-7, 7]}}
    settings = resolve({"population": 10}, file)
    assert (settings.population, settings.bounds["weights"]) == (10, (-7, 7))
    assert settings.bounds["depths"] == (1, 7), "of the preset"


def test_options_and_files_are_told_apart() -> None:
    with pytest.raises(OptionsError) as caught:
        resolve({"population": "many"}, {"seed": "x" * 1000, "population": 8}, "x.toml")
    said = str(caught.value)
    assert said.startswith("x.toml: seed = ")
    assert "population = 'many': it must be a whole number (individuals in every" in said
    assert len(said) < 500
    with pytest.raises(SettingsError) as caught_of_file:
        resolve({}, {"population": 1.5}, "x.toml")
    assert not isinstance(caught_of_file.value, OptionsError)


def test_a_range_of_a_term_that_is_off_is_refused_where_it_is_asked_for() -> None:
    """A preset, and the config.toml of a run, has them too: that is no fault."""
    ranges = {"mobility": "-9:9", "stability": "-5:5", "weights": "-7:7"}
    with pytest.raises(OptionsError) as caught:
        resolve({"terms": "stability", "bounds": ranges})
    assert str(caught.value) == "bounds.mobility: the term is not among the terms in use"
    kept = resolve({"seed": 1}, {"terms": ["stability"], "bounds": ranges})
    assert kept.bounds["mobility"] == (-9, 9)
    with pytest.raises(OptionsError, match=r"bounds\.mobility"):
        resolve({"bounds": {"mobility": "-1:1"}}, {"terms": ["stability"]})
    assert resolve({"preset": "published", "terms": "stability"}).bounds["mobility"] == (-100, 100)
    assert resolve({"terms": "all"}).terms == TERM_NAMES


def test_the_first_generations_are_the_shorter_part_of_the_work() -> None:
    settings: EvolutionSettings = resolve({})
    first, last = settings.work(10) / 10, settings.work(160) - settings.work(159)
    assert first == pytest.approx(0.79, abs=0.02)  # by CPU seconds: .5 to .85
    assert last == pytest.approx(1.0, abs=0.01)
    fixed = resolve({"fix": {"depths": [3, 3, 3]}})
    assert fixed.work(10) == 10


@pytest.mark.parametrize("model", [DqnSettings, MctsSettings, PatternSettings])
def test_a_training_ends_somewhere(model: type[TrainingSettings]) -> None:
    plain, counted = model(), model(games=5)
    assert plain.budget == plain.default_budget > 0
    assert (counted.budget, counted.games) == (None, 5)
    assert model(games=5, budget=7.0).budget == 7.0
    assert plain.identity == counted.identity == model(patience=3).identity
    assert plain.identity != model(seed=1).identity


def made(**options: Any) -> PatternSettings:
    return resolve_as(PatternSettings, PATTERN_PRESETS, options)


def test_lists_are_written_as_on_the_command_line() -> None:
    assert DqnSettings(layers="dense  30 relu ,dense 64").layers == ("dense 30 relu", "dense 64")  # type: ignore[arg-type]
    settings = made(shapes=" corner,a1-c2  b3 , edge")
    assert settings.shapes == ("corner", "a1-c2 b3", "edge")
    assert settings.summary == "corner, a1-c2 b3, edge; 18 phases"
    assert made().shapes == STRONG_SHAPES
    assert [made(shapes=name).shapes for name in SETS] == [(name,) for name in SETS]
    assert RateSettings.model_validate({"agents": "swh zero"}).agents == ("swh", "zero")


@pytest.mark.parametrize("opponents", ["self=0.5,past=0.5", {"self": 0.5, "past": 0.5, "swh": 0}])
def test_opponents_with_a_share_count(opponents: Any) -> None:
    assert DqnSettings(opponents=opponents).opponents == {"self": 0.5, "past": 0.5}


def test_the_models_are_measured_by_the_judge_of_the_rules() -> None:
    assert MctsSettings(rules="standard").accept_against == ("random", "swh-mobility")
    assert MctsSettings(rules="reversed").accept_against == ("random", "anti-swh-mobility")
    given = MctsSettings(rules="reversed", accept_against="swh")  # type: ignore[arg-type]
    assert given.accept_against == ("swh",)


@pytest.mark.parametrize(
    ("model", "presets"),
    [(MctsSettings, MCTS_PRESETS), (DqnSettings, DQN_PRESETS), (PatternSettings, PATTERN_PRESETS)],
)
def test_presets_by_name(model: type[TrainingSettings], presets: dict[str, dict[str, Any]]) -> None:
    assert get_args(model.model_fields["preset"].annotation) == tuple(presets)
    found = [resolve_as(model, presets, {"preset": name}) for name in presets]
    assert found == [model(preset=name, **values) for name, values in presets.items()]
    assert len({str(settings.identity) for settings in found}) == len(presets)
    assert not [p for p in presets if resolve_as(model, presets, {"preset": p, "games": 5}).budget]


def test_balanced_openings_are_the_default_unless_they_have_a_length() -> None:
    assert MatchSettings.model_validate(BASES["match"]).openings == "balanced"
    assert MatchSettings.model_validate({**BASES["match"], "opening_plies": 6}).openings == "random"
    said = misused("match", "swh", "zero", "--openings", "balanced", "--opening-plies", 6)
    assert "balanced openings have 8 moves" in said


def test_rounds_and_checks_go_by_the_share_that_is_done() -> None:
    by_time, by_games = made(), made(games=10_000, greedy=0.25, checks=2)
    assert (by_time.games_in_hand(0.0), by_time.games_in_hand(0.6)) == (1024, 2000)
    assert by_games.games_in_hand(0.0) == 1024
    assert by_games.games_in_hand(0.2048) == 2500 - 2048
    assert by_games.games_in_hand(0.25) == 500
    assert not made(checks=4).check_is_due(0, 10**6, 0.2)
    assert made(checks=4).check_is_due(0, 1, 0.25)


def test_one_schedule_serves_any_length() -> None:
    settings = made(greedy=0.2)
    assert [settings.phases_at(share) for share in (0.0, 0.5, 0.61, 1.0)] == [6, 6, 18, 18]
    assert settings.parts == pytest.approx((0.0, 0.2, 0.6, 1.0))
    assert made(duels=0.5).phases_at(0.5) == made(greedy=1.0).phases_at(0.0) == 18
    later = made(start_from="patterns-standard")
    assert (later.greedy, later.phases_at(0.0), later.searched(0.5)) == (0.0, 18, 0.75)
    assert made(start_from="patterns-standard", greedy=0.3).greedy == 0.3
    assert made(budget=60.0).identity == made(budget=960.0).identity == made(games=9).identity


@pytest.mark.parametrize(
    ("games", "checks", "greedy"),
    [(300, 10, 0.5), (333, 10, 0.3), (1000, 3, 0.5), (7, 7, 0.0), (40_000, 10, 1.0), (5, 9, 0.5)],
)
def test_few_games_have_all_their_checks(games: int, checks: int, greedy: float) -> None:
    settings = made(games=games, checks=checks, greedy=greedy)
    done, checked = 0, [0]
    while done < games:
        done = min(games, done + settings.games_in_hand(done / games))
        if settings.check_is_due(checked[-1], done, (done - checked[-1]) / games):
            checked.append(done)
    assert checked[-1] == games
    assert len(checked) - 1 == min(games, checks)


def test_what_clients_of_a_service_may_not_set_of_a_program_are_fields() -> None:
    """They become words and files of the program."""
    assert set(ProgramSweepSettings.OF_OWNER) <= {*ProgramSweepSettings.model_fields}
    assert ProgramSweepSettings.model_validate(BASES["sweep program"]).objective == "self"


@pytest.mark.parametrize("kind", SWEEP_TARGETS)
def test_the_subject_says_how_long_and_by_which_rules(kind: str) -> None:
    settings = SweepSettings(kind=kind)
    assert settings.budget == SWEEP_TARGETS[kind].budget
    assert settings.rules == SWEEP_TARGETS[kind].rules
    assert SweepSettings(kind=kind, rules="reversed").rules == "reversed"


@pytest.mark.parametrize("rules", RULE_SETS)
def test_the_default_panel_is_that_of_the_rules(rules: Rules) -> None:
    usual = RULE_SETS[rules].panel
    assert SweepSettings(rules=rules).panel == usual
    joined = SweepSettings(rules=rules, panel="zero, default, zero")  # type: ignore[arg-type]
    assert joined.panel == ("zero", *(name for name in usual if name != "zero"))


def test_games_stand_in_for_a_budget() -> None:
    assert SweepSettings(fix={"games": 100}).budget is None
    assert SweepSettings(fix={"games": 100}, budget=5.0).budget == 5.0


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"trials": 7}, True), ({"timeout": 3.0}, True), ({"finalists": 2}, True),
        ({"final_openings": 5}, True), ({"sampler": "random"}, True), ({"pruner": "none"}, True),
        ({"startup": 3}, True), ({"kind": "mcts"}, False), ({"budget": 61.0}, False),
        ({"reports": 5}, False), ({"panel": ("swh",)}, False), ({"fix": {"gamma": 0.5}}, False),
        ({"space": {"gamma": {"low": 0.5}}}, False),
    ],
)  # fmt: skip
def test_a_study_is_of_what_a_score_depends_on(change: dict[str, Any], same: bool) -> None:
    one, other = SweepSettings(), SweepSettings(**change)
    assert one != other
    assert (one.identity == other.identity) == same


@pytest.mark.parametrize("command", sorted(models()))
def test_no_number_is_a_truth(command: str) -> None:
    form = form_of_model(models()[command])
    given = {field.name: True for field in form if field.type in ("int", "float")}
    with pytest.raises(ValidationError) as found:
        models()[command].model_validate({**BASES.get(command, {}), **given})
    assert [one["loc"] for one in found.value.errors()] == [(name,) for name in given]


def test_names_are_what_a_face_makes_of_them_and_faults_have_their_places() -> None:
    def face(named: Named, text: str) -> str:
        if text == "gtp:sh":
            raise ValueError("not here")
        return f"runs/{text}"

    settings = {"opponents": {"self": 1, "a": 0.5}, "accept_against": "a"}
    found = MctsSettings.model_validate(settings, context=face)
    assert (found.opponents, found.accept_against) == ({"self": 1.0, "runs/a": 0.5}, ("runs/a",))
    wrong = {"opponents": {"gtp:sh": 1}, "accept_against": ["a", "gtp:sh"]}
    with pytest.raises(ValidationError) as refused:
        MctsSettings.model_validate(wrong, context=face)
    places = [fault.keys for fault in faults(refused.value)]
    assert places == [("opponents", "gtp:sh"), ("accept_against", 1)]
