"""The template engine of the pages."""

from __future__ import annotations

import re

import jinja2
from markupsafe import Markup, escape

from reseat.report import numbers

__all__ = ["engine"]


def engine() -> jinja2.Environment:
    """Return a Jinja environment with the templates of the report and filters for numbers."""
    loader = jinja2.PackageLoader("reseat.report")
    made = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    for function in (
        *(numbers.number, numbers.count, numbers.size, numbers.duration),
        *(numbers.with_error, numbers.sort_key),
    ):
        made.filters[function.__name__] = function
    made.filters["with_code"] = _with_code
    made.globals["style"] = loader.get_source(made, "style.css")[0]
    made.globals["script"] = loader.get_source(made, "page.js")[0]
    return made


def _with_code(caption: str) -> Markup:
    """Return a caption as HTML, with names between double backquotes marked up as code."""
    return Markup(re.sub(r"``(.+?)``", r"<code>\1</code>", str(escape(" ".join(caption.split())))))
