"""Timed comparison of Gibbs sweeps and chaperones on the same model."""

from pathlib import Path

from reseat.datasets import Records
from reseat.files.atomic import write_table
from reseat.papers.records.moves import compare_moves
from reseat.papers.records.plan import Run
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    run = Run(**snakemake.params.run)
    records = Records.load(Path(snakemake.input.records) / run.data_file)
    runs, traces = compare_moves(run, records, snakemake.params.n_sweeps)
    write_table(runs, snakemake.output.runs)
    write_table(traces, snakemake.output.traces)
