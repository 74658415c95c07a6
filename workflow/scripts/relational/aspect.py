"""Classes of pairs, found by the aspect model."""

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import Relations
from reseat.experiments.relational.plan import PAPER_KEY
from reseat.io import write_arrays, write_table
from reseat.jobs import job
from reseat.variational import AspectModel

with job(snakemake.log[0]):
    relations = Relations.load(snakemake.input.relations)
    name = snakemake.wildcards.dataset
    stream = chain_seed(snakemake.params.seed, PAPER_KEY, name, "aspect")
    model = AspectModel(
        **snakemake.params.aspect,
        threads=snakemake.threads,
        random_state=int(stream.generate_state(1)[0]),
    )
    model.fit(relations.matrix(relations.relations[0].name))
    identity = {"dataset": name, "status": relations.identity.status}
    starts = pd.DataFrame(model.starts_).assign(**identity)
    write_table(starts, snakemake.output.starts)
    write_arrays({"labels": model.pair_labels().astype(np.int16)}, snakemake.output.labels)
