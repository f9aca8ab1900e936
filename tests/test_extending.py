"""The examples of docs/extending.md, carried out in a copy of the package."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from benchmarks.pages import find_chromium, open_chromium, sign_in, visit
from tests.service import TOKEN, Service

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/extending.md"
FENCE = r"\n\n```(?P<language>\w+)\n(?P<text>.*?)```\n"
STEP = re.compile(
    r"^(?:New file `(?P<new>[^`]+)`|In `(?P<old>[^`]+)`, (?P<how>before|after|instead of) "
    r"(?P<ticks>`{1,2})(?P<anchor>.+?)(?P=ticks)|(?P<trial>Try it)):" + FENCE,
    re.M | re.S,
)
MOST_FILES = {
    "A term of the evaluation": 3, "Rules": 3, "A kind of agent": 4,
    "A column of a table": 1, "A metric of a comparison": 1, "A record format": 1,
    "A learner": 5,
}  # fmt: skip
"""Files of the package that a recipe may touch; two where nothing is said."""
MOST_WORDS = 2250
TESTS = (
    *(f"tests/agents/test_{name}.py" for name in ("agent", "agent_file", "alphabeta")),
    "tests/agents/test_registry.py",
    "tests/agents/calibration/test_ratings.py", "tests/config", "tests/engine/board",
    "tests/engine/search", "tests/population", "tests/records", "tests/runs",
    *(f"tests/standalone/test_{name}.py" for name in ("part_search", "render")),
    "tests/tables", "tests/cli/test_rate.py", "tests/cli/test_light.py", "tests/cli/test_main.py",
    "tests/cli/test_show.py", "tests/docs/test_reference.py", "tests/service/test_forms.py",
)  # fmt: skip
"""Default tests of what the recipes touch; without those of kernels that none of them does."""
CHANGED = (
    "tests/docs/test_reference.py::test_the_overview_has_every_command_agent_and_preset",
    # A new column: the kept run lacks it.
    "tests/runs/test_run.py::test_tables_of_a_kept_run_have_their_columns",
    "tests/runs/test_run.py::test_a_kept_run_is_of_the_kind_that_it_was",
    "tests/cli/test_light.py::test_looking_at_runs_loads_no_kernels",
)
"""The page says once, for all recipes, that the overview needs a line."""

MARK = "--- next ---\n"
TRIAL = f"""
import json, sys
from evolve.cli.main import main
for words in json.loads(sys.argv[1]):
    print({MARK!r}, end="", flush=True)
    try:
        main(words)
    except SystemExit as ended:
        if ended.code:
            raise
"""
"""Carries out the lines that are to be tried, in one process: each start takes 1.7 s of CPU."""


class Example(NamedTuple):
    """A section of the page with something to carry out."""

    name: str
    steps: list[re.Match[str]]

    @property
    def files(self) -> set[str]:
        """The files of the package that it adds or changes; of a new folder, the folder."""
        files = {Path(step["new"] or step["old"]) for step in self.steps if not step["trial"]}
        files = {file if (ROOT / file.parent).is_dir() else file.parent for file in files}
        return {file for file in map(str, files) if file.startswith("evolve/")}


def examples() -> list[Example]:
    page = PAGE.read_text(encoding="utf-8")
    sections = [part.partition("\n") for part in re.split(r"^## (?!Table)", page, flags=re.M)[1:]]
    found = [Example(head, list(STEP.finditer(text))) for head, _, text in sections]
    return [example for example in found if example.steps]


EXAMPLES = examples()


def carry_out(step: re.Match[str], project: Path) -> None:
    if step["new"]:
        path = project / step["new"]
        assert not path.exists()
        path.parent.mkdir(exist_ok=True)
        path.write_text(step["text"], encoding="utf-8")
        return
    path = project / step["old"]
    text, anchor = path.read_text(encoding="utf-8"), step["anchor"]
    if len(step["ticks"]) == 2:  # a blank keeps ticks apart
        anchor = anchor.strip(" ")
    assert text.count(anchor) == 1, f"{anchor!r} is {text.count(anchor)} times in {path}"
    if step["how"] == "instead of":
        text = text.replace(anchor, step["text"].rstrip("\n"))
    elif step["how"] == "before":
        text = text.replace(anchor, step["text"] + anchor)
    else:
        text = text.replace(anchor, anchor + "\n" + step["text"].rstrip("\n"))
    path.write_text(text, encoding="utf-8")


def test_every_kind_of_extension_is_there() -> None:
    assert len(EXAMPLES) == 11
    assert not [one.name for one in EXAMPLES if len(one.files) > MOST_FILES.get(one.name, 2)]
    assert {sum(bool(step["trial"]) for step in one.steps) for one in EXAMPLES} == {1}
    assert len(PAGE.read_text(encoding="utf-8").split()) <= MOST_WORDS


@pytest.fixture(scope="module")
def extended(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with all examples, one after another: its kernels compile once."""
    project = tmp_path_factory.mktemp("extended") / "project"
    # With what Python has compiled: it looks at the time and the size of each source.
    for folder in ("benchmarks", "docs", "evolve", "runs", "tests"):
        shutil.copytree(ROOT / folder, project / folder)
    for file in ROOT.iterdir():
        if file.is_file():
            shutil.copy2(file, project)
    for example in EXAMPLES:
        for step in example.steps:
            if not step["trial"]:
                carry_out(step, project)
    return project


