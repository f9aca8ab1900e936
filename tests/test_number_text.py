"""Numbers have one form everywhere: on terminals, in pictures, and on the page."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import evolve
from evolve.fitness.statistics import FEWEST_PAIRS
from evolve.number_text import elo_text, state_text, whole

FORMAT = Path(evolve.__file__).with_name("service") / "web" / "format.js"
WHOLE = {-12.4: "-12", 0.0: "0", 999.6: "1000", 9999.0: "9999", 17500.0: "17 500"}
WHOLE |= {-1234567.0: "-1 234 567"}
STATES = {"COMPLETE": "finished", "PRUNED": "pruned", "FAIL": "failed", "RUNNING": "running"}


@pytest.mark.parametrize(
    ("numbers", "signed", "text"),
    [
        ((549.8, 524.8, 574.9), False, "550 ± 25"),
        ((-12.4, -112.4, 87.6), True, "-12 ± 100"),
        ((191.0, -161.0, 542.6), True, "+191 ± 352"),
        ((700.0, 500.0, 1200.0), False, "700 [500, 1200]"),
        ((None, 321.4, None), True, "– [+321, –]"),
        ((float("inf"), 321.4, float("inf")), True, "– [+321, –]"),
        ((1.2, None, None), False, "1"),
        ((1.2, float("nan"), float("nan")), False, "1"),
        ((None, None, None), False, "–"),
    ],
)
def test_an_elo_is_whole_with_its_error(
    numbers: tuple[float | None, ...], signed: bool, text: str
) -> None:
    assert elo_text(*numbers, signed=signed) == text


def test_thousands_and_states() -> None:
    assert {number: whole(number) for number in WHOLE} == WHOLE
    assert {state: state_text(state) for state in STATES} == STATES


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_the_page_has_the_same_forms() -> None:
    script = f"""
        import {{ eloText, inWords, isFew, number, stateText }} from {json.dumps(FORMAT.as_uri())};
        const numbers = {json.dumps(list(WHOLE))}.map((value) => number(value, 0));
        const states = {json.dumps(list(STATES))}.map(stateText);
        console.log(JSON.stringify([numbers, states, eloText(751.6, 725.7, 777.7), eloText(3),
            [[3.4], [-1], [0.2], [-1, 1.2]].map(([lead, error]) => inWords(lead, error)),
            [...Array(40).keys()].map(isFew)]));
    """
    words = ["node", "--experimental-default-type=module", "--input-type=module", "-e", script]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    numbers, states, elo, alone, leads, few = json.loads(done.stdout)
    assert [text.replace("\u2212", "-").replace("\xa0", " ") for text in numbers] == [
        *WHOLE.values()
    ]
    assert states == [*STATES.values()]
    assert few == [games < 2 * FEWEST_PAIRS for games in range(40)]
    assert leads == ["Black 3 ahead", "White 1 ahead", "Even", "Even"]
    assert (elo, alone) == ("752 ± 26 Elo", "3 Elo")
