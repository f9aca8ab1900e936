"""Pictures of runs, studies and agents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from evolve.agents.agent import Agent
from evolve.errors import AgentError, OptionsError, RunError
from evolve.extras import imported
from evolve.plots.figure import check_format
from evolve.runs.loading import load_agent
from evolve.runs.run import Run, Study, load_run

_OF_RUNS: Final = {
    "run": "evolve.plots.run:plot_run",
    "train": "evolve.plots.run:plot_training",
    "sweep": "evolve.plots.sweep:plot_sweep",
}
"""The function that draws the runs of a kind; others are drawn as their curve."""
_OF_KIND: Final = {
    "alphabeta": "evolve.plots.agents:plot_agent",
    "patterns": "evolve.plots.agents:plot_patterns",
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
        _draw_groups(opened, path)
    elif isinstance(first, Run):
        imported(_OF_RUNS.get(first.kind.name, "evolve.plots.run:plot_curve"))(first, path)
    else:
        _draw_agent(first, str(sources[0]), path)
    return path


def _draw_groups(opened: Sequence[Any], output: Path) -> None:
    from evolve.plots.study import plot_groups
    from evolve.studies.comparison import groups_of

    if not all(isinstance(one, Run | Study) for one in opened):
        raise RunError("an agent is drawn alone; of runs and studies several are drawn together")
    plot_groups(groups_of(opened), output)


def _draw_agent(agent: Agent, name: str, output: Path) -> None:
    draw = _OF_KIND.get(getattr(agent, "kind", ""))
    if draw is None:
        raise AgentError(
            f"{name} has no weights to draw; agents of kind {', '.join(_OF_KIND)} have"
        )
    imported(draw)(agent, output)


def _opened(source: str | Path | Run | Study | Agent) -> Run | Study | Agent:
    if not isinstance(source, str | Path):
        return source
    return load_run(source) if Path(source).is_dir() else load_agent(str(source))