def run_python(*words: str, project: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run Python with the package of a copy."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(project)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_works(
    example: Example, extended: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trial = next(step for step in example.steps if step["trial"])
    lines = [shlex.split(line) for line in trial["text"].splitlines()]
    assert all(program == "evolve" for program, *_ in lines)
    words = json.dumps([words for _, *words in lines])
    done = run_python("-c", TRIAL, words, project=extended, folder=tmp_path)
    *before, last = done.stdout.split(MARK)[1:]
    assert done.returncode == 0, f"{lines[len(before)]}\n{done.stderr}"
    assert len(before) + 1 == len(lines)
    if example.name == "A kind of run":  # one without champions has a score of its own
        assert all(0.3 < run["score"] < 0.7 for run in json.loads(last))
    if example.name == "A metric of a comparison":
        assert [row["metric"] for row in json.loads(last)] == ["least_distinct"]
    if example.name == "A term of the evaluation":
        check_the_exported_term(tmp_path)
    if example.name in SERVED:
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("PYTHONPATH", str(extended))
        service = Service(tmp_path).start(real=True)
        try:
            SERVED[example.name](service)
        finally:
            service.close()


@pytest.mark.slow
def test_the_default_tests_hold_with_all_examples(extended: Path) -> None:
    words = ("-m", "pytest", "-n", "0", "-q", "--no-header", "-p", "no:cacheprovider", *TESTS)
    done = run_python(
        *words, *(f"--deselect={name}" for name in CHANGED), project=extended, folder=extended
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def check_the_exported_term(runs: Path) -> None:
    """The exported file has the term, in its table and its source."""
    text = (runs / "edgy.py").read_text(encoding="utf-8")
    assert re.search(r'^    "edges": \[-?\d', text, re.M)
    assert "0xFF818181818181FF" in text


def check_the_served_kind(service: Service) -> None:
    """The service and its page list runs of a new kind, draw their charts and show their tables."""
    kinds = {kind["name"]: kind for kind in service.get("meta")["kinds"]}
    assert kinds["census"]["plural"] == "censuses"
    assert [table["name"] for table in kinds["census"]["tables"]] == ["batches"]
    (run,) = service.get("runs?kind=census")["items"]
    assert (run["state"], run["done"], run["unit"], run["share"]) == ("done", 3, "batches", 1.0)
    assert run["curve"] == pytest.approx([run["curve"][0], run["curve"][1], run["score"]], abs=0.1)
    rows = service.get("runs/counted/batches")
    assert [row["batch"] for row in rows["items"]] == [0, 1, 2]
    assert [column["format"] for column in rows["columns"]] == ["number", "percent"]
    assert "census" in [form["command"] for form in service.get("commands")["items"]]
    job = service.order("census", batches=1)
    assert service.wait(job)["run"] == "census-001"
    with look(service) as page:
        visit(page, address(service), "run/counted")
        figure = page.get_by_role("figure", name="Shares of the games")
        assert "batch" in (figure.text_content() or "")  # in its menu
        assert page.get_by_role("link", name="Batches").count() == 1
        visit(page, address(service), "run/counted/batches")
        assert page.get_by_role("table").get_by_role("row").count() == 4
        visit(page, address(service), "?kind=census")
        assert page.get_by_role("button", name="censuses").count() == 1
        assert page.get_by_role("link", name="counted").count() == 1
        visit(page, address(service), "compare?run=counted&run=census-001")
        page.get_by_role("img", name="Black over batches").wait_for()


def check_the_served_table(service: Service) -> None:
    """The service and its page have a new table, with its chart."""
    rows = service.get("runs/traced/origins")
    assert [row["generation"] for row in rows["items"]] == [0, 1, 2]
    with look(service) as page:
        visit(page, address(service), "run/traced/origins")
        assert page.get_by_role("table").get_by_role("row").count() == 4


def check_the_served_rules(service: Service) -> None:
    """The service and its page offer new rules."""
    goals = {rules["name"]: rules["goal"] for rules in service.get("meta")["rules"]}
    assert goals["corners"] == "most corners wins"
    with look(service) as page:
        visit(page, address(service), "play")
        assert page.get_by_role("button", name="most corners wins").count() == 1
        visit(page, address(service), "")
        assert page.get_by_role("option", name="corners").count() == 1


def check_the_served_learner(service: Service) -> None:
    """The service starts a new learner's trainings and sweeps, and its page draws them."""
    commands = [form["command"] for form in service.get("commands")["items"]]
    assert {"train squares", "sweep squares"} <= set(commands)
    runs = {run["id"]: run for run in service.get("runs")["items"]}
    assert runs["learned"]["state"] == runs["swept"]["state"] == "done"
    job = service.order("train", kind="squares", games=40)
    assert service.get(f"runs/{service.wait(job)['run']}")["done"] == 40
    with look(service) as page:
        visit(page, address(service), "run/learned")
        page.get_by_role("figure").first.wait_for()
        visit(page, address(service), "run/swept")
        page.get_by_role("figure").first.wait_for()


def address(service: Service) -> str:
    return f"http://127.0.0.1:{service.port}/"


@contextmanager
def look(service: Service) -> Iterator[Page]:
    """Its page in a browser; the test is skipped where there is none, its other checks done."""
    chromium = find_chromium()
    if chromium is None or find_spec("playwright") is None:
        pytest.skip("the page needs Playwright and a Chromium")
    with open_chromium(chromium) as browser, browser.new_context() as context:
        sign_in(context, address(service), TOKEN)
        yield context.new_page()


SERVED = {
    "A kind of run": check_the_served_kind,
    "A table of a run": check_the_served_table,
    "Rules": check_the_served_rules,
    "A learner": check_the_served_learner,
}
"""Examples that must reach the service and the page, with what is looked at there."""
