# reseat: Bayesian clustering experiments, figure by figure and table by table.
#
#   snakemake --cores 8 all          every artefact of every family at the scale of config.yaml
#   snakemake --cores 8 documents    one family
#   snakemake --cores 8 docs_fig2    one artefact; `snakemake --cores 1 list` names them all
from pathlib import Path

from snakemake.utils import min_version

min_version("9.3")

# Where this project lies: another workflow that uses it as a module lies elsewhere.
ROOT = Path(workflow.current_basedir.get_path_or_uri(secret_free=True)).resolve()


configfile: f"{ROOT}/config/config.yaml"
configfile: f"{ROOT}/config/documents.yaml"
configfile: f"{ROOT}/config/records.yaml"
configfile: f"{ROOT}/config/distances.yaml"
configfile: f"{ROOT}/config/relational.yaml"
configfile: f"{ROOT}/config/supervised.yaml"


include: "workflow/inputs/locks.smk"
include: "workflow/inputs/scheduling.smk"
include: "workflow/inputs/resources.smk"
include: "workflow/inputs/common.smk"
include: "workflow/inputs/documents.smk"
include: "workflow/inputs/records.smk"
include: "workflow/inputs/distances.smk"
include: "workflow/inputs/relational.smk"
include: "workflow/inputs/supervised.smk"
include: "workflow/inputs/artefacts.smk"
include: "workflow/inputs/report.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/documents.smk"
include: "workflow/rules/records.smk"
include: "workflow/rules/distances.smk"
include: "workflow/rules/relational.smk"
include: "workflow/rules/supervised.smk"
include: "workflow/rules/artefacts.smk"
include: "workflow/rules/report.smk"
include: "workflow/rules/provenance.smk"
include: "workflow/inputs/code.smk"


localrules:
    all,
    data,
    distances,
    documents,
    list,
    records,
    relational,
    supervised,


rule all:
    default_target: True
    input:
        rules.documents.input,
        rules.records.input,
        rules.distances.input,
        rules.relational.input,
        rules.supervised.input,
        rules.page.output,
        rules.crate.output,
