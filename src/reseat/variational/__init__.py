"""Variational clustering of relations (FIRM, IRM), and the aspect model.

Kurihara, Kameya & Sato (2006), "A frequency-based stochastic blockmodel".
"""

import lazy_loader

# Imported on first use: a fit needs no estimator, and therefore no scikit-learn.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
