# Vogt et al. 2010: which files the rules of the family need.
from reseat.experiments.distances.artefacts import sequence_sets

DISTANCES_RESULTS = f"{RESULTS}/distances"
SEQUENCES = sequence_sets(DISTANCES)


def distances_draws(wildcards):
    """How a set of points is drawn."""
    return {
        "n_draws": config["distances"]["points"][wildcards.dataset]["n_draws"],
        "settings": {},
        "stream": [config["seed"], DISTANCES.family, wildcards.dataset],
    }


def distances_aligned(wildcards):
    """Sequences and the scores of their alignments, of a data set that is made from them."""
    if wildcards.dataset not in SEQUENCES:
        return {}
    path = f"{PROCESSED}/sequences/{wildcards.dataset}"
    return {"sequences": f"{path}.npz", "scores": f"{path}.scores.npy"}


def distances_runs(wildcards):
    """What the chains on a data set depend on, one entry a model and draw."""
    return [run.to_dict() for run in DISTANCES.runs(wildcards.dataset)]


def distances_main_run(wildcards):
    """The run of the paper's model on the first draw of a data set."""
    return next(
        run.to_dict()
        for run in DISTANCES.runs(wildcards.dataset)
        if run.model == "tiwd" and run.draw == 0
    )


def distances_report_runs():
    """What ran on each data set, for the report; all draws are taken together."""
    found = []
    for dataset in DISTANCES.datasets:
        runs = DISTANCES.runs(dataset)
        for model in dict.fromkeys(run.model for run in runs):
            mine = [run for run in runs if run.model == model]
            found.append(
                {
                    "dataset": dataset,
                    "model": model,
                    "n_chains": sum(len(run.chains) for run in mine),
                    "n_sweeps": mine[0].schedule.n_sweeps,
                    "burn_in": mine[0].schedule.burn_in,
                }
            )
    return found
