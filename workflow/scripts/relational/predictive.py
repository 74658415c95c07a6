"""Scores of variational fits and of chains on held-out cells."""

from pathlib import Path

import pandas as pd

from reseat.datasets import Relations
from reseat.files.atomic import write_table
from reseat.papers.relational.chains import score_comparison
from reseat.papers.relational.plan import Fit
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    rows = score_comparison(
        {model: Fit(**fit) for model, fit in params.fits.items()},
        Relations.load(given.relations),
        Path(given.chains),
        params.gibbs,
        threads=snakemake.threads,
    )
    write_table(pd.DataFrame(rows), snakemake.output.predictive)
