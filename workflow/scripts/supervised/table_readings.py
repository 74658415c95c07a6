"""SCDP-3 in both readings and from every start, other variants and summaries."""

from pathlib import Path

from reseat.experiments.supervised.published import Published
from reseat.experiments.supervised.readings import readings_table
from reseat.experiments.supervised.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    kinds = ("chains", "min_vi", "baselines", "diagnostics", "data")
    table = readings_table(
        snakemake.params.artefact,
        **{kind: read_results(getattr(given, kind), kind) for kind in kinds},
        published=Published.load(Path(given.published[0]).parent),
    )
    write_table(table, snakemake.output.table)
