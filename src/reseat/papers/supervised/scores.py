"""Scores of the test items, diagnostics, and the growth of clusters in closed form."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import scipy
from scipy.special import expit, gammaln

from reseat.chains import chain_seed, read_groups, split_labels
from reseat.datasets import EmbeddedMentions
from reseat.datasets.mentions import size_statistics
from reseat.numerics import rounded
from reseat.papers.supervised.measures import identity_of, measure, measured
from reseat.papers.supervised.plan import PAPER_KEY, Run
from reseat.papers.supervised.results import TRUTH
from reseat.summaries import describe, minimise_expected_loss

# ---- Scores of the test items and diagnostics, from finished chains --------------------------

#: Largest number of draws, over all chains, from which the partition of least expected VI is found.
MAX_DRAWS = 400


def score_models(runs: Iterable[Run], references, folders: Iterable[Path]) -> SimpleNamespace:
    """Score the chains of all models on the test items of a data set, as lists of rows."""
    scores = SimpleNamespace(chains=[], min_vi=[], diagnostics=[], moves=[])
    files = {path.name: path for folder in folders for path in Path(folder).glob("*.nc")}
    for run in runs:
        _score_run(scores, run, references, files)
    return scores


def test_draws(references: EmbeddedMentions, labels: np.ndarray) -> np.ndarray:
    """Return the clusters of the test items, shape (n_draws, n_test), from what a chain stored."""
    n, n_test = references.n_items, references.n_test
    labels = labels.astype(np.int64)
    if labels.shape[-1] == n_test:  # CDP clusters no other items
        return labels
    return split_labels(labels, {"publication": n, "type": n})["publication"][:, references.test]


def _score_run(scores, run: Run, references: EmbeddedMentions, files: Mapping) -> None:
    truth = references.entities[references.test]
    key = identity_of(references, run.dataset, run.role) | run.key
    places = [key | {"start": run.start(chain), "chain": chain} for chain in run.chains]
    stored = [read_groups(files[run.file(chain)]) for chain in run.chains]
    draws = [test_draws(references, tree["partition"]["labels"][0]) for tree, _ in stored]
    found = [[measure(truth, labels) for labels in chain] for chain in draws]
    for at, (tree, _), rows in zip(places, stored, found, strict=True):
        best = test_draws(references, tree["summary"]["map"][None])[0]
        mean = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
        summaries = {"mean": mean, "map": measure(truth, best), "last": rows[-1]}
        scores.chains += [
            at | {"summary": summary, "metric": metric, "value": value}
            for summary, values in summaries.items()
            for metric, value in values.items()
        ]
    blind = [own for own, at in zip(draws, places, strict=True) if at["start"] != TRUTH]
    pooled = np.concatenate(blind or draws)
    chosen = np.unique(np.linspace(0, len(pooled) - 1, MAX_DRAWS).round().astype(int))
    rng = np.random.default_rng(chain_seed(run.seed, PAPER_KEY, run.dataset, run.model, "min_vi"))
    # Only sweeps of single items: re-allocating whole clusters takes minutes and changes nothing.
    best = minimise_expected_loss(pooled[chosen], "vi", n_runs=4, rng=rng, n_reallocations=0)
    scores.min_vi += [key | {"summary": "min_vi"} | row for row in measured(truth, best.labels)]
    _diagnose(scores, run, places, stored, draws, found)


def _diagnose(scores, run: Run, places, stored, draws, scored) -> None:
    traces = {
        "log_joint": np.stack([tree["sample_stats"]["log_joint"][0] for tree, _ in stored]),
        "n_test_clusters": np.stack([[len(np.unique(d)) for d in chain] for chain in draws]),
        "F": np.array([[row["F"] for row in chain] for chain in scored]),
    }
    for name in stored[0][0]["posterior"]:
        if name not in ("chain", "draw"):
            traces[name] = np.stack([tree["posterior"][name][0] for tree, _ in stored])
    # A chain of a single partition does not name the part to which its concentration belongs.
    renamed = {"concentration": "concentration_publication"}
    traces = {renamed.get(name, name): np.asarray(t, dtype=float) for name, t in traces.items()}
    kind = {"move": run.settings.get("moves", "gibbs")}
    kind["prior"] = run.settings.get("prior", "dirichlet_process")
    for name, values in traces.items():
        rhat = describe(values)["rhat"]
        for place, trace, (_, attributes) in zip(places, values, stored, strict=True):
            found, at = describe(trace[None]), place | {"quantity": name}
            row = {"value": found["mean"], "mcse": found["mcse"], "ess": found["ess"]}
            scores.diagnostics.append(at | row | {"rhat": rhat})
            if name in ("log_joint", "n_test_clusters", "F"):
                # Moves are compared without the burn-in, which takes time but gives no draws.
                seconds = attributes["seconds"] * (1 - run.burn_in / run.n_sweeps)
                row = {"mean": found["mean"], "ess": found["ess"], "seconds": seconds}
                row["ess_per_second"] = found["ess"] / seconds
                scores.moves.append(at | kind | row)
    for at, (_, attributes) in zip(places, stored, strict=True):
        seconds = attributes["seconds"]
        timings = {"seconds": seconds, "seconds_per_iteration": seconds / run.n_sweeps}
        timings["n_iterations"] = run.n_sweeps
        scores.diagnostics += [
            at | {"quantity": name, "value": value} | dict.fromkeys(("mcse", "ess", "rhat"), np.nan)
            for name, value in timings.items()
        ]


def describe_data(references: EmbeddedMentions, key: Mapping) -> list[dict]:
    """Return the sizes of a data set, and what trivial systems would score, by quantity."""
    sizes = size_statistics(references.entities[references.test])
    n_items, n_test = references.n_items, references.n_test
    found = {"n_items": n_items, "n_train": n_items - n_test, "n_test": n_test}
    found |= {name: getattr(references, name) for name in ("n_entities", "n_train_entities")}
    # The numbers of groups may have gaps if only part of the items was taken.
    n_groups = np.unique(references.groups).size
    found |= {"n_test_entities": sizes["entities"], "n_groups": n_groups}
    found |= {name: getattr(references, name) for name in ("n_features", "n_coordinates")}
    found |= {name: sizes[name] for name in ("pair_share", "entropy", "largest")}
    return [dict(key) | {"quantity": name, "value": float(value)} for name, value in found.items()]


# ---- Number of clusters against number of items: Figure 3, in closed form --------------------

#: Ends of the range of the log concentration in which its posterior is searched for.
ENDS = (-20.0, 25.0)
#: Binary digits of fitted parameters; rounding decides those beyond the twenty-fifth.
DIGITS = 12


def growth_frames(references, hyperprior, identity=None):
    """Return the expected and empirical number of clusters of n items, n = 1, 2, ….

    If training and test items are the only groups they are pooled, as in Figure 3; otherwise each
    group is a document, and the empirical curve is that of a random one with at least n items.
    """
    sizes = _partitions(references)
    n_items = np.array([part.sum() for part in sizes])
    alpha = mean_concentration(n_items, [len(part) for part in sizes], **hyperprior)
    concentration, discount = fit_pitman_yor(sizes)
    most = int(n_items.max())
    growth = {"n": np.arange(1, most + 1)}
    growth["dp_mean"], growth["dp_sd"] = cluster_growth(most, alpha)
    growth["empirical_mean"], growth["empirical_sd"] = _over_groups(sizes, most)
    growth["pyp_mean"], growth["pyp_sd"] = cluster_growth(most, concentration, discount)
    growth["n_groups"] = (n_items[:, None] >= growth["n"]).sum(axis=0)
    fit = {"alpha": alpha, "pyp_concentration": concentration, "pyp_discount": discount}
    front = dict(identity or {})
    return pd.DataFrame(front | growth), pd.DataFrame([front | fit])


def _partitions(references):
    """Return the cluster sizes of each group, or of all items if train and test are the groups."""
    entities, groups = np.asarray(references.entities), np.asarray(references.groups)
    kinds = np.unique(np.column_stack([groups, references.test]), axis=0)
    if len(kinds) == np.unique(references.test).size:
        groups = np.zeros_like(groups)
    parts = [entities[groups == group] for group in np.unique(groups)]
    return [np.unique(part, return_counts=True)[1] for part in parts]


def mean_concentration(n_items, n_clusters, shape, rate):
    """Return the posterior mean of a concentration that partitions share (appendix B)."""
    distinct, counts = np.unique(np.asarray(n_items, dtype=float), return_counts=True)
    total = float(np.sum(n_clusters))

    def log_density(log_alpha):
        alpha = np.exp(log_alpha)
        drop = gammaln(alpha) - gammaln(alpha + distinct[:, None])
        return (shape + total) * log_alpha - rate * alpha + counts @ drop

    grid = np.linspace(*ENDS, 4001)
    density = log_density(grid)
    inside = grid[density > density.max() - 60]
    grid = np.linspace(inside[0], inside[-1], 8001)
    density = log_density(grid)
    weight = np.exp(density - density.max())
    return float(weight @ np.exp(grid) / weight.sum())


def cluster_growth(n_items, concentration, discount=0.0):
    """Return the mean and standard deviation of the number of clusters of 1, 2, …, n items."""
    mean, square = np.ones(n_items), np.ones(n_items)
    for n in range(1, n_items):
        total = concentration + n
        a, b = concentration / total, discount / total
        mean[n] = mean[n - 1] * (1 + b) + a
        square[n] = square[n - 1] * (1 + 2 * b) + mean[n - 1] * (2 * a + b) + a
    return mean, np.sqrt(np.clip(square - mean**2, 0.0, None))


def sampled_growth(sizes):
    """Return mean and variance of the number of clusters of n items drawn without replacement.

    A cluster of s items is absent with probability prod_{i<s} (N - n - i)/(N - i), and two of s and
    t items both with that for s + t; one running product goes through all sums.
    """
    sizes = np.asarray(sizes, dtype=np.int64)
    total = int(sizes.sum())
    singles = np.bincount(sizes).astype(float)
    # Number of ordered pairs of different clusters, by the sum of their sizes.
    distinct = np.flatnonzero(singles)
    pairs = np.zeros(2 * len(singles))
    sums = distinct[:, None] + distinct
    np.add.at(pairs, sums, np.outer(singles[distinct], singles[distinct]))
    np.add.at(pairs, 2 * distinct, -singles[distinct])
    singles = np.pad(singles, (0, len(pairs) - len(singles)))
    n = np.arange(1, total + 1)
    absent, both, chance = np.zeros(total), np.zeros(total), np.ones(total)
    for size in range(1, int(np.flatnonzero(singles + pairs)[-1]) + 1):
        chance *= np.clip(total - n - (size - 1), 0, None) / (total - (size - 1))
        absent += singles[size] * chance
        both += pairs[size] * chance
    return len(sizes) - absent, np.clip(both + absent - absent**2, 0.0, None)


def _over_groups(sizes, most):
    """Return mean and standard deviation over groups of at least n items, all equally likely."""
    count, first, second = np.zeros(most), np.zeros(most), np.zeros(most)
    for part in sizes:
        mean, variance = sampled_growth(part)
        reach = slice(0, len(mean))
        count[reach] += 1
        first[reach] += mean
        second[reach] += variance + mean**2
    first, second = first / count, second / count
    return first, np.sqrt(np.clip(second - first**2, 0.0, None))


def fit_pitman_yor(sizes):
    """Return concentration and discount, in [0, 1) or finite, of best fit (Pitman 2006, 3.2)."""
    parts = [np.asarray(part, dtype=float) for part in sizes]
    fitted = [_fit_positive(parts), _fit_negative(parts)]
    return max(fitted, key=lambda found: found[0])[1:]


def _log_likelihood(parts, concentration, discount):
    sizes, times = np.unique(np.concatenate(parts), return_counts=True)
    within = times @ (gammaln(sizes - discount) - gammaln(1 - discount))
    n = np.array([part.sum() for part in parts])
    rising = np.sum(gammaln(concentration + n) - gammaln(concentration + 1))
    most = max(len(part) for part in parts)
    opened = np.cumsum(np.log(concentration + discount * np.arange(1, most))) if most > 1 else []
    opening = np.append(0.0, opened)[[len(part) - 1 for part in parts]].sum()
    return float(opening - rising + within)


def _fit_positive(parts):
    def loss(x):
        discount = expit(x[1])
        return -_log_likelihood(parts, np.exp(x[0]) - discount, discount)

    starts = [(np.log(scale), slope) for scale in (1.0, 30.0) for slope in (-4.0, 0.0)]
    bounds = [(-10.0, 20.0), (-25.0, 8.0)]
    found = min(
        (scipy.optimize.minimize(loss, start, bounds=bounds) for start in starts),
        key=lambda f: f.fun,
    )
    # A search without gradients goes on to the last digits that the function determines.
    exact = {"xatol": 1e-9, "fatol": 1e-12, "maxiter": 2000}
    found = scipy.optimize.minimize(
        loss, found.x, method="Nelder-Mead", bounds=bounds, options=exact
    )
    log_scale, slope = rounded(found.x, DIGITS).tolist()
    discount = float(expit(slope))
    if discount < 1e-6:
        discount = 0.0  # the search stopped at the end of the range
    return -found.fun, float(np.exp(log_scale) - discount), discount


def _fit_negative(parts):
    """Fit the finite Dirichlet: number m of possible clusters on a grid, -discount by search."""
    least = max(len(part) for part in parts)
    grid = least + np.unique(np.append(np.arange(6), np.geomspace(6, 20 * least + 6, 25).round()))
    best = (-np.inf, np.nan, np.nan)
    for m in grid[grid > 1]:
        found = scipy.optimize.minimize_scalar(
            lambda x, m=m: -_log_likelihood(parts, m * np.exp(x), -np.exp(x)),
            bounds=(-15.0, 8.0),
            method="bounded",
            options={"xatol": 1e-9},
        )
        scale = float(np.exp(rounded(found.x, DIGITS)))
        best = max(best, (-float(found.fun), float(m * scale), -scale))
    return best
