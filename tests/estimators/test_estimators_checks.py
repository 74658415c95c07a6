"""The checks of scikit-learn, applied to the estimators."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from reseat.estimators import (
    Microclustering,
    MultinomialMixture,
    RelationalModel,
    SupervisedClustering,
    WishartDirichlet,
)

SHORT = {"n_chains": 2, "n_burn_in": 5, "n_samples": 8, "thin": 2, "random_state": 0}

# The check uses points with negative coordinates, for which some models are not made.
NOT_COUNTS = {"check_clustering": "it is given points, and the model is of counts"}
NOT_CATEGORIES = {"check_clustering": "it is given points, and the model is of categories"}
NOT_SQUARE = {
    "check_clustering": "it is given points, and a precomputed matrix is square",
    "check_positive_only_tag_during_fit": "it is given points, and a precomputed matrix is square",
}
TOGETHER = {
    "check_methods_sample_order_invariance": "new items are clustered together, not one by one",
    "check_methods_subset_invariance": "new items are clustered together, not one by one",
}


FOUR = "probabilities are of clusters, of which there need not be as many as the check has classes"
OF_CLUSTERS = {"check_estimator_sparse_array": FOUR, "check_estimator_sparse_matrix": FOUR}


def expected_failures(estimator):
    if isinstance(estimator, WishartDirichlet):
        return NOT_SQUARE if estimator.metric == "precomputed" else TOGETHER
    if isinstance(estimator, Microclustering):
        return NOT_CATEGORIES | TOGETHER
    if isinstance(estimator, MultinomialMixture):
        return NOT_COUNTS | TOGETHER | OF_CLUSTERS
    return TOGETHER if isinstance(estimator, SupervisedClustering) else NOT_COUNTS


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(
    [
        MultinomialMixture(**SHORT),
        Microclustering(**SHORT),
        WishartDirichlet(**SHORT),
        WishartDirichlet(metric="euclidean", **SHORT | {"n_burn_in": 30}),
        RelationalModel(n_restarts=2, max_row_clusters=5, max_column_clusters=5, **SHORT),
        RelationalModel(inference="gibbs", **SHORT),
        SupervisedClustering(**SHORT),
    ],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn(estimator, check):
    check(estimator)
