"""The pictures of README, tutorials and guides, by the commands that stand on these pages.

python -m benchmarks.pictures [PICTURE …] [--runs FOLDER]      all, or some of them

What a command made in FOLDER is kept there, so that a second call only draws. Each picture carries
as text what made it: the version, its commands, and a hash of the agents that evolve came with.
Pictures of docs/evidence are measurements of their day, and none of these.
"""

from __future__ import annotations

import argparse
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from PIL.PngImagePlugin import PngInfo

import evolve
from benchmarks.pages import find_chromium, open_chromium, play_picture, run_picture
from benchmarks.service import served
from benchmarks.weights import shipped_weights

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs/pictures"
PAGE = "the page of evolve serve"
_BLOCK = re.compile(r"^```python\n(?:# file: (\S+)\n)?(.*?)^```$", re.M | re.S)


class Work(NamedTuple):
    """What a page has made, and the pictures of it."""

    page: str
    command: str
    pictures: dict[str, str]
    """Commands by the name of the picture that they draw."""


WORKS = [
    Work(
        "tutorials/first-run",
        "evolve run --generations 20",
        {"first-run": "evolve plot runs/reversed-001 -o first-run.png"},
    ),
    Work(
        "tutorials/study",
        "evolve run --generations 20 --population 24 --seeds 0-4 "
        "--grid crossover=blend,uniform --out runs/crossovers",
        {"study": "evolve plot runs/crossovers -o study.png --style paper --size 8.5x6cm"},
    ),
    Work(
        "tutorials/network",
        "evolve train mcts --budget 120",
        {"network": "evolve plot runs/mcts-001 -o network.png"},
    ),
    Work(
        "tutorials/tune-engine",
        "evolve sweep program 'gtp:python3 engine.py --corner {corner:0:50=0} "
        "--mobility {mobility:-5:10=0}' --games 1500",
        {"tune-engine": "evolve plot runs/sweep-program-001 -o tune-engine.png"},
    ),
    Work(
        "guides/evolve",
        "evolve run --generations 40 --population 32 --out runs/first",
        {
            "evolve-run": "evolve plot runs/first -o evolve-run.png",
            "evolve-lineage": "evolve lineage runs/first -o evolve-lineage.png",
        },
    ),
    Work(
        "guides/studies",
        "evolve run --generations 12 --population 16 --seeds 0-3 "
        "--grid crossover=blend,uniform --out runs/crossovers",
        {"crossovers": "evolve plot runs/crossovers -o crossovers.png"},
    ),
    Work(
        "guides/patterns",
        "evolve train patterns --budget 20 --checks 4",
        {
            "patterns-curve": "evolve plot runs/patterns-001 -o patterns-curve.png",
            "patterns-discs": "evolve plot runs/patterns-001/champion.npz -o patterns-discs.png",
        },
    ),
    Work(
        "guides/networks",
        "evolve train mcts --budget 20",
        {"networks-learning": "evolve plot runs/mcts-001 -o networks-learning.png"},
    ),
    Work(
        "guides/tune-a-program",
        "evolve sweep program 'gtp:python3 engine.py --corner {corner:-20:50=0} "
        "--mobility {mobility:-10:10=-1}' --games 900 --out runs/tuned",
        {"tuned": "evolve plot runs/tuned -o tuned.png"},
    ),
    Work(
        "guides/own-operators",
        "python block-1.py",
        {"own-operators": "evolve plot runs/mine -o own-operators.png"},
    ),
    Work("guides/matches", "python block-1.py", {"ratings": "true"}),
    Work(
        "guides/our-agents-elsewhere",
        "evolve export champion-standard -o best.json",
        {"champion": "evolve plot best.json -o champion.png"},
    ),
    Work("guides/serve", "evolve run --generations 168", {"run-page": PAGE, "play": PAGE}),
]


def weights_of(name: str) -> str:
    """The hash of the agents that a picture was made with."""
    with Image.open(PICTURES / f"{name}.png") as picture:
        return str(picture.info.get("Weights", ""))


def make(work: Work, folder: Path) -> None:
    """Run the command of a page in its folder, unless it was finished there."""
    if (folder / "made").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    text = (ROOT / f"docs/{work.page}.md").read_text(encoding="utf-8")
    shutil.copytree(ROOT / "examples", folder, dirs_exist_ok=True)
    for number, (name, block) in enumerate(_BLOCK.findall(text), 1):
        (folder / (name or f"block-{number}.py")).write_text(block, encoding="utf-8")
    _shell(work.command, folder)
    (folder / "made").touch()


def draw(work: Work, folder: Path, names: set[str]) -> None:
    """Draw those pictures of a page, and put them among the documentation's."""
    for name in names & set(work.pictures):
        if work.pictures[name] != PAGE:
            _shell(work.pictures[name], folder)
    if pages := {name for name in names if work.pictures.get(name) == PAGE}:
        _photograph(folder, pages)
    for name in sorted(names & set(work.pictures)):
        commands = [part for part in (work.command, work.pictures[name]) if part != "true"]
        store(folder / f"{name}.png", PICTURES / f"{name}.png", "; ".join(commands))


def _photograph(folder: Path, names: set[str]) -> None:
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("error: pictures of the page need Chromium, and there is none")
    with open_chromium(chromium) as browser, served(folder / "runs") as server:
        for name, picture in (("run-page", run_picture), ("play", play_picture)):
            if name in names:
                picture(browser, server, folder / f"{name}.png")


def store(path: Path, target: Path, source: str) -> None:
    """Write a picture with 256 colours, and what it was made from as its text."""
    text = PngInfo()
    text.add_text("Software", f"evolve {evolve.__version__}")
    text.add_text("Source", source)
    text.add_text("Weights", shipped_weights())
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(256, dither=Image.Dither.NONE)
        small.save(target, optimize=True, pnginfo=text)
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size / 1000:.0f} kB")


def _shell(command: str, folder: Path) -> None:
    python = shlex.quote(sys.executable)
    words = f'evolve() {{ {python} -m evolve "$@"; }}\npython() {{ {python} "$@"; }}\n{command}'
    subprocess.run(["sh", "-e", "-c", words], cwd=folder, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    known = [name for work in WORKS for name in work.pictures]
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help=", ".join(known))
    parser.add_argument("--runs", type=Path, default=ROOT / "runs/pictures")
    given = parser.parse_args()
    names = set(given.pictures or known)
    if unknown := names - set(known):
        parser.error(f"no such picture: {', '.join(sorted(unknown))}")
    for work in WORKS:
        if names & set(work.pictures):
            folder = given.runs.absolute() / work.page.replace("/", "-")
            make(work, folder)
            draw(work, folder, names)


if __name__ == "__main__":
    main()
