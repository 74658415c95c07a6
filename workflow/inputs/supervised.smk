# Daumé & Marcu 2005: which files the rules of the family need.

SUPERVISED_RESULTS = f"{RESULTS}/supervised"


def supervised_runs(wildcards):
    """What the chains of one job depend on, one entry a model."""
    return [run.to_dict() for run in SUPERVISED.batch(wildcards.dataset, int(wildcards.block))]


def supervised_dataset_runs(wildcards):
    """The same of all models that run on a data set."""
    return [run.to_dict() for run in SUPERVISED.runs(wildcards.dataset)]


def supervised_chains(wildcards):
    """Folders of the chains of all models that run on a data set."""
    return expand(
        f"{SUPERVISED_RESULTS}/{wildcards.dataset}/chains/block-{{block}}",
        block=SUPERVISED.batches(wildcards.dataset),
    )


def supervised_report_runs():
    """What ran on each data set, for the report."""
    return [
        {
            "dataset": dataset,
            "model": run.model,
            "n_chains": len(run.chains),
            "n_sweeps": run.schedule.n_sweeps,
            "burn_in": run.schedule.burn_in,
        }
        for dataset in SUPERVISED.datasets
        for run in SUPERVISED.runs(dataset)
    ]
