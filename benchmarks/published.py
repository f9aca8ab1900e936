"""What the published systems claim, as data: who is trained for a claim, and who meets whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

DEEP = "positional?depth=6"
Options = dict[str, Any]


@dataclass(frozen=True)
class Claim:
    """A finding, who is trained for it, and who meets whom.

    contestants: by label the kind and settings; meetings: two labels, or a label and an agent,
    settings of play behind a question mark.
    """

    name: str
    published: str
    contestants: dict[str, tuple[str, Options]]
    meetings: list[tuple[str, str]]
    share: float = 1.0
    """Of the budget."""
    first_of: str = ""
    """Whose first network that wins 10–0 against each agent it is accepted by is kept, too."""
    corners: tuple[str, ...] = ()
    """Whose values of corners are looked at."""
    notes: str = field(default="")


FIRST = " first"
SMALL_CNN = "conv 16 relu, conv 16 relu, dense 64 relu, policy-value"
S3 = {"layers": "conv 8 relu, conv 16 relu, dense 64 relu, dense 64"}
S3_DUELING = {"layers": "conv 8 relu, conv 16 relu, dense 64 relu, dueling"}
S4 = {"accept_games": 10}
# Monte Carlo targets, which no network of its own for a colour can disturb.
DENSE = {
    "input": "planes",
    "layers": "dense 128 relu, dense 64",
    "bootstrap": "own",
    "steps": 60,
}

CLAIMS = [
    Claim(
        "dueling",
        "S2: dueling beats plain DQN",
        {
            "dueling": ("dqn", {"preset": "s2-dueling"}),
            "plain": ("dqn", {"preset": "s2-dqn"}),
        },
        [("dueling", "plain"), ("dueling", "random"), ("plain", "random")],
        corners=("dueling", "plain"),
    ),
    Claim(
        "minimax-dueling",
        "S2: minimax-dueling beats dueling on both colours",
        {
            "minimax-dueling": ("dqn", {"preset": "s2-minimax-dueling"}),
            "dueling": ("dqn", {"preset": "s2-dueling"}),
        },
        [
            ("minimax-dueling", "dueling"),
            ("minimax-dueling", "random"),
            ("minimax-dueling?lookahead=2", "minimax-dueling"),
            ("minimax-dueling?lookahead=2", "dueling?lookahead=2"),
        ],
        corners=("minimax-dueling",),
    ),
    Claim(
        "whole-games",
        "S2: targets of whole games, from their end, learned nothing",
        {
            "whole games": ("dqn", {"preset": "s2-minimax-dueling", "steps": 60}),
            "next turn": ("dqn", {"preset": "s2-minimax-dueling"}),
        },
        [("whole games", "random"), ("whole games", "next turn")],
    ),
    Claim(
        "residual",
        "S2: a network with residual blocks (what they give is not told)",
        {
            "residual": ("dqn", {"preset": "s2-dueling"}),
            "as deep without": (
                "dqn",
                {"preset": "s2-dueling", "layers": "dense 128 relu, " * 5 + "dueling"},
            ),
            "one layer": ("dqn", {"preset": "s2-dueling", "layers": "dense 128 relu, dueling"}),
        },
        [("residual", "as deep without"), ("residual", "one layer")],
    ),
    Claim(
        "minimax",
        "S2: DQN beats minimax in 90 % (the depth is not told)",
        {
            "plain": ("dqn", {"preset": "s2-dqn"}),
            "minimax-dueling": ("dqn", {"preset": "s2-minimax-dueling"}),
            "ours": ("dqn", {}),
            "swept": ("dqn", {"preset": "swept"}),
        },
        [
            ("plain", "positional?depth=1"),
            ("plain", "positional?depth=2"),
            ("minimax-dueling", "positional?depth=1"),
            ("minimax-dueling", "positional?depth=2"),
            ("minimax-dueling?lookahead=2", "positional?depth=1"),
            ("minimax-dueling?lookahead=2", "positional?depth=2"),
            ("ours", "positional?depth=1"),
            ("ours", "positional?depth=2"),
            ("ours?lookahead=2", "positional?depth=2"),
            ("swept", "positional?depth=1"),
            ("swept", "positional?depth=2"),
            ("swept?lookahead=2", "positional?depth=2"),
        ],
    ),
    Claim(
        "survival",
        "S3: 60 to 67 % against random, 70 to 80 % with survival of the fittest",
        {
            f"{preset}{'' if survival else ' alone'}": (
                "dqn",
                {"preset": preset, "survival": survival, **layers},
            )
            for preset, layers in (
                ("s3-dqn", S3),
                ("s3-double", S3),
                ("s3-dueling", S3_DUELING),
            )
            for survival in (10, 0)
        },
        [
            (f"{preset}{alone}", "random")
            for preset in ("s3-dqn", "s3-double", "s3-dueling")
            for alone in ("", " alone")
        ],
        notes="convolutions of 8 and 16 channels, for a CPU",
    ),
    Claim(
        "rewards",
        "S3: final rewards ±1 or 1/0 (no winner is named)",
        {
            "plus-minus": ("dqn", {"preset": "s3-dqn", "reward": "outcome", **S3}),
            "one-zero": ("dqn", {"preset": "s3-dqn", "reward": "halves", **S3}),
        },
        [("plus-minus", "one-zero"), ("plus-minus", "random"), ("one-zero", "random")],
    ),
    Claim(
        "policy-value",
        "S3: 87.5 % against random; wins as black and loses as white against depth 6",
        {
            "s3-mcts": (
                "mcts",
                {"preset": "s3-mcts", "layers": SMALL_CNN, "accept_games": 10},
            ),
            "small": ("mcts", {"input": "planes", "layers": SMALL_CNN}),
        },
        [
            ("s3-mcts", "random"),
            ("s3-mcts", DEEP),
            ("small?simulations=100", "random"),
            ("small?simulations=100", DEEP),
        ],
        share=2.0,
        notes="convolutions of 16 and 16 channels, for a CPU",
    ),
    Claim(
        "first",
        "S4: the first network that wins 10–0 against each baseline is weak still",
        {"s4-reversiv": ("mcts", {"preset": "s4-reversiv", **S4})},
        [
            (f"s4-reversiv{FIRST}?simulations=100", "positional?depth=1"),
            (f"s4-reversiv{FIRST}?simulations=100", "positional?depth=2"),
            ("s4-reversiv?simulations=100", f"s4-reversiv{FIRST}?simulations=100"),
        ],
        share=2.0,
        first_of="s4-reversiv",
    ),
    Claim(
        "simulations",
        "S4: stronger with more simulations, above its baselines",
        {"s4-reversiv": ("mcts", {"preset": "s4-reversiv", **S4})},
        [
            (f"s4-reversiv?simulations={count}", opponent)
            for opponent in ("positional?depth=2", DEEP)
            for count in (25, 100, 400, 1600)
        ],
        share=2.0,
    ),
    Claim(
        "cut",
        "S4: games that are cut at ply 44 or at 48, and end there with their exact outcome",
        {
            "cut at 48": ("mcts", {"preset": "s4-reversiv", **S4}),
            "cut at 44": ("mcts", {"preset": "s4-reversiv", "solved": 16, **S4}),
        },
        [
            ("cut at 44?simulations=100", "cut at 48?simulations=100"),
            ("cut at 44?simulations=100", "positional?depth=2"),
        ],
        share=2.0,
    ),
    Claim(
        "networks-1-and-2",
        "S5: a tournament of networks 1 and 2, with and without discs as rewards (none is ahead "
        "for certain)",
        {
            f"{preset}{' shaped' if shaping else ''}": (
                "dqn",
                {"preset": preset, "shaping": shaping, "patience": None},
            )
            for preset in ("s5-network1", "s5-network2")
            for shaping in (0.0, 1.0)
        },
        [
            *combinations(
                ("s5-network1", "s5-network2", "s5-network1 shaped", "s5-network2 shaped"), 2
            ),
            ("s5-network1", "random"),
            ("s5-network2", "random"),
        ],
    ),
    Claim(
        "boards",
        "left open by S3: a canonical board or three planes, with and without the 8 images",
        {
            "canonical": ("dqn", {**DENSE, "input": "canonical"}),
            "planes": ("dqn", DENSE),
            "mobility": ("dqn", {**DENSE, "input": "mobility"}),
            "planes, not augmented": ("dqn", {**DENSE, "augment": False}),
        },
        [
            ("planes", "canonical"),
            ("mobility", "planes"),
            ("planes", "planes, not augmented"),
        ],
    ),
    Claim(
        "convolution",
        "S2: convolution is worse than fully connected layers",
        {
            "convolution": ("dqn", {**DENSE, **S3}),
            "dense": ("dqn", DENSE),
        },
        [("dense", "convolution"), ("convolution", "random"), ("dense", "random")],
    ),
    Claim(
        "one-or-two",
        "S2: one network for both colours learns, two did not converge",
        {"one": ("dqn", DENSE), "two": ("dqn", {**DENSE, "networks": 2})},
        [("one", "two"), ("two", "random")],
    ),
]
