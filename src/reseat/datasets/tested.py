"""Items with known entities, some of which are to be clustered."""

from __future__ import annotations

import numpy as np

__all__ = ["TestedItems"]


class TestedItems:
    """Mixin that counts the items and entities of a class with arrays `entities` and `test`."""

    entities: np.ndarray
    test: np.ndarray

    @property
    def n_test(self) -> int:
        """Number of items to be clustered."""
        return int(np.count_nonzero(self.test))

    @property
    def n_entities(self) -> int:
        """Number of entities."""
        return len(np.unique(self.entities))

    @property
    def n_train_entities(self) -> int:
        """Number of entities with a training item."""
        return len(np.unique(self.entities[~self.test]))
