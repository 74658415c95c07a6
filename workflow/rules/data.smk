# Raw data to processed data sets. Files are found, verified by hash and, where they have a
# pinned URL, downloaded by the job itself.


rule data:
    # Every data set of the run, processed.
    input:
        expand(f"{PROCESSED}/documents/{{dataset}}.npz", dataset=DOCUMENTS.datasets),
        expand(f"{PROCESSED}/records/{{dataset}}", dataset=RECORDS.needed),
        expand(f"{PROCESSED}/distances/{{dataset}}", dataset=DISTANCES.datasets),
        expand(f"{PROCESSED}/relational/{{dataset}}.npz", dataset=[*RELATIONAL.datasets, TOY]),
        expand(f"{PROCESSED}/references/{{dataset}}.npz", dataset=SUPERVISED.datasets),


rule documents_corpus:
    # Word counts of one document set.
    input:
        require_data(f"{PROCESSED}/documents/{{dataset}}.npz", DOCUMENTS.datasets),
    output:
        **with_card(f"{PROCESSED}/documents/{{dataset}}.npz"),
    log:
        f"{LOGS}/documents/corpus/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/documents/corpus/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        **processed(
            "documents",
            source=lambda wildcards: DOCUMENTS.source(wildcards.dataset),
            options=lambda wildcards: {"features": DOCUMENTS.features(wildcards.dataset)},
        ),
    script:
        "../scripts/data.py"


use rule documents_corpus as records_data with:
    # The draws of a recipe at one concentration, or a set of real records.
    input:
        require_data(f"{PROCESSED}/records/{{dataset}}", RECORDS.sources),
    output:
        data=directory(f"{PROCESSED}/records/{{dataset}}"),
    log:
        f"{LOGS}/records/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/records/data/{{dataset}}.tsv"
    params:
        **processed(
            lambda wildcards: "recipe" if records_draws(wildcards) else "records",
            source=lambda wildcards: RECORDS.source(wildcards.dataset),
            draws=records_draws,
            seed=config["seed"],
        ),


use rule documents_corpus as distances_points with:
    # The draws of a set of points.
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
    params:
        **processed("points", draws=distances_draws, seed=config["seed"]),


use rule documents_corpus as distances_sequences with:
    # One set of sequences.
    input:
        require_data(f"{PROCESSED}/sequences/{{dataset}}.npz", DISTANCES.sources),
    output:
        **with_card(f"{PROCESSED}/sequences/{{dataset}}.npz"),
    log:
        f"{LOGS}/distances/sequences/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/sequences/{{dataset}}.tsv"
    params:
        **processed("sequences"),


use rule documents_corpus as relational_data with:
    # One set of relations.
    input:
        require_data(f"{PROCESSED}/relational/{{dataset}}.npz", RELATIONAL.sources),
    output:
        **with_card(f"{PROCESSED}/relational/{{dataset}}.npz"),
    log:
        f"{LOGS}/relational/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/relational/data/{{dataset}}.tsv"
    params:
        **processed("relations"),


use rule documents_corpus as supervised_mentions with:
    # Labelled items as texts, numbers or pixels.
    input:
        require_data(f"{PROCESSED}/mentions/{{dataset}}.npz", SUPERVISED.sources),
    output:
        **with_card(f"{PROCESSED}/mentions/{{dataset}}.npz"),
    log:
        f"{LOGS}/supervised/mentions/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/supervised/mentions/{{dataset}}.tsv"
    params:
        **processed("mentions", seed=config["seed"]),


rule distances_alignment:
    # Local alignment scores of all pairs; what is done is kept if the job is cut short.
    input:
        sequences=f"{PROCESSED}/sequences/{{dataset}}.npz",
    output:
        scores=f"{PROCESSED}/sequences/{{dataset}}.scores.npy",
    log:
        f"{LOGS}/distances/alignment/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/alignment/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        alignment=config["distances"]["alignment"],
        scratch=f"{PROCESSED}/sequences/{{dataset}}.unfinished",
    script:
        "../scripts/distances/alignment.py"


rule distances_dissimilarities:
    # Real objects as squared distances of negative type.
    input:
        require_data(f"{PROCESSED}/distances/{{dataset}}", DISTANCES.sources),
        unpack(distances_aligned),
    output:
        objects=directory(f"{PROCESSED}/distances/{{dataset}}"),
    log:
        f"{LOGS}/distances/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/data/{{dataset}}.tsv"
    wildcard_constraints:
        dataset="|".join(config["distances"]["objects"]),
    threads: 1
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


rule supervised_references:
    # Their coordinates: features measured between all pairs, and embedded.
    input:
        mentions=f"{PROCESSED}/mentions/{{dataset}}.npz",
    output:
        **with_card(f"{PROCESSED}/references/{{dataset}}.npz"),
    log:
        f"{LOGS}/supervised/references/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/supervised/references/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(3000),
        runtime=per_attempt(30),
    params:
        embedding=lambda wildcards: SUPERVISED.embedding(wildcards.dataset),
    script:
        "../scripts/supervised/references.py"
