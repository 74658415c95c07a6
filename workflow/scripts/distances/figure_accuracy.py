"""Figure 4: the accuracy of WD, WD_R and TIWD, with and without means."""

from reseat.experiments.distances.agreement import TITLES, figure4_table
from reseat.experiments.distances.tidy import read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import accuracy_boxes, save_figure

with job(snakemake.log[0]):
    table = figure4_table(snakemake.params.artefact, read_scores(snakemake.input.scores))
    write_table(table, snakemake.output.table)
    save_figure(accuracy_boxes(table, TITLES), snakemake.output.pdf.removesuffix(".pdf"))
