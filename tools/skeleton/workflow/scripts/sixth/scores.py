"""Scores of the chains of all models on a data set."""

from reseat.datasets import Corpus
from reseat.files.atomic import write_table
from reseat.papers.sixth.plan import Run
from reseat.papers.sixth.scores import score_models
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    runs = [Run(**run) for run in snakemake.params.runs]
    corpus = Corpus.load(snakemake.input.corpus)
    scores = score_models(runs, corpus, snakemake.input.chains)
    write_table(scores, snakemake.output.scores)
