"""Settings of the documentation site, which `make docs` builds."""

import sys
from functools import cache
from pathlib import Path

from pygments.lexers import PythonLexer
from sphinx.search.en import SearchEnglish

import reseat

sys.path.insert(0, str(Path(__file__).parent / "extensions"))

project = "reseat"
author = "The reseat developers"
copyright = "The reseat developers"
version = release = reseat.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "myst_parser",
    "sphinx_design",
    "docstrings",
    "findings",
    "generated",
    "mathml",
    "public_names",
]
exclude_patterns = ["_build", "extensions"]
templates_path = ["_templates"]

# Markdown with formulas between dollar signs, definition lists, and boxes fenced by three colons.
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 4

# Whatever a package lists in __all__ is public, wherever it is defined.
autosummary_generate = True
autosummary_ignore_module_all = False
autosummary_imported_members = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
default_role = "py:obj"
add_module_names = False
toc_object_entries = False

# The site contains everything that its pages need, so that it can also be read from disk.
html_math_renderer = "mathml"
html_theme = "pydata_sphinx_theme"
html_title = "reseat"
html_static_path = ["_static"]
html_context = {"default_mode": "auto"}
html_css_files = ["reseat.css"]
html_copy_source = False
html_use_index = html_domain_indices = False  # the reference pages are the index
html_show_sourcelink = False
html_show_search_summary = False  # it fetches pages, which browsers refuse to do from disk
html_sidebars = {"**": ["contents.html"]}
html_theme_options = {
    "logo": {"text": "reseat"},
    "navbar_center": [],
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "navigation_with_keys": False,
    # The whole tree in the sidebar of hundreds of pages took a quarter of the build time.
    "collapse_navigation": True,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


class Stems(SearchEnglish):
    """A cached stemmer, because most words occur on many pages."""

    stem = cache(SearchEnglish.stem)


def setup(app):
    """Highlight Snakemake rules as Python, and register the faster stemmer."""
    app.add_lexer("snakemake", PythonLexer)
    app.add_search_language(Stems)
