"""The studies, tables and figures of Daumé & Marcu 2005, each declared once."""

from dataclasses import replace

from reseat.papers.declare import SCORES, Comparison, Input, Paper, published_numbers
from reseat.papers.supervised import PAPER as SHORT

PAPER = Paper(
    key="daume-marcu-2005",
    family="supervised",
    about="Supervised clustering",
    short=SHORT,
    authors="Hal Daumé III and Daniel Marcu",
    title="A Bayesian Model for Supervised Clustering with the Dirichlet Process Prior",
    venue="Journal of Machine Learning Research 6",
    year=2005,
)

#: The paper prints only one reading of SCDP-3, and one number for what it ran and the posterior.
_ONE_READING = Comparison(
    uncounted=("SCDP-3 (precision)", "posterior"),
    without_error="a single run, or a row that is equal by construction",
)

#: The sizes of the classes of test digits were worked out from the rows of Coarse and Fine.
_OF_DIGITS = replace(_ONE_READING, uncounted=(*_ONE_READING.uncounted, "Coarse", "Fine"))

#: How the two rows of a sampled system differ in Tables 1 to 5.
_TWO_ROWS = (
    SCORES
    + """
The paper's models have two rows. That with the name alone is as the paper did it: sweeps that move
single items, at the scale ``paper`` in as many chains of 10,000 sweeps, all from singletons. Its
mean is one over modes if the note says so, as the paper's is. That with the word "posterior" has
moves that mix, from the same starts for all models, singletons and K-means; the note says whether
they agree with one another and with chains from further starts."""
)


def _on(kind, part="studies", role=None, has=None, needed=True):
    """Return the input of a result on data sets of a part, or of a role or with models in it."""

    def selects(plan, dataset):
        models = plan.section["models"]
        return has is None or any(has(models[name]) for name in plan.models(dataset))

    def datasets(plan):
        found = [name for name in plan.on(part) if role in (None, plan.role(name))]
        return [name for name in found if selects(plan, name)]

    path = f"{{results}}/{{dataset}}/{kind}.csv"
    given = {"options": {"kind": kind}, "needed": needed}
    return Input(path, ".results:read_results", datasets, **given)


def _of_kinds(*kinds, **where):
    return {kind: _on(kind, **where) for kind in kinds}


#: Inputs of the jobs on the items of one data set.
_ITEMS = {
    name: Input(f"{{processed}}/{name}/{{dataset}}.npz", reader, takes="one")
    for name, reader in (
        ("mentions", "reseat.datasets.mentions:Mentions.load"),
        ("references", "reseat.datasets.embedded_mentions:EmbeddedMentions.load"),
    )
}

# Every system that is not sampled.
PAPER.job(
    "{dataset}/baselines",
    {"baselines": ".baselines:score_baselines"},
    inputs=_ITEMS,
    settings={
        "role": lambda plan, dataset: plan.role(dataset),
        "settings": lambda plan: {"k_means": plan.section["k_means"], "binary": plan.binary},
        "seed": lambda plan: plan.seed,
        "n_seeds": lambda plan: plan.settings["n_seeds"],
    },
    parallel=True,
    minutes=240,
    memory=2000,
)

# What held-out entities choose: settings of the model of two covariances, with its chains, and the
# scale of other models on several kinds of coordinates.
for _part, _sample, _frames, _settings, _minutes in (
    (
        *("full", ".scales:sample_full", ("full_trials", "full")),
        *(lambda plan, dataset: plan.searched("full", dataset), 60),
    ),
    (
        *("chosen", ".scales:sample_chosen", ("chosen",)),
        *(lambda plan, dataset: plan.chosen(dataset), 120),
    ),
):
    PAPER.job(
        f"{{dataset}}/{_part}",
        {", ".join(_frames): _sample},
        inputs=_ITEMS,
        writes={name: f"{{results}}/{{dataset}}/{name}.csv" for name in sorted(_frames)},
        settings={
            "role": lambda plan, dataset: plan.role(dataset),
            "embedding": lambda plan, dataset: plan.embedding(dataset),
            "settings": _settings,
            "seed": lambda plan: plan.seed,
        },
        minutes=_minutes,
        memory=3000,
    )

