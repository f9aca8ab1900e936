"""`evolve runs` and `evolve compare`: runs in a list and side by side, settings over seeds."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import evolve
from evolve.agents.calibration.ratings import ratings_of
from evolve.cli.options import complete_agents, jobs_option, json_option, output_option
from evolve.cli.output import rounded, style_of, write_in_style
from evolve.cli.terminal import cell, counting, print_json, print_rows, print_text
from evolve.errors import EvolveError, OptionsError
from evolve.files.atomic import write_text
from evolve.number_text import elo_text
from evolve.runs.run_types import tuned_line
from evolve.studies.document import ENDINGS, Section, document_of, methods_of, sections_of

if TYPE_CHECKING:
    from evolve.studies.comparison import Comparison

_DOCUMENT: Final = "document"  # the style of .tex and .md files

_COLUMNS_HELP: Final = """

\b
state  running (a process writes to it), stopped, or done
date   when it last grew
done   generations (games of a training, trials of a sweep, runs of a study) of
       those asked for
elo    of the champion on the ladder with its 95 % interval, from games after
       those that chose it
score  of a champion that has no Elo, against the panel of its training or sweep
"""


@click.command(
    name="runs",
    help="List the runs and studies in FOLDER (runs by default)."
    + _COLUMNS_HELP
    + "\n\b\nExample:\n  evolve runs\n",
)
@click.argument("folder", default="runs")
@json_option
def runs_command(folder: str, as_json: bool) -> None:
    """See above."""
    from evolve.runs.run import list_all
    from evolve.runs.summary import RunSummary, damaged, summary

    every: dict[str, RunSummary] = {}

    def refuse(path: Path, error: Exception) -> None:
        every[str(path)] = damaged(path, error)

    # Before the first run there is no folder for them.
    exists = folder != "runs" or Path(folder).exists()
    for run in list_all(folder, refuse) if exists else ():
        try:
            every[str(run.path)] = summary(run)
        except (EvolveError, OSError) as error:
            refuse(run.path, error)
    found = sorted(every.items())
    if as_json:
        print_json([{"run": path, **document.model_dump()} for path, document in found])
    elif found:
        rows = [{"run": path, **document.row} for path, document in found]
        columns = ["run", "command", "rules", "state", "date", "done", *strengths(rows)]
        columns += ["preset", "seed", "champion"]
        spare = ("champion", "seed", "preset", "command", "date", "rules")
        print_rows(columns, [shown_row(row, columns) for row in rows], spare)
    else:
        print_text(f"no runs in {folder}; start one with: evolve run")


def strengths(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """The columns of how strong champions are: of scores only where some have no Elo."""
    return ("elo", "score") if any(map(_score_of, rows)) else ("elo",)


def shown_row(row: Mapping[str, Any], columns: Sequence[str]) -> list[Any]:
    """A run's row in these columns, as people read it."""
    shown = {**row, **_results(row)}
    return [shown.get(key) for key in columns]


def _results(row: Mapping[str, Any]) -> dict[str, str | None]:
    date, done, target = (row.get(key) for key in ("date", "done", "target"))
    return {
        "state": row.get("problem") or row.get("state"),
        "date": None if date is None else datetime.fromtimestamp(date).isoformat(" ", "minutes"),
        "done": None if done is None else str(done) if target is None else f"{done}/{target}",
        "elo": strength_of(row),
        "score": _score_of(row),
    }


def strength_of(row: Mapping[str, Any]) -> str | None:
    """A champion's Elo with its interval; None without one."""
    elo, low, high = (row.get(key) for key in ("elo", "elo_low", "elo_high"))
    return None if elo is None else elo_text(elo, low, high)


def _score_of(row: Mapping[str, Any]) -> str | None:
    """The score of a champion without Elo, with its interval; None if it has neither."""
    score, low, high = (row.get(key) for key in ("score", "score_low", "score_high"))
    if score is None or row.get("elo") is not None:
        return None
    return f"{score:.3f}" if low is None or high is None else f"{score:.3f} [{low:.3f}, {high:.3f}]"


def tuned_lines(run: evolve.Run) -> list[str]:
    """What the winner of a sweep of a program gains, and how it plays; none of other runs."""
    line, gain_of = tuned_line(run.path), run.kind.reading.gain
    if line is None or gain_of is None or (gain := gain_of(run)) is None:
        return [] if line is None else [f"paste: {line}"]
    elo = elo_text(*gain.columns("elo").values(), signed=True)
    return [f"gain over the defaults {elo} Elo", f"paste: {line}"]


