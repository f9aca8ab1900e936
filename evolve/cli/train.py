"""`evolve train dqn`, `evolve train mcts` and `evolve train patterns`."""

from __future__ import annotations

from typing import Any, Final

from evolve.cli.run import command_of
from evolve.extras import install_hint
from evolve.learning.kind import KIND as TRAININGS

_TRAIN_HELP: Final = f"""Train from games: `patterns` value what shapes on the board hold, networks
value moves (`dqn`) or positions (`mcts`).

Networks need PyTorch: {install_hint("learn")} adds it. The result plays like any
other agent.

\b
Examples:
  evolve train patterns --preset quick
  evolve train mcts --budget 120
  evolve train dqn --preset s2-minimax-dueling --games 20000 --out runs/s2
  evolve match runs/mcts-001 'positional?depth=6' --games 100
"""

_HELP: Final = {
    "mcts": """Train a network to value positions, by the games of its own tree search.

\b
Examples:
  evolve train mcts --budget 120
  evolve train mcts --preset s4-reversiv --games 5000 --seed 3
  evolve train mcts --layers 'gate, gate, dense 1 tanh' --input canonical
""",
    "dqn": """Train a network to value moves, by the rewards of its games.

\b
Examples:
  evolve train dqn --budget 180
  evolve train dqn --preset s5-network2 --shaping 1 --games 2000
  evolve train dqn --bootstrap negamax --steps 3 --opponents self=0.7 --opponents random=0.3
""",
    "patterns": """Train the weights of patterns, the strongest agents here, in a minute.

Against patterns-standard they score 0.40 after 60 CPU seconds, 0.45 after 240.

\b
Examples:
  evolve train patterns
  evolve train patterns --budget 960 --rules reversed --jobs 2
  evolve train patterns --shapes 'corner, edge, a1-d2, b1/g6' --phases 3 --games 200000
  evolve train patterns --preset evolved --rules standard --jobs 2
  evolve train patterns --start-from runs/patterns-001 --duels 1 --duel-depths 2,3
""",
}
"""The help of its commands; those of others say what the registry says about them."""
_ENDING: Final = """
Ctrl-C ends the training after the current games, a second one at once; `evolve resume` continues.
"""
_TEXTS: Final = {w: f"{_HELP.get(w, v.about)}{_ENDING}" for w, v in TRAININGS.variants.items()}
train_command: Any = command_of(TRAININGS, _TEXTS, _TRAIN_HELP)
