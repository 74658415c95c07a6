"""Slow, obvious versions for records whose mistakes are similar to the true value."""

import numpy as np

from reseat.datasets.parsers.generated_customers import parse_generated_customers


def gains(near, n_levels):
    """Return the factor G of every two levels of a field, shape (n_levels, n_levels)."""
    factor = np.ones((n_levels, n_levels))
    if near is not None:
        for x, y, log_gain in zip(*near, strict=True):
            factor[x, y] = factor[y, x] = np.exp(log_gain)
    return factor


def mistakes(gamma, near, unseen=None):
    """Return the law of a mistake (row) for each true value (column).

    Beside each value there are unseen ones of probability ``unseen[0]``, which are as similar to
    all other values as it is, and similar to it by the log factor ``unseen[1]``.
    """
    factor = gains(near, len(gamma))
    weight = np.asarray(gamma)[:, None] * factor
    np.fill_diagonal(weight, 0.0)
    total = weight.sum(axis=0)
    if unseen is not None:
        row, log_gain = unseen
        total = total + np.asarray(row) @ (factor - 1) + np.asarray(row) * np.expm1(log_gain)
    # Without any other value, there are no mistakes.
    return np.where(total > 0, weight / np.where(total > 0, total, 1.0), np.eye(len(gamma)))


def log_similar(codes, labels, beta, gamma, near, sources=None, unseen=None, correct=None):
    """Return the log marginal likelihood of records, summed over the true values.

    There is one true value for each block and field.  True values are more frequent than seen
    ones by the factor 1 / `correct`, of which there is one per field.
    """
    codes, labels = np.asarray(codes), np.asarray(labels)
    sources = np.zeros(len(codes), dtype=int) if sources is None else np.asarray(sources)
    beta = np.broadcast_to(beta, (sources.max(initial=0) + 1, len(gamma)))
    value = 0.0
    for field, law in enumerate(gamma):
        law = np.asarray(law)
        wrong = mistakes(law, near[field], unseen and unseen[field])
        for k in set(labels.tolist()):
            members = np.flatnonzero((labels == k) & (codes[:, field] >= 0))
            if len(members) == 1:  # the law of the field is that of the seen values
                value += np.log(law[codes[members[0], field]])
                continue
            seen, b = codes[members, field], beta[sources[members], field][:, None]
            right = seen[:, None] == np.arange(law.size)
            with np.errstate(divide="ignore"):
                terms = np.log(law) + np.log((1 - b) * right + b * wrong[seen]).sum(axis=0)
            value += np.logaddexp.reduce(terms)
            if correct is not None and len(members):
                value -= np.log(correct[field])
    return float(value)


def log_changing(codes, labels, beta, gamma, near, groups, change, sources=None):
    """Return the same if one record of a block of 2 to 12 may have changed a group of fields."""
    codes, labels = np.asarray(codes), np.asarray(labels)
    sources = np.zeros(len(codes), dtype=int) if sources is None else np.asarray(sources)
    beta = np.broadcast_to(beta, (sources.max(initial=0) + 1, len(gamma)))
    value = 0.0
    for k in set(labels.tolist()):
        block = np.flatnonzero(labels == k)
        terms = [(0.0, [], None)]
        if 1 < len(block) <= 12:
            shares = np.log(np.append(np.divide(change, len(block)), 1 - np.sum(change)))
            terms = [(log, g, i) for log, g in zip(shares, groups, strict=False) for i in block]
            terms.append((shares[-1], [], None))
        logs = []
        for log, group, odd in terms:
            for field in range(len(gamma)):
                apart = (block == odd) & (field in group)
                own = slice(field, field + 1)
                log += log_similar(
                    codes[block, own], apart, beta[: sources[block].max() + 1, own],
                    gamma[own], near[own], sources[block],
                )  # fmt: skip
            logs.append(log)
        value += np.logaddexp.reduce(logs)
    return float(value)


def draw_near(rng, n_levels, share=0.4, scale=2.0):
    """Draw similar levels of a field, with random log factors."""
    first, second = np.triu_indices(n_levels, 1)
    kept = rng.random(first.size) < share
    return first[kept], second[kept], scale * rng.gamma(2.0, size=int(kept.sum()))


def draw_similar(labels, beta, gamma, near, rng, groups=(), change=(), missing=None):
    """Draw records from the model; the values of `missing`, rows and fields, are -1."""
    labels = np.asarray(labels)
    n = len(labels)
    codes = np.empty((n, len(gamma)), dtype=int)
    block = np.tile(labels, (len(gamma), 1))  # by field; a changed record is a block by itself
    for k in set(labels.tolist()):
        members = np.flatnonzero(labels == k)
        if len(groups) and 1 < len(members) <= 12:
            drawn = rng.choice(len(groups) + 1, p=[*change, 1 - np.sum(change)])
            odd = rng.choice(members)
            block[[*[*groups, ()][drawn]], odd] = n + odd
    known = np.ones(codes.shape, dtype=bool)
    if missing is not None:
        known[missing] = False
    for field, law in enumerate(gamma):
        others = np.bincount(block[field][known[:, field]], minlength=2 * n)[block[field]] > 1
        # Draw the true value of each block, and then a mistake for each record.
        true = np.searchsorted(np.cumsum(law)[:-1], rng.random(2 * n if len(groups) else n))[
            block[field]
        ]
        upto = np.cumsum(mistakes(law, near[field]), axis=0)[:-1, true]
        wrong = (upto < rng.random(len(labels))).sum(axis=0)
        codes[:, field] = np.where(others & (rng.random(n) < beta[field]), wrong, true)
    codes[~known] = -1
    return codes


def customers(n_records=1500, seed=3, **options):
    """Return the cells of generated customers, None where empty, and their entities."""
    raw = parse_generated_customers({}, seed, n_records, **options)
    cells = raw.cells.to_numpy(dtype=object)
    return np.where(raw.cells.isna(), None, cells), np.unique(raw.entities, return_inverse=True)[1]
