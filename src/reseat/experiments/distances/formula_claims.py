"""The claims TIWD-7 to TIWD-9 and TIWD-11, which are right or wrong up to rounding."""

from __future__ import annotations

from reseat.experiments.distances import formulas
from reseat.experiments.distances.evidence import CLAIMS
from reseat.experiments.verdicts import ROUNDING, finish_sentence, unless_missing
from reseat.vocabulary import CONFIRMED, REFUTED

#: Like ROUNDING, but for log posteriors that the compiled likelihoods sum from shifted distances.
SUMMED = 1e-6

#: Transformations that are claimed to leave the posterior unchanged, and under which likelihood.
INVARIANCES, LIKELIHOOD = ("permutation", "scale", "translation", "rotation"), "TIWD"


def tiwd7(evidence):
    """Judge the largest change of a difference of log posteriors under four transformations.

    Confirmed if it is rounding for all four, refuted if one of them changes the posterior.
    """
    found = evidence.invariance
    if found is not None:
        found = found[found["transformation"].isin(INVARIANCES)]
    if found is None or len(found[found["likelihood"] == LIKELIHOOD]) == 0:
        return CLAIMS.untested("TIWD-7", "no transformation was tried.")
    own = found[found["likelihood"] == LIKELIHOOD]
    worst = float(own["worst"].max())
    missing = [name for name in INVARIANCES if name not in set(own["transformation"])]
    verdict = unless_missing(CONFIRMED if worst <= SUMMED else REFUTED, missing)
    text = (
        f"All {int(own['n_partitions'].max()):,} partitions of a few objects: the largest change "
        f"of a difference of log posteriors (the effect) under {', '.join(own['transformation'])}"
    )
    moved = found[(found["likelihood"] != LIKELIHOOD) & (found["transformation"] == "translation")]
    for row in moved.to_dict("records"):
        text += f"; translation changes those of {row['likelihood']} by {row['worst']:.2g}"
    return CLAIMS.row("TIWD-7", verdict, worst, worst, worst, finish_sentence(text, missing))


def tiwd8(evidence):
    """Judge whether the determinant needs the roots of a secular equation.

    Refuted if the closed form equals the product of the eigenvalues on all partitions. The effect
    is the largest error of the closed form.
    """
    error = formulas.determinant_error(formulas.log_determinant_closed)
    roots = formulas.determinant_error(formulas.log_determinant_secular)
    text = (
        f"{_setting()}: log n + sum log lambda_b - log sum n_b lambda_b differs from the log "
        f"product of the nonzero eigenvalues by {error:.1e} at most (the effect), the roots of the "
        f"secular equation by {roots:.1e}. No root has to be found"
    )
    # The claim is that there is no such formula.
    return CLAIMS.exact("TIWD-8", error > ROUNDING, error, finish_sentence(text, ()))


def tiwd9(_evidence):
    """Judge equation 15 as it reads.

    Refuted if it is not the posterior with the scale integrated out.
    """
    n, d = formulas.N_ITEMS, formulas.DIM
    error, right = (formulas.exponent_error(power) for power in (n * d / 2, (n - 1) * d / 2))
    text = (
        f"{_setting()}, d = {d}, theta = {formulas.THETA}: total variation (the effect) from the "
        f"posterior with the scale integrated by quadrature; with (n - 1) d/2 + r0 it is "
        f"{right:.1e}. The text that was read has lost signs; the fault may be there."
    )
    return CLAIMS.exact("TIWD-9", error <= ROUNDING, error, text)


def tiwd11(_evidence):
    """Judge the probability that two objects share a cluster under the Ewens prior.

    Confirmed if the sum over all partitions is 1/(1 + lambda) at three values of lambda.
    """
    error = formulas.pair_error()
    text = f"{_setting()}: the effect is the largest error."
    return CLAIMS.exact("TIWD-11", error <= ROUNDING, error, text)


def _setting():
    return f"Enumerated over all partitions of {formulas.N_ITEMS} objects"
