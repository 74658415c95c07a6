"""Coverage and purity of all fits on a set of pairs, and its matrices sorted by cluster."""

import numpy as np

from reseat.datasets import Relations
from reseat.files.atomic import write_arrays, write_table
from reseat.papers.relational.fits import load_fits
from reseat.papers.relational.scores import score_fits
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    given, params, made = snakemake.input, snakemake.params, snakemake.output
    tables, in_order = score_fits(
        load_fits(given.fits, params.fits),
        Relations.load(given.relations),
        np.load(given.labels)["labels"],
        params.n_classes,
        params.n_random,
    )
    for name, table in tables.items():
        write_table(table, made[name])
    for model, arrays in in_order.items():
        write_arrays(arrays, made[f"sorted_{model}"])
