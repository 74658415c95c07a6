"""The claims TIWD-1 to TIWD-11 of Vogt et al. (2010), judged by what was computed and measured.

The paper prints no numbers that could be judged by themselves.
"""

from dataclasses import replace
from functools import partial, wraps

import numpy as np

from reseat.papers.claims import (
    NOT_RUN,
    ROUNDING,
    Cell,
    Claims,
    above,
    all_of,
    below,
    exact,
    judge_cells,
    measure_together,
    measured_and_missing,
    not_converged,
    untested,
    within,
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
from reseat.papers.distances.samplers import backward_share, settling_sweep
from reseat.papers.distances.tables import ALGORITHMS, AXES, exponent, series
from reseat.papers.statistics import mean_interval, proportion_interval, student_interval
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


def compared(key, says, effect, cells, text, again=(), shown=min):
    """Declare a claim that holds if every comparison is significantly as its rule has it.

    `cells` takes the evidence and returns the comparisons, and `text` says what they compare, or is
    a function of the evidence that does. The effect is the smallest or the largest, as `shown`
    says, of the comparisons that decide the verdict.
    """

    @claim(key, says, effect=effect, again=again)
    @_from_every_start
    def rule(evidence):
        made = cells(evidence)
        what = text if isinstance(text, str) else text(evidence)

        def words(found):
            roles = dict.fromkeys(cell.role for cell in found)
            counts = sorted({cell.n_values for cell in found})
            span = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
            numbers = ", ".join(f"{cell.name} ({cell.interval[0]:.2f})" for cell in found)
            repetitions = f"{span} repetition{'' if span == '1' else 's'}"
            which = {min: "smallest", max: "largest"}[shown]
            end = f"; the effect is the {which} behind the verdict" if len(found) > 1 else ""
            pairs = [(cell.role, system) for cell in made for system in cell.systems]
            apart = not_converged(evidence.unconverged(pairs))
            return f"{evidence.where(roles)}, {repetitions}: {numbers}: {what}{end}{apart}"

        return judge_cells(evidence, made, words, shown)

    return rule


def _cell(evidence, name, role, rule, *systems, column="ari"):
    """Return a comparison by the mean score of a system, or its lead over another."""
    values = (evidence.gain if len(systems) > 1 else evidence.values)(role, *systems, column)
    absent = f"{ROLES[role]} ({name})"
    return Cell(name, role, partial(mean_interval, values), rule, absent, systems, len(values))


def _each_dim(evidence, mean, rule, models, over=()):
    """Return the comparisons of models, or of others over them, for each number of dimensions."""
    return [
        _cell(evidence, f"{label(model)} at d = {dim}", role, rule, *over, model)
        for dim in DIMS
        for role in [evidence.means(dim, mean)]
        for model in models
    ]


def _helps_partially(dim):
    """Return a function from evidence to the comparisons by which WD_R helps, but not as TIWD."""

    def cells(evidence):
        role = evidence.means(dim, 40)
        return [
            _cell(evidence, "WD_R over WD", role, above(0.0), evidence.centred, "wd"),
            _cell(evidence, "TIWD over WD_R", role, above(PARTLY), "tiwd", evidence.centred),
        ]

    return cells


def _spreads(evidence):
    """Return what TIWD-3b compares, with the standard deviations over repetitions."""
    role = evidence.means(3, 0)
    spreads = [evidence.values(role, model).std() for model in ("wd", evidence.centred)]
    return (
        f"lead in ARI; the standard deviation between repetitions is {spreads[0]:.2f} under WD "
        f"and {spreads[1]:.2f} under WD_R"
    )


def _further_clusters(evidence):
    """Return what TIWD-10 compares, with the change of the ARI."""
    gain = evidence.gain("overlapping", "tiwd_anneal_likelihood", "tiwd")
    change = f"; ARI changes by {gain.mean():+.2f}" if len(gain) else ""
    return f"further clusters; more than {MORE:g} counts as more{change}"


_PARTLY = f"lead in ARI; 'only partially' is read as TIWD being ahead of WD_R by more than {PARTLY}"
_ANY_MEAN = "on clusters with means other than zero"

tiwd1a = compared(
    "TIWD-1a",
    "on separated clusters TIWD and the hierarchical methods all do very well",
    "mean adjusted Rand index of the least accurate method",
    lambda evidence: [
        _cell(evidence, label(model), "separated", above(VERY_WELL), model) for model in EXPERIMENT1
    ],
    f"mean ARI; 'very well' is read as above {VERY_WELL}",
)
tiwd1b = compared(
    "TIWD-1b",
    "on overlapping clusters TIWD is clearly better than the hierarchical methods",
    "smallest lead of TIWD in mean adjusted Rand index",
    lambda evidence: [
        _cell(evidence, label(model), "overlapping", above(CLEARLY), "tiwd", model)
        for model in BASELINES
    ],
    f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}",
)
tiwd3a = compared(
    "TIWD-3a",
    "on clusters with zero means, WD and TIWD both perform well",
    "smallest mean adjusted Rand index of WD and TIWD",
    lambda evidence: _each_dim(evidence, 0, above(WELL), ("wd", "tiwd")),
    f"mean ARI; 'well' is read as above {WELL}",
    again=("theta",),
)
tiwd3b = compared(
    "TIWD-3b",
    "on clusters with zero means and d = 3, subtracting row means (WD_R) loses accuracy",
    "lead of WD over WD_R in adjusted Rand index",
    lambda evidence: [
        _cell(
            evidence,
            "WD over WD_R",
            evidence.means(3, 0),
            above(0.0),
            "wd",
            evidence.centred,
        )
    ],
    _spreads,
    again=("theta", "centred", "lost"),
)
tiwd4a = compared(
    "TIWD-4a",
    f"{_ANY_MEAN}, WD fails completely",
    "largest mean adjusted Rand index of WD",
    lambda evidence: [
        _cell(evidence, f"d = {dim}", evidence.means(dim, 40), below(FAILS), "wd") for dim in DIMS
    ],
    f"mean ARI of WD; 'completely' is read as below {FAILS}",
    again=("theta", "split"),
    shown=max,
)
tiwd4b = compared(
    "TIWD-4b",
    f"{_ANY_MEAN} and d = 3, subtracting row means (WD_R) helps only partially",
    "smaller lead of WD_R over WD and of TIWD over WD_R in adjusted Rand index",
    _helps_partially(3),
    _PARTLY,
    again=("theta", "centred", "split", "lost"),
)
tiwd4c = compared(
    "TIWD-4c",
    f"{_ANY_MEAN} and d = 100, subtracting row means (WD_R) helps only partially",
    "smaller lead of WD_R over WD and of TIWD over WD_R in adjusted Rand index",
    _helps_partially(100),
    _PARTLY,
    again=("theta", "centred", "split"),
)
tiwd4d = compared(
    "TIWD-4d",
    f"{_ANY_MEAN}, TIWD is clearly better than WD and WD_R",
    "smallest lead of TIWD over WD and WD_R in adjusted Rand index",
    lambda evidence: _each_dim(
        evidence, 40, above(CLEARLY), ("wd", evidence.centred), over=("tiwd",)
    ),
    f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}",
    again=("theta", "centred", "split"),
)
# If further clusters are left, the prior has lost its influence, and small blocks survive.
tiwd10 = compared(
    "TIWD-10",
    "letting the parameter d grow freezes the chain in a partition and splits no clusters",
    "number of clusters that are added when d grows",
    lambda evidence: [
        _cell(
            evidence,
            "clusters",
            "overlapping",
            below(MORE),
            "tiwd_anneal_likelihood",
            "tiwd",
            column="n_clusters",
        )
    ],
    _further_clusters,
    shown=max,
)

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
    chains = evidence.large_chains
    if not chains:
        return untested("no trace was kept.")
    printed = evidence.published.fig3["sweeps until stable"]
    settled = [settling_sweep(chain) for chain in chains]
    mean, low, high = mean_interval(settled)
    interval = mean, max(low, 0.0), high  # there is no sweep before the first
    verdict = within(printed / ROUGHLY, ROUGHLY * printed)(interval)
    shortest = min(len(chain) for chain in chains)
    if shortest <= ROUGHLY * printed:
        verdict = UNTESTABLE
    text = (
        f"{evidence.where(['large'])}, {_counted(chains)} of {shortest:,} sweeps: stable from "
        f"sweep {min(settled):,} to {max(settled):,} on, {printed:g} being printed; 'roughly' is "
        f"read as within a factor of {ROUGHLY:g}; the chains are on one draw of the data, and the "
        f"interval is of other chains, not of other draws{_apart(evidence)}"
    )
    return evidence.found(verdict, interval, text, ["large"])


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
    shares = [backward_share(chain) for chain in evidence.large_chains]
    shares = [share for share in shares if not np.isnan(share)]
    if not shares:
        return untested("no trace that starts below its level was kept.")
    interval = mean_interval(shares)
    text = (
        f"{evidence.where(['large'])}, {_counted(shares)}: steps down as a share of the steps up "
        f"before the number of clusters first reaches its level; 'almost monotonically' is read "
        f"as below {ALMOST}{_apart(evidence)}"
    )
    return evidence.found(below(ALMOST)(interval), interval, text, ["large"])


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
    counts = evidence.globins
    if counts is None:
        return untested("the globins were not run.")
    joined = round(counts["share in classes"] * counts["unlabelled"])
    interval = proportion_interval(joined, round(counts["unlabelled"]))
    text = (
        f"{evidence.where(['globins'])}: {joined:,} of {counts['unlabelled']:,.0f} unlabelled "
        f"sequences in one of {counts['classes']:g} classes; 'nearly all' is read as above "
        f"{NEARLY_ALL}"
    )
    return _of_globins(evidence, above(NEARLY_ALL), interval, text)


