"""The methods that `own_data.py` compares, each run in a process of its own.

Arguments: a method, a kind of data, a file written by `own_sets.save`, and the file for the labels.
Each method imports its packages in its own function, so that no method pays for the memory of
another, and programs of others can run in an interpreter without reseat.
"""

from __future__ import annotations

import contextlib
import json
import logging
import resource
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import numpy as np
from peak import peak

__all__ = ["METHODS", "Method"]

#: Number of coordinates of documents and of relations in which distances are computed.
N_COORDINATES = 50
#: Average cosine distance up to which clusters of records are merged.
NEAR = 0.4
#: Probability above which splink and dedupe take a pair to be a duplicate.
PROBABLE = 0.5
#: Largest memory of a method, in bytes; one that asks for more fails instead of the machine.
MOST_MEMORY = 8_000_000_000
#: Number of labelled pairs of each kind, duplicates and others, that dedupe is given.
LABELLED = 100


@dataclass(frozen=True)
class Method:
    """A method that clusters some kinds of data."""

    #: Called with the kind, the data, the names of the fields of records, and the truth, of which a
    #: method uses no more than `given` says. Returns labels, with -1 for items in no cluster.
    run: Callable[..., np.ndarray]
    kinds: tuple[str, ...]
    #: What a user has to provide besides the data.
    given: str
    #: Modules that are imported before the clock starts.
    imports: tuple[str, ...] = ()
    #: Package that must be installed; empty if the method needs only dependencies of reseat.
    program: str = ""
    #: What replaces `given` for records, if that differs.
    given_of_records: str = ""

    def given_of(self, kind: str) -> str:
        """Return what a user has to provide besides data of this kind."""
        return (kind == "records" and self.given_of_records) or self.given


# ---- reseat ------------------------------------------------------------------------------


def reseat(kind, data, fields, truth):
    """Run the estimator for the kind of data, with the chain lengths of `reseat cluster`."""
    from reseat import Microclustering, MultinomialMixture, RelationalModel, StudentMixture
    from reseat.command.cluster import default_length

    if kind == "relational":
        return RelationalModel(random_state=0).fit_predict(data)
    likelihood = "similar" if kind == "records" else None
    burn_in, samples, thin = default_length(kind, len(data), likelihood)
    settings = {"n_burn_in": burn_in, "n_samples": samples, "thin": thin, "random_state": 0}
    if kind == "documents":
        return MultinomialMixture(**settings).fit_predict(data)
    if kind == "records":
        cells = np.where(data == "", None, data.astype(object))
        return Microclustering(likelihood=likelihood, **settings).fit_predict(cells)
    metric = "precomputed" if _square(data) else "euclidean"
    return StudentMixture(metric=metric, **settings).fit_predict(data)


# ---- scikit-learn ------------------------------------------------------------------------


def k_means(kind, data, fields, truth):
    """Run k-means on tf-idf weights, on coordinates, or on coordinates computed from distances."""
    from sklearn.cluster import KMeans

    points = _coordinates(kind, data)
    return KMeans(_number(truth), n_init=10, random_state=0).fit_predict(points)


def unit_k_means(kind, data, fields, truth):
    """Run k-means on the same coordinates with all rows at the same distance from the origin."""
    from sklearn.cluster import KMeans
    from sklearn.preprocessing import normalize

    points = normalize(_coordinates(kind, data))
    return KMeans(_number(truth), n_init=10, random_state=0).fit_predict(points)


def agglomerative(kind, data, fields, truth):
    """Use Ward linkage on coordinates, and average linkage on distances."""
    from sklearn.cluster import AgglomerativeClustering

    if kind == "records":
        model = AgglomerativeClustering(
            None, distance_threshold=NEAR, metric="precomputed", linkage="average"
        )
        return model.fit_predict(_distances(data))
    if _square(data):
        model = AgglomerativeClustering(_number(truth), metric="precomputed", linkage="average")
        return model.fit_predict(data)
    return AgglomerativeClustering(_number(truth)).fit_predict(_coordinates(kind, data))


def hdbscan(kind, data, fields, truth):
    """Run HDBSCAN with its defaults, except that clusters of records may have only two items."""
    from sklearn.cluster import HDBSCAN

    if kind == "records":
        model = HDBSCAN(min_cluster_size=2, metric="precomputed", copy=False)
        return model.fit_predict(_distances(data))
    if _square(data):
        return HDBSCAN(metric="precomputed", copy=True).fit_predict(data)
    return HDBSCAN(copy=True).fit_predict(_coordinates(kind, data))


