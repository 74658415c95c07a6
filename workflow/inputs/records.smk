# Zanella et al. 2016: which files the rules of the family need.

RECORDS_RESULTS = f"{RESULTS}/records"
RECORDS_PRIORS = f"{RECORDS_RESULTS}/priors"


def records_draws(wildcards):
    """How a cell is drawn from its recipe; None for real records."""
    source, delta = RECORDS.source(wildcards.dataset), RECORDS.delta(wildcards.dataset)
    if delta is None:
        return None
    return {
        "n_draws": config["records"]["n_draws"],
        "settings": {"delta": delta},
        "stream": [config["seed"], RECORDS.family, source, delta],
    }


def records_runs(wildcards):
    """What the chains of one job depend on, one entry a model and draw."""
    return [run.to_dict() for run in RECORDS.batch(wildcards.dataset, int(wildcards.block))]


def records_dataset_runs(wildcards):
    """The same of all models that run on a data set."""
    return [
        run.to_dict()
        for number in RECORDS.batches(wildcards.dataset)
        for run in RECORDS.batch(wildcards.dataset, number)
    ]


def records_chains(wildcards):
    """Folders of the chains of all models that run on a data set."""
    return expand(
        f"{RECORDS_RESULTS}/{wildcards.dataset}/chains/block-{{block}}",
        block=RECORDS.batches(wildcards.dataset),
    )


def records_moves_data(_wildcards):
    """The records on which the moves are compared."""
    return f"{PROCESSED}/records/{RECORDS.moves_dataset}"


def records_report_runs():
    """What ran on each data set, for the report; draws of one recipe are taken together."""
    found = []
    for dataset in RECORDS.datasets:
        for model in RECORDS.models(dataset):
            runs = RECORDS.runs(dataset, model)
            n_chains = sum(len(run.chains) for run in runs)
            sweeps = sum(len(run.chains) * run.schedule.n_sweeps for run in runs)
            found.append(
                {
                    "dataset": dataset,
                    "model": model,
                    "n_chains": n_chains,
                    "n_sweeps": round(sweeps / n_chains),
                    "burn_in": runs[0].schedule.burn_in,
                }
            )
    return found
