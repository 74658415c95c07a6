"""How the chains of all families mixed, from their files."""

from pathlib import Path

import numpy as np

from reseat.experiments.diagnostics import diagnose, summarise_restarts
from reseat.experiments.tidy import write_table
from reseat.io import atomic_path
from reseat.jobs import job

with job(snakemake.log[0]):
    # The results of all families lie beside this folder of the report.
    root, datasets = Path(snakemake.output.traces).parents[1], snakemake.params.datasets
    table, traces = diagnose(root, datasets)
    write_table(table, snakemake.output.diagnostics)
    write_table(summarise_restarts(root, datasets), snakemake.output.restarts)
    with atomic_path(snakemake.output.traces) as temporary, open(temporary, "wb") as file:
        np.savez_compressed(file, **traces)