def bayesian_mixture(kind, data, fields, truth):
    """Fit a Dirichlet process mixture of Gaussians by variational inference."""
    from sklearn.mixture import BayesianGaussianMixture

    points = _coordinates(kind, data)
    model = BayesianGaussianMixture(
        n_components=2 * _number(truth),
        covariance_type="diag",
        max_iter=500,
        random_state=0,
    )
    return model.fit_predict(points)


def lda(kind, data, fields, truth):
    """Assign each row to the topic with its largest share."""
    from sklearn.decomposition import LatentDirichletAllocation

    model = LatentDirichletAllocation(_number(truth), max_iter=50, random_state=0)
    return model.fit_transform(data).argmax(axis=1)


# ---- programs that may be missing ---------------------------------------------------------


def tweetopic(kind, data, fields, truth):
    """Fit a Dirichlet-multinomial mixture like that of reseat, with a fixed number of clusters.

    The clusters of documents are computed from the counts of `fit`, because the probabilities of
    `transform` underflow, and are then all equal.
    """
    import scipy.sparse as sp
    import tweetopic as program

    model = program.DMM(
        n_components=_number(truth), n_iterations=100, alpha=1.0, beta=1.0, random_state=0
    )
    counts = sp.csr_matrix(data)
    model.fit(counts)
    smoothed = model.components_ + model.beta
    log_share = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
    weight = np.log(model.cluster_doc_count + model.alpha)
    return np.argmax(counts @ log_share.T + weight, axis=1)


@dataclass(frozen=True)
class Linkage:
    """The settings that somebody who knows splink would write for a table."""

    #: Fields compared by Jaro-Winkler similarity, and by a Levenshtein distance of at most 1.
    names: tuple[str, ...]
    codes: tuple[str, ...]
    #: Groups of fields; two records are compared if they agree in all fields of a group.
    blocks: tuple[tuple[str, ...], ...]
    #: Groups of fields; pairs that agree in all fields of a group are most likely duplicates.
    certain: tuple[tuple[str, ...], ...]
    #: Groups of fields for the training passes of EM.
    trained: tuple[tuple[str, ...], ...]
    #: Probability from which pairs count as duplicates.
    probable: float = PROBABLE


#: Settings by a field that only this table has.
LINKAGES = {
    "phone": Linkage(
        names=("first_name", "last_name", "city"),
        codes=("postcode", "birth_year", "phone"),
        blocks=(
            ("phone",),
            ("first_name", "last_name"),
            ("last_name", "postcode"),
            ("last_name", "birth_year"),
            ("first_name", "postcode"),
            ("postcode", "birth_year"),
            ("first_name", "city", "birth_year"),
        ),
        certain=(("phone",), ("first_name", "last_name", "birth_year")),
        trained=(("first_name", "last_name"), ("phone",)),
    ),
    "by": Linkage(
        names=("fname_c1", "lname_c1"),
        codes=("by", "bm", "bd"),
        blocks=(
            ("by", "bm", "bd"),
            ("fname_c1", "lname_c1"),
            ("lname_c1", "by"),
            ("lname_c1", "bm", "bd"),
            ("fname_c1", "by", "bd"),
            ("fname_c1", "by", "bm"),
        ),
        certain=(("fname_c1", "lname_c1", "by", "bm"), ("lname_c1", "by", "bm", "bd")),
        trained=(("fname_c1", "lname_c1"), ("by", "bm", "bd")),
    ),
    "suburb": Linkage(
        names=("given_name", "surname", "address_1", "suburb"),
        codes=("date_of_birth", "postcode", "street_number"),
        blocks=(
            ("given_name", "surname"),
            ("surname", "date_of_birth"),
            ("given_name", "date_of_birth"),
            ("surname", "postcode"),
            ("given_name", "postcode"),
            ("postcode", "date_of_birth"),
            ("address_1", "suburb"),
        ),
        certain=(("given_name", "surname", "date_of_birth"),),
        trained=(("given_name", "surname"), ("date_of_birth",)),
    ),
    "postcode_fake": Linkage(
        names=("first_name", "surname", "birth_place", "occupation"),
        codes=("dob", "postcode_fake"),
        blocks=(
            ("substr(first_name, 1, 3)", "substr(surname, 1, 4)"),
            ("surname", "dob"),
            ("first_name", "dob"),
            ("first_name", "postcode_fake"),
            ("surname", "postcode_fake"),
            ("dob", "birth_place"),
            ("dob", "substr(postcode_fake, 1, 3)"),
            ("first_name", "substr(postcode_fake, 1, 3)"),
            ("surname", "substr(postcode_fake, 1, 3)"),
        ),
        certain=(("first_name", "surname", "dob"), ("surname", "dob", "postcode_fake")),
        trained=(("first_name", "surname"), ("dob",)),
        probable=0.95,  # as in splink's tutorial on this table
    ),
}


