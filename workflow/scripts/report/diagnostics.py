"""How the chains of all families mixed, from their files."""

from pathlib import Path

from reseat.experiments.diagnostics import diagnose, summarise_restarts
from reseat.io import write_arrays, write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    # The results of all families lie beside this folder of the report.
    root, datasets = Path(snakemake.output.traces).parents[1], snakemake.params.datasets
    table, traces = diagnose(root, datasets)
    write_table(table, snakemake.output.diagnostics)
    write_table(summarise_restarts(root, datasets), snakemake.output.restarts)
    write_arrays(traces, snakemake.output.traces)
