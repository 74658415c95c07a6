"""Seconds per sweep of four algorithms."""

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.files.atomic import write_table
from reseat.papers.distances.plan import PAPER_KEY
from reseat.papers.distances.studies import measure_scaling
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    seed = snakemake.params.seed
    rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "scaling"))
    rows = measure_scaling(snakemake.params.scaling, rng, seed)
    write_table(pd.DataFrame(rows), snakemake.output.timings)
