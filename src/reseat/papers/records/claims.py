"""The claims MIC-1 to MIC-22 of Zanella et al. (2016), judged on what was computed and measured."""

from dataclasses import replace
from functools import partial

from scipy.special import ndtri

from reseat.datasets.identity import UNCOMPARED
from reseat.papers import claims as judging
from reseat.papers.records import PAPER, formulas, study_tables
from reseat.papers.records import evidence as measures
from reseat.papers.records.results import DELTAS, MODELS, SAMPLED, SETS
from reseat.papers.statistics import LEVEL, bonferroni, log_slope, min_group
from reseat.vocabulary import AS_PRINTED, CONFIRMED, OURS, REFUTED, UNTESTABLE

CLAIMS = judging.Claims(PAPER)
claim = CLAIMS.claim

FIXED = "concentrations fixed"

#: The ways in which a claim about error rates is judged again: the parameters of DP and PYP are
#: sampled or fixed, and the rates are those of a point estimate or posterior means.
EVERY_WAY = ("fixed", "means", "fixed means", judging.PRINTED)

# ---- Claims MIC-10 to MIC-20: which prior does better on which data --------------------------
#
# They are judged on our posteriors, with an interval over data draws. Generated data decide
# nothing about the paper's sets, and a claim about several sets or variants is not confirmed
# while one of them is missing.


def _almost_all(key, worse, columns, what, again):
    """Declare a claim about the variants of surveys where NBNB and NBD are no worse in `columns`.

    "Almost all" is read as all but :data:`ALL_BUT`, by the bootstrap over data draws.
    """

    @claim(
        key,
        f"NBNB and NBD have no worse {worse} than DP and PYP on almost all variants of Italy and "
        "NLTCS5000",
        effect=f"number of variants on which neither NBNB nor NBD has worse {worse}",
        again=again,
    )
    def rule(evidence):
        losses = evidence.losses(measures.SURVEYS)
        if not losses:
            return judging.untested("no variant was run under all four priors.")
        interval = evidence.bootstrap(losses, lambda means: len(measures.no_worse(means, columns)))
        # The count is an integer; subtracting a half puts the threshold between two integers.
        verdict = judging.above(len(losses) - measures.ALL_BUT - 0.5)(interval)
        good = measures.no_worse(measures.mean_losses(losses), columns)
        bad = [measures.variant_title(*cell) for cell in losses if cell not in good]
        text = (
            f"on {len(good)} of {len(losses)} variants (the effect) neither NBNB nor NBD is worse "
            f"than DP or PYP in {what}; {measures.EQUAL}; 'almost all' is read as all but "
            f"{measures.ALL_BUT}"
        )
        text += f"; worse on {', '.join(bad)}" if bad else ""
        return _of_variants(evidence, losses, measures.SURVEYS, verdict, interval, text)

    return rule


def _share(key, says, effect, roles, statistic, rule, text, printed):
    """Declare a claim about a share of the comparisons on some sets, also as `printed`."""

    @claim(key, says, effect=effect, again=EVERY_WAY)
    def judged(evidence):
        losses = evidence.losses(roles)
        if not losses:
            return judging.untested("no variant was run under all four priors.")
        interval = evidence.bootstrap(losses, statistic)
        # A share of the variants that are there says nothing about that of all of them.
        verdict = UNTESTABLE if measures.missing_cells(losses, roles) else rule(interval)
        words = text if evidence.measured else printed.format(interval[0])
        return _of_variants(evidence, losses, roles, verdict, interval, words)

    return judged


def _of_variants(evidence, losses, roles, verdict, interval, text):
    """Return the verdict from all variants of the paper's sets that ran."""
    missing = measures.missing_cells(losses, roles)
    roles = list(dict.fromkeys(role for role, _delta in losses))
    apart = evidence.unconverged(roles)
    if apart or not all(map(evidence.is_faithful, roles)):
        verdict = UNTESTABLE
    behind = evidence.behind(measures.SOURCE, map(len, losses.values()), roles, fewest=min_group())
    return evidence.found(
        verdict, interval, f"{behind}: {text}{judging.not_converged(apart)}", roles, missing
    )


