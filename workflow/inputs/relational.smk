# Kurihara et al. 2006: which files the rules of the family need.

RELATIONAL_RESULTS = f"{RESULTS}/relational"
TOY = "toy_blocks"


def relational_all_fits(wildcards):
    """What the fits on a data set depend on."""
    return [fit.to_dict() for fit in RELATIONAL.fits(wildcards.dataset)]


def relational_main_fits(wildcards):
    """The paper's settings of both models."""
    return {model: RELATIONAL.main(wildcards.dataset, model).to_dict() for model in ("irm", "firm")}


def relational_report_runs():
    """What ran on each data set, for the report."""
    found = []
    for dataset in RELATIONAL.part("pairs", "types"):
        fits = RELATIONAL.fits(dataset)
        for model in dict.fromkeys(fit.model for fit in fits):
            mine = [fit for fit in fits if fit.model == model]
            found.append(
                {
                    "dataset": dataset,
                    "model": model,
                    "n_chains": sum(fit.n_restarts for fit in mine),
                    "n_sweeps": mine[0].ascent["max_iter"],
                    "burn_in": 0,
                }
            )
    return found
