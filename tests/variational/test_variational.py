"""Variational FIRM and IRM, compared with brute force, enumeration and planted clusters."""

import warnings
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import relations_exact as exact
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, gammaln
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from reseat.errors import ConfigError, DataError
from reseat.metrics import adjusted_rand
from reseat.variational import FIRM, INITIALISATIONS, IRM, AspectModel, Relation, fit_relational
from reseat.variational.ascent import Ascent, Merges, merge_clusters
from reseat.variational.parts import Rows
from reseat.variational.problem import Problem, start

COUNTS = np.array([[5, 0, 1, 0], [3, 2, 0, 0], [0, 0, 4, 1]])
TABLE = Relation.from_matrix(COUNTS)
START = {
    "row": [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.1, 0.8]],
    "column": [[0.6, 0.4], [0.3, 0.7], [0.5, 0.5], [0.2, 0.8]],
}
SIZES = {"row": 3, "column": 4}
TRUNCATION = {"row": 3, "column": 2}

# The types of the places of each relation.
STRUCTURES = {
    "pairs": [("a", "b")],
    "triples": [("a", "b", "c")],
    "chain": [("a", "b"), ("b", "c"), ("a", "b")],
    "square": [("a", "a")],
    "kinship": [("a", "a", "b")],
    "all at once": [("a", "b", "a"), ("b", "c"), ("c", "c"), ("a", "a", "b", "b")],
    "four places": [("a", "b", "c", "d")],
}


def random_relations(structure, rng, n_entities, missing=False, density=0.4):
    """Draw sparse tables of small counts, most of them 1."""
    relations = []
    for types in STRUCTURES[structure]:
        shape = [n_entities[kind] for kind in types]
        seen = rng.random(shape) < density
        seen.flat[0] = True
        coordinates = np.argwhere(seen)
        counts = 1 + rng.poisson(0.7, len(coordinates))
        if missing == "trials":
            trials = np.maximum(rng.poisson(1.5, len(coordinates)), 1)
            counts = np.minimum(counts - 1, trials)
            counts[0] = 1
            relations.append(Relation(types, coordinates, counts, trials=trials))
            continue
        gaps = np.argwhere(~seen & (rng.random(shape) < 0.2)) if missing else None
        relations.append(Relation(types, coordinates, counts, missing=gaps))
    return relations


def random_problem(structure, seed, *, missing=False, sizes=(3, 4), clusters=(2, 3), **settings):
    rng = np.random.default_rng(seed)
    kinds = dict.fromkeys(kind for types in STRUCTURES[structure] for kind in types)
    n_entities = {kind: int(rng.integers(sizes[0], sizes[1] + 1)) for kind in kinds}
    truncation = {kind: int(rng.integers(clusters[0], clusters[1] + 1)) for kind in kinds}
    relations = random_relations(structure, rng, n_entities, missing)
    problem = Problem.of(relations, n_entities, truncation, **settings)
    return problem, start("dirichlet_1", problem, rng)


def fitted(problem, **settings):
    return fit_relational(problem.relations, problem.n_entities, problem.truncation, **settings)


def copied(memberships):
    return {kind: np.array(q, dtype=float) for kind, q in memberships.items()}


def planted(rng, n_rows=60, n_columns=80):
    """Draw a table of three by four blocks whose mean counts differ; also return its clusters."""
    rows = rng.permutation(np.arange(n_rows) % 3)
    columns = rng.permutation(np.arange(n_columns) % 4)
    means = np.array([[4, 0.02, 0.02, 1], [0.02, 4, 0.5, 0.02], [0.02, 0.5, 4, 4]])
    return rng.poisson(means[np.ix_(rows, columns)]), rows, columns


# ---- values computed elsewhere -----------------------------------------------------------


