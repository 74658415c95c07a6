# reseat: Bayesian clustering experiments, figure by figure and table by table.
#
#   snakemake --cores 8 all          every artefact of every family at the scale in config.yaml
#   snakemake --cores 8 documents    one family
#   snakemake --cores 8 docs_fig2    one artefact; `snakemake --cores 1 list` names them all
from pathlib import Path

from snakemake.logging import logger
from snakemake.utils import min_version

from reseat.papers.catalogue import CATALOGUE

min_version("9.14")

# The folder of this project, even if a workflow in another folder uses it as a module.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).resolve()


configfile: f"{ROOT}/config/config.yaml"


# Each family stands for one paper, and has its own configuration file and rules file.
for family in CATALOGUE.families:

    configfile: f"{ROOT}/config/{family}.yaml"


include: "workflow/rules/startup.smk"
include: "workflow/rules/resources.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"


for family in CATALOGUE.families:

    include: f"workflow/rules/{family}.smk"


include: "workflow/rules/jobs.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/code.smk"


localrules:
    all,
    data,
    list,
    missing,


if LACKING and workflow.is_main_process:
    # One line at the start; the whole table follows at the end of the run.
    logger.warning(MISSING.sentence(row.dataset for row in RUN_PLAN.available.missing))
    logger.warning("Run `snakemake --cores 1 missing` to see which, and where to get them.")


onsuccess:
    for name in ASKED:
        logger.info(f"{name}: {', '.join(getattr(rules, name).output)}")
    if LACKING:
        logger.warning(missing_table().lstrip())


rule all:
    default_target: True
    input:
        FAMILY_OUTPUTS,
        rules.page.output,
        rules.crate.output,
