# Zanella et al. 2016: records, chains, summaries.
RECORDS = FAMILIES["records"]
RECORDS_RESULTS = results_of(RECORDS)


use rule documents_corpus as records_data with:
    # All draws from a recipe at one concentration, or a set of real records.
    input:
        require_data(
            f"{PROCESSED}/records/{{dataset}}",
            lambda wildcards: RECORDS.source(wildcards.dataset),
        ),
    output:
        data=directory(f"{PROCESSED}/records/{{dataset}}"),
    log:
        f"{LOGS}/records/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/records/data/{{dataset}}.tsv"
    group:
        "records_data"
    params:
        **processed(
            lambda wildcards: "recipe" if RECORDS.draws(wildcards.dataset) else "records",
            source=lambda wildcards: RECORDS.source(wildcards.dataset),
            draws=lambda wildcards: RECORDS.draws(wildcards.dataset),
            seed=config["seed"],
        ),


rule records_chains:
    # The chains of some models on all draws of a data set; resumed if they were interrupted.
    input:
        records=f"{PROCESSED}/records/{{dataset}}",
    output:
        chains=directory(f"{RECORDS_RESULTS}/{{dataset}}/chains/block-{{block}}"),
    log:
        f"{LOGS}/records/{{dataset}}/chains-{{block}}.log",
    benchmark:
        f"{BENCHMARKS}/records/{{dataset}}/chains-{{block}}.tsv"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(60),
    params:
        **of_runs(lambda wildcards: RECORDS.batch(wildcards.dataset, int(wildcards.block))),
        scratch=f"{RECORDS_RESULTS}/{{dataset}}/unfinished/block-{{block}}",
        checkpoint_seconds=checkpoint_seconds,
    script:
        "../scripts/records/chains.py"


rule records_scores:
    # Posterior summaries of all models on a data set.
    input:
        records=f"{PROCESSED}/records/{{dataset}}",
        chains=lambda wildcards: chains_on(RECORDS, wildcards.dataset),
    output:
        summary=f"{RECORDS_RESULTS}/{{dataset}}/summary.csv",
        chains=f"{RECORDS_RESULTS}/{{dataset}}/chains.csv",
        sizes=f"{RECORDS_RESULTS}/{{dataset}}/sizes.csv",
        traces=f"{RECORDS_RESULTS}/{{dataset}}/traces.npz",
    log:
        f"{LOGS}/records/{{dataset}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/records/{{dataset}}/scores.tsv"
    group:
        "records_scores"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        runs=lambda wildcards: as_plain(RECORDS.runs(wildcards.dataset)),
    script:
        "../scripts/records/scores.py"
