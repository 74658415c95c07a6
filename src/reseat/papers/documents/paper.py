"""The tables and figures of Walker & Ringger 2008, each declared once."""

from functools import partial
from itertools import chain, product

from reseat.papers.declare import SCORES, Comparison, Input, Paper, published_numbers
from reseat.papers.documents import PAPER as SHORT
from reseat.papers.documents.results import FITTED
from reseat.papers.documents.tables import EM_SYSTEMS, MOVES

#: Remark in tables on 20 Newsgroups: how its words, which the paper does not specify, were chosen.
FOUND_BY_LOOKING = f"""
``newsgroups20`` had {FITTED["newsgroups20"]};
``newsgroups20_snowball`` in `docs_readings` is what was chosen before that."""

PAPER = Paper(
    key="walker-ringger-2008",
    family="documents",
    about="Document clustering",
    short=SHORT,
    authors="Daniel D. Walker and Eric K. Ringger",
    title="Model-Based Document Clustering with a Collapsed Gibbs Sampler",
    venue="Proceedings of the 14th ACM SIGKDD International Conference on Knowledge Discovery and "
    "Data Mining",
    year=2008,
    times=(
        {
            "what": "One chain of collapsed Gibbs sampling",
            "file": "docs_setup.csv",
            "row": {"system": "all", "metric": "hours_per_chain"},
            "unit": "h",
            "models": ["gibbs"],
        },
    ),
)


def _scores_and_traces(models, role=None):
    """Return the inputs of results of some models on the data sets of a role, or on all."""

    def pairs(plan):
        return [
            {"dataset": dataset, "model": model}
            for dataset in _playing(role, plan)
            for model in models(plan)
            if model in plan.models(dataset)
        ]

    return _of_pairs(pairs)


def _of_pairs(pairs):
    """Return the inputs of scores of pairs, and of traces of those that are sampled, in order."""

    def sampled(plan):
        return [pair for pair in pairs(plan) if plan.sampled(pair["model"])]

    folder = "{results}/{dataset}/{model}"
    return {
        "scores": Input(f"{folder}/scores.csv", ".results:read_scores", pairs),
        "traces": Input(f"{folder}/traces.npz", ".tables:Traces.load", sampled, takes="each"),
    }


def _gibbs(_plan):
    return ["gibbs"]


def _gibbs_and_em(plan):
    return ["gibbs", *(name for name in plan.settings["n_chains"] if not plan.sampled(name))]


def _of_every_data_set(plan):
    """Return all models except those that are run only to compare priors."""
    models = plan.section["models"]
    return [name for name in plan.settings["n_chains"] if "datasets" not in models[name]]


def _with_readings(plan):
    """Return pairs of the first newsgroups data set, or a reading of it, and a model to compare."""
    of_readings = {name: plan.models(name) for name in plan.readings("newsgroups")}
    models = dict.fromkeys(chain.from_iterable(of_readings.values()))
    wanted = dict.fromkeys(plan.playing("newsgroups")[:1], models) | of_readings
    return [{"dataset": name, "model": model} for name in wanted for model in wanted[name]]


_STORED = "{processed}/documents/{dataset}.npz"


def _identities(role=None):
    """Return the input of the identities of the data sets of a role, or of all."""
    over = partial(_playing, role)
    return Input(_STORED, "reseat.papers.published:read_identities", over)


def _corpus(role=None):
    """Return the input of the data set of a role, or of the job."""
    over = role and partial(_playing, role)
    return Input(_STORED, "reseat.datasets.corpus:Corpus.load", over, takes="one")


def _playing(role, plan):
    return plan.datasets if role is None else plan.playing(role)


def _samples(role):
    """Return the input of single samples of the paper's chains on the data set of a role."""
    return Input(
        "{results}/{dataset}/gibbs/chains/block-{block}",
        ".studies:read_samples",
        lambda plan: [
            {"dataset": dataset, "block": block}
            for dataset in plan.playing(role)[:1]
            for block in range(len(plan.chains_of(dataset, "gibbs")))
        ],
    )


