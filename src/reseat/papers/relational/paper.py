"""The studies, tables and figures of Kurihara et al. 2006, each declared once."""

from functools import partial

from reseat.papers.declare import Comparison, Input, Paper, published_numbers
from reseat.papers.relational import PAPER as SHORT
from reseat.papers.relational.plan import TOY

PAPER = Paper(
    key="kurihara-2006",
    family="relational",
    about="Relational clustering",
    short=SHORT,
    authors="Kenichi Kurihara, Yoshitaka Kameya and Taisuke Sato",
    title="A Frequency-Based Stochastic Blockmodel",
    venue="Workshop on Information-Based Induction Sciences",
    year=2006,
)

_SCORES = """\
one row per data set, system and metric. Numbers are those of the restart with the best ELBO, or
means over restarts or random draws with their standard error, as ``summary`` says. ``published``
is the value that the paper prints. Its newspaper corpus is licensed, so other text is used instead
of it: the difference is given, but it does not measure agreement."""

_BLOCKS = """\
A dot for each pair that occurs, rows and columns sorted by the clusters of the restart with the
best ELBO (beta = 0.1), the largest clusters first; lines are their limits. The title gives the
numbers of clusters, next to the printed ones. The numbers depend on how the memberships
start, which the paper does not say: the table gives them for four starts, with their range over
restarts."""


def _results(kind, part="pairs", needed=True, words=None):
    """Return the input of one kind of results on a part's data sets, of word triples or others."""
    return Input(
        f"{{results}}/{{dataset}}/{kind}.csv",
        ".results:read_results",
        lambda plan: [
            name
            for name in plan.datasets_in(part)
            if words is None or (plan.role(name) == "svo") == words
        ],
        options={"kind": kind},
        needed=needed,
    )


_published = partial(published_numbers, "firm", ("setup", "models", "fig1", "table1"))


def _relations(**how):
    """Return the input of one set of relations: that of the job, unless another is named."""
    reader = "reseat.datasets.relations:Relations.load"
    return Input("{processed}/relational/{dataset}.npz", reader, takes="one", **how)


# Classes of pairs, found by the aspect model.
PAPER.job(
    "{dataset}/aspect",
    {"starts, labels": ".studies:find_classes"},
    inputs={"relations": _relations()},
    writes={"labels": "{results}/{dataset}/aspect.npz", "starts": "{results}/{dataset}/sam.csv"},
    settings={"aspect": lambda plan: plan.aspect(), "seed": lambda plan: plan.seed},
    parallel=True,
    minutes=30,
)

# Clusters of the entities in relations between any number of types.
PAPER.job(
    "{dataset}/types",
    {"types": ".scores:describe_types"},
    inputs={
        "relations": _relations(),
        "fits": Input("{results}/{dataset}/fits", ".fits:load_fits", takes="one"),
    },
    settings={"fits": lambda plan, dataset: [fit.to_dict() for fit in plan.runs(dataset)]},
    group="scores",
)

# A small table before and after sorting by cluster.
PAPER.job(
    "toy",
    {"toy": ".scores:sort_toy"},
    inputs={"relations": _relations(over=lambda plan: [TOY])},
    writes={"toy": "{results}/toy.npz"},
    settings={"fit": lambda plan: plan.toy().to_dict()},
    group="scores",
    minutes=5,
)

# Scores of variational fits and of chains on held-out cells.
PAPER.job(
    "{dataset}/predictive",
    {"predictive": ".chains:score_comparison"},
    inputs={
        "relations": _relations(),
        "chains": Input("{results}/{dataset}/gibbs", "pathlib:Path", takes="one"),
    },
    settings={
        "fits": lambda plan, dataset: plan.better_fits(dataset),
        "gibbs": lambda plan: plan.predictive(),
    },
    parallel=True,
    minutes=30,
    memory=1500,
)

