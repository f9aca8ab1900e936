"""The operators of an evolution: the functions that its settings name, or the caller's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from evolve.config.evolution import EvolutionSettings
from evolve.config.operators import OPERATORS, OWN, OWNABLE
from evolve.errors import SettingsError
from evolve.population.breeding import Cross, Mutate, Select, Survive
from evolve.population.crossover import CROSSOVERS
from evolve.population.mutation import DEPTH_MUTATIONS, MUTATIONS
from evolve.population.selection import SELECTIONS, SURVIVALS

Own = Mapping[str, Callable[..., Any]]
"""The caller's functions, by the setting that each replaces, such as `selection`."""

FUNCTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "selection": SELECTIONS,
    "crossover": CROSSOVERS,
    "mutation": MUTATIONS,
    "depth_mutation": DEPTH_MUTATIONS,
    "survival": SURVIVALS,
}
"""The functions for all names in `config.operators`."""

for _kind, _functions in FUNCTIONS.items():
    assert tuple(_functions) == tuple(OPERATORS[_kind]), _kind


def own_name(function: Callable[..., Any]) -> str:
    """Return the name of a caller's function in a run's settings; SettingsError if it has none."""
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        raise SettingsError(
            f"{function!r} has no name to write down in the run's config.toml; make it with def"
        )
    return OWN + name


def check_own(settings: EvolutionSettings, own: Own) -> None:
    """Raise SettingsError unless the settings name exactly these functions of the caller."""
    for kind in OWNABLE:
        name: str = getattr(settings, kind)
        given = own_name(own[kind]) if kind in own else None
        if name.startswith(OWN) and given != name:
            raise SettingsError(
                f"{kind} = {name}: is a function from Python; such a run begins and goes on by a "
                f"call of evolve.evolve with {kind}={name.removeprefix(OWN)}"
            )
        if given not in (None, name):
            raise SettingsError(f"{kind} = {name}: the function given is {given}")


@dataclass(frozen=True)
class Operators:
    """The operators of the genetic algorithm; without crossover, children have one parent."""

    selection: Select
    crossover: Cross | None
    mutation: Mutate
    depth_mutation: Mutate
    survival: Survive

    @classmethod
    def of(cls, settings: EvolutionSettings, own: Own) -> Operators:
        """Return the operators that the settings name; raises the same errors as `check_own`."""
        check_own(settings, own)
        return cls(
            **{
                kind: own[kind] if kind in own else functions[getattr(settings, kind)]
                for kind, functions in FUNCTIONS.items()
            }
        )
