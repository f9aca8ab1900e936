"""How sweeps start, resume, show their progress and report their result."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from types import MappingProxyType
from typing import Any

from evolve.agents.reference import read_agent
from evolve.arena.judges import RATING
from evolve.cli.cluster import scheduler
from evolve.cli.display import ProgressView, print_head, print_line, print_next
from evolve.cli.hand_in import proposed
from evolve.cli.output import print_finalists
from evolve.cli.runs import strength_of, tuned_lines
from evolve.cli.terminal import cell
from evolve.cli.work import LongWork
from evolve.config.sweep import ProgramSweepSettings, SweepSettings
from evolve.fitness.statistics import elo_of
from evolve.number_text import NOTHING, elo_text, state_text
from evolve.parsing import parse_json, read_document
from evolve.runs.life_cycle import Begun
from evolve.runs.loading import AgreedRules, existing_champion
from evolve.runs.progress import RunEnding
from evolve.runs.run import Run
from evolve.sweeps.kind import KIND as SWEEPS
from evolve.sweeps.sweep import Sweep, SweepEnding
from evolve.sweeps.trial import games_of
from evolve.tables.paths import BEST_FILE, BEST_TOML
from evolve.tables.trials import final_table, verdict_of
from evolve.terminal_text import as_word, count_of


class _TrialsView(ProgressView):
    """The progress of a sweep: a line for each trial, with the best so far.

    Trials that play the defaults have their Elo over these, and their games with them; others have
    a score.
    """

    unit = "the current games"
    reported = ("final", RATING)
    widths = MappingProxyType({"Elo": 12})

    def __init__(self, settings: SweepSettings) -> None:
        self._in_elo = isinstance(settings, ProgramSweepSettings) and settings.objective == "self"
        judged = ("Elo", "with defaults") if self._in_elo else ("score", "score_error")
        self.columns = ("number", "state", *judged, "best", "seconds")

    def cells(self, row: Mapping[str, Any]) -> list[str]:
        seconds, judged = row["seconds"], [*map(cell, (row["score"], row["score_error"]))]
        best = cell(row["best"])
        if self._in_elo:
            games, share = row["defaults_games"], cell(row["defaults_score"])
            elo = elo_text(row["elo"], row["elo_low"], row["elo_high"], signed=True)
            judged = [elo, f"{share} of {games}" if games else NOTHING]
            best = NOTHING if row["best"] is None else elo_text(elo_of(row["best"]), signed=True)
        return [
            str(row["number"]),
            state_text(row["state"]),
            *judged,
            best,
            cell(None) if seconds is None else f"{seconds:.1f}",
        ]

    def ending(self, stage: str) -> str:
        """As above; running trials are not waited for."""
        if stage == "final":
            return super().ending(stage)
        return "ending: running trials go on when the sweep continues"

    def remark(self, row: Mapping[str, Any]) -> str | None:
        return f"trial {row['number']}: {row['reason']}" if row["reason"] else None


class SweepWork(LongWork):
    """Sweeps on the command line."""

    def opened(self, run: Begun, jobs: int) -> nullcontext[Sweep]:
        return nullcontext(Sweep(run.folder, run.settings, scheduler()))

    def finished(self, work: Sweep) -> str:
        limit = "trials" if work.settings.games_of_trials is None else "games"
        more = f"a higher --{limit} continues it"
        if work.study.budget.exhausted:
            more = SweepEnding.EXHAUSTED.value
        return f"{count_of(work.study.budget.finished, 'trial')}; {more}"

    def introduce(self, work: Sweep, before: SweepSettings | None) -> None:
        _print_header(work)
        if before is not None and before.jobs not in (None, work.jobs):
            print_line(
                f"{count_of(work.jobs, 'worker')} from now on, {before.jobs} before: trials depend "
                f"on it; --jobs {before.jobs} keeps the number"
            )

    def view(self, work: Sweep) -> _TrialsView:
        return _TrialsView(work.settings)

    def so_far(self, work: Sweep, ending: RunEnding) -> str:
        so_far = f"{work.study.budget.finished} of {work.settings.trials} trials"
        if work.settings.games_of_trials is not None:
            played = games_of(work.study.trials(), work.settings.trial_games)
            so_far = f"{count_of(work.study.budget.finished, 'trial')}, {count_of(played, 'game')}"
        if ending.stopped and work.study.budget.over:
            so_far += ", the final is to come"
        return so_far

    def report(self, work: Sweep) -> None:
        folder, result = work.folder, work.result
        if result is None:
            print_line(f"continue with: evolve resume {as_word(folder)}")
            return
        print_finalists(final_table(folder).to_pylist(), verdict_of(folder))
        hints = [f"evolve show {as_word(folder)}", f"evolve plot {as_word(folder)} -o sweep.png"]
        if isinstance(work.settings, ProgramSweepSettings):
            best = parse_json(read_document(folder / BEST_FILE))
            tuned, usual = best["parameters"], work.plan.defaults or {}
            values = "  ".join(f"{name} = {value}" for name, value in tuned.items())
            if len(tuned) > 24:  # most parameters that are printed with their values
                moved = sum(value != usual.get(name, value) for name, value in tuned.items())
                values = f"{moved} of {len(tuned)} differ from the defaults"
            print_line(f"best parameters, of trial-{result.winner}: {values}")
            print_line(f"the same as {folder / BEST_FILE} and {folder / BEST_TOML}")
            for line in tuned_lines(Run(folder)):
                print_line(line)
        else:
            champion = existing_champion(folder)
            agent = read_agent(champion)
            elo = strength_of(getattr(agent, "provenance", {}))
            rating = f": {elo} Elo on the ladder" if elo else ""
            print_line(f"champion trial-{result.winner}{rating} → {champion}")
            hints.append(proposed(agent, folder))
        print_next(*hints)


def _print_header(sweep: Sweep) -> None:
    settings, done = sweep.settings, sweep.study.budget.finished
    each = f"{settings.budget:g} CPU seconds each" if settings.budget else "the same games each"
    games = count_of(2 * settings.panel_openings * len(settings.panel), "game")
    judge = f"panel of {len(settings.panel)}, {games}: {', '.join(settings.panel)}"
    if isinstance(settings, ProgramSweepSettings):
        each = f"{count_of(settings.trial_games, 'game')} each at most"
        if settings.objective == "self":
            judge = "Elo over the defaults, by games with them and with the best trial so far"
    command, rules = SWEEPS.command(settings.kind), AgreedRules(settings.rules)
    print_head(command, rules, settings.sampler, f"seed {settings.seed}", sweep.folder)
    trials = count_of(settings.trials, "trial")
    if settings.games_of_trials is not None:
        trials = f"{settings.games_of_trials} games"
    trials += f", {count_of(done, 'trial')} done" if done else ""
    print_line(
        f"{trials}, {each}; {count_of(len(sweep.plan.space.parameters), 'parameter')}; "
        f"{count_of(sweep.jobs, 'worker')}; study in {sweep.study.path}"
    )
    print_line(judge)
    for remark in filter(None, (p.remark for p in sweep.plan.space.parameters)):
        print_line(remark)
    if count := len(sweep.study.all_settings):
        print_line(f"{count_of(count, 'setting')} in all, each is tried once")
    games = count_of(sweep.plan.bounded.final_games, "game")
    about = f"the final after them: {games} at most"
    if not isinstance(settings, ProgramSweepSettings):
        about += "; then the winner's Elo on the ladder, a minute at most"
    print_line(about)
