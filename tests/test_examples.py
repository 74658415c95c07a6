"""The examples in the docstrings of the public classes run, and give what they say."""

import doctest
import importlib
import inspect

import pytest

PACKAGES = (
    *("reseat", "reseat.priors", "reseat.likelihoods", "reseat.moves", "reseat.chains"),
    *("reseat.summaries", "reseat.metrics", "reseat.variational", "reseat.baselines"),
    "reseat.estimators",
)


def public_classes():
    """Each class that a package shows, once, under the name of the package that shows it first."""
    found = {}
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if inspect.isclass(thing):
                found.setdefault(thing, f"{package}.{name}")
    return {name: thing for thing, name in found.items()}


CLASSES = public_classes()


@pytest.mark.parametrize("name", CLASSES)
def test_examples_of(name):
    text = inspect.getdoc(CLASSES[name])
    assert "\nExamples\n--------\n" in text, f"{name} has no section Examples"
    examples = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert examples.examples
    report = []
    doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    assert not report, "".join(report)


def test_there_are_classes_to_look_at():
    assert len(CLASSES) > 50
    assert {"reseat.MultinomialMixture", "reseat.moves.SplitMerge"} <= CLASSES.keys()
