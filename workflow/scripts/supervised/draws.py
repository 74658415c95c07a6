"""Scores of systems on several draws of the items of a data set."""

from functools import partial

from reseat.datasets import build, configured
from reseat.files.atomic import write_table
from reseat.papers.supervised.baselines import score_draws
from reseat.papers.supervised.scales import draw_rows
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    params, name = snakemake.params, snakemake.wildcards.dataset
    registry, data = configured(snakemake.config, params.root, check_parsers=False)
    scores = score_draws(
        lambda seed: build(registry, name, data, seed, "mentions"),
        name,
        role=params.role,
        embedding=params.embedding,
        settings=params.settings,
        seed=params.seed,
        n_draws=params.n_draws,
        threads=snakemake.threads,
        sample=partial(draw_rows, params.models),
    )
    write_table(scores, snakemake.output.draws)
