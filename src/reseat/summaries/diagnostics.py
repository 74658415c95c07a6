"""R-hat, effective sample size and Monte Carlo error, by Vehtari et al. (2021), of finite draws."""
# ArviZ has the same numbers, but takes longer to import than most jobs to run, and its results
# change in the last digits where numba is installed.

import numpy as np
import scipy


def rhat(draws: np.ndarray) -> float:
    """Return the rank-normalised split R-hat: the larger of those of location and of scale."""
    halves = _halves(draws)
    location = _rhat(_normal_scores(halves))
    scale = _rhat(_normal_scores(abs(halves - np.median(halves))))
    # If all draws are equally far from the median, the second is NaN, and the first is returned.
    return max(location, scale)


def bulk_ess(draws: np.ndarray) -> float:
    """Return the effective sample size of the rank-normalised draws."""
    return _ess(_normal_scores(_halves(draws)))


def mcse(draws: np.ndarray) -> float:
    """Return the Monte Carlo standard error of the mean."""
    return float(draws.std(ddof=1) / np.sqrt(_ess(_halves(draws))))


def _halves(draws: np.ndarray) -> np.ndarray:
    """Return the first and last half of each chain as chains, without a draw in the middle."""
    half = draws.shape[1] // 2
    return np.vstack([draws[:, :half], draws[:, -half:]])


def _normal_scores(values: np.ndarray) -> np.ndarray:
    """Return the normal quantiles of the ranks (Blom's formula); ties have their mean rank."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2
    scores = scipy.special.ndtri((ranks - 3 / 8) / (values.size + 1 / 4))
    return scores[inverse].reshape(values.shape)


def _rhat(chains: np.ndarray) -> float:
    n_draws = chains.shape[1]
    between = n_draws * chains.mean(axis=1).var(ddof=1)
    within = chains.var(axis=1, ddof=1).mean()
    return float(np.sqrt((between / within + n_draws - 1) / n_draws))


def _ess(chains: np.ndarray) -> float:
    """Return the effective sample size for the mean, by Geyer's initial monotone sequence."""
    n_draws = chains.shape[1]
    if np.ptp(chains) == 0:
        return float(chains.size)
    covariances = _autocovariances(chains)
    within = covariances[0] * n_draws / (n_draws - 1)
    total = within * (n_draws - 1) / n_draws + chains.mean(axis=1).var(ddof=1)
    correlations = 1 - (within - covariances) / total
    correlations[0] = 1
    # Of the lags in pairs, those before the first pair with a sum that is not positive count.
    n_pairs = max((n_draws - 1) // 2, 1)
    pairs = correlations[: 2 * n_pairs].reshape(n_pairs, 2)
    sums = pairs.sum(axis=1)
    (ends,) = np.nonzero(~(sums > 0))
    last = ends[0] if ends.size else n_pairs - 1
    lowest = np.minimum.accumulate(sums[:last])
    kept = np.where(sums[:last, None] > lowest[:, None], lowest[:, None] / 2, pairs[:last])
    # The next even lag counts once, if it or its pair is positive.
    after = pairs[last, 0] if max(pairs[last, 0], sums[last]) >= 0 else 0.0
    time = max(2 * kept.sum() + after - 1, 1 / np.log10(chains.size))
    return float(chains.size / time)


def _autocovariances(chains: np.ndarray) -> np.ndarray:
    """Return the mean over chains of the autocovariance at each lag."""
    n_draws = chains.shape[1]
    length = scipy.fft.next_fast_len(2 * n_draws, real=True)
    transform = np.fft.rfft(chains - chains.mean(axis=1, keepdims=True), n=length)
    powers = np.fft.irfft(transform * transform.conj(), n=length)[:, :n_draws]
    return (powers / n_draws).mean(axis=0)
