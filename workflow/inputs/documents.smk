# Walker & Ringger 2008: which files the rules of the family need.

DOCUMENTS_RESULTS = f"{RESULTS}/documents"
DOCUMENTS_ROLES = {
    role: list(DOCUMENTS.role(role)) for role in ("newsgroups", "enron", "delicious")
}
DOCUMENTS_EM = [
    model for model in DOCUMENTS.models if DOCUMENTS.section["models"][model]["kind"] == "em"
]


def documents_results(role, models, name="scores.csv"):
    """Files of results of some models on the data sets of a role that they run on."""
    datasets = DOCUMENTS.datasets if role is None else DOCUMENTS_ROLES[role]
    return [
        f"{DOCUMENTS_RESULTS}/{dataset}/{model}/{name}"
        for dataset in datasets
        for model in models
        if DOCUMENTS.runs_on(model, dataset)
    ]


# All models but those that are run only to compare priors.
DOCUMENTS_MODELS = [
    model for model in DOCUMENTS.models if "datasets" not in DOCUMENTS.section["models"][model]
]


def documents_readings(role):
    """Scores of the paper's chains on a data set and on its other readings."""
    names = [*DOCUMENTS_ROLES[role][:1], *DOCUMENTS.readings(role)]
    return [f"{DOCUMENTS_RESULTS}/{name}/gibbs/scores.csv" for name in names]


def documents_corpora(role=None):
    """Processed data sets of a role, or all."""
    datasets = DOCUMENTS.datasets if role is None else DOCUMENTS_ROLES[role]
    return [f"{PROCESSED}/documents/{dataset}.npz" for dataset in datasets]


def documents_blocks(role):
    """Finished jobs of the paper's chains on the data set of a role."""
    return [
        f"{DOCUMENTS_RESULTS}/{dataset}/gibbs/chains/block-{block}"
        for dataset in DOCUMENTS_ROLES[role][:1]
        for block in DOCUMENTS.blocks(dataset, "gibbs")
    ]


def documents_run(role):
    """The paper's chains on the data set of a role."""
    return DOCUMENTS.run(DOCUMENTS_ROLES[role][0], "gibbs")


def documents_block_files(wildcards):
    """The finished jobs of one model on one data set."""
    kind = DOCUMENTS.section["models"][wildcards.model]["kind"]
    name = {"chains": "chains/block-{block}", "em": "restarts/block-{block}.npz"}[kind]
    return expand(
        f"{DOCUMENTS_RESULTS}/{wildcards.dataset}/{wildcards.model}/{name}",
        block=DOCUMENTS.blocks(wildcards.dataset, wildcards.model),
    )


def documents_em_start(wildcards):
    """EM that starts from Gibbs samples takes them from the chains of the same numbers."""
    if DOCUMENTS.section["models"][wildcards.model].get("start") != "gibbs":
        return []
    return f"{DOCUMENTS_RESULTS}/{wildcards.dataset}/gibbs/chains/block-{wildcards.block}"


# What each artefact needs among the paper's data sets; without them it is left out.
DOCUMENTS_NEEDS = {
    "docs_table1": ["delicious"],
    "docs_table2": ["newsgroups"],
    "docs_table3": ["enron"],
    "docs_table4": ["delicious"],
    "docs_table5": ["newsgroups"],
    "docs_table6": ["enron"],
    "docs_table7": ["newsgroups"],
    "docs_extensions": [],
    "docs_readings": ["newsgroups"],
    "docs_fig2": [],
    "docs_fig3": ["enron"],
    "docs_fig4": ["delicious"],
    "documents_claims": ["newsgroups", "enron", "delicious"],
}
DOCUMENTS_MADE = [
    name for name, needs in DOCUMENTS_NEEDS.items() if all(DOCUMENTS_ROLES[role] for role in needs)
]
