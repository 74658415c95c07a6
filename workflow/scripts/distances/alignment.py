"""Local alignment scores of all pairs of sequences; an interrupted job keeps finished rows."""

from reseat.datasets import Sequences, align_sequences
from reseat.provenance.jobs import job

with job(snakemake.log[0], stoppable=True) as stop:
    align_sequences(
        Sequences.load(snakemake.input.sequences),
        snakemake.output.scores,
        snakemake.params.scratch,
        threads=snakemake.threads,
        stop=stop,
        **snakemake.params.alignment,
    )
