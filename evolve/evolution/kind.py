"""Evolutions as a kind of run: its entry among all kinds, which loads nothing heavy."""

from typing import Final

from evolve.runs.run_type import Change, RunTable, RunType, Variant
from evolve.tables import paths

KIND: Final = RunType(
    module=__name__,
    name="run",
    noun="an evolution",
    plural="evolutions",
    stem="{rules}",
    page="run",
    about="Evolve agents, generation by generation.",
    variants={
        "": Variant("evolve.config.evolution:EvolutionSettings", "evolve.config.evolution:PRESETS")
    },
    tables=(
        RunTable(
            "generations", best="panel_score", key="generation", over=("generation",), drawn=True
        ),
        RunTable("individuals", best="score", generations=True, drawn=True),
        RunTable("games", generations=True, drawn=True),
    ),
    parts=(paths.GENERATIONS, paths.GAMES),
    files=(paths.CHAMPION_FILE,),
    rated=True,
    plays_on_clusters=True,
    runs_on_clusters=True,
    unit="generations",
    row_event="generation",
    packages=("numba", "numpy", "deap", "pandas", "pyarrow", "joblib"),
    changes=(
        Change("generations", int, "Generations in all."),
        Change("patience", int, "Stop after so many generations or checks without a better one."),
        Change("until_rest", bool, "Stop when evolution has stopped improving, by its rating."),
        Change("time_limit", float, "Hours from now."),
    ),
)
