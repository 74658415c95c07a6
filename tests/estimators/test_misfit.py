"""Data on which strangers were merged: what is found now, and what wrong clusters give away."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.neighbors import kneighbors_graph

from reseat import Microclustering, RelationalModel, StudentMixture, WishartDirichlet
from reseat.estimators import misfit
from reseat.estimators.points import _counted
from reseat.metrics import adjusted_rand
from reseat.models.fields.columns import as_columns
from reseat.models.fields.index import index_fields

SHORT = {"n_chains": 2, "n_burn_in": 30, "n_samples": 20, "random_state": 1}
FIRST = [f"{a}{b}" for a in ("Al", "Ber", "Cor", "Dan", "El") for b in ("a", "drin", "fo", "vis")]
LAST = [f"{a}{b}" for a in ("Kar", "Lum", "Mor", "Nel", "Ost", "Per") for b in ("ez", "ton", "by")]


def people(n, rng):
    """Return a table of people, of whom every third one is there twice, once with a mistake."""
    town = [f"town {chr(97 + k)}" for k in rng.integers(0, 15, n)]
    table = pd.DataFrame({"first": rng.choice(FIRST, n), "last": rng.choice(LAST, n)})
    table = table.assign(born=rng.integers(1930, 2000, n).astype(str), town=town)
    twice = np.repeat(np.arange(n), np.where(np.arange(n) % 3, 1, 2))
    table = table.iloc[twice].reset_index(drop=True)
    for row in np.flatnonzero(np.diff(twice) == 0):
        value = table.loc[row, "first"]
        table.loc[row, "first"] = value[:1] + "x" + value[2:]
    return table.astype(object), twice


def with_codes_of_towns(rng):
    """Return people with four columns that say the town once more."""
    table, person = people(300, rng)
    number = pd.factorize(table["town"])[0]
    for name, start in (("zip", 40017), ("branch", 100), ("manager", 7000), ("region", 51)):
        table[name] = [str(start + 37 * k) for k in number]
    return table, person


def with_households(rng, n_paired=90):
    """Return people, some of whom share surname, street, town and telephone number by twos."""
    table, person = people(300, rng)
    home = np.where(person < n_paired, person // 2, person)
    table["last"] = np.asarray(LAST, dtype=object)[home % len(LAST)]
    table["town"] = [f"town {chr(97 + k % 15)}" for k in home]
    table["street"] = [f"{100 + 7 * k} {LAST[k % 7]} street" for k in home]
    table["phone"] = [str(2_000_000 + 7919 * k) for k in home]
    return table, person


couples = partial(with_households, n_paired=300)


def with_few_in_a_town(rng):
    """Return a hundred people, a few of whom live in one town, which three columns say."""
    table, person = people(100, rng)
    number = person % 60
    table["town"], table["zip"], table["state"] = (
        [f"{word} {LAST[k % 18]}{k}" for k in number] for word in ("ham", "z", "st")
    )
    table["email"] = [f"p{7919 * k % 99991}@post.example" for k in person]
    table["phone"] = [str(3_000_000 + 104_729 * k) for k in person]
    return table, person


@pytest.mark.parametrize("make", [with_codes_of_towns, with_households, with_few_in_a_town])
def test_strangers_who_share_what_goes_together_are_not_merged(make):
    table, person = make(np.random.default_rng(3))
    found = Microclustering(likelihood="similar", **SHORT).fit(table)
    n_people = np.unique(person).size
    assert abs(found.n_clusters_ - n_people) <= 0.03 * n_people
    assert found.misfits_ == []
    assert "mistakes in first" in found.summary().index


def test_if_nobody_lives_alone_couples_may_be_merged_but_it_shows():
    table, _ = couples(np.random.default_rng(3))
    with pytest.warns(UserWarning, match="the two differ in most of what tells things apart"):
        found = Microclustering(likelihood="similar", **SHORT).fit(table)
    assert found.n_clusters_ < 250


@pytest.mark.parametrize(
    ("make", "column", "says"),
    [
        (with_codes_of_towns, "town", "the values of the column town"),
        (with_households, "town", "differ in most of what tells things apart"),
        (with_codes_of_towns, "born", "differ in most of what tells things apart"),
        (couples, "street", "the two clearly differ in several columns (first, born)"),
    ],
)
def test_clusters_of_something_else_give_themselves_away(make, column, says):
    table, person = make(np.random.default_rng(3))
    _, learned = index_fields(as_columns(table.to_numpy()))
    names = [table.columns[field] for field in learned.fields]

    def said(labels, changing=()):
        return " ".join(
            misfit.misfits_of_records(learned.codes, learned.near, names, labels, changing)
        )

    assert says in said(pd.factorize(table[column])[0], {})
    assert said(person, {("town", "zip"): 0.1}) == ""
    assert "change together in 60%" in said(person, {("first", "born"): 0.6})


def test_clusters_of_texts_that_are_nearly_copies_give_themselves_away():
    rng = np.random.default_rng(5)
    laws = rng.dirichlet(np.full(40, 0.3), 3)
    kinds = np.arange(60) % 3
    counts = np.array([rng.multinomial(12, laws[kind]) for kind in kinds])
    assert misfit.misfits_of_documents(csr_array(counts), kinds, rng) == []
    copies = np.repeat(counts[:6], 5, axis=0)
    copies[np.arange(30), rng.integers(0, 40, 30)] += 1  # each with a word of its own
    both = csr_array(np.concatenate([counts, copies]))
    own = np.append(kinds, 3 + np.repeat(np.arange(6), 5))
    assert "30 of 90 documents" in misfit.misfits_of_documents(both, own, rng)[0]
    assert misfit.misfits_of_documents(csr_array(both.shape), own, rng) == []


def busy_and_quiet(rng, busy):
    """Return counts of three kinds of rows and two of columns, and the kinds of the rows."""
    rows, columns = np.arange(60) % 3, np.arange(40) % 2
    rates = np.array([[6.0, 0.2], [0.2, 6.0], [3.0, 3.0]])[rows][:, columns]
    return rng.poisson(rates * np.resize(busy, 60)[:, None]), rows


def test_busy_and_quiet_rows_of_one_kind_are_noticed_and_get_rates_of_their_own():
    rng = np.random.default_rng(2)
    short = {"n_restarts": 2, **SHORT}
    fitted = RelationalModel(**short).fit(busy_and_quiet(rng, [1.0])[0])
    assert fitted.n_clusters_ == 3 and fitted.misfits_ == []
    assert fitted.own_rates_ == {} and hasattr(fitted, "elbo_")
    counts, kinds = busy_and_quiet(rng, rng.gamma(0.7, 1 / 0.7, 60) + 0.1)
    with pytest.warns(UserWarning, match="differ only in how many"):
        split = RelationalModel(own_rates="no", **short).fit(counts)
    assert split.n_clusters_ > 3 and "busy and quiet" in split.misfits_[0]
    with pytest.warns(UserWarning, match="rows have rates of their own.*own_rates='no'"):
        fitted.fit(counts)
    assert adjusted_rand(kinds, fitted.labels_) > 0.9 and fitted.misfits_ == []
    assert fitted.own_rates_ == {"row": True, "column": False}
    assert not hasattr(fitted, "elbo_") and "log_joint" in fitted.traces_


def test_a_row_with_far_more_links_than_others_is_told_of():
    rng = np.random.default_rng(2)
    counts, kinds = busy_and_quiet(rng, np.append(rng.uniform(0.5, 1.5, 59), 40.0))
    with pytest.warns(UserWarning, match="Some rows have far more links"):
        found = RelationalModel(own_rates="yes", **SHORT).fit(counts)
    assert adjusted_rand(kinds, found.labels_) > 0.9 and found.misfits_ == []


def test_rates_are_left_out_if_the_data_do_not_speak_for_them():
    """All busy rows are as busy as each other, so that there are six kinds."""
    counts, kinds = busy_and_quiet(np.random.default_rng(3), np.repeat([0.3, 3.0], 30))
    model = RelationalModel(n_restarts=2, **SHORT)
    with pytest.warns(UserWarning, match="the data speak against rates of their own"):
        model.fit(counts)
    assert adjusted_rand(2 * kinds + (np.arange(60) < 30), model.labels_) > 0.9
    assert model.own_rates_ == {} and model.misfits_ == [] and hasattr(model, "elbo_")


def test_a_cluster_of_one_row_is_not_compared():
    counts = csr_array([[5, 0], [6, 0], [1, 0]])
    assert misfit.misfits_of_relations(counts, np.array([0, 0, 1]), np.array([0, 1])) == []


def test_links_that_come_in_packets_are_noticed():
    rng = np.random.default_rng(4)
    counts, rows = busy_and_quiet(rng, [1.0])
    columns = np.arange(40) % 2
    packets = [2 * counts, np.where(counts, rng.integers(1, 60, counts.shape), 0)]
    for alone in (counts, np.minimum(counts, 1), counts[:6, :4]):
        labels = rows[: len(alone)], columns[: alone.shape[1]]
        assert misfit.misfits_of_counts(csr_array(alone), *labels) == []
    for together in packets:
        (said,) = misfit.misfits_of_counts(csr_array(together), rows, columns)
        assert "times as much as those of single links" in said
    alone = np.arange(60), np.arange(40)
    assert "one row and one column" in misfit.misfits_of_counts(csr_array(2 * counts), *alone)[0]
    busy = rng.gamma(0.7, 1 / 0.7, 60) + 0.1
    counts, _ = busy_and_quiet(rng, busy)
    assert misfit.misfits_of_counts(csr_array(counts), rows, columns)
    assert misfit.misfits_of_counts(csr_array(counts), rows, columns, [True, False]) == []


def families(n_sites=150):
    """Return the shares of sites in which sequences of three families differ, and the families."""
    rng = np.random.default_rng(5)
    family = np.repeat([0, 1, 2], [14, 10, 8])
    sequences = rng.integers(0, 4, (3, n_sites))[family]
    changed = rng.random(sequences.shape) < 0.2
    sequences[changed] = rng.integers(0, 4, changed.sum())
    return (sequences[:, None] != sequences).mean(axis=2), family


def test_what_is_no_matrix_of_squared_distances_shows_it():
    squares, family = families()
    rng = np.random.default_rng(6)
    points = rng.normal(size=(32, 3)) + 6 * family[:, None]
    graph = kneighbors_graph(points, 5, mode="distance").toarray()
    similar = 1 - squares
    np.fill_diagonal(similar, 0)
    anything = np.triu(rng.random((32, 32)), 1)
    plain = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    for matrix, words in (
        (similar, "may contain similarities"),
        (np.maximum(graph, graph.T), "pairs have a distance of 0. If their distances are not"),
        (anything + anything.T, "of the spectrum of the matrix is negative"),
        (plain, "looks like plain distances"),
        (plain.round(2), "looks like plain distances"),
    ):
        assert words in misfit.misfits_of_distances(matrix)[0]
    blocks = np.abs(points[:, None] - points).sum(axis=2)
    rounded = squares.round(4), (plain**2).round(2), blocks.round(2)
    apart = (family[:, None] != family).astype(float)
    for good in (squares, plain**2, np.tile(squares, (3, 3)), apart[::8, ::8], *rounded):
        assert misfit.misfits_of_distances(good) == []
    with pytest.warns(UserWarning, match="set square=True"):
        WishartDirichlet(**SHORT).fit(plain)
    assert WishartDirichlet(square=True, **SHORT).fit(plain).misfits_ == []


def test_a_result_of_similarities_is_not_called_reliable():
    similar = 1 - families()[0]
    np.fill_diagonal(similar, 0)
    for fitted in (StudentMixture(metric="precomputed", **SHORT), WishartDirichlet(**SHORT)):
        with pytest.warns(UserWarning, match="may contain similarities"):
            fitted.fit(similar)
        assert "similarities" in fitted.misfits_[0]
        with pytest.raises(ValueError, match="X is sparse, such as a graph of nearest neighbours"):
            fitted.fit(csr_array(similar))


def test_a_number_that_stands_for_none_is_noticed():
    rng = np.random.default_rng(7)
    points = rng.normal(size=(60, 4))
    points[:, 2] = rng.integers(0, 2, 60)
    points[5:40, 3] = 0  # as in counts, of which many are 0
    points[3, 0] = 1000  # once: an outlier
    assert misfit.misfits_of_points(points, "abcd") == []
    points[:5, 1] = -99
    points[:3, 3] = np.nan
    (said,) = misfit.misfits_of_points(points, "abcd")
    assert said.startswith("5 values of the column b are -99, far from all others.")


def test_copies_of_points_count_once_and_near_copies_are_noticed():
    rng = np.random.default_rng(8)
    kinds = np.arange(90) % 3
    points = rng.normal(size=(90, 3)) + 6 * np.eye(3)[kinds]
    with pytest.warns(UserWarning, match="180 of 270 points are copies of others; they count once"):
        found = StudentMixture(**SHORT).fit(np.tile(points, (3, 1)) + 1e-12 * rng.random((270, 3)))
    alone = StudentMixture(**SHORT).fit(points)
    assert np.array_equal(found.labels_, np.tile(alone.labels_, 3)) and found.misfits_ == []
    assert np.array_equal(found.predict(points[:4]), alone.predict(points[:4]))
    for n_columns in (1, 3):
        assert misfit.misfits_of_neighbours(points[:, :n_columns], rng) == []
        near = np.tile(points[:, :n_columns], (3, 1)) + 1e-4 * rng.normal(size=(270, n_columns))
        assert "of the items have another one" in misfit.misfits_of_neighbours(near, rng)[0]
    rounded = np.tile(points.round(0), (3, 1))  # many are equal, and none is a copy
    assert _counted(rounded, "", np.ptp(rounded, axis=0)) == (slice(None), None)
    assert misfit.misfits_of_neighbours(rounded, rng) == []


def test_clusters_of_unequal_spread_are_noticed_where_the_model_has_one_spread():
    squares, family = families()
    assert misfit.misfits_of_spread(squares, family) == []
    wide = squares * np.where(family == 0, 3, 1)[:, None] * np.where(family == 0, 3, 1)
    assert "9 times those within another" in misfit.misfits_of_spread(wide, family)[0]


def test_the_same_name_is_the_same_thing_if_there_is_nothing_else():
    names = [f"{a} {b}" for a in ("Apex", "Boreal", "Cobalt", "Delta") for b in LAST[:15]]
    table = pd.DataFrame({"name": [*names, *names[::2]]})
    found = Microclustering(likelihood="similar", **SHORT).fit(table)
    together = found.coclustering()[np.arange(0, 60, 2), np.arange(60, 90)]
    assert np.mean(together) > 0.9
    assert "Only the column name is compared" in found.misfits_[0]


@pytest.mark.parametrize("inference", ["variational", "gibbs"])
def test_how_often_pairs_were_tried_does_not_matter(inference):
    """Half of the pairs were never tried, and the others unequally often."""
    rng = np.random.default_rng(4)
    kinds = np.arange(40) % 2, np.arange(30) % 3
    rate = np.array([[0.8, 0.2, 0.5], [0.2, 0.8, 0.5]])[np.ix_(*kinds)]
    trials = rng.poisson(rng.gamma(0.5, 6, 40)[:, None] + 0.5, rate.shape)
    trials *= rng.random(rate.shape) < 0.5
    model = RelationalModel(inference=inference, **SHORT)
    found = model.fit(csr_array(rng.binomial(trials, rate)), trials=csr_array(trials))
    tried = trials.sum(axis=1) > 30
    assert adjusted_rand(kinds[0][tried], found.labels_[tried]) > 0.9
    assert adjusted_rand(kinds[1], found.column_labels_) > 0.9


def test_things_of_one_kind_have_one_partition():
    rng = np.random.default_rng(5)
    kinds = np.arange(36) % 3
    rates = np.array([[3, 0.1, 1], [0.1, 0.1, 2], [0.1, 2, 0.1]])
    counts = rng.poisson(rates[np.ix_(kinds, kinds)])
    found = RelationalModel(one_kind=True, n_restarts=4, random_state=1).fit(counts)
    assert adjusted_rand(kinds, found.labels_) == 1
    assert np.array_equal(found.labels_, found.column_labels_)
    assert found.posterior_.memberships.keys() == {"row"}


@pytest.mark.parametrize(
    ("settings", "given", "says"),
    [
        ({"binary": True}, {"trials": np.full((3, 3), 9)}, "binary is for counts without trials"),
        ({"own_rates": "yes"}, {"trials": np.full((3, 3), 9)}, "own_rates is for counts without"),
        ({}, {"trials": np.ones((3, 3), dtype=int)}, "Row 0 has 2 links in column 0, but only 1"),
        ({}, {"trials": np.ones((2, 3), dtype=int)}, "There are 2 x 3 trials for 3 x 3 counts"),
        ({"one_kind": True, "inference": "gibbs"}, {}, "one_kind needs variational inference"),
        ({"own_rates": "maybe"}, {}, "own_rates is 'maybe'"),
    ],
)
def test_what_does_not_go_together_is_refused(settings, given, says):
    with pytest.raises(ValueError, match=says):
        RelationalModel(**settings).fit(np.eye(3, dtype=int) * 2, **given)
    with pytest.raises(ValueError, match="must be square"):
        RelationalModel(one_kind=True).fit(np.ones((2, 3), dtype=int))
