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
        "learning_rate": 3.4e-3,
        "c_puct": 0.67,
        "play_c_puct": 1.6,
        "simulations": 150,
        "root_value": 0.46,
        "openings": 10,
        "solved": 13,
        "noise": 0.024,
        "temperature": 0.57,
        "temperature_plies": 4,
        "updates": 9.0,
        "window": 33_000,
        "games_per_iteration": 110,
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
        "augment": False,
        "reuse": True,
        "learning_rate": 1e-3,  # assumed
        "decay": 1.0,  # the paper mentions no decay
        "window": 200_000,  # assumed
        "simulations": 25,  # assumed
        "c_puct": 1.0,  # assumed
        "play_c_puct": 1.0,  # assumed
        "play_simulations": 100,  # assumed
        "noise": 0.0,  # the paper mentions none
        "temperature_plies": 15,  # assumed
        "solved": 0,
        "root_value": 0.0,
        "openings": 0,
        "endgame": 0,
        "accept": True,  # keep the better model
        "accept_against": (),
        "accept_games": 20,  # assumed
        # Our choice, for CPUs, where the network takes milliseconds a position.
        "check_simulations": 10,
        "panel_openings": 10,
        "games_per_iteration": 100,  # assumed
        "batch": 64,  # assumed
        "updates": 10.0,  # assumed
    },
    # S4, ReversiV: value only, RevNet with several further layers, trained on games of baselines
    # and of itself with noise and temperature; Q and N are kept through a game and order the exact
    # search.
    "s4-reversiv": {
        "input": "canonical",
        # Number and sizes of the layers after the gates: assumed.
        "layers": ("gate", "gate", "dense 64 relu", "dense 32 relu", "dense 1 tanh"),
        "learning_rate": 2e-3,  # assumed, as batch, updates, decay and images of the default
        "simulations": 100,  # assumed
        "reuse": True,
        "solve_by": "value",
        "noise": 0.25,  # assumed
        "temperature": 1.0,  # assumed
        "temperature_plies": 20,  # assumed
        "c_puct": 1.2,
        "play_c_puct": 1.1,
        "games_per_iteration": 100,
        "opponents": {"self": 0.5, "random": 0.25, "swh": 0.25},  # shares and baselines assumed
        "first_ply": 12,
        "openings": 0,
        "solved": 12,
        "endgame": 12,
        "root_value": 0.0,  # assumed
        "accept_games": 20,  # assumed
        "window": 40_000,  # "old data dropped"; the number is assumed
        "accept": True,
        "accept_against": ("random", "swh"),
    },
}

# That the error is squared, and that targets take legal moves alone, is assumed of S2, S3 and S5.
_S2: Final[dict[str, Any]] = {
    "bootstrap": "own",  # the next own turn: assumed
    "input": "canonical",
    "gamma": 0.99,  # assumed
    "learning_rate": 1e-3,  # assumed, and that it falls in the second half
    "decay": 0.5,
    "batch": 512,  # assumed
    "updates": 4.0,  # assumed
    "window": 200_000,  # assumed
    "augment": True,  # assumed
    "games_per_iteration": 200,  # assumed
    "steps": 1,
    "reward": "none",
    "positional": 0.01,  # V is in hundreds: assumed to be scaled to about 1
    "target_period": 500,  # assumed
    "epsilon": 0.3,  # assumed
    "epsilon_end": 0.05,  # assumed
    "openings": 0,
}
_S2_BODY: Final = ("dense 128 relu", "residual relu", "residual relu")
"""Fully connected with residual blocks; their number and size are assumed."""
_S3: Final[dict[str, Any]] = {
    "bootstrap": "own",  # the next own turn: assumed
    "input": "planes",  # assumed
    "layers": ("conv 16 relu", "conv 32 relu", "dense 128 relu", "dense 64"),  # sizes assumed
    "networks": 2,
    "learning_rate": 1e-3,  # assumed, and that it falls in the second half
    "decay": 0.5,
    "window": 200_000,  # assumed
    "target_period": 500,  # assumed
    "epsilon_end": 0.05,  # assumed
    "survival_games": 100,  # assumed
    "steps": 1,
    "gamma": 0.99,  # assumed
    "reward": "outcome",
    "random_first": 0.3,  # assumed
    "survival": 10,  # assumed
    "openings": 0,
    "augment": False,
    "batch": 64,  # assumed
    "updates": 1.0,  # assumed
    "games_per_iteration": 50,  # assumed
    "epsilon": 0.5,  # assumed
}
_S5: Final[dict[str, Any]] = {
    "bootstrap": "own",  # the next own turn: assumed
    "learning_rate": 1e-3,
    "decay": 1.0,
    "gamma": 0.1,
    "steps": 1,
    "epsilon": 0.2,
    "epsilon_end": 0.0,
    "window": 4096,
    "games_per_iteration": 1,
    "updates": 4096 / 60,  # 4096 samples after each game; all its 60 positions are kept
    "both_sides": True,
    "reward": "halves",
    "opponents": {"past": 1.0},
    "past": 5,
    "openings": 0,
    "augment": False,
    "batch": 512,  # assumed
    "target_period": 1,
    "patience": 10,  # of episodes; here of checks
    "check_every": 50,
}
DQN_PRESETS: Final[dict[str, dict[str, Any]]] = {
    "default": {},
    # Found by a sweep (docs/evidence/sweeps.md): stronger against the default and against
    # alpha-beta, weaker against random moves.
    "swept": {
        "layers": ("dense 192 relu", "dense 64"),
        "learning_rate": 1.1e-3,
        "gamma": 0.98,
        "positional": 0.011,
        "epsilon": 0.11,
        "epsilon_end": 0.11,
        "updates": 4.1,
        "target_period": 410,
        "window": 90_000,
        "openings": 10,
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
}
