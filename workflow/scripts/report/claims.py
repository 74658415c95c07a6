"""The claims of all papers in one file."""

import pandas as pd

from reseat.files.atomic import write_table
from reseat.provenance.jobs import job
from reseat.vocabulary import CLAIM_COLUMNS

with job(snakemake.log[0]):
    # A paper whose data were left out has no file; the columns are written even if none has one.
    frames = [pd.read_csv(path) for path in snakemake.input.claims]
    claims = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    write_table(claims.reindex(columns=list(CLAIM_COLUMNS)), snakemake.output.claims)
