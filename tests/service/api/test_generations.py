"""Generations over REST: their individuals, games, cross tables and ancestors."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from tests.service import Service


def test_games_by_what_they_are(service: Service) -> None:
    some = service.get("runs/small/generations/0/games?limit=500")["items"]
    name = some[0]["black"]
    found = service.get(f"runs/small/generations/0/games?individual={name}&limit=500")["items"]
    assert found == [game for game in some if name in (game["black"], game["white"])]
    won = service.get("runs/small/generations/0/games?winner=black&limit=500")["items"]
    assert won == [game for game in some if game["winner"] == "black"]
    upsets = service.get("runs/small/generations/0/games?sort=-upset&limit=500")["items"]
    told = [game["upset"] for game in upsets if game["upset"] is not None]
    assert told == sorted(told, reverse=True)
    assert len(told) > 10
    one = service.get(f"runs/small/games/{upsets[0]['id']}")
    assert one == upsets[0]


def test_a_cross_table_is_the_scores(service: Service, runs: Path) -> None:
    individuals, _ = evolve.load_run(runs / "small").generation(2)
    score = dict(zip(individuals["individual"], individuals["score"], strict=True))
    table = service.get("runs/small/generations/2/crosstable")
    assert set(table["individuals"]) == set(score)
    totals = dict(zip(table["individuals"], table["totals"], strict=True))
    assert totals == pytest.approx(score, abs=1e-4)
    assert [row.count(None) for row in table["scores"]] == [1] * len(score)
    playoff = service.get("runs/small/generations/playoff/crosstable")
    assert len(playoff["individuals"]) >= 2


@pytest.mark.slow
def test_ancestors(service: Service, runs: Path) -> None:
    frame = evolve.load_run(runs / "small").individuals.drop_duplicates("individual")
    parents = {row.individual: list(row.parents) for row in frame.itertuples()}
    child = next(name for name, of in reversed(parents.items()) if of)
    found = service.get(f"runs/small/lineage/{child}")
    assert found["items"][0]["individual"] == child
    nodes = found["items"]
    assert [node["parents"] for node in nodes] == [parents[node["individual"]] for node in nodes]
    near = service.get(f"runs/small/lineage/{child}?depth=0")
    assert (len(near["items"]), near["complete"]) == (1, False)
    picture = service.client.get(f"runs/small/lineage/{child}/picture")
    assert (picture.status_code, picture.headers["content-type"]) == (200, "image/svg+xml")
    assert f"{child} and its" in picture.text


def test_caches_keep_what_never_changes(service: Service) -> None:
    paths = ("generations/1/games", "generations/1/crosstable", "generations")
    answers = [service.client.get(f"runs/small/{path}").headers for path in paths]
    kept = ["immutable" in headers.get("cache-control", "") for headers in answers]
    assert kept == [True, True, False]
