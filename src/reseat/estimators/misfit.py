"""What a result itself shows to be wrong with its model: reasons not to rely on it, in sentences.

R-hat says whether chains agree with each other, and nothing on whether the model suits the data.
The limits below were chosen on generated data that suit the models, and on others that do not.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from reseat.models.fields.matches import agreement_by_chance, clearly_different, pairs_within

#: Share of what tells entities apart in which two records of one entity may differ, and largest
#: share of the pairs of records put together that may differ in more.
MOST, MANY_PAIRS = 0.5, 0.1
#: Largest share of clusters in which fields change together.
OFTEN_CHANGING = 0.3
#: Share of pairs from which the clusters are taken for the values of a column.
SAME = 0.95
#: Affinity of two distributions above which they are taken for the same.
ALIKE = 0.99


def misfits_of_records(
    codes: np.ndarray,
    near: Sequence,
    names: Sequence[str],
    labels: np.ndarray,
    changing: Mapping[Sequence[str], float],
    units: np.ndarray | None = None,
) -> list[str]:
    """Return reasons not to rely on clusters of records.

    `near` has the near values of each field, which do not count as different, and `changing` the
    share of the clusters in which each group of fields changes together. `units` has the same
    number for records that were put together by people.
    """
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
    for field, name in enumerate(names):
        same = labels[np.stack(pairs_within(codes[:, field]))]
        shared = same.shape[1] > len(codes) / 2 and np.mean(same[0] == same[1]) > SAME
        if shared and np.mean(differ[:, field]) < 1 - SAME:
            found.append(
                f"The clusters are the values of the column {name}. If many things share a value, "
                "leave this column out, or the others that repeat it."
            )
    for group, share in changing.items():
        if share > OFTEN_CHANGING:
            found.append(
                f"{' and '.join(group)} change together in {share:.0%} of the clusters. They may "
                "be what tells two things apart that agree in the rest, such as two people of one "
                "household."
            )
    return found


def misfits_of_relations(
    counts, labels: np.ndarray, column_labels: np.ndarray, side: str = "rows"
) -> list[str]:
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
