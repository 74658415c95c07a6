"""The models of references by name: priors, likelihoods, moves and a start."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np
from scipy.special import gammaln

from reseat.chains.grouped import GroupedModel
from reseat.chains.model import MixtureModel
from reseat.chains.supervised import SupervisedModel
from reseat.checks import as_labels, as_mask, check_positive
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import (
    CollapsedPrecisions,
    ExplicitMeans,
    GaussianReferences,
    PrecisionLaw,
    ReferenceMeans,
    ReferencePrecisions,
)
from reseat.likelihoods.references import PUBLICATION, TYPE
from reseat.models.joint_moves import joint_moves
from reseat.moves import RestrictedSweep, gibbs_sweep
from reseat.numerics import product, rounded
from reseat.priors import DirichletProcess, GammaHyperprior, PartitionPrior

__all__ = ["SUPERVISED_MODELS", "build_supervised", "restaurants", "start_labels"]

#: Names of the models, each with its law of precisions; CDP has only one type.
SUPERVISED_MODELS = {
    "scdp1": "fixed",
    "scdp2": "between",
    "scdp2_exact": "between",
    "scdp3_covariance": "covariance",
    "scdp3_precision": "precision",
    "cdp": "fixed",
}

#: The word for a variance of the means that is sampled, and the shape and rate of its inverse gamma
#: prior, which has no mean; features have variances of about 1.
SAMPLED, SCALE = "sampled", (1.0, 0.1)
#: Prior of the parameters of the precisions' law that are sampled, and of one over the rate:
#: where items agree exactly, nothing but the prior keeps the rate from 0.
LAW = GammaHyperprior(1.0, 1.0)
#: The parameters of the law that models can sample.
SAMPLED_LAWS = {
    "scdp1": ("shape", "rate"),
    "scdp3_covariance": ("rate", "strength"),
    "scdp3_precision": ("shape", "rate", "strength"),
}
#: Prior of the concentrations; the paper says that it is a gamma prior, but not which one.
CONCENTRATION = GammaHyperprior(1.0, 0.01)


class SampledScale(ReferenceMeans):
    """Publications whose means have a common variance with an inverse gamma prior."""

    def __init__(self, data: GaussianReferences, prior: tuple[float, float] = SCALE):
        super().__init__(data, 1.0)
        self.shape, self.rate = prior

    @property
    def hyperparameters(self) -> dict[str, float]:
        """The current variance of the means."""
        return {"sigma": self.sigma}

    def log_hyperprior(self) -> float:
        """Return the log density of the variance under its prior."""
        found = self.shape * np.log(self.rate) - gammaln(self.shape)
        return float(found - (self.shape + 1) * np.log(self.sigma) - self.rate / self.sigma)

    def restore(self, hyperparameters: Mapping[str, float]) -> None:
        """Set the variance of the means, and keep the means."""
        means = self.parameters
        super().__init__(self.data, hyperparameters["sigma"])
        self.restore_parameters(means)

    def draw_scale(self, partition, rng: np.random.Generator) -> None:
        """Draw the variance given the means; then the likelihood must be conditioned again."""
        means = self.means[np.flatnonzero(partition.size_array)].ravel()
        rate = self.rate + product(means, means) / 2
        sigma = rounded(rate / rng.standard_gamma(self.shape + means.size / 2))
        self.restore({"sigma": float(sigma)})


class SampledLaw(ReferencePrecisions):
    """Types whose precisions have a law with sampled parameters, which have gamma priors."""

    def __init__(self, data, law, groups=None, held=False, *, sampled: Sequence[str]):
        super().__init__(data, law, groups, held)
        self.sampled = tuple(sampled)

    @property
    def hyperparameters(self) -> dict[str, float]:
        """The current parameters that are sampled."""
        return {name: getattr(self.law, name) for name in self.sampled}

    def log_hyperprior(self) -> float:
        """Return the log density of these parameters under their priors."""
        return sum(
            LAW.log_density(1 / value) - 2 * np.log(value)
            if name == "rate"
            else LAW.log_density(value)
            for name, value in self.hyperparameters.items()
        )

    def restore(self, hyperparameters: Mapping[str, float]) -> None:
        """Set parameters, and keep the precisions."""
        current = {name: getattr(self.law, name) for name in ("shape", "rate", "strength")}
        self.law.change(**current | dict(hyperparameters))

    def draw_law(self, publications, rng: np.random.Generator) -> None:
        """Draw each parameter given all else; then the publications must be conditioned again."""

        def log_density(name: str, value: float) -> float:
            self.restore({name: 1 / value if name == "rate" else value})
            self.renew_law(publications)
            return self.log_parameters()

        for name, value in self.hyperparameters.items():
            value = 1 / value if name == "rate" else value
            drawn = LAW.resample(value, partial(log_density, name), rng)
            log_density(name, float(rounded(drawn)))


def build_supervised(
    data: GaussianReferences,
    model: str,
    rng: np.random.Generator,
    *,
    test,
    known,
    groups=None,
    start: str | np.ndarray | Mapping[str, np.ndarray] = "one",
    form: str = "collapsed",
    types: str = "explicit",
    law: str | None = None,
    pairs: str = "sum",
    share: bool = False,
    sigma: float | str = 1.0,
    shape: float = 1.0,
    rate: float = 1.0,
    strength: float = 1.0,
    sampled: Sequence[str] = (),
    precision: float = 1.0,
    n_candidates: int = 8,
    aux: str = "posterior",
    prior: PartitionPrior | None = None,
    type_prior: PartitionPrior | None = None,
    moves: Callable[[np.ndarray, np.ndarray], Sequence[Callable]] | None = None,
    joint: Mapping | None = None,
) -> SupervisedModel | GroupedModel:
    """Build a model of references at its start, ready for a chain.

    Parameters
    ----------
    data : GaussianReferences
    model : str
        One of `SUPERVISED_MODELS`.  ``scdp2`` is the paper's recipe, which samples from no
        distribution that could be stated: the draw of the means does not take into account that
        their moments are computed next.  ``cdp`` has the test items only, with one `precision`.
    rng : numpy.random.Generator
        Used to draw the initial means.
    test : array_like of bool, shape (n_items,)
    known : array_like of int, shape (n_items,)
        Entities of the training items; those of test items are ignored.
    groups : array_like of int, shape (n_items,), optional
        Documents.  A publication lies within one, among its test items or its training items.
    start : {"one", "singletons"}, ndarray or mapping
        Test items of a group in one publication, each in its own, or in the given clusters, shape
        (n_items,), all with one type; or a mapping with the labels of the parts ``publication``
        and ``type``, shape (n_items,) each, of which ``cdp`` uses those of the test items.
    form, types : {"collapsed", "explicit"}
        Whether the means of ``scdp1`` and ``scdp2`` are integrated out (others are explicit), and
        the precisions while types are drawn.
    law : {"between", "within"}, optional
        Moments that ``scdp2`` uses, by default ``between``.
    share : bool
        Whether test items may join publications of training items and of other groups.
    pairs, sigma, shape, rate, strength, n_candidates, aux
        See the likelihoods and `PrecisionLaw`.  With ``sigma="sampled"``, the variance of the
        means is sampled; only for collapsed ``scdp1`` and ``scdp2``.
    sampled : sequence of str
        Which of ``shape``, one over ``rate``, and ``strength`` are sampled, with gamma priors of
        shape and rate 1.  Not with collapsed types, nor the first for ``scdp3_covariance``;
        ``scdp1`` has no strength, and ``scdp2`` matches its law to the means.
    precision : float
    prior, type_prior : PartitionPrior, optional
        Those of publications and of types; by default Dirichlet processes with a sampled
        concentration, which is 1 for ``cdp``.
    moves : callable, optional
        Called with the restaurant of each item and the items to cluster; returns the moves.
    joint : mapping, optional
        Keywords of `joint_moves` of publications and types, which are made too, but not by ``cdp``.

    Raises
    ------
    ConfigError
        If a name is unknown or cannot be combined with the model.
    DataError
        If there are no test items, or arrays have different lengths.

    References
    ----------
    Daumé and Marcu (2005), sections 3 to 5 and 7.1.
    """
    if model not in SUPERVISED_MODELS:
        raise ConfigError(f"model is {model!r}; it must be one of {tuple(SUPERVISED_MODELS)}.")
    if form not in ("collapsed", "explicit") or types not in ("collapsed", "explicit"):
        raise ConfigError(
            f"form is {form!r} and types is {types!r}; each must be collapsed or explicit."
        )
    if law is not None and (model != "scdp2" or law not in ("between", "within")):
        raise ConfigError(
            f"law is {law!r}; only scdp2 accepts this setting, which must be between or within."
        )
    if sigma == SAMPLED and (form != "collapsed" or model not in ("scdp1", "scdp2")):
        raise ConfigError(
            f"sigma cannot be sampled with {form} {model}; it can with collapsed scdp1 and scdp2."
        )
    lacking = [name for name in sampled if name not in SAMPLED_LAWS.get(model, ())]
    if lacking or (sampled and types == "collapsed"):
        raise ConfigError(
            f"{', '.join(lacking or sampled)} cannot be sampled with {types} types of {model}; "
            f"with explicit ones, {SAMPLED_LAWS.get(model, ())} can."
        )
    test = as_mask(test, "The marks of test items")
    groups = np.zeros(test.size, dtype=int) if groups is None else np.asarray(groups)
    known = np.asarray(known)
    if not test.shape == groups.shape == known.shape == (data.n_items,):
        raise DataError(
            f"There are {data.n_items} items, but {test.shape} marks of test items, {known.shape} "
            f"entities and {groups.shape} groups; there must be one of each per item."
        )
    if not test.any():
        raise DataError("No item is a test item, so there is nothing to cluster.")
    moves = _sweeps if moves is None else moves
    of = restaurants(groups, test, share)
    labels = start_labels(groups, test, known, start)

    if model == "cdp":
        # The test items alone, in units in which the precision is 1.
        sigma *= check_positive("precision", precision)
        alone = GaussianReferences(data.coordinates[test] * np.sqrt(precision), data.feature_of)
        groups, means = of[test], ReferenceMeans(alone, sigma)
        prior = DirichletProcess(1.0) if prior is None else prior
        built = GroupedModel(prior, means, moves(groups, np.arange(alone.n_items)), groups)
        built.start(np.unique(labels[PUBLICATION][test], return_inverse=True)[1])
        return built
    follows = model not in ("scdp1", "scdp2")
    chosen = PrecisionLaw(law or SUPERVISED_MODELS[model], shape, rate, strength, pairs)
    if follows or form == "explicit":
        of_means = chosen if follows else PrecisionLaw("fixed", shape, rate)
        means = ExplicitMeans(data, of_means, sigma, n_candidates, aux, of)
    else:
        means = SampledScale(data) if sigma == SAMPLED else ReferenceMeans(data, sigma)
    items = np.flatnonzero(test)
    together = () if joint is None else joint_moves(means, of, items, **joint)
    kind = CollapsedPrecisions if types == "collapsed" else ReferencePrecisions
    if sampled:
        kind = partial(SampledLaw, sampled=sampled)
    precisions = kind(data, chosen, of, held=model == "scdp2")
    prior = DirichletProcess(1.0, CONCENTRATION) if prior is None else prior
    type_prior = DirichletProcess(1.0, CONCENTRATION) if type_prior is None else type_prior
    publications = GroupedModel(prior, means, moves(of, items), of)
    of_types = MixtureModel(type_prior, precisions, [gibbs_sweep])
    built = SupervisedModel(publications, of_types, test, together)
    built.start(labels, rng)
    return built


def start_labels(groups, test, known, start) -> dict[str, np.ndarray]:
    """Return the labels at which a chain starts, shape (n_items,), by part.

    Parameters
    ----------
    groups, test, known, start
        As for `build_supervised`.
    """
    if isinstance(start, Mapping):
        return {name: as_labels(labels, test.size) for name, labels in start.items()}
    if isinstance(start, np.ndarray):
        clusters = as_labels(start, test.size)
    elif start in ("one", "singletons"):
        clusters = 0 if start == "one" else np.arange(test.size)
    else:
        raise ConfigError(
            f"start is {start!r}; it must be one, singletons, or labels of both parts."
        )
    entity = np.where(test, clusters, known)
    keys = np.stack([groups, test, entity], axis=1)
    labels = np.unique(keys, axis=0, return_inverse=True)[1].ravel()
    return {PUBLICATION: labels, TYPE: np.zeros(test.size, dtype=int)}


def restaurants(groups, test, share: bool = False) -> np.ndarray:
    """Return the restaurant of each item: test and training items of each group have separate ones.

    Parameters
    ----------
    groups, test, share
        As for `build_supervised`; if they `share`, all items are in one restaurant.
    """
    if share:
        return np.zeros(test.size, dtype=np.intc)
    keys = np.stack([groups, test], axis=1)
    return np.unique(keys, axis=0, return_inverse=True)[1].ravel().astype(np.intc)


def _sweeps(groups: np.ndarray, items: np.ndarray) -> list[Callable]:
    return [RestrictedSweep(groups, items)]
