"""Sweeps: how much their settings matter, and what scores to expect of them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from evolve.runs.run import Run
from evolve.service.models.runs import Importances, Landscapes
from evolve.service.responses import RunId, not_found
from evolve.service.state import Inside, ServiceState
from evolve.tables.trials import importances_of, read_trials

router = APIRouter()
Parameters = Annotated[tuple[str, ...], Query(max_length=2)]


@router.get("/runs/{run}/importances")
def get_importances(service: Inside, run: RunId) -> Importances:
    """How much each setting of a sweep matters."""
    table = read_trials(_sweep(service, run).path)
    if table is None:
        return Importances(items=[], why="there are no trials yet")
    importances = importances_of(table)
    items = [
        {"parameter": name, "share": share, "p": importances.p.get(name)}
        for name, share in importances.shares.items()
    ]
    return Importances(items=items, why=None if items else importances.reason)


@router.get("/runs/{run}/landscapes")
async def get_landscapes(service: Inside, run: RunId, parameter: Parameters = ()) -> Landscapes:
    """Expected scores over one or two parameters; without any, over each that matters most."""
    folder = str(_sweep(service, run).path)
    found: dict[str, Any] = await service.search.ask(
        "landscapes", folder=folder, names=[*parameter]
    )
    return Landscapes.model_validate(found)


def _sweep(service: ServiceState, run: str) -> Run:
    opened = service.index.open(run)
    if "trials" not in opened.tables:
        raise not_found(f"trial: {run} is not a sweep")
    return opened
