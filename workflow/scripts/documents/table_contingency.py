"""Table 7: the classes in the clusters of one sample."""

from reseat.datasets import Corpus
from reseat.experiments.documents.contingency import contingency_rows
from reseat.experiments.documents.snapshots import chain_files, read_snapshot
from reseat.experiments.documents.tidy import read_published
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    corpus = Corpus.load(snakemake.input.corpus)
    files = chain_files(snakemake.input.blocks)
    samples = [read_snapshot(path, snakemake.params.sweep) for path in files]
    identity = {
        "artefact": snakemake.params.artefact,
        "role": snakemake.params.role,
        "dataset": corpus.identity.name,
        "status": corpus.identity.status,
    }
    table = contingency_rows(
        identity,
        corpus.labels,
        corpus.label_names,
        [labels for labels, _sweep in samples],
        samples[0][1],
        read_published(snakemake.input.published),
    )
    write_table(table, snakemake.output.table)
