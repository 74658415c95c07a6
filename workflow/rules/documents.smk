# Walker & Ringger 2008: chains, restarts, scores, tables and figures.


def documents_block_files(wildcards):
    """The finished jobs of one model on one data set."""
    kind = DOCUMENTS.section["models"][wildcards.model]["kind"]
    name = {"chains": "chains/block-{block}", "em": "restarts/block-{block}.npz"}[kind]
    return expand(
        f"{RESULTS}/{wildcards.dataset}/{wildcards.model}/{name}",
        block=DOCUMENTS.blocks(wildcards.model),
    )


rule documents_chains:
    # The chains of one job, side by side in threads; resumed if it was interrupted.
    input:
        corpus="data/processed/documents/{dataset}.npz",
    output:
        chains=directory(f"{RESULTS}/{{dataset}}/{{model}}/chains/block-{{block}}"),
    params:
        run=lambda wildcards: DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict(),
        numbers=lambda wildcards: DOCUMENTS.chains_of(wildcards.model, int(wildcards.block)),
        scratch=f"{RESULTS}/{{dataset}}/{{model}}/unfinished/block-{{block}}",
        checkpoint_seconds=config["chains"]["checkpoint_seconds"],
    log:
        f"logs/{SCALE}/documents/{{dataset}}/{{model}}/chains-{{block}}.log",
    benchmark:
        f"results/benchmarks/{SCALE}/documents/{{dataset}}/{{model}}/chains-{{block}}.tsv"
    threads: THREADS
    resources:
        mem_mb=1500,
        runtime=120,
    script:
        "../scripts/documents/chains.py"


def documents_em_start(wildcards):
    """EM that starts from Gibbs samples takes them from the chains of the same numbers."""
    if DOCUMENTS.section["models"][wildcards.model].get("start") != "gibbs":
        return []
    return f"{RESULTS}/{wildcards.dataset}/gibbs/chains/block-{wildcards.block}"


rule documents_em:
    # The EM restarts of one job.
    input:
        corpus="data/processed/documents/{dataset}.npz",
        chains=documents_em_start,
    output:
        restarts=f"{RESULTS}/{{dataset}}/{{model}}/restarts/block-{{block}}.npz",
    params:
        run=lambda wildcards: DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict(),
        numbers=lambda wildcards: DOCUMENTS.chains_of(wildcards.model, int(wildcards.block)),
    log:
        f"logs/{SCALE}/documents/{{dataset}}/{{model}}/restarts-{{block}}.log",
    benchmark:
        f"results/benchmarks/{SCALE}/documents/{{dataset}}/{{model}}/restarts-{{block}}.tsv"
    threads: THREADS
    resources:
        mem_mb=1500,
        runtime=60,
    script:
        "../scripts/documents/em.py"


rule documents_scores:
    # Every summary of every chain, or every restart, against the true classes.
    input:
        corpus="data/processed/documents/{dataset}.npz",
        blocks=documents_block_files,
    output:
        scores=f"{RESULTS}/{{dataset}}/{{model}}/scores.csv",
        traces=f"{RESULTS}/{{dataset}}/{{model}}/traces.npz",
    params:
        run=lambda wildcards: DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict(),
        loss_chains=DOCUMENTS.settings["loss_chains"],
    log:
        f"logs/{SCALE}/documents/{{dataset}}/{{model}}/scores.log",
    benchmark:
        f"results/benchmarks/{SCALE}/documents/{{dataset}}/{{model}}/scores.tsv"
    resources:
        mem_mb=2000,
        runtime=60,
    script:
        "../scripts/documents/scores.py"
