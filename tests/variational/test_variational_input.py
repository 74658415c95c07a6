"""What relations and their fits refuse, what they report, and edge cases of what they accept."""

import warnings

import numpy as np
import pandas as pd
import pytest
import relations_exact as exact
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from reseat.errors import ConfigError, DataError
from reseat.variational import FIRM, AspectModel, Relation, fit_relational

COUNTS = np.array([[5, 0, 1, 0], [3, 2, 0, 0], [0, 0, 4, 1]])
SIZES = {"row": 3, "column": 4}
TRUNCATION = {"row": 3, "column": 2}


def test_posterior_refuses_cells_outside_the_table():
    posterior = fit_relational(Relation.from_matrix(COUNTS), SIZES, TRUNCATION, n_restarts=1, rng=0)
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
    arguments = dict(
        relations=Relation.from_matrix(COUNTS), n_entities=SIZES, truncation=TRUNCATION
    ) | changes  # fmt: skip
    with pytest.raises(error, match=sentence) as refusal:
        fit_relational(**arguments)
    assert str(refusal.value).endswith(".")


def test_settings_may_be_numbers_of_numpy():
    arguments = dict(n_entities=SIZES, truncation=TRUNCATION, n_restarts=1, rng=0)
    plain, other = (
        fit_relational(Relation.from_matrix(COUNTS), **arguments, **settings)
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