@pytest.mark.parametrize(
    ("binary", "elbo", "alone", "row", "evidence"),
    [
        (False, -85.4679805861917, -27.170370231430507,
         [0.46392355, 0.19879481, 0.33728164], -73.44555856967158),
        (True, -55.303524467066936, -21.39913791823142,
         [0.45065589, 0.2039312, 0.34541292], -45.93653598136561),
    ],
)  # fmt: skip
def test_regression_values(binary, elbo, alone, row, evidence):
    relation = TABLE.binary() if binary else TABLE
    problem = Problem.of(relation, SIZES, TRUNCATION, beta=0.1, reorder=False)
    ascent = Ascent(problem, copied(START))
    np.testing.assert_allclose(ascent.elbo(), alone, rtol=0, atol=1e-9)
    np.testing.assert_allclose(ascent.elbo() + problem.entity_draws(1.0), elbo, rtol=0, atol=1e-9)
    ascent.update_memberships("row")
    np.testing.assert_allclose(ascent.memberships["row"][0], row, rtol=0, atol=5e-9)

    exactly = exact.log_evidence([relation], SIZES, TRUNCATION, 1.0, 0.1)
    draws = problem.entity_draws(1.0)
    np.testing.assert_allclose(exactly + draws, evidence, rtol=0, atol=1e-9)
    posterior = fit_relational(relation, SIZES, TRUNCATION, beta=0.1, n_restarts=20, rng=0)
    assert posterior.elbo + posterior.entity_draws < evidence
    assert exactly - posterior.elbo < 5


# ---- brute force -------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [False, True, "trials"])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_equals_brute_force(structure, missing):
    settings = dict(concentration=1.7, beta=0.3, reorder=False)
    if structure in ("four places", "all at once"):
        settings |= dict(sizes=(2, 3), clusters=(2, 2))
    problem, memberships = random_problem(structure, 5, missing=missing, **settings)
    relations, n_entities = problem.relations, problem.n_entities
    ascent = Ascent(problem, copied(memberships))
    dense = exact.elbo(relations, n_entities, memberships, 1.7, 0.3)
    np.testing.assert_allclose(ascent.elbo(), dense, rtol=1e-10)
    for kind in problem.types:
        ascent = Ascent(problem, copied(memberships))
        ascent.update_memberships(kind)
        expected = exact.next_memberships(relations, n_entities, memberships, 1.7, 0.3, kind)
        np.testing.assert_allclose(ascent.memberships[kind], expected, rtol=1e-10, atol=1e-12)
        # Then the links are updated from the sums that this update left behind.
        ascent.update_sticks(kind)
        for number in range(len(relations)):
            ascent.update_links(number)
        now = {**memberships, kind: expected}
        dense = exact.elbo(relations, n_entities, now, 1.7, 0.3)
        np.testing.assert_allclose(ascent.elbo(), dense, rtol=1e-10)


@pytest.mark.parametrize("structure", ["pairs", "square", "triples"])
def test_stays_below_the_enumerated_evidence(structure):
    problem, _ = random_problem(structure, 2, sizes=(3, 3), clusters=(2, 2), beta=0.3)
    relations, n_entities, truncation = problem.relations, problem.n_entities, problem.truncation
    evidence = exact.log_evidence(relations, n_entities, truncation, 1.0, 0.3)
    posterior = fitted(problem, beta=0.3, n_restarts=10, rng=1)
    assert posterior.elbo < evidence
    assert evidence - posterior.elbo < 4


