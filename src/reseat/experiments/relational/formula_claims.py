"""Claims FIRM-1 and FIRM-7, which are right or wrong up to rounding."""

from __future__ import annotations

from reseat.experiments.relational import formulas
from reseat.experiments.relational.evidence import CLAIMS
from reseat.experiments.verdicts import ROUNDING


def firm1(_evidence):
    """Judge FIRM-1: confirmed if both likelihoods of a binary table agree on all partitions.

    The effect is the largest difference.
    """
    error, n_partitions = formulas.largest_difference(formulas.LINKS)
    with_counts, _n = formulas.largest_difference(formulas.COUNTS)
    size = " x ".join(str(length) for length in formulas.LINKS.shape)
    text = (
        f"Enumerated over all {n_partitions:,} pairs of partitions of a {size} table: the effect "
        f"is the largest difference of the log likelihoods; with frequencies up to "
        f"{formulas.COUNTS.max()} it is {with_counts:.2g} nats."
    )
    return CLAIMS.exact("FIRM-1", error <= ROUNDING, error, text)


def firm7(_evidence):
    """Judge FIRM-7: refuted if the bound is worse with the printed update than with later sizes.

    The effect is the smallest loss in nats. The clusters have known sizes, so that the bound can
    reach the log probability.
    """
    printed, later = (formulas.stick_losses(printed) for printed in (True, False))
    loss = float((printed - later).min())
    text = (
        f"Clusters of {len(formulas.SIZES)} given sets of sizes, whose log probability is known: "
        f"the bound stays {printed.min():.2g} to {printed.max():.2g} nats below it as printed (the "
        f"effect is the smallest loss) and {abs(later).max():.1g} with the sum over later clusters."
    )
    return CLAIMS.exact("FIRM-7", loss <= ROUNDING, loss, text)
