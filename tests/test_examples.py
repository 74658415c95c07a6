"""The examples in the docstrings of the public classes run, and give what they say."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

PACKAGES = (
    *("reseat", "reseat.priors", "reseat.likelihoods", "reseat.moves", "reseat.chains"),
    *("reseat.summaries", "reseat.metrics", "reseat.variational", "reseat.baselines"),
    *("reseat.estimators", "reseat.datasets", "reseat.dissimilarities"),
)


def public_classes():
    """Return each public class once, by its name in the first package that exports it."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if inspect.isclass(thing):
                found.setdefault(thing, f"{package}.{name}")
    return {name: thing for thing, name in found.items()}


CLASSES = public_classes()


@pytest.mark.parametrize("name", CLASSES)
def test_examples_of(name):
    text = inspect.getdoc(CLASSES[name])
    assert "\nExamples\n--------\n" in text, f"{name} has no section Examples"
    assert run_examples(text, name) == ""


def run_examples(text, name):
    """Return a report of the examples in a docstring that fail, or an empty string."""
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert examples.examples
    report = []
    doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    return "".join(report)


def functions_of_models():
    """Return the functions of the modules of `reseat.models` that have examples."""
    found = {}
    package = importlib.import_module("reseat.models")
    for found_module in pkgutil.walk_packages(package.__path__, "reseat.models."):
        module = importlib.import_module(found_module.name)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if inspect.isfunction(thing) and ">>>" in (thing.__doc__ or ""):
                found[f"{module.__name__}.{name}"] = thing
    return found


FUNCTIONS = functions_of_models()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_examples_of_a_function_of(name):
    assert run_examples(inspect.getdoc(FUNCTIONS[name]), name) == ""


def test_there_are_classes_to_look_at():
    assert len(CLASSES) > 50 and len(FUNCTIONS) > 3
    assert {"reseat.MultinomialMixture", "reseat.moves.SplitMerge"} <= CLASSES.keys()
