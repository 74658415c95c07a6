"""The paper's claims, judged on what was computed and measured."""

from pathlib import Path

import pandas as pd

from reseat.experiments.distances.blocks import read_blocks
from reseat.experiments.distances.claims import evaluate_claims, evaluate_readings
from reseat.experiments.distances.costs import read_timings
from reseat.experiments.distances.evidence import DistancesEvidence
from reseat.experiments.distances.published import Published
from reseat.experiments.distances.tidy import read_scores
from reseat.experiments.distances.traces import read_traces
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    evidence = DistancesEvidence(
        scores=read_scores(given.scores),
        published=Published.load(Path(given.published[0]).parent),
        traces=tuple(trace for path in given.traces for trace in read_traces(path)),
        timings=read_timings(given.timings),
        invariance=pd.read_csv(given.invariance),
        blocks=read_blocks(given.blocks) if given.blocks else None,
    )
    judged = [evaluate_claims(evidence), evaluate_readings(evidence)]
    claims = pd.concat([frame for frame in judged if len(frame)], ignore_index=True)
    write_table(claims, snakemake.output.claims)
