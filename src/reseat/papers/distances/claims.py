"""The claims TIWD-1 to TIWD-11 of Vogt et al. (2010), judged by what was computed and measured.

Each claim stands above the function that judges it, whose docstring states the rule. It returns the
verdict, the effect, an interval that holds with probability
:data:`~reseat.papers.statistics.LEVEL` (for all comparisons of a claim together), and a sentence of
evidence that names the data. A rule says
*significantly* if the whole interval has to lie on that side. A formula is right or wrong up to
rounding, so that its interval is the effect itself. A claim is *untestable* if the interval does
not decide it, or if the data that it is about are missing. The paper prints no numbers that could
be judged by themselves.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial, wraps

import numpy as np

from reseat.papers.claims import (
    ROUNDING,
    Cell,
    Claims,
    Verdict,
    above,
    all_of,
    below,
    exact,
    finish_sentence,
    judge_cells,
    not_converged,
    unless_missing,
    untested,
    verdict_above,
    verdict_below,
)
from reseat.papers.distances import PAPER, formulas
from reseat.papers.distances.plan import STARTS, TRUTH
from reseat.papers.distances.results import (
    BASELINES,
    DIMS,
    EXPERIMENT1,
    LESS_1,
    LOST,
    ROLES,
    SPLIT,
    SPLITS,
    THETAS,
    label,
)
from reseat.papers.distances.samplers import backward_share, block_counts, settling_sweep
from reseat.papers.distances.tables import ALGORITHMS, AXES, exponent, series
from reseat.papers.statistics import (
    LEVEL,
    bonferroni,
    mean_interval,
    proportion_interval,
    student_interval,
)
from reseat.vocabulary import CONFIRMED, REFUTED, UNTESTABLE

#: The claims of the paper.
CLAIMS = Claims(PAPER)
claim = CLAIMS.claim

# ---- The claims TIWD-1, TIWD-3, TIWD-4 and TIWD-10: which method finds the true clusters -----
#
# Methods are compared repetition by repetition, that is, on the same data draw. The intervals are
# Student intervals over draws that hold for all comparisons of a claim together. Small data sets
# made for a quick look decide nothing, and a claim about several settings is not confirmed while
# one of them is missing.
#
# The verdict is about the partitions in which chains end. Chains that start in one block, as in
# the paper, in many blocks or in the true blocks are judged separately. If their verdicts differ,
# the claim is untestable, because a verdict would then be about the start. The evidence names the
# models whose chains disagree; a claim that holds, or fails, from every start is decided all the
# same.

#: "Very well" is read as a mean ARI above the first number (TIWD-1a), "well" as above the second
#: (TIWD-3a).
VERY_WELL, WELL = 0.9, 0.75
#: "Clearly": ahead in ARI by more than this on average (TIWD-1b, TIWD-4d).
CLEARLY = 0.05
#: "Fails completely": a mean ARI below this (TIWD-4a).
FAILS = 0.1
#: "Only partially": TIWD stays ahead by more than this (TIWD-4b, TIWD-4c).
PARTLY = 0.05
#: What the evidence calls a start, if not by its own name.
FROM = {"one": "one block", "many": "many blocks", TRUTH: "the true blocks"}
#: How many additional clusters, on average, count as more (TIWD-10).
MORE = 1.0


def _from_every_start(rule):
    """Return a rule that judges the chains from each start, and is untestable if they differ."""

    @wraps(rule)
    def judged(evidence):
        found = [(start, rule(replace(evidence, start=start))) for start in (*STARTS, TRUTH)]
        found = [(start, verdict) for start, verdict in found if verdict.measured]
        if len(found) < 2:
            return found[0][1] if found else rule(evidence)
        (start, first), *others = found
        agree = all(one.verdict == first.verdict for _start, one in others)
        apart = "; ".join(
            f"those from {FROM[other]} say {one.verdict}, the effect being "
            f"{one.interval[0]:.2f} ({one.interval[1]:.2f} to {one.interval[2]:.2f})"
            for other, one in others
        )
        text = (
            f"{first.evidence} These numbers are of chains from {FROM[start]}, which say "
            f"{first.verdict}; {apart}."
        )
        return replace(first, verdict=first.verdict if agree else UNTESTABLE, evidence=text)

    return judged


@claim(
    "TIWD-1a",
    "on separated clusters TIWD and the hierarchical methods all do very well",
    effect="mean adjusted Rand index of the least accurate method",
)
@_from_every_start
def tiwd1a(evidence):
    """Judge the smallest mean ARI of the five methods.

    Confirmed if all are significantly above VERY_WELL, refuted if one is significantly below.
    """
    role = "separated"
    cells = [_cell(evidence, label(model), role, above(VERY_WELL), model) for model in EXPERIMENT1]
    text = f"mean ARI; 'very well' is read as above {VERY_WELL}"
    return _judged(evidence, cells, text)


@claim(
    "TIWD-1b",
    "on overlapping clusters TIWD is clearly better than the hierarchical methods",
    effect="smallest lead of TIWD in mean adjusted Rand index",
)
@_from_every_start
def tiwd1b(evidence):
    """Judge the smallest lead of TIWD over the four other methods.

    Confirmed if all leads are significantly above CLEARLY.
    """
    cells = [
        _cell(evidence, label(model), "overlapping", above(CLEARLY), "tiwd", model)
        for model in BASELINES
    ]
    text = f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}"
    return _judged(evidence, cells, text)


@claim(
    "TIWD-3a",
    "on clusters with zero means, WD and TIWD both perform well",
    effect="smallest mean adjusted Rand index of WD and TIWD",
    again=("theta",),
)
@_from_every_start
def tiwd3a(evidence):
    """Judge the smallest mean ARI of WD and TIWD with zero means.

    Confirmed if all are significantly above WELL.
    """
    cells = [
        _cell(evidence, f"{label(model)} at d = {dim}", role, above(WELL), model)
        for dim in DIMS
        for role in [evidence.means(dim, 0)]
        for model in ("wd", "tiwd")
    ]
    text = f"mean ARI; 'well' is read as above {WELL}"
    return _judged(evidence, cells, text)


@claim(
    "TIWD-3b",
    "on clusters with zero means and d = 3, subtracting row means (WD_R) loses accuracy",
    effect="lead of WD over WD_R in adjusted Rand index",
    again=("theta", "centred", "lost"),
)
@_from_every_start
def tiwd3b(evidence):
    """Judge the loss of ARI from WD to WD_R at d = 3 with zero means.

    Confirmed if it is significantly positive, refuted if significantly negative. The evidence also
    gives the standard deviations over repetitions.
    """
    role = evidence.means(3, 0)
    cells = [_cell(evidence, "WD over WD_R", role, above(0.0), "wd", evidence.centred)]
    spreads = [evidence.values(role, model).std() for model in ("wd", evidence.centred)]
    text = (
        f"lead in ARI; the standard deviation between repetitions is {spreads[0]:.2f} under WD "
        f"and {spreads[1]:.2f} under WD_R"
    )
    return _judged(evidence, cells, text)


@claim(
    "TIWD-4a",
    "on clusters with means other than zero, WD fails completely",
    effect="largest mean adjusted Rand index of WD",
    again=("theta", "split"),
)
@_from_every_start
def tiwd4a(evidence):
    """Judge the largest mean ARI of WD with means other than zero.

    Confirmed if it is significantly below FAILS at both values of d.
    """
    cells = [
        _cell(evidence, f"d = {dim}", role, below(FAILS), "wd")
        for dim in DIMS
        for role in [evidence.means(dim, 40)]
    ]
    text = f"mean ARI of WD; 'completely' is read as below {FAILS}"
    return _judged(evidence, cells, text, worst=max)


@claim(
    "TIWD-4b",
    "on clusters with means other than zero and d = 3, subtracting row means (WD_R) "
    "helps only partially",
    effect="smaller lead of WD_R over WD and of TIWD over WD_R in adjusted Rand index",
    again=("theta", "centred", "split", "lost"),
)
@_from_every_start
def tiwd4b(evidence):
    """Judge whether WD_R helps only partially at d = 3.

    Confirmed if WD_R is significantly better than WD, and the lead of TIWD over WD_R significantly
    larger than PARTLY. Refuted if WD_R is significantly worse than WD, or the lead of TIWD
    significantly smaller than PARTLY.
    """
    return _partial(evidence, 3)


@claim(
    "TIWD-4c",
    "on clusters with means other than zero and d = 100, subtracting row means (WD_R) "
    "helps only partially",
    effect="smaller lead of WD_R over WD and of TIWD over WD_R in adjusted Rand index",
    again=("theta", "centred", "split"),
)
@_from_every_start
def tiwd4c(evidence):
    """Judge the claim of `tiwd4b` at d = 100."""
    return _partial(evidence, 100)


@claim(
    "TIWD-4d",
    "on clusters with means other than zero, TIWD is clearly better than WD and WD_R",
    effect="smallest lead of TIWD over WD and WD_R in adjusted Rand index",
    again=("theta", "centred", "split"),
)
@_from_every_start
def tiwd4d(evidence):
    """Judge the smallest lead of TIWD over WD and WD_R with means other than zero.

    Confirmed if all leads are significantly above CLEARLY.
    """
    cells = [
        _cell(evidence, f"{label(model)} at d = {dim}", role, above(CLEARLY), "tiwd", model)
        for dim in DIMS
        for role in [evidence.means(dim, 40)]
        for model in ("wd", evidence.centred)
    ]
    text = f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}"
    return _judged(evidence, cells, text)


@claim(
    "TIWD-10",
    "letting the parameter d grow freezes the chain in a partition and splits no clusters",
    effect="number of clusters that are added when d grows",
)
@_from_every_start
def tiwd10(evidence):
    """Judge how many more clusters annealing by d leaves than annealing the whole posterior.

    The data are overlapping clusters, compared draw by draw. Confirmed if significantly fewer than
    MORE, refuted if significantly more: the prior then loses its influence, and small blocks
    survive.
    """
    other, role = "tiwd_anneal_likelihood", "overlapping"
    cells = [_cell(evidence, "clusters", role, below(MORE), other, "tiwd", column="n_clusters")]
    text = f"further clusters; more than {MORE:g} counts as more"
    gain = evidence.gain(role, other, "tiwd")
    if len(gain):
        text += f"; ARI changes by {gain.mean():+.2f}"
    return _judged(evidence, cells, text, worst=max)


def _partial(evidence, dim):
    role = evidence.means(dim, 40)
    cells = [
        _cell(evidence, "WD_R over WD", role, above(0.0), evidence.centred, "wd"),
        _cell(evidence, "TIWD over WD_R", role, above(PARTLY), "tiwd", evidence.centred),
    ]
    text = (
        f"lead in ARI; 'only partially' is read as TIWD being ahead of WD_R by more than {PARTLY}"
    )
    return _judged(evidence, cells, text)


def _cell(evidence, name, role, rule, *systems, column="ari"):
    """Return a comparison by the mean score of a system, or its lead over another."""
    values = (evidence.gain if len(systems) > 1 else evidence.values)(role, *systems, column)
    absent = f"{ROLES[role]} ({name})"
    return Cell(name, role, partial(mean_interval, values), rule, absent, systems, len(values))


def _judged(evidence, cells, text, worst=min):
    """Return the verdict on a claim that holds if the rule of every comparison does.

    The effect is the smallest or the largest, as `worst` says, of the comparisons that decide the
    verdict.
    """

    def words(found):
        roles = dict.fromkeys(cell.role for cell in found)
        counts = sorted({cell.n_values for cell in found})
        span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
        numbers = ", ".join(f"{cell.name} ({cell.interval[0]:.2f})" for cell in found)
        repetitions = f"{span} repetition{'' if span == '1' else 's'}"
        which = {min: "smallest", max: "largest"}[worst]
        effect = f"; the effect is the {which} behind the verdict" if len(found) > 1 else ""
        pairs = [(cell.role, system) for cell in cells for system in cell.systems]
        apart = not_converged(evidence.unconverged(pairs))
        return f"{evidence.where(roles)}, {repetitions}: {numbers}: {text}{effect}{apart}"

    return judge_cells(evidence, cells, words, worst)


# ---- The claims TIWD-2, TIWD-5 and TIWD-6: the sampler at scale, its cost, -------------------
# and unlabelled objects

#: "Roughly": within this factor of the printed number of sweeps (TIWD-2a).
ROUGHLY = 2.0
#: "Almost monotonically": steps down are less than this share of the steps up (TIWD-2b).
ALMOST = 0.2
#: How far a fitted exponent may exceed that of a bound (TIWD-5).
SLACK = 0.25
#: How far below the bound plus :data:`SLACK` an exponent may be for the bound's term to be visible.
NEAR = 0.75
#: "Nearly all" (TIWD-6a), and the largest number of new classes that is "a few" (TIWD-6b).
NEARLY_ALL, FEW = 0.9, 6
#: Role and model that TIWD-6a and TIWD-6b are about.
GLOBINS = (("globins", "tiwd"),)


@claim(
    "TIWD-2a",
    "with 8,000 objects it takes roughly 500 sweeps until the number of clusters is stable",
    effect="sweep from which the number of clusters is stable",
)
def tiwd2a(evidence):
    """Judge the mean sweep from which the number of clusters is stable (`settling_sweep`).

    Confirmed if it is significantly within a factor of :data:`ROUGHLY` of the printed number of
    sweeps, refuted if significantly outside. Traces that are not longer than :data:`ROUGHLY` times
    that number decide nothing.
    """
    chains = _chains(evidence)
    if not chains:
        return untested("no trace was kept.")
    printed = evidence.published.fig3["sweeps until stable"]
    settled = [settling_sweep(chain) for chain in chains]
    mean, low, high = mean_interval(settled)
    interval = mean, max(low, 0.0), high  # there is no sweep before the first
    verdict = all_of(
        [
            verdict_above(*interval[1:], printed / ROUGHLY),
            verdict_below(*interval[1:], ROUGHLY * printed),
        ]
    )
    shortest = min(len(chain) for chain in chains)
    if evidence.generated(["large"]) or shortest <= ROUGHLY * printed:
        verdict = UNTESTABLE
    text = (
        f"{evidence.where(['large'])}, {_counted(chains)} of {shortest:,} sweeps: stable from "
        f"sweep {min(settled):,} to {max(settled):,} on, {printed:g} being printed; 'roughly' is "
        f"read as within a factor of {ROUGHLY:g}; the chains are on one draw of the data, and the "
        f"interval is of other chains, not of other draws{_apart(evidence)}"
    )
    return Verdict(verdict, interval, finish_sentence(text, ()))


@claim(
    "TIWD-2b",
    "started from one block, the number of clusters of 8,000 objects increases almost "
    "monotonically until it is stable",
    effect="steps down as a share of the steps up",
)
def tiwd2b(evidence):
    """Judge the steps down as a share of the steps up, until the level is first reached.

    Confirmed if it is significantly below :data:`ALMOST`, refuted if significantly above.
    """
    chains = _chains(evidence)
    shares = [share for share in map(backward_share, chains) if not np.isnan(share)]
    if not shares:
        return untested("no trace that starts below its level was kept.")
    interval = mean_interval(shares)
    verdict = verdict_below(*interval[1:], ALMOST)
    if evidence.generated(["large"]):
        verdict = UNTESTABLE
    text = (
        f"{evidence.where(['large'])}, {_counted(shares)}: steps down as a share of the steps up "
        f"before the number of clusters first reaches its level; 'almost monotonically' is read "
        f"as below {ALMOST}{_apart(evidence)}"
    )
    return Verdict(verdict, interval, finish_sentence(text, ()))


@claim(
    "TIWD-5",
    "a sweep of the sampler for TIWD costs O(n^2 + n k^2) (theorem 1)",
    effect="exponent of k in the time of a sweep",
)
def tiwd5(evidence):
    """Judge the exponents of n and k in the time of a sweep, for the algorithm as in the paper.

    Confirmed if both simultaneous intervals lie below the exponents of theorem 1 plus :data:`SLACK`
    and at least one exponent comes near its bound (:data:`NEAR`); refuted if one interval lies
    above. If neither comes near, other costs hide those that the theorem is about. The effect is
    the exponent of k: the proof counts finding the k - 1 roots of a candidate as O(k), which is the
    cost of only one evaluation of the equation.
    """
    return _cost(evidence, "secular")


@claim("TIWD-5", reading="closed form")
def tiwd5_closed(evidence):
    """Judge the claim of `tiwd5` for the closed form of the determinant."""
    return _cost(evidence, "closed")


@claim(
    "TIWD-6a",
    "nearly all unlabelled globins join one of the labelled classes",
    effect="share of the unlabelled sequences that join a labelled class",
)
def tiwd6a(evidence):
    """Judge the share of the unlabelled globins in one of the classes.

    Confirmed if it is significantly above NEARLY_ALL. The interval is that of a proportion, over
    objects. If chains disagree, there is no interval and nothing is decided, because the one
    annealed partition that is counted then depends on its start; with a single chain, it is not
    known whether it does. Other sequences in place of the paper's unlabelled ones decide nothing
    either, because any share of them may belong to no class.
    """
    blocks = _globins(evidence)
    if blocks is None:
        return untested("the globins were not run.")
    counts = block_counts(blocks)
    joined = round(counts["share in classes"] * counts["unlabelled"])
    interval = proportion_interval(joined, round(counts["unlabelled"]))
    apart = _apart_on_globins(evidence)
    if apart:
        interval = (interval[0], np.nan, np.nan)
    verdict = evidence.on_its_own(verdict_above(*interval[1:], NEARLY_ALL), "globins")
    text = (
        f"{evidence.where(['globins'])}: {joined:,} of {counts['unlabelled']:,.0f} unlabelled "
        f"sequences in one of {counts['classes']:g} classes; 'nearly all' is read as above "
        f"{NEARLY_ALL}{_caveat(evidence)}{not_converged(apart)}"
    )
    return Verdict(verdict, interval, finish_sentence(text, ()))


@claim(
    "TIWD-6b",
    "a few new classes appear among the unlabelled globins",
    effect="number of new blocks of at least 1 % of the unlabelled sequences",
)
def tiwd6b(evidence):
    """Judge the number of new blocks with at least 1 % of the unlabelled sequences.

    Confirmed if there are 1 to FEW. If chains disagree, nothing is decided, as in `tiwd6a`.
    """
    blocks = _globins(evidence)
    if blocks is None:
        return untested("the globins were not run.")
    counts = block_counts(blocks)
    found = counts["new blocks of 1 %"]
    apart = _apart_on_globins(evidence)
    verdict = evidence.on_its_own(CONFIRMED if 1 <= found <= FEW else REFUTED, "globins")
    interval = (found,) * 3
    if apart:
        verdict, interval = UNTESTABLE, (found, np.nan, np.nan)
    text = (
        f"{evidence.where(['globins'])}: {found:g} new blocks of at least 1 % of the unlabelled "
        f"sequences, {counts['new blocks']:g} with the smaller ones; the paper has "
        f"{evidence.published.fig5['new blocks']:g}; 'a few' is read as 1 to {FEW}"
        f"{_caveat(evidence)}{not_converged(apart)}"
    )
    return Verdict(verdict, interval, finish_sentence(text, ()))


def _chains(evidence):
    name = evidence.dataset("large")
    return [
        chain for trace in evidence.traces if trace.dataset == name for chain in trace.n_clusters
    ]


def _counted(chains):
    return f"{len(chains)} chain{'' if len(chains) == 1 else 's'}"


def _cost(evidence, algorithm):
    level = bonferroni(LEVEL, len(AXES))
    found, missing = {}, []
    for axis in AXES:
        power, n_fitted = np.nan, 0
        if evidence.timings is not None:
            points = series(evidence.timings, algorithm, axis)
            if len(points):
                power, error, n_fitted = exponent(points, axis)
        if np.isnan(power):
            missing.append(f"sweeps at several {axis}")
            continue
        # A line has two parameters, so there is one degree of freedom less than for a mean of as
        # many values.
        found[axis] = student_interval(power, error, n_fitted - 1, level)
    if not found:
        why = f"the {ALGORITHMS[algorithm]} algorithm was not timed."
        return untested(why)
    bars = {axis: evidence.published.scaling["secular", axis] + SLACK for axis in found}
    verdict = all_of(verdict_below(*found[axis][1:], bars[axis]) for axis in found)
    shown = found.get("k", found.get("n"))
    parts = [f"{axis}^{interval[0]:.2f}" for axis, interval in found.items()]
    text = (
        f"Timed sweeps, {ALGORITHMS[algorithm]}: seconds grow as {' and '.join(parts)} (the last "
        f"exponent is the effect); the bound is read as exponents of 2, {SLACK} left to the fit"
    )
    if verdict == CONFIRMED and all(found[axis][0] < bars[axis] - NEAR for axis in found):
        verdict = UNTESTABLE
        text += "; both are so far below that other costs hide those of the theorem"
    verdict = unless_missing(verdict, missing)
    return Verdict(verdict, shown, finish_sentence(text, missing))


def _apart(evidence):
    return not_converged(evidence.unconverged([("large", "tiwd")]))


def _apart_on_globins(evidence):
    """Return, in words, the models whose chains disagree, or of which there is a single chain."""
    rows = [evidence.rows(role).query("model == @model") for role, model in GLOBINS]
    alone = [
        f"{label(model)} on {role}, of which there is a single chain"
        for (role, model), own in zip(GLOBINS, rows, strict=True)
        if len(own) and own["rhat"].isna().all()
    ]
    return evidence.unconverged(GLOBINS) or alone


def _globins(evidence):
    name = evidence.dataset("globins")
    if evidence.blocks is None or name is None:
        return None
    blocks = evidence.blocks[evidence.blocks["dataset"] == name]
    return blocks if blocks["n_unlabelled"].sum() > 0 else None


def _caveat(evidence):
    if evidence.of_the_paper("globins"):
        return ""
    return "; these are not the paper's sequences, so that they decide nothing"


# ---- The claims TIWD-7 to TIWD-9 and TIWD-11, which are right or wrong up to rounding --------

#: Like ROUNDING, but for log posteriors that the compiled likelihoods sum from shifted distances.
SUMMED = 1e-6

#: Transformations that are claimed to leave the posterior unchanged, and under which likelihood.
INVARIANCES, LIKELIHOOD = ("permutation", "scale", "translation", "rotation"), "TIWD"


@claim(
    "TIWD-7",
    "the posterior of TIWD is invariant to permutation, scale, translation and rotation",
    effect="largest change of a difference of log posteriors, in nats",
)
def tiwd7(evidence):
    """Judge the largest change of a difference of log posteriors under four transformations.

    Confirmed if it is rounding for all four, refuted if one of them changes the posterior.
    """
    found = evidence.invariance
    if found is not None:
        found = found[found["transformation"].isin(INVARIANCES)]
    if found is None or len(found[found["likelihood"] == LIKELIHOOD]) == 0:
        return untested("no transformation was tried.")
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
    return Verdict(verdict, (worst,) * 3, finish_sentence(text, missing))


@claim(
    "TIWD-8",
    "the generalised determinant in the likelihood of TIWD takes the roots of a secular equation",
    effect="largest error of a closed form without roots, in nats",
)
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
    return exact(error > ROUNDING, error, finish_sentence(text, ()))


@claim(
    "TIWD-9",
    "with the scale integrated out, the exponent of the likelihood of TIWD is nd/2 + r0 "
    "(equation 15 as it reads)",
    effect="total variation from the posterior found by quadrature, from 0 to 1",
)
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
    return exact(error <= ROUNDING, error, text)


@claim(
    "TIWD-11",
    "under the Ewens prior two objects share a cluster with probability 1/(1 + lambda)",
    effect="largest error of that probability",
)
def tiwd11(_evidence):
    """Judge the probability that two objects share a cluster under the Ewens prior.

    Confirmed if the sum over all partitions is 1/(1 + lambda) at three values of lambda.
    """
    error = formulas.pair_error()
    text = f"{_setting()}: the effect is the largest error."
    return exact(error <= ROUNDING, error, text)


def _setting():
    return f"Enumerated over all partitions of {formulas.N_ITEMS} objects"


@CLAIMS.ways("theta", "centred", "split", "lost")
def ways(evidence):
    """Judge the claims about Figure 4 once more under the other readings.

    These are the other theta, row means that are subtracted after kernel PCA, chains that also
    split and merge blocks (means other than zero, where chains that move one object at a time get
    stuck), and degrees of freedom without the dimension that is lost when row means are subtracted
    (d = 3, where it is a third of all).
    """
    for theta in THETAS:
        at = () if theta == evidence.theta else (f"theta = {theta}/d",)
        here = replace(evidence, theta=theta)
        of_theta = evidence.scores["role"].str.startswith(f"means_c{theta}_")
        ran = {*evidence.scores.loc[of_theta, "model"]}
        if at and ran:
            yield "theta", ", ".join(at), here
        if "wdr_kpca" in ran:
            yield "centred", ", ".join((*at, "kernel PCA")), replace(here, centred="wdr_kpca")
        if ran & {*SPLIT.values()}:
            yield "split", ", ".join((*at, SPLITS)), replace(here, instead=SPLIT)
        for centred, words in (("wdr_direct", ()), ("wdr_kpca", ("kernel PCA",))):
            if LOST[centred] in ran:
                other = replace(here, centred=centred, instead=LOST)
                yield "lost", ", ".join((*at, *words, LESS_1)), other
