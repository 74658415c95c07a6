"""Figure 5: purity of the cells, beside that of controls."""

from reseat.experiments.relational.coverage import purity_table
from reseat.experiments.relational.tidy import ROLES, read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import purity_curves, save_figure

with job(snakemake.log[0]):
    purity = read_results(snakemake.input.purity, "purity")
    table = purity_table(snakemake.params.artefact, purity)
    write_table(table, snakemake.output.table)
    save_figure(purity_curves(table, ROLES), snakemake.output.pdf.removesuffix(".pdf"))
