"""Figure 2: log joint against sweep, one panel a data set."""

import pandas as pd

from reseat.datasets import Card
from reseat.experiments.documents.series import Traces, trace_frame
from reseat.experiments.tidy import write_table
from reseat.jobs import job
from reseat.plots import log_joint_traces, save_figure

with job(snakemake.log[0]):
    role_of = {name: role for role, names in snakemake.params.roles.items() for name in names}
    frames, titles = [], {}
    for corpus, traces in zip(snakemake.input.corpora, snakemake.input.traces, strict=True):
        card = Card.load(corpus).identity
        titles[card.name] = card.title
        frames.append(
            trace_frame(
                snakemake.params.artefact,
                role_of[card.name],
                card.name,
                card.status,
                Traces.load(traces),
            )
        )
    table = pd.concat(frames, ignore_index=True)
    write_table(table, snakemake.output.table)
    save_figure(log_joint_traces(table, titles), snakemake.output.pdf.removesuffix(".pdf"))
