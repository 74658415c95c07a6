# Kurihara et al. 2006: fits, chains, tables and figures.


rule relational_fits:
    # The restarts of every model on one set of relations; fits that are done are kept if it is cut short.
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
        fits=relational_all_fits,
        scratch=f"{RELATIONAL_RESULTS}/{{dataset}}/unfinished_fits",
    script:
        "../scripts/relational/fits.py"


rule relational_aspect:
    # Classes of pairs by the aspect model.
    input:
        relations=f"{PROCESSED}/relational/{{dataset}}.npz",
    output:
        labels=f"{RELATIONAL_RESULTS}/{{dataset}}/aspect.npz",
        starts=f"{RELATIONAL_RESULTS}/{{dataset}}/sam.csv",
    log:
        f"{LOGS}/relational/{{dataset}}/aspect.log",
    benchmark:
        f"{BENCHMARKS}/relational/{{dataset}}/aspect.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(30),
    params:
        aspect=RELATIONAL.aspect(),
        seed=config["seed"],
    script:
        "../scripts/relational/aspect.py"


rule relational_scores:
    # Coverage and purity of all fits on a set of pairs, and its sorted matrices.
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
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        fits=relational_all_fits,
        n_classes=RELATIONAL.aspect()["n_classes"],
        n_random=RELATIONAL.settings["pairs"]["n_random"],
    script:
        "../scripts/relational/scores.py"


rule relational_types:
    # Clusters of the entities of relations of any number of types.
    input:
        relations=f"{PROCESSED}/relational/{{dataset}}.npz",
        fits=f"{RELATIONAL_RESULTS}/{{dataset}}/fits",
    output:
        types=f"{RELATIONAL_RESULTS}/{{dataset}}/types.csv",
    log:
        f"{LOGS}/relational/{{dataset}}/types.log",
    params:
        fits=relational_all_fits,
    script:
        "../scripts/relational/types.py"


rule relational_toy:
    # A small table before and after sorting.
    input:
        relations=f"{PROCESSED}/relational/{TOY}.npz",
    output:
        toy=f"{RELATIONAL_RESULTS}/toy.npz",
    log:
        f"{LOGS}/relational/toy.log",
    params:
        fit=RELATIONAL.toy(TOY).to_dict(),
    script:
        "../scripts/relational/toy.py"


rule relational_gibbs:
    # Collapsed Gibbs chains that do not see a share of the cells; resumed if they were interrupted.
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
        fits=relational_main_fits,
        reaches=[declared_prior("dirichlet_process").module],
        gibbs=RELATIONAL.settings["gibbs"],
        scratch=f"{RELATIONAL_RESULTS}/{{dataset}}/unfinished",
        checkpoint_seconds=config["chains"]["checkpoint_seconds"],
    script:
        "../scripts/relational/gibbs.py"


rule relational_predictive:
    # Variational fits and chains on the cells that neither has seen.
    input:
        relations=f"{PROCESSED}/relational/{{dataset}}.npz",
        chains=f"{RELATIONAL_RESULTS}/{{dataset}}/gibbs",
    output:
        predictive=f"{RELATIONAL_RESULTS}/{{dataset}}/predictive.csv",
    log:
        f"{LOGS}/relational/{{dataset}}/predictive.log",
    benchmark:
        f"{BENCHMARKS}/relational/{{dataset}}/predictive.tsv"
    threads: THREADS
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(30),
    params:
        fits=relational_main_fits,
        gibbs=RELATIONAL.settings["gibbs"],
    script:
        "../scripts/relational/predictive.py"


rule relational_exact:
    # A table small enough to enumerate: the chains' posterior, and the bound of the fits.
    output:
        counts=f"{RELATIONAL_RESULTS}/exact/enumeration.csv",
        bound=f"{RELATIONAL_RESULTS}/exact/bound.csv",
    log:
        f"{LOGS}/relational/exact.log",
    benchmark:
        f"{BENCHMARKS}/relational/exact.tsv"
    threads: 1
    resources:
        mem_mb=per_attempt(1000),
        runtime=per_attempt(10),
    params:
        check=RELATIONAL.settings["check"],
        seed=config["seed"],
    script:
        "../scripts/relational/exact.py"


# ---- Artefacts: one rule each, named as it is asked for ----------------------------------


rule firm_fig1:
    # A small table before and after its rows and columns are sorted by cluster.
    input:
        toy=f"{RELATIONAL_RESULTS}/toy.npz",
        published=PUBLISHED_FIRM,
    output:
        **figure_outputs("firm_fig1", "toy", KURIHARA),
    log:
        f"{LOGS}/relational/firm_fig1.log",
    params:
        artefact="firm_fig1",
    script:
        "../scripts/relational/figure_toy.py"