mic10 = _almost_all("MIC-10", "error rates", measures.ERROR_RATES, "FNR and FDR", EVERY_WAY)
mic11 = _almost_all(
    *("MIC-11", "cluster sizes", measures.SIZE_STATISTICS, "the four statistics of cluster sizes"),
    again=("fixed", judging.PRINTED),
)
mic12 = _share(
    "MIC-12",
    "NBD is in general the best of the four priors on Italy and NLTCS5000",
    "share of comparisons in which no prior is better than NBD",
    measures.SURVEYS,
    measures.share_nbd_best,
    judging.above(measures.GENERAL),
    "share of comparisons (variant by error rate or size statistic) in which no prior is better "
    f"than NBD; {measures.EQUAL}; 'in general' is read as above {measures.GENERAL}",
    f"NBD is not beaten in {{:.0%}} of the comparisons; {measures.EQUAL}",
)
mic14 = _share(  # ties count one half
    "MIC-14",
    "on Syria2000 and SyriaSizes there is no consistent pattern of which priors do better",
    "share of comparisons that NBNB and NBD win against DP and PYP; a half is no pattern",
    measures.SYRIA,
    measures.share_won,
    judging.within(1 - measures.PATTERN, measures.PATTERN),
    "share of comparisons (variant by error rate or size statistic by pair of priors) won by NBNB "
    f"and NBD against DP and PYP; {measures.EQUAL}, a tie being half a win; a pattern is read as "
    f"more than {measures.PATTERN} for one side",
    f"NBNB and NBD win {{:.0%}} of the comparisons; {measures.EQUAL}, ties being half",
)


@claim(
    "MIC-13",
    "the lead of NBNB and NBD over DP and PYP in error rates and in statistics of cluster "
    "sizes grows with the distortion delta",
    effect="smallest growth of the lead from the smallest to the largest delta, as a share",
    again=EVERY_WAY,
)
def mic13(evidence):
    """Judge MIC-13 by how much the lead in each loss grows from the smallest to the largest delta.

    All simultaneous Welch intervals over data draws must lie above 0 on both sets; a set on which a
    model has not converged decides nothing.
    """
    losses, ends = evidence.losses(measures.SURVEYS), (DELTAS[0], DELTAS[-1])
    settled = {role: not evidence.unconverged([role], ends) for role in measures.SURVEYS}
    cells = [
        judging.Cell(
            loss,
            role,
            partial(evidence.growth_of_gap, losses, role, loss),
            judging.above(0.0),
            SETS[role],
            decides=settled[role],
        )
        for role in measures.SURVEYS
        for loss in measures.LOSSES
    ]
    behind = partial(evidence.behind, measures.SOURCE, map(len, losses.values()))
    nothing = "no set was run at both ends of delta."
    return _judge_sets(evidence, cells, behind, measures.growth_text, nothing, ends)


@claim(
    "MIC-15",
    "DP and PYP overestimate the number of clusters at the largest delta on Italy, NLTCS5000 and "
    "SyriaSizes",
    effect="smallest E[K] as a share of the true number, less 1",
    again=("fixed", judging.PRINTED),
)
def mic15(evidence):
    """Judge MIC-15: all excesses E[K]/K - 1 of DP and PYP at the largest delta above `OVER`."""
    return _excess(evidence, measures.OVERESTIMATED, "smallest", judging.all_of, "nothing was run")


@claim(
    "MIC-16",
    "DP and PYP do not both overestimate the number of clusters at the largest delta on Syria2000",
    effect="smaller E[K] as a share of the true number, less 1",
    again=("fixed", judging.PRINTED),
)
def mic16(evidence):
    """Judge MIC-16, the exception to MIC-15: not both excesses of DP and PYP above `OVER`."""
    return _excess(evidence, ("syria2000",), "smaller", judging.not_all_of, "Syria2000 was not run")


