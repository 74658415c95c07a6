# The whole run in one standard description, an RO-Crate whose root is the folder of the run.


rule crate:
    # ro-crate-metadata.json: workflow, data, configuration, jobs, artefacts and papers.
    input:
        artefacts=rules.page.input.artefacts,
        pages=rules.page.output,
        claims="reports/claims.csv",
        catalogue=CATALOGUE,
        citation=f"{workflow.basedir}/CITATION.cff",
    output:
        configuration="reports/configuration.yaml",
        crate="ro-crate-metadata.json",
    log:
        "logs/report/crate.log",
    params:
        snakefile=f"{workflow.basedir}/Snakefile",
    script:
        "../scripts/report/crate.py"
