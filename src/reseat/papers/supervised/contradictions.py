"""Printed rows that contradict themselves, recomputed from the published numbers alone.

The trivial clusterings determine a test set: the P of Coarse is the share pi of coreferent pairs,
and the VI of Coarse and that of Fine add up to ln N. Hence

    F   = 2PR / (P + R)                        (the text's formula lacks the 2)
    RI  = 1 - pi - pi R / P + 2 pi R
    NVI = 1 - VI / ln N
    NES <= 1 - CED                             (moves only: CED = 1 - purity)
    CED <= 1 - K'/N                            (at least K' clusters, each keeping an item)
    NES(Coarse) = 1 - CED(Coarse), NES(Fine) = K / N, CED(Fine) = 0

A printed number may be rounded or truncated, so that each input is an interval. A row fails if all
numbers in that interval give results further than :data:`TOLERANCE` from the printed one.
"""

from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

from reseat.papers.supervised.results import TABLES
from reseat.papers.tables import tidy, tidy_row
from reseat.vocabulary import FAITHFUL

#: How much smaller a true number than a rounded one, and larger than a truncated one, may be.
BELOW, ABOVE = 0.0005, 0.001
#: Largest difference that a recomputed number may have.
TOLERANCE = 0.001

#: Columns beside the shared ones: ends and agreement of the recomputed number, and its rule.
EXTRA = ("low", "high", "agrees", "excess", "rule")


@dataclass(frozen=True)
class Check:
    """A printed number, and the value that other printed numbers imply for it."""

    role: str
    system: str
    metric: str
    #: `printed` is NaN if nothing is compared. `value` is computed from the inputs as printed, and
    #: `low` and `high` are its extremes over the numbers that the inputs may stand for.
    printed: float
    value: float
    low: float
    high: float
    rule: str
    #: Whether the recomputed number is only an upper bound.
    bound: bool = False

    @property
    def excess(self):
        """Distance of the printed number from the possible values; NaN if nothing is compared."""
        return float(max(self.low - self.printed, self.printed - self.high, 0.0))

    @property
    def agrees(self):
        """Whether the excess is at most the tolerance; NaN if nothing is compared."""
        return np.nan if np.isnan(self.excess) else self.excess <= TOLERANCE + 1e-9


def contradictions(published):
    """Return every check of Tables 1 to 4."""
    checks = []
    for role in TABLES:
        for system in published.systems(role):
            checks += _row(published, role, system)
        checks += _copied(published, role)
    return checks


def failing(published):
    """Return the checks that printed numbers fail."""
    return [check for check in contradictions(published) if not check.agrees]


def contradicted(published):
    """Return the (role, system) of each row that fails a check."""
    return {(check.role, check.system) for check in failing(published)}


@tidy(*EXTRA)
def contradictions_table(artefact, published):
    """Return the checks as a table, of which bounds are shown only if they are broken."""
    for check in contradictions(published):
        if check.bound and check.agrees:
            continue
        identity = {"artefact": artefact, "role": check.role, "status": FAITHFUL}
        identity["dataset"] = f"Table {TABLES[check.role]} as printed"
        found = (check.value, np.nan, 1)
        row = tidy_row(identity, check.system, "recomputed", check.metric, found, check.printed)
        row |= {"agrees": check.agrees, "excess": check.excess}
        yield row | {"low": check.low, "high": check.high, "rule": check.rule}


