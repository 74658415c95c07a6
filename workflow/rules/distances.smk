# Vogt et al. 2010: chains, scores, tables and figures.


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


# ---- Artefacts: one rule each, named as it is asked for ----------------------------------


rule tiwd_fig2:
    # Two data sets in the plane, and accuracy beside hierarchical methods.
    input:
        scores=distances_scores("accuracy"),
        embeddings=[
            f"{DISTANCES_RESULTS}/{dataset}/embedding.csv"
            for dataset in DISTANCES.study("accuracy")
        ],
    output:
        **figure_outputs("tiwd_fig2", "embeddings", VOGT),
    log:
        f"{LOGS}/distances/tiwd_fig2.log",
    params:
        artefact="tiwd_fig2",
    script:
        "../scripts/distances/figure_embeddings.py"


rule tiwd_fig3:
    # Number of clusters from sweep to sweep, many objects.
    input:
        scores=distances_scores("trace"),
        traces=distances_traces("trace"),
        published=PUBLISHED_TIWD,
    output:
        **figure_outputs("tiwd_fig3", "settling", VOGT),
    log:
        f"{LOGS}/distances/tiwd_fig3.log",
    params:
        artefact="tiwd_fig3",
    script:
        "../scripts/distances/figure_settling.py"


rule tiwd_fig4:
    # Accuracy with and without a mean.
    input:
        scores=distances_scores("means"),
    output:
        **figure_outputs("tiwd_fig4", "accuracy", VOGT),
    log:
        f"{LOGS}/distances/tiwd_fig4.log",
    params:
        artefact="tiwd_fig4",
    script:
        "../scripts/distances/figure_accuracy.py"


rule tiwd_fig5:
    # Co-membership of the classes and of new blocks.
    input:
        scores=distances_scores("labelled"),
        heat=distances_memberships("heat"),
        blocks=distances_memberships("blocks"),
        published=PUBLISHED_TIWD,
    output:
        **figure_outputs("tiwd_fig5", "memberships", VOGT),
    log:
        f"{LOGS}/distances/tiwd_fig5.log",
    params:
        artefact="tiwd_fig5",
    script:
        "../scripts/distances/figure_memberships.py"


rule tiwd_scaling:
    # What a sweep costs.
    input:
        timings=f"{DISTANCES_RESULTS}/scaling.csv",
        published=PUBLISHED_TIWD,
    output:
        **figure_outputs("tiwd_scaling", "scaling", VOGT),
    log:
        f"{LOGS}/distances/tiwd_scaling.log",
    params:
        artefact="tiwd_scaling",
    script:
        "../scripts/distances/figure_scaling.py"


rule tiwd_check:
    # Exact against sampled posterior probability of every partition of a few objects.
    input:
        enumeration=f"{DISTANCES_RESULTS}/enumeration.csv",
    output:
        **figure_outputs("tiwd_check", "enumeration", VOGT),
    log:
        f"{LOGS}/distances/tiwd_check.log",
    params:
        artefact="tiwd_check",
    script:
        "../scripts/distances/figure_check.py"


rule tiwd_readings:
    # Other readings of what the paper leaves open.
    input:
        scores=distances_scores("readings"),
    output:
        table=table_output("tiwd_readings", VOGT, "distances"),
    log:
        f"{LOGS}/distances/tiwd_readings.log",
    params:
        artefact="tiwd_readings",
    script:
        "../scripts/distances/table_readings.py"


rule tiwd_labelled:
    # Real objects, some of them with classes.
    input:
        scores=distances_scores("labelled"),
        blocks=distances_memberships("blocks"),
        assignments=distances_memberships("assignments"),
        published=PUBLISHED_TIWD,
    output:
        table=table_output("tiwd_labelled", VOGT, "distances"),
    log:
        f"{LOGS}/distances/tiwd_labelled.log",
    params:
        artefact="tiwd_labelled",
    script:
        "../scripts/distances/table_labelled.py"


rule distances_claims:
    # TIWD-1 and on, judged on what was computed and measured.
    input:
        scores=distances_scores(),
        traces=distances_traces("trace"),
        timings=f"{DISTANCES_RESULTS}/scaling.csv",
        invariance=f"{DISTANCES_RESULTS}/invariance.csv",
        blocks=distances_memberships("blocks"),
        published=PUBLISHED_TIWD,
    output:
        claims=f"{DISTANCES_RESULTS}/claims.csv",
    log:
        f"{LOGS}/distances/claims.log",
    script:
        "../scripts/distances/claims.py"


rule distances:
    # Every artefact of the family.
    input:
        [getattr(rules, name).output for name in DISTANCES_MADE],
