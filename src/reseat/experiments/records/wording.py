"""Interpretation of the wording of MIC-6 to MIC-17, and the sentences that report it.

It applies both to our posteriors and to the published numbers, so that they are judged by the same
rule.
"""

from __future__ import annotations

from reseat.experiments.records.agreement import SHARE
from reseat.experiments.records.evidence import SINGLETON_SHARES, SURVEYS, variant_title
from reseat.experiments.records.losses import LOSSES, TOLERANCE
from reseat.experiments.records.results import DELTAS, SETS
from reseat.vocabulary import CONFIRMED, REFUTED

#: Slope of log E[M/N] on log N below which the share of the largest cluster vanishes (MIC-6), and
#: above which it lasts (MIC-7). The largest of many blocks with geometric tails has about log N
#: items, which gives a slope near -1.
VANISHING, LASTING = -0.5, -0.1
#: "Almost all" variants: all but this many (MIC-10, MIC-11).
ALL_BUT = 1
#: "In general" the best: on more than this share of the comparisons (MIC-12).
GENERAL = 0.5
#: A consistent pattern: one side wins more than this share of the comparisons (MIC-14).
PATTERN = 0.75
#: "Greatly" overestimated: by more than this share of the true number (MIC-15, MIC-16), that within
#: which numbers of clusters agree. The paper's own excesses begin at 1.8 %.
GREATLY = SHARE
GREATLY_MEANS = f"'greatly' is read as above {GREATLY:.0%}, within which numbers of clusters agree"
#: Sets on which DP and PYP are said to overestimate the number of clusters.
OVERESTIMATED = ("italy", "nltcs5000", "syriasizes")
#: Names of the losses whose gap is said to grow with delta (MIC-13).
NAMES = dict(
    zip(LOSSES, ("FNR", "FDR", "singletons", "largest", "mean", "90th percentile"), strict=True)
)

#: What counts as a tie.
EQUAL = f"differences up to {TOLERANCE} ({TOLERANCE:.0%} of the truth for sizes) count as none"


def almost_text(means, good, what):
    """Return a text on how many variants NBNB and NBD are no worse, and on which they are worse."""
    bad = [variant_title(*cell) for cell in means if cell not in good]
    text = (
        f"on {len(good)} of {len(means)} variants (the effect) neither NBNB nor NBD is worse than "
        f"DP or PYP in {what}; {EQUAL}; 'almost all' is read as all but {ALL_BUT}"
    )
    return text + (f"; worse on {', '.join(bad)}" if bad else "")


def growth_cells(losses):
    """Return the (role, loss) pairs whose gap is known at the smallest and the largest delta."""
    return [
        (role, loss)
        for role in SURVEYS
        for loss in LOSSES
        if {(role, DELTAS[0]), (role, DELTAS[-1])} <= set(losses)
    ]


def growth_text(found):
    """Return a text on how much the lead of the microclustering priors grew in each cell."""
    parts = []
    for role in dict.fromkeys(role for role, _loss in found):
        own = {loss: effect for (of, loss), effect in found.items() if of == role}
        grown = ", ".join(f"{NAMES[loss]} {effect:+.3f}" for loss, effect in own.items())
        parts.append(f"on {SETS[role]} {grown}")
    return (
        f"lead of NBNB and NBD over DP and PYP at {DELTAS[-1]:g} minus that at {DELTAS[0]:g} "
        "(rates, and the distance of the number of singletons and of cluster sizes from the truth "
        f"as a share of it): {'; '.join(parts)}; the effect is the smallest"
    )


def excess_text(found):
    """Return a text on how much each process overestimates the number of clusters."""
    return ", ".join(
        f"{system} on {SETS[role]} {excess:+.1%}" for (role, system), excess in found.items()
    )


def shares_against_text(found):
    """Return verdict, largest gap and evidence from true numbers of singletons and of clusters."""
    gaps = {role: ones / k - SINGLETON_SHARES[role] for role, (ones, k) in found.items()}
    worst = max(gaps.values(), key=abs)
    parts = [
        f"{ones / k:.1%} of the {k:.0f} clusters of {SETS[role]} are singletons, not "
        f"{SINGLETON_SHARES[role]:.0%}"
        for role, (ones, k) in found.items()
    ]
    verdict = CONFIRMED if abs(worst) <= 0.005 else REFUTED
    return verdict, float(worst), f"{'; '.join(parts)}; the effect is the largest difference"