@claim(
    "MIC-17",
    "74 % of the clusters of Italy and 68 % of those of NLTCS5000 are singletons",
    effect="share of singletons less the printed one, the largest difference",
    again=(judging.PRINTED,),
)
def mic17(evidence):
    """Judge MIC-17: refuted if the true shares are not those printed, to half a per cent."""
    found = evidence.singletons(measures.SINGLETON_SHARES)
    if not found:
        return judging.untested("neither set was made.")
    gaps = {role: ones / k - measures.SINGLETON_SHARES[role] for role, (ones, k) in found.items()}
    worst = float(max(gaps.values(), key=abs))
    parts = [
        f"{ones / k:.1%} of the {k:.0f} clusters of {SETS[role]} are singletons, not "
        f"{measures.SINGLETON_SHARES[role]:.0%}"
        for role, (ones, k) in found.items()
    ]
    text = f"{'; '.join(parts)}; the effect is the largest difference"
    verdict = CONFIRMED if abs(worst) <= 0.005 else REFUTED
    missing = [SETS[role] for role in measures.SINGLETON_SHARES if role not in found]
    where = evidence.behind("The dashed lines of Figure 2 over the true K of Table 1", (), found)
    return evidence.found(verdict, (worst,) * 3, f"{where}: {text}", list(found), missing)


@claim(
    "MIC-19",
    "on Italy, whose clusters have at most two records, NBD finds no larger ones and NBNB does",
    effect="smallest distance of the largest cluster from 2.5 records, on the side claimed",
    again=(judging.PRINTED,),
)
def mic19(evidence):
    """Judge MIC-19 by whether the largest cluster is nearer to 2 records than to 3, at every delta.

    The paper says that two files without duplicates need NBD, since a negative binomial cannot give
    clusters of one and of two records alone.
    """
    cells = [
        judging.Cell(
            f"{MODELS[model]} at {delta:g}",
            "italy",
            partial(evidence.mean, side * (evidence.largest("italy", delta, model) - measures.TWO)),
            judging.above(0.0),
            f"{MODELS[model]} on {measures.variant_title('italy', delta)}",
            decides=not evidence.unconverged(["italy"], [delta], [model]),
        )
        for delta in DELTAS
        for model, side in (("nbnb", 1), ("nbd", -1))
    ]
    counts = [len(evidence.largest("italy", delta, "nbd")) for delta in DELTAS]

    def text(effects):
        sizes = ", ".join(f"{name} {effect:+.2f}" for (_role, name), effect in effects.items())
        return (
            "size of the largest cluster beyond 2.5 records (NBNB), and 2.5 less that size (NBD): "
            f"{sizes}; the effect is the smallest"
        )

    behind = partial(evidence.behind, "Figure 2", counts)
    models = ("nbnb", "nbd")
    return _judge_sets(evidence, cells, behind, text, "Italy was not run.", DELTAS, models)


@claim(
    "MIC-20",
    "on Syria2000 and SyriaSizes all four priors have poor error rates",
    effect="smallest error rate less the larger of those on Italy and NLTCS5000",
    again=EVERY_WAY,
)
def mic20(evidence):
    """Judge MIC-20: poor is worse than the same prior on Italy and NLTCS5000, at every delta."""
    losses = evidence.losses((*measures.SURVEYS, *measures.SYRIA))
    cells = [
        judging.Cell(
            f"{rate} of {MODELS[model]} at {delta:g}",
            role,
            partial(evidence.worse, losses, role, delta, place, column),
            judging.above(0.0),
            measures.variant_title(role, delta),
            decides=not evidence.unconverged([role, *measures.SURVEYS], [delta], [model]),
        )
        for role in measures.SYRIA
        for delta in DELTAS
        for place, model in enumerate(MODELS)
        for column, rate in enumerate(("FNR", "FDR"))
    ]

    def text(effects):
        (role, name), smallest_one = min(effects.items(), key=lambda item: item[1])
        return (
            "both error rates of each prior less the larger of those on Italy and NLTCS5000 at the "
            f"same delta: at least {smallest_one:+.3f} (the effect), the {name} on {SETS[role]}"
        )

    behind = partial(evidence.behind, "Table 1", map(len, losses.values()))
    return _judge_sets(evidence, cells, behind, text, "no Syria set was run.", DELTAS)