def _of_first(role, read):
    """Return a function that reads a setting from the paper's run on the data set of a role."""
    return lambda plan: read(plan.run(plan.playing(role)[0], "gibbs"))


def _published(name):
    return Input(f"{{published}}/{name}.csv", ".results:read_published", takes="one")


def _varied(plan):
    """Return the models whose starts, moves and priors are combined with several betas."""
    models = "gibbs", "gibbs_split", "gibbs_annealed", "gibbs_dp"
    return [name for name in models if name in plan.section["models"]]


def roles_of(plan):
    """Return the paper's data sets, mapped to those that stand for them."""
    return {role: list(plan.playing(role)) for role in ("newsgroups", "enron", "delicious")}


PAPER.job(
    "{dataset}/beta-{beta}/posterior",
    {"chains": ".posterior:sample_posterior"},
    inputs={"corpus": _corpus()},
    settings={
        "models": lambda plan: {name: plan.section["models"][name] for name in _varied(plan)},
        "n_clusters": lambda plan, dataset: plan.section["datasets"][dataset]["n_clusters"],
        "posterior": lambda plan: {
            key: value for key, value in plan.settings["posterior"].items() if key != "betas"
        },
        "seed": lambda plan: plan.seed,
    },
    samples=lambda plan: [
        plan.run(*pair) for pair in product(plan.playing("newsgroups"), _varied(plan))
    ],
    minutes=300,
    memory=2000,
)

PAPER.job(
    "{dataset}/em_starts",
    {"starts": ".scores:sample_em_starts"},
    inputs={"corpus": _corpus()},
    settings={
        "n_clusters": lambda plan, dataset: plan.section["datasets"][dataset]["n_clusters"],
        "em_starts": lambda plan: plan.settings["em_starts"],
        "seed": lambda plan: plan.seed,
    },
    parallel=True,
    minutes=300,
    memory=2000,
)

PAPER.figure(
    "docs_fig2",
    ".tables:traces_table",
    ".figures:log_joint_traces",
    published="Figure 2 a-c",
    shows="Log joint of one Gibbs chain against the sweep, for each data set, with the "
    "burn-in marked",
    caption="""\
Log joint p(w, z) of one Gibbs chain after every sweep, one panel per data set; the band spans all
chains and the shaded part is the burn-in. The axis covers the sweeps after the first rise;
the inset shows the whole range.""",
    claims=("DOC-5a", "DOC-5b"),
    inputs={
        "identities": _identities(),
        "traces": _scores_and_traces(_gibbs)["traces"],
    },
    before={"titles": "reseat.papers.published:titles_of"},
    settings={"roles": roles_of},
)

for _name, _role, _printed_as, _shown in (
    ("docs_fig3", "enron", "Figure 3 a-b", ""),
    ("docs_fig3_newsgroups", "newsgroups", "", " on 20 Newsgroups"),
):
    PAPER.figure(
        _name,
        ".label_switching:kl_table",
        ".figures:kl_heatmaps",
        published=_printed_as,
        shows=f"Whether labels switch{_shown}, as KL divergences between the clusters of two "
        "samples of one chain",
        caption="""\
Kullback-Leibler divergence from each cluster of a sample taken after the burn-in (rows) to each
cluster of (a) the same and (b) a later sample of the same chain (columns), divided by the largest:
black is 0, white is 1; (c) is their difference, on its own scale. A dark diagonal on a light ground
means that clusters kept their labels; an orange dot marks a row whose nearest cluster is another.
Rows of clusters that are empty in the first sample are pale blue: empty clusters are all equal.""",
        claims=("DOC-4",),
        inputs={
            "corpus": _corpus(_role),
            "identities": _identities(_role),
            "samples": _samples(_role),
        },
        before={
            "panels, matrices, nearest": ".label_switching:compare_first_chain",
            "summary": ".label_switching:summary_table",
            "titles": "reseat.papers.published:titles_of",
        },
        beside=("summary",),
        settings={
            "role": _role,
            "n_clusters": _of_first(_role, lambda run: run.n_clusters),
            "sweeps": _of_first(_role, lambda run: run.switching_sweeps()),
        },
    )

