"""Classes covered, numbers of clusters and purity, beside the paper's and those of controls."""

from pathlib import Path

from reseat.experiments.relational.coverage import coverage_table
from reseat.experiments.relational.published import Published
from reseat.experiments.relational.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    table = coverage_table(
        snakemake.params.artefact,
        read_results(given.coverage, "coverage"),
        read_results(given.purity, "purity"),
        Published.load(Path(given.published[0]).parent),
    )
    write_table(table, snakemake.output.table)