mic21 = CLAIMS.formula(
    "MIC-21",
    "with a uniform prior on p the expected size of a cluster under NBNB is infinite",
    "relative error of the growth of its integral up to p = 1 - exp(-t), which is r for each unit "
    "of t; 0 if the claim holds",
    formulas.uniform_p_error,
    f"Integrated numerically at r = {formulas.R}: relative difference (the effect) between r and "
    "what each unit of t adds to the expected size up to p = 1 - exp(-t), for t from 40 to 50. "
    "Under Beta(2, 2), as in the paper, it gains less and less, in proportion to exp(-t).",
)


def _judge_sets(
    evidence, cells, behind, text, nothing, deltas, models=tuple(MODELS), whole=judging.all_of
):
    """Return the verdict from cells on the paper's sets; the effect is the smallest of all."""
    cells = judging.measure_together(cells)
    found, missing = judging.measured_and_missing(cells)
    if not found:
        return judging.untested(nothing)
    roles = list(dict.fromkeys(cell.role for cell in found))
    verdict = whole(evidence.unless_substitute(cell.verdict, cell.role) for cell in cells)
    effects = {(cell.role, cell.name): cell.interval[0] for cell in found}
    apart = judging.not_converged(evidence.unconverged(roles, deltas, models))
    words = f"{behind(roles)}: {text(effects)}{apart}"
    return evidence.found(verdict, judging.smallest(found), words, roles, missing)


def _excess(evidence, roles, which, whole, nothing):
    """Judge the relative excess E[K]/K - 1 of DP and PYP at the largest delta."""
    values = {
        (role, system): evidence.excess(role, system, model)
        for role in roles
        for system, model in measures.EXCEEDING.items()
    }
    ran = {role for (role, _system), excess in values.items() if len(excess)}
    cells = [
        judging.Cell(
            system,
            role,
            partial(evidence.mean, excess),
            judging.above(measures.OVER),
            f"{system} on {SETS[role]}" if role in ran else SETS[role],
            decides=not evidence.unconverged([role], DELTAS[-1:], [measures.EXCEEDING[system]]),
        )
        for (role, system), excess in values.items()
    ]
    counts = [len(excess) for excess in values.values() if len(excess)]
    at = f"delta = {DELTAS[-1]:g}"
    effect = f"; the effect is the {which}" if evidence.measured else ""

    def text(effects):
        parts = (f"{name} on {SETS[role]} {value:+.1%}" for (role, name), value in effects.items())
        return f"E[K]/K - 1: {', '.join(parts)}{effect}; {measures.OVER_MEANS}"

    models = tuple(measures.EXCEEDING.values())
    behind = partial(evidence.behind, "Table 1", counts, at=at)
    absent = f"{nothing} at {at}."
    return _judge_sets(evidence, cells, behind, text, absent, DELTAS[-1:], models, whole)


# ---- Claims about the printed numbers alone --------------------------------------------------


@claim("MIC-6", only=judging.PRINTED)
def mic6_printed(printed):
    """Judge MIC-6 by the slope of log M/N on log N for NBNB in Figure 1."""
    draws = printed.published.fig1
    slopes = {
        name: log_slope(part["n_items"], part["max_size"] / part["n_items"])
        for name, part in draws.groupby("system", sort=False)
    }
    slope = slopes["NBNB"][0]
    parts = [f"{name} {slope:.2f} (se {error:.2f})" for name, (slope, error) in slopes.items()]
    text = (
        f"Figure 1, {len(draws) // len(slopes)} points each: slope of log M/N on log N "
        f"{', '.join(parts)}; the effect is that of NBNB."
    )
    return judging.exact(slope < measures.VANISHING, slope, text)