for _first, _table, _models, _shows, _claims, _readings in (
    (
        *(1, "summaries_table", _gibbs),
        "Five scores of three summaries of a chain (marginal, MAP, random) on {}",
        *(("DOC-2", "DOC-3"), ()),
    ),
    (
        *(4, "methods_table", _gibbs_and_em, "Collapsed Gibbs against EM on {}"),
        # The numbers printed for Gibbs sampling are repeated from Tables 1 to 3.
        *(("DOC-1",), ("Gibbs", *(system for system, *_model in EM_SYSTEMS[1:]))),
    ),
):
    for _number, (_role, _title) in enumerate(
        {"delicious": "del.icio.us", "newsgroups": "20 Newsgroups", "enron": "Enron"}.items(),
        start=_first,
    ):
        PAPER.table(
            f"docs_table{_number}",
            f".tables:{_table}",
            published=f"Table {_number}",
            shows=_shows.format(_title),
            caption=SCORES + (FOUND_BY_LOOKING if _role == "newsgroups" else ""),
            claims=_claims,
            compare=Comparison(uncounted=_readings),
            inputs={
                **_scores_and_traces(_models, _role),
                "published": _published(f"docs_table{_number}"),
            },
            settings={"role": _role},
        )

PAPER.table(
    "docs_table7",
    ".contingency:contingency_table",
    kind="contingency",
    published="Table 7",
    shows="Which newsgroups the clusters of one sample contain, next to the published counts",
    caption="""\
documents of each class in each cluster of one sample, next to the published counts. Clusters are
matched to the published ones so as to maximise the total overlap of their classes; the rows
``shape``, ``split`` and ``score`` are means over chains. The row ``table`` tests whether the
published table may be one of our samples: how far each is from the others (the share of documents
that two tables cannot have in common if their clusters are matched best), and the place of the
published table among ours, from 0 (nearest to the others) to 1 (farthest).""",
    claims=("DOC-7", "DOC-8"),
    compare=Comparison(
        # Counts of a cluster, whose name ends with its number, are of a single sample.
        uncounted=tuple("0123456789"),
        without_error="counts of one sample of one chain",
        rule="statistics within three standard errors, and the published table not among the 2.5 % "
        "of all samples that are nearest to the others, or farthest from them",
    ),
    inputs={
        "corpus": _corpus("newsgroups"),
        "samples": _samples("newsgroups"),
        "published": _published("docs_table7"),
        "traces": _scores_and_traces(_gibbs, "newsgroups")["traces"],
    },
    settings={"role": "newsgroups", "sweeps": (100,)},
)

for _name, _role, _printed_as, _title in (
    ("docs_fig4", "delicious", "Figure 4 a-b", "del.icio.us"),
    ("docs_fig4_newsgroups", "newsgroups", "", "20 Newsgroups"),
):
    PAPER.figure(
        _name,
        ".tables:fixed_location_frame",
        ".figures:scores_by_sample",
        published=_printed_as,
        shows=f"ARI and V-measure of a single sample against its place in the chain, on {_title}",
        caption="""\
Score of the single sample at each place in the chain, counted from the start: mean over chains,
with a band of one Monte Carlo standard error; chains that are in different modes are said to
disagree. Both panels start at zero agreement and share their axis, so that a flat line looks
flat.""",
        claims=("DOC-6",),
        inputs={"identities": _identities(_role)} | _scores_and_traces(_gibbs, _role),
        before={"titles": "reseat.papers.published:titles_of"},
        settings={"role": _role},
        needs=lambda plan, role=_role: all(
            plan.run(name, "gibbs").fixed_sweeps() for name in plan.playing(role)
        ),
    )

