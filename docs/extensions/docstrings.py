"""numpydoc with a template that is compiled once, and with the parameters of a base class."""

import functools
from pathlib import Path

from jinja2 import FileSystemLoader
from jinja2.sandbox import SandboxedEnvironment
from numpydoc import docscrape, docscrape_sphinx, numpydoc

from reseat.estimators.base import PosteriorClustering


def setup(app):
    """Set up numpydoc, whose template took a tenth of the build time."""
    return numpydoc.setup(app, get_doc_object_=get_doc_object)


def get_doc_object(obj, what=None, doc=None, config=None, builder=None):
    """Return what numpydoc's own function of this name returns."""
    found = docscrape.get_doc_object(
        obj,
        what=what,
        doc=doc,
        config=(config or {}) | {"template": _template()},
        class_doc=docscrape_sphinx.SphinxClassDoc,
        func_doc=docscrape_sphinx.SphinxFunctionDoc,
        obj_doc=docscrape_sphinx.SphinxObjDoc,
    )
    if what == "class":
        found["Parameters"] = [one for own in found["Parameters"] for one in _described(own)]
    return found


def _described(parameter):
    """Return a parameter, or those that a docstring leaves to the base class, with their texts."""
    names = {parameter.name} if not parameter.desc else set()
    if any(PosteriorClustering.__name__ in line for line in parameter.desc):
        names = set(parameter.name.split(", "))
    return [one for one in _of_base() if names & set(one.name.split(", "))] or [parameter]


@functools.cache
def _of_base():
    return docscrape.ClassDoc(PosteriorClustering)["Parameters"]


@functools.cache
def _template():
    folder = Path(docscrape_sphinx.__file__).with_name("templates")
    return SandboxedEnvironment(loader=FileSystemLoader(folder)).get_template(
        "numpydoc_docstring.rst"
    )