@claim(
    "MIC-18",
    "the error rates of Table 1 are posterior means, as its numbers of clusters are",
    effect="number of rows of Table 1 that break the bound between such means",
    source=OURS,
    only=judging.PRINTED,
)
def mic18(printed):
    """Judge MIC-18 by the rows of Table 1 beyond the bound, which point estimates may break."""
    below_bound = measures.rows_below_bound(printed.published.table1)
    n_rows = len(printed.published.cells()) * len(MODELS)
    text = (
        f"Table 1: {len(below_bound)} of {n_rows} rows (the effect) print an FDR below the least "
        f"mean that their E[K] and FNR allow{measures.below_bound_text(below_bound)}."
    )
    return judging.exact(not below_bound, len(below_bound), text)


# ---- Claims MIC-1 to MIC-9: formulas, the growth of blocks, and the chaperones algorithm -----

#: Standard errors between the means of two moves above which their distributions differ.
APART = 3

#: Quantities by which the mixing of moves is judged.
MIXING = ("n_clusters", "log_joint")

#: The order of visits that does not depend on the state.
STATE_FREE = "ascending"

_SETTING = (
    f"a = {formulas.A}, q = {formulas.Q}, r = {formulas.R}, p = {formulas.P}, "
    f"all partitions of {formulas.N_ITEMS} items"
)


mic1 = CLAIMS.formula(
    "MIC-1",
    "equations 9, 12 and 19 are the joint probability of a partition and its size under "
    "NBNB and NBD",
    "largest relative error of the probability of a partition",
    formulas.joint_error,
    f"Enumerated with {_SETTING} and fewer (NBD: alpha = {formulas.ALPHA:g}, geometric "
    f"{formulas.BASE:g}): the largest relative error of the probability of a partition (the "
    "effect), against the generative process summed over all labellings.",
)
mic2 = CLAIMS.formula(
    "MIC-2",
    "given the number of items, the probability of a partition under NBNB is "
    "proportional to equation 13",
    "range over all partitions of log (13) less log (12), in nats; 0 if the claim holds",
    formulas.conditional_error,
    f"Enumerated with {_SETTING}: the effect is the range of log (13) - log (12), which must be "
    "constant.",
)
mic3 = CLAIMS.formula(
    "MIC-3",
    "in the reallocation of an item under NBNB, after equation 13, a new cluster has "
    "weight (K + a) beta",
    "largest total variation from the conditionals of equation 12, from 0 to 1",
    lambda: formulas.reseating_error("printed"),
    lambda: (
        f"Enumerated with {_SETTING}: largest total variation (the effect) between the printed "
        "weights and the conditionals of equation 12; with the weight (K + a) beta r it is "
        f"{formulas.reseating_error('derived'):.1e}. The factor r is missing; the two agree only "
        "at r = 1."
    ),
)
mic4 = CLAIMS.formula(
    "MIC-4",
    "by equation 17, the conditional of r under NBNB has the factor Gamma(|c| - 1 + r)",
    "range over r of log (17) less the log joint, in nats; 0 if the claim holds",
    lambda: formulas.r_conditional_error(-1.0),
    lambda: (
        f"Enumerated with {_SETTING}: range over r of log (17) minus the log joint, which must be "
        "constant (the effect); with Gamma(|c| + r) it is "
        f"{formulas.r_conditional_error(0.0):.1e}."
    ),
)
mic5 = CLAIMS.formula(
    "MIC-5",
    "equation 18 is the conditional of p under NBNB",
    "range over p of log (18) less the log joint, in nats; 0 if the claim holds",
    formulas.p_conditional_error,
    f"Enumerated with {_SETTING}: the effect is the range over p of log (18) minus the log joint, "
    "which must be constant.",
)


