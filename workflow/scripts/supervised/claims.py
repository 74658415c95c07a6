"""The paper's claims, judged on what was computed and measured, and on what it prints."""

from pathlib import Path

from reseat.experiments.supervised.claims import (
    evaluate_claims,
    evaluate_printed,
    evaluate_readings,
)
from reseat.experiments.supervised.evidence import SupervisedEvidence
from reseat.experiments.supervised.published import Published
from reseat.experiments.supervised.tidy import default_scores, read_results
from reseat.experiments.tidy import write_table
from reseat.experiments.verdicts import together
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    evidence = SupervisedEvidence(
        scores=default_scores(
            read_results(given.baselines, "baselines"), read_results(given.chains, "chains")
        ),
        titles=dict(snakemake.params.titles),
        published=Published.load(Path(given.published[0]).parent),
        **{
            kind: read_results(getattr(given, kind), kind)
            for kind in ("diagnostics", "data", "growth")
        },
    )
    judged = [
        evaluate_claims(evidence),
        evaluate_printed(evidence.published),
        evaluate_readings(evidence),
    ]
    write_table(together(judged), snakemake.output.claims)
