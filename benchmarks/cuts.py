"""Measures the forward cuts of an agent with patterns again, and keeps its weights.

    python -m benchmarks.cuts AGENT -o FILE.npz [--positions 3600] [--depth 10] [--seed 0]

`evolve train patterns` does the same at the end of a training, with fewer positions. The agents
that come with evolve have their cuts from this command.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import replace
from pathlib import Path

import evolve
from evolve.agents.patterns import PatternAgent


def main() -> None:
    """Write the agent with its new cuts."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("agent")
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=3600)
    parser.add_argument("--depth", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    agent = evolve.load_agent(options.agent)
    if not isinstance(agent, PatternAgent):
        raise SystemExit(f"{options.agent} is not an agent with patterns")
    begin = time.process_time()
    cuts = agent.measured_cuts(options.seed, options.positions, options.depth, lambda: math.inf)
    replace(agent, cuts=cuts).save(options.output)
    print(f"{len(cuts)} rows in {time.process_time() - begin:.0f} s of CPU -> {options.output}")


if __name__ == "__main__":
    main()
