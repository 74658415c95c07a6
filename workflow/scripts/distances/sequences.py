"""One set of sequences."""

from reseat.datasets import DataSettings, Registry, build_sequences
from reseat.jobs import job

with job(snakemake.log[0]):
    registry = Registry.load(
        snakemake.params.registry, snakemake.params.schema, check_parsers=False
    )
    settings = DataSettings.from_config(snakemake.config["data"])
    sequences = build_sequences(registry, snakemake.wildcards.dataset, settings)
    print(sequences.identity.name, sequences.summary())
    sequences.save(snakemake.output[0])
