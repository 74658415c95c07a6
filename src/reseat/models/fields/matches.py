"""Pairs of records that are likely to match, and what the values of their fields tell."""

from collections.abc import Callable, Sequence
from itertools import chain, combinations

import numpy as np
from scipy import sparse
from scipy.special import bdtrc, expit, pdtrc

from reseat.equal_pairs import distinct, equal_pairs

# ---- Pairs of records that agree in so many fields that they are unlikely to be strangers ----

#: Number of strangers, which are records of other entities, that a record may agree with, on
#: average, in the fields of a group.
STRANGERS = 0.1
#: Largest number of groups of fields, those with the fewest fields first, and of fields in each.
MAX_GROUPS, MAX_FIELDS = 60, 4
#: Largest number of fields that are combined, those in which strangers agree least often.
MAX_COMBINED = 40
#: If more records than this agree in a group of fields, they are left out.
CROWD = 10


def agreement_by_chance(codes: np.ndarray) -> float:
    """Return the probability that two records with a value in a field agree in it by chance."""
    known = codes[codes >= 0]
    return float(np.sum((np.bincount(known) / max(1, known.size)) ** 2))


def coded(column: Sequence) -> np.ndarray:
    """Number the values in the order in which they first appear; -1 where one is missing."""
    from pandas import factorize  # slow to import, and most chains have no need of it

    return factorize(np.array(column, dtype=object))[0]


def matches(codes: np.ndarray) -> np.ndarray:
    """Return pairs of records, the lower first, agreeing in fields where strangers hardly do."""
    n_items = len(codes)
    found = [np.empty(0, dtype=np.int64)]
    for group in telling_groups(codes):
        one, other = equal_pairs(_joint(codes[:, group]), CROWD)
        found.append(one * n_items + other)
    return np.stack(np.divmod(distinct(np.concatenate(found)), n_items), axis=1)


def components(pairs: np.ndarray, n_items: int) -> np.ndarray:
    """Return the number of the connected component that each item is in."""
    ones = np.ones(len(pairs), dtype=bool)
    graph = sparse.coo_array((ones, tuple(pairs.T)), shape=(n_items, n_items))
    return sparse.csgraph.connected_components(graph, directed=False)[1]


def among(one: np.ndarray, other: np.ndarray, first, second) -> np.ndarray:
    """Return which pairs of values, in either order, are listed with the lower value first."""
    n_values = 1 + max(one.max(initial=0), other.max(initial=0), np.max(second, initial=0))
    x, y = np.minimum(one, other).astype(np.int64), np.maximum(one, other)
    return np.isin(x * n_values + y, np.asarray(first, dtype=np.int64) * n_values + second)


def clearly_different(one: np.ndarray, other: np.ndarray, near: Sequence) -> np.ndarray:
    """Return in which fields pairs have different values that are not near, (n_pairs, n_fields)."""
    found = (one >= 0) & (other >= 0) & (one != other)
    for field, values in enumerate(near):
        if values is not None:
            found[:, field] &= ~among(one[:, field], other[:, field], *values[:2])
    return found


def telling_groups(codes: np.ndarray) -> list[list[int]]:
    """Return the smallest groups of fields in which strangers hardly ever agree, fewest first."""
    n_items = len(codes)
    chance = [agreement_by_chance(column) for column in codes.T]
    if len(chance) == 1:  # nothing else could tell
        return [[0]]
    combined = sorted(np.argsort(chance, kind="stable")[:MAX_COMBINED].tolist())
    found: list[list[int]] = []
    sizes = range(1, MAX_FIELDS + 1)
    for group in chain.from_iterable(combinations(combined, size) for size in sizes):
        if len(found) == MAX_GROUPS:
            break
        if any(set(smaller) <= set(group) for smaller in found):
            continue
        if n_items * np.prod([chance[field] for field in group]) <= STRANGERS:
            found.append([*group])
    return found


def _joint(codes: np.ndarray) -> np.ndarray:
    """Number the distinct rows of a table; a row with a missing value is never equal to another."""
    found = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        found = np.unique(found * (int(column.max()) + 1) + column, return_inverse=True)[1]
    missing = (codes < 0).any(axis=1)
    found[missing] = -1 - np.flatnonzero(missing)
    return found


def agreeing(columns: Sequence[Sequence]) -> np.ndarray:
    """Return labels that are equal for records agreeing where strangers hardly ever do."""
    codes = [coded(column) for column in columns]
    chosen, strangers = [], float(len(columns[0]))
    for code in sorted(codes, key=lambda code: -int(code.max())):
        if strangers <= STRANGERS:
            break
        chosen.append(code)
        strangers *= agreement_by_chance(code)
    return np.unique(_joint(np.column_stack(chosen)), return_inverse=True)[1]


