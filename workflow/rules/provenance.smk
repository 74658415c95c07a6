# All runs in one standard description, an RO-Crate whose root is the folder of the project.


rule crate:
    # The configuration of the run, and ro-crate-metadata.json: workflow, data, configurations, jobs,
    # artefacts and papers of all runs. No run owns the second one, so it is no output of this rule.
    input:
        artefacts=rules.page.input.artefacts,
        pages=rules.page.output,
        claims=f"{REPORTS}/claims.csv",
        citation=f"{ROOT}/CITATION.cff",
    output:
        configuration=f"{REPORTS}/configuration.yaml",
    log:
        f"{LOGS}/report/crate.log",
    params:
        other_code=made_by_other_code,
        snakefile=f"{ROOT}/Snakefile",
    script:
        "../scripts/report/crate.py"
