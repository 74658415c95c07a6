# Vogt et al. 2010: data, chains, scores.
from reseat.papers.distances.paper import sequence_sets

DISTANCES = FAMILIES["distances"]
DISTANCES_RESULTS = results_of(DISTANCES)
SEQUENCES = sequence_sets(DISTANCES)


use rule documents_corpus as distances_points with:
    # All draws of a set of points.
    input:
        [],
    output:
        data=directory(f"{PROCESSED}/distances/{{dataset}}"),
    log:
        f"{LOGS}/distances/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/data/{{dataset}}.tsv"
    wildcard_constraints:
        dataset="|".join(config["distances"]["points"]),
    group:
        "distances_data"
    params:
        **processed(
            "points",
            draws=lambda wildcards: DISTANCES.draws(wildcards.dataset),
            seed=config["seed"],
        ),


use rule documents_corpus as distances_sequences with:
    # One set of sequences.
    input:
        require_data(f"{PROCESSED}/sequences/{{dataset}}.npz"),
    output:
        **with_card(f"{PROCESSED}/sequences/{{dataset}}.npz"),
    log:
        f"{LOGS}/distances/sequences/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/sequences/{{dataset}}.tsv"
    group:
        "distances_data"
    params:
        **processed("sequences"),


rule distances_alignment:
    # Local alignment scores of all pairs; finished rows are kept if the job is interrupted.
    input:
        sequences=f"{PROCESSED}/sequences/{{dataset}}.npz",
    output:
        scores=f"{PROCESSED}/sequences/{{dataset}}.scores.npy",
    log:
        f"{LOGS}/distances/alignment/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/alignment/{{dataset}}.tsv"
    group:
        "distances_data"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        alignment=config["distances"]["alignment"],
        scratch=f"{PROCESSED}/sequences/{{dataset}}.unfinished",
    script:
        "../scripts/distances/alignment.py"


rule distances_dissimilarities:
    # Dissimilarities of real objects, made into squared distances of negative type.
    input:
        require_data(f"{PROCESSED}/distances/{{dataset}}"),
        sequences=branch(
            lambda wildcards: wildcards.dataset in SEQUENCES,
            then=f"{PROCESSED}/sequences/{{dataset}}.npz",
        ),
        scores=branch(
            lambda wildcards: wildcards.dataset in SEQUENCES,
            then=f"{PROCESSED}/sequences/{{dataset}}.scores.npy",
        ),
    output:
        objects=directory(f"{PROCESSED}/distances/{{dataset}}"),
    log:
        f"{LOGS}/distances/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/data/{{dataset}}.tsv"
    wildcard_constraints:
        dataset="|".join(config["distances"]["objects"]),
    group:
        "distances_data"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(5),
    params:
        **raw_data(lambda wildcards: wildcards.dataset),
        dataset=lambda wildcards: wildcards.dataset,
        settings=lambda wildcards: config["distances"]["objects"][wildcards.dataset],
        seed=config["seed"],
    script:
        "../scripts/distances/dissimilarities.py"


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
    # These are the longest jobs with a single thread: if they came last, other cores would be idle.
    priority: 1
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(120),
    params:
        **of_runs(lambda wildcards: DISTANCES.runs(wildcards.dataset)),
        scratch=f"{DISTANCES_RESULTS}/{{dataset}}/unfinished",
        checkpoint_seconds=checkpoint_seconds,
        # It takes `output` so that another bound, which changes no draw, reruns nothing.
        memory_bound_mb=lambda wildcards, output: config["distances"]["memory_bound_mb"],
    script:
        "../scripts/distances/chains.py"


rule distances_scores:
    # Scores of every partition, and of hierarchical clusterings for comparison.
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
    group:
        "distances_scores"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(5),
    params:
        runs=lambda wildcards: as_plain(DISTANCES.runs(wildcards.dataset)),
        # The log joint of the true blocks is that of the models.
        reaches=lambda wildcards: prior_modules(*DISTANCES.runs(wildcards.dataset)),
    script:
        "../scripts/distances/scores.py"