rule firm_fig2:
    # The pairs that occur, sorted by the clusters of the IRM.
    input:
        sorted=relational_frames("pairs", "sorted_irm", "npz"),
        restarts=relational_frames("pairs", "restarts"),
        published=PUBLISHED_FIRM,
    output:
        **figure_outputs("firm_fig2", "blocks", KURIHARA),
    log:
        f"{LOGS}/relational/firm_fig2.log",
    params:
        artefact="firm_fig2",
        model="irm",
    script:
        "../scripts/relational/figure_blocks.py"


rule firm_fig3:
    # The pairs that occur, sorted by the clusters of the FIRM.
    input:
        sorted=relational_frames("pairs", "sorted_firm", "npz"),
        restarts=relational_frames("pairs", "restarts"),
        published=PUBLISHED_FIRM,
    output:
        **figure_outputs("firm_fig3", "blocks", KURIHARA),
    log:
        f"{LOGS}/relational/firm_fig3.log",
    params:
        artefact="firm_fig3",
        model="firm",
    script:
        "../scripts/relational/figure_blocks.py"


rule firm_fig4:
    # Share of the cells that each class covers.
    input:
        classes=relational_frames("pairs", "classes"),
    output:
        **figure_outputs("firm_fig4", "classes", KURIHARA),
    log:
        f"{LOGS}/relational/firm_fig4.log",
    params:
        artefact="firm_fig4",
    script:
        "../scripts/relational/figure_classes.py"


rule firm_fig5:
    # Purity of the cells.
    input:
        purity=relational_frames("pairs", "purity"),
    output:
        **figure_outputs("firm_fig5", "purity", KURIHARA),
    log:
        f"{LOGS}/relational/firm_fig5.log",
    params:
        artefact="firm_fig5",
    script:
        "../scripts/relational/figure_purity.py"


rule firm_table1:
    # Words of cells whose pairs belong to many classes.
    input:
        cells=relational_frames("pairs", "cells"),
    output:
        table=table_output("firm_table1", KURIHARA, "relational"),
    log:
        f"{LOGS}/relational/firm_table1.log",
    params:
        artefact="firm_table1",
    script:
        "../scripts/relational/table_cells.py"


rule firm_coverage:
    # Classes covered and purity, of the models and of controls.
    input:
        coverage=relational_frames("pairs", "coverage"),
        purity=relational_frames("pairs", "purity"),
        published=PUBLISHED_FIRM,
    output:
        table=table_output("firm_coverage", KURIHARA, "relational"),
    log:
        f"{LOGS}/relational/firm_coverage.log",
    params:
        artefact="firm_coverage",
    script:
        "../scripts/relational/table_coverage.py"


rule firm_restarts:
    # ELBO, clusters and seconds of all restarts.
    input:
        restarts=relational_frames("pairs", "restarts"),
        sam=relational_frames("pairs", "sam"),
        published=PUBLISHED_FIRM,
    output:
        table=table_output("firm_restarts", KURIHARA, "relational"),
    log:
        f"{LOGS}/relational/firm_restarts.log",
    params:
        artefact="firm_restarts",
    script:
        "../scripts/relational/table_restarts.py"


rule firm_vb_vs_gibbs:
    # Variational inference beside collapsed Gibbs sampling.
    input:
        predictive=relational_frames("gibbs", "predictive"),
        enumeration=f"{RELATIONAL_RESULTS}/exact/enumeration.csv",
        bound=f"{RELATIONAL_RESULTS}/exact/bound.csv",
    output:
        **figure_outputs("firm_vb_vs_gibbs", "inference", KURIHARA),
    log:
        f"{LOGS}/relational/firm_vb_vs_gibbs.log",
    params:
        artefact="firm_vb_vs_gibbs",
    script:
        "../scripts/relational/figure_inference.py"


rule firm_svo:
    # Subjects, verbs and objects clustered at once.
    input:
        types=relational_type_frames(svo=True),
    output:
        table=table_output("firm_svo", KURIHARA, "relational"),
    log:
        f"{LOGS}/relational/firm_svo.log",
    params:
        artefact="firm_svo",
    script:
        "../scripts/relational/table_types.py"


rule firm_kemp:
    # Sets of several types with classes that are known.
    input:
        types=relational_type_frames(svo=False),
    output:
        table=table_output("firm_kemp", KURIHARA, "relational"),
    log:
        f"{LOGS}/relational/firm_kemp.log",
    params:
        artefact="firm_kemp",
    script:
        "../scripts/relational/table_types.py"


rule relational_claims:
    # FIRM-1 and on, judged on what was computed and measured.
    input:
        **{
            name: relational_frames("pairs", name)
            for name in ("restarts", "coverage", "purity", "cells")
        },
        predictive=relational_frames("gibbs", "predictive"),
        published=PUBLISHED_FIRM,
    output:
        claims=f"{RELATIONAL_RESULTS}/claims.csv",
    log:
        f"{LOGS}/relational/claims.log",
    script:
        "../scripts/relational/claims.py"


rule relational:
    # Every artefact of the family.
    input:
        [getattr(rules, name).output for name in RELATIONAL_MADE],
