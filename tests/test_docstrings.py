"""Docstrings: numpydoc for the names that the reference shows, a paragraph for all others."""

import doctest
import importlib
import inspect
import pkgutil
import re

import pytest
from places import ROOT

import reseat

SOURCE = ROOT / "src" / "reseat"
#: Packages, modules and single classes that the reference lists.
LISTED = re.findall(
    r"^   (reseat[\w.]*)$",
    (ROOT / "docs" / "reference" / "names.md").read_text(encoding="utf-8"),
    re.M,
)
SECTION = re.compile(
    r"^( +)(?:Parameters|Returns|Yields|Raises|Warns|Attributes|Notes|References|Examples)"
    r"\n\1-{3,}$",
    re.M,
)
OWNER = re.compile(r"^( *)(?:async )?(?:c?p?def |class )[^\n=(:]*?(\w+)\s*[(:]", re.M)


def exported():
    """Return what the reference shows, each once, by its first name there."""
    found = {}
    for name in LISTED:
        thing = pkgutil.resolve_name(name)
        below = getattr(thing, "__all__", ()) if inspect.ismodule(thing) else ()
        for each in below or [""]:
            shown = getattr(thing, each) if each else thing
            if inspect.isclass(shown) or inspect.isroutine(shown):
                found.setdefault(shown, f"{name}.{each}".rstrip("."))
    return {name: thing for thing, name in found.items()}


EXPORTED = exported()
CLASSES = {name: thing for name, thing in EXPORTED.items() if inspect.isclass(thing)}
FUNCTIONS = {name: thing for name, thing in EXPORTED.items() if inspect.isfunction(thing)}


def where(thing, member=""):
    return f"{thing.__module__}.{thing.__qualname__}{member}"


def shown_names():
    """Return where everything that the reference shows is defined, with members of classes."""
    names = {where(thing) for thing in EXPORTED.values()}
    bases = {base for thing in CLASSES.values() for base in thing.__mro__}
    return names | {
        where(base, f".{name}") for base in bases for name in vars(base) if name[0] != "_"
    }


def with_sections():
    """Yield the file and the name of each docstring in the project with a numpydoc section."""
    for folder in ("src", "tools", "docs", "benchmarks", "data", "tests", "workflow"):
        for path in sorted(p for p in (ROOT / folder).rglob("*.p*") if p.suffix in PYTHON):
            text = path.read_text(encoding="utf-8")
            owners = [(found.start(), len(found[1]), found[2]) for found in OWNER.finditer(text)]
            for section in SECTION.finditer(text):
                names, depth = [], len(section[1])
                for start, indent, name in reversed(owners):
                    if start < section.start() and indent < depth:
                        names, depth = [name, *names], indent
                yield path, ".".join(names)


PYTHON = (".py", ".pyx", ".pxd")


def test_only_shown_names_have_numpydoc_sections():
    """For all others, the signature and a paragraph are enough."""
    shown, seen, long = shown_names(), set(), []
    for path, name in with_sections():
        parts = path.relative_to(ROOT).with_suffix("").parts
        full = ".".join((*parts[parts[0] == "src" :], name))
        if full in shown:
            seen.add(full)
        else:
            long.append(f"{path.relative_to(ROOT)}: {name}")
    assert len(seen) > 200
    assert not long, "\n".join(dict.fromkeys(long))


def test_shown_functions_say_what_their_parameters_are():
    """They do so in a section, or by referring to another function."""
    assert len(CLASSES) > 50
    assert {"reseat.MultinomialMixture", "reseat.moves.SplitMerge"} <= CLASSES.keys()
    with_parameters = [n for n in FUNCTIONS if inspect.signature(FUNCTIONS[n]).parameters]
    silent = [
        name
        for name in with_parameters
        if not re.search(r"Parameters\n-+\n|As for `", inspect.getdoc(FUNCTIONS[name]))
    ]
    assert len(with_parameters) > 60
    assert not silent, "\n".join(silent)


def modules():
    """Yield all modules but the one that Cython adds."""
    for found in pkgutil.walk_packages(reseat.__path__, "reseat."):
        if found.name != "reseat._cyutility":
            yield importlib.import_module(found.name)


def public_members(thing, owner):
    for name, value in vars(thing).items():
        if name.startswith("_"):
            continue
        value = getattr(value, "__func__", value)  # class methods and static methods
        if inspect.ismodule(thing) and getattr(value, "__module__", None) != owner:
            continue
        if inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, property):
            yield name, value


def test_every_module_and_public_name_is_documented():
    assert inspect.getdoc(reseat)
    silent, n_seen = [], 0
    for module in modules():
        if not inspect.getdoc(module):
            silent.append(module.__name__)
        for name, value in public_members(module, module.__name__):
            n_seen += 1
            if not inspect.getdoc(value):
                silent.append(f"{module.__name__}.{name}")
            if inspect.isclass(value):
                for member, _ in public_members(value, module.__name__):
                    n_seen += 1
                    # getdoc of the attribute also finds the docstring of a base class
                    if not inspect.getdoc(getattr(value, member)):
                        silent.append(f"{module.__name__}.{name}.{member}")
    assert n_seen > 200
    assert not silent, "\n".join(silent)


# ---- examples ----------------------------------------------------------------------------


def run_examples(name, thing):
    """Return a report of the examples in a docstring that fail, or an empty string."""
    examples = doctest.DocTestParser().get_doctest(
        inspect.getdoc(thing), {thing.__name__: thing}, name, None, 0
    )
    assert examples.examples
    report = []
    doctest.DocTestRunner(verbose=False).run(examples, out=report.append)
    return "".join(report)


@pytest.mark.parametrize("name", [name for name in CLASSES if name not in LISTED])
def test_examples_of_a_class(name):
    assert "\nExamples\n--------\n" in inspect.getdoc(CLASSES[name])
    assert run_examples(name, CLASSES[name]) == ""


@pytest.mark.parametrize("name", [n for n in FUNCTIONS if ">>>" in (FUNCTIONS[n].__doc__ or "")])
def test_examples_of_a_function(name):
    assert run_examples(name, FUNCTIONS[name]) == ""
