"""Number of clusters of n items, in the data and under the priors."""

from reseat.experiments.supervised.tables import growth_table
from reseat.experiments.supervised.tidy import ROLES, read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import entity_growth, save_figure

with job(snakemake.log[0]):
    given = snakemake.input
    table = growth_table(
        snakemake.params.artefact,
        read_results(given.growth, "growth"),
        read_results(given.growth_fit, "growth_fit"),
    )
    write_table(table, snakemake.output.table)
    figure = entity_growth(table[table["main"]], ROLES)
    save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"))