# Held-out cells of relations that share a type, predicted from all of them and from each alone.
PAPER.job(
    "{dataset}/joint",
    {"joint": ".studies:predict_together"},
    inputs={"relations": _relations()},
    settings={
        "fits": lambda plan, dataset: plan.joint(dataset),
        "held_out": lambda plan: plan.settings["joint"]["held_out"],
    },
    parallel=True,
    minutes=30,
    memory=1500,
)

# Exact checks, on a table small enough to enumerate, of the chains and of the fits' bound.
PAPER.job(
    "exact",
    {"bound": ".studies:bound_table", "counts": ".studies:count_partitions"},
    writes={"counts": "{results}/exact/enumeration.csv", "bound": "{results}/exact/bound.csv"},
    settings={"check": lambda plan: plan.settings["check"], "seed": lambda plan: plan.seed},
)

PAPER.figure(
    "firm_fig1",
    ".tables:toy_table",
    ".figures:toy_blocks",
    published="Figure 1",
    shows="A table of 10 x 10 pairs before and after its rows and columns are sorted by cluster",
    caption="""\
A table of who likes which animal, before and after rows and columns are sorted by the clusters
that the FIRM finds; lines are the limits of clusters. The table has the numbers of clusters,
next to the paper's three by three, and their agreement with the planted ones.""",
    compare=Comparison(uncounted=("rows", "columns")),  # inputs
    inputs={
        "toy": Input("{results}/toy.npz", ".tables:read_toy", takes="one"),
        "published": _published("fig1"),
    },
)

for _number, _model, _claim in ((2, "irm", "FIRM-2b"), (3, "firm", "FIRM-2a")):
    PAPER.figure(
        f"firm_fig{_number}",
        ".tables:blocks_table",
        ".figures:dot_matrices",
        published=f"Figure {_number}",
        shows="The pairs that occur, rows and columns sorted by the clusters of the "
        f"{_model.upper()}",
        caption=_BLOCKS,
        claims=(_claim, "FIRM-3"),
        inputs={
            "found": Input(
                f"{{results}}/{{dataset}}/sorted_{_model}.npz",
                ".tables:read_sorted",
                lambda plan: plan.datasets_in("pairs"),
                takes="each",
            ),
            "restarts": _results("restarts"),
            "published": _published(),
        },
        settings={"model": _model},
        constants={"titles": ".results:ROLES", "sides": ".results:SIDES"},
    )

PAPER.figure(
    "firm_fig4",
    ".tables:classes_table",
    ".figures:class_shares",
    published="Figure 4",
    shows="Share of the cells that each class of SAM covers, under both models and a control",
    caption="""\
Share of the cells (pairs of a row and a column cluster) whose most common class is each class of
SAM, here one fit of the aspect model; classes are ranked by the FIRM's share, and ties go to the
lower class. Above every pair of a cell counts, as the paper's definition has it, below only those
that occur. Dashed is a FIRM that may have no more clusters than the IRM found.""",
    claims=("FIRM-2a", "FIRM-2b", "FIRM-2c"),
    inputs={"classes": _results("classes")},
    constants={"titles": ".results:ROLES"},
)

PAPER.figure(
    "firm_fig5",
    ".tables:purity_table",
    ".figures:purity_curves",
    published="Figure 5",
    shows="Purity of the cells against the number of classes, at three values of beta, beside "
    "random partitions",
    caption="""\
Purity S_i, the share of pairs with one of the i most common classes of their cell, against i, at
three values of beta. Purity rises with the number of cells whatever the clusters are: dashed lines
are random partitions with the same cluster sizes (the mean and range over draws) and a FIRM that
may have no more clusters than the IRM found.""",
    claims=("FIRM-4", "FIRM-5a", "FIRM-8a", "FIRM-8c"),
    inputs={"purity": _results("purity")},
    constants={"titles": ".results:ROLES"},
)

