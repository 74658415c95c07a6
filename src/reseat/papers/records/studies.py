"""Studies beside the chains: exact posteriors, their invariance, and draws from the priors."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from itertools import permutations, product

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln, softmax

from reseat.chains import MixtureModel, chain_seed
from reseat.likelihoods import CategoricalRecords
from reseat.moves import Chaperones, Pairs, SimilarPairs
from reseat.papers.enumerated import first_appearance, partitions, posterior, visit_counts
from reseat.papers.records.plan import PAPER_KEY
from reseat.papers.records.study_tables import DRAW_COLUMNS
from reseat.priors import NBD, NBNB, DirichletProcess, PartitionPrior, PitmanYor

# ---- Comparison of the sampler with the exact posterior over all partitions of five records ----

#: The paper's four priors, with fixed hyperparameters.
CHECKED_PRIORS: Mapping[str, Callable[[], PartitionPrior]] = {
    "DP": lambda: DirichletProcess(1.5),
    "PYP": lambda: PitmanYor(1.5, 0.3),
    "NBNB": lambda: NBNB(1.3, 0.8, 0.7, 0.4, r_hyperprior=None, p_hyperprior=None),
    "NBD": lambda: NBD(1.3, 0.8),
}

N_ITEMS = 5
#: Concentration of the likelihood of the records.
DELTA = 0.5


def count_partitions(n_sweeps: int, seed: int) -> pd.DataFrame:
    """Return each partition's exact probability and the visits of a chain, for each prior."""
    codes = np.array(RECORDS[:N_ITEMS])
    found = []
    for name, make in CHECKED_PRIORS.items():
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "enumeration", name))
        model = MixtureModel(
            make(), CategoricalRecords(codes, DELTA), (Chaperones(SimilarPairs(codes, rng)),)
        )
        found.append(visit_counts(name, model, posterior(model), n_sweeps, rng))
    return pd.concat(found, ignore_index=True)


# ---- Exact check that the chaperones algorithm leaves the posterior invariant ----------------
#
# For a few records, every partition can be listed and the transition probabilities of one move
# written down as a matrix. The compiled move is not used: the probabilities follow from its
# definition, a draw from the exact joint probabilities restricted to the partitions that are
# allowed.

#: Orders in which the union of the two blocks is visited. The second depends on how it is split.
ORDERS = ("ascending", "block by block")

RECORDS = ((0, 1, 2), (0, 1, 0), (1, 0, 2), (1, 1, 1), (0, 1, 2), (2, 0, 0))

State = tuple[int, ...]


def invariance_table(
    priors: Mapping[str, Callable[[], PartitionPrior]] = CHECKED_PRIORS,
    n_items: Sequence[int] = (3, 4),
) -> pd.DataFrame:
    """Return the distance between the posterior and the stationary law of the chaperones."""
    rows = []
    for n in n_items:
        codes = np.array(RECORDS[:n])
        states = partitions(n)
        pair_laws = {
            "uniform": Pairs(n).probabilities(),
            "similarity": SimilarPairs(codes, np.random.default_rng(0)).probabilities(),
        }
        log_likelihood = np.array([_log_likelihood(codes, z, DELTA) for z in states])
        for name, make in priors.items():
            prior = make()
            prior.prepare(n)
            log_prior = np.array([prior.log_prob(np.bincount(z)) for z in states])
            log_joint = dict(zip(states, log_prior + log_likelihood, strict=True))
            posterior = softmax(log_prior + log_likelihood)
            for (pairs, law), order, scans in product(pair_laws.items(), ORDERS, (1, 2)):
                matrix = transition_matrix(log_joint, law, order, scans)
                distance = np.abs(posterior - stationary_law(matrix)).sum() / 2
                n_parts, _ = connected_components(matrix > 0, connection="strong")
                found = {"prior": name, "pairs": pairs, "n_items": n}
                found |= {"n_scans": scans, "order": order, "total_variation": distance}
                # Every partition can be reached, and kept (supplement, section C).
                reached = bool(n_parts == 1 and np.all(np.diag(matrix) > 0))
                rows.append(found | {"irreducible": reached})
    return pd.DataFrame(rows)


def transition_matrix(
    log_joint: Mapping[State, float], pair_law: np.ndarray, order: str, n_scans: int
) -> np.ndarray:
    """Return the law of the partition after a pair of chaperones, from each one in `log_joint`."""
    index = {z: place for place, z in enumerate(log_joint)}
    conditional = cache(partial(_conditional, log_joint))
    total = np.zeros((len(index), len(index)))
    for i, j in permutations(range(len(pair_law)), 2):
        for start in index:
            law = {start: pair_law[i, j]}
            for item in _visits(start, i, j, order) * n_scans:
                after: dict[State, float] = defaultdict(float)
                for z, probability in law.items():
                    for moved, share in conditional(z, item, i, j):
                        after[moved] += probability * share
                law = after
            for z, probability in law.items():
                total[index[start], index[z]] += probability
    return total


