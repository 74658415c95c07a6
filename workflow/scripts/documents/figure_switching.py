"""Figure 3: divergences between the clusters of two samples of one chain."""

import pandas as pd

from reseat.datasets import Corpus
from reseat.experiments.documents.label_switching import compare_samples, quilt_frame
from reseat.experiments.documents.snapshots import chain_files, read_snapshot
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import kl_quilts, save_figure

with job(snakemake.log[0]):
    corpus = Corpus.load(snakemake.input.corpus)
    card = corpus.identity
    n_clusters = snakemake.params.n_clusters
    reference, compared = snakemake.params.sweeps
    names = (snakemake.params.artefact, snakemake.params.role, card.name, card.status)
    rows, panels = [], {}
    for chain, path in enumerate(chain_files(snakemake.input.blocks)):
        first, start = read_snapshot(path, reference)
        last, end = read_snapshot(path, compared)
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
