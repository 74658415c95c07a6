"""The labelled items of a data set, as texts, numbers or pixels."""

from reseat.datasets import DataSettings, Registry, build_mentions
from reseat.jobs import job

with job(snakemake.log[0]):
    registry = Registry.load(
        snakemake.params.registry, snakemake.params.schema, check_parsers=False
    )
    settings = DataSettings.from_config(snakemake.config["data"])
    mentions = build_mentions(
        registry, snakemake.wildcards.dataset, settings, snakemake.params.seed
    )
    print(mentions.identity.name, mentions.summary())
    mentions.save(snakemake.output[0])
