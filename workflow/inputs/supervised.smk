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


def supervised_frames(name, *roles):
    """Results of the data sets of some roles, of all if none is named."""
    return [
        f"{SUPERVISED_RESULTS}/{dataset}/{name}.csv"
        for dataset in SUPERVISED.datasets
        if not roles or SUPERVISED.role(dataset) in roles
    ]


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


SUPERVISED_ROLES = {SUPERVISED.role(dataset) for dataset in SUPERVISED.datasets}

PUBLISHED_SCDP = [
    f"{PUBLISHED}/scdp_{name}.csv"
    for name in ("setup", "table1", "table2", "table3", "table4", "table5")
]

# What each artefact needs among the data sets; without it the artefact is left out.
SUPERVISED_NEEDS = {
    "scdp_table1": "digits" in SUPERVISED_ROLES,
    "scdp_table2": "identity" in SUPERVISED_ROLES,
    "scdp_table3": "coref" in SUPERVISED_ROLES,
    "scdp_table4": "refmatch" in SUPERVISED_ROLES,
    "scdp_table5": SUPERVISED_ROLES,
    "scdp_fig3": SUPERVISED_ROLES,
    "scdp_contradictions": True,
    "scdp_readings": SUPERVISED_ROLES,
    "scdp_times": SUPERVISED_ROLES,
    "scdp_moves": SUPERVISED_ROLES,
    "scdp_check": True,
    "supervised_claims": SUPERVISED_ROLES,
}
SUPERVISED_MADE = [name for name, needs in SUPERVISED_NEEDS.items() if needs]