def _visits(z: State, i: int, j: int, order: str) -> list[int]:
    """Return the items of the two blocks in the order in which a move from `z` visits them."""
    union = [item for item in range(len(z)) if z[item] in (z[i], z[j])]
    if order == "block by block":
        union.sort(key=lambda item: z[item] != z[i])  # stable: ascending within a block
    return union


def _conditional(log_joint, z, item, i, j):
    """Return the law after `item` is reseated, when the union has to stay with the chaperones."""
    union = [n for n in range(len(z)) if z[n] in (z[i], z[j])]
    allowed = []
    for label in (z[i], z[j], len(z)):  # the last is a block of its own
        moved = (*z[:item], label, *z[item + 1 :])
        if all(moved[n] in (moved[i], moved[j]) for n in union):
            allowed.append(first_appearance(moved))
    allowed = list(dict.fromkeys(allowed))
    weights = softmax(np.array([log_joint[moved] for moved in allowed]))
    return list(zip(allowed, weights, strict=True))


def stationary_law(matrix: np.ndarray) -> np.ndarray:
    """Return the law that an irreducible transition matrix leaves invariant, shape (n_states,)."""
    n = len(matrix)
    system = np.vstack([matrix.T - np.eye(n), np.ones(n)])
    return np.linalg.lstsq(system, np.append(np.zeros(n), 1.0), rcond=None)[0]


def _log_likelihood(codes: np.ndarray, z: State, delta: float) -> float:
    """Return the log marginal likelihood of records with empirical marginals (section 3.4)."""
    value = 0.0
    for column in codes.T:
        gamma = np.bincount(column) / column.size
        gamma = gamma[gamma > 0]
        levels = np.unique(column)
        for k in set(z):
            counts = (column[np.array(z) == k, None] == levels).sum(axis=0)
            value += gammaln(delta) - gammaln(delta + counts.sum())
            value += (gammaln(delta * gamma + counts) - gammaln(delta * gamma)).sum()
    return float(value)


# ---- Draws from the priors themselves, without data ------------------------------------------

#: NBNB as in Figure 1, and the two processes. Under NBD so many items are too improbable at its a =
#: 1 and q = 0.5, which are solved for half as many blocks as items instead.
FIGURE_PRIORS: Mapping[str, Callable[[], PartitionPrior]] = {
    "NBNB": lambda: NBNB(1.0, 0.5, 1.0, 0.5, r_hyperprior=None, p_hyperprior=None),
    "NBD": lambda: NBD(alpha=1.0, base=0.5),
    "DP": lambda: DirichletProcess(1.0),
    "PYP": lambda: PitmanYor(1.0, 0.5),
}

#: NBD at the values of Figure 1, which the paper drew by MCMC; and sweeps of such a chain here.
PRINTED_NBD, PRINTED_SWEEPS = "NBD, MCMC", 20

#: Smallest number of items of Figure 1, and of the means of theorem 1.
FIRST_POINT, FIRST_MEAN = 106, 30


def draw_growth(growth: Mapping[str, int], seed: int) -> pd.DataFrame:
    """Draw the largest block and the number of blocks from each prior, for growing item counts."""
    largest, n_draws = growth["largest"], growth["n_draws"]
    points = np.unique(np.geomspace(FIRST_POINT, largest, growth["n_points"]).round().astype(int))
    # There are several draws every half decade, and one at each of the other points.
    n_means = max(2, round(2 * np.log10(largest / FIRST_MEAN)) + 1)
    means = np.unique(np.geomspace(FIRST_MEAN, largest, n_means).round().astype(int))
    wanted = {int(n): 1 for n in points} | {int(n): n_draws for n in means}
    work = [(system, n, times) for system in FIGURE_PRIORS for n, times in sorted(wanted.items())]
    work += [(PRINTED_NBD, int(n), 1) for n in points]
    rows = []
    for system, n_items, times in work:
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "prior", system, n_items))
        for draw in range(times):
            if system == PRINTED_NBD:
                sizes = _sizes_by_gibbs(NBD(1.0, 0.5, alpha=1.0, base=0.5), n_items, rng)
            else:
                sizes = FIGURE_PRIORS[system]().sample_sizes(n_items, rng)
            rows.append((system, n_items, draw, int(sizes.max()), int(sizes.size)))
    return pd.DataFrame(rows, columns=list(DRAW_COLUMNS))


def _sizes_by_gibbs(prior: PartitionPrior, n_items: int, rng: np.random.Generator) -> np.ndarray:
    """Return the block sizes of items that are alike after Gibbs sweeps from labels 1 to N."""
    alike = CategoricalRecords(np.zeros((n_items, 1), dtype=int), DELTA)
    model = MixtureModel(prior, alike)
    model.start(rng.integers(n_items, size=n_items))
    for _ in range(PRINTED_SWEEPS):
        model.move(rng)
    return model.block_sizes
