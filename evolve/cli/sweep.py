"""`evolve sweep`, and resuming such a run."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

import evolve
from evolve.cli.display import tell
from evolve.cli.executors import executor_options, refuse_cluster, site
from evolve.cli.hand_in import proposed
from evolve.cli.new_run import config_of, need_extras, new_folder, settings_below
from evolve.cli.options import all_cores, log_option
from evolve.cli.permission import agree_to_programs, check_programs
from evolve.cli.progress import progress_option
from evolve.cli.settings import GroupedCommand, given_options, model_options
from evolve.cli.study import start_study, study_options
from evolve.cli.terminal import elo_text, print_rows
from evolve.cli.trials import TrialsView, print_finalists
from evolve.cli.work import carry_out, finish
from evolve.config.program_sweep import ProgramSweepSettings
from evolve.config.sweep import FEWEST_OPENINGS, SweepSettings
from evolve.config.toml import read_toml, resolve_as
from evolve.errors import OptionsError, RunError
from evolve.files.atomic import write_text
from evolve.files.folder import FolderPath
from evolve.tables import folder as store
from evolve.tables.paths import CONFIG_FILE
from evolve.tables.run_types import SWEEPS
from evolve.terminal_text import as_word, count_of

if TYPE_CHECKING:
    from evolve.fitness.placement import Site
    from evolve.sweeps.final import FinalResult
    from evolve.sweeps.sweep import Sweep, SweepEnding
    from evolve.tables.progress import Observer
    from evolve.tables.run import Run

_ON_CLUSTERS: Final = ("alphabeta", "evolution")
"""Kinds that can play on a cluster, because the kernels play their games."""
_SWEEP_HELP = """Search the hyperparameters of KIND with Optuna.

KIND is dqn, mcts or patterns (learning), alphabeta (every gene of an alpha-beta agent), evolution
(the genetic algorithm itself) or program: any PROGRAM that speaks GTP or NBoard, its command with
{NAME:LOW:HIGH} for each parameter. A trial makes an agent in the same CPU seconds as all others and
meets a fixed panel on fixed openings; those that fall behind are pruned. The first trial has the
default settings. At the end the best trials play for the champion on fresh openings, and the
winner meets the defaults once more. With --rungs, as for patterns, the best
learn again for longer, and fresh seeds test the winner against the defaults.

\b
Ranges:
  evolve sweep dqn --list                      what is searched, and in which ranges
  --fix NAME=VALUE                             hold it, or any other setting of the command
  --space FILE.toml                            narrow or widen it: [learning_rate] low = 1e-3

\b
Many machines: the same command on each joins the study of that name in a database:
  evolve sweep mcts --storage postgresql://user@host/db --study mine --jobs 16

Ctrl-C ends after the trials in hand, or the games of the final, a second one at once; `evolve
resume` goes on, to exactly the number of trials that was asked for. optuna-dashboard shows the same
study: optuna-dashboard FOLDER/journal.log, or the storage's URL.

\b
Examples:
  evolve sweep mcts --trials 60 --budget 60 --jobs 2
  evolve sweep patterns --sampler ga --trials 200 --rungs 20x10,5x60x3
  evolve sweep dqn --fix lookahead=0 --fix steps=10 --sampler gp
  evolve sweep alphabeta --rules reversed --sampler cma --trials 500
  evolve sweep program 'gtp:./engine --corner {corner:1:50=10} --style {style:a|b}' --games 2000
