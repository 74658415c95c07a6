"""Coverage and purity of all fits on a set of pairs, and its matrices sorted by cluster."""

import numpy as np
import pandas as pd

from reseat.datasets import Relations
from reseat.experiments.relational.fitting import load_fits
from reseat.experiments.relational.plan import MODELS, Fit
from reseat.experiments.relational.scoring import describe_cells, score_pairs, sort_pairs
from reseat.io import write_arrays, write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given, params, made = snakemake.input, snakemake.params, snakemake.output
    relations = Relations.load(given.relations)
    fits = load_fits([Fit(**fit) for fit in params.fits], given.fits)
    labels = np.load(given.labels)["labels"]
    scores = score_pairs(fits, relations, labels, params.n_classes, params.n_random)
    for name in ("coverage", "purity", "classes"):
        write_table(pd.DataFrame(getattr(scores, name)), made[name])
    sides = zip(("row", "column"), relations.relations[0].types, strict=True)
    names = {f"n_clusters_{kind}": f"n_{side}_clusters" for side, kind in sides}
    restarts = pd.concat([fitted.restarts for _, fitted in fits])
    write_table(restarts.rename(columns=names), made.restarts)
    cells = []
    for model in MODELS:
        fit, fitted = next(pair for pair in fits if pair[0].model == model)
        cells.append(describe_cells(fit, fitted, relations, labels, params.n_classes))
        write_arrays(sort_pairs(fitted, relations), made[f"sorted_{model}"])
    write_table(pd.concat(cells), made.cells)
