"""The claims TIWD-1 to TIWD-14 of Vogt et al. (2010); the paper prints no numbers to be judged."""

from dataclasses import replace
from functools import partial

import numpy as np

from reseat.papers import claims as judging
from reseat.papers import statistics
from reseat.papers.distances import PAPER, formulas
from reseat.papers.distances.plan import TRUTH
from reseat.papers.distances.results import (
    BASELINES,
    DIMS,
    EXPERIMENT1,
    LOST,
    NEW_FEW,
    ROLES,
    SPLIT,
    SPLITS,
    THETAS,
    label,
)
from reseat.papers.distances.samplers import backward_share, settling_sweep
from reseat.papers.distances.tables import ALGORITHMS, AXES, exponent, series
from reseat.papers.tables import rows_of
from reseat.vocabulary import CONFIRMED, OURS, REFUTED, UNTESTABLE

CLAIMS = judging.Claims(PAPER)
claim = CLAIMS.claim

# ---- The claims TIWD-1, TIWD-3, TIWD-4 and TIWD-10: which method finds the true clusters -----
#
# Methods are compared on the same data draws, by medians over these, as in the paper's box plots,
# with the intervals of the sign test. The verdict is about chains that start in one block, as the
# paper's do; those from other starts are further readings.

# How words are read as an ARI, or as a lead in it; see the claims.
VERY_WELL, HALF, WELL, FAILS = 0.9, 0.5, 0.75, 0.1
CLEARLY, PARTLY = 0.05, 0.05
#: What a reading calls chains by their start.
FROM = {"many": "from many blocks", TRUTH: "from the true blocks"}
# How many clusters count as more (TIWD-10), and how large a change is critical (TIWD-12, TIWD-13).
MORE, CRITICAL = 1.0, 0.1


def compared(key, says, effect, cells, text, again=(), shown=min, uncounted=""):
    """Declare a claim about cells, of which the `shown` one behind the verdict is the effect."""

    @claim(key, says, effect=effect, uncounted=uncounted, again=("start", *again))
    def rule(evidence):
        made = cells(evidence)
        what = text if isinstance(text, str) else text(evidence)

        def words(found):
            roles = dict.fromkeys(cell.role for cell in found)
            counts = [cell.n_values for cell in found]
            span = " to ".join(map(str, sorted({min(counts), max(counts)})))
            numbers = ", ".join(f"{cell.name} ({cell.interval[0]:.2f})" for cell in found)
            repetitions = f"{span} repetition{'' if span == '1' else 's'}"
            which = "smallest" if shown is min else "largest"
            end = f"; the effect is the {which} behind the verdict" if len(found) > 1 else ""
            pairs = [(cell.role, system) for cell in made for system in cell.systems]
            apart = judging.not_converged(evidence.unconverged(pairs))
            return f"{evidence.where(roles)}, {repetitions}: {numbers}: {what}{end}{apart}"

        return judging.judge_cells(evidence, made, words, shown)

    return rule


def _cell(evidence, role, rule, *systems, name="", column="ari"):
    """Return a comparison by the median score of a system, or its lead over another."""
    values = (evidence.gain if len(systems) > 1 else evidence.values)(role, *systems, column)
    name = name or " over ".join(_named(evidence, role, model) for model in systems)
    absent = f"{ROLES[role]} ({name})"
    interval = statistics.median_interval if column == "ari" else statistics.mean_interval
    return judging.Cell(name, role, partial(interval, values), rule, absent, systems, len(values))


def _change(evidence, role, model, base):
    """Return the change of the ARI from one model to another, by chains if there is one draw."""
    cell = _cell(
        evidence, role, judging.within(-CRITICAL, CRITICAL), model, base, name=label(model)
    )
    if cell.n_values > 1:
        return cell
    chains = [evidence.chains(role, name)["ari"].dropna() for name in (model, base)]
    measure = partial(statistics.difference_interval, *chains)
    return replace(cell, measure=measure, n_values=min(map(len, chains)))


