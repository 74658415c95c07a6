"""Variational clustering of relations (FIRM, IRM), and the aspect model.

Kurihara, Kameya & Sato (2006), "A frequency-based stochastic blockmodel".
"""

import lazy_loader

# Imported on first use: a fit needs no estimator, and therefore no scikit-learn.
__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "aspect": ["AspectModel"],
        "restarts": ["reach_best"],
        "estimators": ["FIRM", "IRM", "SIDES", "fit_table"],
        "fit": ["fit_relational"],
        "posterior": ["RelationalPosterior"],
        "relations": ["Relation"],
        "problem": ["INITIALISATIONS"],
    },
)
