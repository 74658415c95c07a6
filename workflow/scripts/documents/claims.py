"""The paper's claims, judged on what was measured and on its own printed numbers."""

import pandas as pd

from reseat.datasets import Card
from reseat.experiments.documents.claims import evaluate_claims
from reseat.experiments.documents.evidence import Evidence
from reseat.experiments.documents.printed_claims import evaluate_printed
from reseat.experiments.documents.series import Traces
from reseat.experiments.documents.tidy import read_published, read_scores
from reseat.experiments.tidy import write_table
from reseat.jobs import job

with job(snakemake.log[0]):
    given = snakemake.input
    roles = ("delicious", "newsgroups", "enron")  # the order of Tables 1 to 3 and 4 to 6
    measured = evaluate_claims(
        Evidence(
            scores=read_scores(given.scores),
            roles=snakemake.params.roles,
            traces={
                Card.load(corpus).identity.name: Traces.load(traces)
                for corpus, traces in zip(given.corpora, given.traces, strict=True)
            },
            switching=pd.read_csv(given.switching),
            table7=pd.read_csv(given.table7, dtype={"system": str}),
            seed=snakemake.params.seed,
        )
    )
    printed = evaluate_printed(
        dict(zip(roles, map(read_published, given.published_summaries), strict=True)),
        dict(zip(roles, map(read_published, given.published_methods), strict=True)),
        read_published(given.published_table7),
    )
    write_table(pd.concat([measured, printed], ignore_index=True), snakemake.output.claims)
