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
    #: Whether the printed number must agree with the recomputed one.
    compared: bool = True
    #: Whether the recomputed number is only an upper bound.
    bound: bool = False

    @property
    def excess(self):
        """Distance of the printed number from the range of possible values; 0 within the range."""
        return float(max(self.low - self.printed, self.printed - self.high, 0.0))

    @property
    def agrees(self):
        """Whether the excess is at most the tolerance."""
        return self.excess <= TOLERANCE + 1e-9


def contradictions(published):
    """Return every check of Tables 1 to 4."""
    checks = []
    for role in TABLES:
        for system in published.systems(role):
            checks += _row(published, role, system)
        checks += _copied(published, role)
    return checks


def contradicted(published):
    """Return the (role, system) of each row that fails a check."""
    return {(c.role, c.system) for c in contradictions(published) if c.compared and not c.agrees}


@tidy(*EXTRA)
def contradictions_table(artefact, published):
    """Return the checks as a table, with the recomputed number next to the printed one.

    Bounds are shown only if broken; what a row implies about its test set is not compared.
    """
    for check in contradictions(published):
        if check.bound and check.agrees:
            continue
        identity = {"artefact": artefact, "role": check.role, "status": FAITHFUL}
        identity["dataset"] = f"Table {TABLES[check.role]} as printed"
        found = (check.value, np.nan, 1)
        row = tidy_row(identity, check.system, "recomputed", check.metric, found, check.printed)
        judged = {"agrees": check.agrees, "excess": check.excess}
        if not check.compared:
            judged = {"agrees": np.nan, "excess": np.nan}
        yield row | judged | {"low": check.low, "high": check.high, "rule": check.rule}


def _row(published, role, system):
    def value(metric, of=system):
        return published.tables[role, of, metric]

    precision, recall, share = value("P"), value("R"), value("P", "Coarse")
    ends = (value("VI", "Coarse"), value("VI", "Fine"))
    for metric, rule, formula, *inputs in (
        ("F", "2PR/(P + R)", _f, precision, recall),
        ("RI", "from P, R and P of Coarse", _rand, precision, recall, share),
        ("NVI", "1 - VI/ln N", _normalised, value("VI"), *ends),
    ):
        yield Check(role, system, metric, value(metric), *_over(formula, *inputs), rule)
    yield from _edits(published, role, system)
    # What the row implies about its test set, next to what Coarse and Fine imply.
    implied = []
    if system == "Coarse":
        implied += [("pair share", "P of Coarse", float, share)]
        implied += [("N", "exp of VI of Coarse and Fine", _exp_sum, *ends)]
    elif system != "Fine":
        implied += [("pair share", "from RI, P and R", _share, value("RI"), precision, recall)]
        implied += [("N", "exp[VI/(1 - NVI)]", _size, value("VI"), value("NVI"))]
    for metric, rule, formula, *inputs in implied:
        found = _over(formula, *inputs)
        yield Check(role, system, metric, np.nan, *found, rule, compared=False)


def _edits(published, role, system):
    distance, score = (published.tables[role, system, name] for name in ("CED", "NES"))
    n_items, n_entities = items(published, role), published.n_entities(role)
    if system == "Coarse":
        largest = _over(lambda ced: 1 - ced, distance)
        yield Check(role, system, "NES", score, *largest, "1 - CED: largest class over N")
        text = 1 - (distance + (n_entities - 1) / n_items) / 2
        if np.isfinite(text):
            rule = "as the text defines it, merges counted and over 2N"
            yield Check(role, system, "NES (text)", np.nan, *(text,) * 3, rule, compared=False)
    elif system == "Fine":
        yield Check(role, system, "CED", distance, *(0.0,) * 3, "0: moves only, merges free")
        share = n_entities / round(n_items)
        if np.isfinite(share):
            yield Check(role, system, "NES", score, *(share,) * 3, "K/N")
    else:
        fewest = fewest_clusters(published, role, system)
        most = 1 - fewest / n_items
        rule = f"at most 1 - K'/N, K' = {fewest:.0f}"
        yield Check(role, system, "CED", distance, most, 0.0, most, rule, bound=True)
        most, rule = 1 - distance, "at most 1 - CED"
        yield Check(role, system, "NES", score, most, -1.0, most, rule, bound=True)


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
                yield Check(role, system, "VI", np.nan, *(here,) * 3, rule, compared=False)


def _over(formula, *inputs):
    """Return a formula at the printed inputs, and its extremes over what these may stand for."""
    middle = formula(*inputs)
    values = [middle, *(formula(*corner) for corner in product(*map(_possible, inputs)))]
    return middle, min(values), max(values)


def _possible(value):
    """Return the range that a printed number may stand for; 0 and 1 are exact by definition."""
    if value in (0.0, 1.0):
        return (value, value)
    return (value - BELOW, value + ABOVE)


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
