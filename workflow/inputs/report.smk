# What the report is made of.

from reseat.provenance.reruns import other_code

PAGES = ["index", "data", "diagnostics", "timings", *CATALOGUE.papers]

# Data sets of all families, whose chains are looked at.
REPORTED = [name for plan in PLANS for name in plan.datasets] + list(RECORDS.needed)


def chains_of_all_families():
    """Folders of the chains, and of the fits whose restarts are compared, of all families."""
    found = [
        f"{DOCUMENTS_RESULTS}/{dataset}/{model}/chains/block-{block}"
        for dataset in DOCUMENTS.datasets
        for model in DOCUMENTS.models
        if DOCUMENTS.runs_on(model, dataset)
        and DOCUMENTS.section["models"][model]["kind"] == "chains"
        for block in DOCUMENTS.blocks(dataset, model)
    ]
    for plan, results in ((RECORDS, RECORDS_RESULTS), (SUPERVISED, SUPERVISED_RESULTS)):
        found += [
            f"{results}/{dataset}/chains/block-{block}"
            for dataset in plan.datasets
            for block in plan.batches(dataset)
        ]
    found += [f"{DISTANCES_RESULTS}/{dataset}/chains" for dataset in DISTANCES.datasets]
    relational = {"fits": RELATIONAL.datasets, "gibbs": RELATIONAL.part("gibbs")}
    return found + [
        f"{RELATIONAL_RESULTS}/{dataset}/{name}"
        for name, datasets in relational.items()
        for dataset in datasets
    ]


# Whether results are left as they are when the code that made them has changed.
KEEP = config["code"] == "keep"


def made_by_other_code(wildcards):
    """Rules whose results were made by other code; the report is made anew to say so."""
    return other_code(RUN, ["page", "crate"]) if KEEP else {}
