"""Text that is not ours is harmless on a terminal."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
import unicodedata
from pathlib import Path

import pytest

import evolve
from evolve.fitness.statistics import FEWEST_PAIRS
from evolve.number_text import elo_text, state_text, whole
from evolve.terminal_text import as_word, count_of, plain, writable

HOSTILE = (
    "\x1b[2J\x1b[31mred", "\x1b]0;title\x07", "\x9b31m", "[bold]markup[/bold] [/]", "[/nothing]",
    ":x: :smile:", "\u202egnp.exe\u2066", "two\nerror: lines\r\n", "\u2028line\u2029",
    "zero\u200bwidth\ufeff", "tab\tdel\x7f\x00nul\x08\x0c", "\udcff\ud800", "$\\frac{$ 50 %",
    "=cmd|' /C calc'!A0",
)  # fmt: skip
"""Names with all that a terminal, rich, or matplotlib might obey."""

FORBIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Categories of characters that a terminal may obey, or that hide what is there."""


def harmless(text: str) -> bool:
    return not [
        sign for sign in text if sign not in "\n" and unicodedata.category(sign) in FORBIDDEN
    ]


@pytest.mark.skipif(os.name == "nt", reason="the shell is another")
def test_a_name_can_be_pasted_into_a_shell() -> None:
    names = [
        "a b", "-x", "--out", "it's", "two\nlines", "-a\\'\t\n", "\udcff\udc80", "zero\u200bwidth",
        "é",
    ]  # fmt: skip
    words = " ".join(as_word(Path(name)) for name in names)
    assert harmless(words)
    assert "\n" not in words
    said = subprocess.run(
        ["bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, check=True
    )
    pasted = os.fsdecode(said.stdout).split("\0")[:-1]
    assert [*map(Path, pasted)] == [*map(Path, names)]
    assert not [name for name in pasted if name.startswith("-")]


def test_plain_keeps_what_people_write() -> None:
    texts = ["Äpfel – 50 % … naïve", "日本語 オセロ", "עברית", "👍🏽", "a\u00a0b\u3000c", "C:\\x1b"]
    assert [*map(plain, texts)] == texts
    assert plain("\x1b[31m\u202e\n") == "\\x1b[31m\\u202e\\n"
    assert plain("a\nb\x1b", keep="\n") == "a\nb\\x1b"


def test_plain_text_is_one_harmless_line() -> None:
    rng = random.Random(0)
    parts = [
        *HOSTILE, "a", "é", "日", "\u0301", "[", "]", ":", "\\", "\x1b", "\x90", "\u2067",
        "\U000e0041",
    ]  # fmt: skip
    fuzzed = ["".join(rng.choices(parts, k=rng.randrange(6))) for _ in range(4_000)]
    shown = {plain(text) for text in (*HOSTILE, *fuzzed)}
    assert not [text for text in shown if not harmless(text) or "\n" in text]
    assert {plain(text) for text in shown} == shown


def test_counts_have_their_noun() -> None:
    said = {0: "0 threads", 1: "1 thread", 2: "2 threads", -1: "-1 threads"}
    assert {number: count_of(number, "thread") for number in said} == said


def signs_of(path: Path) -> set[str]:
    """The signs beyond ASCII in the texts of a module; help texts are docstrings of `cli`."""
    text = path.read_text(encoding="utf-8")
    if path.parent.name != "cli":
        text = re.sub(r'""".*?"""', "", text, flags=re.DOTALL)
    text = re.sub(r"(^ *|  )#.*", "", text, flags=re.MULTILINE)
    return {sign for sign in text if not sign.isascii() and not sign.isalpha()}


def test_signs_that_an_encoding_lacks_have_others() -> None:
    only_read, for_utf_alone = "\ufeff—", "▁▂▃▄▅▆▇▒▓★◆"
    modules = Path(evolve.__file__).parent.rglob("*.py")
    signs = set[str]().union(*map(signs_of, modules))
    ours = "".join(sorted(signs - {*only_read, *for_utf_alone}))
    small = {encoding: writable(ours, encoding) for encoding in ("ascii", "latin-1", "cp1252")}
    assert small == {name: text.encode(name).decode(name) for name, text in small.items()}
    assert not {"?", "\\"} & set("".join(small.values()))
    assert writable(ours, "utf-8") == ours
    assert writable("√2 ≥ 1", "ascii") == "sqrt 2 >= 1"
    assert writable("日", "ascii") == "\\u65e5"
    assert writable("日", "no encoding") == "日"


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
def test_an_elo_has_its_error(numbers: tuple[float | None, ...], signed: bool, text: str) -> None:
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
