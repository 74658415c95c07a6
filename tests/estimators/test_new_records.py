"""New records of a finished fit, against enumeration and a fit to all; and records kept apart."""

import pickle

import exact
import numpy as np
import pandas as pd
import pytest
from similar import customers

from reseat import Microclustering
from reseat.datasets.parsers.generated_customers import FIELDS
from reseat.estimators import extending
from reseat.priors import NBNB

SHORT = {"n_chains": 2, "n_burn_in": 20, "n_samples": 20, "thin": 2, "random_state": 1}
SMALL = [["a", "x", "k"], ["a", "x", "k"], ["b", "y", "k"], ["b", "x", "l"], ["c", "y", "l"]]


def shares(model, new, item):
    """Return the probabilities of the clusters of one of the new records, by the definitions."""
    table = pd.DataFrame(SMALL + new)
    codes = np.column_stack([pd.factorize(table[column])[0] for column in table])
    a, q = NBNB().n_blocks_law(len(codes))
    found = np.zeros(model.n_clusters_ + 1)
    for (chain, number), draw in zip(np.ndindex(model.draws_.shape[:2]), model._flat_draws(),
                                     strict=True):  # fmt: skip
        now = {name: trace[chain, 2 * number + 1] for name, trace in model.traces_.items()}
        old, law = exact.canonical(draw), {}
        for z in exact.partitions(len(codes)):
            if z[: len(old)] == old:
                sizes = np.bincount(z).tolist()
                law[z] = exact.log_categorical(codes, z, now["delta"])
                law[z] += exact.log_nbnb(sizes, a, q, now["r"], now["p"])
        for z, chance in exact.normalise(law).items():
            of = model.labels_[np.array(old) == z[len(old) + item]]
            np.add.at(found, of if of.size else [-1], chance / max(of.size, 1))
    return found / len(model._flat_draws())


def test_a_new_record_has_the_probabilities_of_its_seats_given_each_draw():
    """Without noise: the parameters are those of the draw, and not drawn again."""
    model = Microclustering(likelihood="categorical", **SHORT).fit(SMALL)
    for new in (["a", "x", "l"], ["c", None, "l"], ["c", "y", "k"]):
        expected = shares(model, [new], 0)
        np.testing.assert_allclose(model.predict_proba([new])[0], expected, atol=1e-6)


def test_two_new_records_are_seated_together():
    model = Microclustering(likelihood="categorical", **SHORT).fit(SMALL)
    new = [["d", "z", "m"], ["d", "z", "m"]]
    found = []
    for model._seed in range(30):
        found.append(model.predict_proba(new)[0])
    error = np.std(found, axis=0) / np.sqrt(30)
    wrong = np.abs(np.mean(found, axis=0) - shares(model, new, 0))
    np.testing.assert_array_less(wrong, 4 * error + 1e-3)
    assert model.extend(new).labels_.tolist() == [*model.labels_, *[model.n_clusters_] * 2]


@pytest.fixture(scope="module")
def fitted():
    """Return customers, and a fit to the first 110 of them."""
    cells, truth = customers(150)
    table = pd.DataFrame(cells, columns=FIELDS)
    return table, truth, Microclustering(**SHORT).fit(table[:110])


def test_likely_pairs_are_candidates_enough(fitted, monkeypatch):
    table, _, model = fitted
    new = table[110:]
    by_all = model.predict_proba(new)
    monkeypatch.setattr(extending, "EVERY_CLUSTER_UP_TO", 0)
    np.testing.assert_allclose(model.predict_proba(new), by_all, atol=0.05)


def test_a_fit_is_extended_twice(fitted):
    table, truth, model = fitted
    stranger = ["Zoe", "Quux", "99999", "Nowhere", "1901", "0777"]
    new = pd.DataFrame([*table[110:130].to_numpy(), stranger, stranger], columns=FIELDS)
    once = model.extend(new)
    np.testing.assert_array_equal(once.labels_[:110], model.labels_)
    expected = model.predict(new)
    known = expected >= 0
    np.testing.assert_array_equal(once.labels_[110:][known], expected[known])
    assert once.labels_[-1] == once.labels_[-2] >= model.n_clusters_
    assert once.draws_.shape[2] == once.labels_.size == 132
    stored = pickle.loads(pickle.dumps(once))
    pd.testing.assert_frame_equal(stored.explain(0, 120), once.explain(0, 120))
    again = once.extend(table[130:])
    np.testing.assert_array_equal(again.labels_[:132], once.labels_)
    joined = again.labels_[132:] < once.n_clusters_
    before = np.append(truth[:130], [-1, -2])
    twin = np.isin(truth[130:], before)
    assert np.mean(joined == twin) > 0.8
    assert model.labels_.size == 110 and model.thin == 2


def of_two_guides(n_people=60):
    """Return two files in which each person has at most one record, and the person of each."""
    rng = np.random.default_rng(3)
    first = rng.choice(["ann", "bob", "eve", "tom"], n_people)
    last = rng.choice(["smith", "jones", "lee", "novak"], n_people)
    born = rng.integers(1950, 1980, n_people).astype(str)
    table = pd.DataFrame({"first": first, "last": last, "born": born})
    person = np.append(np.arange(n_people), np.arange(0, n_people, 2))
    guide = np.repeat(["north", "south"], [n_people, n_people // 2])
    return table.iloc[person].reset_index(drop=True), person, guide


@pytest.mark.parametrize("likelihood", ["categorical", "similar"])
def test_no_draw_has_two_records_of_a_source_in_a_cluster(likelihood):
    table, person, guide = of_two_guides()
    model = Microclustering(likelihood=likelihood, at_most_one="each", **SHORT)
    model.fit(table, sources=guide)
    for draw in (*model._flat_draws(), model.labels_):
        pairs = pd.DataFrame({"cluster": draw, "guide": guide})
        assert not pairs.duplicated().any()
    model.set_params(at_most_one=["south"]).fit(table, sources=guide)
    several = pd.DataFrame({"cluster": model._flat_draws()[-1], "guide": guide})
    assert not several[guide == "south"].duplicated().any()