def _well(evidence, mean):
    """Return the comparisons of WD and TIWD with the ARI that counts as well on each draw."""
    found = []
    for cell in _each_dim(evidence, mean, judging.above(0.0), ("wd", "tiwd")):
        values = evidence.values(cell.role, *cell.systems)
        reached = evidence.values(cell.role, *cell.systems, start=TRUTH)
        bars = (reached.reindex(values.index) - CLEARLY).clip(HALF, WELL).fillna(WELL)
        name = f"{cell.name}: {values.median():.2f}, less what is well"
        found.append(
            replace(cell, name=name, measure=partial(statistics.median_interval, values - bars))
        )
    return found


def _farthest(intervals, key):
    return max(intervals, key=lambda interval: abs(key(interval)))


def _each_dim(evidence, mean, rule, models, over=()):
    """Return the comparisons of models, or of others over them, for each number of dimensions."""
    return [
        _cell(
            evidence, role, rule, *over, model, name=f"{_named(evidence, role, model)} at d = {dim}"
        )
        for dim in DIMS
        for role in [evidence.means(dim, mean)]
        for model in models
    ]


def _named(evidence, role, model):
    return label(evidence.judged_model(role, model))


def _helps_partially(key, dim, again, uncounted=""):
    """Declare a claim that WD_R is better than WD, but not as good as TIWD."""

    def cells(evidence):
        role = evidence.means(dim, 40)
        return [
            _cell(evidence, role, judging.above(0.0), evidence.centred, "wd"),
            _cell(evidence, role, judging.above(PARTLY), "tiwd", evidence.centred),
        ]

    return compared(
        key,
        f"{_ANY_MEAN} and d = {dim}, subtracting row means (WD_R) helps only partially",
        "smaller lead of WD_R over WD and of TIWD over WD_R in adjusted Rand index",
        cells,
        f"lead in ARI; 'only partially' is read as TIWD being ahead of WD_R by more than {PARTLY}",
        again=again,
        uncounted=uncounted,
    )


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
    gain = evidence.gain("overlapping", *_ANNEALED)
    change = f"; ARI changes by {gain.mean():+.2f}" if len(gain) else ""
    return f"further clusters; more than {MORE:g} counts as more{change}"


_ANNEALED = ("tiwd_anneal_likelihood", "tiwd")
_CLUSTERS = {"name": "clusters", "column": "n_clusters"}
_ANY_MEAN = "on clusters with means other than zero"

