# Zanella et al. 2016: chains, summaries, tables and figures.


rule records_chains:
    # The chains of one model on all draws of a data set; resumed if they were interrupted.
    input:
        records="data/processed/records/{dataset}",
    output:
        chains=directory(f"{RECORDS_RESULTS}/{{dataset}}/{{model}}/chains"),
    log:
        f"logs/{SCALE}/records/{{dataset}}/{{model}}/chains.log",
    benchmark:
        f"results/benchmarks/{SCALE}/records/{{dataset}}/{{model}}/chains.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=60,
    params:
        runs=records_runs,
        scratch=f"{RECORDS_RESULTS}/{{dataset}}/{{model}}/unfinished",
        checkpoint_seconds=config["chains"]["checkpoint_seconds"],
    script:
        "../scripts/records/chains.py"


rule records_scores:
    # Posterior summaries of all models on a data set.
    input:
        records="data/processed/records/{dataset}",
        chains=records_chains,
    output:
        summary=f"{RECORDS_RESULTS}/{{dataset}}/summary.csv",
        chains=f"{RECORDS_RESULTS}/{{dataset}}/chains.csv",
        sizes=f"{RECORDS_RESULTS}/{{dataset}}/sizes.csv",
        traces=f"{RECORDS_RESULTS}/{{dataset}}/traces.npz",
    log:
        f"logs/{SCALE}/records/{{dataset}}/scores.log",
    benchmark:
        f"results/benchmarks/{SCALE}/records/{{dataset}}/scores.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        runs=records_dataset_runs,
    script:
        "../scripts/records/scores.py"