# Data whose clusters and types are known, and whether systems find them.
PAPER.job(
    "worlds",
    {"worlds": ".worlds:sample_worlds"},
    settings={
        "worlds": lambda plan: plan.settings["worlds"],
        "settings": lambda plan: {
            name: plan.section[name]
            for name in ("sigma", "shape", "rate", "lambda", "n_candidates", "joint")
        },
        "seed": lambda plan: plan.seed,
    },
    minutes=120,
)

# Exact and sampled posteriors of a few items.
PAPER.job(
    "enumeration",
    {"counts": ".enumeration:run_enumeration"},
    settings={
        "n_sweeps": lambda plan: plan.settings["check"]["n_sweeps"],
        "seed": lambda plan: plan.seed,
    },
    minutes=20,
)

_PUBLISHED = published_numbers("scdp", ("setup", *(f"table{number}" for number in range(1, 6))))

#: The step that selects the scores to show from the results of all systems.
_SCORES = {"scores": ".results:default_scores"}


for _number, _role, _data, _claims in (
    (1, "digits", "digits", ("SC-4a", "SC-4b", "SC-5")),
    (
        *(2, "identity", "references to researchers, and on further authors"),
        ("SC-6", "SC-7", "SC-8a", "SC-8b"),
    ),
    (3, "coref", "proper nouns, clustered within documents", ("SC-9a", "SC-9b", "SC-9c")),
    (
        *(4, "refmatch", "Cora references, as the text and as the numbers have them"),
        ("SC-10a", "SC-10b", "SC-11", "SC-12"),
    ),
):
    PAPER.table(
        f"scdp_table{_number}",
        ".tables:metrics_table",
        published=f"Table {_number}",
        shows=f"All systems by eight metrics on {_data}",
        caption=_TWO_ROWS,
        claims=_claims,
        compare=_ONE_READING if _role != "digits" else _OF_DIGITS,
        inputs={
            **_of_kinds("baselines", "chains", "diagnostics", role=_role),
            "draws": _on("draws", "draws", _role, needed=False),
            "published": _PUBLISHED,
        },
        before=_SCORES,
        settings={"role": _role},
    )

PAPER.table(
    "scdp_table5",
    ".tables:f_table",
    published="Table 5",
    shows="F of the learned systems on the four sets",
    caption=_TWO_ROWS,
    claims=("SC-1a", "SC-1b", "SC-2", "SC-3a", "SC-3b", "SC-14a", "SC-14b"),
    # Each of these numbers is the F of one of Tables 1 to 4.
    compare=Comparison(
        uncounted=(
            *("Binary", "Xing-K", "SCDP-1", "SCDP-2"),
            *("(covariance)", "(precision)", "posterior"),
        )
    ),
    inputs={
        **_of_kinds("baselines", "chains", "diagnostics"),
        "draws": _on("draws", "draws", needed=False),
        "published": _PUBLISHED,
    },
    before=_SCORES,
)

PAPER.table(
    "scdp_draws",
    ".tables:draws_table",
    shows="Systems on several draws of the digits, of which the paper does not say which it drew",
    caption="""\
means over draws of the images, with other random numbers on each; the printed numbers are from one
draw, and ``combined`` is the standard error of the difference. CDP and SCDP have one chain on each
draw, with the paper's sweeps. In rows that name a sigma, the models have joint moves and two
chains, and "sigma chosen" is the variance of the means with the best F of held-out training digits.
""",
    inputs={"draws": _on("draws", "draws"), "published": _PUBLISHED},
)

PAPER.figure(
    "scdp_fig3",
    ".tables:growth_table",
    ".figures:entity_growth",
    published="Figure 3",
    shows="Number of clusters of n items in the data, under the Dirichlet process and "
    "under Pitman-Yor",
    caption="""\
Expected number of clusters of n items: in black under the Dirichlet process, whose concentration
has its posterior mean given all labels; in blue of n items of the data drawn without replacement,
from random documents where items are clustered within documents; in orange under the Pitman-Yor
process that fits best, a negative discount being a finite number of possible clusters. Bands are
two standard deviations either side of the mean; that of the data closes where n is the whole set,
and steps where a document drops out that is too short for n.""",
    claims=("SC-16a", "SC-16b", "SC-16c", "SC-23"),
    inputs={"growth": _on("growth"), "fit": _on("growth_fit")},
    constants={"titles": ".results:ROLES"},
)

