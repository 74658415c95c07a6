"""Artefacts and verdicts made by their own script, outside of Snakemake."""

import runpy
import signal
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

from reseat.experiments.catalogue import CATALOGUE

SCRIPTS = Path(__file__).resolve().parents[1] / "workflow" / "scripts"
PICTURES = ("pdf", "svg", "png")


class Named(SimpleNamespace):
    """Files or parameters by name, as Snakemake hands them to a script."""

    def items(self):
        return vars(self).items()


class Plans(defaultdict):
    """Plans of families; those that are not given can be asked for nothing."""

    __getattr__ = defaultdict.__getitem__


def run_script(script, given, made, **params):
    """Run a script, which must write everything in `made`."""
    names = {
        "input": Named(**given),
        "output": Named(**{key: str(path) for key, path in made.items()}),
        "params": Named(**params),
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
    """Artefacts of one family."""
    return [artefact for artefact in CATALOGUE.artefacts.values() if artefact.family == family]


def run_product(name, given, folder, **plans):
    """Make what is declared by a name from the files `given`, in a folder; paths by name."""
    product, plans = CATALOGUE.products[name], Plans(SimpleNamespace, plans)
    assert given.keys() == product.inputs.keys(), name
    made = {key: folder / Path(path).name for key, path in product.writes.items()}
    if product.draws:
        made |= {ending: folder / f"{name}.{ending}" for ending in PICTURES}
    params = {"recipe": product.recipe(), **product.settings_of(plans)}
    run_script("artefact.py", given, made, artefact=name, **params)
    return made
