"""Seconds of a chain beside the times that the paper gives."""

from pathlib import Path

from reseat.experiments.supervised.costs import times_table
from reseat.experiments.supervised.published import Published
from reseat.experiments.supervised.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    table = times_table(
        snakemake.params.artefact,
        read_results(given.diagnostics, "diagnostics"),
        Published.load(Path(given.published[0]).parent),
    )
    write_table(table, snakemake.output.table)
