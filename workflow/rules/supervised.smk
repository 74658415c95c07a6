# Daumé & Marcu 2005: chains, baselines.


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
        runs=supervised_runs,
        reaches=lambda wildcards: prior_modules(*supervised_runs(wildcards)),
        scratch=f"{SUPERVISED_RESULTS}/{{dataset}}/unfinished/block-{{block}}",
        checkpoint_seconds=config["chains"]["checkpoint_seconds"],
    script:
        "../scripts/supervised/chains.py"


rule supervised_baselines:
    # Every system that is not sampled.
    input:
        mentions=f"{PROCESSED}/mentions/{{dataset}}.npz",
        references=f"{PROCESSED}/references/{{dataset}}.npz",
    output:
        baselines=f"{SUPERVISED_RESULTS}/{{dataset}}/baselines.csv",
    log:
        f"{LOGS}/supervised/{{dataset}}/baselines.log",
    benchmark:
        f"{BENCHMARKS}/supervised/{{dataset}}/baselines.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(240),
    params:
        role=lambda wildcards: SUPERVISED.role(wildcards.dataset),
        settings={"k_means": config["supervised"]["k_means"], "binary": SUPERVISED.binary},
        seed=config["seed"],
    script:
        "../scripts/supervised/baselines.py"


rule supervised_scores:
    # Scores of all chains on a data set, its sizes and how its clusters grow.
    input:
        references=f"{PROCESSED}/references/{{dataset}}.npz",
        chains=supervised_chains,
    output:
        **{
            name: f"{SUPERVISED_RESULTS}/{{dataset}}/{name}.csv"
            for name in (
                *("chains", "min_vi", "diagnostics", "moves"),
                *("data", "growth", "growth_fit"),
            )
        },
    log:
        f"{LOGS}/supervised/{{dataset}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/supervised/{{dataset}}/scores.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(30),
    params:
        role=lambda wildcards: SUPERVISED.role(wildcards.dataset),
        runs=supervised_dataset_runs,
    script:
        "../scripts/supervised/scores.py"


rule supervised_enumeration:
    # Exact and sampled posteriors of a few items.
    output:
        counts=f"{SUPERVISED_RESULTS}/enumeration.csv",
    log:
        f"{LOGS}/supervised/enumeration.log",
    benchmark:
        f"{BENCHMARKS}/supervised/enumeration.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(20),
    params:
        n_sweeps=SUPERVISED.settings["check"]["n_sweeps"],
        seed=config["seed"],
    script:
        "../scripts/supervised/enumeration.py"
