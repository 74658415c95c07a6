"""Models of records with distortions, whose clusters stay small."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from reseat.chains import MixtureModel
from reseat.chains.decided import mixture
from reseat.declarations import Registry
from reseat.equal_pairs import distinct
from reseat.likelihoods import (
    CategoricalRecords,
    HitMissRecords,
    RecordIndex,
    SimilarityIndex,
    SimilarRecords,
)
from reseat.models.fields.matches import components
from reseat.models.starts import begin
from reseat.moves import (
    MOST_WEIGHT,
    Chaperones,
    ListedPairs,
    Pairs,
    PairsOfUnits,
    SimilarPairs,
    SplitMerge,
    gibbs_sweep,
    pairs_by_keys,
    record_keys,
)
from reseat.priors import make_prior
from reseat.priors.hyperpriors import BetaHyperprior, GammaHyperprior

#: Number of Gibbs sweeps that relax a start at random labels.  Without them the concentration grows
#: to fit the random blocks, and chaperones alone need thousands of sweeps to bring it back.
RELAXING_SWEEPS = 3
#: Records for each split or merge of a sweep.
ITEMS_A_PROPOSAL = 5
#: Start value of the probability of a mistake, and its prior in each field.
MISTAKE, MISTAKE_LAW = 0.05, BetaHyperprior(1.0, 9.0)
#: Prior of the factor that scales how steeply mistakes fall with distance; its mode is 1.
STEEPNESS_LAW = GammaHyperprior(2.0, 1.0)

#: Log odds from which a pair is listed, as hardly any below belong to one cluster; and the same
#: while little is known of the mistakes.
MIN_LOG_ODDS, FIRST_LOG_ODDS = -6.0, -10.0
#: Number of times that the parameters are drawn given the clusters of likely pairs.
SETTLING = 4
#: Subtracted from the log odds of pairs, for too many clusters at the start, and for too few.
DOUBTS = (1.0, 0.0)
#: With a list, the average number of times in a sweep that a pair with even odds is drawn, and the
#: number of draws for each split or merge that is proposed.
VISITS, DRAWS_A_PROPOSAL = 0.75, 5
#: Share of the draws that come from the list, and number of subsets of keys for the others.
SHARE, SUBSETS_BESIDE = 0.75, 15
#: Extra draws of the parameters of the prior in a sweep, beyond the one that every model makes.
PRIOR_STEPS = 3
#: Number of pairs collected before duplicates are removed, and number scored at a time.
HELD, SCORED = 8_000_000, 500_000

#: Likelihoods by name: functions of the settings and the records.
likelihood = Registry()


@likelihood("categorical")
def categorical(settings: Mapping[str, Any], index: RecordIndex) -> CategoricalRecords:
    """Return the likelihood with a Dirichlet prior, by ``delta`` and optionally ``per_field``."""
    delta = settings["delta"]
    law = GammaHyperprior(delta["shape"], delta["rate"], delta["bound"])
    return CategoricalRecords(index, delta["start"], settings.get("per_field", False), law)


@likelihood("hitmiss")
def hit_miss(settings: Mapping[str, Any], index: RecordIndex) -> HitMissRecords:
    """Return the likelihood of values that are kept, or drawn anew with a probability ``miss``."""
    miss = settings["miss"]
    hyperprior = BetaHyperprior.from_moments(miss["mean"], miss["sd"], miss["bound"])
    return HitMissRecords(index, miss["start"], hyperprior)


@likelihood("similar")
def similar(settings: Mapping[str, Any], index: SimilarityIndex) -> SimilarRecords:
    """Return the likelihood of values that are kept or mistaken, by ``sources`` if given."""
    laws = {"steepness_hyperprior": STEEPNESS_LAW, "change_hyperprior": MISTAKE_LAW}
    sources = settings.get("sources")
    return SimilarRecords(index, MISTAKE, MISTAKE_LAW, sources, change=MISTAKE, **laws)


def make_pairs(
    settings: Mapping[str, Any],
    codes: np.ndarray,
    rng: np.random.Generator,
    columns: Sequence[Sequence] | None = None,
    index: SimilarityIndex | None = None,
) -> Pairs:
    """Return the distribution of chaperones: with an index, most draws are of `likely_pairs`."""
    if settings.get("pairs") == "uniform":
        return Pairs(len(codes))
    if columns is not None:
        keys, fields = record_keys(columns)
        if index is None:
            return SimilarPairs(keys, rng, groups=fields, **settings["similar"])
        beside = {**settings["similar"], "n_subsets": SUBSETS_BESIDE}
        others = SimilarPairs(keys, rng, groups=fields, **beside)
        likely, log_odds = likely_pairs(similar(settings, index), keys, fields, rng)
        if (apart := settings.get("apart")) is not None:
            one, other = apart[likely.T]
            possible = (one < 0) | (one != other)
            likely, log_odds = likely[possible], log_odds[possible]
        return ListedPairs(others, likely, SHARE, log_odds)
    return SimilarPairs(codes, rng, **settings["similar"])


def likely_pairs(
    likelihood: SimilarRecords, keys: np.ndarray, fields: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of records that may be of one entity, and log odds; parameters are changed."""
    # The prior odds are 1 / n, as if every entity had a bounded number of records.
    n_items = likelihood.n_items
    found = _above(FIRST_LOG_ODDS, likelihood, pairs_by_keys(keys, fields, rng))
    nearest = found[likelihood.log_ratios(found) > MIN_LOG_ODDS + np.log(n_items)]
    for _ in range(SETTLING):
        labels = components(nearest[likelihood.log_ratios(nearest) > np.log(n_items)], n_items)
        likelihood.assign(labels, int(labels.max()) + 1)
        likelihood.update(None, rng)
    log_odds = likelihood.log_ratios(found) - np.log(n_items)
    return found[log_odds > MIN_LOG_ODDS], log_odds[log_odds > MIN_LOG_ODDS]


