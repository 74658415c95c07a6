from .distances import WishartDirichlet as WishartDirichlet
from .documents import MultinomialMixture as MultinomialMixture
from .points import StudentMixture as StudentMixture
from .records import Microclustering as Microclustering
from .relational import RelationalModel as RelationalModel
from .supervised import SupervisedClustering as SupervisedClustering