PAPER.table(
    "scdp_contradictions",
    ".contradictions:contradictions_table",
    shows="Printed rows recomputed from other printed numbers, and which of them cannot be right",
    caption="""\
each printed number that other printed numbers of the same table imply. ``mean`` is the recomputed
value, ``low`` and ``high`` its ends over the range that rounded or truncated digits allow, and
``agrees`` whether the printed one is within 0.001 of them. ``pair share`` and ``N`` are what a
row by itself implies about its test set.""",
    inputs={"published": _PUBLISHED},
)

PAPER.table(
    "scdp_readings",
    ".tables:readings_table",
    shows="SCDP-3 in both readings and from every start, with other variants, samples and "
    "summaries",
    caption="""\
SCDP-3 with types that are covariances and with types that are precisions, from every start of its
chains; ``distance`` is the root mean square difference from the printed row in F, NES and NVI,
and the row "nearer the printed row" distinguishes the two readings. Below, other variants, single
samples and the partition of least expected VI.""",
    claims=("SC-17",),
    compare=Comparison(without_error="of a single partition or chain"),
    inputs={
        **_of_kinds("chains", "min_vi", "baselines", "diagnostics", "data"),
        "published": _PUBLISHED,
    },
)

PAPER.table(
    "scdp_times",
    ".tables:times_table",
    published="Section 7",
    shows="Seconds of a chain of 10,000 iterations next to the times that the paper reports",
    caption="""\
seconds of a chain of 10,000 iterations on one core, projected from the measured seconds of a sweep
that moves single items, as the paper's do, next to the time that the paper reports for its machines
of 2005. Where such sweeps did not run, the times are those of the model as reported, and stand
beside none of the paper's.""",
    claims=("SC-15", "SC-22"),
    compare=Comparison(uncounted=("SCDP-3 (precision)",)),
    inputs={**_of_kinds("diagnostics"), "published": _PUBLISHED},
)

PAPER.table(
    "scdp_moves",
    ".tables:moves_table",
    shows="Beyond the paper - effective samples per second of other moves and of the "
    "Pitman-Yor prior",
    caption="""\
effective samples per second after burn-in, means over chains, each measured by itself. ``gain`` is
the rate as a multiple of that of sweeps that move single items; under another prior the posterior
is different too. Chains that are stuck in different places look fast: compare F and the number of
test clusters. A note says if the chains disagree.""",
    inputs=_of_kinds("moves", "diagnostics"),
)

PAPER.table(
    "scdp_posterior",
    ".results:posterior_table",
    shows="Beyond the paper - what the models prefer: log joint from starts far apart, and that of "
    "the true clusters",
    caption="""\
chains whose moves draw publications and types together, start by start. ``log joint`` has the means
integrated out, with its Monte Carlo error; "truth held" has the true clusters of the test items and
samples everything else. Chains from different starts that reach the same log joint have found the
posterior; if that is far above the truth, the model prefers other clusters, and the score is a
property of the model, not of its chains. ``R-hat`` is the larger of log joint and F over all
starts (of SCDP-2, which has no fixed target, of F and the number of clusters). Chains from the true
clusters are there to be compared with. Tables 1 to 5 have the starts that all models share.""",
    inputs=_of_kinds("diagnostics", has=lambda model: model.get("moves") == "joint"),
)

PAPER.table(
    "scdp_scale",
    ".results:scale_table",
    shows="A reading found by looking at the tables - the scale of the data against the prior of "
    "the means",
    caption="""\
the printed metrics if means have the variance sigma and features the variance 1, and items of CDP
the same variance about their means. The paper gives the variance of the means ("about 1") but,
except for the digits, not the scale of the features beside it. No sigma was chosen beforehand: if
one of them is near the printed row, that is a reading found by looking at the table. It is sampled
in rows of their own, where ``sigma`` is its posterior mean.""",
    compare=Comparison(not_comparable="a reading found by looking at the table"),
    inputs={
        **_of_kinds("chains", "diagnostics", has=lambda model: "sigma" in model),
        "published": _PUBLISHED,
    },
)

