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


def records_frames(name, *parts):
    """Summaries of the data sets of some parts of the scale."""
    return [f"{RECORDS_RESULTS}/{dataset}/{name}.csv" for dataset in RECORDS.study(*parts)]


def records_moves_data(_wildcards):
    """The records on which the moves are compared."""
    return f"{PROCESSED}/records/{RECORDS.moves_dataset}"


# Documents that every prior has been run on.
CROSS_MODELS = ["gibbs", "gibbs_dp", "gibbs_pyp", "gibbs_nbnb", "gibbs_nbd"]
CROSS_DOCUMENTS = [
    dataset
    for dataset in DOCUMENTS.datasets
    if set(CROSS_MODELS) <= set(DOCUMENTS.models)
    and all(DOCUMENTS.runs_on(model, dataset) for model in CROSS_MODELS)
]


def cross_scores():
    """Scores of every prior on those documents."""
    return [
        f"{DOCUMENTS_RESULTS}/{dataset}/{model}/scores.csv"
        for dataset in CROSS_DOCUMENTS
        for model in CROSS_MODELS
    ]


def cross_corpora():
    """Those documents."""
    return [f"{PROCESSED}/documents/{dataset}.npz" for dataset in CROSS_DOCUMENTS]


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


PUBLISHED_MICRO = [f"{PUBLISHED}/micro_{name}.csv" for name in ("table1", "fig1", "fig2", "fig3")]

# What each artefact needs among the data sets; without it the artefact is left out.
RECORDS_NEEDS = {
    "micro_table1": RECORDS.study("table1"),
    "micro_fig1": True,
    "micro_fig2": RECORDS.study("table1"),
    "micro_fig3": [name for name in RECORDS.study("table1") if "syria" in RECORDS.role(name)],
    "micro_thm1": True,
    "micro_chaperones": RECORDS.moves_dataset,
    "micro_prior_check": True,
    "micro_real": RECORDS.study("real"),
    "micro_readings": RECORDS.study("readings"),
    "cross_priors": RECORDS.study("readings") or RECORDS.study("real"),
    "records_claims": RECORDS.study("table1") and RECORDS.moves_dataset,
}
RECORDS_MADE = [name for name, needs in RECORDS_NEEDS.items() if needs]
