"""Do clusters keep their labels along a chain? (Walker & Ringger 2008, section 5.3, Figure 3)."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import scipy
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components


def word_distributions(counts, labels, n_clusters):
    """Return (n_vj + 1) / (V + sum_u n_uj), by the text of section 5.3, by cluster and word."""
    n_documents = counts.shape[0]
    member = sp.csr_array(
        (np.ones(n_documents), (labels, np.arange(n_documents))), shape=(n_clusters, n_documents)
    )
    words = (member @ sp.csr_array(counts, dtype=np.float64)).toarray()
    words += 1.0
    words /= words.sum(axis=1, keepdims=True)
    return words


def kl_matrix(reference, compared):
    """Return Q[h, j] = KL(reference_h || compared_j) in nats, for positive distributions."""
    entropy = np.einsum("hv,hv->h", reference, np.log(reference))
    divergence = entropy[:, None] - reference @ np.log(compared).T
    # Rounding may leave a divergence of equal distributions slightly below zero.
    return np.maximum(divergence, 0.0)


@dataclass(frozen=True)
class LabelSwitching:
    """Divergences between the clusters of two samples of one chain."""

    #: Q[h, j] in nats, and which clusters hold a document in each sample.
    raw: np.ndarray
    occupied_reference: np.ndarray
    occupied_compared: np.ndarray

    @property
    def scaled(self):
        """Q divided by its maximum, as the heat maps are drawn (all zeros stay zeros)."""
        largest = self.raw.max(initial=0.0)
        return self.raw / largest if largest > 0 else self.raw.copy()

    @property
    def nearest(self):
        """argmin over j of Q[h, j] for each h; -1 where h is empty in the reference sample."""
        return np.where(self.occupied_reference, self.raw.argmin(axis=1), -1)

    def summary(self):
        """Return numbers over clusters of the reference, some of the best one-to-one match."""
        occupied, own = self.occupied_reference, np.arange(len(self.raw))
        diagonal = np.eye(len(self.raw), dtype=bool)
        on, off = diagonal & occupied, ~diagonal & occupied[:, None]
        scaled = self.scaled
        matched = scipy.optimize.linear_sum_assignment(self.raw)[1]
        # Labels are exchanged within a cycle of the matching, but not in one with a label that is
        # empty in one of the samples: its clusters moved to labels that were or became free.
        links = sp.csr_array((np.ones(len(own)), (own, matched)), shape=self.raw.shape)
        cycle = connected_components(links, directed=False)[1]
        free = ~(occupied & self.occupied_compared)
        switched = (matched != own) & ~np.isin(cycle, cycle[free])
        not_nearest = int(np.sum((self.nearest != own)[occupied]))
        found = {"n_clusters": len(self.raw), "n_occupied": int(occupied.sum())}
        found["n_emptied"] = int(np.sum(occupied & ~self.occupied_compared))
        found["diagonal_mean"] = float(scaled[on].mean())
        found["off_diagonal_mean"] = float(scaled[off].mean()) if off.any() else np.nan
        found["diagonal_mean_nats"] = float(self.raw[on].mean())
        found |= {"n_not_nearest": not_nearest, "all_nearest": not_nearest == 0}
        return found | {"n_switched": int(switched.sum())}


def compare_samples(counts, labels_reference, labels_compared, n_clusters):
    """Compare the clusters of two samples of a chain."""
    both = labels_reference, labels_compared
    laws = [word_distributions(counts, labels, n_clusters) for labels in both]
    occupied = [np.bincount(labels, minlength=n_clusters) > 0 for labels in both]
    return LabelSwitching(kl_matrix(*laws), *occupied)


def compare_first_chain(corpus, samples, n_clusters):
    """Compare the first sample of a chain with itself and the second: panels and what they show."""
    (first, start), (last, end) = samples[0]
    others = {"itself": first, f"sample {end - start}": last}
    panels = {
        f"sample 0 and {name}": compare_samples(corpus.counts, first, other, n_clusters)
        for name, other in others.items()
    }
    scaled = {title: panel.scaled for title, panel in panels.items()}
    return panels, scaled, {title: panel.nearest for title, panel in panels.items()}


def summary_table(artefact, role, corpus, samples, n_clusters):
    """Return the comparison of the two samples of every chain in numbers, one row per chain."""
    rows, identity = [], _identity(artefact, role, corpus)
    for chain, ((first, start), (last, end)) in enumerate(samples):
        place = {"chain": chain, "reference_sweep": start, "compared_sweep": end}
        compared = compare_samples(corpus.counts, first, last, n_clusters)
        rows.append(identity | place | compared.summary())
    return pd.DataFrame(rows)


def kl_table(artefact, role, corpus, panels):
    """Return the matrices of Figure 3 as a tidy frame, in nats."""
    frames, identity = [], _identity(artefact, role, corpus)
    for title, comparison in panels.items():
        h, j = np.indices(comparison.raw.shape).reshape(2, -1)
        found = {"panel": title, "h": h, "j": j, "kl": comparison.raw.ravel()}
        frames.append(pd.DataFrame(identity | found | {"scaled": comparison.scaled.ravel()}))
    return pd.concat(frames, ignore_index=True)


def _identity(artefact, role, corpus):
    card = corpus.identity
    return {"artefact": artefact, "role": role, "dataset": card.name, "status": card.status}