# ---- Values that stand for each other whatever their letters: nicknames, short forms, old names -

#: Probability of meeting so often by chance, and least meetings, of values that are aliases.
CHANCE, LEAST_TIMES = 1e-3, 2
#: Shape and rate of the gamma prior, with mean 1, of the ratio of actual to expected meetings.
SHAPE = 0.1


def aliases(codes: np.ndarray, near: Sequence, pairs: np.ndarray) -> list[tuple[np.ndarray, ...]]:
    """Return values of each field, not `near`, that meet in `pairs` more often than mistakes.

    The lower comes first; a log gain says how much likelier it is than by its frequency.
    """
    one, other = codes[pairs.T]
    known = (one >= 0) & (other >= 0)
    # A pair that agrees in a group of fields by chance hardly ever agrees in most of the rest.
    most = 2 * (known & (one == other)).sum(axis=1) >= known.sum(axis=1)
    one, other = pairs[most].T
    people = components(pairs[most], len(codes))[one]
    fields = zip(codes.T, near, strict=True)
    return [_meeting(column, one, other, people, letters) for column, letters in fields]


def joined(near, found: tuple[np.ndarray, ...]):
    """Return the near values of a field, and those that stand for each other, as one list."""
    if near is None or not len(near[0]):
        return found if len(found[0]) else near
    return tuple(np.concatenate(parts) for parts in zip(near, found, strict=True))


def _meeting(codes, one, other, people, near) -> tuple[np.ndarray, ...]:
    """Return the values that meet in pairs of records more than by chance, once per entity."""
    n_values = int(codes.max()) + 1
    x, y = np.sort(codes[np.stack([one, other])], axis=0).astype(np.int64)
    differ = (x >= 0) & (x != y)
    meeting, people = x[differ] * n_values + y[differ], people[differ]
    if near is not None:
        far = ~np.isin(meeting, np.asarray(near[0]) * n_values + np.asarray(near[1]))
        meeting, people = meeting[far], people[far]
    each = np.unique(np.stack([meeting, people]), axis=1)[0] if meeting.size else meeting
    values, times = np.unique(each, return_counts=True)
    first, second = np.divmod(values, n_values)
    share = np.bincount(codes[codes >= 0]) / np.count_nonzero(codes >= 0)
    expected = times.sum() * 2 * share[first] * share[second] / (1 - np.sum(share**2))
    often = (times >= LEAST_TIMES) & (pdtrc(times - 1, expected) < CHANCE)
    log_gain = np.log((times[often] + SHAPE) / (expected[often] + SHAPE))
    return first[often], second[often], log_gain


# ---- Fields that change together, as an address and a telephone number do when somebody moves ----

#: Largest number of groups.
MAX_CHANGING = 6
#: Least odds of the pairs that count; least number of them for a group, each counting with its
#: probability; and the same as a share of the number of the most frequent group.
MIN_ODDS, MIN_WEIGHT, MIN_SHARE = 0.3, 1.0, 0.2
#: Largest share of the pairs in which a group changes; more often, it tells things apart.
MAX_SHARE = 0.25


def changing_fields(
    codes: np.ndarray,
    near: Sequence,
    pairs: np.ndarray,
    log_odds: Callable[[list[tuple[int, ...]]], np.ndarray],
    follows: Sequence[tuple[int, int]] = (),
    dependent: Sequence[int] = (),
) -> list[tuple[int, ...]]:
    """Return groups of fields that may change together: they differ in pairs of one entity.

    `log_odds` says of pairs that they are, for given groups. A field that `follows` another changes
    with it; neither it nor the `dependent` fields help to tell whether two records are strangers.
    """
    changed = clearly_different(*codes[pairs.T], near)
    several = changed.sum(axis=1) > 1
    for field, leader in follows:
        changed[:, [field, leader]] |= changed[:, [leader, field]]
    # If what they agree in does not tell who it is, the two may as well be strangers.
    chance = np.array([agreement_by_chance(column) for column in codes.T])
    chance[[*dependent, *(field for field, _ in follows)]] = 1.0
    lacking = (codes[pairs] < 0).any(axis=1)
    by_chance = np.where(changed | lacking, 1.0, chance).prod(axis=1)
    several &= len(codes) * by_chance <= STRANGERS
    # Those that differ clearly, not by a mistyped value, in pairs too alike to be strangers.
    candidates = _frequent(changed[several], np.ones(several.sum()))[0]
    found = log_odds(candidates[:MAX_CHANGING])
    likely = np.flatnonzero(found > np.log(MIN_ODDS))
    probable, differ, lacks = expit(found[likely]), changed[likely], lacking[likely]

    def usual(group: list[int]) -> bool:
        changes = (differ | lacks)[:, group].all(axis=1) & differ[:, group].any(axis=1)
        return probable @ changes > MAX_SHARE * probable.sum()

    # An entity counts once, however many records it has.
    entities = components(pairs[likely], len(codes))[pairs[likely, 0]]
    likely = likely[np.unique(entities, return_index=True)[1]]
    likely = likely[several[likely]]
    groups, weights = _frequent(changed[likely], expit(found[likely]))
    least = max(MIN_WEIGHT, MIN_SHARE * weights.max(initial=0.0))
    frequent = [group for group, weight in zip(groups, weights, strict=True) if weight >= least]
    return [group for group in frequent if not usual([*group])][:MAX_CHANGING]


