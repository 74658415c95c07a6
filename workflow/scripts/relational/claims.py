"""The paper's claims, judged on what was computed and measured, and on what it prints."""

from pathlib import Path

import pandas as pd

from reseat.experiments.relational.claims import (
    evaluate_claims,
    evaluate_printed,
    evaluate_readings,
)
from reseat.experiments.relational.evidence import RelationalEvidence
from reseat.experiments.relational.published import Published
from reseat.experiments.relational.tidy import read_results
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    evidence = RelationalEvidence(
        published=Published.load(Path(given.published[0]).parent),
        **{
            kind: read_results(getattr(given, kind), kind)
            for kind in ("restarts", "coverage", "purity", "cells", "predictive")
        },
    )
    judged = [
        evaluate_claims(evidence),
        evaluate_printed(evidence.published),
        evaluate_readings(evidence),
    ]
    claims = pd.concat([frame for frame in judged if len(frame)], ignore_index=True)
    write_table(claims, snakemake.output.claims)