PAPER.table(
    "firm_table1",
    ".tables:cells_table",
    published="Table 1",
    shows="Words of cells with many tokens whose pairs belong to many classes",
    caption=_SCORES,
    claims=("FIRM-5b",),
    inputs={"cells": _results("cells")},
)

PAPER.table(
    "firm_coverage",
    ".tables:coverage_table",
    published="Section 5.2",
    shows="Classes covered, numbers of clusters and purity of both models, and of controls "
    "like them",
    caption=_SCORES,
    claims=("FIRM-2c", "FIRM-8b", "FIRM-8d"),
    compare=Comparison(
        # Figures 2 and 3 have the same numbers of clusters; coverage is the share of 50 classes.
        uncounted=("row clusters", "column clusters", "covered"),
        without_error="the best of several restarts",
    ),
    inputs={
        "coverage": _results("coverage"),
        "purity": _results("purity"),
        "published": _published(),
    },
)

PAPER.table(
    "firm_restarts",
    ".tables:restarts_table",
    shows="ELBO, clusters and seconds of all restarts, under three values of beta and four starts",
    caption=_SCORES,
    claims=("FIRM-6",),
    compare=Comparison(
        uncounted=("beta = 1", "beta = 0.01", "start"), without_error="the best of several restarts"
    ),
    inputs={"restarts": _results("restarts"), "sam": _results("sam"), "published": _published()},
)

PAPER.figure(
    "firm_vb_vs_gibbs",
    ".tables:inference_table",
    ".figures:inference_comparison",
    shows="Held-out predictions and seconds of variational inference and Gibbs, and both against "
    "enumeration",
    caption="""\
Above, the mean log predictive probability of cells that were held out against the seconds of a
run: restarts of variational inference and chains of collapsed Gibbs sampling. The FIRM predicts
counts and the IRM zeros and ones, so only the two methods of one model can be compared; the
panels of a row share the scale of seconds and have as many nats per inch.
Below, sampled against enumerated probabilities of all joint partitions of a small table; the band
is two standard errors of independent draws, and next to it is how far the best ELBO stays
below the log evidence.""",
    claims=("FIRM-9a", "FIRM-9b"),
    inputs={
        "predictive": _results("predictive", "gibbs"),
        "enumeration": Input(
            "{results}/exact/enumeration.csv", "reseat.papers.enumerated:read_counts", takes="one"
        ),
        "bound": Input("{results}/exact/bound.csv", ".tables:read_bound", takes="one"),
    },
    constants={"titles": ".results:ROLES"},
)

PAPER.table(
    "firm_svo",
    ".tables:types_table",
    shows="Beyond the paper - subjects, verbs and objects clustered at once",
    caption=_SCORES,
    inputs={"types": _results("types", "types", words=True)},
)

PAPER.table(
    "firm_kemp",
    ".tables:types_table",
    shows="Beyond the paper - animals, nations, kinship and medical terms, with the classes that "
    "are known",
    caption=_SCORES,
    inputs={"types": _results("types", "types", words=False)},
)

PAPER.table(
    "firm_joint",
    ".tables:joint_table",
    shows="Beyond the paper - held-out pairs of relations that share a type, clustered together "
    "and apart",
    caption="""\
one row per model, relation and metric: the mean log probability of a held-out cell, in nats, from a
fit to all relations and from one to that relation alone; the gain is the mean difference, with its
standard error over the cells; AUC is the area under the ROC curve of links against non-links. The
paper says that several tables can be observed, and proposes these relations as future work.""",
    claims=("FIRM-10a", "FIRM-10b"),
    inputs={"joint": _results("joint", "joint")},
)

PAPER.verdicts(
    before={"evidence": ".evidence:RelationalEvidence"},
    inputs={
        **{kind: _results(kind) for kind in ("restarts", "coverage", "purity", "cells")},
        "predictive": _results("predictive", "gibbs", needed=False),
        "joint": _results("joint", "joint", needed=False),
        "published": _published(),
    },
)