tiwd1a = compared(
    "TIWD-1a",
    "on separated clusters TIWD and the hierarchical methods all do very well",
    "median adjusted Rand index of the least accurate method",
    lambda evidence: [
        _cell(evidence, "separated", judging.above(VERY_WELL), model) for model in EXPERIMENT1
    ],
    f"median ARI; 'very well' is read as above {VERY_WELL}",
)
tiwd1b = compared(
    "TIWD-1b",
    "on overlapping clusters TIWD is clearly better than the hierarchical methods",
    "smallest median lead of TIWD in adjusted Rand index",
    lambda evidence: [
        _cell(evidence, "overlapping", judging.above(CLEARLY), "tiwd", model, name=label(model))
        for model in BASELINES
    ],
    f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}",
)
tiwd3a = compared(
    "TIWD-3a",
    "on clusters with zero means, WD and TIWD both perform well",
    "smallest median adjusted Rand index of WD and TIWD, less that which counts as well",
    lambda evidence: _well(evidence, 0),
    f"median ARI; 'well' is read as above {WELL} or, where chains from the true blocks do not "
    f"reach that, as less than {CLEARLY} below them, but above {HALF}",
    again=("theta",),
)
tiwd3b = compared(
    "TIWD-3b",
    "on clusters with zero means and d = 3, subtracting row means (WD_R) loses accuracy",
    "median lead of WD over WD_R in adjusted Rand index",
    lambda evidence: [
        _cell(evidence, evidence.means(3, 0), judging.above(0.0), "wd", evidence.centred)
    ],
    _spreads,
    again=("truth", "theta", "centred", "lost"),
)
tiwd4a = compared(
    "TIWD-4a",
    f"{_ANY_MEAN}, WD fails completely",
    "largest median adjusted Rand index of WD",
    lambda evidence: [
        _cell(evidence, evidence.means(dim, 40), judging.below(FAILS), "wd", name=f"d = {dim}")
        for dim in DIMS
    ],
    f"median ARI of WD; 'completely' is read as below {FAILS}",
    again=("truth", "theta", "split"),
    shown=max,
)
_AGAIN = ("truth", "theta", "centred", "split")
_FOLLOWS = "follows from TIWD-3a, TIWD-3b and TIWD-4a"
tiwd4b = _helps_partially("TIWD-4b", 3, (*_AGAIN, "lost"), _FOLLOWS)
tiwd4c = _helps_partially("TIWD-4c", 100, _AGAIN)
tiwd4d = compared(
    "TIWD-4d",
    f"{_ANY_MEAN}, TIWD is clearly better than WD and WD_R",
    "smallest lead of TIWD over WD and WD_R in adjusted Rand index",
    lambda evidence: _each_dim(
        evidence, 40, judging.above(CLEARLY), ("wd", evidence.centred), over=("tiwd",)
    ),
    f"lead of TIWD in ARI; 'clearly' is read as above {CLEARLY}",
    again=(*_AGAIN, "lost"),
    uncounted="follows from TIWD-4a, TIWD-4b and TIWD-4c",
)
# If further clusters are left, the prior has lost its influence, and small blocks survive.
tiwd10 = compared(
    "TIWD-10",
    "letting the parameter d grow freezes a chain in a partition with as many clusters as "
    "annealing its whole posterior finds",
    "number of clusters that are added when d grows",
    lambda evidence: [
        _cell(evidence, "overlapping", judging.within(-MORE, MORE), *_ANNEALED, **_CLUSTERS)
    ],
    _further_clusters,
    shown=max,
)

tiwd12 = compared(
    "TIWD-12",
    "the number of degrees of freedom d is not a very critical parameter of TIWD",
    "largest change of the adjusted Rand index when d is halved or doubled",
    lambda evidence: [
        _change(evidence, role, f"{base}_d_{times}", base)
        for role, base in (("overlapping", "tiwd"), ("protein213", "tiwd_free"))
        for times in ("half", "twice")
    ],
    f"change of the ARI; 'not very critical' is read as within {CRITICAL} of that with the true d, "
    "or with the rank of the dissimilarities",
    shown=_farthest,
)
tiwd13 = compared(
    "TIWD-13",
    "the parameter lambda of the Dirichlet process has little influence on the clusters of TIWD",
    "largest change of the adjusted Rand index when lambda is a tenth, ten times or sampled",
    lambda evidence: [
        _change(evidence, "overlapping", f"tiwd_lambda_{value}", "tiwd")
        for value in ("01", "10", "sampled")
    ],
    f"change of the ARI; 'little' is read as within {CRITICAL} of that with lambda = 1",
    shown=_farthest,
)

# ---- The claims TIWD-2, TIWD-5, TIWD-6 and TIWD-14: scale, cost, unlabelled objects ----------

# How words are read: a factor, and shares; how far a fitted exponent may exceed a bound.
ROUGHLY, ALMOST, NEARLY_ALL, FEW = 2.0, 0.2, 0.9, 6
SLACK = 0.25


