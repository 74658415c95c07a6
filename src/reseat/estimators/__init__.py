"""The five models as estimators of scikit-learn: clusters, and how sure they are."""

from reseat.estimators.distances import WishartDirichlet
from reseat.estimators.documents import MultinomialMixture
from reseat.estimators.records import Microclustering
from reseat.estimators.relational import RelationalModel
from reseat.estimators.supervised import SupervisedClustering

__all__ = [
    "Microclustering",
    "MultinomialMixture",
    "RelationalModel",
    "SupervisedClustering",
    "WishartDirichlet",
]
