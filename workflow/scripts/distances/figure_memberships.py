"""Figure 5: co-membership of the classes and the new blocks."""

from pathlib import Path

from reseat.experiments.distances.agreement import TITLES
from reseat.experiments.distances.blocks import (
    blocks_table,
    read_blocks,
    read_heat,
    with_identity,
)
from reseat.experiments.distances.published import Published
from reseat.experiments.distances.tidy import read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import membership_maps, save_figure

with job(snakemake.log[0]):
    name, given = snakemake.params.artefact, snakemake.input
    scores = read_scores(given.scores)
    published = Published.load(Path(given.published[0]).parent)
    heat = with_identity(read_heat(given.heat), scores, name)
    write_table(
        blocks_table(name, read_blocks(given.blocks), scores, published.fig5),
        snakemake.output.table,
    )
    save_figure(membership_maps(heat, TITLES), snakemake.output.pdf.removesuffix(".pdf"))