@claim(
    "TIWD-2a",
    "with 8,000 objects it takes roughly 500 sweeps until the number of clusters is stable",
    effect="sweep from which the number of clusters is stable",
)
def tiwd2a(evidence):
    """Judge the mean `settling_sweep` over draws of long traces: `ROUGHLY` that printed."""
    draws = evidence.large_draws
    if not draws:
        return judging.untested("no trace was kept.")
    printed = evidence.published.fig3["sweeps until stable"]
    settled = [[settling_sweep(chain) for chain in chains] for chains in draws]
    mean, low, high = statistics.mean_interval([np.mean(of_draw) for of_draw in settled])
    interval = mean, max(low, 0.0), high  # there is no sweep before the first
    verdict = judging.within(printed / ROUGHLY, ROUGHLY * printed)(interval)
    shortest = min(chains.shape[1] for chains in draws)
    if shortest <= ROUGHLY * printed:
        verdict = UNTESTABLE
    found = np.concatenate(settled)
    text = (
        f"{evidence.where(['large'])}, {_counted(draws)} of {shortest:,} sweeps: stable from "
        f"sweep {found.min():,} to {found.max():,} on, {printed:g} being printed; 'roughly' is "
        f"read as within a factor of {ROUGHLY:g}{_apart(evidence)}"
    )
    return evidence.found(verdict, interval, text, ["large"])


@claim(
    "TIWD-2b",
    "started from one block, the number of clusters of 8,000 objects increases almost "
    "monotonically until it is stable",
    effect="steps down as a share of the steps up",
)
def tiwd2b(evidence):
    """Judge the `backward_share`, with an interval over draws: below :data:`ALMOST`."""
    draws = evidence.large_draws
    shares = [[backward_share(chain) for chain in chains] for chains in draws]
    rises = [np.nanmean(of_draw) for of_draw in shares if not np.isnan(of_draw).all()]
    if not rises:
        return judging.untested("no trace that starts below its level was kept.")
    interval = statistics.mean_interval(rises)
    text = (
        f"{evidence.where(['large'])}, {_counted(draws)}: steps down as a share of the steps up "
        f"before the number of clusters first reaches its level; 'almost monotonically' is read "
        f"as below {ALMOST}{_apart(evidence)}"
    )
    return evidence.found(judging.below(ALMOST)(interval), interval, text, ["large"])


@claim(
    "TIWD-5",
    "a sweep of the sampler for TIWD costs O(n^2 + n k^2) (theorem 1)",
    effect="exponent of k in the cost of a sweep",
)
def tiwd5(evidence):
    """Judge the exponent of k in the terms of the secular equation that a sweep adds up.

    They are counted, because other costs hide them in the time of a sweep. The proof counts finding
    the k - 1 roots of a candidate as O(k), which is the cost of one evaluation of the equation.
    """
    counted = "Counted terms of the secular equation in a sweep"
    return _cost(evidence, "secular", "terms", counted, "k")


@claim("TIWD-5", reading="closed form")
def tiwd5_closed(evidence):
    """Judge the exponents of n and k in the time of a sweep with the closed form."""
    return _cost(evidence, "closed", "seconds_per_sweep", "Seconds of timed sweeps", *AXES)


def _of_globins(key, says, effect, rule, judge):
    """Declare a claim on the unlabelled globins; `judge` returns the interval and the evidence.

    Chains that disagree decide nothing, as the annealed partition then depends on its start, nor
    does a single one, nor other sequences, of which any share may belong to no class.
    """

    @claim(key, says, effect=effect)
    def rule_of_counts(evidence):
        counts, apart = evidence.globins, evidence.unconverged_globins
        if counts is None:
            return judging.untested("the globins were not run.")
        interval, text = judge(evidence, counts)
        if apart:
            interval = (interval[0], np.nan, np.nan)
        if not evidence.is_faithful("globins"):
            text += "; these are not the paper's sequences, so that they decide nothing"
        verdict = evidence.unless_substitute(rule(interval), "globins")
        text = f"{evidence.where(['globins'])}: {text}{judging.not_converged(apart)}"
        return evidence.found(verdict, interval, text, ["globins"])

    return rule_of_counts


