# What is made of all families together.

CATALOGUE = f"{workflow.basedir}/config/artefacts.yaml"


rule claims:
    # The verdicts on the claims of all papers.
    input:
        claims=[
            *([f"{DOCUMENTS_RESULTS}/claims.csv"] if "documents_claims" in DOCUMENTS_MADE else []),
            *([f"{RECORDS_RESULTS}/claims.csv"] if "records_claims" in RECORDS_MADE else []),
            f"{DISTANCES_RESULTS}/claims.csv",
            *(
                [f"{RELATIONAL_RESULTS}/claims.csv"]
                if "relational_claims" in RELATIONAL_MADE
                else []
            ),
        ],
    output:
        claims=report(
            "reports/claims.csv",
            caption="../report/claims.rst",
            category="Claims",
        ),
    log:
        "logs/report/claims.log",
    conda:
        ENVIRONMENT
    script:
        "../scripts/report/claims.py"


rule page:
    # The report: reports/index.html.
    input:
        artefacts=[
            *rules.documents.input,
            *rules.records.input,
            *rules.distances.input,
            *rules.relational.input,
        ],
        claims="reports/claims.csv",
        catalogue=CATALOGUE,
        corpora=documents_corpora(),
        records=expand("data/processed/records/{dataset}", dataset=RECORDS.needed),
        objects=expand("data/processed/distances/{dataset}", dataset=DISTANCES.datasets),
        relations=expand(
            "data/processed/relational/{dataset}.npz", dataset=[*RELATIONAL.datasets, TOY]
        ),
        scores=documents_results(None, DOCUMENTS.models),
        traces=documents_results(None, DOCUMENTS.models, "traces.npz"),
    output:
        page="reports/index.html",
    log:
        "logs/report/page.log",
    conda:
        ENVIRONMENT
    params:
        scale=SCALE,
        roles=DOCUMENTS_ROLES,
        record_roles={dataset: RECORDS.role(dataset) for dataset in RECORDS.needed},
        object_roles={dataset: DISTANCES.role(dataset) for dataset in DISTANCES.datasets},
        relation_roles={name: RELATIONAL.role(name) for name in [*RELATIONAL.datasets, TOY]},
        more_runs=[
            *records_report_runs(),
            *distances_report_runs(),
            *relational_report_runs(),
        ],
        benchmarks=f"results/benchmarks/{SCALE}",
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
    input:
        catalogue=CATALOGUE,
    log:
        "logs/report/list.log",
    conda:
        ENVIRONMENT
    script:
        "../scripts/report/list.py"