def describe_champion(run: evolve.Run, provenance: Mapping[str, Any]) -> str:
    """How good a run's champion is, for people who look at that run alone.

    It is the champion's Elo, its share of the play-off, or its score and against which panel.
    """
    from evolve.runs.summary import playoff_share_of, summary_of

    strength, parts = strength_of(summary_of(run).row), []
    if strength is not None:
        games = f" in {provenance['elo_games']} games" if "elo_games" in provenance else ""
        parts.append(f"{strength} Elo on the ladder{games}")
    against = cell(provenance.get("against"))
    if share := playoff_share_of(run):
        value, low, high = map(cell, share.values())
        parts.append(
            f"play-off share {value} [{low}, {high}] in {cell(provenance.get('games'))} games"
        )
    elif provenance.get("games") == 0:
        parts.append(f"against {against}")
    else:
        word = "score so far" if run.kind.rated else "score"
        error = f" ± {cell(provenance['error'])}" if "error" in provenance else ""
        parts.append(f"{word} {cell(provenance.get('score'))}{error} against {against}")
    return ", ".join(parts)


_HELP = f"""Show RUNS side by side: their results, and the settings in which they differ.
{_COLUMNS_HELP}
Of studies (evolve run --seeds, evolve study) the settings are compared over their seeds: means with
Student's 95 % intervals, and the differences of each two of the same rules, seed by seed, with
intervals and p values corrected for their number after Holm; of a grid of several settings the
main effect of each as well. So are runs that differ in their seeds alone, as one
setting, below the table of each run; others are settings with one seed. The metric is the Elo of
each champion on the ladder, or --metric; where some have none, a line says which, and what was
compared instead. The surest difference follows in words. With --games the champions of each two
settings meet as well, seed by seed. Agents by name, such as level-5, stand by their Elo.

\b
Examples:
  evolve compare runs/reversed-001 runs/reversed-002 level-5
  evolve compare runs/study-001 --games 100 -o study.csv
  evolve compare runs/study-001 -o study.tex
  evolve compare runs/blend runs/uniform --metric best_panel_score
"""


@click.command(name="compare", help=_HELP)
@click.argument("runs", nargs=-1, required=True, shell_complete=complete_agents)
@click.option(
    "--metric", metavar="NAME", help="What is compared over seeds: any number that --json has."
)
@click.option(
    "--games",
    type=click.IntRange(2, 10_000_000),
    help="Let the champions of each two settings meet in so many games, seed by seed.",
)
@output_option(
    "File for the table: .csv, .json or .parquet; .tex or .md for a document. Of a study .md "
    "begins with a paragraph of methods for a paper."
)
@jobs_option
@json_option
def compare_command(
    runs: tuple[str, ...],
    metric: str | None,
    games: int | None,
    output: Path | None,
    jobs: int,
    as_json: bool,
) -> None:
    """See above."""
    document = output is not None and output.suffix.lower() in ENDINGS
    asked = "json" if as_json and output is None else None
    style = _DOCUMENT if document else style_of(asked, output)
    people = style == "table" and output is None
    agents = [name for name in runs if ratings_of(name) and not Path(name).exists()]
    runs = tuple(name for name in runs if name not in agents)
    if agents and not (people and runs):
        raise click.UsageError(f"{agents[0]} is an agent: it stands beside runs, on a terminal")
    sources = [evolve.load_run(path) for path in runs]
    for name in agents:
        _print_known(name, sources)
    plain = [source for source in sources if source.form == "run"]
    only_runs = len(plain) == len(sources)
    aside = only_runs and metric is None and games is None  # what each is says enough
    found = None
    if len(sources) > 1 or not aside:
        from evolve.studies import comparison  # not above: one run needs no kernels, no pandas

        groups = [] if aside else comparison.groups_of(sources)
        found = comparison.over_seeds(plain) if aside else comparison.compared(groups, metric)
        if games is not None:
            matches = comparison.meetings(groups)
            _announce(matches, games, quiet=style == "json" and output is None)
    tables = not (found is None or isinstance(found, str)) and (found.has_seeds or not aside)
    if only_runs and (people or not tables):
        _side_by_side(runs, plain, style, output)
    if found is None or isinstance(found, str):
        if found and people:
            print_text(found)
        return
    if games is not None:
        with counting("games", sum(matches.values()) * (games + games % 2)) as advance:
            found = found.met(games, jobs, advance)
    if people:
        print_compared(found, tables)
    elif tables and style == _DOCUMENT:
        methods = ""
        if len(sources) == 1 and sources[0].form == "study":
            methods = methods_of(sources[0], found.frame)
        _write_document(sections_of(found.frame), output, methods)
    elif tables:
        write_in_style(found.frame, style, output)