def _above(log_odds: float, likelihood: SimilarRecords, pairs: Iterable[np.ndarray]) -> np.ndarray:
    """Return the distinct pairs of records with at least these log odds, of several lists."""
    n_items = likelihood.n_items
    kept, waiting, n_waiting = np.empty(0, dtype=np.int64), [], 0
    for part in pairs:
        waiting.append(part[:, 0] * n_items + part[:, 1])
        n_waiting += len(part)
        if n_waiting > HELD:
            kept, waiting, n_waiting = distinct(np.concatenate([kept, *waiting])), [], 0
    kept = distinct(np.concatenate([kept, *waiting]))
    likely = [np.empty((0, 2), dtype=np.int64)]
    for part in np.array_split(kept, 1 + kept.size // SCORED):
        some = np.stack(np.divmod(part, n_items), axis=1)
        likely.append(some[likelihood.log_ratios(some) > log_odds + np.log(n_items)])
    return np.concatenate(likely)


def candidates(
    likelihood: SimilarRecords, columns: Sequence[Sequence], first: int, rng: np.random.Generator
) -> sparse.csr_array:
    """Return the `likely_pairs` of each record from `first` on, by the likelihood's parameters."""
    pairs = pairs_by_keys(*record_keys(columns), rng, first)
    rows, others = _above(MIN_LOG_ODDS, likelihood, pairs).T
    places = np.append(rows, others), np.append(others, rows)
    return sparse.csr_array((np.ones(2 * len(rows), dtype=bool), places), (likelihood.n_items,) * 2)


def together(pairs: ListedPairs, doubt: float, rng: np.random.Generator) -> np.ndarray:
    """Return labels that join pairs, each drawn by its log odds, less a `doubt`."""
    drawn = pairs.log_odds - doubt > rng.logistic(size=len(pairs.pairs))
    return components(pairs.pairs[drawn], pairs.n_items)


def one_of_each(labels: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Return labels by which no cluster has two records of one group; later ones move out."""
    from pandas import Series  # slow to import, and most chains have no need of it

    key = labels * (int(apart.max()) + 1) + apart
    key[apart < 0] = -1 - np.flatnonzero(apart < 0)
    rank = Series(key).groupby(key).cumcount().to_numpy()
    return np.unique(labels * (int(rank.max()) + 1) + rank, return_inverse=True)[1]


def make_moves(settings: Mapping[str, Any], pairs: Pairs) -> tuple[Callable, ...]:
    """Return the moves: chaperones, and splits, as chaperones hardly take large blocks apart."""
    n_scans, decided = settings.get("n_scans", 1), settings.get("decided")
    drawn = pairs if decided is None else PairsOfUnits(pairs, decided["units"])
    if not isinstance(pairs, ListedPairs):
        n_proposals = max(1, pairs.n_items // ITEMS_A_PROPOSAL)
        splits = SplitMerge(n_proposals=n_proposals, n_scans=2, pairs=drawn)
        return Chaperones(drawn, n_scans=n_scans), splits
    wanted = VISITS * pairs.n_listed / (MOST_WEIGHT * SHARE)
    # Each pair visits all records of two blocks: fewer pairs are enough if these are large.
    n_partners = 2.0 * expit(pairs.log_odds).sum() / pairs.n_items
    most = pairs.n_items / max(1.0, n_partners)
    n_pairs = int(np.ceil(np.clip(wanted, pairs.n_items / 10, most)))
    splits = SplitMerge(n_proposals=-(-n_pairs // DRAWS_A_PROPOSAL), n_scans=2, pairs=drawn)
    return Chaperones(drawn, n_pairs, n_scans), splits, settle_prior


def settle_prior(partition, prior, likelihood, rng: np.random.Generator) -> int:
    """Draw the prior's parameters several times, which costs little, without moving any item."""
    sizes = likelihood.sizes_of(partition)
    # Looked up by name: with an import, a change to such a prior would invalidate every chain.
    slide = getattr(prior, "slide", None)
    for _ in range(PRIOR_STEPS):
        prior.update(sizes, rng)
        if slide is not None:
            slide(sizes, rng)
    return 0


def unstarted(
    settings: Mapping[str, Any], index: RecordIndex | SimilarityIndex, moves: Sequence[Callable]
) -> MixtureModel:
    """Return the model without a partition; see `build`."""
    found = likelihood[settings.get("likelihood", "categorical")](settings, index)
    if settings.get("apart") is not None:
        found.keep_apart(settings["apart"])
    prior = make_prior(settings, found.n_items)
    return mixture(prior, found, moves, settings.get("decided"))


def build(
    settings: Mapping[str, Any],
    index: RecordIndex | SimilarityIndex,
    rng: np.random.Generator,
    start: str | int | np.ndarray,
    moves: Sequence[Callable],
) -> MixtureModel:
    """Build the model at its start (Zanella et al. 2016, sections 2 and 3)."""
    model = unstarted(settings, index, moves)
    # A cluster has at most one record of each of these groups.
    if (apart := settings.get("apart")) is not None and not isinstance(start, str):
        one = rng.integers(0, start, model.n_items) if np.ndim(start) == 0 else start
        model.start(one_of_each(one, apart))
    else:
        begin(model, start, rng)
    if isinstance(start, (int, np.integer)):
        for _ in range(RELAXING_SWEEPS):
            gibbs_sweep(model.partition, model.prior, model.likelihood, rng)
    # Given labels of similar records first get parameters that suit them.
    if isinstance(start, np.ndarray) and isinstance(model.likelihood, SimilarRecords):
        for _ in range(SETTLING):
            model.update_prior(rng)
            model.likelihood.update(model.partition, rng)
    return model
