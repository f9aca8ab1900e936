"""Studies: settings × seeds, several at a time, and what is made of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
from pathlib import Path

import pandas as pd
import psutil
import pytest

import evolve
from evolve.errors import RunError
from tests.cli import QUICK, TINY, done, fails, misused, posix, snapshot, spawn, wait_until
from tests.cli.test_train import TRAIN
from tests.tables.content import outcome
from tests.waits import PATIENCE

FEW = TINY[1:]
GRID = ("--seeds=0-1", "--grid=crossover=blend,uniform")


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies") / "first"
    done("run", *QUICK, "--generations=2", *GRID, "--jobs=2", "--out", folder)
    return folder


def frame_of(*arguments: object) -> pd.DataFrame:
    return pd.DataFrame(json.loads(done(*arguments, "--json").out))


def test_each_run_is_as_if_it_were_alone(study: Path, tmp_path: Path) -> None:
    alone = tmp_path / "alone"
    done("run", *QUICK, "--generations=2", "--seed=1", "--crossover=uniform", "--out", alone)
    assert outcome(alone) == outcome(study / "crossover-uniform-seed-1")


def test_its_tables_say_which_run_a_row_is_of(study: Path) -> None:
    opened = evolve.load_run(study)
    assert isinstance(opened, evolve.Study)
    frame = opened.generations
    assert list(frame.columns[:4]) == ["setting", "crossover", "seed", "generation"]
    assert sorted(frame["setting"]) == ["crossover=blend"] * 4 + ["crossover=uniform"] * 4
    part = frame[(frame["seed"] == 1) & (frame["crossover"] == "uniform")]
    alone = evolve.load_run(study / "crossover-uniform-seed-1").generations
    pd.testing.assert_frame_equal(
        part.drop(columns=["setting", "crossover", "seed"]).reset_index(drop=True), alone
    )
    assert (len(opened.individuals), {*opened.games["seed"]}) == (4 * 12, {0, 1})
    with pytest.raises(RunError, match="individuals"):
        opened.table("trials")


def test_settings_are_compared_over_seeds(study: Path, tmp_path: Path) -> None:
    frame = frame_of("compare", study)
    assert [*zip(frame["metric"], frame["seeds"], strict=True)] == [("elo", 2)] * 3
    blend, uniform, difference = frame["mean"]
    assert difference == pytest.approx(blend - uniform)
    blends, uniforms = (
        [f"{study}/crossover-{one}-seed-{seed}" for seed in (0, 1)] for one in ("blend", "uniform")
    )
    elo = [evolve.load_agent(run).stored().provenance["elo"] for run in blends]
    assert blend == pytest.approx(sum(elo) / 2)
    rows = done("show", study, "--format=json").document
    assert [row["elo"] for row in rows if row["setting"] == "crossover=blend"] == elo
    assert 0 <= frame["p"][2] <= frame["p_holm"][2] <= 1
    met = frame_of("compare", study, "--games=4")
    assert met["metric"].tolist() == ["elo"] * 3 + ["head_to_head"]
    pairs = enumerate(zip(blends, uniforms, strict=True))
    scores = [evolve.match(*pair, games=4, seed=seed).score.value for seed, pair in pairs]
    assert met["mean"][3] == pytest.approx(sum(scores) / 2)
    done("compare", study, "--metric=best_score", "-o", tmp_path / "x.csv")
    assert set(pd.read_csv(tmp_path / "x.csv")["metric"]) == {"best_score"}
    assert frame_of("compare", study, blends[0])["setting"][2] == "crossover-blend-seed-0"


@pytest.mark.slow
def test_settings_of_other_rules_have_no_common_scale(study: Path, tmp_path: Path) -> None:
    other = tmp_path / "standard"
    done("run", *QUICK, "--generations=1", "--seeds=0-1", "--rules=standard", "--out", other)
    frame = frame_of("compare", study, other, "--games=2")
    assert frame["setting"].nunique() == 3
    pairs = frame[frame["against"].notna()]
    assert pairs["metric"].tolist() == ["elo", "head_to_head"]
    assert not pairs[["setting", "against"]].isin(["standard"]).any(axis=None)


def test_runs_alone_are_compared_side_by_side_and_kept(study: Path, tmp_path: Path) -> None:
    runs = [study / f"crossover-{name}-seed-0" for name in ("blend", "uniform")]
    said = done("compare", *runs)
    assert not re.search("differences|means", said.out)
    assert said.lines[-1].endswith("; 1 seed cannot say whether its settings are better.")
    done("compare", *runs, "-o", tmp_path / "x.csv")
    assert pd.read_csv(tmp_path / "x.csv")["crossover"].tolist() == ["blend", "uniform"]


@pytest.mark.parametrize("places", [(0,), (0, 1), (0, 3)], ids=["one", "a setting", "no seed"])
def test_games_that_nobody_can_play_are_refused(study: Path, places: tuple[int, ...]) -> None:
    """One run, the seeds of one setting, and two settings without a seed in common."""
    names = [f"crossover-{one}-seed-{seed}" for one in ("blend", "uniform") for seed in (0, 1)]
    runs = [study / names[place] for place in places]
    assert "champions" in misused("compare", *runs, "--games=4")


@pytest.mark.slow
def test_runs_of_several_kinds_and_seeds(study: Path, tmp_path: Path) -> None:
    """The seeds of one kind are compared, though the others have another figure."""
    runs = [study / f"crossover-blend-seed-{seed}" for seed in (0, 1)]
    trained = tmp_path / "trained"
    done(*TRAIN["patterns"], "--rules=reversed", "--games=100", "--out", trained)
    said = done("compare", *runs, trained)
    assert said.lines[0].split() == [*map(str, runs), str(trained)]
    assert set(frame_of("compare", study, trained)["metric"]) == {"elo"}
    champion = evolve.load_agent(trained).stored()
    champion.provenance.clear()  # as an old version left it
    champion.save(trained / "champion.npz")
    said = done("compare", study, trained)
    assert "no Elo: trained; left out" in said.lines, "the others are compared all the same"
    assert "trained" not in set(frame_of("compare", study, trained)["setting"])
    aside = done("compare", runs[0], trained).lines
    names = {"elo", "rules", "crossover", "shapes"}
    assert names & {line.split()[0] for line in aside} == {"elo", "rules"}
    assert aside[-1] == "no Elo: trained; left out"


@pytest.mark.slow
@pytest.mark.parametrize("whose", ["the run's", "the one that forked it"])
def test_a_process_that_is_killed_costs_its_run_alone(whose: str, tmp_path: Path) -> None:
    words = (*QUICK, "--generations=8", "--seeds=0-1")
    whole, folder = tmp_path / "whole", tmp_path / "killed"
    done("run", *words, "--out", whole)
    study = spawn(tmp_path, "run", *words, "--out", folder)
    wait_until((folder / "seed-0/generations/gen-0001.parquet").exists, study)
    (forked,) = [
        one for one in psutil.Process(study.pid).children(recursive=True)
        if os.getsid(one.pid) == one.pid and one.ppid() != study.pid
    ]  # fmt: skip
    os.kill(forked.pid if whose == "the run's" else forked.ppid(), signal.SIGKILL)
    out, err = study.communicate(timeout=PATIENCE)
    assert (study.returncode, "seed-0:" in out, "seed-0" in err) == (1, True, True)
    assert not forked.is_running()
    assert evolve.load_run(folder / "seed-1").generation_count == 8
    done("resume", folder)
    assert [outcome(folder / f"seed-{seed}") for seed in (0, 1)] == [
        outcome(whole / f"seed-{seed}") for seed in (0, 1)
    ]


@pytest.mark.slow
def test_ctrl_c_while_the_first_run_is_forked_is_for_the_study(tmp_path: Path) -> None:
    words = (*QUICK, "--generations=9999", "--seeds=0-1", "--jobs=2")
    study = spawn(tmp_path, "run", *words, "--out", "stopped", session=True)
    wait_until(lambda: len(psutil.Process(study.pid).children()) == 2, study)  # server and tracker
    os.killpg(study.pid, signal.SIGINT)
    _, err = study.communicate(timeout=PATIENCE)
    assert (study.returncode, err) == (130, "")


def test_what_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "y").mkdir()
    (tmp_path / "y/study.toml").write_text("seeds = [1]\n")
    fails("compare", tmp_path / "y")
    done("show", tmp_path / "y")
    fails("plot", tmp_path / "y", "-o", tmp_path / "y.png")


def test_programs_of_a_stranger_are_not_started(tmp_path: Path) -> None:
    folder = tmp_path / "strange"
    folder.mkdir()
    mark = tmp_path / "mark"
    text = json.dumps(f"gtp:touch {mark}?time=1")
    (folder / "study.toml").write_text(
        f'command = "sweep alphabeta"\nseeds = [1]\n[settings]\ntrials = 2\npanel = [{text}]\n'
    )
    assert "programs" in fails("resume", folder)
    assert not mark.exists()
    (folder / "seed-1").symlink_to(tmp_path)
    assert "link" in fails("resume", folder, "--allow-programs")


@pytest.mark.slow
@posix
@pytest.mark.parametrize(
    ("name", "readers"),
    [
        ("study.toml", ["show", "compare", "resume"]),
        ("crossover-blend-seed-1", ["show", "compare", "resume"]),
        ("crossover-blend-seed-1/config.toml", ["compare"]),
        ("logs/crossover-blend-seed-1.log", ["show", "resume"]),
    ],
)
def test_links_in_a_study_are_not_followed(
    study: Path, tmp_path: Path, name: str, readers: list[str]
) -> None:
    folder, target = tmp_path / "study", tmp_path / "outside" / Path(name).name
    shutil.copytree(study, folder)
    target.parent.mkdir()
    (folder / name).rename(target)
    (folder / name).symlink_to(target)
    before = snapshot(target.parent)
    more = {"resume": ["--generations=3"]}
    said = [fails(reader, folder, *more.get(reader, [])) for reader in readers]
    assert not [line for line in said if not re.search(f"{folder / name} .* {target}", line)]
    if readers == ["compare"]:  # a run of the study, which fails alone
        assert f"{target}" in done("show", folder).out
        fails("resume", folder, "--generations=3")
    assert snapshot(target.parent) == before