def splink(kind, data, fields, truth):
    """Run splink as in its tutorial, with rules written for the table without using the truth."""
    import pandas as pd
    import splink.comparison_library as comparisons
    from splink import DuckDBAPI, Linker, SettingsCreator, block_on

    logging.disable(logging.WARNING)
    known = next(LINKAGES[name] for name in fields if name in LINKAGES)
    table = pd.DataFrame(data, columns=list(fields)).replace("", None)
    table = table[[*known.names, *known.codes]].assign(unique_id=np.arange(len(table)))
    settings = SettingsCreator(
        link_type="dedupe_only",
        comparisons=[
            *(comparisons.JaroWinklerAtThresholds(name, [0.9, 0.8]) for name in known.names),
            *(comparisons.LevenshteinAtThresholds(name, [1]) for name in known.codes),
        ],
        blocking_rules_to_generate_predictions=[block_on(*group) for group in known.blocks],
    )
    linker = Linker(DuckDBAPI().register(table), settings)
    training = linker.training
    training.estimate_probability_two_random_records_match(
        [block_on(*group) for group in known.certain], recall=0.7
    )
    training.estimate_u_using_random_sampling(max_pairs=2e6)
    for group in known.trained:
        training.estimate_parameters_using_expectation_maximisation(block_on(*group))
    pairs = linker.inference.predict()
    clusters = linker.clustering.cluster_pairwise_predictions_at_threshold(pairs, known.probable)
    found = clusters.as_duckdbpyrelation().df().sort_values("unique_id")
    return pd.factorize(found["cluster_id"])[0]


def goldenmatch(kind, data, fields, truth):
    """Run goldenmatch with the settings that it chooses itself."""
    import goldenmatch as program
    import pyarrow

    columns = {
        name: [str(value) or None for value in column]
        for name, column in zip(fields, data.T, strict=True)
    }
    clusters = program.dedupe_df(pyarrow.table(columns)).clusters
    labels = np.full(len(data), -1)
    for number, cluster in enumerate(clusters.values()):
        labels[cluster["members"]] = number
    return labels


def fast_hdbscan(kind, data, fields, truth):
    """Run fast_hdbscan with its defaults."""
    import fast_hdbscan as program

    return program.HDBSCAN().fit_predict(_coordinates(kind, data))


def graph_tool(kind, data, fields, truth):
    """Fit a degree-corrected block model of rows and columns by the description length."""
    import graph_tool.all as program

    rows, columns = np.nonzero(data)
    graph = program.Graph(directed=False)
    graph.add_vertex(sum(data.shape))
    graph.add_edge_list(np.column_stack([rows, len(data) + columns]))
    weight = graph.new_edge_property("int", vals=data[rows, columns])
    side = graph.new_vertex_property("int", vals=np.repeat([0, 1], data.shape))
    program.seed_rng(1)
    found = program.minimize_blockmodel_dl(graph, state_args={"eweight": weight, "pclabel": side})
    return found.get_blocks().a[: len(data)]


def dedupe(kind, data, fields, truth):
    """Run dedupe, trained on labelled pairs, half of them duplicates, instead of by a user."""
    import dedupe as program
    from dedupe import variables

    records = {
        place: {name: value or None for name, value in zip(fields, row, strict=True)}
        for place, row in enumerate(data.tolist())
    }
    definition = [variables.String(name, has_missing=True) for name in fields]
    model = program.Dedupe(definition, num_cores=1)
    rng = np.random.default_rng(0)
    order = np.argsort(truth, kind="stable")
    same = np.flatnonzero(truth[order][1:] == truth[order][:-1])
    chosen = rng.choice(same, min(LABELLED, same.size), replace=False)
    alike = [(records[int(order[k])], records[int(order[k + 1])]) for k in chosen]
    others = [rng.choice(len(data), 2, replace=False) for _ in range(LABELLED)]
    apart = [(records[int(a)], records[int(b)]) for a, b in others if truth[a] != truth[b]]
    model.prepare_training(records, sample_size=1500)
    model.mark_pairs({"match": alike, "distinct": apart})
    model.train(index_predicates=False)
    labels = np.empty(len(data), dtype=int)
    for number, (members, _) in enumerate(model.partition(records, PROBABLE)):
        labels[list(members)] = number
    return labels


