# What is made of all families together.


rule claims:
    # The verdicts on the claims of all papers.
    input:
        claims=[
            f"{RESULTS}/{plan.family}/claims.csv"
            for plan in PLANS
            if f"{plan.family}_claims" in MADE
        ],
    output:
        claims=report(
            f"{REPORTS}/claims.csv",
            caption="../report/claims.rst",
            category="Claims",
        ),
    log:
        f"{LOGS}/report/claims.log",
    script:
        "../scripts/report/claims.py"


rule diagnostics:
    # R-hat, effective samples, moves and traces of the chains of all families.
    input:
        chains=chains_of_all_families(),
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
    resources:
        mem_mb=per_attempt(1500),
        runtime=per_attempt(30),
    params:
        datasets=REPORTED,
    script:
        "../scripts/report/diagnostics.py"


rule page:
    # The report of the run: its pages, and every number beside the published one. Beside the reports
    # of all runs it renews reports/index.html, which belongs to none of them.
    input:
        artefacts=[path for plan in PLANS for path in getattr(rules, plan.family).input],
        claims=f"{REPORTS}/claims.csv",
        diagnostics=f"{REPORTS}/diagnostics.csv",
        restarts=f"{RESULTS}/report/restarts.csv",
        chain_traces=f"{RESULTS}/report/traces.npz",
        corpora=expand(f"{PROCESSED}/documents/{{dataset}}.npz", dataset=DOCUMENTS.datasets),
        records=expand(f"{PROCESSED}/records/{{dataset}}", dataset=RECORDS.needed),
        objects=expand(f"{PROCESSED}/distances/{{dataset}}", dataset=DISTANCES.datasets),
        relations=expand(
            f"{PROCESSED}/relational/{{dataset}}.npz", dataset=[*RELATIONAL.datasets, TOY]
        ),
        references=expand(f"{PROCESSED}/references/{{dataset}}.npz", dataset=SUPERVISED.datasets),
        scores=documents_results("scores.csv"),
        traces=documents_results("traces.npz"),
    output:
        pages=expand(f"{REPORTS}/{{page}}.html", page=PAGES),
        card=f"{REPORTS}/run.json",
        comparison=report(
            f"{REPORTS}/comparison.csv",
            caption="../report/comparison.rst",
            category="Comparison",
        ),
    log:
        f"{LOGS}/report/page.log",
    params:
        scale=SCALE,
        other_code=made_by_other_code,
        roles=DOCUMENTS_ROLES,
        record_roles={dataset: RECORDS.role(dataset) for dataset in RECORDS.needed},
        object_roles={dataset: DISTANCES.role(dataset) for dataset in DISTANCES.datasets},
        relation_roles={name: RELATIONAL.role(name) for name in [*RELATIONAL.datasets, TOY]},
        reference_roles={name: SUPERVISED.role(name) for name in SUPERVISED.datasets},
        more_runs=[
            *records_report_runs(),
            *distances_report_runs(),
            *relational_report_runs(),
            *supervised_report_runs(),
        ],
        benchmarks=f"{BENCHMARKS}",
        published=PUBLISHED,
        settings={
            "scale": SCALE,
            "seed": config["seed"],
            "data.missing": config["data"]["missing"],
            "data sets replaced": AVAILABLE.replaced or "none",
            "data sets left out": ", ".join(AVAILABLE.skipped) or "none",
        },
    script:
        "../scripts/report/page.py"


rule list:
    # Every artefact, with one line on what it shows.
    log:
        f"{LOGS}/report/list.log",
    script:
        "../scripts/report/list.py"
