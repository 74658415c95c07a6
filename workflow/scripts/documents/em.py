"""The EM restarts of one job."""

from pathlib import Path

from reseat.datasets import Corpus
from reseat.papers.documents.plan import Run
from reseat.papers.documents.studies import random_labels, run_em_block
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    run, numbers = Run(**snakemake.params.run), snakemake.params.numbers
    starts = [Path(start, run.file(n)) for start in snakemake.input.chains for n in numbers]
    run_em_block(
        run,
        numbers,
        Corpus.load(snakemake.input.corpus),
        output=snakemake.output.restarts,
        labels=[random_labels(path) for path in starts] or None,
        threads=snakemake.threads,
    )