@claim(
    "MIC-6",
    "under NBNB the largest cluster's share vanishes as the items grow in number",
    effect="slope of the log of E[M]/N against log N",
)
def mic6(evidence):
    """Judge MIC-6 by whether the slope of log E[M/N] on log N is below `VANISHING` for NBNB.

    NBD decides nothing: a and q are solved for half as many clusters as items at each number of
    items, so that its clusters stay small by construction.
    """
    return _slopes(
        evidence,
        ("NBNB",),
        judging.below(measures.VANISHING),
        f"the share is said to vanish if the slope is below {measures.VANISHING}; NBD is not "
        "judged, as its a and q are solved for N / 2 clusters at each N",
        max,
    )


@claim(
    "MIC-7",
    "under the Dirichlet and Pitman-Yor processes the largest cluster's share does not "
    "vanish as the items grow in number",
    effect="slope of the log of E[M]/N against log N, the smaller of the two priors",
)
def mic7(evidence):
    """Judge MIC-7 by whether the slope of log E[M/N] on log N is above `LASTING` for both."""
    return _slopes(
        evidence,
        ("DP", "PYP"),
        judging.above(measures.LASTING),
        f"the share is said to last if the slope is above {measures.LASTING}",
        min,
    )


@claim(
    "MIC-8",
    "the chaperones algorithm leaves the posterior as it is and reaches every partition",
    effect="largest total variation between the posterior and where the moves settle, 0 to 1",
)
def mic8(evidence):
    """Judge MIC-8 by exact transition matrices: no posterior changed, every partition reached."""
    frame = evidence.invariance
    if frame is None or STATE_FREE not in set(frame["order"]):
        return judging.untested("no transition matrix was computed.")
    free = frame[frame["order"] == STATE_FREE]
    other = frame[frame["order"] != STATE_FREE]
    worst = float(free["total_variation"].max())
    reached = bool(free["irreducible"].all())
    priors = ", ".join(dict.fromkeys(free["prior"]))
    text = (
        f"{len(free)} exact transition matrices ({priors}): largest total variation between the "
        "posterior and the law the moves settle in (the effect), the items of both clusters "
        "visited in an order that does not depend on how they are split; "
        + ("every partition is reached" if reached else "not every partition is reached")
    )
    if len(other):
        text += (
            "; visited one cluster after the other they settle up to "
            f"{other['total_variation'].max():.1e} away"
        )
    verdict = CONFIRMED if worst <= judging.ROUNDING and reached else REFUTED
    return judging.Verdict(verdict, (worst,) * 3, text + ".")


@claim(
    "MIC-9",
    "where clusters are many and small, the chaperones algorithm mixes better than Gibbs sampling",
    effect="smallest ratio of effective samples a CPU second, chaperones to Gibbs sampling",
)
def mic9(evidence):
    """Judge MIC-9 by the ratio of effective samples per second of chaperones to Gibbs sweeps.

    Similar pairs are judged, or uniform ones if these did not run. The ratio must surely exceed 1
    for the number of clusters and the log joint on every data set, by simultaneous Welch intervals.
    Means that differ, or chains that disagree, decide nothing: they seem to mix fast.
    """
    return _mixes_better(evidence, "gibbs", "Gibbs", "Gibbs sweeps")


@claim(
    "MIC-22",
    "where clusters are many and small, the chaperones algorithm mixes better than split-merge "
    "moves",
    effect="smallest ratio of effective samples a CPU second, chaperones to split-merge moves",
)
def mic22(evidence):
    """Judge MIC-22 by the same ratio as MIC-9, to split-merge moves of the same similar pairs."""
    return _mixes_better(evidence, "split_merge", "split-merge moves", "split-merge moves")


