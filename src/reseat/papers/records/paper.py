"""The studies, tables and figures of Zanella et al. 2016, each declared once."""

from functools import partial
from itertools import product
from operator import attrgetter

from reseat.papers.declare import Comparison, Input, Paper, published_numbers
from reseat.papers.records import ESTIMATES
from reseat.papers.records import PAPER as SHORT

PAPER = Paper(
    key="zanella-2016",
    family="records",
    about="Record linkage and microclustering",
    short=SHORT,
    authors="Giacomo Zanella, Brenda Betancourt, Hanna Wallach, Jeffrey Miller, Abbas Zaidi and "
    "Rebecca C. Steorts",
    title="Flexible Models for Microclustering with Application to Entity Resolution",
    venue="Advances in Neural Information Processing Systems 29",
    year=2016,
)

_POSTERIOR = """\
one row per data set, prior and metric. ``mean`` is the posterior mean, averaged over data draws
where there are several, and ``se`` its standard error: between data draws, or the Monte Carlo
error with one. Where the name of an error rate goes on after a comma, the rate is that of a point
estimate: shared most probable maximal matching sets, the pairs of records with a probability above
one half, or the partition with the least expected VI or Binder loss. ``published`` is the value
printed in the paper, which is based on one draw of its own; ``comparable`` says whether the data
are drawn from the paper's own recipe. On a stand-in the difference is given, but it does not
measure agreement."""

#: Point estimates whose error rates stand in Table 1, but are not counted.
_SHOWN_BESIDE = tuple(name for name in ESTIMATES if name != "matching_sets")

#: Models of documents, one for each prior that is compared.
_CROSS_MODELS = ("gibbs", "gibbs_dp", "gibbs_pyp", "gibbs_nbnb", "gibbs_nbd")


def _summaries(*parts):
    """Return the input of posterior summaries on the data sets of some parts of the scale."""
    return Input(
        "{results}/{dataset}/summary.csv",
        ".results:read_summaries",
        lambda plan: plan.datasets_in(*parts),
    )


_published = partial(published_numbers, "micro", ("table1", "fig1", "fig2", "fig3"))


def _records(datasets):
    return Input(
        "{processed}/{stored}",
        "pathlib:Path",
        lambda plan: [{"stored": plan.stored(name)} for name in datasets(plan)],
        takes="each",
    )


def _study(file, datasets=None, needed=True):
    """Return the input of a study, if the data sets that it needs, if any, are available."""
    return Input(f"{{results}}/{file}", "pandas:read_csv", datasets, takes="one", needed=needed)


_moves_datasets, _watched_datasets = map(attrgetter, ("moves_datasets", "watched_datasets"))


def _cross_documents(plan):
    """Return the document data sets on which every prior has been run."""
    return [name for name in plan.datasets if set(_CROSS_MODELS) <= set(plan.models(name))]


def _cross_runs(plan):
    runs = product(_cross_documents(plan), _CROSS_MODELS)
    return [{"dataset": dataset, "model": model} for dataset, model in runs]


def _documents(files, read, over, **more):
    """Return an input from the papers on documents, whose files may be missing."""
    reader = f"reseat.papers.{read}"
    return Input(files, reader, over, family="documents", needed=False, **more)


# Draws from the priors for growing numbers of items.
PAPER.job(
    "priors/growth",
    {"draws": ".studies:draw_growth"},
    settings={"growth": lambda plan: plan.settings["growth"], "seed": lambda plan: plan.seed},
)

# Exact and sampled posteriors of five records, and the exact stationary law of the chaperones.
PAPER.job(
    "priors/enumeration",
    {"counts": ".studies:count_partitions", "invariance": ".studies:invariance_table"},
    writes={
        "counts": "{results}/priors/enumeration.csv",
        "invariance": "{results}/priors/invariance.csv",
    },
    settings={
        "n_sweeps": lambda plan: plan.settings["check"]["n_sweeps"],
        "seed": lambda plan: plan.seed,
    },
)

# Gibbs sweeps, chaperones and split–merge on the same models, timed one after the other.
PAPER.job(
    "moves",
    {"runs, traces": ".moves:compare_moves"},
    inputs={"records": _records(_moves_datasets)},
    writes={"runs": "{results}/moves/runs.csv", "traces": "{results}/moves/traces.csv"},
    settings={
        "runs": lambda plan: [run.to_dict() for run in plan.moves_runs()],
        "n_sweeps": lambda plan: plan.settings["moves"],
    },
    samples=lambda plan: plan.moves_runs(),
    minutes=120,
)

# Chains from random labels, before they settle.
PAPER.job(
    "unsettled",
    {"stops": ".unsettled:watch_chains"},
    inputs={"records": _records(_watched_datasets)},
    settings={
        "runs": lambda plan: [run.to_dict() for run in plan.unsettled_runs()],
        "watch": lambda plan: plan.settings["unsettled"],
    },
    samples=lambda plan: plan.unsettled_runs(),
    minutes=60,
)

