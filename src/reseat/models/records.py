"""Records with distortions: clusters that stay small."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reseat.chains import MixtureModel
from reseat.declarations import Registry
from reseat.hyperpriors import BetaHyperprior, GammaHyperprior
from reseat.likelihoods import (
    CategoricalRecords,
    HitMissRecords,
    RecordIndex,
    SimilarityIndex,
    SimilarRecords,
)
from reseat.models.starts import begin
from reseat.moves import Pairs, SimilarPairs, gibbs_sweep, record_keys
from reseat.priors import make_prior

__all__ = ["build", "likelihood", "make_pairs"]

#: Gibbs sweeps with which a start at random labels is relaxed.  Without them the concentration
#: follows the random blocks upwards, and chaperones alone need thousands of sweeps to come back.
RELAXING_SWEEPS = 3
#: Of similar records: where the probability of a mistake begins, and its law in each field.
MISTAKE, MISTAKE_LAW = 0.05, BetaHyperprior(1.0, 9.0)
#: Law of the factor of the scale by which mistakes fall with distance; its mean is 1.
STEEPNESS_LAW = GammaHyperprior(4.0, 4.0)


#: Likelihoods by name: functions of the settings and the records.
likelihood = Registry()


@likelihood("categorical")
def categorical(settings: Mapping[str, Any], index: RecordIndex) -> CategoricalRecords:
    """Dirichlet laws of the fields of a cluster.

    Settings are ``delta``, where their concentration starts, its gamma prior and its bound, and
    perhaps ``per_field``.
    """
    delta = settings["delta"]
    return CategoricalRecords(
        index,
        delta["start"],
        settings.get("per_field", False),
        GammaHyperprior(delta["shape"], delta["rate"], delta["bound"]),
    )


@likelihood("hitmiss")
def hit_miss(settings: Mapping[str, Any], index: RecordIndex) -> HitMissRecords:
    """Values that are kept or drawn anew; the setting ``miss`` is of the probability of these."""
    miss = settings["miss"]
    hyperprior = BetaHyperprior.from_moments(miss["mean"], miss["sd"], miss["bound"])
    return HitMissRecords(index, miss["start"], hyperprior)


@likelihood("similar")
def similar(settings: Mapping[str, Any], index: SimilarityIndex) -> SimilarRecords:
    """Values that are kept or mistaken for similar ones; there is nothing to be set."""
    return SimilarRecords(index, MISTAKE, MISTAKE_LAW, steepness_hyperprior=STEEPNESS_LAW)


def make_pairs(
    settings: Mapping[str, Any],
    codes: np.ndarray,
    rng: np.random.Generator,
    columns: Sequence[Sequence] | None = None,
) -> Pairs:
    """The distribution of chaperones, the same for all chains on these records.

    Parameters
    ----------
    settings : mapping
        ``pairs: uniform``, or ``similar``, keywords of `SimilarPairs`.
    codes : ndarray of int, shape (n_records, n_fields)
    rng : numpy.random.Generator
        Of the pairs alone.
    columns : sequence of sequences, optional
        Strings and numbers; if they are given, similar pairs share keys of similar values
        (`reseat.moves.record_keys`) instead of codes.
    """
    if settings.get("pairs") == "uniform":
        return Pairs(len(codes))
    if columns is not None:
        keys, fields = record_keys(columns)
        return SimilarPairs(keys, rng, groups=fields, **settings["similar"])
    return SimilarPairs(codes, rng, **settings["similar"])


def build(
    settings: Mapping[str, Any],
    index: RecordIndex | SimilarityIndex,
    rng: np.random.Generator,
    start: str | int | np.ndarray,
    moves: Sequence[Callable],
) -> MixtureModel:
    """The model at its start.

    Parameters
    ----------
    settings : mapping
        ``prior`` and its parameters, perhaps ``likelihood``, and what that one looks at.
    index : RecordIndex or SimilarityIndex
        The latter for the likelihood ``similar`` (`reseat.models.fields.index_fields`).
    rng : numpy.random.Generator
    start : int, str or ndarray
        As for `reseat.models.starts.begin`; one at random is relaxed by Gibbs sweeps.
    moves : sequence of callable
        `Chaperones`, as a rule, with pairs from `make_pairs`.

    References
    ----------
    Zanella et al. (2016), sections 2 and 3.
    """
    make_likelihood = likelihood[settings.get("likelihood", "categorical")]
    found = make_likelihood(settings, index)
    model = MixtureModel(make_prior(settings, found.n_items), found, moves)
    begin(model, start, rng)
    if isinstance(start, (int, np.integer)):
        for _ in range(RELAXING_SWEEPS):
            gibbs_sweep(model.partition, model.prior, model.likelihood, rng)
    return model
