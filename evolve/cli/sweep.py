"""`evolve sweep`: a group with a command for each thing that a sweep can tune."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import click

from evolve.cli.cluster import scheduler_option
from evolve.cli.options import OuterCommand, log_option
from evolve.cli.run import settings_for, start_run, starting_options
from evolve.cli.settings import GroupedCommand, given_options, model_options
from evolve.cli.terminal import print_rows
from evolve.config.ranges import typed
from evolve.config.sweep_targets import SWEEP_TARGETS
from evolve.config.toml import read_toml
from evolve.parsing import split_pair
from evolve.sweeps.kind import KIND as SWEEPS

_SWEEP_HELP: Final = """Search for good settings of trainings, evolutions, agents and programs.

Optuna proposes the setting of each trial, whose agent plays a fixed panel on fixed openings; the
first trial has the defaults. The best trials play a final on fresh openings, and its winner plays
the defaults once more: believe that score.

Ctrl-C ends the sweep within a second; `evolve resume` goes on in the middle of its trials, to
exactly as many as you asked for.

\b
Examples:
  evolve sweep alphabeta --rules reversed --trials 500
  evolve sweep mcts --trials 60 --budget 60 --jobs 2
  evolve sweep program 'gtp:./engine --corner {corner:1:50=10}' --games 2000
  evolve sweep dqn --list                      the parameters and their ranges
"""

_RANGES: Final = """
\b
What is searched:
  --list                                       show it
  --fix NAME=VALUE                             fix it, or any other setting of the trials
  --space NAME=LOW:HIGH, --space FILE.toml     change its range
  --require 'LOW < HIGH'                       never try what breaks this
  --start-from runs/sweep-001                  try the best settings of an earlier sweep first
"""

_HELP: Final = {
    "dqn": """A trial is a training of --budget CPU seconds.

\b
Examples:
  evolve sweep dqn --trials 60 --budget 60
  evolve sweep dqn --fix lookahead=0 --fix steps=10 --sampler gp
  evolve sweep dqn --scheduler tls://host:8786 --jobs 16
""",
    "mcts": """A trial is a training of --budget CPU seconds.

\b
Examples:
  evolve sweep mcts --trials 60 --budget 60 --jobs 2
  evolve sweep mcts --space learning_rate=1e-4:1e-2:log --pruner race
  evolve sweep mcts --scheduler tls://host:8786 --jobs 16
""",
    "patterns": """A trial is a training of up to --budget CPU seconds; the best quarter goes on at
each report.

\b
Examples:
  evolve sweep patterns
  evolve sweep patterns --trials 200 --budget 60 --reports 4
  evolve sweep patterns --budget 4 --pruner none --retest 0
""",
    "alphabeta": """A trial is an agent with other genes; all trials play the same games.

\b
Examples:
  evolve sweep alphabeta --rules reversed --sampler cma --trials 500
  evolve sweep alphabeta --fix depths=2 --fix weights.0=100 --space weights.1=-100:0
""",
    "evolution": """A trial is an evolution of --budget CPU seconds.

\b
Examples:
  evolve sweep evolution --budget 120 --jobs 4
  evolve sweep evolution --fix selection=best --space population=16:64
""",
    "program": """PROGRAM is its command, with {NAME:LOW:HIGH=DEFAULT} or {NAME:A|B} for each
parameter. A trial plays the defaults and the best trial so far, or the panel.

\b
Examples:
  evolve sweep program 'gtp:./engine --corner {corner:1:50=10} --style {style:a|b}' --games 2000
  evolve sweep program python:agent.py --set-by env --space ranges.toml --trials 60
  evolve sweep program 'gtp:./engine --x {x:0.0:5}' --sampler spsa --pairs 5 --games 4000
""",
}
"""The help of its commands, after what the registry says about them."""
_ABOUT: Final = {
    "program": "Search the parameters of PROGRAM, which speaks GTP or NBoard or is a Python file."
}
"""What it says first where that has an argument."""


@click.group(cls=OuterCommand, name="sweep", help=_SWEEP_HELP)
def sweep_command() -> None:
    """See _SWEEP_HELP."""


def _command(word: str) -> click.Command:
    variant, target = SWEEPS.variants[word], SWEEP_TARGETS[word]
    defaults = {"rules": target.rules, "budget": target.budget, **target.settings}
    own = ("program", "space", "fix")  # options and arguments of their own, see below
    help_text = f"{_ABOUT.get(word, variant.about)}\n\n{_HELP.get(word, '')}{_RANGES}"

    @click.command(cls=GroupedCommand, name=word, help=help_text)
    @model_options(variant.model(), "kind", *own, *target.unused, defaults=defaults)
    @click.option("--fix", multiple=True, metavar="NAME=VALUE", help="Fix a setting of all trials.")
    @click.option(
        "--space",
        multiple=True,
        metavar="NAME=LOW:HIGH|FILE.toml",
        help="Ranges that differ from the default ones: one, or those of a file; may be repeated.",
    )
    @click.option(
        "--list", "listing", is_flag=True, help="Show the parameters instead of starting a sweep."
    )
    @starting_options("runs/sweep-KIND-NNN", scheduler_option, log_option)
    def command(**options: Any) -> int:
        return _start(word, options)

    if "program" in variant.model().model_fields:
        command.params.insert(0, click.Argument(["program"], required=False))
    else:  # their trials cannot play one another
        sampler = next(param for param in command.params if param.name == "sampler")
        assert isinstance(sampler.type, click.Choice)
        sampler.type = click.Choice([name for name in sampler.type.choices if name != "spsa"])
    return command


def _start(word: str, options: dict[str, Any]) -> int:
    plain = {name: value for name, value in options.items() if name not in ("fix", "space")}
    given = given_options(SWEEPS.variants[word].model(), plain)
    if options["fix"]:
        given["fix"] = dict(map(_fixed, options["fix"]))
    if options["space"]:
        given["space"], fixed = _ranges(options["space"])
        given["fix"] = {**fixed, **given.get("fix", {})}
    if options["listing"]:
        from evolve.sweeps.plan import plan_of

        plan = plan_of(settings_for(SWEEPS, word, given, options["config"]))
        heads = ["parameter", "type", "range", "default", ""]
        print_rows(heads, [[*row.values()] for row in plan.described])
        return 0
    return start_run(SWEEPS, word, options, given)


def _fixed(text: str) -> tuple[str, Any]:
    """Parse NAME=VALUE of --fix; numbers, true and false become such values."""
    name, value = split_pair("fix", text, "NAME=VALUE")
    return name, value == "true" if value in ("true", "false") else typed(value)


def _ranges(texts: Sequence[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the values of --space: ranges by parameter, and the values of a file that hold one.

    A text is a file, or NAME=RANGE.
    """
    ranges: dict[str, Any] = {}
    held: dict[str, Any] = {}
    for text in texts:
        name, equals, range_text = text.partition("=")
        if equals and not Path(text).exists():
            ranges[name] = range_text  # the settings read it
            continue
        for name, value in read_toml(Path(text)).items():
            (ranges if isinstance(value, Mapping) else held)[name] = value
    return ranges, held


for _word in SWEEPS.variants:
    sweep_command.add_command(_command(_word))
