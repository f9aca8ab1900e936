"""Pictures of runs, studies and agents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from evolve.agents.agent import Agent
from evolve.errors import AgentError, OptionsError, RunError
from evolve.plots.agents import plot_agent, plot_patterns
from evolve.plots.figure import check_format
from evolve.plots.run import plot_curve, plot_groups, plot_run, plot_training
from evolve.plots.sweep import plot_sweep
from evolve.runs.loading import load_agent
from evolve.runs.run import Run, Study, load_run
from evolve.studies.comparison import groups_of

_OF_RUNS: Final[Mapping[str, Callable[[Run, Path], None]]] = {
    "run": plot_run,
    "train": plot_training,
    "sweep": plot_sweep,
}
"""The function that draws the runs of a kind; others are drawn as their curve."""
_OF_KIND: Final[Mapping[str, Callable[[Any, Path], None]]] = {
    "alphabeta": plot_agent,
    "patterns": plot_patterns,
}
"""The function that draws the agents of a kind."""


def plot(*sources: str | Path | Run | Study | Agent, output: str | Path) -> Path:
    """Draw what `evolve plot` draws into a PNG, SVG or PDF file.

    Args:
        sources: one run, or one agent with weights (a run is drawn, not its champion); or studies
            and runs: their settings are drawn as curves with bands.
        output: the file; its ending says the format.

    Returns the file. Raises RunError where there is nothing to draw yet, AgentError for an agent
    that has no weights to draw.
    """
    path = Path(output)
    check_format(path)
    opened = [_opened(source) for source in sources]
    if not opened:
        raise OptionsError("name what is to be drawn: a run, a study or an agent")
    first = opened[0]
    if len(opened) > 1 or isinstance(first, Study):
        runs = [one for one in opened if isinstance(one, Run | Study)]
        if len(runs) < len(opened):
            raise RunError("draw an agent alone; only runs and studies are drawn together")
        plot_groups(groups_of(runs), path)
    elif isinstance(first, Run):
        _OF_RUNS.get(first.kind.name, plot_curve)(first, path)
    else:
        _draw_agent(first, str(sources[0]), path)
    return path


def _draw_agent(agent: Agent, name: str, output: Path) -> None:
    draw = _OF_KIND.get(getattr(agent, "kind", ""))
    if draw is None:
        raise AgentError(
            f"{name} has no weights to draw; agents of kind {', '.join(_OF_KIND)} have"
        )
    draw(agent, output)


def _opened(source: str | Path | Run | Study | Agent) -> Run | Study | Agent:
    if not isinstance(source, str | Path):
        return source
    return load_run(source) if Path(source).is_dir() else load_agent(str(source))
