"""Figure 4: share of the cells that each class of SAM covers."""

from reseat.experiments.relational.coverage import classes_table
from reseat.experiments.relational.tidy import ROLES, read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import class_shares, save_figure

with job(snakemake.log[0]):
    classes = read_results(snakemake.input.classes, "classes")
    table = classes_table(snakemake.params.artefact, classes)
    write_table(table, snakemake.output.table)
    save_figure(class_shares(table, ROLES), snakemake.output.pdf.removesuffix(".pdf"))
