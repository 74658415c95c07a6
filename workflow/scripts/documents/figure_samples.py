"""Figure 4: score of a single sample against its place in the chain."""

from reseat.datasets import Card
from reseat.experiments.documents.series import fixed_location_frame
from reseat.experiments.documents.tidy import read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import save_figure, scores_by_sample

with job(snakemake.log[0]):
    cards = [Card.load(path).identity for path in snakemake.input.corpora]
    table = fixed_location_frame(
        snakemake.params.artefact, snakemake.params.role, read_scores(snakemake.input.scores)
    )
    write_table(table, snakemake.output.table)
    figure = scores_by_sample(table, {card.name: card.title for card in cards})
    save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"))
