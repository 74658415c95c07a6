"""Printed rows recomputed from other printed numbers."""

from pathlib import Path

from reseat.experiments.supervised.contradictions import contradictions_table
from reseat.experiments.supervised.published import Published
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    published = Published.load(Path(snakemake.input.published[0]).parent)
    table = contradictions_table(snakemake.params.artefact, published)
    write_table(table, snakemake.output.table)
