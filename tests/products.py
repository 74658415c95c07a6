"""Artefacts and verdicts made by the script of the workflow, but without Snakemake."""

import runpy
import signal
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

from reseat.papers.catalogue import CATALOGUE

SCRIPTS = Path(__file__).resolve().parents[1] / "workflow" / "scripts"
PICTURES = ("pdf", "svg", "png")


class Named(SimpleNamespace):
    """Files or parameters by name, as Snakemake passes them to a script."""

    def items(self):
        return vars(self).items()


class Plans(defaultdict):
    """Plans of families as attributes; the plan of a family that is not given is empty."""

    __getattr__ = defaultdict.__getitem__


def run_script(script, given, made, wildcards=None, **params):
    """Run a script, which must write all files in `made`."""
    names = {
        "input": Named(**given),
        "output": Named(**{key: str(path) for key, path in made.items()}),
        "params": Named(**params),
        "wildcards": Named(**(wildcards or {})),
        "threads": 1,
        "log": [str(next(iter(made.values()))) + ".log"],
    }
    handler = signal.getsignal(signal.SIGTERM)
    try:
        runpy.run_path(str(SCRIPTS / script), {"snakemake": SimpleNamespace(**names)})
    finally:
        signal.signal(signal.SIGTERM, handler)
    for path in made.values():
        assert Path(path).stat().st_size > 0, f"{script} did not write {path}"


def artefacts_of(family):
    """Return the artefacts of one family."""
    return [artefact for artefact in CATALOGUE.artefacts.values() if artefact.family == family]


def run_product(name, given, folder, **plans):
    """Make a declared product in a folder from the files `given`; return its paths by name."""
    product, plans = CATALOGUE.products[name], Plans(SimpleNamespace, plans)
    assert given.keys() == product.inputs.keys(), name
    made = {key: folder / Path(path).name for key, path in product.writes.items()}
    if product.draws:
        made |= {ending: folder / f"{name}.{ending}" for ending in PICTURES}
    params = {"recipe": product.recipe(), **product.settings_of(plans)}
    run_script("job.py", given, made, artefact=name, **params)
    return made