PAPER.table(
    "docs_em",
    ".tables:em_table",
    shows="EM in Table 5 from starts that are more or less alike, stopped after several numbers of "
    "iterations",
    caption="""\
add-one smoothing; word probabilities start at draws from a symmetric Dirichlet distribution, with a
large concentration if clusters are to be alike. Rows ``choice`` are means over half of the
restarts, with the root mean square number of standard errors between them and Table 5; all that
were tried are shown. The start and the number of iterations with the fewest were chosen, and the
rows ``judgement`` are over the other half of the restarts. If they agree with Table 5, then such a
start and stop would explain it; that the paper had it is not shown.""",
    inputs={
        "starts": Input(
            "{results}/{dataset}/em_starts.csv",
            ".results:read_em_starts",
            lambda plan: plan.playing("newsgroups"),
        ),
        "published": _published("docs_table5"),
    },
    settings={"role": "newsgroups"},
)

PAPER.table(
    "docs_readings",
    ".tables:readings_table",
    shows="Table 2, and EM in Table 5, with other stop lists, words and headers, which the paper "
    "does not name",
    caption=SCORES + FOUND_BY_LOOKING,
    inputs={
        **_of_pairs(_with_readings),
        "published": _published("docs_table2"),
        "published_methods": _published("docs_table5"),
    },
    settings={"role": "newsgroups"},
)

PAPER.table(
    "docs_extensions",
    ".tables:extensions_table",
    shows="Beyond the paper - K unknown, EM started from Gibbs, partitions of least expected loss",
    caption=SCORES,
    inputs=_scores_and_traces(_of_every_data_set),
    settings={"roles": roles_of},
)

PAPER.table(
    "docs_mixing",
    ".tables:mixing_table",
    shows="Beyond the paper - whether chains from random starts agree, with other moves and with "
    "annealed starts",
    caption="""\
log joint of chains that start at random on 20 Newsgroups, its standard deviation between chains,
the Monte Carlo error within one, and scores of one sample of each chain: with the paper's sweeps,
with splits and merges, and with sweeps at a low power of the posterior, which is raised slowly,
before the burn-in. Chains agree if they differ by no more than their Monte Carlo errors.""",
    inputs=_scores_and_traces(lambda plan: list(MOVES), "newsgroups"),
    settings={"role": "newsgroups"},
)

PAPER.table(
    "docs_posterior",
    ".posterior:posterior_table",
    shows="Beyond the paper - what the posterior prefers under other priors of words, and whether "
    "it is the true classes",
    caption="""\
log joint (nats, mean over the samples after the burn-in), scores, number and sizes of clusters of
the last sample of each chain, and the mean of beta, on 20 Newsgroups. Chains stay at the true
classes, start from them, or start at random, with the paper's sweeps, with splits and merges, or
with sweeps at a low power of the posterior before; or K and alpha are sampled (Dirichlet process).
If a chain that leaves the classes has a higher log joint than they have, the model prefers other
clusters.""",
    inputs={
        "chains": Input(
            "{results}/{dataset}/beta-{beta}/posterior.csv",
            ".results:read_posterior",
            lambda plan: [
                {"dataset": dataset, "beta": beta}
                for dataset, beta in product(plan.playing("newsgroups"), plan.betas())
            ],
        )
    },
    settings={"role": "newsgroups"},
)

PAPER.verdicts(
    before={"evidence": ".evidence:DocumentsEvidence"},
    inputs={
        "scores": _scores_and_traces(_of_every_data_set)["scores"],
        "identities": _identities(),
        "traces": _scores_and_traces(_gibbs)["traces"],
        "switching": Input(
            ("{tables}/docs_fig3_summary.csv", "{tables}/docs_fig3_newsgroups_summary.csv"),
            ".results:read_switching",
        ),
        "table7": Input("{tables}/docs_table7.csv", ".tables:read_table", takes="one"),
        "published": published_numbers("docs", [f"table{number}" for number in range(1, 8)]),
    },
    settings={"roles": roles_of, "seed": lambda plan: plan.seed},
    needs=lambda plan: all(roles_of(plan).values()),
)
