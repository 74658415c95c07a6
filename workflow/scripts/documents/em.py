"""The EM restarts of one job."""

from reseat.datasets import Corpus
from reseat.experiments.documents.em import run_em_block
from reseat.experiments.documents.plan import Run
from reseat.experiments.documents.snapshots import chain_files, random_labels
from reseat.jobs import job

with job(snakemake.log[0]):
    start = snakemake.input.get("chains")
    run_em_block(
        Run(**snakemake.params.run),
        snakemake.params.numbers,
        Corpus.load(snakemake.input.corpus),
        output=snakemake.output.restarts,
        labels=[random_labels(path) for path in chain_files([start])] if start else None,
        threads=snakemake.threads,
    )