"""


@click.command(cls=GroupedCommand, name="sweep", help=_SWEEP_HELP)
@click.argument("kind", type=click.Choice(list(SWEEPS.variants)))
@click.argument("program", required=False)
@model_options(ProgramSweepSettings, "kind", "program", "space", "fix")
@click.option("--fix", multiple=True, metavar="NAME=VALUE", help="Hold a setting of all trials.")
@click.option("--space", metavar="FILE.toml", help="Ranges that differ from the usual ones.")
@click.option("--list", "listing", is_flag=True, help="Show the space in place of a sweep.")
@study_options
@executor_options
@log_option
@progress_option
@click.option("--out", metavar="FOLDER", help="Folder of the sweep; runs/sweep-KIND-NNN if not.")
@click.option("--config", metavar="FILE.toml", help="Settings; options come first.")
def sweep_command(
    kind: str,
    program: str | None,
    fix: tuple[str, ...],
    space: str | None,
    listing: bool,
    out: str | None,
    config: str | None,
    seeds: str | None,
    grid: tuple[str, ...],
    **options: Any,
) -> int:
    """See _SWEEP_HELP."""
    model = SWEEPS.variants[kind].model()
    given: dict[str, Any] = {"kind": kind, **given_options(ProgramSweepSettings, options)}
    if program is not None:
        given["program"] = program
    if fix:
        given["fix"] = dict(map(_held, fix))
    if space is not None:
        given["space"] = _ranges(Path(space), given.setdefault("fix", {}))
    file = settings_below(config)
    if (seeds is not None or grid) and not listing:
        # --jobs on the command line counts for all sweeps together, in the file for each.
        jobs = given.pop("jobs", None) or all_cores()
        layers = (file, {key: value for key, value in given.items() if key != "kind"})
        return start_study(SWEEPS.command(kind), seeds, grid, layers, jobs, out)
    settings = resolve_as(model, {}, given, file, config or "file")
    if listing:
        _list(settings)
        return 0
    from evolve.sweeps.plan import checked_plan

    checked_plan(settings).check_new()
    need_extras(SWEEPS.variants[kind])
    games_at = _site(kind)
    stem = SWEEPS.stem_of(SWEEPS.command(kind), settings.rules)
    with new_folder(SWEEPS.kept_in, stem, out) as folder:
        name = settings.study or folder.resolve().name
        settings = settings.model_copy(update={"study": name, "jobs": settings.jobs or all_cores()})
        agree_to_programs(folder, _kept(settings))
        store.create(folder, _config(settings), SWEEPS.parts)
        with closing(_sweep_of(folder, settings, games_at)) as sweep:
            return _go_on(sweep)


def kept_settings(command: str, file: Path, changes: Mapping[str, Any]) -> SweepSettings:
    """The settings in a sweep's config.toml, with `changes`.

    `jobs` is None where an old file does not say how many workers the sweep had.
    """
    kind, stored = SWEEPS.word(command), read_toml(file)
    if "games" in changes and "trials" not in changes:
        stored.pop("trials", None)  # they were as many as the games allowed
    model = SWEEPS.variants[kind].model()
    settings: SweepSettings = resolve_as(model, {}, {"kind": kind, **changes}, stored, str(file))
    return settings


def resume_sweep(run: Run, changes: Mapping[str, Any], jobs: int, allow_programs: bool) -> int:
    """Go on with a sweep to its number of trials, or the one in `changes`."""

    need_extras(SWEEPS.commands[run.command])
    folder, file = run.path, run.path / CONFIG_FILE
    games_at = _site(SWEEPS.word(run.command))
    before = kept_settings(run.command, file, {})
    if "storage" in changes:
        _check_same_storage(folder, before.storage, changes["storage"])
    settings = kept_settings(run.command, file, changes)
    settings = settings.model_copy(update={"jobs": settings.jobs or jobs})
    with store.locked(folder):
        given = "storage" in changes
        check_programs(folder, _kept(settings), allowed=allow_programs, storage=given)
        store.sweep_temporary(folder, SWEEPS.parts)
        with closing(_sweep_of(folder, settings, games_at)) as sweep:
            if _is_finished(sweep):
                return 0
            if settings != before:
                write_text(file, _config(settings))
            return _go_on(sweep, _about_workers(folder, before.jobs, sweep.jobs))


def _about_workers(folder: Path, before: int | None, now: int) -> str | None:
    """A remark if the number of workers is unknown or changes; None otherwise."""
    if before is None:
        return f"{folder} does not say how many workers it had; {now} from now on"
    if before != now:
        return (
            f"{count_of(now, 'worker')} from now on, {before} before: what is tried depends on "
            f"that; --jobs {before} goes on as it began"
        )
    return None


def _site(kind: str) -> Site:
    """Where the games of trials are played; OptionsError for a cluster that the kind cannot use."""
    if kind not in _ON_CLUSTERS:
        refuse_cluster(f"`{SWEEPS.command(kind)}` is")
    return site()


def _sweep_of(folder: FolderPath, settings: SweepSettings, games_at: Site) -> Sweep:
    from evolve.sweeps.population import PopulationSweep
    from evolve.sweeps.sweep import Sweep

    bred = isinstance(settings, ProgramSweepSettings) and settings.algorithm == "ga"
    return (PopulationSweep if bred else Sweep)(folder, settings, site=games_at)


def _check_same_storage(folder: FolderPath, stored: str | None, given: str) -> None:
    """Raise OptionsError unless a storage is the sweep's own, given with its password."""
    from evolve.sweeps.storage import without_password

    shown = without_password(given)
    if stored is None:
        raise OptionsError(f"storage: {folder} has its study in its own journal, not in {shown}")
    if shown != stored:
        raise OptionsError(f"storage: {folder} has its study in {stored}, not in {shown}")


