"""Scripts of the workflow without Snakemake, and the artefacts of a family."""

import runpy
import signal
from pathlib import Path
from types import SimpleNamespace

from reseat.papers.catalogue import CATALOGUE

SCRIPTS = Path(__file__).resolve().parents[1] / "workflow" / "scripts"


class Named(SimpleNamespace):
    """Files or parameters by name, as Snakemake passes them to a script."""

    def items(self):
        return vars(self).items()


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
