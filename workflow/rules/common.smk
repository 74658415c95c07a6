# The configuration, checked before any job starts, and functions for the rules of all families.
import os
import re
from copy import deepcopy
from dataclasses import asdict

from snakemake.exceptions import WorkflowError
from snakemake.utils import update_config

from reseat.configuration import MERGED, read_yaml
from reseat.datasets import check_available, missing_report, own_data
from reseat.datasets.counting import stop_list_content
from reseat.datasets.parsers import parser_modules
from reseat.errors import ReseatError
from reseat.papers.run_plan import plan_run
from reseat.priors import declared_prior
from reseat.provenance.changes import other_code

try:
    # Also rejects duplicate keys, which Snakemake accepts.
    READ = {path: read_yaml(path) for path in (*CONFIGURATION, *workflow.configfiles)}
    # For a module with a `config:`, Snakemake skips these files, and it has no other keys.
    GIVEN = deepcopy(config)
    for path in CONFIGURATION:
        update_config(config, READ[path])
    update_config(config, GIVEN)
    RUN_PLAN = plan_run(config, ROOT, probe=workflow.is_main_process)
except ReseatError as error:
    # Snakemake names the user's files first, although it lays them over those of the project.
    own = workflow.overwrite_configfiles
    files = [*(file for file in workflow.configfiles if file not in own), *own]
    if getattr(error.source, "file", "") == MERGED:
        error.source = error.source.in_files(files, config)
    raise WorkflowError(str(error)) from None

REGISTRY, DATA, FAMILIES = RUN_PLAN.registry, RUN_PLAN.data, RUN_PLAN.families

# Each run has its own folders, so that no two runs write to the same place.
SCALE, RUN = config["scale"], RUN_PLAN.run
RESULTS, REPORTS, LOGS = f"results/{RUN}", f"reports/{RUN}", f"logs/{RUN}"
BENCHMARKS, PROCESSED = f"{RESULTS}/benchmarks", f"data/processed/{RUN}"
PUBLISHED = os.path.relpath(f"{ROOT}/config/published")
THREADS = config["chains"]["threads"]

# Whether results are kept even if the code that made them has changed.
KEEP = config["code"] == "keep"


wildcard_constraints:
    dataset="[a-z0-9_]+",
    model="[a-z0-9_]+",
    block="[0-9]+",


def made_by_other_code(wildcards):
    """Return the rules whose kept results were made by other code, which the report names."""
    return other_code(RUN, ["page", "crate"], HOME) if KEEP else {}


# Whether files are stored elsewhere, for jobs on machines that share no disk.
STORED = workflow.storage_settings.default_storage_provider is not None


def home(path):
    """Return the folder, with a slash, in which a file of the run lies as in a project folder.

    It is empty but for a module with a prefix, and for copies of files that are stored elsewhere.
    """
    return re.split(rf"(?:data/processed|logs|reports|results)/{re.escape(RUN)}/", path)[0]


def results_of(plan):
    """Return the folder of the results of a family."""
    return f"{RESULTS}/{plan.family}"


def stored(plan):
    """Return the paths of all processed data sets of a family."""
    return [f"{PROCESSED}/{plan.stored(dataset)}" for dataset in plan.needed]


def require_data(processed, source=lambda wildcards: wildcards.dataset):
    """Return an input function that stops the run, before any job starts, if raw data are missing.

    `processed` is the path of the processed data set, which needs no raw data once it exists, and
    `source` gives the name of its raw data in the registry.
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
    """Return the seconds between checkpoints.

    It takes `output` so that Snakemake does not compare it, and another interval reruns nothing.
    """
    return config["chains"]["checkpoint_seconds"]


def raw_data(source):
    """Return the parameters of a rule that reads the raw data that `source` names."""

    def own(wildcards):
        name = source(wildcards)
        forms = (form for file in REGISTRY[name].files.values() for form in file.forms)
        return own_data(name, DATA, registered={form.sha256 for form in forms})

    return {
        # It takes `output` so that Snakemake does not compare it: the project may be moved.
        "root": lambda wildcards, output: str(ROOT),
        # For the record of the job, which says more about the data than results depend on.
        "entry": lambda wildcards, output: asdict(REGISTRY[source(wildcards)]),
        "made_from": lambda wildcards: REGISTRY[source(wildcards)].content,
        "reaches": lambda wildcards: parser_modules(REGISTRY[source(wildcards)].parser),
        "own": own,
    }


def as_plain(runs):
    """Return runs as plain types, as parameters of a script."""
    return [run.to_dict() for run in runs]


def as_sampled(runs):
    """Return runs as plain types without what is only printed, for scripts that do not print it."""
    return as_plain(run.without_words() for run in runs)


def prior_modules(*runs):
    """Return the modules that chains import by the names of their partition priors."""
    names = {run.settings.get("prior", "dirichlet_process") for run in runs}
    return sorted({declared_prior(name).module for name in names})


def of_runs(runs):
    """Return the parameters of a rule that runs chains; `runs` gives the runs for its wildcards."""
    return {
        "runs": lambda wildcards: as_sampled(runs(wildcards)),
        "reaches": lambda wildcards: prior_modules(*runs(wildcards)),
    }


def of_job(plan):
    """Return the parameters of a rule whose jobs each run some chains, or restarts, of a model."""

    def job(wildcards):
        return plan.job(wildcards.dataset, wildcards.model, int(wildcards.block))

    return {
        "run": lambda wildcards: job(wildcards)["run"],
        "numbers": lambda wildcards: job(wildcards)["numbers"],
    }


def chains_on(plan, dataset):
    """Return the folders of the chains of all models that run on a data set."""
    return [f"{results_of(plan)}/{folder}" for folder in plan.chain_folders(dataset)]


def processed(kind, source=lambda wildcards: wildcards.dataset, **others):
    """Return the parameters of a rule that makes processed data sets by the script data.py.

    Each may be a function of the wildcards: `kind`, one of `reseat.datasets.parsers.KINDS`, and
    `others`, such as how to draw from a recipe, or the content of a stop list.
    """
    return {
        **raw_data(source),
        "source": source,
        "kind": kind,
        "seed": 0,
        "options": {},
        "draws": None,
        "stop_list": {},
        **others,
    }


def with_card(path):
    """Return the outputs of a processed data set in a single file: that file, and its card."""
    return {"data": path, "card": path.replace(".npz", ".card.json")}
