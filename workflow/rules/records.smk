# Zanella et al. 2016: chains, summaries, tables and figures.


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
        runs=records_runs,
        reaches=lambda wildcards: prior_modules(*records_runs(wildcards)),
        scratch=f"{RECORDS_RESULTS}/{{dataset}}/unfinished/block-{{block}}",
        checkpoint_seconds=config["chains"]["checkpoint_seconds"],
    script:
        "../scripts/records/chains.py"


rule records_scores:
    # Posterior summaries of all models on a data set.
    input:
        records=f"{PROCESSED}/records/{{dataset}}",
        chains=records_chains,
    output:
        summary=f"{RECORDS_RESULTS}/{{dataset}}/summary.csv",
        chains=f"{RECORDS_RESULTS}/{{dataset}}/chains.csv",
        sizes=f"{RECORDS_RESULTS}/{{dataset}}/sizes.csv",
        traces=f"{RECORDS_RESULTS}/{{dataset}}/traces.npz",
    log:
        f"{LOGS}/records/{{dataset}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/records/{{dataset}}/scores.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        runs=records_dataset_runs,
    script:
        "../scripts/records/scores.py"


rule records_growth:
    # Draws from the priors for more and more items.
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
    # Exact and sampled posteriors of five records, and the exact law of the chaperones.
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
        records=records_moves_data,
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
        reaches=lambda _: prior_modules(RECORDS.moves_run().to_dict()),
        n_sweeps=RECORDS.settings["moves"],
    script:
        "../scripts/records/moves.py"


# ---- Artefacts: one rule each, named as it is asked for ----------------------------------


rule micro_table1:
    # Number of clusters and error rates under every prior, beside the published.
    input:
        summaries=records_frames("summary", "table1"),
        published=PUBLISHED_MICRO,
    output:
        table=table_output("micro_table1", ZANELLA),
    log:
        f"{LOGS}/records/micro_table1.log",
    params:
        artefact="micro_table1",
    script:
        "../scripts/records/table_posteriors.py"


use rule micro_table1 as micro_readings with:
    # The same under other readings of what the paper leaves open.
    input:
        summaries=records_frames("summary", "readings"),
        published=PUBLISHED_MICRO,
    output:
        table=table_output("micro_readings", ZANELLA),
    log:
        f"{LOGS}/records/micro_readings.log",
    params:
        artefact="micro_readings",


use rule micro_table1 as micro_real with:
    # The same on real records.
    input:
        summaries=records_frames("summary", "real", "variants"),
        published=PUBLISHED_MICRO,
    output:
        table=table_output("micro_real", ZANELLA),
    log:
        f"{LOGS}/records/micro_real.log",
    params:
        artefact="micro_real",


rule cross_priors:
    # Every prior on the same records, and on the same documents.
    input:
        summaries=records_frames("summary", "readings", "real"),
        scores=cross_scores(),
        corpora=cross_corpora(),
    output:
        table=table_output("cross_priors", ZANELLA),
    log:
        f"{LOGS}/records/cross_priors.log",
    params:
        artefact="cross_priors",
    script:
        "../scripts/records/table_cross.py"


rule micro_fig1:
    # Largest cluster against the number of items, one prior draw each.
    input:
        draws=f"{RECORDS_PRIORS}/growth.csv",
        published=PUBLISHED_MICRO,
    output:
        **figure_outputs("micro_fig1", "growth", ZANELLA),
    log:
        f"{LOGS}/records/micro_fig1.log",
    params:
        artefact="micro_fig1",
    script:
        "../scripts/records/figure_growth.py"


rule micro_fig2:
    # Posterior statistics of the partition beside the published boxes.
    input:
        summaries=records_frames("summary", "table1"),
        published=PUBLISHED_MICRO,
    output:
        **figure_outputs("micro_fig2", "boxes", ZANELLA),
    log:
        f"{LOGS}/records/micro_fig2.log",
    params:
        artefact="micro_fig2",
    script:
        "../scripts/records/figure_boxes.py"


rule micro_fig3:
    # Cluster sizes of the Syria sets, true and posterior.
    input:
        sizes=records_frames("sizes", "table1"),
        published=PUBLISHED_MICRO,
    output:
        **figure_outputs("micro_fig3", "sizes", ZANELLA),
    log:
        f"{LOGS}/records/micro_fig3.log",
    params:
        artefact="micro_fig3",
    script:
        "../scripts/records/figure_sizes.py"


rule micro_thm1:
    # Mean share of the largest cluster against the number of items.
    input:
        draws=f"{RECORDS_PRIORS}/growth.csv",
    output:
        **figure_outputs("micro_thm1", "theorem", ZANELLA),
    log:
        f"{LOGS}/records/micro_thm1.log",
    params:
        artefact="micro_thm1",
    script:
        "../scripts/records/figure_theorem.py"


rule micro_chaperones:
    # Mixing of Gibbs sweeps and chaperones.
    input:
        runs=f"{RECORDS_RESULTS}/moves/runs.csv",
        traces=f"{RECORDS_RESULTS}/moves/traces.csv",
    output:
        **figure_outputs("micro_chaperones", "moves", ZANELLA),
    log:
        f"{LOGS}/records/micro_chaperones.log",
    params:
        artefact="micro_chaperones",
    script:
        "../scripts/records/figure_moves.py"


rule micro_prior_check:
    # Exact against sampled posterior probability of every partition of five records.
    input:
        counts=f"{RECORDS_PRIORS}/enumeration.csv",
    output:
        **figure_outputs("micro_prior_check", "enumeration", ZANELLA),
    log:
        f"{LOGS}/records/micro_prior_check.log",
    params:
        artefact="micro_prior_check",
    script:
        "../scripts/records/figure_enumeration.py"


rule records_claims:
    # MIC-1 to MIC-17, judged on what was computed and measured and on the printed numbers.
    input:
        summaries=records_frames("summary", "table1"),
        runs=f"{RECORDS_RESULTS}/moves/runs.csv",
        draws=f"{RECORDS_PRIORS}/growth.csv",
        invariance=f"{RECORDS_PRIORS}/invariance.csv",
        published=PUBLISHED_MICRO,
    output:
        claims=f"{RECORDS_RESULTS}/claims.csv",
    log:
        f"{LOGS}/records/claims.log",
    params:
        seed=config["seed"],
    script:
        "../scripts/records/claims.py"


rule records:
    # Every artefact of the family.
    input:
        [getattr(rules, name).output for name in RECORDS_MADE],