@settings(max_examples=80, deadline=None, derandomize=True)
@given(
    structure=st.sampled_from(list(STRUCTURES)),
    seed=st.integers(0, 2**32 - 1),
    missing=st.sampled_from([False, True, "trials"]),
    reorder=st.booleans(),
    concentration=st.sampled_from([0.2, 1.0, 6.0]),
    beta=st.sampled_from([0.01, 0.1, 1.0]),
)
def test_no_update_lowers_the_elbo(structure, seed, missing, reorder, concentration, beta):
    options = dict(reorder=reorder, concentration=concentration, beta=beta)
    problem, _ = random_problem(structure, seed, missing=missing, sizes=(1, 9), clusters=(1, 1))
    rng = np.random.default_rng(seed)
    truncation = {kind: int(rng.integers(1, n + 1)) for kind, n in problem.n_entities.items()}
    problem = Problem.of(problem.relations, problem.n_entities, truncation, **options)
    name = str(rng.choice(list(INITIALISATIONS)))
    ascent = Ascent(problem, start(name, problem, rng))
    before = ascent.elbo()
    updates = [(ascent.update_memberships, kind) for kind in problem.types]
    updates += [(ascent.update_sticks, kind) for kind in problem.types]
    updates += [(ascent.update_links, number) for number in range(len(problem.relations))]
    for _ in range(5):
        for i in rng.permutation(len(updates)):
            update, argument = updates[i]
            update(argument)
            after = ascent.elbo()
            assert after >= before - 1e-10 * (1 + abs(before)), (update.__name__, argument)
            before = after
    for q in ascent.memberships.values():
        np.testing.assert_allclose(q.sum(axis=1), 1.0, rtol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_large_counts_and_long_rows_meet_every_path_of_the_kernel(sparse):
    # Rows of 0 to 11 cells, with and without an excess, against sums by numpy.
    rng = np.random.default_rng(0)
    counts = np.zeros((12, 11), dtype=int)
    for row in range(12):
        counts[row, :row] = np.where(rng.random(row) < 0.5, 1, rng.integers(2, 9000, row))
    problem = Problem.of(Relation.from_matrix(counts), {"row": 12, "column": 11},
                         {"row": 5, "column": 7})  # fmt: skip
    q = {"row": rng.dirichlet(np.ones(5), 12), "column": rng.dirichlet(np.ones(7), 11)}
    (part,) = problem.parts[0]
    if sparse:
        for table in q.values():
            table[rng.random(table.shape) < 0.9] = 0.0
    for site, table, other in zip(part.sites, (counts, counts.T), ("column", "row"), strict=True):
        sums = np.full((len(table) - 2, 2 * q[other].shape[1]), np.nan)
        site.sums([Rows(q["row"]), Rows(q["column"])], 2, sums)
        seen = (table > 0).astype(float)
        expected = np.hstack([seen @ q[other], (table - seen) @ q[other]])[2:]
        np.testing.assert_allclose(sums, expected, rtol=1e-13, atol=1e-300)


@pytest.mark.parametrize("structure", ["pairs", "kinship"])
def test_entity_draws_against_loops(structure):
    problem, _ = random_problem(structure, 9, missing=True)
    relation, n_entities, expected = problem.relations[0], problem.n_entities, 0.0
    for place, kind in enumerate(relation.types):
        draws = np.zeros(n_entities[kind])
        for cell, positive, negative in exact.cells(relation, n_entities):
            draws[cell[place]] += positive + negative
        alpha = np.full(len(draws), 0.7)
        expected += gammaln(alpha.sum()) - gammaln((alpha + draws).sum())
        expected += (gammaln(alpha + draws) - gammaln(alpha)).sum()
    np.testing.assert_allclose(problem.entity_draws(0.7), expected, rtol=1e-12)


# ---- properties --------------------------------------------------------------------------


def test_firm_of_zeros_and_ones_is_the_irm():
    table = (planted(np.random.default_rng(1))[0] > 0).astype(int)
    one, two = (cls(6, 8, n_restarts=3, random_state=4).fit(table) for cls in (FIRM, IRM))
    assert one.posterior_.elbo_trace.tobytes() == two.posterior_.elbo_trace.tobytes()
    counts = planted(np.random.default_rng(1))[0]
    three = IRM(6, 8, n_restarts=3, random_state=4).fit(counts)
    assert three.posterior_.elbo_trace.tobytes() == two.posterior_.elbo_trace.tobytes()
    assert FIRM(6, 8, n_restarts=3, random_state=4).fit(counts).elbo_ != three.elbo_


def test_one_trial_for_every_pair_is_the_irm():
    counts = np.minimum(COUNTS, 1)
    tried = Relation.from_matrix(counts, trials=np.ones_like(counts))
    one, other = (
        fit_relational(relation, SIZES, TRUNCATION, n_restarts=3, rng=0)
        for relation in (Relation.from_matrix(counts), tried)
    )
    cells, values = [[0, 0], [2, 1]], [1, 0]
    for found, expected in (
        (one.elbo, other.elbo),
        (one.entity_draws, other.entity_draws),
        (one.log_predictive(0, cells, values), other.log_predictive(0, cells, values, [1, 1])),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("structure", ["pairs", "all at once"])
def test_threads_do_not_change_a_byte(structure):
    problem, _ = random_problem(structure, 8, sizes=(7, 11), clusters=(4, 6))
    most = {"n_restarts": 5, "max_iter": 30}
    runs = [fitted(problem, threads=n, rng=np.random.SeedSequence(7), **most) for n in (1, 2, 5)]
    for run in runs[1:]:
        assert run.elbo_trace.tobytes() == runs[0].elbo_trace.tobytes()
        for kind, q in run.memberships.items():
            assert q.tobytes() == runs[0].memberships[kind].tobytes()
        tables = [each.restarts.drop(columns="seconds") for each in (run, runs[0])]
        assert tables[0].equals(tables[1])
    assert runs[0].elbo == runs[0].restarts["elbo"].max()
    fewer = fitted(problem, n_restarts=2, max_iter=30, rng=7)
    assert fewer.restarts["elbo"].tolist() == runs[0].restarts["elbo"].tolist()[:2]


@pytest.mark.parametrize("estimator", [FIRM, IRM])
def test_recovers_planted_clusters(estimator):
    table, rows, columns = planted(np.random.default_rng(5))
    model = estimator(10, 12, n_restarts=8, threads=2, random_state=0).fit(sp.csr_array(table))
    assert adjusted_rand(rows, model.labels_) > 0.95
    assert adjusted_rand(columns, model.column_labels_) > 0.95
    sizes = model.posterior_.sizes["row"]
    assert (np.diff(sizes) <= 1e-9).all() and np.isclose(sizes.sum(), 60)
    assert len(model.restarts_) == 8 and model.restarts_["converged"].all()
    assert (np.diff(model.posterior_.elbo_trace) > -1e-8).all()


# ---- the posterior -----------------------------------------------------------------------


@pytest.mark.parametrize("structure", ["pairs", "kinship"])
def test_predictive_by_brute_force(structure, monkeypatch):
    problem, _ = random_problem(structure, 4)
    posterior = fitted(problem, n_restarts=1, max_iter=2, rng=0)
    relation, tau = problem.relations[0], posterior.tau[0]
    cells = list(np.ndindex(*(problem.n_entities[kind] for kind in relation.types)))
    mean = tau[0] / (tau[0] + tau[1])
    np.testing.assert_allclose(posterior.expected_link(0), mean)
    twice = mean * (tau[0] + 1) / (tau[0] + tau[1] + 1)
    for value, table in ((0, 1 - mean), (1, mean), (2, twice)):
        expected = [
            np.log((exact.cell_law(relation, cell, posterior.memberships) * table).sum())
            for cell in cells
        ]
        found = posterior.log_predictive(0, cells, np.full(len(cells), value))
        np.testing.assert_allclose(found, expected, rtol=1e-10)
        with monkeypatch.context() as patch:  # as if products of probabilities underflowed
            patch.setattr("reseat.variational.posterior._SMALLEST", np.inf)
            found = posterior.log_predictive(0, cells, np.full(len(cells), value))
        np.testing.assert_allclose(found, expected, rtol=1e-10)
    assert np.isfinite(posterior.log_predictive(0, cells[:1], [10**6])).all()


def test_predictive_of_clusters_far_below_the_others():
    posterior = FIRM(2, 2, n_restarts=1, random_state=0).fit(np.eye(2, dtype=int)).posterior_
    posterior = replace(
        posterior,
        memberships={kind: np.eye(2) for kind in ("row", "column")},
        tau=[np.array([[[1e6, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1e6]]])],
    )
    expected = betaln(1 + 1000, 1e6) - betaln(1, 1e6)  # thousands of nats below that of (0, 0)
    assert posterior.log_predictive(0, [[1, 1]], [1000])[0] == pytest.approx(expected)


def test_estimator_keeps_its_parameters():
    model = FIRM(3, 2, beta=0.5, concentration=(1.0, 2.0), n_restarts=2, random_state=1)
    twin = clone(model)
    assert twin.get_params() == model.get_params() and twin.get_params()["beta"] == 0.5
    assert twin.fit_predict(COUNTS).shape == (3,)
    assert twin.column_labels_.shape == (4,)
    assert twin.elbo_ == model.fit(sp.csc_array(COUNTS)).elbo_


# ---- Merges of clusters between ascents ----------------------------------------------------------


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_gain_of_a_merge_is_the_rise_of_the_bound(structure, missing):
    for seed, reorder in ((1, True), (2, False)):
        problem, memberships = random_problem(
            structure, seed, missing=missing, sizes=(5, 7), clusters=(3, 4), reorder=reorder
        )
        ascent = Ascent(problem, memberships)
        ascent.sweep()
        before = ascent.elbo()
        merges = Merges(ascent)
        sizes = problem.truncation.items()
        pairs = [(kind, *two) for kind, n in sizes for two in combinations(range(n), 2)]
        for kind, one, other in pairs:
            after = copied(ascent.memberships)
            after[kind][:, one] += after[kind][:, other]
            after[kind][:, other] = 0
            merged = Ascent(problem, copied(ascent.memberships))
            merged.take(after)
            gain = merges.gain(kind, one, other)
            np.testing.assert_allclose(merged.elbo() - before, gain, rtol=0, atol=1e-9)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_merges_raise_the_bound_by_what_is_asked(structure):
    n_merged = 0
    for seed in range(6):
        problem, memberships = random_problem(structure, seed, sizes=(6, 9), clusters=(4, 6))
        ascent = Ascent(problem, memberships)
        for _ in range(2):  # after many more, hardly any start has clusters left to merge
            ascent.sweep()
        before, kept = ascent.elbo(), copied(ascent.memberships)
        merged = merge_clusters(ascent, 0.01)
        assert all((ascent.memberships[kind] == kept[kind]).all() for kind in kept)
        n_merged += merged is not None
        if merged is None:
            continue
        emptied = sum(((q.sum(axis=0) == 0) & (kept[k].sum(axis=0) > 0)).sum()
                      for k, q in merged.items())  # fmt: skip
        assert emptied > 0
        for q in merged.values():
            np.testing.assert_allclose(q.sum(axis=1), 1, rtol=1e-12)
        ascent.take(merged)
        assert ascent.elbo() > before + 0.01 * emptied
    assert n_merged >= 3


def test_merges_find_the_planted_clusters_where_the_ascent_keeps_too_many():
    counts, rows, columns = planted(np.random.default_rng(1))
    for how in ("hard", "k_means"):
        found = [
            FIRM(20, 20, initialisation=how, merge=merge, n_restarts=5, random_state=1)
            for merge in (False, True)
        ]
        alone, merged = (model.fit(counts) for model in found)
        assert alone.restarts_["n_clusters_row"].max() > 3
        assert (merged.restarts_["elbo"] >= alone.restarts_["elbo"]).all()
        for labels, truth in ((merged.labels_, rows), (merged.column_labels_, columns)):
            assert len(set(zip(labels, truth, strict=True))) == truth.max() + 1


def test_clusters_are_merged_only_if_a_sweep_can_follow():
    counts, _, _ = planted(np.random.default_rng(1))
    sizes = dict(zip(("row", "column"), counts.shape, strict=True))
    most, setting = {"row": 20, "column": 20}, {"initialisation": "hard", "n_restarts": 1, "rng": 2}

    def fit(**options):
        return fit_relational(Relation.from_matrix(counts), sizes, most, **setting, **options)

    alone = fit(merge=False)
    assert fit(merge=True).elbo > alone.elbo
    stopped = fit(merge=True, max_iter=alone.n_iter)
    assert stopped.elbo == alone.elbo == stopped.elbo_trace[-1]
    for kind, memberships in alone.memberships.items():
        np.testing.assert_array_equal(stopped.memberships[kind], memberships)


def test_the_bound_with_merges_never_falls_and_stays_below_the_evidence():
    counts = np.random.default_rng(2).poisson(0.8, (4, 4))
    relation, sizes = Relation.from_matrix(counts), {"row": 4, "column": 4}
    truncation = {"row": 3, "column": 3}
    evidence = exact.log_evidence([relation], sizes, truncation, 1.0, 0.1)
    for how in ("hard", "k_means"):
        posterior = fit_relational(
            relation, sizes, truncation, initialisation=how, merge=True, n_restarts=20, rng=3
        )
        assert (np.diff(posterior.elbo_trace) > -1e-9).all()
        assert posterior.elbo < evidence


# ---- what is refused, and edge cases of what is accepted -------------------------------------


def test_posterior_refuses_cells_outside_the_table():
    posterior = fit_relational(TABLE, SIZES, TRUNCATION, n_restarts=1, rng=0)
    with pytest.raises(DataError, match="row 1: the cell .2, 4. is outside"):
        posterior.log_predictive(0, [[0, 0], [2, 4]], [0, 1])
    with pytest.raises(DataError, match="row 0 has the value -1"):
        posterior.log_predictive(0, [[0, 0]], [-1])


@pytest.mark.parametrize("kind", [FIRM, AspectModel])
def test_estimators_take_what_those_of_scikit_learn_take(kind):
    settings = {"n_classes": 2, "n_starts": 2} if kind is AspectModel else {"n_restarts": 2}
    if kind is FIRM:
        settings |= {"n_row_clusters": 2, "n_column_clusters": 2}
    table = pd.DataFrame(COUNTS, columns=list("abcd"))
    models = [kind(random_state=np.random.RandomState(3), **settings).fit(table) for _ in range(2)]
    assert models[0].feature_names_in_.tolist() == list("abcd") and models[0].n_features_in_ == 4
    found = [np.asarray(vars(m).get("elbo_", vars(m).get("log_likelihood_"))) for m in models]
    assert found[0] == found[1]
    assert not hasattr(models[0].fit(COUNTS), "feature_names_in_")
    with pytest.warns(ConvergenceWarning, match="did not converge within max_iter=1 iterations"):
        models[0].set_params(max_iter=1, tol=0.0).fit(COUNTS)


def test_a_table_may_be_smaller_than_the_truncations():
    small, whole = (
        FIRM(*most, n_restarts=2, random_state=1).fit(COUNTS) for most in ((3, 4), (80, 120))
    )
    assert small.elbo_ == whole.elbo_ and whole.posterior_.memberships["row"].shape == (3, 3)
    with pytest.raises(ConfigError, match="n_row_clusters is 0; it must be"):
        FIRM(0, n_restarts=1).fit(COUNTS)


def test_empty_rows_and_a_truncation_of_one():
    table = COUNTS.copy()
    table[1] = 0
    table[:, 3] = 0
    model = FIRM(3, 1, n_restarts=2, random_state=0).fit(table)
    assert np.isfinite(model.elbo_) and not model.column_labels_.any()
    single = FIRM(1, 1, n_restarts=1, random_state=0).fit(table)
    # There is only one cluster of each type: the bound is the exact evidence.
    relation = Relation.from_matrix(table)
    evidence = exact.log_evidence([relation], SIZES, {"row": 1, "column": 1}, 1.0, 0.1)
    np.testing.assert_allclose(single.elbo_, evidence, rtol=1e-12)


def test_repeated_cells_are_added_up_and_it_is_said():
    twice = sp.coo_array(([2, 3, 1], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    with pytest.warns(UserWarning, match="1 rows repeat a cell"):
        relation = Relation.from_matrix(twice, name="pairs")
    np.testing.assert_array_equal(relation.coordinates, [[0, 1], [1, 0]])
    np.testing.assert_array_equal(relation.counts, [5, 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = Relation(("a", "b"), [[1, 0], [0, 1], [0, 0]], [1, 5, 0])
    np.testing.assert_array_equal(again.counts, relation.counts)


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (dict(types=("a",), coordinates=[[0]]), ConfigError, "2 to 8 places"),
        (dict(types=("a", "a", "a"), coordinates=[[0, 0, 0]]), ConfigError, "at most two"),
        (dict(types=("a", "b"), coordinates=[[0, 0, 0]]), DataError, "in 2 columns, one for"),
        (dict(types=("a", "b"), coordinates=[[0.5, 0]]), DataError, "must be whole numbers"),
        (dict(types=("a", "b"), coordinates=[[0, 1], [0, -1]]), DataError, "row 1 of coordinates"),
        (dict(types=("a", "b"), coordinates=[[0, 1]], counts=[1, 2]), DataError, "be 1 numbers"),
        (dict(types=("a", "b"), coordinates=[[0, 1]], missing=[[0, 1]]), DataError, "1 missing"),
        (
            dict(types=("a", "b"), coordinates=[[0, 1], [1, 0]], counts=[2, 1], trials=[1, 1]),
            DataError,
            r"the cell \(0, 1\) has more links than trials",
        ),
    ],
)
def test_bad_relations_are_refused(arguments, error, sentence):
    with pytest.raises(error, match=sentence) as refusal:
        Relation(**arguments)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        (dict(truncation={"row": 4, "column": 2}), ConfigError, "has only 3 entities"),
        (dict(truncation={"row": 0, "column": 2}), ConfigError, "truncation of 'row' is 0; it"),
        (dict(truncation={"row": 3}), ConfigError, "an entry for the type 'column'"),
        (dict(n_entities={"row": 3, "column": 3}), DataError, "there are only 3"),
        (dict(relations=[]), ConfigError, "at least one Relation"),
        (dict(beta=0.0), ConfigError, "beta is 0.0; it must be positive"),
        (dict(beta=1e-320), ConfigError, "beta is 1e-320; it must lie in"),
        (dict(concentration=1e17), ConfigError, "concentration of 'row' is 1e.17; it must lie"),
        (dict(reorder="no"), ConfigError, "reorder is 'no'; it must be True or False"),
        (dict(alpha=-1.0), ConfigError, "alpha is -1.0; it must be positive"),
        (dict(concentration={"row": 1.0}), ConfigError, "no entry for the type 'column'"),
        (dict(initialisation="soft"), ConfigError, "'hard', 'dirichlet_01', 'dirichlet_1'"),
        (dict(n_restarts=0), ConfigError, "n_restarts is 0; it must be"),
        (dict(threads=1.5), ConfigError, "threads is 1.5"),
        (dict(tol=-1.0), ConfigError, "tol is -1.0; it must be finite and at least 0"),
    ],
)
def test_bad_settings_are_refused(changes, error, sentence):
    arguments = dict(relations=TABLE, n_entities=SIZES, truncation=TRUNCATION) | changes
    with pytest.raises(error, match=sentence) as refusal:
        fit_relational(**arguments)
    assert str(refusal.value).endswith(".")


def test_bad_trials_are_refused():
    with pytest.raises(DataError, match="Row 0 has 5 links in column 0"):
        Relation.from_matrix(COUNTS, trials=np.ones_like(COUNTS))
    with pytest.raises(ConfigError, match="single links"):
        Relation.from_matrix(COUNTS, trials=COUNTS).binary()


def test_settings_may_be_numbers_of_numpy():
    arguments = dict(n_entities=SIZES, truncation=TRUNCATION, n_restarts=1, rng=0)
    plain, other = (
        fit_relational(TABLE, **arguments, **settings)
        for settings in (
            dict(alpha=1.0, tol=2.0**-10),
            dict(alpha=np.int64(1), tol=np.float32(2.0**-10), reorder=np.True_),
        )
    )
    assert plain.elbo == other.elbo and plain.entity_draws == other.entity_draws


ASPECT = {"n_classes": 2, "n_starts": 1}


@pytest.mark.parametrize(
    ("model", "table", "error", "sentence"),
    [
        (FIRM(1, 1), [[1, 2], [0, -3]], DataError, r"the cell \(1, 1\), has the count -3"),
        (FIRM(1, 1), np.zeros((3, 3)), DataError, "no cell has a count above 0"),
        (FIRM(1, 1), [["a", "b"]], DataError, "counts must be a"),
        (FIRM(2, 2, concentration=(1, 2, 3)), COUNTS, ConfigError, "one number, or a pair of them"),
        (AspectModel(**ASPECT), [[1, -1]], DataError, "row 0 has the count -1"),
        (AspectModel(**ASPECT), [[0, 0]], DataError, "no positive count"),
        (AspectModel(0, n_starts=1), [[1, 1]], ConfigError, "n_classes is 0; it must"),
        (AspectModel(**ASPECT, tol=-1), [[1, 1]], ConfigError, "tol is -1; it must be finite and"),
        (AspectModel(**ASPECT, tol="a"), COUNTS, ConfigError, "tol is 'a'; it must be finite"),
    ],
)
def test_bad_input_of_estimators_is_refused(model, table, error, sentence):
    with pytest.raises(error, match=sentence) as refusal:
        model.fit(table)
    assert str(refusal.value).endswith(".")
