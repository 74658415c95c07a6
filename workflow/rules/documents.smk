# Walker & Ringger 2008: chains, restarts, scores, tables and figures.


rule documents_chains:
    # The chains of one job, side by side in threads; resumed if it was interrupted.
    input:
        corpus=f"{PROCESSED}/documents/{{dataset}}.npz",
    output:
        chains=directory(f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/chains/block-{{block}}"),
    log:
        f"{LOGS}/documents/{{dataset}}/{{model}}/chains-{{block}}.log",
    benchmark:
        f"{BENCHMARKS}/documents/{{dataset}}/{{model}}/chains-{{block}}.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(240),
    params:
        run=lambda wildcards: DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict(),
        reaches=lambda wildcards: prior_modules(
            DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict()
        ),
        numbers=lambda wildcards: DOCUMENTS.chains_of(
            wildcards.dataset, wildcards.model, int(wildcards.block)
        ),
        scratch=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/unfinished/block-{{block}}",
        checkpoint_seconds=config["chains"]["checkpoint_seconds"],
    script:
        "../scripts/documents/chains.py"


rule documents_em:
    # The EM restarts of one job.
    input:
        corpus=f"{PROCESSED}/documents/{{dataset}}.npz",
        chains=documents_em_start,
    output:
        restarts=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/restarts/block-{{block}}.npz",
    log:
        f"{LOGS}/documents/{{dataset}}/{{model}}/restarts-{{block}}.log",
    benchmark:
        f"{BENCHMARKS}/documents/{{dataset}}/{{model}}/restarts-{{block}}.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        run=lambda wildcards: DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict(),
        numbers=lambda wildcards: DOCUMENTS.chains_of(
            wildcards.dataset, wildcards.model, int(wildcards.block)
        ),
    script:
        "../scripts/documents/em.py"


rule documents_scores:
    # Every summary of every chain, or every restart, against the true classes.
    input:
        corpus=f"{PROCESSED}/documents/{{dataset}}.npz",
        blocks=documents_block_files,
    output:
        scores=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/scores.csv",
        traces=f"{DOCUMENTS_RESULTS}/{{dataset}}/{{model}}/traces.npz",
    log:
        f"{LOGS}/documents/{{dataset}}/{{model}}/scores.log",
    benchmark:
        f"{BENCHMARKS}/documents/{{dataset}}/{{model}}/scores.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(2000),
        runtime=per_attempt(30),
    params:
        run=lambda wildcards: DOCUMENTS.run(wildcards.dataset, wildcards.model).to_dict(),
        loss_chains=DOCUMENTS.settings["loss_chains"],
    script:
        "../scripts/documents/scores.py"


# ---- Artefacts: one rule each, named as it is asked for ----------------------------------


rule docs_table1:
    # Summaries of a chain on del.icio.us.
    input:
        scores=documents_results("delicious", ["gibbs"]),
        published=f"{PUBLISHED}/docs_table1.csv",
    output:
        table=table_output("docs_table1", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_table1.log",
    params:
        artefact="docs_table1",
        role="delicious",
    script:
        "../scripts/documents/table_summaries.py"


use rule docs_table1 as docs_table2 with:
    # Summaries of a chain on 20 Newsgroups.
    input:
        scores=documents_results("newsgroups", ["gibbs"]),
        published=f"{PUBLISHED}/docs_table2.csv",
    output:
        table=table_output("docs_table2", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_table2.log",
    params:
        artefact="docs_table2",
        role="newsgroups",


use rule docs_table1 as docs_table3 with:
    # Summaries of a chain on Enron.
    input:
        scores=documents_results("enron", ["gibbs"]),
        published=f"{PUBLISHED}/docs_table3.csv",
    output:
        table=table_output("docs_table3", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_table3.log",
    params:
        artefact="docs_table3",
        role="enron",


use rule docs_table1 as docs_readings with:
    # What another stop list, or the subject line, does to Table 2.
    input:
        scores=documents_readings("newsgroups"),
        published=f"{PUBLISHED}/docs_table2.csv",
    output:
        table=table_output("docs_readings", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_readings.log",
    params:
        artefact="docs_readings",
        role="newsgroups",


rule docs_table4:
    # Gibbs against EM on del.icio.us.
    input:
        scores=documents_results("delicious", ["gibbs", *DOCUMENTS_EM]),
        published=f"{PUBLISHED}/docs_table4.csv",
    output:
        table=table_output("docs_table4", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_table4.log",
    params:
        artefact="docs_table4",
        role="delicious",
    script:
        "../scripts/documents/table_methods.py"


use rule docs_table4 as docs_table5 with:
    # Gibbs against EM on 20 Newsgroups.
    input:
        scores=documents_results("newsgroups", ["gibbs", *DOCUMENTS_EM]),
        published=f"{PUBLISHED}/docs_table5.csv",
    output:
        table=table_output("docs_table5", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_table5.log",
    params:
        artefact="docs_table5",
        role="newsgroups",


use rule docs_table4 as docs_table6 with:
    # Gibbs against EM on Enron.
    input:
        scores=documents_results("enron", ["gibbs", *DOCUMENTS_EM]),
        published=f"{PUBLISHED}/docs_table6.csv",
    output:
        table=table_output("docs_table6", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_table6.log",
    params:
        artefact="docs_table6",
        role="enron",


rule docs_table7:
    # The classes in the clusters of one sample, 20 Newsgroups.
    input:
        corpus=lambda _: documents_corpora("newsgroups")[0],
        blocks=documents_blocks("newsgroups"),
        published=f"{PUBLISHED}/docs_table7.csv",
    output:
        table=table_output("docs_table7", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_table7.log",
    params:
        artefact="docs_table7",
        role="newsgroups",
        sweep=100,
    script:
        "../scripts/documents/table_contingency.py"


rule docs_extensions:
    # Beyond the paper: K unknown, EM from Gibbs, partitions of least expected loss.
    input:
        scores=documents_results(None, DOCUMENTS_MODELS),
    output:
        table=table_output("docs_extensions", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_extensions.log",
    params:
        artefact="docs_extensions",
        roles=DOCUMENTS_ROLES,
    script:
        "../scripts/documents/table_extensions.py"


rule docs_fig2:
    # Log joint against the sweep.
    input:
        corpora=documents_corpora(),
        traces=documents_results(None, ["gibbs"], "traces.npz"),
    output:
        **figure_outputs("docs_fig2", "traces", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_fig2.log",
    params:
        artefact="docs_fig2",
        roles=DOCUMENTS_ROLES,
    script:
        "../scripts/documents/figure_traces.py"


rule docs_fig3:
    # Label switching within a chain, Enron.
    input:
        corpus=lambda _: documents_corpora("enron")[0],
        blocks=documents_blocks("enron"),
    output:
        **figure_outputs("docs_fig3", "switching", WALKER_RINGGER),
        summary=f"{REPORTS}/tables/docs_fig3_summary.csv",
    log:
        f"{LOGS}/documents/docs_fig3.log",
    params:
        artefact="docs_fig3",
        role="enron",
        n_clusters=lambda _: documents_run("enron").n_clusters,
        sweeps=lambda _: documents_run("enron").switching_sweeps(),
    script:
        "../scripts/documents/figure_switching.py"


rule docs_fig4:
    # Score of a single sample against its place in the chain, del.icio.us.
    input:
        corpora=documents_corpora("delicious"),
        scores=documents_results("delicious", ["gibbs"]),
    output:
        **figure_outputs("docs_fig4", "samples", WALKER_RINGGER),
    log:
        f"{LOGS}/documents/docs_fig4.log",
    params:
        artefact="docs_fig4",
        role="delicious",
    script:
        "../scripts/documents/figure_samples.py"


rule documents_claims:
    # DOC-1 to DOC-8, judged on what was measured and on the printed numbers.
    input:
        scores=documents_results(None, DOCUMENTS_MODELS),
        corpora=documents_corpora(),
        traces=documents_results(None, ["gibbs"], "traces.npz"),
        switching=f"{REPORTS}/tables/docs_fig3_summary.csv",
        table7=f"{REPORTS}/tables/docs_table7.csv",
        published_summaries=[f"{PUBLISHED}/docs_table{number}.csv" for number in (1, 2, 3)],
        published_methods=[f"{PUBLISHED}/docs_table{number}.csv" for number in (4, 5, 6)],
        published_table7=f"{PUBLISHED}/docs_table7.csv",
    output:
        claims=f"{DOCUMENTS_RESULTS}/claims.csv",
    log:
        f"{LOGS}/documents/claims.log",
    params:
        roles=DOCUMENTS_ROLES,
        seed=config["seed"],
    script:
        "../scripts/documents/claims.py"


rule documents:
    # Every artefact of the family.
    input:
        [getattr(rules, name).output for name in DOCUMENTS_MADE],
