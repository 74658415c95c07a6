"""References in publications and in types: two partitions, and the parameters of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from reseat.chains.coupled import CoupledModel
from reseat.chains.model import MixtureModel
from reseat.errors import ConfigError
from reseat.likelihoods.references import PUBLICATION, TYPE

__all__ = ["SupervisedModel"]


class SupervisedModel(CoupledModel):
    """What one chain samples: publications with means, types with precisions.

    A sweep makes the joint moves and draws the means, the precisions, the publications, the
    types and the hyperparameters, in this order.  If the likelihood of a part is
    collapsed, its parameters are drawn again as soon as its partition has
    changed, since the other part is conditioned on them.

    Parameters
    ----------
    publications : MixtureModel
        With `ReferenceMeans` or `ExplicitMeans`, and moves that leave the
        publications of training items alone.
    types : MixtureModel
        With `ReferencePrecisions` or `CollapsedPrecisions`.
    test : array_like of bool, shape (n_items,), optional
        The items whose publications are looked for; all by default.
    joint : sequence of callable
        Moves of both parts at once, made before the means are drawn.  Each is called as
        ``move(publications, types, rng)``, the likelihood of the publications having taken in the
        types, and returns how many items moved.  A move with a true ``settles`` leaves that
        likelihood as if it had just taken in everything.

    Raises
    ------
    ConfigError
        If the parts are of different numbers of items.

    References
    ----------
    Daumé and Marcu (2005), Figure 2 and section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.models.references import build_supervised
    >>> from reseat.likelihoods import GaussianReferences
    >>> from reseat.priors import DirichletProcess
    >>> rng = np.random.default_rng(1)
    >>> data = GaussianReferences([[0.3], [0.5], [-3.0], [-2.8]])
    >>> model = build_supervised(
    ...     data,
    ...     "scdp1",
    ...     rng,
    ...     test=[False, True, False, True],
    ...     known=[0, -1, 1, -1],
    ...     prior=DirichletProcess(1.0),
    ...     type_prior=DirichletProcess(1.0),
    ... )
    >>> n_moved = model.sweep(rng)
    >>> model.part_sizes
    {'publication': 4, 'type': 4}
    """

    def __init__(
        self,
        publications: MixtureModel,
        types: MixtureModel,
        test=None,
        joint: Sequence[Callable] = (),
    ):
        super().__init__({PUBLICATION: publications, TYPE: types})
        self.joint = tuple(joint)
        self._accepted = 0.0
        n_items = publications.n_items
        self.test = np.ones(n_items, dtype=bool) if test is None else np.asarray(test, dtype=bool)
        if not n_items == types.n_items == self.test.size:
            raise ConfigError(
                f"There are {n_items} items with publications, {types.n_items} with types and "
                f"{self.test.size} marked as test or training items; these must be the same."
            )

    @property
    def publications(self) -> MixtureModel:
        """The part that holds the publications and their means."""
        return self.parts[PUBLICATION]

    @property
    def types(self) -> MixtureModel:
        """The part that holds the types and their precisions."""
        return self.parts[TYPE]

    def start(self, labels: Mapping[str, np.ndarray], rng=None) -> None:
        """Begin at these partitions.

        Parameters
        ----------
        labels : mapping of str to array_like
            Of the parts ``publication`` and ``type``.
        rng : numpy.random.Generator, optional
            If given, means are drawn from their conditional given precisions
            of 1; they are 0 otherwise.
        """
        super().start(labels)
        if rng is not None:
            likelihood = self.publications.likelihood
            likelihood.sum_up(self.publications.labels)
            likelihood.draw_means(rng)
            self._condition(TYPE)
            self.types.likelihood.renew_law(self.publications)
            self._condition(PUBLICATION)

    def sweep(self, rng: np.random.Generator) -> int:
        """Draw everything once; return how many items moved."""
        moved = 0
        before = self._counts()
        settled = False
        for move in self.joint:
            if not settled:
                self._condition(PUBLICATION)
            moved += move(self.publications, self.types, rng)
            settled = getattr(move, "settles", False)
        proposed, accepted = map(int.__sub__, self._counts(), before)
        self._accepted = accepted / proposed if proposed else 0.0
        self._draw_parameters(rng, settled)
        moved += self._move(PUBLICATION, rng) + self._move(TYPE, rng)
        self.publications.update_prior(rng)
        self.types.update_prior(rng)
        return moved

    def _counts(self) -> tuple[int, int]:
        """How many splits and merges have been proposed and made by joint moves."""
        moves = [move for move in self.joint if "split" in getattr(move, "proposed_", ())]
        counts = [(move.proposed_, move.accepted_) for move in moves]
        proposed, made = (
            sum(count[kind] for count in part for kind in ("split", "merge"))
            for part in (zip(*counts, strict=True) if counts else ((), ()))
        )
        return proposed, made

    def learn(self, rng: np.random.Generator) -> int:
        """Draw everything but the publications; return how many items changed their type.

        As a start it fits precisions to the training items, before test items
        are joined by precisions that nobody has learned.
        """
        self._draw_parameters(rng)
        moved = self._move(TYPE, rng)
        self.types.update_prior(rng)
        return moved

    def _draw_parameters(self, rng, settled: bool = False) -> None:
        """Draw the means, of which all may have been taken in, then the precisions."""
        if not settled:
            self._condition(PUBLICATION)
        self._update(PUBLICATION, rng)
        if self.types.likelihood.held:
            self.types.likelihood.renew_law(self.publications)
        self._condition(TYPE)
        self._update(TYPE, rng)

    def _update(self, name: str, rng) -> None:
        part = self.parts[name]
        part.likelihood.update(part.partition, rng)

    def _move(self, name: str, rng) -> int:
        self._condition(name)
        part = self.parts[name]
        moved = part.move(rng)
        if part.likelihood.collapsed:
            self._update(name, rng)
        return moved

    def log_joint(self) -> float:
        """Log density of data, both partitions, means, precisions and sampled hyperparameters."""
        return (
            self.types.likelihood.log_residuals(self.types.labels)
            + sum(part.likelihood.log_parameters() for part in self.parts.values())
            + sum(part.log_prior() for part in self.parts.values())
        )

    def log_integrated(self) -> float:
        """`log_joint` with the means integrated out: what states of different sizes compare by.

        If the law of the precisions depends on the means, the precisions have their density at
        the present ones.
        """
        self._condition(PUBLICATION)
        means = self.publications.likelihood
        if not means.collapsed:  # nothing is scored by these sums
            means.sum_up(self.publications.labels)
        return (
            means.log_integrated()
            + self.types.likelihood.log_parameters()
            + sum(part.log_prior() for part in self.parts.values())
        )

    @property
    def traced(self) -> dict[str, float]:
        """`log_integrated`, and the share of splits and merges that the last sweep has made."""
        if not self.joint:
            return {}
        return {"log_integrated": self.log_integrated(), "accepted": self._accepted}

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of blocks with members, by part, and of publications with test items."""
        found = int(np.count_nonzero(np.bincount(self.publications.labels[self.test])))
        return {**super().n_clusters, "n_test_clusters": found}
