"""`evolve engine`: an agent for other people's programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import click

import evolve
from evolve.cli.completion import complete_agents
from evolve.cli.options import readable, rules_option
from evolve.cli.terminal import complain, forget_reader

_LONGEST_LINE = 1 << 16


@click.command(name="engine")
@click.argument("agent", shell_complete=complete_agents)
@click.option(
    "--protocol",
    type=click.Choice(["gtp", "nboard"]),
    required=True,
    help="What the other program speaks on our standard input and output.",
)
@rules_option
def engine_command(agent: str, protocol: str, rules: str | None) -> None:
    """Play as AGENT for another program, over GTP or NBoard.

    Without --rules it plays by those of AGENT; where that has none, a line on standard error says
    what is assumed. Under a GTP clock the agent thinks as deep as its time allows and never
    oversteps it; without one, and over NBoard until a depth is set, it plays as its settings say.
    Logs and errors go to standard error, and nothing but the protocol to standard output.

    \b
    Examples:
      evolve engine best.json --protocol gtp
      evolve engine 'best.json?time=5' --protocol nboard
      evolve match swh 'gtp:evolve engine best.json --protocol gtp'
    """
    from evolve.agents.agent import Limit
    from evolve.protocols.gtp import GtpEngine
    from evolve.protocols.nboard import NBoardEngine
    from evolve.runs.loading import agree_on

    player = evolve.load_agent(agent)
    agreed = agree_on([player], rules)
    if agreed.assumed:
        complain(f"{readable(agent)}: {agreed}; --rules says otherwise")
    # Compiles what a move by the clock needs, before any clock runs.
    player.limited(Limit(seconds=1.0))
    try:
        if protocol == "gtp":
            GtpEngine(player, agreed.rules, agreed.assumed).serve(_lines(), _say)
        else:
            NBoardEngine(player, agreed.rules, _say, agreed.assumed).serve(_lines())
    except BrokenPipeError:
        forget_reader()


def _lines() -> Iterator[str]:
    """Yield lines of standard input as text, whatever the bytes; overlong ones in pieces."""
    while line := sys.stdin.buffer.readline(_LONGEST_LINE):
        yield line.decode("utf-8", "replace")


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
