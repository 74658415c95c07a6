"""The chains of some models on a data set."""

from reseat.datasets import EmbeddedMentions
from reseat.papers.chains import run_studies
from reseat.papers.supervised.chains import chains_of
from reseat.papers.supervised.plan import Run
from reseat.provenance.jobs import job, resumable

with job(snakemake.log[0], stoppable=True) as stop:
    references = EmbeddedMentions.load(snakemake.input.references)
    run_studies(
        [Run(**run) for run in snakemake.params.runs],
        lambda run: chains_of(run, references),
        **resumable(snakemake, stop),
    )