PAPER.table(
    "scdp_full",
    ".full:full_table",
    shows="Beyond the paper - full covariances within and between entities, set by held-out "
    "training entities",
    caption="""\
scores of the test items under a model of one full covariance within entities and one between
them, learned from the training entities, next to the systems that are not sampled. ``setting`` is
what held-out training entities have chosen: the coordinates of the items, the nugget (the share of
the total variances that is added within entities), the power of the density of the items, the
number of directions and, unless it is sampled, the log concentration; the test items play no part
in it. Each seed draws its own folds and chains.""",
    inputs={
        "chains": _on("full", "full"),
        "trials": _on("full_trials", "full"),
        "baselines": _on("baselines", "full"),
    },
)

PAPER.table(
    "scdp_held_out",
    ".full:held_out_table",
    shows="Beyond the paper - F of held-out training entities under every setting of scdp_full",
    caption="""\
F of training entities that nothing was learned from, on average over folds and seeds, for every
setting that was tried, with its standard error over seeds; ``seeds`` is how many chose it.""",
    inputs={"trials": _on("full_trials", "full")},
)

PAPER.table(
    "scdp_chosen",
    ".full:chosen_table",
    shows="Beyond the paper - the scale chosen by held-out training entities, and coordinates from "
    "distances alone",
    caption="""\
scores at the scale of the configuration, at one over the number of coordinates, and at that with
the best F of held-out training entities, from which nothing was learned; ``sigma`` has how many
seeds had which variance of the means. The coordinates are those of the other tables and, as
"distances", those in which clusters have the squared distances of the paper's footnote 5; all
coordinates of a feature share one precision. ``held-out F`` is that of each variance that was
tried. On digits, see scdp_draws. Moves are joint, from singletons and from K-means, and the note
says whether the two starts disagree on any seed.""",
    compare=Comparison(not_comparable="a reading beside the paper's settings"),
    inputs={
        # Data sets whose items are drawn again are in another table.
        "chosen": replace(
            _on("chosen"),
            over=lambda plan: [n for n in plan.on("chosen") if n not in plan.on("draws")],
        ),
        "published": _PUBLISHED,
    },
)

_WORLDS = Input("{results}/worlds.csv", ".results:read_worlds")

PAPER.table(
    "scdp_worlds",
    ".worlds:worlds_table",
    shows="Data whose clusters and types are known: axis-aligned pluses, and draws from the models",
    caption="""\
adjusted Rand index of the test items and number of types, means over draws of the data. In pluses
of eight features, half of the items of an entity lie near its mean in the even features and far
from it in the odd ones, and half the other way round; in the plane, with two features, arms that
belong together cannot be told. "best metric" is the best of the clusters found by K-Means and
hierarchical clustering, given the true number, under many metrics, chosen by the truth. Data drawn
from a model have eight features and three types. All models have joint moves, except for CDP, and
start from singletons.""",
    claims=("SC-21",),
    inputs={"worlds": _WORLDS},
)

PAPER.enumeration(
    "scdp_check",
    "{results}/enumeration.csv",
    shows="Sampled against enumerated probabilities of all partitions of a few items, for "
    "every model",
    claims=("SC-18", "SC-19", "SC-20"),
)

PAPER.verdicts(
    before={
        **_SCORES,
        "titles": "reseat.papers.published:titles_of",
        "evidence": ".evidence:SupervisedEvidence",
    },
    inputs={
        "identities": Input(
            "{processed}/references/{dataset}.npz",
            "reseat.papers.published:read_identities",
            lambda plan: plan.datasets,
        ),
        **_of_kinds("baselines", "chains", "diagnostics", "data", "growth"),
        "draws": _on("draws", "draws", needed=False),
        "published": _PUBLISHED,
        "worlds": _WORLDS,
    },
)
