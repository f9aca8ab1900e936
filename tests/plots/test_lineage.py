"""The picture of ancestors: its axis, the main line, and operators with few offspring."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pandas as pd
import pytest

from evolve.evolution.lineage import Lineage
from evolve.evolution.tables import elos_at_birth, main_line, numbers_of
from evolve.number_text import elo_text
from evolve.plots.lineage import _survival_of, plot_lineage
from evolve.runs.run import Run
from evolve.runs.summary import summary_of
from tests.cli.test_light import KEPT_RUN
from tests.plots import written_in


def _elos(lineage: Lineage, *names: str) -> dict[str, float]:
    return elos_at_birth(lineage.run, {name: lineage.births[name] for name in names})


def test_the_axis_is_the_rating(run: Run, tmp_path: Path) -> None:
    lineage = Lineage(run)
    best = str(run.generations["best"].iloc[-1])
    plot_lineage(lineage, best).save(tmp_path / "tree.svg")
    texts = written_in(tmp_path / "tree.svg")
    assert any(text.startswith("Elo at birth") for text in texts)
    assert {"main line", "generation", best} <= {*texts}
    rated = run.generations.set_index("generation")
    born = int(lineage.births[best]["born"])
    if rated.loc[born, "best"] == best:
        assert _elos(lineage, best)[best] == pytest.approx(rated.loc[born, "panel_elo"])
    born_first = [name for name, birth in lineage.births.items() if int(birth["born"]) == 0]
    least = float(rated["best_score"].iloc[0])
    worse = [name for name in born_first if lineage.births[name]["score"] < least]
    assert max(_elos(lineage, *worse).values()) < rated.loc[0, "panel_elo"]


def test_the_champion_has_the_elo_of_the_headline(run: Run, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(run.path, tmp_path / "run"))
    champion = str(run.generations["best"].iloc[-1])  # not a mean of some, as the run's own
    document = json.loads((folder / "champion.json").read_text())
    (folder / "champion.json").write_text(json.dumps({**document, "name": champion}))
    run = Run(folder)
    summary, lineage = summary_of(run), Lineage(run)
    assert _elos(lineage, champion) == {champion: summary.elo}
    plot_lineage(lineage, champion).save(tmp_path / "tree.svg")
    headline = elo_text(*run.elo[:3])
    assert f"champion {headline}" in written_in(tmp_path / "tree.svg")


def test_without_the_ladder_only_the_generation_is_an_axis(tmp_path: Path) -> None:
    run = Run(KEPT_RUN)
    lineage = Lineage(run)
    assert _elos(lineage, *lineage.births) == {}
    plot_lineage(lineage, lineage.best()).save(tmp_path / "tree.svg")
    texts = written_in(tmp_path / "tree.svg")
    assert "main line" in texts
    assert not any("Elo" in text or "score" in text for text in texts)


def test_the_main_line_goes_to_the_parent_that_gave_most(run: Run) -> None:
    lineage = Lineage(run)
    line = main_line(lineage.births, lineage.best())
    assert not lineage.parents(line[-1])

    def shared(child: str, parent: str) -> int:
        numbers = (numbers_of(lineage.births[name]) for name in (child, parent))
        return sum(a == b for a, b in zip(*numbers, strict=True))

    gifts = [{one: shared(child, one) for one in lineage.parents(child)} for child in line[:-1]]
    given = [gift[parent] for gift, parent in zip(gifts, line[1:], strict=True)]
    assert given == [max(gift.values()) for gift in gifts]


def test_small_counts_are_left_out(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    lineage = Lineage(run)
    rows = [
        {"generation": generation, "origin": origin, "born": born, "survived": born // 2}
        for generation in range(2)
        for origin, born in (("crossover", 8), ("mutation", 1))
    ]
    monkeypatch.setattr(Lineage, "operators", lambda self: pd.DataFrame(rows))
    monkeypatch.setattr("evolve.plots.lineage._FEWEST", 8)
    assert list(_survival_of(lineage)) == ["crossover"]
    assert _survival_of(lineage)["crossover"].tolist() == [0.5, 0.5]
