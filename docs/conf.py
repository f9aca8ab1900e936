"""Sphinx configuration. The site is built from here, by what `pip install '.[docs]'` brings:

sphinx-build -W --keep-going -b html docs build/docs

Pages of commands, of the Python API and of the REST API are written into docs/reference/ then.
"""

import sys
from pathlib import Path
from typing import Any

from docutils import nodes

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
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_class_signature = "mixed"
autodoc_preserve_defaults = True
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


def setup(app: Any) -> None:
    """Connect what shapes all pages."""
    app.connect("doctree-read", _dashes)
