# Daumé & Marcu 2005: chains, baselines, tables and figures.


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


# ---- Artefacts: one rule each, named as it is asked for ----------------------------------


rule scdp_table1:
    # All systems on digits.
    input:
        baselines=supervised_frames("baselines", "digits"),
        chains=supervised_frames("chains", "digits"),
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_table1", DAUME_MARCU),
    log:
        f"{LOGS}/supervised/scdp_table1.log",
    params:
        artefact="scdp_table1",
        role="digits",
    script:
        "../scripts/supervised/table_systems.py"


use rule scdp_table1 as scdp_table2 with:
    # All systems on references to people.
    input:
        baselines=supervised_frames("baselines", "identity"),
        chains=supervised_frames("chains", "identity"),
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_table2", DAUME_MARCU),
    log:
        f"{LOGS}/supervised/scdp_table2.log",
    params:
        artefact="scdp_table2",
        role="identity",


use rule scdp_table1 as scdp_table3 with:
    # All systems on proper nouns.
    input:
        baselines=supervised_frames("baselines", "coref"),
        chains=supervised_frames("chains", "coref"),
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_table3", DAUME_MARCU),
    log:
        f"{LOGS}/supervised/scdp_table3.log",
    params:
        artefact="scdp_table3",
        role="coref",


use rule scdp_table1 as scdp_table4 with:
    # All systems on citations.
    input:
        baselines=supervised_frames("baselines", "refmatch"),
        chains=supervised_frames("chains", "refmatch"),
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_table4", DAUME_MARCU),
    log:
        f"{LOGS}/supervised/scdp_table4.log",
    params:
        artefact="scdp_table4",
        role="refmatch",


rule scdp_table5:
    # F of the learned systems on all data.
    input:
        baselines=supervised_frames("baselines"),
        chains=supervised_frames("chains"),
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_table5", DAUME_MARCU),
    log:
        f"{LOGS}/supervised/scdp_table5.log",
    params:
        artefact="scdp_table5",
    script:
        "../scripts/supervised/table_f.py"


rule scdp_fig3:
    # Number of clusters of n items.
    input:
        growth=supervised_frames("growth"),
        growth_fit=supervised_frames("growth_fit"),
    output:
        **figure_outputs("scdp_fig3", "entities", DAUME_MARCU),
    log:
        f"{LOGS}/supervised/scdp_fig3.log",
    params:
        artefact="scdp_fig3",
    script:
        "../scripts/supervised/figure_growth.py"


rule scdp_contradictions:
    # Printed rows that cannot be right.
    input:
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_contradictions", DAUME_MARCU, "contradictions"),
    log:
        f"{LOGS}/supervised/scdp_contradictions.log",
    params:
        artefact="scdp_contradictions",
    script:
        "../scripts/supervised/table_contradictions.py"


rule scdp_readings:
    # SCDP-3 in both readings, other variants, samples and summaries.
    input:
        **{
            kind: supervised_frames(kind)
            for kind in ("chains", "min_vi", "baselines", "diagnostics", "data")
        },
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_readings", DAUME_MARCU, "readings"),
    log:
        f"{LOGS}/supervised/scdp_readings.log",
    params:
        artefact="scdp_readings",
    script:
        "../scripts/supervised/table_readings.py"


rule scdp_times:
    # Seconds of a chain beside the authors' own.
    input:
        diagnostics=supervised_frames("diagnostics"),
        published=PUBLISHED_SCDP,
    output:
        table=table_output("scdp_times", DAUME_MARCU, "times"),
    log:
        f"{LOGS}/supervised/scdp_times.log",
    params:
        artefact="scdp_times",
    script:
        "../scripts/supervised/table_times.py"


rule scdp_moves:
    # Effective draws a second of other moves, forms and priors.
    input:
        moves=supervised_frames("moves"),
    output:
        table=table_output("scdp_moves", DAUME_MARCU, "speeds"),
    log:
        f"{LOGS}/supervised/scdp_moves.log",
    params:
        artefact="scdp_moves",
    script:
        "../scripts/supervised/table_moves.py"


rule scdp_check:
    # Exact against sampled posterior of a few items.
    input:
        counts=f"{SUPERVISED_RESULTS}/enumeration.csv",
    output:
        **figure_outputs("scdp_check", "enumeration", DAUME_MARCU),
    log:
        f"{LOGS}/supervised/scdp_check.log",
    params:
        artefact="scdp_check",
    script:
        "../scripts/supervised/figure_check.py"


rule supervised_claims:
    # SC-1 and on, judged on what was measured and on what the paper prints.
    input:
        **{
            kind: supervised_frames(kind)
            for kind in ("baselines", "chains", "diagnostics", "data", "growth")
        },
        published=PUBLISHED_SCDP,
    output:
        claims=f"{SUPERVISED_RESULTS}/claims.csv",
    log:
        f"{LOGS}/supervised/claims.log",
    params:
        titles={name: REGISTRY[name].title for name in SUPERVISED.datasets},
    script:
        "../scripts/supervised/claims.py"


rule supervised:
    # Every artefact of the family.
    input:
        [getattr(rules, name).output for name in SUPERVISED_MADE],
