"""ELBO, clusters and time of all restarts, and the starts of SAM."""

from pathlib import Path

from reseat.experiments.relational.published import Published
from reseat.experiments.relational.tables import restarts_table
from reseat.experiments.relational.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    table = restarts_table(
        snakemake.params.artefact,
        read_results(given.restarts, "restarts"),
        read_results(given.sam, "sam"),
        Published.load(Path(given.published[0]).parent),
    )
    write_table(table, snakemake.output.table)
