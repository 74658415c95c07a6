# Rules that combine the results of all families, and rules that only print something.

# Family, data set and path of each folder of chains, or of fits whose restarts are compared.
CHAIN_FOLDERS = [
    (family, dataset, path)
    for family, plan in FAMILIES.items()
    for dataset in plan.modelled
    for path in chains_on(plan, dataset)
]
# The clusters of each data set of the user's own.
OWN_LABELS = [
    f"{REPORTS}/own/{family}/{dataset}"
    for family, plan in FAMILIES.items()
    for dataset in plan.modelled
    if dataset in REGISTRY and REGISTRY[dataset].status == "own" and chains_on(plan, dataset)
]


rule data:
    # Every processed data set of the run. Each job itself finds its raw files, verifies their hashes
    # and, where they have a pinned URL, downloads them.
    input:
        [path for plan in FAMILIES.values() for path in stored(plan)],


rule own_labels:
    # The clusters that each model finds in a data set of the user's own, with a page about them.
    input:
        data=lambda wildcards: f"{PROCESSED}/{FAMILIES[wildcards.family].stored(wildcards.dataset)}",
        chains=lambda wildcards: chains_on(FAMILIES[wildcards.family], wildcards.dataset),
    output:
        labels=directory(f"{REPORTS}/own/{{family}}/{{dataset}}"),
    log:
        f"{LOGS}/report/own/{{family}}/{{dataset}}.log",
    benchmark:
        f"{BENCHMARKS}/report/own/{{family}}/{{dataset}}.tsv"
    group:
        "report"
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(30),
    script:
        "../scripts/report/own_labels.py"


rule labels:
    # The clusters of all data sets of the user's own.
    input:
        OWN_LABELS,
    localrule: True


rule claims:
    # The verdicts on the claims of all papers.
    input:
        claims=[
            f"{RESULTS}/{plan.family}/claims.csv"
            for plan in FAMILIES.values()
            if f"{plan.family}_claims" in MAKEABLE
        ],
    output:
        claims=report(
            f"{REPORTS}/claims.csv",
            caption="../report/claims.rst",
            category="Claims",
        ),
    log:
        f"{LOGS}/report/claims.log",
    group:
        "report"
    script:
        "../scripts/report/claims.py"


rule diagnostics:
    # R-hat, effective sample size, share of moved items and traces of the chains of all families.
    input:
        chains=[path for _, _, path in CHAIN_FOLDERS],
    output:
        diagnostics=report(
            f"{REPORTS}/diagnostics.csv",
            caption="../report/diagnostics.rst",
            category="Diagnostics",
        ),
        restarts=f"{RESULTS}/report/restarts.csv",
        traces=f"{RESULTS}/report/traces.npz",
    log:
        f"{LOGS}/report/diagnostics.log",
    benchmark:
        f"{BENCHMARKS}/report/diagnostics.tsv"
    group:
        "report"
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(30),
    params:
        folders=CHAIN_FOLDERS,
    script:
        "../scripts/report/diagnostics.py"


rule page:
    # The report of the run: its pages, and every number next to the published one. The job also
    # renews the list of all runs, reports/index.html, which belongs to no single run.
    input:
        artefacts=FAMILY_OUTPUTS,
        own=OWN_LABELS,
        claims=f"{REPORTS}/claims.csv",
        diagnostics=f"{REPORTS}/diagnostics.csv",
        restarts=f"{RESULTS}/report/restarts.csv",
        chain_traces=f"{RESULTS}/report/traces.npz",
        data=rules.data.input,
        # Published run times that no table contains next to ours.
        times=[
            in_place(f"{PUBLISHED}/{time['file']}")
            for paper in CATALOGUE.papers.values()
            for time in paper.times
        ],
    output:
        pages=expand(
            f"{REPORTS}/{{page}}.html",
            page=["index", "data", "diagnostics", "timings", *CATALOGUE.papers],
        ),
        card=f"{REPORTS}/run.json",
        comparison=report(
            f"{REPORTS}/comparison.csv",
            caption="../report/comparison.rst",
            category="Comparison",
        ),
    log:
        f"{LOGS}/report/page.log",
    group:
        "report"
    params:
        reaches=CATALOGUE.claim_modules,
        scale=SCALE,
        # Only what this run makes; files of other artefacts may be left over from an earlier run.
        artefacts=[name for name in CATALOGUE.artefacts if name in MAKEABLE],
        other_code=made_by_other_code,
        # Family, role and file of each data set.
        datasets=[
            (family, plan.role(name), path)
            for family, plan in FAMILIES.items()
            for name, path in zip(plan.needed, stored(plan))
        ],
        runs=[run for plan in FAMILIES.values() for run in plan.reported_runs()],
        settings={
            "scale": SCALE,
            "seed": config["seed"],
            "data.missing": config["data"]["missing"],
            "data sets replaced": RUN_PLAN.available.replaced or "none",
            "data sets left out": ", ".join(RUN_PLAN.available.skipped) or "none",
            "made in part": {
                name: f"without {', '.join(lacked)}" for name, lacked in MISSING.in_part.items()
            }
            or "none",
        },
    script:
        "../scripts/report/page.py"


rule crate:
    # The configuration of the run, and ro-crate-metadata.json: the workflow, data, configurations,
    # jobs, artefacts and papers of all runs. The latter belongs to no single run, so it is not an
    # output.
    input:
        artefacts=rules.page.input.artefacts,
        pages=rules.page.output,
        claims=f"{REPORTS}/claims.csv",
        citation=local(os.path.relpath(f"{ROOT}/CITATION.cff")),
    output:
        configuration=f"{REPORTS}/configuration.yaml",
    log:
        f"{LOGS}/report/crate.log",
    group:
        "report"
    params:
        configuration=lambda wildcards: config,
        other_code=made_by_other_code,
        # It takes `output` so that Snakemake does not compare it: the project may be moved.
        snakefile=lambda wildcards, output: f"{ROOT}/workflow/Snakefile",
    script:
        "../scripts/report/crate.py"


rule missing:
    # The data that the run lacks, where to get them, and what cannot be made without them.
    log:
        f"{LOGS}/report/missing.log",
    params:
        table=lambda wildcards: shortfall_table(RUN_PLAN, CATALOGUE.products),
    script:
        "../scripts/report/missing.py"


rule list:
    # Every artefact, with one line on what it shows.
    log:
        f"{LOGS}/report/list.log",
    script:
        "../scripts/report/list.py"
