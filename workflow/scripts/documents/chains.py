"""The chains of one job."""

from reseat.datasets import Corpus
from reseat.papers.documents.chains import run_chain_block
from reseat.papers.documents.plan import Run
from reseat.provenance.jobs import job

with job(snakemake.log[0], stoppable=True) as stop:
    run_chain_block(
        Run(**snakemake.params.run),
        snakemake.params.numbers,
        Corpus.load(snakemake.input.corpus),
        output=snakemake.output.chains,
        scratch=snakemake.params.scratch,
        threads=snakemake.threads,
        checkpoint_seconds=snakemake.params.checkpoint_seconds,
        stop=stop,
    )
