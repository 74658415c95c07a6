"""One set of relations."""

from reseat.datasets import DataSettings, Registry, build_relations
from reseat.jobs import job

with job(snakemake.log[0]):
    registry = Registry.load(
        snakemake.params.registry, snakemake.params.schema, check_parsers=False
    )
    settings = DataSettings.from_config(snakemake.config["data"])
    relations = build_relations(registry, snakemake.wildcards.dataset, settings)
    print(relations.identity.name, relations.summary())
    relations.save(snakemake.output[0])
