from .grid import GRID_BITS as GRID_BITS
from .grid import TIE_BITS as TIE_BITS
from .grid import on_grid as on_grid
from .grid import product as product
from .grid import rounded as rounded
from .grid import with_signs as with_signs
from .k_means import k_means as k_means
