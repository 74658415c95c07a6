"""Variational inference beside Gibbs sampling: held-out cells, seconds, and enumeration."""

from reseat.experiments.enumerated import read_counts
from reseat.experiments.relational.inference import inference_table, read_bound
from reseat.experiments.relational.tidy import ROLES, read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import inference_comparison, save_figure

with job(snakemake.log[0]):
    given = snakemake.input
    table = inference_table(
        snakemake.params.artefact,
        read_results(given.predictive, "predictive"),
        read_counts(given.enumeration),
        read_bound(given.bound),
    )
    write_table(table, snakemake.output.table)
    save_figure(inference_comparison(table, ROLES), snakemake.output.pdf.removesuffix(".pdf"))
