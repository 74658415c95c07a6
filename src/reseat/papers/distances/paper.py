"""The studies, tables and figures of Vogt et al. 2010, each declared once."""

from functools import partial

from reseat.papers.declare import Comparison, Input, Paper, published_numbers
from reseat.papers.distances import PAPER as SHORT

PAPER = Paper(
    key="vogt-2010",
    family="distances",
    about="Clustering from distances",
    short=SHORT,
    authors="Julia E. Vogt, Sandhya Prabhakaran, Thomas J. Fuchs and Volker Roth",
    title="The Translation-Invariant Wishart-Dirichlet Process for Clustering Distance Data",
    venue="Proceedings of the 27th International Conference on Machine Learning",
    year=2010,
)

_SCORES = """\
one row per data set, model and metric. ``mean`` is over data draws, or over chains where there is a
single draw, and ``se`` its standard error. ``change`` is the mean change from the model being
varied, on the same draws. ``published`` is what the paper prints for its own sequences; on a
stand-in the difference does not measure agreement."""


def _of_study(*parts):
    """Return a function from a plan to its data sets in the named parts, or in all parts."""
    return lambda plan: plan.datasets_in(*parts)


def _scores(*parts):
    return Input("{results}/{dataset}/scores.csv", ".results:read_scores", _of_study(*parts))


def sequence_sets(plan):
    """Return the data sets made from sequences, some of which have no class."""
    objects = plan.section["objects"]
    return [name for name in plan.datasets if "kappa" in objects.get(name, {})]


def _memberships(kind, **how):
    """Return the input that holds one kind of result on objects without a class."""
    reader = f".samplers:read_{kind}"
    return Input(f"{{results}}/{{dataset}}/{kind}.csv", reader, sequence_sets, **how)


_published = partial(published_numbers, "tiwd", ("fig3", "fig5", "scaling", "setup"))
_TIMINGS = Input("{results}/scaling.csv", ".tables:read_timings", takes="one")

#: Inputs of the jobs that show the chains of the paper's model on a data set, and their setting.
_FIRST_DRAW = {
    "inputs": {
        "objects": Input("{processed}/distances/{dataset}", "pathlib:Path", takes="one"),
        "chains": Input("{results}/{dataset}/chains", "pathlib:Path", takes="one"),
    },
    "settings": {"run": lambda plan, dataset: plan.main_run(dataset).to_dict()},
    "group": "scores",
}

PAPER.job(
    "{dataset}/embedding",
    {"embedding": ".scores:embed"},
    **_FIRST_DRAW,
)

PAPER.job(
    "{dataset}/memberships",
    {"heat, blocks, assignments": ".scores:read_memberships"},
    writes={
        name: f"{{results}}/{{dataset}}/{name}.csv" for name in ("heat", "blocks", "assignments")
    },
    **_FIRST_DRAW,
)

PAPER.job(
    "enumeration",
    {"invariance": ".studies:measure_invariance", "counts": ".studies:count_partitions"},
    writes={"counts": "{results}/enumeration.csv", "invariance": "{results}/invariance.csv"},
    settings={"check": lambda plan: plan.settings["check"], "seed": lambda plan: plan.seed},
    minutes=20,
)

PAPER.job(
    "scaling",
    {"timings": ".studies:measure_scaling"},
    settings={"scaling": lambda plan: plan.settings["scaling"], "seed": lambda plan: plan.seed},
    minutes=60,
    memory=7000,
)

PAPER.figure(
    "tiwd_fig2",
    ".tables:figure2_table",
    ".figures:embeddings_and_accuracy",
    published="Figure 2",
    shows="Separated and overlapping clusters in the plane, and ARI of TIWD and "
    "hierarchical methods",
    caption="""\
One draw of each data set in the plane of its first two kernel principal components, one colour and
marker per true block, and the adjusted Rand index of TIWD, Ward, complete (CL), single (SL)
and average (AL) linkage over all draws, one dot each. Trees are cut at the number of clusters that
TIWD found. Open boxes on the right are of chains that start in many blocks instead of one, and of
trees that are cut at the number of clusters of these chains.""",
    claims=("TIWD-1a", "TIWD-1b"),
    inputs={
        "scores": _scores("accuracy"),
        "points": Input(
            "{results}/{dataset}/embedding.csv",
            "reseat.papers.tables:read_frames",
            _of_study("accuracy"),
            options={"columns": (), "what": "embeddings"},
        ),
    },
    constants={"titles": ".tables:TITLES"},
)

PAPER.figure(
    "tiwd_fig3",
    ".samplers:trace_table",
    ".figures:cluster_traces",
    published="Figure 3",
    shows="Number of clusters against the sweep with 8,000 objects, and from when it is stable",
    caption="""\
Number of clusters after each sweep: (a) of one chain that starts from one block, (b) of every chain
while it rises, and (c) how often each has each number once that is stable. The table has, as means
over draws of the data, the mean of the second half, the sweep from which the number is stable
(every later window of a twentieth of the trace is within one cluster of that mean, or within three
standard deviations of such windows) and the hours that 5,000 sweeps take, next to what the paper
prints.""",
    claims=("TIWD-2a", "TIWD-2b"),
    compare=Comparison(without_error="of a single draw of the data"),
    inputs={
        "scores": _scores("trace"),
        "traces": Input(
            "{results}/{dataset}/traces.npz",
            ".samplers:read_traces",
            _of_study("trace"),
            takes="one",
        ),
        "published": _published("fig3"),
    },
)

