"""All systems by all metrics, on the data that serve for one set of the paper."""

from pathlib import Path

from reseat.experiments.supervised.published import Published
from reseat.experiments.supervised.tables import metrics_table
from reseat.experiments.supervised.tidy import default_scores, read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given, params = snakemake.input, snakemake.params
    scores = default_scores(
        read_results(given.baselines, "baselines"), read_results(given.chains, "chains")
    )
    published = Published.load(Path(given.published[0]).parent)
    table = metrics_table(params.artefact, params.role, scores, published)
    write_table(table, snakemake.output.table)
