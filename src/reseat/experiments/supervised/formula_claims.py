"""The claims SC-18 to SC-20, which are right or wrong up to rounding."""

from __future__ import annotations

from reseat.experiments.supervised import formulas
from reseat.experiments.supervised.evidence import CLAIMS
from reseat.experiments.verdicts import ROUNDING
from reseat.vocabulary import CONFIRMED, REFUTED


def sc18(_evidence):
    """Judge Algorithm 8 with one candidate more for an item that is alone.

    Refuted if it leads elsewhere than to the posterior with any of the numbers of candidates.
    """
    printed, neal = (
        [formulas.seating_error(rule, n) for n in formulas.CANDIDATES]
        for rule in (formulas.printed_candidates, formulas.neal_candidates)
    )
    effect = max(distance for distance, *_ in printed)
    reached = ", ".join(
        f"{together:.4f} with {n}"
        for n, (_, together, _) in zip(formulas.CANDIDATES, printed, strict=True)
    )
    text = (
        f"Two items, all states enumerated: they share a cluster with probability "
        f"{printed[0][2]:.4f}, but under the printed rule with {reached} candidates; the effect is "
        "the largest total variation. By the rule of Neal (2000), that an item which is alone "
        "brings its own mean as one of the candidates, it is "
        f"{max(distance for distance, *_ in neal):.1e}."
    )
    return CLAIMS.exact("SC-18", effect <= ROUNDING, effect, text)


def sc19(_evidence):
    """Judge the weights of the gamma distributions in equations 6 and 8.

    Refuted if they do not give the posterior of the concentration.
    """
    (effect, printed, exact), (rest, *_) = map(formulas.concentration_error, (1, 0))
    n_items, n_clusters = formulas.PAIR
    text = (
        f"{n_clusters} clusters of {n_items} items, quadrature: with a - M - 1 the mean of alpha "
        f"is {printed:.3f}, but that of the posterior is {exact:.3f}; the effect is the total "
        f"variation. With a - M it is {rest:.1e}."
    )
    return CLAIMS.exact("SC-19", effect <= ROUNDING, effect, text)


def sc20(_evidence):
    """Judge whether x.

    Refuted if three items are expected to have fewer clusters than under SCDP-1.
    """
    return _apart("precision", "")


def sc20_covariance(_evidence):
    """Judge the claim of `sc20` with the types as covariances."""
    return _apart("covariance", "types as covariances")


def _apart(law, reading):
    one, other = (formulas.expected_clusters(name) for name in ("fixed", law))
    text = (
        f"Three items, all pairs of partitions enumerated: {other:.2f} clusters are expected under "
        f"SCDP-3, and {one:.2f} under SCDP-1; the effect is the difference."
    )
    effect = other - one
    verdict = CONFIRMED if effect > 0 else REFUTED
    return CLAIMS.row("SC-20", verdict, effect, effect, effect, text, reading)
