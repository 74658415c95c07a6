"""Scores of every system that is not sampled, on a data set."""

import pandas as pd

from reseat.datasets import EmbeddedMentions, Mentions
from reseat.files.atomic import write_table
from reseat.papers.supervised.baselines import score_baselines
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    params = snakemake.params
    rows = score_baselines(
        EmbeddedMentions.load(snakemake.input.references),
        Mentions.load(snakemake.input.mentions),
        role=params.role,
        settings=params.settings,
        seed=params.seed,
        n_seeds=params.n_seeds,
        threads=snakemake.threads,
    )
    write_table(pd.DataFrame(rows), snakemake.output.baselines)
