"""The paper's claims, judged on what was computed and measured and on its printed numbers."""

from pathlib import Path

import pandas as pd

from reseat.experiments.records.claims import evaluate_claims
from reseat.experiments.records.evidence import RecordsEvidence
from reseat.experiments.records.printed_claims import evaluate_printed
from reseat.experiments.records.published import Published
from reseat.experiments.records.tidy import read_summaries
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    published = Published.load(Path(given.published[0]).parent)
    measured = evaluate_claims(
        RecordsEvidence(
            summaries=read_summaries(given.summaries),
            runs=pd.read_csv(given.runs),
            growth=pd.read_csv(given.draws),
            invariance=pd.read_csv(given.invariance),
            published=published,
            seed=snakemake.params.seed,
        )
    )
    printed = evaluate_printed(published)
    write_table(pd.concat([measured, printed], ignore_index=True), snakemake.output.claims)
