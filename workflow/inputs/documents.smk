# Walker & Ringger 2008: which files the rules of the family need.
from reseat.experiments.documents.artefacts import roles_of

DOCUMENTS_RESULTS = f"{RESULTS}/documents"
DOCUMENTS_ROLES = roles_of(DOCUMENTS)


def documents_results(name):
    """Files of results of all models on all data sets that they run on."""
    return [
        f"{DOCUMENTS_RESULTS}/{dataset}/{model}/{name}"
        for dataset in DOCUMENTS.datasets
        for model in DOCUMENTS.models
        if DOCUMENTS.runs_on(model, dataset)
    ]


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
