"""Figure 2: data in the plane, and the accuracy of TIWD and of the hierarchical methods."""

import pandas as pd

from reseat.experiments.distances.agreement import TITLES, figure2_table
from reseat.experiments.distances.tidy import read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import embeddings_and_accuracy, save_figure

with job(snakemake.log[0]):
    table = figure2_table(snakemake.params.artefact, read_scores(snakemake.input.scores))
    points = pd.concat([pd.read_csv(path) for path in snakemake.input.embeddings])
    write_table(table, snakemake.output.table)
    save_figure(
        embeddings_and_accuracy(points, table, TITLES),
        snakemake.output.pdf.removesuffix(".pdf"),
    )
