# Inputs, outputs and parameters of the rules for studies, artefacts and verdicts, from the
# declarations in src/reseat/papers/*/paper.py.
from reseat.papers.declare import Artefact
from reseat.papers.run_plan import shortfall, shortfall_table

DECLARED = CATALOGUE.jobs | CATALOGUE.products
MAKEABLE = {name for name, product in DECLARED.items() if product.can_be_made(FAMILIES)}


# Which artefacts are left out, or made only in part, because data are missing.
MISSING = shortfall(RUN_PLAN, CATALOGUE.products)


# Artefacts that are named on the command line, and whether what is asked for lacks any data.
ASKED = [name for name in sys.argv[1:] if name in CATALOGUE.products]
LABELS = "labels" in sys.argv[1:]
LACKING = RUN_PLAN.available.missing and (
    not MISSING.in_part.keys().isdisjoint(ASKED) if ASKED or LABELS else True
)


def missing_table():
    """Return the table of missing data after a blank line, or an empty string if none are."""
    if not RUN_PLAN.available.missing:
        return ""
    return f"\n\n{shortfall_table(RUN_PLAN, CATALOGUE.products)}"


def places(family):
    """Return the values of the placeholders for folders in the paths that a family declares."""
    return {
        "results": f"{RESULTS}/{family}",
        "processed": PROCESSED,
        "tables": f"{REPORTS}/tables",
        "published": PUBLISHED,
    }


def in_place(path):
    """Return a path as Snakemake must take it: published numbers are not among the results."""
    return local(path) if path.startswith(f"{PUBLISHED}/") else path


def product_inputs(product):
    """Return the input files of a product, or a function that raises an error if it lacks data."""
    if product.name in MAKEABLE:
        try:
            found = product.files(FAMILIES, places)
            return {name: list(map(in_place, paths)) for name, paths in found.items()}
        except ReseatError as error:
            raise WorkflowError(f"{product.name}: {error}") from None

    def refuse(wildcards):
        raise WorkflowError(
            f"{product.name} cannot be made: this run lacks data sets that it needs. Add them to "
            f"config/{product.family}.yaml, or see data.missing in config/config.yaml.{missing_table()}"
        )

    return {"missing": refuse}


def product_outputs(product):
    """Return the files that a product writes; one appears with a caption in Snakemake's report."""
    name, found = product.name, product.outputs(places)
    if product.draws:
        found |= {ending: f"{REPORTS}/figures/{name}.{ending}" for ending in ("pdf", "svg", "png")}
    if isinstance(product, Artefact):
        shown, kind = ("svg", "figure") if product.draws else ("table", "table")
        found[shown] = report(
            found[shown],
            caption="../report/artefact.rst",
            category=product.paper.short,
            labels={"artefact": name, "kind": kind},
        )
    return found


def job_params(product):
    """Return what the job of a product does, and the modules that it imports by name."""
    found, runs = {}, ()
    if product.name in MAKEABLE:
        found = product.settings_of(FAMILIES)
        runs = product.samples(FAMILIES[product.family])
    reaches = (*product.modules, *prior_modules(*runs))
    return found | {"recipe": product.recipe(), "reaches": reaches}


def product_params(product):
    """Return the same for a table, a figure or verdicts, with its name and caption."""
    found = job_params(product) | {"artefact": product.name}
    if isinstance(product, Artefact):
        # Parameters computed from outputs are not compared with those of an earlier run, so that a
        # new wording reruns nothing.
        found["caption"] = lambda wildcards, output: product.caption
    return found


# One rule for each study of all papers, and one for each table, figure and set of verdicts, whose
# name is that of the target. They are declared in src/reseat/papers/*/paper.py.

for study in CATALOGUE.jobs.values():

    rule:
        name:
            study.name
        input:
            **product_inputs(study),
        output:
            **product_outputs(study),
        log:
            f"{LOGS}/{study.family}/{study.log}.log",
        benchmark:
            f"{BENCHMARKS}/{study.family}/{study.log}.tsv"
        group:
            f"{study.family}_{study.group}" if study.group else None
        threads: THREADS if study.parallel else 1
        resources:
            mem_mb=per_attempt(study.memory),
            runtime=per_attempt(study.minutes),
        params:
            **job_params(study),
        script:
            "../scripts/job.py"


for product in CATALOGUE.products.values():

    rule:
        name:
            product.name
        input:
            **product_inputs(product),
        output:
            **product_outputs(product),
        log:
            f"{LOGS}/{product.family}/{product.log}.log",
        group:
            f"{product.family}_artefacts"
        params:
            **product_params(product),
        script:
            "../scripts/job.py"


# For each family, a target with its name that makes all of its tables, figures and verdicts.
FAMILY_OUTPUTS = []
for family in FAMILIES:
    family_outputs = [
        path
        for name, product in CATALOGUE.products.items()
        if name in MAKEABLE and product.family == family
        for path in getattr(rules, name).output
    ]
    FAMILY_OUTPUTS += family_outputs

    rule:
        name:
            family
        input:
            family_outputs,
        localrule: True
