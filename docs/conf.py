"""Sphinx configuration. The site is built from here, by what `pip install '.[serve,docs]'` brings:

sphinx-build -W --keep-going -b html docs build/docs

Pages of commands, of the Python API and of the REST API are written into docs/reference/ then.
"""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx import addnodes

import evolve

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "evolve"
author = "the evolve authors"
project_copyright = "the evolve authors, MIT licence"
version = release = evolve.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "myst_nb",  # brings myst_parser
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_click",
    "commands",
    "rest",
]
nitpicky = True
_OTHERS = (
    r"(abc|collections\.abc|enum|matplotlib|numpy|pandas|pathlib|pd|pyarrow|pydantic|typing)\..*"
)
_ALIASES = r"Axes|Evaluate|Dtype|GamesDone|Path|PlotAccessor"
# What users neither make nor name: it comes and goes with attributes of runs and agents.
_INNER = (
    r"evolve\.(files\.folder|runs\.(run_type|folder_view|study_spec)|tables\.trials|agents\.(dqn|memory|probcut|searching)|"
    r"engine\.(networks\.network|patterns\.patterns)|plots\.(call|figure)|runs\.progress)\.\w+"
)
nitpick_ignore_regex = [("py:.*", text) for text in (_OTHERS, _ALIASES, _INNER)]
templates_path = ["_templates"]
exclude_patterns = ["_ext", "evidence/data"]

# Help and docstrings are written for terminals: `x` is code, -- are two signs.
default_role = "code"
smartquotes = False

# Markdown: headings are targets, so page.md#heading works here as it does on GitHub.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "deflist", "attrs_block", "attrs_inline"]

# Notebooks are shown as they were kept; tests run them.
nb_execution_mode = "off"

# Python: from signatures and docstrings.
autosummary_generate = True
autosummary_context = {
    "inner": {kind.__name__: ", ".join(kind.INNER) for kind in (evolve.Run, evolve.Study)}
}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
autodoc_type_aliases = {"Evaluate": "Evaluate"}  # a function on arrays, which says little here
napoleon_numpy_docstring = False
napoleon_attr_annotations = True
python_use_unqualified_type_names = True

# Nothing from other hosts: no fonts, no CDN, no MathJax, no badges.
html_theme = "furo"
html_title = f"evolve {release}"
html_favicon = "../evolve/service/web/icon.svg"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
html_static_path = ["_static"]
html_css_files = ["evolve.css"]
html_search_scorer = str(Path(__file__).parent / "_ext/search.js")
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#0d6a43",
        "color-brand-content": "#0d6a43",
        "color-brand-visited": "#0d6a43",
    },
    "dark_css_variables": {
        "color-brand-primary": "#5fd39b",
        "color-brand-content": "#5fd39b",
        "color-brand-visited": "#5fd39b",
    },
}

copybutton_exclude = ".linenos, .gp, .go"
copybutton_selector = "div:not(.highlight-text) > div.highlight > pre"


def _dashes(_app: Any, tree: nodes.document) -> None:
    """The dash behind a parameter's name, which smartquotes would make."""
    for text in list(tree.findall(nodes.Text)):
        if text == " -- ":
            text.parent.replace(text, nodes.Text(" – "))


def _out_of_the_site(app: Any, tree: nodes.document) -> None:
    """Leave the words alone of links to pages and folders that are no part of the site."""
    folder = Path(app.env.doc2path(app.env.docname)).parent
    for link in list(tree.findall(addnodes.pending_xref)):
        file = folder / link["reftarget"].partition("#")[0]
        if link["reftype"] == "myst" and link.get("refdomain") != "doc" and file.exists():
            link.replace_self(link.children)


_DEFAULTS = {
    r"TypeAliasForwardRef\('(\w+)'\)": r"\1",
    r"<factory>": "...",
    r" = ([A-Z]\w+)\((?:[^()]|\([^()]*\))*\)": r" = \1(...)",
    r"<class '(\w+)'>": r"\1",
    r"\bGamesDone\b": "Callable[[int], None]",
    r": Unpack\[\w+\]": "",  # the settings, which the text names
    r", (_\w+|member): [^,()]*": "",  # what evolve alone gives
}
"""Parts of signatures that say little, and what stands for them."""


def _short_defaults(
    _app: Any, _what: str, _name: str, _object: Any, _options: Any, signature: str | None, to: str
) -> tuple[str, str] | None:
    """Write signatures that people, and Sphinx's parser, can read."""
    for pattern, text in _DEFAULTS.items():
        signature = signature and re.sub(pattern, text, signature)
    return None if signature is None else (signature, to)


def _without_aliases(
    _app: Any, _what: str, _name: str, member: Any, _skip: bool, _options: Any
) -> bool | None:
    """Leave out the fields of a named tuple: its docstring says what they are."""
    return True if str(member.__doc__).startswith("Alias for field number") else None


_FIELD = re.compile(r"(\w+(?:, \w+)*): ")


def _fields_as_list(
    _app: Any, what: str, _name: str, _object: Any, _options: Any, lines: list[str]
) -> None:
    """A list of paragraphs that say a field in each line: `name: what it is`."""
    # napoleon takes what stands before a colon in the first line of a property for its type.
    found, inside = ["\\ "] if what in ("attribute", "property") else [], False
    for line in lines:
        begins = (not found or not found[-1]) and _FIELD.match(line) is not None
        inside = line != "" and (inside or begins)
        if inside and not line.startswith(" "):
            line = _FIELD.sub(r"- ``\1``: ", line, count=1) if _FIELD.match(line) else f"  {line}"
        elif inside:
            line = f"  {line.strip()}"
        found.append(line)
    lines[:] = found


def setup(app: Any) -> None:
    """Connect what shapes all pages."""
    app.connect("autodoc-process-docstring", _fields_as_list, priority=400)  # before napoleon
    app.connect("autodoc-process-signature", _short_defaults)
    app.connect("autodoc-skip-member", _without_aliases)
    app.connect("doctree-read", _out_of_the_site)
    app.connect("doctree-read", _dashes)
