# Raw data to processed data sets. Files are found, verified by hash and, where they have a
# pinned URL, downloaded by the job itself.
from dataclasses import asdict


rule data:
    # Every data set of the run, processed.
    input:
        expand("data/processed/documents/{dataset}.npz", dataset=DOCUMENTS.datasets),
        expand("data/processed/records/{dataset}", dataset=RECORDS.needed),


rule documents_corpus:
    # Word counts of one document set.
    input:
        require_data("data/processed/documents/{dataset}.npz", DOCUMENTS.datasets),
    output:
        "data/processed/documents/{dataset}.npz",
    log:
        "logs/documents/corpus/{dataset}.log",
    benchmark:
        "results/benchmarks/documents/corpus/{dataset}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=2000,
        runtime=10,
    params:
        registry=Path(workflow.basedir, "config", "datasets.yaml"),
        schema=Path(workflow.basedir, "workflow", "schemas", "datasets.schema.yaml"),
        entry=lambda wildcards: asdict(REGISTRY[DOCUMENTS.source(wildcards.dataset)]),
        source=lambda wildcards: DOCUMENTS.source(wildcards.dataset),
        features=lambda wildcards: DOCUMENTS.features(wildcards.dataset),
    script:
        "../scripts/documents/corpus.py"


rule records_data:
    # The draws of a recipe at one concentration, or a set of real records.
    input:
        require_data("data/processed/records/{dataset}", RECORDS.sources),
    output:
        records=directory("data/processed/records/{dataset}"),
    log:
        "logs/records/data/{dataset}.log",
    benchmark:
        "results/benchmarks/records/data/{dataset}.tsv"
    conda:
        ENVIRONMENT
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        registry=Path(workflow.basedir, "config", "datasets.yaml"),
        schema=Path(workflow.basedir, "workflow", "schemas", "datasets.schema.yaml"),
        entry=lambda wildcards: asdict(REGISTRY[RECORDS.source(wildcards.dataset)]),
        source=lambda wildcards: RECORDS.source(wildcards.dataset),
        delta=lambda wildcards: RECORDS.delta(wildcards.dataset),
        n_draws=config["records"]["n_draws"],
        seed=config["seed"],
    script:
        "../scripts/records/data.py"
