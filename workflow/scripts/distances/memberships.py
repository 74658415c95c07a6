"""Clusters and co-membership of objects when those of a known class keep it."""

from pathlib import Path

from reseat.files.atomic import write_table
from reseat.papers.distances.objects import load_objects
from reseat.papers.distances.plan import Run
from reseat.papers.distances.scores import read_memberships
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    run = Run(**snakemake.params.run)
    objects = load_objects(Path(snakemake.input.objects) / run.data_file)
    found = read_memberships(run, objects, Path(snakemake.input.chains))
    for name in ("heat", "blocks", "assignments"):
        write_table(getattr(found, name), snakemake.output[name])
