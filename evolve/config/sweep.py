"""Settings of a sweep: what is tuned, how a trial is judged, and how the search goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from evolve.config.evolution import FIRST
from evolve.config.subjects import SUBJECTS
from evolve.engine.rules import DEFAULT_RULES, RULES_HELP, Rules, rule_set

DEFAULT_PANEL: Final = "default"


_USUAL: Final = ", ".join(
    f"{'none' if subject.budget is None else f'{subject.budget:g}'} for {word}"
    for word, subject in sorted(SUBJECTS.items(), key=lambda item: item[1].budget is None)
)


def _known(kind: str) -> str:
    if kind not in SUBJECTS:
        raise ValueError(f"there is no {kind!r}; there are {', '.join(SUBJECTS)}")
    return kind


def _split(value: Any) -> Any:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


class SweepSettings(BaseModel):
    """Everything that decides what a sweep looks for; how long it looks may change on the way."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    GROUPS: ClassVar[Mapping[str, str]] = {
        "kind": FIRST,
        "sampler": "The search",
        "reports": "Judging a trial",
        "finalists": "The final",
        "storage": "Many machines",
    }
    """The groups of options: heads by the field that a group begins with."""

    kind: Annotated[str, AfterValidator(_known)] = Field("dqn", exclude=True)
    """What is tuned: of the command, not an option of it."""
    rules: Rules = Field(
        DEFAULT_RULES, description=f"{RULES_HELP} (the default of `sweep evolution`)"
    )
    seed: int = Field(0, ge=0, le=2**31, description="of the sampler, the trials and the panel")
    trials: int = Field(60, ge=1, le=1_000_000, description="finished trials in all")
    timeout: float | None = Field(
        None, gt=0.0, description="start no trial after this many seconds"
    )
    budget: float | None = Field(
        None,
        gt=0.0,
        description="CPU seconds of a trial, the same for all: neither compilation nor the "
        f"panel's games count; {_USUAL}, whose trials all play the same games",
    )
    sampler: Literal["tpe", "cma", "gp", "random"] = Field(
        "tpe", description="who proposes: Optuna's TPE, CMA-ES, Gaussian process, or chance"
    )
    pruner: Literal["median", "hyperband", "asha", "none"] = Field(
        "median", description="who ends trials that fall behind"
    )
    startup: int = Field(
        10, ge=0, description="trials at random, and without pruning, before either begins"
    )
    reports: int = Field(4, ge=1, le=100, description="times that a trial meets the panel")
    panel: Annotated[tuple[str, ...], BeforeValidator(_split)] = Field(
        (DEFAULT_PANEL,),
        description="agents that a trial meets, A,B,…; `default` stands for random moves, a greedy "
        "table and alpha-beta 2, 4 and 6 deep",
    )
    panel_openings: int = Field(
        20, ge=2, le=10_000, description="openings with each of them, two games an opening"
    )
    finalists: int = Field(
        4, ge=1, le=100, description="best trials that play for the champion, with the defaults"
    )
    final_openings: int = Field(
        100, ge=2, le=10_000, description="fresh openings of each pair in that final"
    )
    storage: str | None = Field(
        None,
        description="URL of an Optuna storage, to share a study between machines; by default a "
        "journal in the sweep's folder",
    )
    study: str | None = Field(
        None, description="name of the study there; the folder's name by default"
    )
    space: dict[str, Any] = Field(
        default_factory=dict,
        description="ranges that differ: {low, high, log, step}, {choices} or a value",
    )
    fix: dict[str, Any] = Field(
        default_factory=dict, description="hold a setting of every trial at a value, NAME=VALUE"
    )

    @model_validator(mode="before")
    @classmethod
    def _rules_of_the_kind(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("rules") is None:
            subject = SUBJECTS.get(values.get("kind", cls.model_fields["kind"].default))
            return values if subject is None else {**values, "rules": subject.rules}
        return values

    @model_validator(mode="after")
    def _filled(self) -> Self:
        usual = SUBJECTS[self.kind].budget
        if usual is None and self.budget is not None:
            raise ValueError(
                f"budget: trials of {self.kind} learn nothing, they play panel_openings; leave it "
                "out"
            )
        if self.budget is None and "games" not in self.fix:
            object.__setattr__(self, "budget", usual)
        panel: list[str] = []
        for name in self.panel:
            panel += rule_set(self.rules).panel if name == DEFAULT_PANEL else [name]
        if not panel:
            raise ValueError("panel: it is empty; name one agent or more, or leave it out")
        object.__setattr__(self, "panel", tuple(dict.fromkeys(panel)))
        return self

    @property
    def identity(self) -> dict[str, Any]:
        """What a trial's score depends on, as JSON: all who write to one study must agree in it."""
        when_to_stop = {
            "trials", "timeout", "storage", "study", "finalists", "final_openings",
            "sampler", "pruner", "startup",
        }  # fmt: skip
        return {"kind": self.kind, **self.model_dump(mode="json", exclude=when_to_stop)}
