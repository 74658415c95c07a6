# Daumé & Marcu 2005: references, chains, baselines, scores.
SUPERVISED = FAMILIES["supervised"]
SUPERVISED_RESULTS = results_of(SUPERVISED)


use rule documents_corpus as supervised_mentions with:
    # Labelled items as texts, numbers or pixels.
    input:
        require_data(f"{PROCESSED}/mentions/{{dataset}}.npz"),
    output:
        **with_card(f"{PROCESSED}/mentions/{{dataset}}.npz"),
    log:
        f"{LOGS}/supervised/mentions/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/supervised/mentions/{{dataset}}.tsv"
    group:
        "supervised_data"
    params:
        **processed("mentions", seed=config["seed"]),


rule supervised_references:
    # Coordinates of the items: the distances of all pairs, feature by feature, embedded.
    input:
        mentions=f"{PROCESSED}/mentions/{{dataset}}.npz",
    output:
        **with_card(f"{PROCESSED}/references/{{dataset}}.npz"),
    log:
        f"{LOGS}/supervised/references/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/supervised/references/{{dataset}}.tsv"
    group:
        "supervised_data"
    resources:
        mem_mb=per_attempt(3000),
        runtime=per_attempt(30),
    params:
        embedding=lambda wildcards: SUPERVISED.embedding(wildcards.dataset),
    script:
        "../scripts/supervised/references.py"


rule supervised_chains:
    # The chains of some models on a data set; resumed if they were interrupted.
    input:
        references=f"{PROCESSED}/references/{{dataset}}.npz",
    output:
        chains=directory(f"{SUPERVISED_RESULTS}/{{dataset}}/chains/block-{{block}}"),
    log:
        f"{LOGS}/supervised/{{dataset}}/chains-{{block}}.log",
    benchmark:
        f"{BENCHMARKS}/supervised/{{dataset}}/chains-{{block}}.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(360),
    params:
        **of_runs(lambda wildcards: SUPERVISED.batch(wildcards.dataset, int(wildcards.block))),
        scratch=f"{SUPERVISED_RESULTS}/{{dataset}}/unfinished/block-{{block}}",
        checkpoint_seconds=checkpoint_seconds,
    script:
        "../scripts/supervised/chains.py"


rule supervised_draws:
    # Systems on several draws of the items of a data set.
    input:
        require_data(f"{SUPERVISED_RESULTS}/{{dataset}}/draws.csv"),
    output:
        draws=f"{SUPERVISED_RESULTS}/{{dataset}}/draws.csv",
    log:
        f"{LOGS}/supervised/{{dataset}}/draws.log",
    benchmark:
        f"{BENCHMARKS}/supervised/{{dataset}}/draws.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(240),
    params:
        **raw_data(lambda wildcards: wildcards.dataset),
        role=lambda wildcards: SUPERVISED.role(wildcards.dataset),
        embedding=lambda wildcards: SUPERVISED.embedding(wildcards.dataset),
        settings={"k_means": config["supervised"]["k_means"], "binary": SUPERVISED.binary},
        models=lambda wildcards: SUPERVISED.drawn_models(wildcards.dataset),
        seed=config["seed"],
        n_draws=SUPERVISED.settings["draws"]["n_draws"],
    script:
        "../scripts/supervised/draws.py"


rule supervised_scores:
    # Scores of all chains on a data set, its sizes, and the growth of its number of clusters.
    input:
        references=f"{PROCESSED}/references/{{dataset}}.npz",
        chains=lambda wildcards: chains_on(SUPERVISED, wildcards.dataset),
    output:
        **{
            name: f"{SUPERVISED_RESULTS}/{{dataset}}/{name}.csv"
            for name in "chains min_vi diagnostics moves data growth growth_fit".split()
        },
    log:
        f"{LOGS}/supervised/{{dataset}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/supervised/{{dataset}}/scores.tsv"
    group:
        "supervised_scores"
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(30),
    params:
        role=lambda wildcards: SUPERVISED.role(wildcards.dataset),
        runs=lambda wildcards: as_plain(SUPERVISED.runs(wildcards.dataset)),
        concentration=SUPERVISED.section["concentration"],
    script:
        "../scripts/supervised/scores.py"