PAPER.table(
    "micro_table1",
    ".tables:table1",
    published="Table 1",
    shows="Number of clusters, error rates and delta under four priors, on four sets at "
    "three deltas",
    caption=_POSTERIOR,
    claims=("MIC-10", "MIC-12", "MIC-13", "MIC-15", "MIC-16", "MIC-18", "MIC-20"),
    compare=Comparison(
        rule="E[K] agrees within three standard errors or 1 %, its standard deviation sd[K] within "
        "a quarter, FNR and FDR within 0.03, whatever their errors, and E[delta] within three "
        "standard errors or 0.015; the rates that count are those of the shared most probable "
        "maximal matching sets, and the DP and PYP that count are those with sampled parameters",
        uncounted=(
            *("DP", "PYP", "PYP, concentration sampled", "FNR", "FDR"),
            *(f"{rate}, {ESTIMATES[name]}" for rate in ("FNR", "FDR") for name in _SHOWN_BESIDE),
        ),
    ),
    inputs={"summaries": _summaries("table1"), "published": _published("table1")},
)

PAPER.figure(
    "micro_fig1",
    ".tables:growth_table",
    ".figures:prior_growth",
    published="Figure 1",
    shows="Largest cluster and number of clusters of draws from four priors against the number of "
    "items",
    caption="""\
Share of the largest cluster, M/N, and number of clusters per item, K/N, of one draw from each
prior for each number of items N; grey crosses are the published draws. Under the microclustering
priors M/N goes to zero. NBNB is drawn at the paper's a = 1, q = 0.5, r = 1, p = 0.5. Under NBD so
many items are too improbable to be drawn at its a = 1, q = 0.5: a and q are solved for N/2 expected
clusters instead. NBD, MCMC is a chain at those values, as in the paper, and is shown after
20 Gibbs sweeps from random labels 1 to N; it has not settled. The table judges the published
points of NBNB by the exact law of the largest cluster. Those of NBD are not counted, and stand
beside the same law, which NBD has with its law of sizes fixed at its mean: a reading that was
found by looking at them.""",
    claims=("MIC-6", "MIC-7"),
    compare=Comparison(
        pairs={"expected": "published"},
        metric="point",
        uncounted=("NBD",),
        rule="the printed largest cluster of NBNB agrees with its exact law, given the number of "
        "items, if it lies in the central 99 % of it",
    ),
    inputs={"draws": _study("priors/growth.csv"), "published": _published("fig1")},
)

PAPER.figure(
    "micro_fig2",
    ".tables:boxes_table",
    ".figures:posterior_boxes",
    published="Figure 2",
    shows="Posteriors of four statistics of cluster sizes as boxes, next to the published boxes "
    "and the truth",
    caption="""\
Posterior boxes of four statistics of the partition (median, quartiles, whiskers to the most extreme
draw within 1.5 box lengths): filled boxes are ours, from the first data draw, pale where chains
disagree, and open ones to their right the published ones where the paper has them. A square marks a
box of zero height; the dashed line is the truth. The parameters of DP and PYP are sampled.""",
    claims=("MIC-11", "MIC-12", "MIC-13", "MIC-14", "MIC-17", "MIC-19"),
    compare=Comparison(
        metric="statistic",
        pairs={"median": "published_median"},
        rule="a median of Figure 2, read off the plot, agrees if it lies in the interval in which, "
        "judged by the medians of our data draws, that of one further draw lies with a "
        "probability of 95 %, or within 1 % of our mean",
    ),
    inputs={"summaries": _summaries("table1"), "published": _published("fig2")},
    constants={"titles": ".results:SETS"},
)

PAPER.figure(
    "micro_fig3",
    ".tables:sizes_table",
    ".figures:size_distributions",
    published="Supplement, Figure 1",
    shows="Number of clusters of each size in the two Syria sets, and in the posteriors",
    caption="""\
Number of clusters of each size: grey strokes are the truth, lines posterior means on the first data
draw with 95 % bands, hollow where chains disagree. Means below one cluster are not drawn. The
parameters of DP and PYP are sampled. The published counts are those that the data are drawn with,
so that there is nothing to compare.""",
    compare=Comparison(pairs={}),
    inputs={
        "sizes": Input(
            "{results}/{dataset}/sizes.csv",
            ".results:read_sizes",
            lambda plan: plan.datasets_in("table1"),
        ),
        "summaries": _summaries("table1"),
        "published": _published("fig3"),
    },
    constants={"titles": ".results:SETS"},
    needs=lambda plan: any("syria" in plan.role(name) for name in plan.datasets_in("table1")),
)

PAPER.figure(
    "micro_thm1",
    ".study_tables:theorem_table",
    ".figures:largest_share",
    published="Theorem 1",
    shows="Whether the share of the largest cluster vanishes as the items grow in number",
    caption="""\
Mean share of the largest cluster, E[M]/N, and probability of at most ten clusters, against the
number of items N; bars are 95 % intervals. Theorem 1 says that under NBNB the
share vanishes. For NBD, a and q are solved for N/2 expected clusters at each N, so that
its share vanishes by construction.""",
    claims=("MIC-6", "MIC-7"),
    inputs={"draws": _study("priors/growth.csv")},
)

