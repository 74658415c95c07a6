"""Number of clusters and error rates of one group of models, beside the published."""

from pathlib import Path

from reseat.experiments.records.published import Published
from reseat.experiments.records.tables import readings_table, real_table, table1
from reseat.experiments.records.tidy import read_summaries
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    name = snakemake.params.artefact
    summaries = read_summaries(snakemake.input.summaries)
    published = Published.load(Path(snakemake.input.published[0]).parent).table1
    if name == "micro_real":
        table = real_table(name, summaries)
    else:
        make = {"micro_table1": table1, "micro_readings": readings_table}[name]
        table = make(name, summaries, published)
    write_table(table, snakemake.output.table)
