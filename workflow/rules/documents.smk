# Walker & Ringger 2008: corpora, chains, restarts, scores.
DOCUMENTS = FAMILIES["documents"]
DOCUMENTS_RESULTS = results_of(DOCUMENTS)


rule documents_corpus:
    # Word counts of one document set.
    input:
        require_data(
            f"{PROCESSED}/documents/{{dataset}}.npz",
            lambda wildcards: DOCUMENTS.source(wildcards.dataset),
        ),
    output:
        **with_card(f"{PROCESSED}/documents/{{dataset}}.npz"),
    log:
        f"{LOGS}/documents/corpus/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/documents/corpus/{{dataset}}.tsv"
    group:
        "documents_data"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        **processed(
            "documents",
            source=lambda wildcards: DOCUMENTS.source(wildcards.dataset),
            options=lambda wildcards: {"features": DOCUMENTS.features(wildcards.dataset)},
            # The stop list is another data set, whose words the counts depend on.
            stop_list=lambda wildcards: stop_list_content(
                REGISTRY,
                DOCUMENTS.source(wildcards.dataset),
                DOCUMENTS.features(wildcards.dataset),
            ),
        ),
    script:
        "../scripts/data.py"


rule documents_chains:
    # The chains of one job, in parallel threads; resumed if the job was interrupted.
    input:
        corpus=f"{PROCESSED}/documents/{{dataset}}.npz",
    output:
        chains=directory(f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/chains/block-{{block}}"),
    log:
        f"{LOGS}/documents/{{dataset}}/{{model}}/chains-{{block}}.log",
    benchmark:
        f"{BENCHMARKS}/documents/{{dataset}}/{{model}}/chains-{{block}}.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(240),
    params:
        **of_job(DOCUMENTS),
        reaches=lambda wildcards: prior_modules(DOCUMENTS.run(wildcards.dataset, wildcards.model)),
        scratch=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/unfinished/block-{{block}}",
        checkpoint_seconds=checkpoint_seconds,
    script:
        "../scripts/documents/chains.py"


rule documents_em:
    # The EM restarts of one job.
    input:
        corpus=f"{PROCESSED}/documents/{{dataset}}.npz",
        # Restarts that begin from Gibbs samples take them from the chains with the same numbers.
        chains=lambda wildcards: [
            f"{DOCUMENTS_RESULTS}/{path}"
            for path in DOCUMENTS.starts(wildcards.dataset, wildcards.model, int(wildcards.block))
        ],
    output:
        restarts=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/restarts/block-{{block}}.npz",
    log:
        f"{LOGS}/documents/{{dataset}}/{{model}}/restarts-{{block}}.log",
    benchmark:
        f"{BENCHMARKS}/documents/{{dataset}}/{{model}}/restarts-{{block}}.tsv"
    group:
        "documents_restarts"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        **of_job(DOCUMENTS),
    script:
        "../scripts/documents/em.py"


rule documents_scores:
    # Scores of every summary of every chain, or of every restart, against the true classes.
    input:
        corpus=f"{PROCESSED}/documents/{{dataset}}.npz",
        blocks=lambda wildcards: [
            f"{DOCUMENTS_RESULTS}/{path}"
            for path in DOCUMENTS.finished(wildcards.dataset, wildcards.model)
        ],
    output:
        scores=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/scores.csv",
        traces=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/traces.npz",
    log:
        f"{LOGS}/documents/{{dataset}}/{{model}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/documents/{{dataset}}/{{model}}/scores.tsv"
    group:
        "documents_scores"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(30),
    params:
        run=lambda wildcards: DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict(),
        loss_chains=DOCUMENTS.settings["loss_chains"],
    script:
        "../scripts/documents/scores.py"
