"""Samplers and pruners by name."""

from __future__ import annotations

import importlib.util
import warnings

import numpy as np
import optuna
from optuna.pruners import BasePruner
from optuna.samplers import BaseSampler

from evolve.config.sweep import SweepSettings
from evolve.errors import ExtraError
from evolve.sweeps.cmaes import CmaSampler


def check_sampler(settings: SweepSettings) -> None:
    """Raise ExtraError when the sampler needs what is not installed."""
    needed = ("torch", "scipy") if settings.sampler == "gp" else ()
    for package in needed:
        if importlib.util.find_spec(package) is None:
            raise ExtraError(
                f"sampler gp needs {package}, of evolve's extra `learn`: pip install '.[learn]'"
            )


def sampler_for(settings: SweepSettings, number: int) -> BaseSampler:
    """The sampler that proposes trial `number`.

    Its seed is drawn from the sweep's and the number, so that a sweep that was stopped goes on
    as if it had not been.
    """
    seed = int(np.random.SeedSequence([settings.seed, number]).generate_state(1)[0] >> 1)
    startup = settings.startup
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        match settings.sampler:
            case "tpe":
                return optuna.samplers.TPESampler(
                    seed=seed, n_startup_trials=startup, multivariate=True
                )
            case "gp":
                return optuna.samplers.GPSampler(seed=seed, n_startup_trials=startup)
            case "cma":
                return CmaSampler(seed, settings.seed, startup)
            case "random":
                return optuna.samplers.RandomSampler(seed=seed)


def pruner_of(settings: SweepSettings) -> BasePruner:
    """The pruner; the median waits for `startup` finished trials, and for a trial's second report:
    a learning rate that falls late makes first scores deceptive."""
    steps = settings.reports
    match settings.pruner:
        case "median":
            return optuna.pruners.MedianPruner(
                n_startup_trials=settings.startup, n_warmup_steps=2, n_min_trials=3
            )
        case "hyperband":
            return optuna.pruners.HyperbandPruner(
                min_resource=1, max_resource=max(steps, 1), reduction_factor=2
            )
        case "asha":
            return optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=2)
        case "none":
            return optuna.pruners.NopPruner()