@claim(
    "TIWD-6b",
    "a few new classes appear among the unlabelled globins",
    effect="number of new blocks of at least 1 % of the unlabelled sequences",
)
def tiwd6b(evidence):
    """Judge the number of new blocks with at least 1 % of the unlabelled sequences.

    Confirmed if there are 1 to FEW. If chains disagree, nothing is decided, as in `tiwd6a`.
    """
    counts = evidence.globins
    if counts is None:
        return untested("the globins were not run.")
    found = counts["new blocks of 1 %"]
    text = (
        f"{evidence.where(['globins'])}: {found:g} new blocks of at least 1 % of the unlabelled "
        f"sequences, {counts['new blocks']:g} with the smaller ones; the paper has "
        f"{evidence.published.fig5['new blocks']:g}; 'a few' is read as 1 to {FEW}"
    )
    return _of_globins(evidence, within(0.5, FEW + 0.5), (found,) * 3, text)


def _of_globins(evidence, rule, interval, text):
    """Return a verdict on the globins, of which chains that disagree give no interval."""
    apart = evidence.unconverged_globins
    if apart:
        interval = (interval[0], np.nan, np.nan)
    if not evidence.is_faithful("globins"):
        text += "; these are not the paper's sequences, so that they decide nothing"
    verdict = evidence.unless_substitute(rule(interval), "globins")
    return evidence.found(verdict, interval, f"{text}{not_converged(apart)}", ["globins"])


