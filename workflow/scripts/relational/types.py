"""Clusters of the entities of relations of any number of types."""

import pandas as pd

from reseat.datasets import Relations
from reseat.experiments.relational.fitting import FittedRelations
from reseat.experiments.relational.plan import Fit
from reseat.experiments.relational.types import describe_types
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    relations = Relations.load(snakemake.input.relations)
    fits = [
        (Fit(**fit), FittedRelations.load(path))
        for fit, path in zip(snakemake.params.fits, snakemake.input.fits, strict=True)
    ]
    write_table(pd.DataFrame(describe_types(fits, relations)), snakemake.output.types)
