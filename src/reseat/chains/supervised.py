"""References clustered by publication and by type: two partitions, each with parameters."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from reseat.chains.coupled import CoupledModel
from reseat.chains.model import MixtureModel
from reseat.errors import ConfigError
from reseat.likelihoods.references import PUBLICATION, TYPE


class SupervisedModel(CoupledModel):
    """The model that one chain samples: publications with means, types with precisions.

    A sweep makes the joint moves and draws the means and their variance, the precisions and the
    parameters of their law, the publications, the types and the hyperparameters, in this order.
    Parameters of a collapsed likelihood are drawn again as soon as its partition has changed.

    Parameters
    ----------
    publications, types : MixtureModel
        With `ReferenceMeans` or `ExplicitMeans`, and moves that leave training items alone; and
        with `ReferencePrecisions` or `CollapsedPrecisions`.
    test : array_like of bool, shape (n_items,), optional
        The items whose publications are inferred; all by default.
    joint : sequence of callable
        Moves ``move(publications, types, rng)`` that return how many items moved; the likelihood of
        the publications is conditioned on the types, and stays so if the move ``settles``.

    Raises
    ------
    ConfigError
        If the parts and `test` do not have the same number of items.

    References
    ----------
    Daumé and Marcu (2005), Figure 2 and section 5.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import likelihoods
    >>> from reseat.models.references import build_supervised
    >>> data = likelihoods.GaussianReferences([[0.3], [0.5], [-3.0], [-2.8]])
    >>> rng, test, known = np.random.default_rng(1), [False, True, False, True], [0, -1, 1, -1]
    >>> model = build_supervised(data, "scdp1", rng, test=test, known=known)
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
        """Start at these partitions.

        Parameters
        ----------
        labels : mapping of str to array_like
            Labels of the parts ``publication`` and ``type``.
        rng : numpy.random.Generator, optional
            Draws means given precisions of 1, which are 0 otherwise.
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
        conditioned = False
        for move in self.joint:
            if not conditioned:
                self._condition(PUBLICATION)
            moved += move(self.publications, self.types, rng)
            conditioned = getattr(move, "settles", False)
        proposed, accepted = map(int.__sub__, self._counts(), before)
        self._accepted = accepted / proposed if proposed else 0.0
        self._draw_parameters(rng, conditioned)
        moved += self._move(PUBLICATION, rng) + self._move(TYPE, rng)
        self.publications.update_prior(rng)
        self.types.update_prior(rng)
        return moved

    def _counts(self) -> tuple[int, int]:
        """Return how many splits and merges the joint moves have proposed and accepted."""
        proposed = accepted = 0
        for move in self.joint:
            if "split" in getattr(move, "proposed_", ()):
                proposed += move.proposed_["split"] + move.proposed_["merge"]
                accepted += move.accepted_["split"] + move.accepted_["merge"]
        return proposed, accepted

    def learn(self, rng: np.random.Generator) -> int:
        """Draw everything but the publications before a chain; return how many types changed."""
        self._draw_parameters(rng)
        moved = self._move(TYPE, rng)
        self.types.update_prior(rng)
        return moved

    def _draw_parameters(self, rng, conditioned: bool = False) -> None:
        """Condition on the types unless `conditioned`, and draw the means and the precisions."""
        if not conditioned:
            self._condition(PUBLICATION)
        self._update(PUBLICATION, rng)
        if hasattr(self.publications.likelihood, "draw_scale"):
            self.publications.likelihood.draw_scale(self.publications.partition, rng)
            self._condition(PUBLICATION)
        if self.types.likelihood.held:
            self.types.likelihood.renew_law(self.publications)
        self._condition(TYPE)
        self._update(TYPE, rng)
        if hasattr(self.types.likelihood, "draw_law"):
            self.types.likelihood.draw_law(self.publications, rng)

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
        """Return the log density of data, partitions, parameters and sampled hyperparameters."""
        return (
            self.types.likelihood.log_residuals(self.types.labels)
            + sum(part.likelihood.log_parameters() for part in self.parts.values())
            + sum(part.log_prior() for part in self.parts.values())
        )

    def log_integrated(self) -> float:
        """Return `log_joint` with the means integrated out, given the law of the precisions."""
        self._condition(PUBLICATION)
        means = self.publications.likelihood
        if not means.collapsed:  # such likelihoods do not keep the sums up to date
            means.sum_up(self.publications.labels)
        return (
            means.log_integrated()
            + self.types.likelihood.log_parameters()
            + sum(part.log_prior() for part in self.parts.values())
        )

    @property
    def traced(self) -> dict[str, float]:
        """`log_integrated`, and the share of splits and merges accepted in the last sweep."""
        if not self.joint:
            return {}
        return {"log_integrated": self.log_integrated(), "accepted": self._accepted}

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of non-empty blocks, by part, and of publications with test items."""
        found = int(np.count_nonzero(np.bincount(self.publications.labels[self.test])))
        return {**super().n_clusters, "n_test_clusters": found}
