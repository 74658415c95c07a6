"""Relations by brute force: every cell of every table, every assignment of clusters."""

from itertools import product

import numpy as np
from scipy.special import betaln, logsumexp, psi


def cells(relation, n_entities):
    """Yield (entities, positive and negative observations) of each cell that is not missing."""
    counts = {
        tuple(c): n for c, n in zip(relation.coordinates.tolist(), relation.counts, strict=True)
    }
    if relation.missed is not None:  # those of trials, and no others
        yield from zip(counts, relation.counts.tolist(), relation.missed.tolist(), strict=True)
        return
    for cell in product(*(range(n_entities[kind]) for kind in relation.types)):
        count = counts.get(cell)
        if count is None:
            yield cell, 0.0, 1.0
        elif count:
            yield cell, count, 0.0


def cell_law(relation, cell, memberships):
    """Return the probability of each combination of clusters at a cell.

    An entity that occurs twice in the cell has one cluster.
    """
    law = np.zeros([memberships[kind].shape[1] for kind in relation.types])
    entities = list(dict.fromkeys(zip(relation.types, cell, strict=True)))
    for clusters in product(*(range(memberships[kind].shape[1]) for kind, _ in entities)):
        cluster_of = dict(zip(entities, clusters, strict=True))
        weight = np.prod([memberships[kind][e, cluster_of[kind, e]] for kind, e in entities])
        place = tuple(cluster_of[entity] for entity in zip(relation.types, cell, strict=True))
        law[place] += weight
    return law


def observations(relation, n_entities, memberships):
    """Return the expected positive and negative observations of each combination of clusters."""
    linked, unlinked = 0.0, 0.0
    for cell, positive, negative in cells(relation, n_entities):
        law = cell_law(relation, cell, memberships)
        linked, unlinked = linked + positive * law, unlinked + negative * law
    return linked, unlinked


def stick_law(sizes, concentration):
    """Return E log weights and the ELBO's terms of v, both under the optimal q(v)."""
    T = len(sizes)
    g = [(1 + sizes[t], concentration + sum(sizes[t + 1 :])) for t in range(T - 1)]
    log_v = [psi(a) - psi(a + b) for a, b in g] + [0.0]
    log_rest = [psi(b) - psi(a + b) for a, b in g]
    log_weights = np.array([log_v[t] + sum(log_rest[:t]) for t in range(T)])
    terms = sum(
        (concentration - 1) * log_rest[t] - betaln(1, concentration)
        - (a - 1) * log_v[t] - (b - 1) * log_rest[t] + betaln(a, b)
        for t, (a, b) in enumerate(g)
    )  # fmt: skip
    return log_weights, terms


def elbo(relations, n_entities, memberships, concentration, beta):
    """Return the ELBO of section 2.2 of the model's definition, without the u line.

    v and eta are at their optima.
    """
    value = 0.0
    for relation in relations:
        linked, unlinked = observations(relation, n_entities, memberships)
        a, b = beta + linked, beta + unlinked
        log1, log0 = psi(a) - psi(a + b), psi(b) - psi(a + b)
        value += (linked * log1 + unlinked * log0).sum()
        value += ((beta - 1) * (log1 + log0) - betaln(beta, beta)
                  - (a - 1) * log1 - (b - 1) * log0 + betaln(a, b)).sum()  # fmt: skip
    for q in memberships.values():
        log_weights, terms = stick_law(q.sum(axis=0), concentration)
        value += q.sum(axis=0) @ log_weights + terms
        value -= sum(p * np.log(p) for p in q.ravel() if p > 0)
    return value


def next_memberships(relations, n_entities, memberships, concentration, beta, kind):
    """Return q(z) of a type, updated entity by entity, v and eta staying at the previous optima."""
    memberships = {other: q.copy() for other, q in memberships.items()}
    log_weights, _ = stick_law(memberships[kind].sum(axis=0), concentration)
    logs = []
    for relation in relations:
        linked, unlinked = observations(relation, n_entities, memberships)
        total = psi(2 * beta + linked + unlinked)
        logs.append((psi(beta + linked) - total, psi(beta + unlinked) - total))
    q = memberships[kind]
    for entity in range(len(q)):
        scores = log_weights.copy()
        for t in range(q.shape[1]):
            q[entity] = np.eye(q.shape[1])[t]
            for relation, (log1, log0) in zip(relations, logs, strict=True):
                linked, unlinked = observations(relation, n_entities, memberships)
                scores[t] += (linked * log1 + unlinked * log0).sum()
        q[entity] = np.exp(scores - logsumexp(scores))
    return q


def log_evidence(relations, n_entities, truncation, concentration, beta):
    """Return the log probability of the links, summed over all assignments."""
    kinds = list(n_entities)
    spaces = [product(range(truncation[kind]), repeat=n_entities[kind]) for kind in kinds]
    # The cells and their observations are the same under every assignment.
    listed = [
        [np.array(column) for column in zip(*cells(relation, n_entities), strict=True)]
        for relation in relations
    ]
    values = []
    for assignment in product(*map(list, spaces)):
        hard = {kind: np.array(z) for kind, z in zip(kinds, assignment, strict=True)}
        value = 0.0
        for kind in kinds:
            sizes = np.bincount(hard[kind], minlength=truncation[kind])
            for t in range(truncation[kind] - 1):
                value += betaln(1 + sizes[t], concentration + sizes[t + 1 :].sum())
                value -= betaln(1, concentration)
        for relation, (cell, positive, negative) in zip(relations, listed, strict=True):
            clusters = tuple(hard[kind][cell[:, n]] for n, kind in enumerate(relation.types))
            linked, unlinked = np.zeros((2, *(truncation[kind] for kind in relation.types)))
            np.add.at(linked, clusters, positive)
            np.add.at(unlinked, clusters, negative)
            value += (betaln(beta + linked, beta + unlinked) - betaln(beta, beta)).sum()
        values.append(value)
    return logsumexp(values)
