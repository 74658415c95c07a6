"""Baselines of supervised clustering: K-Means with an oracle, Xing-K, Binary, and their scores."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from places import ROOT
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from reseat.baselines import (
    LINKS,
    BinaryClusterer,
    PairClassifier,
    alternate,
    best_f_labels,
    golden_section,
    kmeans_labels,
    oracle_n_clusters,
)
from reseat.baselines.binary import best_threshold, cut, merge_gains
from reseat.baselines.item_pairs import check_items
from reseat.datasets import DatasetIdentity, EmbeddedMentions, Mentions, Registry, build
from reseat.datasets.pair_features import mention_features
from reseat.errors import ConfigError, DataError
from reseat.metrics import pair_f
from reseat.numerics import on_grid
from reseat.papers.supervised.baselines import BEST_F, distances_of, score_baselines, score_draws
from reseat.papers.supervised.measures import PRINTED, SUPPLEMENT, measure

# ---- the trivial rows of the tables ------------------------------------------------------


def published(root, number):
    path = root / "config" / "published" / f"scdp_table{number}.csv"
    return pd.read_csv(path).set_index(["system", "metric"])["value"]


def labels_of_sizes(sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def test_coarse_and_fine_of_the_digits_are_the_printed_ones(root):
    truth = labels_of_sizes([49, 101, 152, 180, 183])
    table = published(root, 1)
    found = {"Coarse": measure(truth, 0 * truth), "Fine": measure(truth, np.arange(665))}
    for system, scores in found.items():
        assert tuple(scores) == (*PRINTED, *SUPPLEMENT)
        for metric in PRINTED:
            # This one follows Pantel and Lin, unlike the others.
            printed = (system, metric) == ("Fine", "CED")
            value = scores["CED (Pantel & Lin)" if printed else metric]
            assert round(value, 3) == table[system, metric], (system, metric)


@pytest.mark.parametrize(
    "number, n_items, n_entities, largest",
    [(1, 665, 5, 183), (2, 378, 103, 95), (3, 950, 523, 20), (4, 622, 65, 159)],
)
def test_trivial_rows_follow_from_the_sizes(root, number, n_items, n_entities, largest):
    # Only these three numbers are known of the sizes; the rest must not affect what is compared.
    rest, n_rest = n_items - largest, n_entities - 1
    sizes = [largest, *([rest // n_rest + 1] * (rest % n_rest))]
    sizes += [rest // n_rest] * (n_entities - len(sizes))
    truth = labels_of_sizes(sizes)
    assert truth.size == n_items and np.unique(truth).size == n_entities
    coarse, fine = measure(truth, 0 * truth), measure(truth, np.arange(n_items))
    table = published(root, number)
    assert coarse["NES"] == pytest.approx(table["Coarse", "NES"], abs=0.001)
    assert coarse["CED"] == pytest.approx(table["Coarse", "CED"], abs=0.0015)
    assert fine["NES"] == pytest.approx(table["Fine", "NES"], abs=0.001)
    both = table["Coarse", "VI"] + table["Fine", "VI"]
    assert coarse["VI"] + fine["VI"] == pytest.approx(both, abs=0.0011)
    assert fine["P"] == 1.0 and fine["R"] == fine["F"] == 0.0


# ---- search and agglomeration ------------------------------------------------------------


@pytest.mark.parametrize("peak", [-3.7, 0.01, 2.9])
def test_golden_section_finds_the_peak(peak):
    seen = []

    def function(x):
        seen.append(x)
        return -(abs(x - peak) ** 1.5)

    place, value = golden_section(function, -4.0, 3.0, 20)
    assert place == pytest.approx(peak, abs=7 * 0.6181**19)
    assert value == max(map(function, seen.copy())) and len(set(seen)) == 20


def test_search_by_turns_finds_the_peak_of_two_numbers():
    def function(x, y):
        return -((x - 1.2) ** 2) - (y + 0.4) ** 2 - 0.6 * (x - 1.2) * (y + 0.4)

    place, value = alternate(function, ((-5, 5), (-5, 5)), 6, 25)
    assert place == pytest.approx((1.2, -0.4), abs=1e-3) and value == function(*place)
    one_round = alternate(function, ((-5, 5), (-5, 5)), 1, 25)[1]
    assert one_round < -0.01  # one number is searched before the other is known
    with pytest.raises(ConfigError, match="low below high"):
        golden_section(abs, 1.0, 1.0, 5)


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("decimals", [0, 9])  # with merges of equal height, and without
def test_the_best_threshold_is_the_best_of_all(rng, link, decimals):
    entities = rng.integers(4, size=25)
    other = rng.integers(5, size=14)
    far = rng.normal(scale=2.0, size=391).round(decimals)  # of any sign
    sets = [(entities, far[:300]), (other, far[300:])]
    merges = [merge_gains(far, truth, link) for truth, far in sets]
    n_similar = sum(np.triu(np.equal.outer(truth, truth), 1).sum() for truth, _ in sets)
    threshold, f = best_threshold(merges, n_similar)

    def pooled(height):
        found = [cut(far, link, height) for _, far in sets]
        apart = np.concatenate([found[0], found[1] + 1000])
        return pair_f(np.concatenate([entities, other + 1000]), apart)

    heights = np.concatenate([found.heights for found in merges])
    assert f == pytest.approx(pooled(threshold), rel=1e-12)
    assert f == pytest.approx(max(pooled(height + 1e-9) for height in heights), rel=1e-12)


# ---- K-Means -----------------------------------------------------------------------------


@pytest.fixture
def blobs():
    """Return three well-separated entities in each of two groups, at the same places."""
    rng = np.random.default_rng(4)
    entities = np.repeat(np.arange(6), 8)
    points = 10 * np.eye(3)[entities % 3] + rng.normal(size=(48, 3))
    shuffled = rng.permutation(48)
    return points[shuffled], entities[shuffled], (entities // 3)[shuffled]


def test_kmeans_with_the_number_of_an_oracle(blobs):
    points, entities, groups = blobs
    n_clusters = oracle_n_clusters(entities, groups)
    assert n_clusters == {0: 3, 1: 3}
    labels = kmeans_labels(points, n_clusters, groups=groups, n_restarts=5)
    assert pair_f(entities, labels) == 1.0  # although the groups are at the same places
    assert np.array_equal(pd.factorize(labels)[0], labels) and labels.dtype == np.int32
    unequal = kmeans_labels(points, {0: 1, 1: 8}, groups=groups, n_restarts=5)
    assert [np.unique(unequal[groups == group]).size for group in (0, 1)] == [1, 8]


def test_kmeans_depends_on_the_seed_alone_and_not_on_the_scale(rng):
    points = rng.normal(size=(60, 3))
    same = [kmeans_labels(a * points, 7, n_restarts=2, seed=3) for a in (1.0, 1.0, 1e-3, 1e4)]
    assert all(np.array_equal(same[0], labels) for labels in same)
    assert any(
        not np.array_equal(same[0], kmeans_labels(points, 7, n_restarts=1, seed=seed))
        for seed in range(4, 9)
    )


def test_kmeans_takes_as_many_clusters_as_there_are_points():
    points = np.array([[0.0], [0.0], [1.0], [2.0]])
    assert np.unique(kmeans_labels(points, 4, n_restarts=2)).size >= 3
    with pytest.raises(ConfigError, match="from 1 to 4"):
        kmeans_labels(points, 5)
    with pytest.raises(ConfigError, match="n_clusters has no number for group 1; add one"):
        kmeans_labels(points, {0: 1}, groups=[0, 0, 1, 1])
    with pytest.raises(DataError, match="row 2 contains a non-finite value"):
        kmeans_labels(np.array([[0.0], [1.0], [np.nan]]), 2)


UNKNOWN = {"numbers": [0, 0, np.nan, np.nan], "texts": ["a", "a", None, None]}


@pytest.mark.parametrize("kind", UNKNOWN)
def test_items_of_unknown_entities_are_not_one_entity(kind):
    points, unknown = np.eye(4), UNKNOWN[kind]
    for use in (
        lambda: check_items(unknown),
        lambda: check_items([0, 1, 2, 3], unknown),
        lambda: oracle_n_clusters(unknown, [0, 0, 0, 1]),
        lambda: best_f_labels(points, unknown),
        lambda: kmeans_labels(points, 1, groups=unknown),
    ):
        with pytest.raises(DataError, match=r"(entities|groups) has no label .* at position 2"):
            use()


def test_there_is_an_entity_for_each_point():
    for n in (3, 5):
        with pytest.raises(DataError, match=rf"entities has shape \({n},\)"):
            best_f_labels(np.eye(4), np.zeros(n))
        with pytest.raises(DataError, match=rf"entities has shape \({n},\)"):
            oracle_n_clusters(np.zeros(n), np.zeros(4))


def test_the_second_oracle_is_never_below_the_first(rng):
    entities = np.repeat(np.arange(12), 4)
    points = rng.normal(size=(12, 2))[entities] * 1.5 + rng.normal(size=(48, 2)) * 0.6
    first = kmeans_labels(points, 12, n_restarts=5, seed=1)
    second = best_f_labels(points, entities, n_restarts=5, n_scan_restarts=1, seed=1)
    assert pair_f(entities, second) > pair_f(entities, first) + 0.01  # with these points


# ---- Binary ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def items():
    """Return 60 items, half of them of 10 training entities; the third feature is pure noise."""
    rng = np.random.default_rng(7)
    entities = np.repeat(np.arange(20), 3)
    places = rng.permutation(20)[entities]
    points = np.stack([places // 4, places % 4, places], axis=1) + rng.normal(0, 0.08, (60, 3))
    points[:, 2] = rng.normal(scale=4.0, size=60)
    return points, entities, np.repeat([False, True], 30)


def clusterer(points, **settings):
    settings = {"n_folds": 4, "n_rounds": 1, "n_search_pairs": 100, "random_state": 1} | settings
    return BinaryClusterer(lambda a, b: np.abs(points[a] - points[b]), **settings)


def test_binary_learns_which_features_count(items):
    points, entities, test = items
    train, new = np.flatnonzero(~test), np.flatnonzero(test)
    binary = clusterer(points).fit(train, entities[train])
    labels = binary.predict(new)
    assert pair_f(entities[new], labels) > 0.9 and binary.cv_f_ > 0.9
    by_all = kmeans_labels(points[new], 10, n_restarts=5)
    assert pair_f(entities[new], by_all) < 0.5  # there is something to learn
    assert binary.n_training_pairs_ == 435 and binary.link_ in LINKS
    again = clusterer(points, threads=2).fit(train, entities[train])
    assert np.array_equal(again.predict(new), labels) and again.threshold_ == binary.threshold_
    # A cluster never spans two documents.
    documents = np.arange(30) % 2
    apart = binary.predict(new, documents)
    assert not set(apart[documents == 0]) & set(apart[documents == 1])


def test_binary_keeps_to_its_numbers_of_pairs(items):
    points, entities, test = items
    train = np.flatnonzero(~test)
    asked = []

    def distances(first, second):
        asked.append((first, second))
        return np.abs(points[first] - points[second])

    settings = {"n_pairs": 60, "n_search_pairs": 40, "similar_share": 0.5, "max_held_pairs": 10}
    binary = clusterer(points, objective="accuracy", **settings)
    binary.set_params(distances=distances).fit(train, entities[train])
    assert binary.n_training_pairs_ == 60 and max(len(first) for first, _ in asked) <= 60
    assert np.isin(np.concatenate([*asked[0], *asked[-1]]), train).all()
    assert sum(entities[a] == entities[b] for a, b in zip(*asked[-1], strict=True)) == 30


def test_classifier_decides_as_the_solver_does(rng):
    rows = rng.exponential(size=(150, 4)) * [1, 50, 0.1, 1]
    similar = rows[:, 1] + 5 * rng.normal(size=150) < 20
    with pytest.raises(NotFittedError):
        PairClassifier().predict(rows)
    machine = PairClassifier(gamma=0.3, C=4.0).fit(rows, similar)
    scaler = StandardScaler().fit(rows)
    solver = SVC(C=4.0, gamma=0.3).fit(on_grid(scaler.transform(rows)), similar)
    new = rng.exponential(size=(80, 4)) * [1, 50, 0.1, 1]
    expected = solver.decision_function(on_grid(scaler.transform(new)))
    assert machine.decision_function(new) == pytest.approx(expected, abs=1e-5)
    assert np.array_equal(machine.predict(new), expected > 0)
    assert machine.get_params() == {"gamma": 0.3, "C": 4.0, "max_iter": 200_000}
    machine.set_params(gamma=9.0)  # for the next fit
    assert machine.decision_function(new) == pytest.approx(expected, abs=1e-5)
    with pytest.raises(DataError, match="all 150 training pairs are similar"):
        machine.fit(rows, np.ones(150, dtype=bool))
    with pytest.raises(DataError, match="whether each pair is similar: entry . is -1"):
        machine.fit(rows, np.where(similar, 1, -1))


@pytest.mark.parametrize(
    "n, entities, changes, sentence",
    [
        (9, np.arange(9), {}, "no two training items are similar"),
        (9, np.zeros(9), {}, "no two training items are dissimilar"),
        (9, np.arange(9) % 3, {}, "have 3 entities, too few"),
        (0, [], {}, "there must be at least one item"),
        (8, np.zeros(9), {}, "there must be one of each for every item"),
        (9, None, {"objective": "auc"}, "one of F, accuracy"),
        (9, None, {"n_folds": 1}, "n_folds is 1; it must be a whole number, at least 2"),
        (9, None, {"n_pairs": 0}, "n_pairs is 0; it must be"),
        (9, None, {"threads": 1.5}, "threads is 1.5; it must be"),
        (9, None, {"similar_share": 2}, "similar_share is 2; it must lie in"),
        (9, None, {"log2_c": (3.0, 1.0)}, r"log2_c\[1\] is 1.0; it must lie in"),
        (9, None, {"log2_gamma": 3.0}, "log2_gamma is 3.0; it must be a pair of numbers"),
    ],
)
def test_binary_says_what_it_lacks(items, n, entities, changes, sentence):
    points, known, _ = items
    error = ConfigError if changes else DataError
    with pytest.raises(error, match=sentence):
        clusterer(points, **changes).fit(np.arange(n), known[:n] if entities is None else entities)
    with pytest.raises(NotFittedError):
        clusterer(points).predict(np.arange(60))


# ---- the frame ---------------------------------------------------------------------------

SETTINGS = {"k_means": {"n_restarts": 5}, "best_f": {"n_scan_restarts": 1, "n_steps": 8}}
SETTINGS |= {"binary": {"n_folds": 3, "n_rounds": 1, "n_pairs": 200, "n_search_pairs": 80}}
OPTIONS = {"role": "digits", "settings": SETTINGS, "seed": 3}


class Ruled(Mentions):
    """Mentions for which a rule gives clusters."""

    def rules(self):
        return {"NameMatch": self.entities // 2}


@pytest.fixture(scope="module")
def digits(items):
    points, entities, test = items
    common = {"entities": entities, "test": test, "groups": test.astype(int)}
    common |= {"item_ids": tuple(map(str, range(60)))}
    common |= {"identity": DatasetIdentity("toy", "Toy", "generated")}
    names, features = ("train", "test"), {"feature_of": np.arange(3), "features": ("a", "b", "c")}
    mentions = Ruled(kind="digits", columns={"pixels": points}, group_names=names, **common)
    return EmbeddedMentions(coordinates=points, **features, **common), mentions


def test_baselines_are_scored_on_the_test_items(digits):
    references, mentions = digits
    frame = pd.DataFrame(score_baselines(references, mentions, threads=2, **OPTIONS))
    assert list(frame) == [
        *("dataset", "status", "role", "system", "variant", "chosen", "repetition", "metric"),
        *("value", "n_clusters", "seconds"),
    ]
    assert set(frame.dataset) == {"toy"} and set(frame.role) == {"digits"}
    assert (frame.seconds >= 0).all() and np.isfinite(frame.value).all()
    f = frame[frame.metric == "F"].set_index(["system", "variant"])
    assert f.n_clusters["Coarse", ""] == 1 and f.n_clusters["Fine", ""] == 30
    assert f.n_clusters["NameMatch", ""] == 5 and f.n_clusters["K-Means", ""] == 10
    assert f.value["K-Means", BEST_F] >= f.value["K-Means", ""]
    assert f.value["Binary", ""] > 0.9
    values = {key: rows.value.tolist() for key, rows in frame.groupby(["system", "variant"])}
    assert values["Xing-K", "C=0"] == values["K-Means", ""]
    assert f.value["Xing-K", "C>0"] > f.value["Xing-K", "C=0"]
    chosen = f[f.chosen].index.tolist()
    assert [variant for system, variant in chosen if system == "Xing-K"] == ["C>0"]
    assert ("K-Means", BEST_F) not in chosen and f.chosen.sum() == 6
    more = pd.DataFrame(score_baselines(references, mentions, n_seeds=2, **OPTIONS))
    first = more[more.repetition == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(
        first.drop(columns="seconds"), frame.drop(columns="seconds"), check_like=True
    )
    repeated = more[(more.repetition == 1) & (more.metric == "F")]
    assert list(zip(repeated.system, repeated.variant, strict=True)) == [
        *(("K-Means", ""), ("Xing-K", "C>0"), ("Xing-K", "C=0"), ("Binary", ""))
    ]


def test_baselines_are_scored_once_on_every_draw_of_the_items():
    registry = Registry.load(ROOT / "config" / "datasets.yaml")
    given = {"role": "digits", "seed": 3, "embedding": {}}
    given |= {"settings": {"binary": {"n_pairs": 60, "n_search_pairs": 40, "n_folds": 2}}}

    def load(seed):
        return build(registry, "uci_digits", seed=seed, kind="mentions")

    frame = score_draws(load, "uci_digits", n_draws=2, **given)
    assert set(frame["dataset"]) == {"uci_digits"} and set(frame["draw"]) == {0, 1}
    f = frame[frame["metric"] == "F"].pivot(
        index=["system", "variant"], columns="draw", values="value"
    )
    assert f.loc["K-Means", ""].nunique() == 2  # of other images
    assert f.loc["Coarse", ""].nunique() == 1  # of as many images of each digit
    again = score_draws(load, "uci_digits", n_draws=1, **given)
    first = frame[frame["draw"] == 0].drop(columns="seconds")
    pd.testing.assert_frame_equal(again.drop(columns="seconds"), first)


def test_distances_are_those_of_the_mentions(digits, rng):
    _, mentions = digits
    first, second = rng.integers(60, size=(2, 50))
    found = distances_of(mentions)(first, second)
    for feature, column in zip(mention_features(mentions).values(), found.T, strict=True):
        matrix = feature.matrix()
        np.testing.assert_allclose(
            column, matrix[feature.codes[first], feature.codes[second]], atol=1e-6
        )


@pytest.mark.parametrize(
    "changed, sentence",
    [
        ({"test": np.zeros(60, dtype=bool)}, "'toy': no item is marked test"),
        ({"item_ids": tuple("x" * n for n in range(60))}, "'toy': .* do not have the same items"),
        ({"entities": np.arange(60)}, "'toy': no two training items are similar"),
    ],
)
def test_bad_data_end_in_a_sentence(digits, changed, sentence):
    references, mentions = digits
    with pytest.raises(DataError, match=sentence):
        score_baselines(replace(references, **changed), mentions, **OPTIONS)
