# Kurihara et al. 2006: relations, fits, chains.
RELATIONAL = FAMILIES["relational"]
RELATIONAL_RESULTS = results_of(RELATIONAL)


use rule documents_corpus as relational_data with:
    # One set of relations.
    input:
        require_data(f"{PROCESSED}/relational/{{dataset}}.npz"),
    output:
        **with_card(f"{PROCESSED}/relational/{{dataset}}.npz"),
    log:
        f"{LOGS}/relational/data/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/relational/data/{{dataset}}.tsv"
    group:
        "relational_data"
    params:
        **processed("relations"),


rule relational_fits:
    # The restarts of every model on one set of relations; an interrupted job keeps finished fits.
    input:
        relations=f"{PROCESSED}/relational/{{dataset}}.npz",
    output:
        fits=directory(f"{RELATIONAL_RESULTS}/{{dataset}}/fits"),
    log:
        f"{LOGS}/relational/{{dataset}}/fits.log",
    benchmark:
        f"{BENCHMARKS}/relational/{{dataset}}/fits.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(120),
    params:
        fits=lambda wildcards: as_sampled(RELATIONAL.runs(wildcards.dataset)),
        scratch=f"{RELATIONAL_RESULTS}/{{dataset}}/unfinished_fits",
    script:
        "../scripts/relational/fits.py"


rule relational_scores:
    # Coverage and purity of all fits on a set of pairs, and its matrices sorted by cluster.
    input:
        relations=f"{PROCESSED}/relational/{{dataset}}.npz",
        labels=f"{RELATIONAL_RESULTS}/{{dataset}}/aspect.npz",
        fits=f"{RELATIONAL_RESULTS}/{{dataset}}/fits",
    output:
        **{
            name: f"{RELATIONAL_RESULTS}/{{dataset}}/{name}.csv"
            for name in ("restarts", "coverage", "purity", "classes", "cells")
        },
        sorted_irm=f"{RELATIONAL_RESULTS}/{{dataset}}/sorted_irm.npz",
        sorted_firm=f"{RELATIONAL_RESULTS}/{{dataset}}/sorted_firm.npz",
    log:
        f"{LOGS}/relational/{{dataset}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/relational/{{dataset}}/scores.tsv"
    group:
        "relational_scores"
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        fits=lambda wildcards: as_plain(RELATIONAL.runs(wildcards.dataset)),
        n_classes=RELATIONAL.aspect()["n_classes"],
        n_random=RELATIONAL.settings["pairs"]["n_random"],
    script:
        "../scripts/relational/scores.py"


rule relational_gibbs:
    # Collapsed Gibbs chains with a share of the cells held out; resumed if they were interrupted.
    input:
        relations=f"{PROCESSED}/relational/{{dataset}}.npz",
    output:
        chains=directory(f"{RELATIONAL_RESULTS}/{{dataset}}/gibbs"),
    log:
        f"{LOGS}/relational/{{dataset}}/gibbs.log",
    benchmark:
        f"{BENCHMARKS}/relational/{{dataset}}/gibbs.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(60),
    params:
        gibbs=lambda wildcards: RELATIONAL.gibbs(wildcards.dataset),
        reaches=[declared_prior("dirichlet_process").module],
        scratch=f"{RELATIONAL_RESULTS}/{{dataset}}/unfinished",
        checkpoint_seconds=checkpoint_seconds,
    script:
        "../scripts/relational/gibbs.py"
