"""The claims of all papers in one file."""

import pandas as pd

from reseat.experiments.documents.tidy import write_table

claims = pd.concat([pd.read_csv(path) for path in snakemake.input.claims], ignore_index=True)
write_table(claims, snakemake.output.claims)
