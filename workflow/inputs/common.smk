# Configuration, checked before any job starts.
from dataclasses import asdict

from snakemake.exceptions import WorkflowError

from reseat.datasets import check_available, missing_report, own_data
from reseat.datasets.parsers import parser_modules
from reseat.errors import ReseatError
from reseat.experiments.settled import settle
from reseat.priors import declared_prior

try:
    SETTLED = settle(config, ROOT)
except ReseatError as error:
    raise WorkflowError(str(error)) from None

REGISTRY, DATA, AVAILABLE, PLANS = (
    SETTLED.registry,
    SETTLED.data,
    SETTLED.available,
    SETTLED.plans,
)
DOCUMENTS, RECORDS, DISTANCES, RELATIONAL, SUPERVISED = PLANS


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


def raw_data(source):
    """Parameters for reading raw data, on which the result depends beside its code.

    `source` gives the name in the registry for the wildcards of a job.
    """
    return {
        "registry": REGISTRY_FILE,
        "schema": REGISTRY_SCHEMA,
        "entry": lambda wildcards: asdict(REGISTRY[source(wildcards)]),
        "reaches": lambda wildcards: parser_modules(REGISTRY[source(wildcards)].parser),
        "own": lambda wildcards: own_data(source(wildcards), DATA),
    }


def prior_modules(*runs):
    """Modules that chains reach by the names of their partition priors."""
    names = {run["settings"].get("prior", "dirichlet_process") for run in runs}
    return sorted({declared_prior(name).module for name in names})


def processed(kind, source=lambda wildcards: wildcards.dataset, **others):
    """Parameters of a processed data set, all of which are made by one script.

    `kind` is one of `reseat.datasets.parsers.KINDS` or gives it for the wildcards of a job.  Of
    `others`, `seed` is that of what is drawn, `options` are those of `reseat.datasets.build`, and
    `draws` says how a recipe is drawn from: `n_draws`, `settings`, and the `stream` of the first.
    """
    return {
        **raw_data(source),
        "source": source,
        "kind": kind,
        "seed": 0,
        "options": {},
        "draws": None,
        **others,
    }


def with_card(path):
    """Outputs of a processed data set that is one file: it, and the card beside it."""
    return {"data": path, "card": path.replace(".npz", ".card.json")}


# Each run has folders of its own: nothing that one writes lies where another writes.
SCALE, RUN = config["scale"], SETTLED.run
RESULTS, REPORTS, LOGS = f"results/{RUN}", f"reports/{RUN}", f"logs/{RUN}"
BENCHMARKS, PROCESSED = f"{RESULTS}/benchmarks", f"data/processed/{RUN}"
REGISTRY_FILE = Path(ROOT, "config", "datasets.yaml")
REGISTRY_SCHEMA = Path(ROOT, "workflow", "schemas", "datasets.schema.yaml")
PUBLISHED = f"{ROOT}/config/published"
THREADS = config["chains"]["threads"]


wildcard_constraints:
    dataset="[a-z0-9_]+",
    model="[a-z0-9_]+",
    block="[0-9]+",