def _cost(evidence, algorithm):
    bars = {axis: evidence.published.scaling["secular", axis] + SLACK for axis in AXES}
    found, missing = measured_and_missing(
        measure_together(
            Cell(
                axis,
                "",
                partial(_power, evidence.timings, algorithm, axis),
                below(bars[axis]),
                f"sweeps at several {axis}",
            )
            for axis in AXES
        )
    )
    if not found:
        return untested(f"the {ALGORITHMS[algorithm]} algorithm was not timed.")
    verdict = all_of(cell.verdict for cell in found)
    parts = [f"{cell.name}^{cell.interval[0]:.2f}" for cell in found]
    text = (
        f"Timed sweeps, {ALGORITHMS[algorithm]}: seconds grow as {' and '.join(parts)} (the last "
        f"exponent is the effect); the bound is read as exponents of 2, {SLACK} left to the fit"
    )
    if verdict == CONFIRMED and all(cell.interval[0] < bars[cell.name] - NEAR for cell in found):
        verdict = UNTESTABLE
        text += "; both are so far below that other costs hide those of the theorem"
    return evidence.found(verdict, found[-1].interval, text, (), missing)


def _power(timings, algorithm, axis, level):
    """Return the exponent of the time of a sweep along an axis, with its interval."""
    points = [] if timings is None else series(timings, algorithm, axis)
    if len(points) == 0:
        return NOT_RUN
    power, error, n_fitted = exponent(points, axis)
    # A line has two parameters, so there is one degree of freedom less than for a mean of as many
    # values.
    return student_interval(power, error, n_fitted - 1, level)


