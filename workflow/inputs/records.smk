# Zanella et al. 2016: which files the rules of the family need.

RECORDS_RESULTS = f"results/{SCALE}/records"
RECORDS_PRIORS = f"{RECORDS_RESULTS}/priors"


def records_runs(wildcards):
    """What the chains of one model on a data set depend on, one entry a draw."""
    return [run.to_dict() for run in RECORDS.runs(wildcards.dataset, wildcards.model)]


def records_dataset_runs(wildcards):
    """The same of all models that run on a data set."""
    return [
        run.to_dict()
        for model in RECORDS.models(wildcards.dataset)
        for run in RECORDS.runs(wildcards.dataset, model)
    ]


def records_chains(wildcards):
    """Folders of the chains of all models that run on a data set."""
    return [
        f"{RECORDS_RESULTS}/{wildcards.dataset}/{model}/chains"
        for model in RECORDS.models(wildcards.dataset)
    ]


def records_frames(name, *parts):
    """Summaries of the data sets of some parts of the scale."""
    datasets = dict.fromkeys(name for part in parts for name in RECORDS.study(part))
    return [f"{RECORDS_RESULTS}/{dataset}/{name}.csv" for dataset in datasets]
