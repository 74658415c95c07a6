"""Draws from the priors for growing numbers of items."""

from reseat.files.atomic import write_table
from reseat.papers.records.studies import draw_growth
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    growth = snakemake.params.growth
    draws = draw_growth(
        growth["largest"], growth["n_points"], growth["n_draws"], snakemake.params.seed
    )
    write_table(draws, snakemake.output.draws)
