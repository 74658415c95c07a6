"""Scores of one model on one data set."""

from reseat.datasets import Corpus
from reseat.experiments.documents.plan import Run
from reseat.experiments.documents.scoring import score_chains, score_restarts
from reseat.experiments.documents.snapshots import chain_files
from reseat.io import write_arrays, write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    run = Run(**snakemake.params.run)
    corpus = Corpus.load(snakemake.input.corpus)
    if run.settings["kind"] == "chains":
        files = chain_files(snakemake.input.blocks)
        scores, arrays = score_chains(run, corpus, files, snakemake.params.loss_chains)
    else:
        scores, arrays = score_restarts(run, corpus, snakemake.input.blocks)
    write_table(scores, snakemake.output.scores)
    write_arrays(arrays, snakemake.output.traces)
