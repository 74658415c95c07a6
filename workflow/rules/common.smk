# Configuration, checked before any job starts, and what rules of all families use.
import os
from dataclasses import asdict

from snakemake.exceptions import WorkflowError

from reseat.configuration import read_yaml
from reseat.datasets import check_available, missing_report, own_data
from reseat.datasets.parsers import parser_modules
from reseat.errors import ReseatError
from reseat.experiments.run_plan import plan_run
from reseat.priors import declared_prior
from reseat.provenance.reruns import other_code

try:
    for path in workflow.configfiles:
        read_yaml(path)  # refuses a key that is written twice, which Snakemake does not
    RUN_PLAN = plan_run(config, ROOT, probe=workflow.is_main_process, remember=not DRY_RUN)
except ReseatError as error:
    raise WorkflowError(str(error)) from None

REGISTRY, DATA, FAMILIES = RUN_PLAN.registry, RUN_PLAN.data, RUN_PLAN.families

# Each run has folders of its own: nothing that one writes lies where another writes.
SCALE, RUN = config["scale"], RUN_PLAN.run
RESULTS, REPORTS, LOGS = f"results/{RUN}", f"reports/{RUN}", f"logs/{RUN}"
BENCHMARKS, PROCESSED = f"{RESULTS}/benchmarks", f"data/processed/{RUN}"
PUBLISHED = os.path.relpath(f"{ROOT}/config/published")
THREADS = config["chains"]["threads"]

# Whether results are left as they are when the code that made them has changed.
KEEP = config["code"] == "keep"


wildcard_constraints:
    dataset="[a-z0-9_]+",
    model="[a-z0-9_]+",
    block="[0-9]+",


def made_by_other_code(wildcards):
    """Rules whose results were made by other code; the report is made anew to say so."""
    return other_code(RUN, ["page", "crate"]) if KEEP else {}


def results_of(plan):
    """Folder of the results of a family."""
    return f"{RESULTS}/{plan.family}"


def stored(plan):
    """Every processed data set of a family."""
    return [f"{PROCESSED}/{plan.stored(dataset)}" for dataset in plan.needed]


def require_data(processed, source=lambda wildcards: wildcards.dataset):
    """Stop before any job starts if the raw data of one that is needed are missing.

    `source` gives their name in the registry. Everything that the configuration asks for and that
    is missing is then told at once, also of other families.
    """

    def check(wildcards):
        if not Path(processed.format(**wildcards)).exists():
            features = config["documents"]["features"]
            try:
                if missing_report(REGISTRY, [source(wildcards)], DATA, features):
                    check_available(REGISTRY, RUN_PLAN.wanted, DATA, features)
            except ReseatError as error:
                raise WorkflowError(str(error)) from None
        return []

    return check


def checkpoint_seconds(wildcards, output):
    """Seconds between checkpoints; of `output`, so that another number makes nothing anew."""
    return config["chains"]["checkpoint_seconds"]


def raw_data(source):
    """Parameters for reading raw data, on which the result depends beside its code.

    `source` gives the name in the registry for the wildcards of a job.
    """
    return {
        # Of `output`, so that Snakemake does not compare it: results may move with the project.
        "root": lambda wildcards, output: str(ROOT),
        # For the record, which tells more of the data than they depend on.
        "entry": lambda wildcards, output: asdict(REGISTRY[source(wildcards)]),
        "made_from": lambda wildcards: REGISTRY[source(wildcards)].content,
        "reaches": lambda wildcards: parser_modules(REGISTRY[source(wildcards)].parser),
        "own": lambda wildcards: own_data(source(wildcards), DATA),
    }


def as_plain(runs):
    """Runs as parameters of a script."""
    return [run.to_dict() for run in runs]


def as_sampled(runs):
    """The same of a script whose results do not depend on what is only printed."""
    return as_plain(run.without_words() for run in runs)


def prior_modules(*runs):
    """Modules that chains reach by the names of their partition priors."""
    names = {run.settings.get("prior", "dirichlet_process") for run in runs}
    return sorted({declared_prior(name).module for name in names})


def of_runs(runs):
    """Parameters of a job that runs chains: `runs` gives them for its wildcards."""
    return {
        "runs": lambda wildcards: as_sampled(runs(wildcards)),
        "reaches": lambda wildcards: prior_modules(*runs(wildcards)),
    }


def of_job(plan):
    """Parameters of a job that runs some of the chains, or of the restarts, of a model."""

    def job(wildcards):
        return plan.job(wildcards.dataset, wildcards.model, int(wildcards.block))

    return {
        "run": lambda wildcards: job(wildcards)["run"],
        "numbers": lambda wildcards: job(wildcards)["numbers"],
    }


def chains_on(plan, dataset):
    """Folders of the chains of all models that run on a data set."""
    return [f"{results_of(plan)}/{folder}" for folder in plan.chain_folders(dataset)]


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