def _held(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE of --fix; numbers, true and false become such values."""
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadOptionUsage("fix", f"--fix takes NAME=VALUE, not {text!r}")
    return name.strip(), _typed(value.strip())


def _typed(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _ranges(path: Path, fix: dict[str, Any]) -> dict[str, Any]:
    """Read the tables of a space file; plain values in it go into `fix`, but --fix comes first."""
    ranges = {}
    for name, value in read_toml(path).items():
        if isinstance(value, Mapping):
            ranges[name] = dict(value)
        else:
            fix.setdefault(name, value)
    return ranges


def _list(settings: SweepSettings) -> None:
    from evolve.sweeps.plan import plan_of

    plan = plan_of(settings)
    defaults = plan.defaults or {}
    rows = [
        [p.name, p.kind, p.range_text, defaults.get(p.name), p.about] for p in plan.space.parameters
    ]
    print_rows(["parameter", "type", "range", "default", ""], rows)


def _config(settings: SweepSettings) -> str:
    return config_of(SWEEPS, SWEEPS.command(settings.kind), _kept(settings))


def _kept(settings: SweepSettings) -> SweepSettings:
    """Settings as the folder stores them: without a password."""
    if settings.storage is None:
        return settings
    from evolve.sweeps.storage import without_password

    return settings.model_copy(update={"storage": without_password(settings.storage)})


def _has_trials_left(sweep: Sweep) -> bool:
    return not sweep.study.is_over or sweep.is_left_over


def _is_finished(sweep: Sweep) -> bool:
    """Whether nothing is left to do; if so, compute missing importances and say it."""
    if _has_trials_left(sweep) or not sweep.has_champion:
        return False
    if not sweep.is_weighed:
        sweep.weigh()
    more = f"a higher --{'trials' if sweep.plan.games is None else 'games'} continues it"
    if sweep.study.is_exhausted:
        more = "every setting there is was tried"
    tell(f"{sweep.folder} is finished, {count_of(sweep.study.finished(), 'trial')}; {more}")
    return True


def _go_on(sweep: Sweep, remark: str | None = None) -> int:
    """Search until something ends it, and say how it went; return the exit code.

    remark: a line about the resumed sweep, printed below the header.
    """
    from evolve.sweeps.rungs import crown
    from evolve.sweeps.sweep import SweepEnding

    folder, settings = sweep.folder, sweep.settings
    unfinished = _has_trials_left(sweep)
    _print_header(sweep, sweep.study.finished())
    if remark is not None:
        tell(remark)
    results: list[FinalResult | None] = []

    def work(observer: Observer) -> SweepEnding:
        begin = time.monotonic()
        ending = sweep.run(observer) if unfinished else sweep.complete
        if ending.stopped:
            return ending
        if sweep.failure is not None:
            raise RunError(f"{folder}: {sweep.failure}")
        spent = time.monotonic() - begin
        left = None if settings.timeout is None else settings.timeout - spent
        cut, result = crown(sweep, observer, left)
        results.append(result)
        if result is None and (cut or ending) in (SweepEnding.COMPLETE, SweepEnding.EXHAUSTED):
            raise RunError(f"{folder}: no trial was played to its end, and there is no champion")
        return cut or ending

    look = TrialsView(settings, sweep.study.progress, lambda: sweep.final_seconds)
    ending = carry_out(SWEEPS, folder, look, work)
    so_far = f"{sweep.study.finished()} of {settings.trials} trials"
    if sweep.plan.games is not None:
        played = sweep.plan.games_of(sweep.study.trials())
        so_far = f"{count_of(sweep.study.finished(), 'trial')}, {played} games"
    if ending.stopped and not _has_trials_left(sweep):
        so_far += ", the final is to come"
    return finish(folder, so_far, ending, lambda: _report(sweep, results[0]))


def _print_header(sweep: Sweep, done: int) -> None:
    settings = sweep.settings
    each = f"{settings.budget:g} CPU seconds each" if settings.budget else "the same games each"
    games = 2 * settings.panel_openings * len(settings.panel)
    judge = f"panel of {len(settings.panel)}, {games} games: {', '.join(settings.panel)}"
    if isinstance(settings, ProgramSweepSettings):
        each = f"{settings.trial_games} games each at most"
        if settings.algorithm == "ga":
            each = f"in generations of {settings.population}, {settings.trial_games} games each"
            judge = "judged by games with one another and the defaults"
        elif settings.objective == "self":
            judge = "judged by games with the defaults and the best trial so far"
    tell(
        f"evolve {evolve.__version__} · {SWEEPS.command(settings.kind)} · {settings.rules} · "
        f"{settings.sampler} · seed {settings.seed} · {sweep.folder}"
    )
    trials = count_of(settings.trials, "trial")
    if sweep.plan.games is not None:
        trials = f"{sweep.plan.games} games"
    trials += f", {count_of(done, 'trial')} done" if done else ""
    tell(
        f"{trials}, {each}; {count_of(len(sweep.plan.space.parameters), 'parameter')}; "
        f"{count_of(sweep.jobs, 'worker')}; study {sweep.study.name} in {sweep.study.place}"
    )
    tell(judge)
    for line in (*sweep.plan.space.remarks, *filter(None, (_about_settings(sweep),))):
        tell(line)
    tell(_about_final(sweep))


def _about_settings(sweep: Sweep) -> str | None:
    """A remark on a space that has fewer settings than there are trials; None for others."""
    plan, settings = sweep.plan, sweep.settings
    count = plan.space.count
    if count is None or count >= settings.trials or not plan.searches:
        return None
    every = f"{count_of(count, 'setting')} in all"
    match plan.repeats(sweep.study.trials()):
        case True:
            return f"{every}, each is tried once: {count_of(count, 'trial')} at most"
        case None:
            return (
                f"{every}, each is tried once, unless games of the defaults differ when they are "
                "played again"
            )
        case _:
            return (
                f"{every}: they are tried several times, for no two trials are alike; a setting "
                "counts by the mean of its scores"
            )


def _about_final(sweep: Sweep) -> str:
    """How large the final will be, and why."""
    settings = sweep.plan.bounded
    games = settings.final_games
    if not games:
        return "no final: nobody will be there to meet"
    what = "the retest after the rungs" if settings.rungs else "the final after them"
    why = "a third of the trials' games"
    if settings.final_openings is not None:
        why = f"{2 * settings.final_openings} a pair, by --final-openings"
    elif 3 * games > settings.games_of_all:
        why = f"{2 * FEWEST_OPENINGS} a pair, as an answer needs"
    return f"{what}: {games} games at most, {why}"


def _report(sweep: Sweep, result: FinalResult | None) -> None:
    """Print how the final ended, if it beats the defaults, the champion, and what to do next."""
    folder = sweep.folder
    if result is None:
        tell(f"go on with: evolve resume {as_word(folder)}")
        return
    from evolve.agents.loading import read_agent
    from evolve.tables.final import final_table

    print_finalists(folder, final_table(folder).to_pylist())
    if isinstance(sweep.settings, ProgramSweepSettings):
        _report_program(result)
        return
    tell(f"champion trial-{result.winner} → {result.champion}")
    name = as_word(folder)
    tell(
        f"next: evolve show {name} · evolve plot {name} -o sweep.png · "
        f"{proposed(read_agent(result.champion), folder)}"
    )


def _report_program(result: FinalResult) -> None:
    """Print what the winner gains, and how to pass its parameters to the program."""
    if result.score is not None:
        from evolve.fitness.statistics import in_elo

        gain, low, high = map(elo_text, in_elo(result.score).columns("elo").values())
        tell(f"gain over the defaults {gain} Elo [{low}, {high}]")
    if result.tested is not None:
        tell(f"the test of that: {result.tested}")
    found = json.loads(result.champion.read_text(encoding="utf-8"))
    told = "  ".join(f"{name} = {value}" for name, value in found["parameters"].items())
    tell(f"best parameters, of trial-{result.winner}: {told}")
    tell(found["program"])
    if "environment" in found:
        told = " ".join(f"{name}={shlex.quote(v)}" for name, v in found["environment"].items())
        tell(f"with the environment {told}")
    if "commands" in found:
        tell(f"after the GTP commands {', '.join(found['commands'])}")
    tell(f"the same as {result.champion} and {result.champion.with_suffix('.toml')}")
