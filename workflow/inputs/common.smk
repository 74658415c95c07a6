# Configuration, checked before any job starts.
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError

from reseat.configuration import validate
from reseat.datasets import (
    Availability,
    DataSettings,
    Registry,
    check_available,
    missing_report,
)
from reseat.errors import ReseatError
from reseat.experiments.distances.plan import Plan as DistancesPlan
from reseat.experiments.documents.plan import Plan as DocumentsPlan
from reseat.experiments.records.plan import Plan as RecordsPlan
from reseat.experiments.relational.plan import Plan as RelationalPlan
from reseat.experiments.supervised.plan import Plan as SupervisedPlan

FAMILIES = ("documents", "records", "distances", "relational", "supervised")


def read_schema(name):
    path = Path(workflow.basedir, "workflow", "schemas", f"{name}.schema.yaml")
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def read_run():
    """Check the configuration and settle which data sets can be used."""
    validate(dict(config), read_schema("config"), "config")
    for family in FAMILIES:
        validate(config[family], read_schema(family), f"config, {family}")
    registry = Registry.load(
        Path(workflow.basedir, "config", "datasets.yaml"),
        Path(workflow.basedir, "workflow", "schemas", "datasets.schema.yaml"),
    )
    settings = DataSettings.from_config(config["data"])
    scale, seed = config["scale"], config["seed"]
    wanted = (
        *DocumentsPlan.wanted(config["documents"], scale, settings.paths),
        *RecordsPlan.wanted(config["records"], scale),
        *DistancesPlan.wanted(config["distances"], scale),
        *RelationalPlan.wanted(config["relational"], scale),
        *SupervisedPlan.wanted(config["supervised"], scale),
    )
    if settings.missing == "stop":
        available = Availability(wanted)  # `require_data` looks when a job needs them
    else:
        available = check_available(registry, wanted, settings, config["documents"]["features"])
    of = {
        family: tuple(name for name in available.names if registry[name].family == family)
        for family in FAMILIES
    }
    plans = (
        DocumentsPlan(scale, seed, config["documents"], of["documents"]),
        RecordsPlan(scale, seed, config["records"], of["records"], available.replaced),
        DistancesPlan(scale, seed, config["distances"], of["distances"], available.replaced),
        RelationalPlan(scale, seed, config["relational"], of["relational"], available.replaced),
        SupervisedPlan(scale, seed, config["supervised"], of["supervised"], available.replaced),
    )
    return registry, settings, available, *plans


try:
    REGISTRY, DATA, AVAILABLE, *PLANS = read_run()
    DOCUMENTS, RECORDS, DISTANCES, RELATIONAL, SUPERVISED = PLANS
except ReseatError as error:
    raise WorkflowError(str(error)) from None


def require_data(processed, names):
    """Stop before any job starts if raw data of a family, `names`, are missing.

    Everything that the run lacks is then told at once, also of other families.
    """

    def check(wildcards):
        if not Path(processed.format(**wildcards)).exists():
            features = config["documents"]["features"]
            if missing_report(REGISTRY, names, DATA, features):
                try:
                    others = (name for plan in PLANS[1:] for name in plan.sources)
                    wanted = [*DOCUMENTS.datasets, *others]
                    check_available(REGISTRY, wanted, DATA, features)
                except ReseatError as error:
                    raise WorkflowError(str(error)) from None
        return []

    return check


def table_output(name, paper, caption="table"):
    return report(
        f"reports/tables/{name}.csv",
        caption=f"../report/{caption}.rst",
        category=paper,
        labels={"artefact": name, "kind": "table"},
    )


def figure_outputs(name, caption, paper):
    return {
        "table": f"reports/tables/{name}.csv",
        "pdf": f"reports/figures/{name}.pdf",
        "svg": report(
            f"reports/figures/{name}.svg",
            caption=f"../report/{caption}.rst",
            category=paper,
            labels={"artefact": name, "kind": "figure"},
        ),
        "png": f"reports/figures/{name}.png",
    }


# Used only with --software-deployment-method conda; otherwise jobs run where Snakemake runs.
ENVIRONMENT = f"{workflow.basedir}/environment.yml"
SCALE = config["scale"]
REGISTRY_FILE = Path(workflow.basedir, "config", "datasets.yaml")
REGISTRY_SCHEMA = Path(workflow.basedir, "workflow", "schemas", "datasets.schema.yaml")
PUBLISHED = f"{workflow.basedir}/config/published"
THREADS = config["chains"]["threads"]


WALKER_RINGGER = "Walker & Ringger 2008"
ZANELLA = "Zanella et al. 2016"
VOGT = "Vogt et al. 2010"
KURIHARA = "Kurihara et al. 2006"
DAUME_MARCU = "Daumé & Marcu 2005"


wildcard_constraints:
    dataset="[a-z0-9_]+",
    model="[a-z0-9_]+",
    block="[0-9]+",
