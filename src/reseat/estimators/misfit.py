"""Reasons not to rely on a result that it shows itself, in sentences."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import linalg
from scipy.spatial.distance import cdist, pdist

from reseat.dissimilarities import (
    centred_similarities,
    looks_unsquared,
    negative_mass,
    squared_distances,
)
from reseat.models.fields.matches import agreement_by_chance, clearly_different, pairs_within

# The limits were chosen on generated data that suit the models, and on others that do not.

#: Share of what tells entities apart in which two records of one entity may differ, and largest
#: share of the pairs of records put together that may differ in more.
MOST, MANY_PAIRS = 0.5, 0.1
#: Largest share of clusters in which fields change together.
OFTEN_CHANGING = 0.3
#: Smallest number of pairs among which those that differ in several fields are counted.
FEW_PAIRS = 10
#: Share of pairs from which the clusters are taken for the values of a column.
SAME = 0.95
#: Affinity of two distributions above which they are taken for the same.
ALIKE = 0.99
#: How many times as much as single links counts may vary within pairs of clusters, and least number
#: of pairs of rows and columns of which most may be a pair of clusters of their own.
PACKETS, MANY_CELLS = 1.5, 100
#: Least number of values of a column, and how far one is that is none, in ranges of the others.
FEW_VALUES, FAR = 10, 3.0
#: Number of items that are looked at; neighbour that is compared with the nearest, nearly a copy if
#: so much nearer; and share of the items that may have one.
MANY_ITEMS, ANOTHER, MUCH_NEARER, MANY_NEAR = 500, 10, 0.003, 0.3
#: Share of distances that may be 0, correlation of entries and of the distances between rows below
#: which a matrix is taken for similarities, and share of the spectrum that may be negative.
MANY_ZEROS, UNLIKE, NEGATIVE = 0.5, -0.2, 0.2
#: Least number of steps of the last digit in the largest distance of rounded ones, and number of
#: steps up to which they agree with those of points.
MANY_STEPS, FEW_STEPS = 1000, 5
#: Ratio of mean squared distances within clusters, of at least so many members, that spread alike.
UNEQUAL, MANY_MEMBERS = 5.0, 10
#: Fewest and most documents of a cluster that are compared; share of their words that half of the
#: pairs of near copies have in common, and share of the pairs of drawn documents that have less.
FEW_DOCUMENTS, MANY_DOCUMENTS, NEARLY_COPIES, BY_CHANCE = 3, 50, 0.7, 0.95
UNSQUARED = (
    "The matrix is treated as squared distances, but looks like plain distances: their squares "
    "are those of points in few dimensions. If it contains plain distances, as returned by "
    "scipy's pdist, set {square:True}."
)


def misfits_of_records(
    codes: np.ndarray,
    near: Sequence,
    names: Sequence[str],
    labels: np.ndarray,
    changing: Mapping[Sequence[str], float],
    units: np.ndarray | None = None,
) -> list[str]:
    """Return reasons not to rely on clusters; `changing` has how often fields change together."""
    pairs = np.stack(pairs_within(labels))
    if units is not None:
        pairs = pairs[:, units[pairs[0]] != units[pairs[1]]]
    one, other = codes[pairs[0]], codes[pairs[1]]
    known = (one >= 0) & (other >= 0)
    differ = clearly_different(one, other, near)
    weights = -np.log([max(agreement_by_chance(column), 1 / len(codes)) for column in codes.T])
    share = np.mean(differ @ weights > MOST * (known @ weights)) if len(known) else 0.0
    found = []
    if share > MANY_PAIRS:
        found.append(
            f"In {share:.0%} of the pairs of records that were put together, the two differ in "
            "most of what tells things apart. These clusters may be kinds of records; leave out "
            "columns in which many different things agree."
        )
    if len(names) == 1:
        found.append(
            f"Only the column {names[0]} is compared, so that nothing else tells whether two "
            "records with nearly the same value, or with the same, are of one thing."
        )
    apart = np.mean(differ, axis=0) if len(differ) else np.zeros(len(names))
    for field, name in enumerate(names):
        # What identifies things may well be the same in all records of each.
        if np.delete(apart, field).max(initial=0.0) <= MANY_PAIRS:
            continue
        same = labels[np.stack(pairs_within(codes[:, field]))]
        shared = same.shape[1] > len(codes) / 2 and np.mean(same[0] == same[1]) > SAME
        if shared and apart[field] < 1 - SAME:
            found.append(
                f"The clusters are the values of the column {name}. If many things share a value, "
                "leave this column out, or the others that repeat it."
            )
    together = {name for group in changing for name in group}
    # In a category, which has no near values, every mistake is as different as another value.
    telling = (weights > np.log(len(codes)) / 2) & [values is not None for values in near]
    telling &= [name not in together for name in names]
    twice = differ[:, telling].sum(axis=1) >= 2
    if len(twice) >= FEW_PAIRS and twice.mean() > MANY_PAIRS:
        often = telling & (differ[twice].mean(axis=0) > MANY_PAIRS)
        found.append(
            f"In {twice.mean():.0%} of the pairs of records that were put together, the two "
            f"clearly differ in several columns ({', '.join(np.asarray(names)[often])}). They may "
            "be different things that agree in the rest, such as people of one household."
        )
    for group, share in changing.items():
        if share > OFTEN_CHANGING:
            found.append(
                f"{' and '.join(group)} change together in {share:.0%} of the clusters. They may "
                "be what tells two things apart that agree in the rest, such as two people of one "
                "household."
            )
    return found


def misfits_of_documents(counts, labels: np.ndarray, rng: np.random.Generator) -> list[str]:
    """Return a reason not to rely on clusters of documents many of which consist of near copies."""
    # These have more words in common than documents that are drawn from the words of their cluster.
    n_copies = 0
    for cluster in np.flatnonzero(np.bincount(labels) >= FEW_DOCUMENTS):
        members = np.flatnonzero(labels == cluster)
        some = counts[rng.permutation(members)[:MANY_DOCUMENTS]].toarray()
        some = some[:, some.any(axis=0)]
        if not some.size:
            continue
        drawn = rng.multinomial(some.sum(axis=1), some.sum(axis=0) / max(1, some.sum()))
        by_chance = np.quantile(_in_common(drawn), BY_CHANCE)
        if np.median(_in_common(some)) > max(NEARLY_COPIES, by_chance):
            n_copies += members.size
    if n_copies <= MANY_PAIRS * labels.size:
        return []
    return [
        f"{n_copies:,} of {labels.size:,} documents are in clusters whose documents have nearly "
        "all words in common, more than chance explains. They may be copies with small changes; "
        "leave all but one of each out."
    ]


def _in_common(counts: np.ndarray) -> np.ndarray:
    """Return the share of their words that two documents have in common, for each pair."""
    present = (counts > 0).astype(float)
    sizes = present.sum(axis=1)
    shared = present @ present.T / np.maximum.outer(sizes, sizes).clip(1)
    return shared[np.triu_indices(len(sizes), k=1)]


def misfits_of_points(points: np.ndarray, names: Sequence[str]) -> list[str]:
    """Return reasons not to rely on clusters of points some of whose numbers may mean none."""
    found = []
    for name, column in zip(names, points.T, strict=True):
        known = column[~np.isnan(column)]
        for value in (known.min(), known.max()):
            others = known[known != value]
            if not FEW_VALUES <= others.size < known.size - 1:
                continue
            far = np.abs(others - value).min() > FAR * np.ptp(others)
            if far and np.unique(others).size >= FEW_VALUES:
                found.append(
                    f"{known.size - others.size:,} values of the column {name} are {value:g}, far "
                    "from all others. If it means a missing value, leave these cells empty."
                )
    return found


def misfits_of_neighbours(coordinates: np.ndarray, rng: np.random.Generator) -> list[str]:
    """Return a reason not to rely on clusters of items many of which are nearly the same."""
    some = rng.permutation(len(coordinates))[:MANY_ITEMS]
    places, found = [0, min(ANOTHER, len(coordinates) // 3)], []
    for item in some:  # one by one, because all distances to many items take much memory
        squares = cdist(coordinates[[item]], coordinates, "sqeuclidean")[0]
        squares[squares == 0] = np.inf  # rounded to the same values
        found.append(np.partition(squares, places)[places])
    near, other = np.transpose(found)
    share = np.mean(near < MUCH_NEARER**2 * other)
    if share <= MANY_NEAR:
        return []
    return [
        f"{share:.0%} of the items have another one that is nearly the same. Copies with small "
        "changes make narrow clusters of their own; leave all but one of each out."
    ]


def misfits_of_distances(squares: np.ndarray) -> list[str]:
    """Return reasons not to rely on clusters of dissimilarities, which may lack their squares."""
    found = []
    pairs = np.triu_indices(len(squares), k=1)
    values = squares[pairs]
    zeros = np.mean(values == 0)
    if zeros > MANY_ZEROS:
        found.append(
            f"{zeros:.0%} of the pairs have a distance of 0. If their distances are not known, as "
            "in a graph of nearest neighbours, give those of all pairs."
        )
    if looks_unsquared(squares) or _as_far_as_the_digits_go(squares):
        return [*found, UNSQUARED]
    # Two objects that are close to each other are equally far from the others.
    apart = squared_distances(squares)[pairs] - 2 * values**2 / len(squares)
    if np.std(values) > 0 and np.corrcoef(values, apart)[0, 1] < UNLIKE:
        found.append(
            "Objects with a small entry differ most in their other entries. The matrix may contain "
            "similarities; convert them to distances, such as 1 - similarity."
        )
    elif (share := negative_mass(squares)) > NEGATIVE:
        found.append(
            f"{share:.0%} of the spectrum of the matrix is negative, while points would have none: "
            "no points have these distances, not even nearly."
        )
    return found


def _as_far_as_the_digits_go(values: np.ndarray) -> bool:
    """Return whether rounded numbers are the plain distances of points in few dimensions."""
    n_items, largest = len(values), values.max()
    tenths = 10.0 ** -np.arange(7)
    steps = (step for step in tenths if np.ptp(np.mod(values / step + 0.5, 1)) < 1e-3)
    if not 0 < MANY_STEPS * (step := next(steps, 0)) < largest:
        return False
    # The largest eigenvalue of rounding errors: those of the squares grow with the distances.
    noise = 3 * step * np.sqrt(n_items / 3)
    spectrum, vectors = linalg.eigh(centred_similarities(values**2))
    few = spectrum > noise * np.sqrt(np.mean(values**2))
    plain = linalg.eigvalsh(centred_similarities(values)) > noise / 2
    if 2 * few.sum() >= min(n_items - 1, plain.sum()):
        return False
    placed = pdist(vectors[:, few] * np.sqrt(spectrum[few]))
    apart = np.abs(placed - values[np.triu_indices(n_items, k=1)])
    return bool(np.quantile(apart, 0.99) < FEW_STEPS * step)


def misfits_of_spread(squares: np.ndarray, labels: np.ndarray) -> list[str]:
    """Return a reason not to rely on clusters that a model with one spread for all has found."""
    spreads = []
    for cluster in np.flatnonzero(np.bincount(labels) >= MANY_MEMBERS):
        members = np.flatnonzero(labels == cluster)
        within = squares[np.ix_(members, members)]
        spreads.append(within.sum() / (members.size * (members.size - 1)))
    if len(spreads) < 2 or max(spreads) <= UNEQUAL * min(spreads):
        return []
    return [
        f"The squared distances within one cluster are {max(spreads) / min(spreads):.0f} times "
        "those within another, but the model takes all clusters to spread equally, so that it "
        "splits the wide ones; use the model for clusters of any shape."
    ]


def misfits_of_relations(counts, labels, column_labels, side: str = "rows") -> list[str]:
    """Return a reason not to rely on clusters of a table that differ only in their totals."""
    sums = np.zeros((labels.max() + 1, column_labels.max() + 1))
    entries = counts.tocoo()
    np.add.at(sums, (labels[entries.row], column_labels[entries.col]), entries.data)
    sizes = np.bincount(labels)
    profiles = np.sqrt(sums / np.maximum(sums.sum(axis=1, keepdims=True), 1))
    alike = np.triu(profiles @ profiles.T > ALIKE, k=1)
    # A cluster of one row says nothing on the others.
    alike &= (sizes[:, None] > 1) & (sizes > 1)
    if not alike.any():
        return []
    first, second = np.argwhere(alike)[0] + 1
    return [
        f"Some clusters of {side} have links to the same clusters and differ only in how many, "
        f"such as {first} and {second}. The model gives all {side} of a cluster equally many "
        "links, so that it splits a cluster into busy and quiet ones."
    ]


def misfits_of_counts(counts, labels, column_labels, own_rates: Sequence[bool] = ()) -> list[str]:
    """Return a reason not to rely on clusters of counts, such as links that come in packets."""
    entries = counts.tocoo()
    links, places = entries.data.astype(float), (entries.row, entries.col)
    sides = labels, column_labels
    members = [np.bincount(side) for side in sides]
    cells, sums = np.outer(*members), np.zeros([len(sizes) for sizes in members])
    blocks = tuple(side[place] for side, place in zip(sides, places, strict=True))
    np.add.at(sums, blocks, links)
    filled = sums > 0
    expected, free = (sums / cells)[blocks], (cells - 1)[filled].sum()
    for side, place, sizes, own in zip(sides, places, members, own_rates, strict=False):
        if own:
            totals = np.bincount(place, links, side.size)
            expected *= (totals * (sizes / np.bincount(side, totals).clip(1))[side])[place]
            free -= side.size - sizes.size
    remedy = (
        "links may come in packets, as units of an order or seconds of a song do, or be no counts, "
        "as ratings are; if it matters only which pairs occur, set {binary:True}."
    )
    if links.max() == 1:
        return []
    if MANY_CELLS < cells[filled].sum() < 2 * filled.sum():
        return [
            f"Most pairs of clusters that have links are pairs of one row and one column: {remedy}"
        ]
    spread = (np.sum(links**2 / expected) - links.sum()) / max(free, 1)
    if spread <= PACKETS + 3 * np.sqrt(2 / max(free, 1)):
        return []
    return [
        f"The counts within pairs of clusters vary {spread:.1f} times as much as those of single "
        f"links would: {remedy}"
    ]
