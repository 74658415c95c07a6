"""The templates of the pages."""

from __future__ import annotations

import jinja2

from reseat.report import numbers

__all__ = ["engine"]


def engine() -> jinja2.Environment:
    """An environment that finds the templates and knows how numbers are written."""
    loader = jinja2.PackageLoader("reseat.report")
    made = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    for function in (numbers.number, numbers.count, numbers.size, numbers.duration):
        made.filters[function.__name__] = function
    made.globals["style"] = loader.get_source(made, "style.css")[0]
    made.globals["script"] = loader.get_source(made, "page.js")[0]
    return made
