"""Sweeps: how much their settings matter, and what scores to expect of them."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import APIRouter, Query

from evolve.runs.run import Run
from evolve.service.models.runs import Importances, Landscapes
from evolve.service.responses import RunId, not_found
from evolve.service.state import Service, ServiceState
from evolve.tables.trials import importances_of, read_trials

router = APIRouter()
Parameters = Annotated[tuple[str, ...], Query(max_length=2)]
_SLICES: Final = 8
"""Most parameters over which expected scores are sent one by one."""


@router.get("/runs/{run}/importances")
def get_importances(service: Service, run: RunId) -> Importances:
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
async def get_landscapes(
    service: Service,
    run: RunId,
    parameter: Parameters = (),
    slices: Annotated[int, Query(ge=0, le=_SLICES)] = _SLICES,
) -> Landscapes:
    """Expected scores over one or two parameters; without any, over each of those that matter most.

    `slices`: how many of these; 0 gives the names alone, at once.
    """
    folder = str(_sweep(service, run).path)
    found: dict[str, Any] = await service.search.ask(
        "landscapes", folder=folder, names=[*parameter], slices=slices
    )
    return Landscapes.model_validate(found)


def _sweep(service: ServiceState, run: str) -> Run:
    opened = service.index.open(run)
    if "trials" not in opened.tables:
        raise not_found(f"trial: {run} is not a sweep")
    return opened
