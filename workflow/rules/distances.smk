# Vogt et al. 2010: chains, scores.


rule distances_chains:
    # The chains of all models on all draws of a data set; resumed if they were interrupted.
    input:
        objects=f"{PROCESSED}/distances/{{dataset}}",
    output:
        chains=directory(f"{DISTANCES_RESULTS}/{{dataset}}/chains"),
    log:
        f"{LOGS}/distances/{{dataset}}/chains.log",
    benchmark:
        f"{BENCHMARKS}/distances/{{dataset}}/chains.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(120),
    params:
        runs=distances_runs,
        reaches=lambda wildcards: prior_modules(*distances_runs(wildcards)),
        scratch=f"{DISTANCES_RESULTS}/{{dataset}}/unfinished",
        checkpoint_seconds=config["chains"]["checkpoint_seconds"],
    script:
        "../scripts/distances/chains.py"


rule distances_scores:
    # Scores of every partition, and of hierarchical clusterings beside them.
    input:
        objects=f"{PROCESSED}/distances/{{dataset}}",
        chains=f"{DISTANCES_RESULTS}/{{dataset}}/chains",
    output:
        scores=f"{DISTANCES_RESULTS}/{{dataset}}/scores.csv",
        traces=f"{DISTANCES_RESULTS}/{{dataset}}/traces.npz",
    log:
        f"{LOGS}/distances/{{dataset}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/distances/{{dataset}}/scores.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(5),
    params:
        runs=distances_runs,
    script:
        "../scripts/distances/scores.py"


rule distances_embedding:
    # The first draw of a set of points in the plane.
    input:
        objects=f"{PROCESSED}/distances/{{dataset}}",
        chains=f"{DISTANCES_RESULTS}/{{dataset}}/chains",
    output:
        embedding=f"{DISTANCES_RESULTS}/{{dataset}}/embedding.csv",
    log:
        f"{LOGS}/distances/{{dataset}}/embedding.log",
    params:
        run=distances_main_run,
    script:
        "../scripts/distances/embedding.py"


rule distances_memberships:
    # Where objects without a class go when the others keep theirs.
    input:
        objects=f"{PROCESSED}/distances/{{dataset}}",
        chains=f"{DISTANCES_RESULTS}/{{dataset}}/chains",
    output:
        heat=f"{DISTANCES_RESULTS}/{{dataset}}/heat.csv",
        blocks=f"{DISTANCES_RESULTS}/{{dataset}}/blocks.csv",
        assignments=f"{DISTANCES_RESULTS}/{{dataset}}/assignments.csv",
    log:
        f"{LOGS}/distances/{{dataset}}/memberships.log",
    params:
        run=distances_main_run,
    script:
        "../scripts/distances/memberships.py"


rule distances_enumeration:
    # Exact and sampled posteriors of a few objects, and what they do not depend on.
    output:
        counts=f"{DISTANCES_RESULTS}/enumeration.csv",
        invariance=f"{DISTANCES_RESULTS}/invariance.csv",
    log:
        f"{LOGS}/distances/enumeration.log",
    benchmark:
        f"{BENCHMARKS}/distances/enumeration.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(20),
    params:
        check=DISTANCES.settings["check"],
        seed=config["seed"],
    script:
        "../scripts/distances/enumeration.py"


rule distances_scaling:
    # Seconds a sweep of four algorithms, one core.
    output:
        timings=f"{DISTANCES_RESULTS}/scaling.csv",
    log:
        f"{LOGS}/distances/scaling.log",
    benchmark:
        f"{BENCHMARKS}/distances/scaling.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(7000),
        runtime=per_attempt(60),
    params:
        scaling=DISTANCES.settings["scaling"],
        seed=config["seed"],
    script:
        "../scripts/distances/scaling.py"
