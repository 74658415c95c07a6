"""Gibbs sweeps over some of the items, while the others keep their blocks."""

import numpy as np

from reseat.checks import as_whole, check_whole
from reseat.errors import DataError
from reseat.moves._gibbs import gibbs_sweep

#: Class of an item whose class is not known.
UNLABELLED = -1


class ClampedSweep:
    """Gibbs sweep over the items without a class; the others keep their blocks.

    Parameters
    ----------
    classes : array_like of int, shape (n_items,)
        Class of each item, from 0, or -1 where it is unknown.

    Attributes
    ----------
    free : ndarray of int, shape (n_free,)
        Items without a class.

    Raises
    ------
    DataError
        If a class is not a whole number or is below -1, or there are no items.

    References
    ----------
    Vogt et al. (2010), section 4, semi-supervised clustering.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, moves, priors
    >>> likelihood = likelihoods.DirichletMultinomial([[5, 0], [4, 1], [0, 6], [0, 4]])
    >>> sweep = moves.ClampedSweep([0, moves.UNLABELLED, 1, moves.UNLABELLED])
    >>> sweep.free.tolist()
    [1, 3]
    >>> model = chains.MixtureModel(priors.DirichletProcess(1.0), likelihood, [sweep])
    >>> model.start([0, 0, 1, 1])
    >>> n_moved = model.sweep(np.random.default_rng(1))
    >>> bool(model.labels[0] == model.labels[2])  # the classes stay apart
    False
    """

    def __init__(self, classes):
        if np.ndim(classes) != 1 or np.size(classes) == 0:
            raise DataError("The classes must be a one-dimensional array, with one entry per item.")
        what = f"The classes, {UNLABELLED} where there is none"
        classes = as_whole(classes, what, UNLABELLED).copy()
        self.classes = classes
        self.free = np.flatnonzero(classes == UNLABELLED)
        self._held = np.flatnonzero(classes != UNLABELLED)
        _, first, self._class_of = np.unique(
            classes[self._held], return_index=True, return_inverse=True
        )
        self._first = self._held[first]  # an item of each class

    def start(self, n_blocks: int = 1, rng: np.random.Generator | None = None) -> np.ndarray:
        """Return initial labels: a block for each class, and `n_blocks` more for other items.

        Parameters
        ----------
        n_blocks : int
            If there are several, each of the other items is put into one of them uniformly.
        rng : numpy.random.Generator, optional

        Returns
        -------
        ndarray of int, shape (n_items,)
        """
        n_blocks = check_whole("n_blocks", n_blocks, 1)
        labels = np.empty_like(self.classes)
        labels[self._held] = self._class_of
        labels[self.free] = self._first.size
        if n_blocks > 1:
            labels[self.free] += rng.integers(0, n_blocks, self.free.size)
        return labels

    def __call__(self, partition, prior, likelihood, rng, **tempering) -> int:
        """Reseat the items without a class; arguments and result are those of `gibbs_sweep`."""
        labels = partition.label_array
        if labels.size != self.classes.size:
            raise ValueError(
                f"The partition has {labels.size} items, but there are classes for "
                f"{self.classes.size}."
            )
        slots = labels[self._first]
        together = np.array_equal(labels[self._held], slots[self._class_of])
        if not together or np.unique(slots).size < slots.size:
            raise ValueError("The partition splits a class or merges two; begin with start().")
        return gibbs_sweep(partition, prior, likelihood, rng, self.free, **tempering)
