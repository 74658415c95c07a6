"""The first draw of a set of points in the plane of its first two kernel principal components."""

from pathlib import Path

from reseat.files.atomic import write_table
from reseat.papers.distances.objects import load_objects
from reseat.papers.distances.plan import Run
from reseat.papers.distances.scores import embed
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    run = Run(**snakemake.params.run)
    objects = load_objects(Path(snakemake.input.objects) / run.data_file)
    table = embed(run, objects, Path(snakemake.input.chains))
    write_table(table, snakemake.output.embedding)
