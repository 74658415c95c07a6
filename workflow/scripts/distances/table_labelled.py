"""TIWD and the hierarchical methods on labelled data, and where unlabelled objects go."""

from pathlib import Path

from reseat.experiments.distances.blocks import read_assignments, read_blocks
from reseat.experiments.distances.published import Published
from reseat.experiments.distances.tables import labelled_table
from reseat.experiments.distances.tidy import read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    table = labelled_table(
        snakemake.params.artefact,
        read_scores(given.scores),
        read_blocks(given.blocks) if given.blocks else None,
        read_assignments(given.assignments) if given.assignments else None,
        Published.load(Path(given.published[0]).parent).fig5,
    )
    write_table(table, snakemake.output.table)
