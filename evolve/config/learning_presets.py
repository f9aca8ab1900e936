"""Presets of learning: our own, and those of the published systems.

A setting that a paper leaves open is marked as assumed.
"""

from __future__ import annotations

from typing import Any, Final

MCTS_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    # Found by a sweep (docs/evidence/sweeps.md): a little stronger against the default.
    "swept": {
        "layers": ("dense 96 relu", "dense 48 relu", "dense 1 tanh"),
        "learning_rate": 3.4e-3, "updates": 9.0, "window": 33_000, "games_per_iteration": 110,
        "simulations": 150, "c_puct": 0.67, "play_c_puct": 1.6, "root_value": 0.46, "noise": 0.024,
        "temperature": 0.57, "temperature_plies": 4, "openings": 10, "solved": 13,
    },
    # S3: canonical board, 3 convolutions and two dense layers, dropout, batch norm, policy and
    # value; replay of (s, π, z), not augmented; the next state is the new root.
    "s3-mcts": {
        "input": "canonical",
        "layers": (
            "conv 512 relu norm",
            "conv 512 relu norm",
            "conv 256 relu norm",
            "dense 1024 relu norm dropout",  # position of dropout: assumed
            "dense 512 relu norm dropout",
            "policy-value",
        ),
        "augment": False, "reuse": True,
        "accept": True, "accept_against": (),  # keep the better model
        "solved": 0, "root_value": 0.0, "openings": 0, "endgame": 0,
        "decay": 1.0, "noise": 0.0,  # the paper mentions none
        # assumed
        "learning_rate": 1e-3, "window": 200_000, "batch": 64, "updates": 10.0,
        "simulations": 25, "c_puct": 1.0, "play_c_puct": 1.0, "play_simulations": 100,
        "temperature_plies": 15, "accept_games": 20, "games_per_iteration": 100,
        # Our choice, for CPUs, where the network takes milliseconds a position.
        "check_simulations": 10, "panel_openings": 10,
    },
    # S4, ReversiV: value only, RevNet with several further layers, trained on games of baselines
    # and of itself with noise and temperature; Q and N are kept through a game and order the exact
    # search.
    "s4-reversiv": {
        "input": "canonical",
        # Number and sizes of the layers after the gates: assumed.
        "layers": ("gate", "gate", "dense 64 relu", "dense 32 relu", "dense 1 tanh"),
        "reuse": True, "solve_by": "value", "first_ply": 12, "solved": 12, "endgame": 12,
        "c_puct": 1.2, "play_c_puct": 1.1, "games_per_iteration": 100, "openings": 0,
        "opponents": {"self": 0.5, "random": 0.25, "swh": 0.25},  # shares and baselines assumed
        "window": 40_000,  # "old data dropped"; the number is assumed
        "accept": True, "accept_against": ("random", "swh"),
        # assumed, as batch, updates, decay and images of the default
        "learning_rate": 2e-3, "simulations": 100, "noise": 0.25, "temperature": 1.0,
        "temperature_plies": 20, "root_value": 0.0, "accept_games": 20,
    },
}  # fmt: skip

# That the error is squared, and that targets take legal moves alone, is assumed of S2, S3 and S5.
_S2: Final[dict[str, Any]] = {
    "input": "canonical", "steps": 1, "reward": "none", "openings": 0,
    "bootstrap": "own",  # the next own turn: assumed
    "positional": 0.01,  # V is in hundreds: assumed to be scaled to about 1
    # assumed, and that the learning rate falls in the second half
    "gamma": 0.99, "learning_rate": 1e-3, "decay": 0.5, "batch": 512, "updates": 4.0,
    "window": 200_000, "augment": True, "games_per_iteration": 200, "target_period": 500,
    "epsilon": 0.3, "epsilon_end": 0.05,
}  # fmt: skip
_S2_BODY: Final = ("dense 128 relu", "residual relu", "residual relu")
"""Fully connected with residual blocks; their number and size are assumed."""
_S3: Final[dict[str, Any]] = {
    "networks": 2, "steps": 1, "reward": "outcome", "openings": 0, "augment": False,
    "bootstrap": "own",  # the next own turn: assumed
    "layers": ("conv 16 relu", "conv 32 relu", "dense 128 relu", "dense 64"),  # sizes assumed
    # assumed, and that the learning rate falls in the second half
    "input": "planes", "gamma": 0.99, "learning_rate": 1e-3, "decay": 0.5, "batch": 64,
    "updates": 1.0, "window": 200_000, "games_per_iteration": 50, "target_period": 500,
    "epsilon": 0.5, "epsilon_end": 0.05, "random_first": 0.3, "survival": 10, "survival_games": 100,
}  # fmt: skip
_S5: Final[dict[str, Any]] = {
    "bootstrap": "own",  # the next own turn: assumed
    "learning_rate": 1e-3, "decay": 1.0, "gamma": 0.1, "steps": 1, "epsilon": 0.2,
    "epsilon_end": 0.0, "window": 4096, "games_per_iteration": 1,
    "updates": 4096 / 60,  # 4096 samples after each game; all its 60 positions are kept
    "both_sides": True, "reward": "halves", "opponents": {"past": 1.0}, "past": 5, "openings": 0,
    "augment": False, "target_period": 1,
    "batch": 512,  # assumed
    "patience": 10, "check_every": 50,  # of episodes; here of checks
}  # fmt: skip
DQN_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    # Found by a sweep (docs/evidence/sweeps.md): stronger against the default and against
    # alpha-beta, weaker against random moves.
    "swept": {
        "layers": ("dense 192 relu", "dense 64"),
        "learning_rate": 1.1e-3, "updates": 4.1, "window": 90_000, "target_period": 410,
        "gamma": 0.98, "positional": 0.011, "epsilon": 0.11, "epsilon_end": 0.11, "openings": 10,
    },
    "s2-dqn": {**_S2, "layers": (*_S2_BODY, "dense 64")},
    "s2-dueling": {**_S2, "layers": (*_S2_BODY, "dueling")},
    "s2-minimax-dueling": {**_S2, "layers": (*_S2_BODY, "dueling"), "minimax": True},
    "s3-dqn": _S3,
    "s3-double": {**_S3, "double": True},
    "s3-dueling": {
        **_S3,
        "layers": ("conv 16 relu", "conv 32 relu", "dense 128 relu", "dueling"),
    },
    "s5-network1": {
        **_S5,
        "input": "coloured-move",
        "layers": ("dense 64 sigmoid", "dense 64 sigmoid", "dense 64 sigmoid", "dense 1 sigmoid"),
    },
    "s5-network2": {
        **_S5,
        "input": "coloured",
        "layers": ("dense 64 sigmoid", "dense 64 sigmoid", "dense 64 sigmoid", "dense 64 sigmoid"),
        "others_zero": True,
    },
}  # fmt: skip
