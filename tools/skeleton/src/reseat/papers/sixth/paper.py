"""The tables and figures of Author 2000, each declared once."""

from reseat.papers.declare import SCORES, Input, Paper
from reseat.papers.sixth import PAPER as SHORT

#: The paper.
PAPER = Paper(
    key="sixth-2000",
    family="sixth",
    about="What the sixth paper clusters",
    short=SHORT,
    authors="An Author",
    title="A Paper",
    venue="A Journal",
    year=2000,
)

#: Scores of every data set.
_SCORES = Input(
    "{results}/{dataset}/scores.csv",
    "reseat.papers.tables:read_frames",
    lambda plan: plan.datasets,
    options={"columns": ["model", "metric", "value"], "what": "scores"},
)

PAPER.table(
    "sixth_table1",
    ".tables:table1",
    published="Table 1",
    shows="All models by two metrics",
    caption=SCORES,
    claims=("SIXTH-1",),
    inputs={
        "scores": _SCORES,
        "published": Input("{published}/sixth_table1.csv", "pandas:read_csv", takes="one"),
    },
)

PAPER.verdicts(inputs={"evidence": _SCORES})
