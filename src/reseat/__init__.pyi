from .estimators import Microclustering as Microclustering
from .estimators import MultinomialMixture as MultinomialMixture
from .estimators import RelationalModel as RelationalModel
from .estimators import StudentMixture as StudentMixture
from .estimators import SupervisedClustering as SupervisedClustering
from .estimators import WishartDirichlet as WishartDirichlet

__version__: str
