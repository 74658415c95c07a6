# Kurihara et al. 2006: which files the rules of the family need.

RELATIONAL_RESULTS = f"{RESULTS}/relational"
TOY = "toy_blocks"


def relational_all_fits(wildcards):
    """What the fits on a data set depend on."""
    return [fit.to_dict() for fit in RELATIONAL.fits(wildcards.dataset)]


def relational_main_fits(wildcards):
    """The paper's settings of both models."""
    return {model: RELATIONAL.main(wildcards.dataset, model).to_dict() for model in ("irm", "firm")}


def relational_frames(part, name, ending="csv"):
    """Results of the data sets of a part of the scale."""
    return [f"{RELATIONAL_RESULTS}/{dataset}/{name}.{ending}" for dataset in RELATIONAL.part(part)]


def relational_type_frames(svo):
    """Results on triples of words, or on the other sets of more than two types."""
    return [
        f"{RELATIONAL_RESULTS}/{dataset}/types.csv"
        for dataset in RELATIONAL.part("types")
        if (RELATIONAL.role(dataset) == "svo") == svo
    ]


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


PUBLISHED_FIRM = [f"{PUBLISHED}/firm_{name}.csv" for name in ("setup", "models", "fig1", "table1")]

# What each artefact needs among the data sets; without it the artefact is left out.
RELATIONAL_NEEDS = {
    "firm_fig1": True,
    **dict.fromkeys(
        (
            *("firm_fig2", "firm_fig3", "firm_fig4", "firm_fig5"),
            *("firm_table1", "firm_coverage", "firm_restarts"),
        ),
        RELATIONAL.part("pairs"),
    ),
    "firm_vb_vs_gibbs": RELATIONAL.part("gibbs"),
    "firm_svo": relational_type_frames(svo=True),
    "firm_kemp": relational_type_frames(svo=False),
    "relational_claims": RELATIONAL.part("pairs") and RELATIONAL.part("gibbs"),
}
RELATIONAL_MADE = [name for name, needs in RELATIONAL_NEEDS.items() if needs]