def _joined(_evidence, counts):
    """Return the share of the unlabelled globins in a class, with its interval over objects."""
    unlabelled = round(counts["unlabelled"])
    joined = round(counts["share in classes"] * counts["unlabelled"])
    return statistics.proportion_interval(joined, unlabelled), (
        f"{joined:,} of {unlabelled:,} unlabelled sequences in one of {counts['classes']:g} "
        f"classes; 'nearly all' is read as above {NEARLY_ALL}"
    )


def _new_blocks(evidence, counts):
    """Return the number of new blocks with at least 1 % of the unlabelled globins."""
    found = counts["new blocks of 1 %"]
    return (found,) * 3, (
        f"{found:g} new blocks of at least 1 % of the unlabelled "
        f"sequences, {counts['new blocks']:g} with the smaller ones; the paper has "
        f"{evidence.published.fig5['new blocks']:g}; 'a few' is read as 1 to {FEW}"
    )


tiwd6a = _of_globins(
    "TIWD-6a",
    "nearly all unlabelled globins join one of the labelled classes",
    "share of the unlabelled sequences that join a labelled class",
    judging.above(NEARLY_ALL),
    _joined,
)
tiwd6b = _of_globins(
    "TIWD-6b",
    "a few new classes appear among the unlabelled globins",
    "number of new blocks of at least 1 % of the unlabelled sequences",
    judging.within(0.5, FEW + 0.5),
    _new_blocks,
)

# Share that should return, and numbers of new blocks that count as one.
RETURN, OWN_BLOCK = 0.9, (0.5, 1.5)


def _of_hidden(key, says, effect, column, rule, text):
    """Declare a statement on globins of which some labels are hidden, judged over chains."""

    @claim(key, says, effect=effect, source=OURS)
    def rule_of_chains(evidence):
        role = "globins_added"
        chains = evidence.chains(role, NEW_FEW)
        values = chains[column].dropna() if column in chains else ()
        apart = evidence.unconverged([(role, NEW_FEW)])
        measure = partial(statistics.mean_interval, values)
        cell = judging.Cell(NEW_FEW, role, measure, rule, ROLES[role], decides=not apart)

        def words(_found):
            nearest = f"; the nearest label returns {chains['nearest'].mean():.2f}"
            said = text + (nearest if column == "right" else "") + judging.not_converged(apart)
            return f"{evidence.where([role])}, {len(values)} chains: {said}"

        return judging.judge_cells(evidence, [cell], words)

    return rule_of_chains


tiwd14a = _of_hidden(
    "TIWD-14a",
    "members of known classes whose label is hidden return to their class under TIWD",
    "share of these that are in their class",
    "right",
    judging.above(RETURN),
    f"share of the globins with a hidden label that return, which should be above {RETURN}",
)
tiwd14b = _of_hidden(
    "TIWD-14b",
    "a class of which no label is known gets a block of its own under TIWD",
    "mean number of new blocks that hold members of a hidden class",
    "blocks_each",
    judging.within(*OWN_BLOCK),
    f"new blocks a hidden class, which should be one, read as {OWN_BLOCK[0]} to {OWN_BLOCK[1]}",
)


def _cost(evidence, algorithm, cost, words, *axes):
    cells = []
    for axis in axes:
        measure = partial(_power, evidence.timings, algorithm, axis, cost)
        rule = judging.below(evidence.published.scaling["secular", axis] + SLACK)
        cells.append(judging.Cell(axis, "", measure, rule, f"sweeps at several {axis}"))
    found, missing = judging.measured_and_missing(judging.measure_together(cells))
    if not found:
        return judging.untested(f"no sweeps of the {ALGORITHMS[algorithm]} algorithm were made.")
    verdict = judging.all_of(cell.verdict for cell in found)
    parts = [f"{cell.name}^{cell.interval[0]:.2f}" for cell in found]
    text = (
        f"{words}, {ALGORITHMS[algorithm]}: they grow as {' and '.join(parts)} (the last "
        f"exponent is the effect); the bound is read as exponents of 2, {SLACK} left to the fit"
    )
    return evidence.found(verdict, found[-1].interval, text, (), missing)


