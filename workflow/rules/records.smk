# Zanella et al. 2016: records, chains, summaries.
RECORDS = FAMILIES["records"]
RECORDS_RESULTS = results_of(RECORDS)
RECORDS_PRIORS = f"{RECORDS_RESULTS}/priors"


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
    threads: 1
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
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        runs=lambda wildcards: as_plain(RECORDS.runs(wildcards.dataset)),
    script:
        "../scripts/records/scores.py"


rule records_growth:
    # Draws from the priors for growing numbers of items.
    output:
        draws=f"{RECORDS_PRIORS}/growth.csv",
    log:
        f"{LOGS}/records/priors/growth.log",
    benchmark:
        f"{BENCHMARKS}/records/priors/growth.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        growth=RECORDS.settings["growth"],
        seed=config["seed"],
    script:
        "../scripts/records/growth.py"


rule records_enumeration:
    # Exact and sampled posteriors of five records, and the exact stationary law of the chaperones.
    output:
        counts=f"{RECORDS_PRIORS}/enumeration.csv",
        invariance=f"{RECORDS_PRIORS}/invariance.csv",
    log:
        f"{LOGS}/records/priors/enumeration.log",
    benchmark:
        f"{BENCHMARKS}/records/priors/enumeration.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        n_sweeps=RECORDS.settings["check"]["n_sweeps"],
        seed=config["seed"],
    script:
        "../scripts/records/enumeration.py"


rule records_moves:
    # Gibbs sweeps and chaperones on the same model, timed one after the other.
    input:
        records=lambda _: f"{PROCESSED}/{RECORDS.stored(RECORDS.moves_dataset)}",
    output:
        runs=f"{RECORDS_RESULTS}/moves/runs.csv",
        traces=f"{RECORDS_RESULTS}/moves/traces.csv",
    log:
        f"{LOGS}/records/moves.log",
    benchmark:
        f"{BENCHMARKS}/records/moves.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(20),
    params:
        run=lambda _: RECORDS.moves_run().to_dict(),
        reaches=lambda _: prior_modules(RECORDS.moves_run()),
        n_sweeps=RECORDS.settings["moves"],
    script:
        "../scripts/records/moves.py"
