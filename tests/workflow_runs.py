"""Runs of Snakemake with the project's own rules, each in a folder of its own."""

import os
import shutil
from copy import deepcopy
from functools import cache
from pathlib import Path

import yaml
from forked import run_snakemake
from snakemake.utils import update_config

import reseat
from reseat.papers.catalogue import CATALOGUE
from reseat.provenance.closure import CACHE

ROOT = Path(__file__).resolve().parent.parent
SNAKEFILE = ROOT / "Snakefile"
ARTEFACTS, PAPERS = CATALOGUE.artefacts, CATALOGUE.papers


def configuration(changes):
    """Return the project's own configuration, updated with changes as Snakemake does it."""
    whole = deepcopy(_unchanged())  # plans convert texts in place
    update_config(whole, changes)
    return whole


@cache
def _unchanged():
    whole = {}
    for name in ("config", *CATALOGUE.families):
        path = ROOT / "config" / f"{name}.yaml"
        update_config(whole, yaml.safe_load(path.read_text(encoding="utf-8")))
    return whole


class KnownSources:
    """What a first run has read of the library's sources, to spare other runs reading them."""

    def __init__(self):
        self._stored = None

    def give(self, folder):
        """Copy it to a folder in which nothing has run yet, if there is room for it."""
        path = Path(folder, CACHE)
        if self._stored and not path.exists():
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(self._stored)
            except OSError:
                path.unlink(missing_ok=True)

    def take(self, folder):
        path = Path(folder, CACHE)
        if path.exists():
            self._stored = path.read_bytes()


KNOWN_SOURCES = KnownSources()


def snakemake(*arguments, folder, check=True, environment=None, snakefile=SNAKEFILE):
    KNOWN_SOURCES.give(folder)
    done = run_snakemake(
        *("--snakefile", snakefile, "--cores", 2, "--workflow-profile", "none"),
        *("--directory", folder, *arguments),
        environment=os.environ | (environment or {}),
    )
    KNOWN_SOURCES.take(folder)
    if check:
        assert done.returncode == 0, done.stdout + done.stderr
    return done


def refused(folder, changes, *targets, scale="demo"):
    """Return what Snakemake says when it refuses changes of the project's configuration."""
    path = folder / "changes.yaml"
    path.write_text(yaml.safe_dump({"scale": scale} | changes))
    done = snakemake(*targets, "--configfile", path, "--dry-run", folder=folder, check=False)
    assert done.returncode != 0
    return " ".join((done.stdout + done.stderr).split())


def copy_workflow(folder):
    """Copy the workflow to an existing folder, where it can be edited."""
    for name in ("Snakefile", "CITATION.cff"):
        shutil.copy(ROOT / name, folder)
    for name in ("config", "workflow"):
        shutil.copytree(ROOT / name, folder / name)


class ChangedLibrary:
    """A copy of the library that Snakemake and its jobs import, whose sources can be changed."""

    def __init__(self, folder):
        self.place = folder / "reseat"
        shutil.copytree(Path(reseat.__file__).parent, self.place)
        self.environment = {"PYTHONPATH": str(folder)}

    def say_otherwise(self, name):
        """Change the docstring of a module, and add a comment."""
        path = self.place / name
        text = path.read_text(encoding="utf-8")
        assert text.startswith('"""')
        path.write_text(f'# A comment.\n"""Said otherwise: {text[3:]}', encoding="utf-8")

    def replace(self, name, before, after):
        """Replace a text in the source of a module."""
        path = self.place / name
        text = path.read_text(encoding="utf-8")
        assert before in text
        path.write_text(text.replace(before, after), encoding="utf-8")

    def add_code(self, name, code="ANOTHER = 1\n"):
        """Add statements to a module, which is created if it does not exist."""
        with open(self.place / name, "a", encoding="utf-8") as file:
            file.write(f"\n{code}")
