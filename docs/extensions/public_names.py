"""Corrections to what autodoc and numpydoc make of the docstrings of this project."""

import re

LITERAL = re.compile(r"(``.*?``)")


def setup(app):
    """Let this extension see members and docstrings of autodoc before they are parsed."""
    app.connect("autodoc-process-docstring", describe_constant)
    app.connect("autodoc-process-docstring", keep_bars)
    app.connect("autodoc-skip-member", skip_what_is_not_ours)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def describe_constant(app, what, name, thing, options, lines):
    """Replace the docstring of a constant, which is that of its type, by its keys or its value."""
    if what != "data":
        return
    if isinstance(thing, dict):
        text = "A dictionary with the keys " + _listed(thing)
    elif isinstance(thing, tuple):
        text = "A tuple of " + _listed(thing)
    else:
        text = f"The value ``{thing!r}``"
    lines[:] = [f"{text}.", ""]


def _listed(things):
    *first, last = (f"``{thing!r}``" for thing in things)
    return f"{', '.join(first)} and {last}" if first else last


def keep_bars(app, what, name, thing, options, lines):
    """Escape bars, so that |C| is a size and not the name of a substitution."""
    for number, line in enumerate(lines):
        parts = LITERAL.split(line)
        parts[::2] = [part.replace("|", r"\|") for part in parts[::2]]
        lines[number] = "".join(parts)


def skip_what_is_not_ours(app, what, name, thing, skip, options):
    """Leave out members that estimators inherit from scikit-learn, and fields of named tuples."""
    module = getattr(thing, "__module__", None) or "reseat"
    field = (getattr(thing, "__doc__", None) or "").startswith("Alias for field number")
    return True if field or not module.startswith("reseat") else None
