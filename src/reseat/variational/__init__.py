"""Variational clustering of relations (FIRM, IRM), and the aspect model beside them.

Kurihara, Kameya & Sato (2006), "A frequency-based stochastic blockmodel".
"""

from reseat.variational.aspect import AspectModel
from reseat.variational.estimators import FIRM, IRM
from reseat.variational.fit import fit_relational
from reseat.variational.posterior import RelationalPosterior
from reseat.variational.relations import Relation
from reseat.variational.starts import INITIALISATIONS

__all__ = [
    "FIRM",
    "INITIALISATIONS",
    "IRM",
    "AspectModel",
    "Relation",
    "RelationalPosterior",
    "fit_relational",
]
