# Author 2000: data, chains, scores.
SIXTH = FAMILIES["sixth"]
SIXTH_RESULTS = results_of(SIXTH)


use rule documents_corpus as sixth_data with:
    # Word counts of one document set.
    input:
        require_data(f"{PROCESSED}/sixth/{{dataset}}.npz"),
    output:
        **with_card(f"{PROCESSED}/sixth/{{dataset}}.npz"),
    log:
        f"{LOGS}/sixth/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/sixth/data/{{dataset}}.tsv"
    group:
        "sixth_data"
    params:
        **processed("documents"),


rule sixth_chains:
    # The chains of some models on a data set; resumed if they were interrupted.
    input:
        corpus=f"{PROCESSED}/sixth/{{dataset}}.npz",
    output:
        chains=directory(f"{SIXTH_RESULTS}/{{dataset}}/chains/block-{{block}}"),
    log:
        f"{LOGS}/sixth/{{dataset}}/chains-{{block}}.log",
    benchmark:
        f"{BENCHMARKS}/sixth/{{dataset}}/chains-{{block}}.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(60),
    params:
        **of_runs(lambda wildcards: SIXTH.batch(wildcards.dataset, int(wildcards.block))),
        scratch=f"{SIXTH_RESULTS}/{{dataset}}/unfinished/block-{{block}}",
        checkpoint_seconds=checkpoint_seconds,
    script:
        "../scripts/sixth/chains.py"


rule sixth_scores:
    # Scores of the chains of all models on a data set.
    input:
        corpus=f"{PROCESSED}/sixth/{{dataset}}.npz",
        chains=lambda wildcards: chains_on(SIXTH, wildcards.dataset),
    output:
        scores=f"{SIXTH_RESULTS}/{{dataset}}/scores.csv",
    log:
        f"{LOGS}/sixth/{{dataset}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/sixth/{{dataset}}/scores.tsv"
    group:
        "sixth_scores"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        runs=lambda wildcards: as_plain(SIXTH.runs(wildcards.dataset)),
    script:
        "../scripts/sixth/scores.py"