def _print_known(agent: str, sources: Sequence[evolve.Run | evolve.Study]) -> None:
    """Print the Elo of an agent by name, by the rules of the runs beside it, else by all."""
    runs = itertools.chain(*(one.runs if one.form == "study" else [one] for one in sources))
    rules, known = {run.config.get("rules") for run in runs}, ratings_of(agent)
    for key, rating in ({rule: known[rule] for rule in known if rule in rules} or known).items():
        elo = elo_text(rating.elo, rating.elo - rating.error, rating.elo + rating.error)
        print_text(f"{agent}: {elo} Elo on the ladder, {key}")


def _write_document(sections: Sequence[Section], output: Path | None, methods: str = "") -> None:
    """Write tables as a document; methods: a paragraph before those in Markdown."""
    assert output is not None  # its ending has chosen this style
    ending = output.suffix.lower()
    text = document_of(sections, ending)
    write_text(output, f"{methods}\n{text}" if methods and ending == ".md" else text)


def _announce(matches: Mapping[str, int], games: int, quiet: bool) -> None:
    """Print how many matches champions play, unless `quiet`.

    matches: their number by rules. OptionsError if no two champions meet.
    """
    if not matches:
        raise OptionsError(
            f"games: {games}: champions meet those of another setting with the same rules and "
            "seed, and there are none; evolve match RUN RUN lets any two meet"
        )
    number = sum(matches.values())
    if not quiet:
        count = "a match" if number == 1 else f"{number} matches"
        print_text(f"{count} of {games + games % 2} games, {' and '.join(sorted(matches))}")


def print_compared(found: Comparison, tables: bool = True) -> None:
    """Print settings over seeds for people, metric by metric, and what that says in words."""
    for section in sections_of(found.frame) if tables else ():
        print_text(section.title)
        print_rows(section.heads, section.rows)
    for sentence in found.words:
        print_text(sentence)


def _side_by_side(
    names: Sequence[str], runs: Sequence[evolve.Run], style: str, output: Path | None
) -> None:
    from evolve.runs.summary import differing_in, summary_of

    every, columns = list[dict[str, Any]](), list[dict[str, Any]]()
    differing = differing_in([run.config for run in runs])
    for at, run in enumerate(runs):
        summary, more = summary_of(run), run.kind.reading.metrics(run)
        row = {**summary.row, **more}
        own = {key: values[at] for key, values in differing.items() if key not in row}
        every.append({**row, **own})
        results = {key: text for key, text in _results(row).items() if text or key != "score"}
        more |= {key: _flat(value) for key, value in own.items() if key in run.config}
        metrics = {key: value for key, value in summary.metrics.items() if key != "best_score"}
        head = {key: row[key] for key in ("command", "rules", "preset", "seed")}
        columns.append({**head, **results, **metrics, "champion": summary.champion, **more})
    rows = [{"run": name, **row} for name, row in zip(names, every, strict=True)]
    if style == "json" and output is None:
        print_json(rows)
        return
    if output is not None and style != _DOCUMENT:
        flat = [{key: _flat(value) for key, value in row.items()} for row in rows]
        write_in_style(flat, style, output)
        return
    shown = dict.fromkeys(key for column in columns for key in column)
    if len({run.command for run in runs}) > 1:  # what one alone has compares nothing, but results
        gains = {name for run in runs for name in run.kind.reading.compared_by}
        kept = (key in gains or sum(key in column for column in columns) > 1 for key in shown)
        shown = dict.fromkeys(itertools.compress(shown, kept))
    lines = [[key, *(rounded(key, column.get(key)) for column in columns)] for key in shown]
    if style == _DOCUMENT:
        texts = [[cell(value) for value in line] for line in lines]
        _write_document([Section("", ["", *names], texts)], output)
    else:
        print_rows(["", *names], lines)


def _flat(value: Any) -> Any:
    if isinstance(value, dict):
        return " ".join(f"{key}={item}" for key, item in value.items())
    return value