def _power(timings, algorithm, axis, cost, level):
    points = () if timings is None else series(timings, algorithm, axis)
    if len(points) == 0:
        return judging.NOT_RUN
    power, error, n_fitted = exponent(points, axis, cost)
    # A line has two parameters, a mean one.
    return statistics.student_interval(power, error, n_fitted - 1, level)


def _apart(evidence):
    return judging.not_converged(evidence.unconverged([("large", "tiwd")]))


def _counted(draws):
    chains = sum(map(len, draws))
    return f"{chains} chain{'' if chains == 1 else 's'} on {len(draws)} draw{'s'[: len(draws) - 1]}"


# ---- The claims TIWD-7 to TIWD-9 and TIWD-11, which are right or wrong up to rounding --------

#: Like ROUNDING, but for log posteriors that the compiled likelihoods sum from shifted distances.
SUMMED = 1e-6

_SETTING = f"Enumerated over all partitions of {formulas.N_ITEMS} objects"

#: Transformations that are claimed to leave the posterior unchanged.
INVARIANCES = ("permutation", "scale", "translation", "rotation")


@claim(
    "TIWD-7",
    "the posterior of TIWD is invariant to permutation, scale, translation and rotation",
    effect="largest change of a difference of log posteriors, in nats",
)
def tiwd7(evidence):
    """Judge the largest change of a difference of log posteriors, which should be rounding."""
    found = evidence.invariance
    if found is None:
        return judging.untested("no transformation was tried.")
    own = rows_of(found, likelihood="TIWD")
    worst = float(own["worst"].max())
    missing = [name for name in INVARIANCES if name not in set(own["transformation"])]
    verdict = CONFIRMED if worst <= SUMMED else REFUTED
    text = (
        f"All {int(own['n_partitions'].max()):,} partitions of a few objects: the largest change "
        f"of a difference of log posteriors (the effect) under {', '.join(own['transformation'])}"
    )
    (moved,) = rows_of(found, likelihood="WD", transformation="translation")["worst"]
    text += f"; translation changes those of WD by {moved:.2g}"
    return evidence.found(verdict, (worst,) * 3, text, (), missing)


tiwd8 = CLAIMS.formula(
    "TIWD-8",
    "the generalised determinant in the likelihood of TIWD has a closed form, for which no roots "
    "of a secular equation are needed",
    "largest error of the closed form, in nats",
    lambda: formulas.determinant_error(formulas.log_determinant_closed),
    lambda: (
        f"{_SETTING}: log n + sum log lambda_b - log sum n_b lambda_b differs from the log "
        "product of the nonzero eigenvalues by the effect at most, the roots of the secular "
        "equation, by which the paper computes it, by "
        f"{formulas.determinant_error(formulas.log_determinant_secular):.1e}."
    ),
    source=OURS,
)
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


@CLAIMS.ways("theta", "start", "truth", "centred", "split", "lost")
def ways(evidence):
    """Judge the claims about accuracy again under other readings, one change at a time."""
    ran, starts = {*evidence.scores["model"]}, {*evidence.scores["start"]}
    for theta in THETAS:
        if theta != evidence.theta and evidence.has_theta(theta):
            yield "theta", f"theta = {theta}/d", replace(evidence, theta=theta)
    for start, words in FROM.items():
        if start in starts:
            way = "truth" if start == TRUTH else "start"
            yield way, words, replace(evidence, start=start)
    if "wdr_direct" in ran:
        yield "centred", "row means of the data", replace(evidence, centred="wdr_direct")
    if ran & {*SPLIT.values()}:
        yield "split", SPLITS, replace(evidence, centred="wdr_direct", instead=SPLIT)
    if ran & {*LOST.values()}:
        yield "lost", "d degrees of freedom", replace(evidence, instead={})
