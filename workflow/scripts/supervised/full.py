"""The model of two covariances on a data set: the settings chosen for it, and its chains."""

from threadpoolctl import threadpool_limits

from reseat.datasets import EmbeddedMentions, Mentions
from reseat.files.atomic import write_table
from reseat.papers.supervised.studies import full_frames, kinds_of_coordinates
from reseat.provenance.jobs import job

with job(snakemake.log[0]), threadpool_limits(1):
    params, settings = snakemake.params, dict(snakemake.params.settings)
    references = EmbeddedMentions.load(snakemake.input.references)
    coordinates = kinds_of_coordinates(
        references,
        Mentions.load(snakemake.input.mentions),
        settings.pop("coordinates"),
        **params.embedding,
    )
    identity = {
        "dataset": snakemake.wildcards.dataset,
        "status": references.identity.status,
        "role": params.role,
    }
    trials, chains = full_frames(references, coordinates, identity, seed=params.seed, **settings)
    write_table(trials, snakemake.output.full_trials)
    write_table(chains, snakemake.output.full)