PAPER.figure(
    "tiwd_fig4",
    ".tables:figure4_table",
    ".figures:accuracy_boxes",
    published="Figure 4",
    shows="ARI of WD, WD_R and TIWD with few and many dimensions, with zero means and others",
    caption="""\
Adjusted Rand index over all draws, one dot each, of WD on the true similarities, of WD_R, which
subtracts row means first (from the data, or from the kernel principal components of the
distances), and of TIWD on the distances. The upper row is theta = 100/d. The paper does not say
which it shows; ``tiwd_fig4_verdicts`` judges its claims under both. Filled boxes are of chains that
start in one block, as the paper's do, open ones in many blocks, and grey ones in the true blocks;
where they differ, a chain does not reach the posterior. The table has the log joints of the chains
beside that of the true blocks.""",
    claims=("TIWD-3a", "TIWD-3b", "TIWD-4a", "TIWD-4b", "TIWD-4c", "TIWD-4d"),
    inputs={"scores": _scores("means")},
    constants={"titles": ".tables:TITLES"},
)

PAPER.figure(
    "tiwd_fig4_verdicts",
    ".figure4:verdicts_table",
    ".figures:verdict_maps",
    shows="Verdicts on the claims about Figure 4 by theta, start and subtraction of row means",
    caption="""\
The verdict on each claim about Figure 4, and its effect, under every combination of what the paper
leaves open: theta, where chains start, whether WD_R subtracts row means from the data or from the
kernel principal components of the distances, and whether it counts the dimension that is lost. The
claims are judged on the reading with a star. Chains from the true blocks show what others could
reach; if their log joint is lower than that of the others (``tiwd_fig4``), these have not missed
anything.""",
    claims=("TIWD-3a", "TIWD-3b", "TIWD-4a", "TIWD-4b", "TIWD-4c", "TIWD-4d"),
    before={"evidence": ".evidence:DistancesEvidence"},
    inputs={"scores": _scores("means", "readings"), "published": _published()},
)

PAPER.figure(
    "tiwd_fig5",
    ".samplers:blocks_table",
    ".figures:membership_maps",
    published="Figure 5",
    shows="Co-membership of labelled classes and new blocks of sequences, and what the new "
    "blocks hold",
    caption="""\
Mean posterior probability that objects of two blocks belong together: classes of labelled objects
first, new blocks of unlabelled ones after the lines. The table lists the blocks that unlabelled
objects joined, new ones first.""",
    claims=("TIWD-6a", "TIWD-6b"),
    compare=Comparison(uncounted=("labelled", "classes", "unlabelled")),  # inputs
    inputs={
        "scores": _scores("labelled"),
        "heat": _memberships("heat"),
        "blocks": _memberships("blocks"),
        "published": _published("fig5"),
    },
    before={"heat": ".samplers:with_identity"},
    constants={"titles": ".tables:TITLES"},
)

PAPER.figure(
    "tiwd_scaling",
    ".tables:scaling_table",
    ".figures:sweep_costs",
    published="Theorem 1",
    shows="Seconds per sweep of four algorithms against n and k, with the exponents that they "
    "follow",
    caption="""\
Median seconds per sweep against the number of objects n, at fixed k, and against the number of
clusters k, at fixed n; bars span the quartiles. Exponents are least squares on logarithms with
the standard error of the residuals. Theorem 1 gives n^2 and n k^2 to the algorithm that finds
roots of the secular equation.""",
    claims=("TIWD-5",),
    compare=Comparison(metric="axis", pairs={"exponent": "published"}, error="exponent_se"),
    inputs={"timings": _TIMINGS, "published": _published("scaling")},
)

PAPER.enumeration(
    "tiwd_check",
    "{results}/enumeration.csv",
    shows="Sampled against enumerated probabilities of all partitions of a few objects",
    claims=("TIWD-7", "TIWD-8", "TIWD-9"),
)

PAPER.table(
    "tiwd_readings",
    ".tables:readings_table",
    shows="Overlapping clusters, and those of Figure 4, under other readings of what the paper "
    "leaves open",
    caption=_SCORES,
    claims=("TIWD-10", "TIWD-12", "TIWD-13"),
    inputs={"scores": _scores("readings")},
)

PAPER.table(
    "tiwd_labelled",
    ".tables:labelled_table",
    shows="TIWD and hierarchical methods on labelled objects, and where unlabelled sequences go",
    caption=_SCORES
    + """ Trees of the hierarchical methods are cut at the number of clusters that TIWD found, so
that their scores rest on its chains. Where classes are hidden, no label of five of them is kept,
and a fifth of those of the others are hidden, too.""",
    claims=("TIWD-14a", "TIWD-14b"),
    inputs={
        "scores": _scores("labelled"),
        "blocks": _memberships("blocks", needed=False),
        "assignments": _memberships("assignments", needed=False),
        "published": _published("fig5"),
    },
)

PAPER.verdicts(
    before={"evidence": ".evidence:DistancesEvidence"},
    inputs={
        "scores": _scores(),
        "traces": Input(
            "{results}/{dataset}/traces.npz",
            ".samplers:read_all_traces",
            _of_study("trace"),
            needed=False,
        ),
        "timings": _TIMINGS,
        "invariance": Input("{results}/invariance.csv", "pandas:read_csv", takes="one"),
        "blocks": _memberships("blocks", needed=False),
        "published": _published(),
    },
)