def _apart(evidence):
    return not_converged(evidence.unconverged([("large", "tiwd")]))


def _counted(chains):
    return f"{len(chains)} chain{'' if len(chains) == 1 else 's'}"


# ---- The claims TIWD-7 to TIWD-9 and TIWD-11, which are right or wrong up to rounding --------

#: Like ROUNDING, but for log posteriors that the compiled likelihoods sum from shifted distances.
SUMMED = 1e-6

_SETTING = f"Enumerated over all partitions of {formulas.N_ITEMS} objects"

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
    verdict = CONFIRMED if worst <= SUMMED else REFUTED
    text = (
        f"All {int(own['n_partitions'].max()):,} partitions of a few objects: the largest change "
        f"of a difference of log posteriors (the effect) under {', '.join(own['transformation'])}"
    )
    moved = found[(found["likelihood"] != LIKELIHOOD) & (found["transformation"] == "translation")]
    for row in moved.to_dict("records"):
        text += f"; translation changes those of {row['likelihood']} by {row['worst']:.2g}"
    return evidence.found(verdict, (worst,) * 3, text, (), missing)


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
        f"{_SETTING}: log n + sum log lambda_b - log sum n_b lambda_b differs from the log "
        f"product of the nonzero eigenvalues by {error:.1e} at most (the effect), the roots of the "
        f"secular equation by {roots:.1e}. No root has to be found."
    )
    # The claim is that there is no such formula.
    return exact(error > ROUNDING, error, text)


tiwd9 = CLAIMS.formula(
    "TIWD-9",
    "with the scale integrated out, the exponent of the likelihood of TIWD is nd/2 + r0 "
    "(equation 15 as it reads)",
    "total variation from the posterior found by quadrature, from 0 to 1",
    lambda: formulas.exponent_error(formulas.N_ITEMS * formulas.DIM / 2),
    lambda: (
        f"{_SETTING}, d = {formulas.DIM}, theta = {formulas.THETA}: total variation (the effect) "
        "from the posterior with the scale integrated by quadrature; with (n - 1) d/2 + r0 it is "
        f"{formulas.exponent_error((formulas.N_ITEMS - 1) * formulas.DIM / 2):.1e}. The text that "
        "was read has lost signs; the fault may be there."
    ),
)
tiwd11 = CLAIMS.formula(  # at three values of lambda
    "TIWD-11",
    "under the Ewens prior two objects share a cluster with probability 1/(1 + lambda)",
    "largest error of that probability",
    formulas.pair_error,
    f"{_SETTING}: the effect is the largest error.",
)


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