PAPER.figure(
    "micro_chaperones",
    ".study_tables:chaperones_table",
    ".figures:mixing_of_moves",
    published="Supplement, section C",
    shows="Chaperones with uniform and with similar pairs and split–merge moves against Gibbs "
    "sweeps, traces and speed",
    caption="""\
Number of clusters and log joint against CPU time, one line per chain, and effective samples per
second: Gibbs sweeps, chaperones drawn uniformly, chaperones that tend to agree, and split–merge
moves of two records that tend to agree. The number beside a point is how many times as fast as
Gibbs the move is, chain by chain, and its 95 % interval; the points count the draws of all chains
together, and are hollow where these disagree. The first data set is drawn; the table has all.""",
    claims=("MIC-8", "MIC-9", "MIC-22"),
    inputs={
        "runs": _study("moves/runs.csv", _moves_datasets),
        "traces": _study("moves/traces.csv", _moves_datasets),
    },
    constants={"titles": ".study_tables:MOVES"},
)

PAPER.enumeration(
    "micro_prior_check",
    "{results}/priors/enumeration.csv",
    shows="Sampled against enumerated probabilities of all partitions of five items, under "
    "four priors",
    claims=("MIC-1", "MIC-2"),
)

PAPER.table(
    "micro_real",
    ".tables:real_table",
    shows="Beyond the paper - the same priors on published record sets whose entities are known",
    caption=_POSTERIOR,
    inputs={"summaries": _summaries("real", "variants")},
    settings={"delta_bound": lambda plan: plan.section["delta"]["bound"]},
    needs=lambda plan: plan.datasets_in("real"),
)

PAPER.table(
    "er_benchmarks",
    ".tables:benchmarks_table",
    shows="Beyond the paper - precision and recall of six priors on records with misspelt values",
    caption="""\
one row per data set, prior and quantity. ``mean`` is the posterior mean and ``se`` its Monte Carlo
error. Precision and recall are those of pairs of records; F is made of their posterior means, and
its error from theirs as if they were independent. Where a name goes on after a comma, they are
those of a point estimate, as in ``micro_table1``. Nothing is tuned to a data set: fields are
compared as their values suggest.""",
    inputs={"summaries": _summaries("benchmarks")},
    needs=lambda plan: plan.datasets_in("benchmarks"),
)

PAPER.table(
    "micro_readings",
    ".tables:readings_table",
    shows="Cells of Table 1 under other readings of what the paper leaves open",
    caption=_POSTERIOR,
    inputs={"summaries": _summaries("readings"), "published": _published("table1")},
)

PAPER.table(
    "micro_unsettled",
    ".tables:unsettled_table",
    shows="Table 1 on NLTCS5000 from single chains that start at random labels, by sweeps",
    caption="""\
one row per data set, prior, number of sweeps after which the chain is stopped, and metric: the
means over the second half of its sweeps. The
chain starts at a label from 1 to N for each record, and its chaperones agree on each field with a
probability of three quarters, as in the authors' later software. ``agrees`` judges by the rule of
Table 1. For a number of sweeps, ``n_agree`` counts the numbers of all sets that do, of
``n_printed``, with error rates of matching sets, and ``n_agree_means`` with posterior means.""",
    compare=Comparison(pairs={}),
    inputs={
        "stops": _study("unsettled.csv", _watched_datasets),
        "published": _published("table1"),
    },
)

PAPER.table(
    "cross_priors",
    ".tables:cross_table",
    shows="Beyond the paper - five priors side by side on records and on documents",
    caption="""\
one row per data set, prior and metric. For records, ``mean`` is the posterior mean, and ``se`` its
Monte Carlo error; for documents, the mean of one sample of each chain, and ``se`` its standard
error between chains, which may be in different modes (``note``).""",
    inputs={
        "summaries": _summaries("readings", "real"),
        "scores": _documents(
            "{results}/{dataset}/{model}/scores.csv", "documents.results:read_scores", _cross_runs
        ),
        "traces": _documents(
            "{results}/{dataset}/{model}/traces.npz",
            "documents.tables:Traces.load",
            _cross_runs,
            takes="each",
        ),
        "n_items": _documents(
            "{processed}/documents/{dataset}.npz", "published:n_documents", _cross_documents
        ),
    },
)

PAPER.verdicts(
    before={"evidence": ".evidence:RecordsEvidence"},
    inputs={
        "summaries": _summaries("table1"),
        "runs": _study("moves/runs.csv", _moves_datasets, needed=False),
        "growth": _study("priors/growth.csv"),
        "invariance": _study("priors/invariance.csv"),
        "published": _published(),
    },
    settings={"seed": lambda plan: plan.seed},
)
