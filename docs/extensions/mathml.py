"""Formulas as MathML, which browsers draw by themselves, without loading a script or a font."""

import re

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

logger = logging.getLogger(__name__)


def setup(app):
    """Register the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def visit_inline(writer, node):
    """Write a formula within a line of text."""
    writer.body.append(_written(node, as_block=False))
    raise nodes.SkipNode


def visit_display(writer, node):
    """Write a displayed formula; a wide one scrolls inside its box."""
    writer.body.append(f'<div class="formula" tabindex="0">{_written(node, as_block=True)}</div>')
    raise nodes.SkipNode


def _written(node, as_block):
    # Without a space, the logarithm would touch its argument.
    tex = re.sub(r"\\log\s+(?!\()", r"\\log\\,", node.astext().strip())
    try:
        return tex2mathml(tex, as_block=as_block)
    except MathError as error:
        logger.warning("%s in the formula %s", error, node.astext(), location=node)
        return ""
