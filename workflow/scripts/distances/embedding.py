"""The first draw of a set of points in the plane of its first two kernel principal components."""

from pathlib import Path

from reseat.experiments.distances.embedding import embed
from reseat.experiments.distances.matrices import load_objects
from reseat.experiments.distances.plan import Run
from reseat.io import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    run = Run(**snakemake.params.run)
    objects = load_objects(Path(snakemake.input.objects) / run.data_file)
    table = embed(run, objects, Path(snakemake.input.chains))
    write_table(table, snakemake.output.embedding)
