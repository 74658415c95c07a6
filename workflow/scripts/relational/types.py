"""Clusters of the entities in relations between any number of types."""

import pandas as pd

from reseat.datasets import Relations
from reseat.experiments.relational.fitting import load_fits
from reseat.experiments.relational.plan import Fit
from reseat.experiments.relational.types import describe_types
from reseat.io import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    relations = Relations.load(snakemake.input.relations)
    fits = load_fits([Fit(**fit) for fit in snakemake.params.fits], snakemake.input.fits)
    write_table(pd.DataFrame(describe_types(fits, relations)), snakemake.output.types)
