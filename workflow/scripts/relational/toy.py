"""A small table before and after its rows and columns are sorted by cluster."""

from reseat.datasets import Relations
from reseat.files.atomic import write_arrays
from reseat.papers.relational.plan import Fit
from reseat.papers.relational.scores import sort_toy
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    relations = Relations.load(snakemake.input.relations)
    write_arrays(sort_toy(Fit(**snakemake.params.fit), relations), snakemake.output.toy)
