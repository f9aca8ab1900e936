"""Evolutions as a kind of run: their tables by name, and their facts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.tables.games import START
from evolve.tables.kinds import Facts
from evolve.tables.layout import generation_file, playoff_file
from evolve.tables.run import Run

if TYPE_CHECKING:
    import pandas as pd


def generations(run: Run, generation: int | None = None) -> pd.DataFrame:
    """A row for each generation, or that of one alone."""
    frame = run.generations
    return frame if generation is None else frame[frame["generation"] == generation]


def individuals(run: Run, generation: int | None = None) -> pd.DataFrame:
    """The individuals of all generations, or of one alone."""
    return run.individuals if generation is None else run.generation(generation)[0]


def games(run: Run, generation: int | None = None) -> pd.DataFrame:
    """The games of all generations, or of one alone."""
    return run.games if generation is None else run.generation(generation)[1]


def unused_games(run: Run) -> tuple[str, ...]:
    """Columns of games that such runs leave empty: theirs begin at the usual start."""
    return (START,)


def evolution_facts(run: Run) -> Facts:
    """How far it is, and how good its last best was. The play-off makes it complete."""
    count = run.generation_count
    row = run.metadata(count - 1)[0] if count else {}
    played_off = playoff_file(run.path).exists()
    return Facts(
        done=count,
        target=run.config.get("generations"),
        complete=played_off,
        crowned=played_off,
        last=generation_file(run.path, count - 1) if count else None,
        figures={key: row.get(key) for key in ("best_score", "panel_score", "panel_elo")},
    )


def evolution_figure(run: Run) -> tuple[str, float | None]:
    """On the ladder the mean of the last generations' ratings, else the last panel's Elo."""
    curve = evolution_curve(run).tolist()
    return _figure(run), curve[-1] if curve else None


def evolution_curve(run: Run) -> pd.Series[float]:
    """The same by generation."""
    frame = run.generations.set_index("generation")
    curve: pd.Series[float] = frame[_figure(run)].dropna()
    return curve


def _figure(run: Run) -> str:
    return "rating" if run.config.get("panel") == "ladder" else "panel_elo"


def evolution_totals(run: Run) -> dict[str, Any]:
    """The best panel score of all, and what the run has taken."""
    frame = run.generations
    if frame.empty:
        return {}
    return {
        "best_panel_score": float(frame["panel_score"].max()),
        "games": int(frame["games"].sum()),
        "hours": float(frame["seconds"].sum() / 3600),
    }
