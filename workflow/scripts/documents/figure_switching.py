"""Figure 3: divergences between the clusters of two samples of one chain."""

import pandas as pd

from reseat.datasets import Corpus
from reseat.experiments.documents.label_switching import compare_samples, quilt_frame
from reseat.experiments.documents.snapshots import read_snapshot
from reseat.experiments.documents.tidy import write_table
from reseat.plots import kl_quilts, save_figure

corpus = Corpus.load(snakemake.input.corpus)
card = corpus.identity
names = (snakemake.params.artefact, snakemake.params.role, card.name, card.status)
rows, panels = [], {}
for chain, path in enumerate(snakemake.input.chains):
    first, start = read_snapshot(path, snakemake.params.reference_sweep)
    last, end = read_snapshot(path, snakemake.params.compared_sweep)
    n_clusters = snakemake.params.n_clusters
    later = compare_samples(corpus.counts, first, last, n_clusters)
    rows.append(
        dict(zip(("artefact", "role", "dataset", "status"), names, strict=True))
        | {"chain": chain, "reference_sweep": start, "compared_sweep": end}
        | later.summary()
    )
    if chain == 0:
        same = compare_samples(corpus.counts, first, first, n_clusters)
        panels = {"sample 0 and itself": same, f"sample 0 and sample {end - start}": later}
write_table(quilt_frame(*names, panels), snakemake.output.table)
write_table(pd.DataFrame(rows), snakemake.output.summary)
figure = kl_quilts(
    {title: panel.scaled for title, panel in panels.items()},
    {title: panel.nearest for title, panel in panels.items()},
)
save_figure(figure, snakemake.output.pdf.removesuffix(".pdf"))