def _frequent(rows: np.ndarray, weights: np.ndarray) -> tuple[list[tuple[int, ...]], np.ndarray]:
    """Return the distinct rows, as lists of marked fields, and their total weights, descending."""
    different, number = np.unique(rows, axis=0, return_inverse=True)
    total = np.bincount(number.reshape(-1), weights, len(different))
    order = np.argsort(-total, kind="stable")
    return [tuple(np.flatnonzero(different[place]).tolist()) for place in order], total[order]


# ---- Fields that are determined by others, as a city is by its post code ---------------------

#: A field follows another if more than this share of the pairs that would not agree in it by chance
#: do agree.
FOLLOWS = 0.5
#: Least share of strangers among the pairs that agree in the first of two fields.
STRANGE = 0.3
#: The same for fields that may follow others, so that agreement in both is not evidence twice.
PERHAPS_STRANGE = 0.15
#: If more than this share of the pairs that agree in a field also agree in another, agreement in
#: the other one does not show whether they are strangers.
NEARLY_ALL = 0.9
#: Largest probability that two records agree by chance in the fields that tell strangers.
BY_CHANCE = 0.01
#: Most places between the records of a pair when these are sorted by the value of a field.
STEPS = 3


def followed_fields(columns: Sequence[Sequence], strange: float = STRANGE) -> dict[int, list[int]]:
    """Return the fields that others determine, as a post code does a city, with these others."""
    # They agree in pairs that disagree in most of the rest, whose agreement would count twice.
    codes = np.column_stack([coded(column) for column in columns])
    n_items, n_fields = codes.shape
    n_values = codes.max(axis=0) + 1
    chance = np.array([agreement_by_chance(code) for code in codes.T])
    found: dict[int, list[int]] = {}
    for leader in range(n_fields):
        one, other = pairs_within(codes[:, leader])
        known = (codes[one] >= 0) & (codes[other] >= 0)
        agree = known & (codes[one] == codes[other])
        telling = agree.sum(axis=0) <= NEARLY_ALL * known.sum(axis=0)
        # Of two that determine each other, the one with fewer values follows.
        fewer = (n_values < n_values[leader]) | (
            (n_values == n_values[leader]) & (np.arange(n_fields) > leader)
        )
        for field in np.flatnonzero(fewer):
            rest = np.setdiff1d(np.flatnonzero(telling), (leader, field))
            if np.prod(chance[rest]) > BY_CHANCE:
                continue  # records of one entity may differ in all of the rest
            n_known = known[:, rest].sum(axis=1)
            told = (n_known > 0) & known[:, field]
            strangers = told & (2 * agree[:, rest].sum(axis=1) < n_known)
            both, n_pairs = np.count_nonzero(agree[strangers, field]), strangers.sum()
            by_chance = bdtrc(both - 1, n_pairs, chance[field]) > CHANCE
            if by_chance or both < strange * told.sum():
                continue
            if both / n_pairs - chance[field] > FOLLOWS * (1 - chance[field]):
                found.setdefault(int(field), []).append(leader)
    return found


def pairs_within(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return some pairs of items with the same code, a few for each; -1 is equal to nothing."""
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    pairs = [(order[:-step], order[step:]) for step in range(1, STEPS + 1)]
    one, other = (np.concatenate(part) for part in zip(*pairs, strict=True))
    same = codes[one] == codes[other]
    return one[same], other[same]