K = "the number of clusters"
EVERY = ("documents", "points", "distances", "records", "relational")
VECTORS = ("documents", "points", "distances", "relational")
CLUSTERS = ("sklearn.cluster", "sklearn.feature_extraction.text", "sklearn.decomposition")
METHODS: dict[str, Method] = {
    "reseat": Method(
        reseat, EVERY, "nothing", tuple(f"reseat.estimators.{name}" for name in EVERY)
    ),
    "KMeans": Method(k_means, VECTORS, K, CLUSTERS),
    "KMeans on unit rows": Method(
        unit_k_means, ("documents",), K, (*CLUSTERS, "sklearn.preprocessing")
    ),
    "AgglomerativeClustering": Method(
        agglomerative, EVERY, K, CLUSTERS, given_of_records="a threshold"
    ),
    "HDBSCAN": Method(
        hdbscan,
        EVERY,
        "least size of a cluster (default)",
        CLUSTERS,
        given_of_records="least size of a cluster (2)",
    ),  # fmt: skip
    "BayesianGaussianMixture": Method(
        bayesian_mixture, VECTORS, "at most how many clusters", ("sklearn.mixture", *CLUSTERS)
    ),
    "LatentDirichletAllocation": Method(lda, ("documents", "relational"), K, CLUSTERS),
    "tweetopic": Method(tweetopic, ("documents",), K, ("tweetopic",), "tweetopic"),
    "splink": Method(
        splink, ("records",), "comparisons, blocks, a threshold", ("splink", "pandas"), "splink"
    ),
    "goldenmatch": Method(
        goldenmatch, ("records",), "nothing", ("goldenmatch", "pyarrow"), "goldenmatch"
    ),
    "fast_hdbscan": Method(
        fast_hdbscan,
        ("points",),
        "least size of a cluster (default)",
        ("fast_hdbscan",),
        "fast_hdbscan",
    ),
    "graph-tool": Method(graph_tool, ("relational",), "nothing", ("graph_tool.all",), "graph_tool"),
    "dedupe": Method(
        dedupe, ("records",), f"{2 * LABELLED} labelled pairs, a threshold", ("dedupe",), "dedupe"
    ),
}


# ---- shared functions --------------------------------------------------------------------


def _square(data) -> bool:
    """Return whether data are a matrix of distances."""
    return data.shape[0] == data.shape[1] and not np.diag(data).any()


def _number(truth) -> int:
    return np.unique(truth).size


def _coordinates(kind, data):
    """Return rows as points; for counts, tf-idf weights in the directions of most variance."""
    if kind in ("documents", "relational"):
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfTransformer

        weights = TfidfTransformer(sublinear_tf=True).fit_transform(data)
        n_kept = min(N_COORDINATES, min(weights.shape) - 1)
        return TruncatedSVD(n_kept, random_state=0).fit_transform(weights)
    if not _square(data):
        return data
    inner = -0.5 * (data - data.mean(axis=0) - data.mean(axis=1)[:, None] + data.mean())
    values, vectors = np.linalg.eigh(inner)
    kept = values > 1e-9 * values.max()
    return vectors[:, kept] * np.sqrt(values[kept])


def _distances(cells):
    """Return cosine distances of records, from the character 2-grams and 3-grams of their cells."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [" ".join(f"|{value}|" for value in row if value) for row in cells]
    weights = TfidfVectorizer(analyzer="char", ngram_range=(2, 3)).fit_transform(texts)
    found = 1.0 - (weights @ weights.T).toarray()
    np.fill_diagonal(found, 0.0)
    return np.maximum(found, 0.0)


def main(name: str, kind: str, source: str, target: str) -> None:
    """Run one method and print its seconds and megabytes as JSON."""
    with np.load(source) as stored:
        data, fields, truth = stored["data"], tuple(stored["fields"].tolist()), stored["truth"]
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    for module in METHODS[name].imports:
        import_module(module)
    begin = time.process_time()
    with contextlib.redirect_stdout(sys.stderr):
        labels = METHODS[name].run(kind, data, fields, truth)
    seconds = time.process_time() - begin
    np.save(target, np.asarray(labels))
    print(json.dumps({"seconds": seconds, "peak": peak()}))


if __name__ == "__main__":
    main(*sys.argv[1:])
