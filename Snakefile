# reseat: Bayesian clustering experiments, figure by figure and table by table.
#
#   snakemake --cores 8 all          every artefact of every family at the scale of config.yaml
#   snakemake --cores 8 documents    one family
#   snakemake --cores 8 docs_fig2    one artefact; `snakemake --cores 1 list` names them all
from snakemake.utils import min_version

min_version("9.3")


configfile: f"{workflow.basedir}/config/config.yaml"
configfile: f"{workflow.basedir}/config/documents.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/documents.smk"
include: "workflow/rules/report.smk"


localrules:
    all,
    data,


rule all:
    input:
        expand(f"{RESULTS}/{{dataset}}/{{model}}/scores.csv", dataset=DOCUMENTS.datasets, model=DOCUMENTS.models),
    default_target: True
