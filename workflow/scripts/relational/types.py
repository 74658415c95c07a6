"""Clusters of the entities in relations between any number of types."""

import pandas as pd

from reseat.datasets import Relations
from reseat.files.atomic import write_table
from reseat.papers.relational.fits import load_fits
from reseat.papers.relational.plan import Fit
from reseat.papers.relational.scores import describe_types
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    relations = Relations.load(snakemake.input.relations)
    fits = load_fits([Fit(**fit) for fit in snakemake.params.fits], snakemake.input.fits)
    write_table(pd.DataFrame(describe_types(fits, relations)), snakemake.output.types)
