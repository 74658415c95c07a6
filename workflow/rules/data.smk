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
        f"{PROCESSED}/documents/{{dataset}}.npz",
    log:
        f"{LOGS}/documents/corpus/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/documents/corpus/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        **raw_data(lambda wildcards: DOCUMENTS.source(wildcards.dataset)),
        source=lambda wildcards: DOCUMENTS.source(wildcards.dataset),
        features=lambda wildcards: DOCUMENTS.features(wildcards.dataset),
    script:
        "../scripts/documents/corpus.py"


rule records_data:
    # The draws of a recipe at one concentration, or a set of real records.
    input:
        require_data(f"{PROCESSED}/records/{{dataset}}", RECORDS.sources),
    output:
        records=directory(f"{PROCESSED}/records/{{dataset}}"),
    log:
        f"{LOGS}/records/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/records/data/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(5),
    params:
        **raw_data(lambda wildcards: RECORDS.source(wildcards.dataset)),
        source=lambda wildcards: RECORDS.source(wildcards.dataset),
        delta=lambda wildcards: RECORDS.delta(wildcards.dataset),
        n_draws=config["records"]["n_draws"],
        seed=config["seed"],
    script:
        "../scripts/records/data.py"


rule distances_points:
    # The draws of a set of points.
    output:
        objects=directory(f"{PROCESSED}/distances/{{dataset}}"),
    log:
        f"{LOGS}/distances/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/distances/data/{{dataset}}.tsv"
    wildcard_constraints:
        dataset="|".join(config["distances"]["points"]),
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(5),
    params:
        **raw_data(lambda wildcards: wildcards.dataset),
        dataset=lambda wildcards: wildcards.dataset,
        n_draws=lambda wildcards: config["distances"]["points"][wildcards.dataset]["n_draws"],
        seed=config["seed"],
    script:
        "../scripts/distances/points.py"


rule distances_sequences:
    # One set of sequences.
    input:
        require_data(f"{PROCESSED}/sequences/{{dataset}}.npz", DISTANCES.sources),
    output:
        f"{PROCESSED}/sequences/{{dataset}}.npz",
    log:
        f"{LOGS}/distances/sequences/{{dataset}}.log",
    params:
        **raw_data(lambda wildcards: wildcards.dataset),
    script:
        "../scripts/distances/sequences.py"


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


rule relational_data:
    # One set of relations.
    input:
        require_data(f"{PROCESSED}/relational/{{dataset}}.npz", RELATIONAL.sources),
    output:
        f"{PROCESSED}/relational/{{dataset}}.npz",
    log:
        f"{LOGS}/relational/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/relational/data/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(5),
    params:
        **raw_data(lambda wildcards: wildcards.dataset),
    script:
        "../scripts/relational/data.py"


rule supervised_mentions:
    # Labelled items as texts, numbers or pixels.
    input:
        require_data(f"{PROCESSED}/mentions/{{dataset}}.npz", SUPERVISED.sources),
    output:
        f"{PROCESSED}/mentions/{{dataset}}.npz",
    log:
        f"{LOGS}/supervised/mentions/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/supervised/mentions/{{dataset}}.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        **raw_data(lambda wildcards: wildcards.dataset),
        seed=config["seed"],
    script:
        "../scripts/supervised/mentions.py"


rule supervised_references:
    # Their coordinates: features measured between all pairs, and embedded.
    input:
        mentions=f"{PROCESSED}/mentions/{{dataset}}.npz",
    output:
        f"{PROCESSED}/references/{{dataset}}.npz",
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
