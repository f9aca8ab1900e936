"""Pages of the commands: one each, made of the table that `evolve --help` is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx_click import ext as sphinx_click

from evolve.cli.main import COMMANDS, GROUPS, cli


def __getattr__(name: str) -> click.Command:
    """Find a command by its name, with _ for -, where sphinx-click looks for one."""
    command = cli.get_command(click.Context(cli), name.replace("_", "-"))
    if command is None:
        raise AttributeError(name)
    command.get_help(click.Context(command))  # some add to their texts there
    return command


def write_pages(folder: Path) -> None:
    """Write a page for each command."""
    for name in COMMANDS:
        own = name.replace("-", "_")
        text = f".. click:: commands:{own}\n   :prog: evolve {name}\n   :nested: full\n"
        write(folder / f"{name}.rst", text)


def write(file: Path, text: str) -> None:
    """Write a file, unless it says the same already: an unchanged page is not built again."""
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


class CommandList(Directive):
    """All commands with what they do, and links to their pages."""

    def run(self) -> list[nodes.Node]:
        found: list[nodes.Node] = []
        for heading, group in GROUPS.items():
            commands = nodes.definition_list()
            for name, (_, about) in group.items():
                link = nodes.reference("", "", nodes.literal(text=f"evolve {name}"), internal=True)
                link["refuri"] = f"commands/{name}.html"
                term = nodes.term("", "", link)
                text = nodes.definition("", nodes.paragraph(text=about))
                commands += nodes.definition_list_item("", term, text)
            found += [nodes.rubric(text=heading), commands]
        return found


def examples_as_code(_app: Any, _context: click.Context, lines: list[str]) -> None:
    """Make code of blocks that stand as they are in the terminal (`\\b`)."""
    found, inside = [], False
    for line in lines:
        kept = line.startswith("| ")
        if kept and not inside and not line[2:].startswith(" "):
            found += [line[2:], ""]  # `Examples:`
            continue
        if kept and not inside:
            found += [".. code-block:: sh", ""]
        found.append("   " + line[2:].strip() if kept else line)
        inside = kept
    lines[:] = found


def options_by_group(_app: Any, context: click.Context, lines: list[str]) -> None:
    """Put options under the heads of their groups, with a line for each choice that has one."""
    groups: dict[str, list[str]] = {}
    heads = [getattr(option, "group", None) for option in context.command.params]
    first = next(filter(None, heads), "")
    for option in context.command.params:
        if isinstance(option, click.Option) and not option.hidden:
            head = getattr(option, "group", None) or first
            about = getattr(option, "lines", None) or {}
            text = list(sphinx_click._format_option(context, option))
            text = [_choices(line) for line in text if not (about and ":options:" in line)]
            text = "\n".join(text).split("\n")
            if about:
                text += ["", *(f"    - ``{name}``: {what}" for name, what in about.items())]
            groups.setdefault(head, []).extend([*text, ""])
    lines.clear()
    for head, texts in groups.items():
        if head and len(groups) > 1:
            lines += [f".. rubric:: {head}", "   :heading-level: 4", ""]
        lines += texts


def _choices(line: str) -> str:
    """The choices of an option as code, in place of a field of their own."""
    before, mark, choices = line.partition(":options:")
    if not mark:
        return line
    names = ", ".join(f"``{name.strip()}``" for name in choices.split("|"))
    return f"\n{before}One of: {names}\n"


def setup(app: Any) -> None:
    """Connect what shapes the pages of commands."""
    write_pages(Path(app.srcdir) / "reference/commands")
    app.add_directive("command-list", CommandList)
    app.connect("sphinx-click-process-description", examples_as_code)
    app.connect("sphinx-click-process-epilog", examples_as_code)
    app.connect("sphinx-click-process-options", options_by_group)
