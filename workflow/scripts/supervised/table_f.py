"""F of the learned systems on all data."""

from pathlib import Path

from reseat.experiments.supervised.published import Published
from reseat.experiments.supervised.tables import f_table
from reseat.experiments.supervised.tidy import default_scores, read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    scores = default_scores(
        read_results(given.baselines, "baselines"), read_results(given.chains, "chains")
    )
    published = Published.load(Path(given.published[0]).parent)
    table = f_table(snakemake.params.artefact, scores, published)
    write_table(table, snakemake.output.table)
