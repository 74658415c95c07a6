"""Classes of pairs, found by the aspect model."""

from reseat.datasets import Relations
from reseat.files.atomic import write_arrays, write_table
from reseat.papers.relational.studies import find_classes
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    params = snakemake.params
    starts, labels = find_classes(
        Relations.load(snakemake.input.relations),
        snakemake.wildcards.dataset,
        params.aspect,
        params.seed,
        snakemake.threads,
    )
    write_table(starts, snakemake.output.starts)
    write_arrays({"labels": labels}, snakemake.output.labels)
