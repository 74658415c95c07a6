"""Every system that is not sampled, scored on the items and on further draws of them."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reseat.baselines import (
    BinaryClusterer,
    XingMetric,
    best_f_labels,
    kmeans_labels,
    oracle_n_clusters,
)
from reseat.chains import chain_seed
from reseat.datasets import EmbeddedMentions, Mentions, embed_mentions
from reseat.datasets.pair_features import mention_features
from reseat.errors import DataError
from reseat.papers.supervised.measures import identity_of, measured
from reseat.papers.supervised.plan import PAPER_KEY

#: Variant of K-Means whose number of clusters is chosen by F on the test items.
BEST_F = "oracle best F"

#: Xing-K at convergence: every C > 0 gives the same partition, and C = 0 gives that of K-Means.
XING_VARIANTS = {"C>0": 1.0, "C=0": 0.0}


def score_baselines(
    references: EmbeddedMentions,
    mentions: Mentions,
    *,
    role: str,
    settings: Mapping[str, Any],
    seed: int,
    n_seeds: int = 1,
    threads: int = 1,
) -> list[dict]:
    """Cluster the test items of a data set by every baseline, and score them.

    `settings` may have keywords of ``k_means`` and of ``binary``, or None to leave the latter out.
    """
    where = f"data set {references.identity.name!r}"
    if not references.n_test:
        raise DataError(f"{where}: no item is marked test, so there is nothing to cluster.")
    if references.item_ids != mentions.item_ids:
        raise DataError(
            f"{where}: the references and the mentions do not have the same items; make both again."
        )
    truth = references.entities[references.test]
    rows: list[dict] = []
    try:
        begin = time.process_time()
        runs = _systems(references, mentions, settings, seed, n_seeds, threads)
        for system, variant, repetition, labels in runs:
            seconds = time.process_time() - begin
            row = identity_of(references, references.identity.name, role)
            row |= {"system": system, "variant": variant, "chosen": variant == ""}
            row["repetition"] = repetition
            cost = {"n_clusters": np.unique(labels).size, "seconds": seconds}
            rows += [row | score | cost for score in measured(truth, labels)]
            begin = time.process_time()
    except DataError as error:
        raise DataError(f"{where}: {error}") from error
    # The variant with the larger F or, in a tie, the first one, whose weights are learned.
    of_xing = [row for row in rows if row["system"] == "Xing-K"]
    sums = dict.fromkeys(XING_VARIANTS, 0.0)
    for row in of_xing:
        sums[row["variant"]] += row["value"] if row["metric"] == "F" else 0.0
    for row in of_xing:
        row["chosen"] = row["variant"] == max(sums, key=sums.get)
    return rows


def distances_of(mentions: Mentions) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """Return a function that gives the distances of pairs of mentions, one column per feature."""
    features = list(mention_features(mentions).values())

    def distances(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        return np.column_stack([feature.pairs(first, second, 1) for feature in features])

    return distances


def _systems(references, mentions, settings, seed, n_seeds, threads) -> Iterator[tuple]:
    """Yield system, variant, repetition and labels of the test items for each run."""
    test = references.test
    points, groups = references.coordinates[test], references.groups[test]
    entities = references.entities[test]
    train = np.flatnonzero(~test)
    of_train = references.entities[train], references.groups[train]
    n_clusters = oracle_n_clusters(entities, groups)
    options, of_pairs = settings.get("k_means", {}), settings.get("binary", {})
    repetition = 0

    def stream(name: str) -> np.random.SeedSequence:
        further = (repetition,) if repetition else ()
        return chain_seed(seed, PAPER_KEY, references.identity.name, name, *further)

    def k_means(points: np.ndarray) -> np.ndarray:
        return kmeans_labels(points, n_clusters, groups=groups, seed=stream("K-Means"), **options)

    # The single cluster of the paper spans documents, although no system's clusters may.
    yield "Coarse", "", repetition, np.zeros(entities.size, dtype=int)
    yield "Fine", "", repetition, np.arange(entities.size)
    for name, labels in mentions.rules().items():
        yield name, "", repetition, labels[test]
    for repetition in range(n_seeds):
        yield "K-Means", "", repetition, k_means(points)
        if repetition == 0:
            given = {"groups": groups, "seed": stream("K-Means"), **options}
            yield "K-Means", BEST_F, repetition, best_f_labels(points, entities, **given)
        for variant, constant in XING_VARIANTS.items():
            given = {"feature_of": references.feature_of, "random_state": stream("Xing-K")}
            metric = XingMetric(constant, **given)
            metric.fit(references.coordinates[train], *of_train)
            yield "Xing-K", variant, repetition, k_means(metric.transform(points))
        if of_pairs is None:
            continue
        given = {"threads": threads, "random_state": stream("Binary"), **of_pairs}
        binary = BinaryClusterer(distances_of(mentions), **given)
        binary.fit(train, *of_train)
        yield "Binary", "", repetition, binary.predict(np.flatnonzero(test), groups)


def score_draws(
    load: Callable[[int], Mentions],
    dataset: str,
    *,
    role: str,
    embedding: Mapping[str, Any],
    settings: Mapping[str, Any],
    seed: int,
    n_draws: int,
    threads: int = 1,
    sample: Callable[..., Iterator[dict[str, Any]]] = lambda *_: iter(()),
) -> pd.DataFrame:
    """Score every baseline once on each draw of the items; draw 0 is of the run's own seed.

    `sample` takes the items, the seed and a stream, and yields the scores of further systems.
    """
    rows = []
    for draw in range(n_draws):
        stream = chain_seed(seed, PAPER_KEY, dataset, "draw", str(draw))
        mentions = load(int(stream.generate_state(1)[0]) if draw else seed)
        references = embed_mentions(mentions, **embedding)
        scores = score_baselines(
            references, mentions, role=role, settings=settings, seed=seed, threads=threads
        )
        about = identity_of(references, dataset, role) | {"variant": "", "chosen": True}
        scores += [about | row for row in sample(references, seed, (dataset, "draw", str(draw)))]
        rows += [row | {"dataset": dataset, "draw": draw} for row in scores]
    return pd.DataFrame(rows)
