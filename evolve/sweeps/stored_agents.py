"""Agents of trials from one machine to another, by way of the study's database."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Final

from optuna.trial import FrozenTrial

from evolve.files.atomic import write_bytes
from evolve.files.folder import FolderPath
from evolve.sweeps.final import is_defaults, settings_ranked
from evolve.sweeps.trials import agent_file

_PIECE: Final = 48_000
"""Characters in a piece: a text in MySQL holds 65 535 bytes."""
_KEY: Final = "agent:"


def agent_pieces(path: FolderPath) -> dict[str, str]:
    """An agent file as attributes of its trial."""
    text = base64.b64encode(path.read_bytes()).decode("ascii")
    return {
        f"{_KEY}{start // _PIECE:03d}": text[start : start + _PIECE]
        for start in range(0, len(text), _PIECE)
    }


def fetch_agents(folder: FolderPath, trials: Sequence[FrozenTrial], count: int) -> None:
    """Write the agent files of the best `count` settings, and of the defaults, that are not here.

    Raises RunError for one that is named as no agent's file of a trial is.
    """
    best = settings_ranked(trials)
    wanted = best[:count] + list(filter(is_defaults, best))
    for trial in wanted:
        target = agent_file(folder, trial)
        pieces = sorted(key for key in trial.user_attrs if key.startswith(_KEY))
        if target.exists() or not pieces:
            continue
        text = "".join(trial.user_attrs[key] for key in pieces)
        write_bytes(target, base64.b64decode(text))
