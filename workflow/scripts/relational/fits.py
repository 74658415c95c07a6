"""The restarts of every model on one set of relations."""

from reseat.datasets import Relations
from reseat.papers.relational.fits import run_fits
from reseat.papers.relational.plan import Fit
from reseat.provenance.jobs import job

with job(snakemake.log[0], stoppable=True) as stop:
    run_fits(
        [Fit(**fit) for fit in snakemake.params.fits],
        Relations.load(snakemake.input.relations),
        output=snakemake.output.fits,
        scratch=snakemake.params.scratch,
        threads=snakemake.threads,
        stop=stop,
    )
