"""Scores of one model on one data set."""

from reseat.datasets import Corpus
from reseat.files.atomic import write_arrays, write_table
from reseat.papers.documents.plan import Run
from reseat.papers.documents.scores import score_chains, score_restarts
from reseat.papers.documents.studies import chain_files
from reseat.provenance.jobs import job

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
