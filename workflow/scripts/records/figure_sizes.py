"""Figure 3: how many clusters there are of each size."""

from pathlib import Path

from reseat.experiments.records.published import Published
from reseat.experiments.records.series import sizes_table
from reseat.experiments.records.tidy import SETS, read_sizes
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import save_figure, size_distributions

with job(snakemake.log[0]):
    published = Published.load(Path(snakemake.input.published[0]).parent)
    sizes = read_sizes(snakemake.input.sizes)
    table = sizes_table(snakemake.params.artefact, sizes, published.fig3)
    write_table(table, snakemake.output.table)
    save_figure(
        size_distributions(table, SETS),
        snakemake.output.pdf.removesuffix(".pdf"),
    )
