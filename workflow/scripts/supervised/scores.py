"""Scores of all chains on a data set, its sizes, and the growth of its number of clusters."""

import pandas as pd

from reseat.datasets import EmbeddedMentions
from reseat.files.atomic import write_table
from reseat.papers.supervised.plan import Run
from reseat.papers.supervised.scores import describe_data, growth_frames, score_models
from reseat.provenance.jobs import job

with job(snakemake.log[0]):
    params, output = snakemake.params, snakemake.output
    references = EmbeddedMentions.load(snakemake.input.references)
    key = {
        "dataset": snakemake.wildcards.dataset,
        "status": references.identity.status,
        "role": params.role,
    }
    scores = score_models([Run(**run) for run in params.runs], references, snakemake.input.chains)
    for name in ("chains", "min_vi", "diagnostics", "moves"):
        write_table(pd.DataFrame(getattr(scores, name)), output[name])
    write_table(pd.DataFrame(describe_data(references, key)), output.data)
    growth, fit = growth_frames(references, params.concentration, key)
    write_table(growth, output.growth)
    write_table(fit, output.growth_fit)
