"""Sweeps as a kind of run: its entry among all kinds, which loads nothing heavy."""

from typing import Final

from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.runs.run_type import Change, RunTable, RunType, Variant
from evolve.tables import paths

KIND: Final = RunType(
    module=__name__,
    name="sweep",
    noun="a sweep",
    plural="sweeps",
    stem="sweep-{word}",
    page="sweep",
    about=f"Search hyperparameters: {', '.join(SWEEP_TARGETS)}.",
    variants={
        word: Variant(
            target.model,
            learns=target.learns,
            about=target.about,
            runs=word == "program",
            check="evolve.sweeps.plan:check_settings",
            champion="evolve.sweeps.findings:tuned_agent" if word == "program" else None,
            unused=target.unused,
        )
        for word, target in SWEEP_TARGETS.items()
    },
    tables=(
        RunTable("trials", best="score", key="number", over=("number",), drawn=True),
        RunTable("retest", best="score", part=paths.RETEST_FILE, key="number", title="The retest"),
        RunTable("final", best="score", part=paths.FINAL_FILE, title="The final", drawn=True),
    ),
    parts=(paths.TRIALS,),
    files=(
        paths.CHAMPION_FILE,
        paths.LEARNED_FILE,
        paths.TRIALS_FILE,
        paths.RETEST_FILE,
        paths.JOURNAL_FILE,
        paths.FINAL_FILE,
        paths.BEST_FILE,
        paths.BEST_TOML,
    ),
    unit="trials",
    row_event="trial",
    workers=True,
    plays_on_clusters=True,
    packages=("numba", "numpy", "optuna", "pandas", "pyarrow"),
    changes=(
        Change("trials", int, "Of a sweep: finished trials in all."),
        Change("games", int, "Of a training or a program: games in all.", words=("program",)),
        Change("timeout", float, "Of a sweep: seconds from now."),
    ),
)
