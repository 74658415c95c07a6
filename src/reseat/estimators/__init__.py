"""The five models as estimators of scikit-learn: clusters, and how sure they are."""

import lazy_loader

# Imported when they are asked for: a user needs one estimator.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "distances": ["WishartDirichlet"],
        "documents": ["MultinomialMixture"],
        "records": ["Microclustering"],
        "relational": ["RelationalModel"],
        "supervised": ["SupervisedClustering"],
    },
)
