"""The models as scikit-learn estimators: clusters, and how certain they are."""

import lazy_loader

# Imported on first use, because a user needs only one estimator.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
