"""Records for the benchmarks, and the start of their chains."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from reseat.chains.model import MixtureModel
from reseat.likelihoods import CategoricalRecords, RecordIndex
from reseat.moves import Chaperones, Pairs, SimilarPairs
from reseat.priors import NBD, NBNB, DirichletProcess, PartitionPrior, solve_concentration
from reseat.priors.hyperpriors import GammaHyperprior

__all__ = ["PRIORS", "BenchmarkRecords", "begin", "generate"]

#: Numbers of levels of day, month and year of birth, sex, state and office, as in a survey of the
#: elderly.
LEVELS = (31, 12, 60, 2, 51, 12)
#: Numbers of entities with one, two and three of 5,000 records.
SIZES = np.array([1658, 867, 536])
DELTA = 0.05

PRIORS: dict[str, Callable[[int], PartitionPrior]] = {
    "DP": lambda n: DirichletProcess(solve_concentration(n, n / 2)),
    "NBNB": lambda n: NBNB(),
    "NBD": lambda n: NBD(),
}


@dataclass(frozen=True)
class BenchmarkRecords:
    """Records, their entities, and the index and pairs that chains share."""

    codes: np.ndarray
    index: RecordIndex
    entities: np.ndarray
    pairs: dict[str, Pairs]


def generate(n_records: int, seed: int = 0, kinds=("similar", "uniform")) -> BenchmarkRecords:
    """Draw entities and then their records from the paper's likelihood, by its urn."""
    rng = np.random.default_rng(seed)
    n_entities = np.round(SIZES * n_records / 5_000).astype(int)
    n_entities[0] += n_records - n_entities @ [1, 2, 3]
    sizes = np.repeat([1, 2, 3], n_entities)
    starts = np.cumsum(sizes) - sizes
    order = rng.permutation(n_records).astype(np.int32)
    entities = np.empty(n_records, dtype=np.int32)
    entities[order] = np.repeat(np.arange(sizes.size, dtype=np.int32), sizes)
    codes = np.empty((n_records, len(LEVELS)), dtype=np.int32)
    for field, n_levels in enumerate(LEVELS):
        law = rng.dirichlet(np.full(n_levels, 5.0))
        column = rng.choice(n_levels, n_records, p=law).astype(np.int32)
        for rank in (1, 2):  # copies an earlier record of its entity, or keeps its own level
            place = starts[sizes > rank] + rank
            copies = rng.random(place.size) < rank / (DELTA + rank)
            source = place - rng.integers(1, rank + 1, place.size)
            column[place] = np.where(copies, column[source], column[place])
        codes[order, field] = column
    makers = {
        "similar": lambda: SimilarPairs(codes, np.random.default_rng(seed + 1)),
        "uniform": lambda: Pairs(n_records),
    }
    pairs = {kind: makers[kind]() for kind in kinds}
    return BenchmarkRecords(codes, RecordIndex(codes), entities, pairs)


def begin(records: BenchmarkRecords, prior: str, moves=None) -> MixtureModel:
    """Return a model of the records at the truth, by default with chaperones on similar pairs."""
    moves = (Chaperones(records.pairs["similar"]),) if moves is None else moves
    likelihood = CategoricalRecords(records.index, DELTA, hyperprior=GammaHyperprior(1.0, 1.0))
    model = MixtureModel(PRIORS[prior](records.index.n_items), likelihood, moves)
    model.start(records.entities)
    return model
