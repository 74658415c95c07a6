# Configuration, checked before any job starts.
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

from reseat.configuration import validate
from reseat.datasets import Availability, DataSettings, Registry, check_available
from reseat.errors import ReseatError
from reseat.experiments.documents.plan import Plan


def read_schema(name):
    path = Path(workflow.basedir, "workflow", "schemas", f"{name}.schema.yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def read_run():
    """Check the configuration and settle which data sets can be used."""
    validate(dict(config), read_schema("config"), "config")
    validate(config["documents"], read_schema("documents"), "config, documents")
    registry = Registry.load(
        Path(workflow.basedir, "config", "datasets.yaml"),
        Path(workflow.basedir, "workflow", "schemas", "datasets.schema.yaml"),
    )
    settings = DataSettings.from_config(config["data"])
    wanted = Plan.wanted(config["documents"], config["scale"], settings.paths)
    if settings.missing == "stop":
        available = Availability(wanted)  # `require_data` looks when a job needs them
    else:
        available = check_available(registry, wanted, settings, config["documents"]["features"])
    plan = Plan(config["scale"], config["seed"], config["documents"], available.names)
    return registry, settings, available, plan


try:
    REGISTRY, DATA, AVAILABLE, DOCUMENTS = read_run()
except ReseatError as error:
    raise WorkflowError(str(error)) from None


def require_data(processed):
    """Stop before any job starts if raw data are missing that `processed` is to be made from.

    Everything that the run lacks is named at once, not only what this file needs.
    """

    def check(wildcards):
        if not Path(processed.format(**wildcards)).exists():
            try:
                names = DOCUMENTS.datasets
                check_available(REGISTRY, names, DATA, config["documents"]["features"])
            except ReseatError as error:
                raise WorkflowError(str(error)) from None
        return []

    return check


# Used only with --software-deployment-method conda; otherwise jobs run where Snakemake runs.
ENVIRONMENT = f"{workflow.basedir}/environment.yml"
SCALE = config["scale"]
THREADS = config["chains"]["threads"]
RESULTS = f"results/{SCALE}/documents"


wildcard_constraints:
    dataset="[a-z0-9_]+",
    model="[a-z0-9_]+",
    block="[0-9]+",