def _row(published, role, system):
    check = partial(Check, role, system)

    def value(metric, of=system):
        return published.tables[role, of, metric]

    precision, recall, share = value("P"), value("R"), value("P", "Coarse")
    information, normalised = value("VI"), value("NVI")
    ends = (value("VI", "Coarse"), value("VI", "Fine"))
    yield check("F", value("F"), *_over(_f, precision, recall), "2PR/(P + R)")
    rand = _over(_rand, precision, recall, share)
    yield check("RI", value("RI"), *rand, "from P, R and P of Coarse")
    yield check("NVI", normalised, *_over(_normalised, information, *ends), "1 - VI/ln N")
    yield from _edits(published, role, system, check)
    # What the row implies about its test set, next to what Coarse and Fine imply.
    if system == "Coarse":
        yield check("pair share", np.nan, *_over(float, share), "P of Coarse")
        yield check("N", np.nan, *_over(_exp_sum, *ends), "exp of VI of Coarse and Fine")
    elif system != "Fine":
        found = _over(_share, value("RI"), precision, recall)
        yield check("pair share", np.nan, *found, "from RI, P and R")
        yield check("N", np.nan, *_over(_size, information, normalised), "exp[VI/(1 - NVI)]")


def _edits(published, role, system, check):
    distance, score = (published.tables[role, system, name] for name in ("CED", "NES"))
    n_items, n_entities = items(published, role), published.n_entities(role)
    if system == "Coarse":
        largest = _over(lambda ced: 1 - ced, distance)
        yield check("NES", score, *largest, "1 - CED: largest class over N")
        text = 1 - (distance + (n_entities - 1) / n_items) / 2
        if np.isfinite(text):
            rule = "as the text defines it, merges counted and over 2N"
            yield check("NES (text)", np.nan, *(text,) * 3, rule)
    elif system == "Fine":
        yield check("CED", distance, *(0.0,) * 3, "0: moves only, merges free")
        share = n_entities / round(n_items)
        if np.isfinite(share):
            yield check("NES", score, *(share,) * 3, "K/N")
    else:
        fewest = fewest_clusters(published, role, system)
        most = 1 - fewest / n_items
        rule = f"at most 1 - K'/N, K' = {fewest:.0f}"
        yield check("CED", distance, most, 0.0, most, rule, bound=True)
        most = 1 - distance
        yield check("NES", score, most, -1.0, most, "at most 1 - CED", bound=True)


def items(published, role):
    """Return the number of test items, from the VI of Coarse and Fine."""
    return _exp_sum(*(published.tables[role, of, "VI"] for of in ("Coarse", "Fine")))


def fewest_clusters(published, role, system):
    """Return the fewest clusters, of equal sizes, with the linked pairs that P and R imply."""
    n_items = items(published, role)
    precision, recall = (published.tables[role, system, name] for name in ("P", "R"))
    share = published.tables[role, "Coarse", "P"]
    linked = share * recall / precision * n_items * (n_items - 1) / 2
    return n_items**2 / (2 * linked + n_items)


def _copied(published, role):
    """Yield a check for each VI that an earlier table also has for the same system."""
    for other in list(TABLES)[: TABLES[role] - 1]:
        for system in published.systems(role):
            here = published.tables[role, system, "VI"]
            if published.tables.get((other, system, "VI")) == here:
                rule = f"the same digits as in Table {TABLES[other]}: copied?"
                yield Check(role, system, "VI", np.nan, *(here,) * 3, rule)


def _over(formula, *inputs):
    """Return a formula at the printed inputs, and its extremes over what these may stand for."""
    middle = formula(*inputs)
    # Printed numbers of 0 and 1 are exact by definition.
    ranges = [(x, x) if x in (0.0, 1.0) else (x - BELOW, x + ABOVE) for x in inputs]
    values = [middle, *(formula(*corner) for corner in product(*ranges))]
    return middle, min(values), max(values)


def _f(precision, recall):
    return 2 * precision * recall / (precision + recall) if recall > 0 else 0.0


def _rand(precision, recall, share):
    return 1 - share - share * recall / precision + 2 * share * recall


def _share(rand, precision, recall):
    return (1 - rand) / (1 + recall / precision - 2 * recall)


def _normalised(information, *ends):
    return 1 - information / sum(ends)


def _exp_sum(*ends):
    return float(np.exp(sum(ends)))


def _size(information, normalised):
    return float(np.exp(information / (1 - normalised)))
