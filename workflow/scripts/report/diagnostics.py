"""Diagnostics of how well the chains of all families mixed, from their files."""

from pathlib import Path

from reseat.files.atomic import write_arrays, write_table
from reseat.papers.diagnostics import diagnose, summarise_restarts
from reseat.provenance.jobs import job
from reseat.provenance.records import home_of

with job(snakemake.log[0]):
    home = home_of(snakemake)
    folders = [(*names, Path(home, path)) for *names, path in snakemake.params.folders]
    table, traces = diagnose(folders)
    write_table(table, snakemake.output.diagnostics)
    write_table(summarise_restarts(folders), snakemake.output.restarts)
    write_arrays(traces, snakemake.output.traces)
