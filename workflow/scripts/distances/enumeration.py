"""Exact and sampled posteriors of a few objects, and checks of the posterior's invariances."""

from reseat.files.atomic import write_table
from reseat.papers.distances.studies import count_partitions, measure_invariance
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    params = snakemake.params
    write_table(measure_invariance(params.seed), snakemake.output.invariance)
    counts = count_partitions(params.check["n_items"], params.check["n_sweeps"], params.seed)
    write_table(counts, snakemake.output.counts)
