"""The chains of one job."""

from reseat.datasets import Corpus
from reseat.papers.documents.chains import run_chain_block
from reseat.papers.documents.plan import Run
from reseat.provenance.jobs import job, resumable

with job(snakemake.log[0], stoppable=True) as stop:
    run_chain_block(
        Run(**snakemake.params.run),
        snakemake.params.numbers,
        Corpus.load(snakemake.input.corpus),
        **resumable(snakemake, stop),
    )
