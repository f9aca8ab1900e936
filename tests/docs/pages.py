"""The pages for readers, their blocks, and how small and where the tests run what stands there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
FENCE: Final = re.compile(r"^( *)(`{3,})([\w{}-]*)[^\n]*\n(.*?)^\1\2 *$", re.M | re.S)
FILE: Final = re.compile(r"\A(?:#|//) file: (\S+)\n")

RUN: Final = {
    "--generations": 3, "--population": 6, "--opponents": 3, "--survivors": 2, "--newcomers": 1,
    "--patience": 2, "--panel-openings": 2, "--playoff-openings": 2, "--hall-of-fame": 3,
    "--move-budget": 300,
}  # fmt: skip
GENES: Final = {
    "--trials": 3, "--panel-openings": 4, "--final-openings": 4, "--finalists": 2, "--startup": 2,
}  # fmt: skip
SWEEP: Final = {**GENES, "--reports": 2}
LEARN: Final = {"--budget": 1, "--games": 60, "--panel-openings": 2}
NETWORK: Final = {**LEARN, "--games-per-iteration": 20, "--check-every": 20, "--batch": 32}

SMALLER: Final[Mapping[str, Mapping[str, float]]] = {
    "run": {**RUN, "--population": 6},
    "resume": {"--generations": 5, "--games": 100, "--trials": 5, "--patience": 2, "--budget": 2},
    "resume runs/sweep-program-001": {"--games": 100},
    "train patterns": {
        **LEARN, "--games": 200, "--checks": 1, "--depth": 2, "--probcut": 0,
        "--probcut-positions": 50, "--endgame": 6,
    },
    "train dqn": NETWORK,
    "train mcts": {
        **NETWORK, "--simulations": 8, "--check-simulations": 4, "--play-simulations": 8,
        "--endgame": 4,
    },
    "sweep alphabeta": GENES,
    "sweep evolution": {**SWEEP, "--budget": 0.2},
    "sweep patterns": {**SWEEP, "--budget": 0.2, "--retest": 1},
    "sweep dqn": {**SWEEP, "--budget": 0.5},
    "sweep mcts": {**SWEEP, "--budget": 0.5},
    "sweep program": {"--trials": 3, "--pairs": 2, "--final-openings": 2, "--finalists": 1},
    "match": {"--games": 4},
    "rate": {"--games": 2},
    "compare": {"--games": 4},
    "check": {},
    "hand-in": {"--seconds": 2},
    "perft": {},
}  # fmt: skip
"""The most that an option of a command gets: where it is left out or larger, it is this number."""
ONLY_GIVEN: Final = {
    "--opponents", "--survivors", "--newcomers", "--patience", "--batch", "--budget",
}  # fmt: skip
"""Options of these that stay left out; `resume` and the games of trainings stay so, too."""
ADDED: Final[Mapping[str, Sequence[str]]] = {
    "run": ("--openings=start",),
    "train patterns": ("--shapes=lines-2", "--phases=3"),
    "train dqn": ("--layers=dense 8 relu, dueling",),
    "train mcts": ("--layers=dense 8 relu, dense 1 tanh",),
    # A process for trials takes longer to start than these trials.
    "sweep alphabeta": ("--panel=random,swh", "--jobs=1"),
    "sweep evolution": (
        "--budget=0.2", "--panel=random,swh", "--fix=population=6", "--fix=move_budget=300",
        "--jobs=1",
    ),
    "sweep patterns": (
        "--budget=0.2", "--panel=random,swh", "--fix=shapes=a1-b2",
        "--fix=probcut=0", "--fix=depth=2", "--fix=endgame=6", "--jobs=1",
    ),
    "sweep dqn": ("--budget=0.5", "--panel=random,swh", "--fix=games=60", "--jobs=1"),
    "sweep mcts": (
        "--budget=0.5", "--panel=random,swh", "--fix=games=60", "--fix=simulations=8",
        "--fix=check_simulations=4", "--fix=play_simulations=8", "--fix=endgame=4", "--jobs=1",
    ),
    "check": ("--quick",),
    "serve": ("--port=0",),
}  # fmt: skip
"""Further words of a command, unless it has that option (with `--fix`: and that name) already."""
REMOVED: Final[Mapping[str, str]] = {"--open": "it opens a browser of whoever runs the tests"}
WHOLE_GAME: Final = ("--games", "1")
"""A check of so many games takes half a minute: pages run one of positions alone."""
AGENTS: Final[Mapping[str, float]] = {
    "time": 0.05, "simulations": 16, "depth": 4, "endgame": 8, "nodes": 2000,
}  # fmt: skip
"""The most that a setting of an agent, behind `?` or `&`, gets."""
MARGIN: Final = "&margin=5"
"""What programs with such a time get beside it: the first move waits for what they import."""
FIELDS: Final[Mapping[str, float]] = {
    **{name[2:].replace("-", "_"): value for name, value in RUN.items()}, "games": 4, "trials": 3,
}  # fmt: skip
"""The same in files of settings and in Python, as `games = 20` or `"games": 20`."""
QUICK: Final = 'openings = "start"\nmove_budget = 300\npanel_openings = 2\nplayoff_openings = 2\n'
"""What stands in a design of runs, too."""

STAND_INS: Final[Mapping[str, Sequence[str]]] = {
    "gtp-rhino": ("engine", "swh?depth=1", "--protocol", "gtp"),
    "edax-nboard": ("engine", "swh?depth=1", "--protocol", "nboard"),
}
"""Programs of others that pages name, and what plays in their place."""
ELSEWHERE: Final[Mapping[str, str]] = {
    "pip": "it would change what the tests are run by; .ci/run installs as pages say",
    "git": "it fetches this repository",
    "pytest": "it is what runs the pages",
    "dask": "it does not end by itself; tests/cluster starts clusters",
    "ssh": "it needs another machine",
    "scp": "it needs another machine",
    "sbatch": "it needs SLURM",
    "docker": "it needs a container runtime",
    "podman": "it needs a container runtime",
    "kubectl": "it needs Kubernetes",
    "systemctl": "it needs systemd, and changes the machine",
    "loginctl": "it needs systemd, and changes the machine",
    "optuna-dashboard": "it is no part of evolve, and does not end by itself",
    "latexmk": "it needs LaTeX",
}
"""Programs that do nothing where tests run pages, and why; all others are run."""
ELSEWHERE_OF_EVOLVE: Final[Mapping[str, str]] = {
    r"--scheduler[ =]": "it needs a cluster; tests/cluster starts one",
    r"--python[ =]": "it needs another Python",
}
"""The same for lines of evolve, by what stands in them."""
ELSEWHERE_OF_PYTHON: Final[Mapping[str, str]] = {
    r"-m benchmarks|deploy/": "it takes minutes, and is no part of what is installed",
    r"-m pip": "as pip",
}
"""The same for `python`."""


class Page(NamedTuple):
    """A page and its blocks, in their order."""

    path: Path
    blocks: list[tuple[str, str]]
    """Language and text."""

    def written_files(self) -> dict[str, str]:
        """Files whose name stands in their first line, without that line, and linked examples."""
        linked = re.findall(r"\]\((\S*/examples/\w+\.py)\)", self.path.read_text("utf-8"))
        found = {Path(name).name: (self.path.parent / name).read_text("utf-8") for name in linked}
        for _, text in self.blocks:
            if named := FILE.match(text):
                found[named[1]] = text[named.end() :]
        return found

    def of(self, language: str) -> list[str]:
        """Blocks to run of that language."""
        return [text for kind, text in self.blocks if kind == language and not FILE.match(text)]

    @property
    def learns(self) -> bool:
        """Whether something needs PyTorch."""
        return any(re.search(r"(train|sweep) (dqn|mcts)", text) for _, text in self.blocks)


def read_page(path: Path) -> Page:
    """The page in that file."""
    blocks = []
    for indent, _, language, text in FENCE.findall(path.read_text(encoding="utf-8")):
        lines = [line.removeprefix(indent) for line in text.splitlines(keepends=True)]
        blocks.append((language, "".join(lines)))
    return Page(path, blocks)


def all_pages() -> list[Page]:
    """The README, all tutorials and all guides."""
    docs = ROOT / "docs"
    found = [*docs.glob("tutorials/*.md"), *docs.glob("guides/*.md")]
    return [read_page(path) for path in (ROOT / "README.md", *sorted(found))]


def smaller(words: Sequence[str]) -> list[str]:
    """The words behind `evolve`, for a command that takes a moment."""
    words = [_smaller_word(word) for word in words if word not in REMOVED]
    if words[:1] == ["check"]:
        words = [word for word in words if word not in WHOLE_GAME]
    name = next((name for name in (" ".join(words[:2]), *words[:1]) if name in SMALLER), "")
    limits = SMALLER.get(name, {})
    kept, index = [], 0
    given = {word.partition("=")[0] for word in words}
    while index < len(words):
        option, equals, value = words[index].partition("=")
        if option in limits:
            if not equals:
                index, value = index + 1, words[index + 1]
            kept.append(f"{option}={_least(value, limits[option])}")
        else:
            kept.append(words[index])
        index += 1
    if given & {"--list", "--help", "-h", "--quick"}:
        return kept
    left = [
        f"{option}={limit:g}"
        for option, limit in limits.items()
        if option not in given | ONLY_GIVEN and not name.startswith("resume")
    ]
    for more in ADDED.get(name or " ".join(words[:1]), ()):
        option, _, value = more.partition("=")
        mine = value.partition("=")[0]
        if option not in given if option != "--fix" else not any(mine in word for word in words):
            left.append(more)
    return kept + left


def smaller_text(text: str) -> str:
    """The same for a file of settings, a program in Python, or JSON."""
    names = "|".join(FIELDS)
    text = re.sub(
        rf"\b({names})(\"?\s*[=:]\s*)(\d+)\b",
        lambda m: f"{m[1]}{m[2]}{_least(m[3], FIELDS[m[1]])}",
        text,
    )
    if 'command = "run"' in text:
        text = text.replace("[settings]\n", f"[settings]\n{QUICK}", 1)
    return _smaller_word(text)


def _smaller_word(word: str) -> str:
    word = re.sub(
        rf"(?<=[?&])({'|'.join(AGENTS)})=([\d.]+)",
        lambda m: f"{m[1]}={_least(m[2], AGENTS[m[1]])}",
        word,
    )
    if re.match(r"(python|gtp|nboard):.*[?&]time=", word) and "margin=" not in word:
        word += MARGIN
    return re.sub(r"^(--seeds=|)(\d+)-\d+$", lambda m: f"{m[1]}{m[2]}-{int(m[2]) + 1}", word)


def _least(value: str, limit: float) -> str:
    try:
        return value if float(value) <= limit else f"{limit:g}"
    except ValueError:
        return value
