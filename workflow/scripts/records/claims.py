"""The paper's claims, judged on what was computed and measured and on its printed numbers."""

from pathlib import Path

import pandas as pd

from reseat.experiments.records.claims import evaluate_claims, evaluate_sampled
from reseat.experiments.records.evidence import RecordsEvidence
from reseat.experiments.records.printed_claims import evaluate_printed
from reseat.experiments.records.published import Published
from reseat.experiments.records.tidy import read_summaries
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    published = Published.load(Path(given.published[0]).parent)
    evidence = RecordsEvidence(
        summaries=read_summaries(given.summaries),
        runs=pd.read_csv(given.runs),
        growth=pd.read_csv(given.draws),
        invariance=pd.read_csv(given.invariance),
        published=published,
        seed=snakemake.params.seed,
    )
    judged = [evaluate_claims(evidence), evaluate_sampled(evidence), evaluate_printed(published)]
    claims = pd.concat([frame for frame in judged if len(frame)], ignore_index=True)
    write_table(claims, snakemake.output.claims)
