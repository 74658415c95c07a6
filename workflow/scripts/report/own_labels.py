"""The clusters of a data set of the user's own, from the chains of all models on it."""

from pathlib import Path

from reseat.command.stored import write_stored
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    write_stored(
        *(snakemake.wildcards.family, snakemake.wildcards.dataset),
        Path(snakemake.input.data),
        [Path(path) for path in snakemake.input.chains],
        Path(snakemake.output.labels),
    )