def _mixes_better(evidence, against, short, name):
    """Judge whether chaperones have more effective samples a second than another move."""
    runs = evidence.runs
    if runs is None or len(runs) == 0:
        return judging.untested("no moves were compared.")
    runs = runs[runs["quantity"].isin(MIXING)]
    present = [m for m in ("chaperones_similarity", "chaperones_uniform") if m in set(runs["move"])]
    if not present or against not in set(runs["move"]):
        return judging.untested(f"chaperones and {name} did not both run.")
    pairs = list(runs[["dataset", "quantity"]].drop_duplicates().itertuples(index=False, name=None))
    level = bonferroni(LEVEL, len(pairs))
    found = {
        pair: study_tables.speed_ratio(runs, pair[0], present[0], pair[1], level, against)
        for pair in pairs
    }
    worst = min(pairs, key=lambda pair: found[pair][0])
    verdict = judging.all_of(map(judging.above(1.0), found.values()))
    status = dict(runs[["dataset", "status"]].drop_duplicates().itertuples(index=False, name=None))
    if not set(UNCOMPARED).isdisjoint(status.values()):
        verdict = UNTESTABLE
    ratios = ", ".join(
        f"{quantity} on {name} {ratio:.3g}" for (name, quantity), (ratio, *_) in found.items()
    )
    moves = study_tables.chaperones_table("MIC-9", runs)
    table = moves[moves["move"] == present[0]]
    text = (
        f"{judging.on_data(status, status)}: effective samples a CPU second, "
        f"{study_tables.MOVES[present[0]]} over {short}, in {int(table['n_chains'].min())} chains "
        f"each: {ratios}; the effect is the smallest"
    )
    if against == "gibbs":
        least = table["ratio_together"].min()
        text += f"; with samples counted over all chains together, at least {least:.3g}"
    for move in present[1:]:
        others = [
            study_tables.speed_ratio(runs, pair[0], move, pair[1], against=against)[0]
            for pair in pairs
        ]
        text += f"; {study_tables.MOVES[move]}: {min(others):.3g} to {max(others):.3g}"
    apart = study_tables.largest_gap(moves[moves["move"] == against], table)
    if apart > APART:
        verdict = UNTESTABLE
        text += (
            f"; the means are up to {apart:.1f} standard errors apart, so that the chains of one "
            "of the two are not at the posterior yet, and its effective samples too many"
        )
    disagree = evidence.disagreeing_moves(runs, present[0], against)
    if disagree:
        verdict = UNTESTABLE
        text += judging.not_converged(disagree)
    return judging.Verdict(verdict, found[worst], text + ".")


def _slopes(evidence, systems, rule, reading, shown):
    if evidence.growth is None or not set(systems) <= set(evidence.growth["system"]):
        return judging.untested(f"no draws from {' and '.join(systems)}.")
    table = study_tables.theorem_table("", evidence.growth)
    table = table[(table["quantity"] == "largest_share") & (table["se"] > 0)]
    width = ndtri(0.5 + bonferroni(LEVEL, len(systems)) / 2)
    found, parts = [], []
    for system in systems:
        part = table[table["system"] == system].sort_values("n_items")
        slope, error = log_slope(part["n_items"], part["mean"], part["se"])
        found.append((slope, slope - width * error, slope + width * error))
        if len(part):
            first, last = part.iloc[0], part.iloc[-1]
            parts.append(
                f"{system} from {first['mean']:.3g} at N = {first['n_items']} to "
                f"{last['mean']:.3g} at {last['n_items']} (slope {slope:.2f}, "
                f"{int(part['n_draws'].min())} draws a point)"
            )
    which = {1: ""}.get(len(found), "larger " if shown is max else "smaller ")
    text = (
        f"Prior draws, E[M/N]: {', '.join(parts)}; {reading}, and the effect is the {which}slope."
    )
    interval = shown(found, key=lambda slope: slope[0])
    return judging.Verdict(judging.all_of(map(rule, found)), interval, text)


@CLAIMS.ways(*EVERY_WAY)
def ways(evidence):
    """Judge the comparisons again under the other readings, and the printed numbers."""
    means = "rates are posterior means"
    if evidence.summaries["model"].isin(list(SAMPLED.values())).any():
        yield "fixed", FIXED, replace(evidence, fixed=True)
        yield "fixed means", f"{FIXED}, {means}", replace(evidence, fixed=True, estimate="")
    yield "means", means, replace(evidence, estimate="")
    # There are no intervals, since each printed number is from one run on one data draw.
    yield judging.PRINTED, AS_PRINTED, measures.PrintedRecords(evidence.published)
