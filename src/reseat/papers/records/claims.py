"""The claims MIC-1 to MIC-22 of Zanella et al. (2016), judged on what was computed and measured."""

from dataclasses import replace
from functools import partial
from itertools import chain, product

import numpy as np
from scipy.special import ndtri

from reseat.datasets.identity import UNCOMPARED
from reseat.papers import claims as judging
from reseat.papers.records import PAPER, formulas, study_tables
from reseat.papers.records import evidence as measures
from reseat.papers.records.results import DELTAS, MODELS, SAMPLED, SETS
from reseat.papers.statistics import LEVEL, bonferroni, log_slope, mean_interval, min_group
from reseat.papers.tables import rows_of
from reseat.summaries import AGREED
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


def _on_variants(key, says, effect, roles, statistic, judge, again=EVERY_WAY):
    """Declare a claim about a statistic of the losses on all variants of some sets."""

    @claim(key, says, effect=effect, again=again)
    def judged(evidence):
        losses = evidence.losses(roles)
        if not losses:
            return judging.untested("no variant was run under all four priors.")
        interval = evidence.bootstrap(losses, statistic)
        missing = measures.missing_cells(losses, roles)
        verdict, text = judge(evidence, losses, missing, interval)
        ran = list(dict.fromkeys(role for role, _delta in losses))
        apart = evidence.unconverged(ran)
        if apart or not all(map(evidence.is_faithful, ran)):
            verdict = UNTESTABLE
        counts = map(len, losses.values())
        behind = evidence.behind(measures.SOURCE, counts, ran, fewest=min_group())
        words = f"{behind}: {text}{judging.not_converged(apart)}"
        return evidence.found(verdict, interval, words, ran, missing)

    return judged


def _almost_all(key, worse, columns, what, again):
    """Declare a claim about the variants where NBNB and NBD are no worse in `columns`."""

    def judge(_evidence, losses, _missing, interval):
        # The count is an integer; subtracting a half puts the threshold between two integers.
        verdict = judging.above(len(losses) - measures.ALL_BUT - 0.5)(interval)
        good = measures.no_worse(measures.mean_losses(losses), columns)
        bad = [measures.variant_title(*cell) for cell in losses if cell not in good]
        text = (
            f"on {len(good)} of {len(losses)} variants (the effect) neither NBNB nor NBD is worse "
            f"than DP or PYP in {what}; {measures.EQUAL}; 'almost all' is read as all but "
            f"{measures.ALL_BUT}"
        )
        return verdict, text + (f"; worse on {', '.join(bad)}" if bad else "")

    return _on_variants(
        key,
        f"NBNB and NBD have no worse {worse} than DP and PYP on almost all variants of Italy and "
        "NLTCS5000",
        f"number of variants on which neither NBNB nor NBD has worse {worse}",
        measures.SURVEYS,
        lambda means: len(measures.no_worse(means, columns)),
        judge,
        again,
    )


def _share(key, says, effect, roles, statistic, rule, text, printed):
    """Declare a claim about a share of the comparisons on some sets, also as `printed`."""

    def judge(evidence, _losses, missing, interval):
        # A share of the variants that are there says nothing about that of all of them.
        verdict = UNTESTABLE if missing else rule(interval)
        return verdict, text if evidence.measured else printed.format(interval[0])

    return _on_variants(key, says, effect, roles, statistic, judge)


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


def _judge_sets(
    evidence, cells, text, source, counts, nothing, *, bar=0.0, at="", whole=judging.all_of
):
    """Return the verdict from cells on the paper's sets; the effect is the smallest of all."""
    # The last part of a cell is the roles, deltas and models whose chains have to agree.
    rule = judging.above(bar)
    deltas, models = (dict.fromkeys(chain(*(cell[-1][n] for cell in cells))) for n in (1, 2))
    cells = judging.measure_together(
        judging.Cell(*cell, rule, absent, decides=not evidence.unconverged(*of))
        for *cell, absent, of in cells
    )
    found, missing = judging.measured_and_missing(cells)
    if not found:
        return judging.untested(nothing)
    roles = list(dict.fromkeys(cell.role for cell in found))
    verdict = whole(evidence.unless_substitute(cell.verdict, cell.role) for cell in cells)
    effects = {(cell.role, cell.name): cell.interval[0] for cell in found}
    apart = judging.not_converged(evidence.unconverged(roles, deltas, models))
    words = f"{evidence.behind(source, counts, roles, at)}: {text(effects)}{apart}"
    return evidence.found(verdict, judging.smallest(found), words, roles, missing)


@claim(
    "MIC-13",
    "the lead of NBNB and NBD over DP and PYP in error rates and in statistics of cluster "
    "sizes grows with the distortion delta",
    effect="smallest growth of the lead from the smallest to the largest delta, as a share",
    again=EVERY_WAY,
)
def mic13(evidence):
    """Judge MIC-13 by how much the lead in each loss grows between the ends of delta."""
    losses, ends = evidence.losses(measures.SURVEYS), (DELTAS[0], DELTAS[-1])
    cells = []
    for role, loss in product(measures.SURVEYS, measures.LOSSES):
        measure = partial(evidence.growth_of_gap, losses, role, loss)
        cells.append((measures.NAMES[loss], role, measure, SETS[role], ([role], ends, MODELS)))
    counts, nothing = map(len, losses.values()), "no set was run at both ends of delta."

    def text(effects):
        parts = []
        for role in dict.fromkeys(role for role, _loss in effects):
            own = [f"{name} {effect:+.3f}" for (of, name), effect in effects.items() if of == role]
            parts.append(f"on {SETS[role]} {', '.join(own)}")
        return (
            f"lead of NBNB and NBD over DP and PYP at {ends[1]:g} minus that at {ends[0]:g} "
            "(rates, and the distance of the number of singletons and of cluster sizes from the "
            f"truth as a share of it): {'; '.join(parts)}; the effect is the smallest"
        )

    return _judge_sets(evidence, cells, text, measures.SOURCE, counts, nothing)


def _excess(key, says, which, roles, whole, nothing):
    """Declare a claim about the excesses E[K]/K - 1 of DP and PYP at the largest delta."""
    effect = f"{which} E[K] as a share of the true number, less 1"

    @claim(key, says, effect=effect, again=("fixed", judging.PRINTED))
    def judged(evidence):
        delta, cells, counts = DELTAS[-1], [], []
        for role in roles:
            found = {
                system: evidence.posterior(role, delta, model, "n_clusters")
                for system, model in measures.EXCEEDING.items()
            }
            counts += [len(rows) for rows in found.values() if len(rows)]
            for system, rows in found.items():
                measure = partial(
                    evidence.interval, mean_interval, rows["mean"] / rows["truth"] - 1
                )
                ran = any(map(len, found.values()))
                absent = f"{system} on {SETS[role]}" if ran else SETS[role]
                of = ([role], [delta], [measures.EXCEEDING[system]])
                cells.append((system, role, measure, absent, of))
        the_effect = f"; the effect is the {which}" if evidence.measured else ""

        def text(effects):
            parts = [f"{name} on {SETS[role]} {x:+.1%}" for (role, name), x in effects.items()]
            return f"E[K]/K - 1: {', '.join(parts)}{the_effect}; {measures.OVER_MEANS}"

        more = {"bar": measures.OVER, "at": f"delta = {delta:g}", "whole": whole}
        none = f"{nothing} at {more['at']}."
        return _judge_sets(evidence, cells, text, "Table 1", counts, none, **more)

    return judged


mic15 = _excess(
    "MIC-15",
    "DP and PYP overestimate the number of clusters at the largest delta on Italy, NLTCS5000 and "
    "SyriaSizes",
    "smallest",
    measures.OVERESTIMATED,
    judging.all_of,
    "nothing was run",
)
mic16 = _excess(  # the exception to MIC-15
    "MIC-16",
    "DP and PYP do not both overestimate the number of clusters at the largest delta on Syria2000",
    "smaller",
    ("syria2000",),
    judging.not_all_of,
    "Syria2000 was not run",
)


@claim(
    "MIC-17",
    "74 % of the clusters of Italy and 68 % of those of NLTCS5000 are singletons",
    effect="share of singletons less the printed one, the largest difference",
    again=(judging.PRINTED,),
)
def mic17(evidence):
    """Judge MIC-17: refuted if the true shares are not those printed, to half a per cent."""
    rows = evidence.draws.dropna(subset=["truth"]).drop_duplicates(["role", "quantity"])
    truth = rows.pivot(index="role", columns="quantity", values="truth")
    truth = truth.reindex(list(measures.SINGLETON_SHARES), columns=["n_singletons", "n_clusters"])
    counts = truth.dropna()["n_clusters"]
    shares = (truth["n_singletons"] / counts).dropna().to_dict()
    if not shares:
        return judging.untested("neither set was made.")
    gaps = [share - measures.SINGLETON_SHARES[role] for role, share in shares.items()]
    worst = float(max(gaps, key=abs))
    parts = [
        f"{share:.1%} of the {counts[role]:.0f} clusters of {SETS[role]} are singletons, not "
        f"{measures.SINGLETON_SHARES[role]:.0%}"
        for role, share in shares.items()
    ]
    text = f"{'; '.join(parts)}; the effect is the largest difference"
    verdict = CONFIRMED if abs(worst) <= 0.005 else REFUTED
    missing = [SETS[role] for role in measures.SINGLETON_SHARES if role not in shares]
    where = evidence.behind("The dashed lines of Figure 2 over the true K of Table 1", (), shares)
    return evidence.found(verdict, (worst,) * 3, f"{where}: {text}", list(shares), missing)


@claim(
    "MIC-19",
    "on Italy, whose clusters have at most two records, NBD finds no larger ones and NBNB does",
    effect="smallest distance of the largest cluster from 2.5 records, on the side claimed",
    again=(judging.PRINTED,),
)
def mic19(evidence):
    """Judge MIC-19 by whether the largest cluster is nearer to 2 records than to 3."""
    cells, counts = [], []
    for delta, (model, side) in product(DELTAS, (("nbnb", 1), ("nbd", -1))):
        largest = evidence.posterior("italy", delta, model, "max_size")["mean"]
        measure = partial(evidence.interval, mean_interval, side * (largest - measures.TWO))
        absent = f"{MODELS[model]} on {measures.variant_title('italy', delta)}"
        of = (["italy"], [delta], [model])
        cells.append((f"{MODELS[model]} at {delta:g}", "italy", measure, absent, of))
        counts.append(len(largest))

    def text(effects):
        sizes = ", ".join(f"{name} {effect:+.2f}" for (_role, name), effect in effects.items())
        return (
            "size of the largest cluster beyond 2.5 records (NBNB), and 2.5 less that size (NBD): "
            f"{sizes}; the effect is the smallest"
        )

    return _judge_sets(evidence, cells, text, "Figure 2", counts[1::2], "Italy was not run.")


@claim(
    "MIC-20",
    "on Syria2000 and SyriaSizes all four priors have poor error rates",
    effect="smallest error rate less the larger of those on Italy and NLTCS5000",
    again=EVERY_WAY,
)
def mic20(evidence):
    """Judge MIC-20: poor is worse than the same prior on Italy and NLTCS5000, at every delta."""
    losses = evidence.losses((*measures.SURVEYS, *measures.SYRIA))
    cells = []
    rates = enumerate(("FNR", "FDR"))
    for role, delta, model, (column, rate) in product(measures.SYRIA, DELTAS, MODELS, rates):
        place = list(MODELS).index(model)
        measure = partial(evidence.worse, losses, role, delta, place, column)
        absent = measures.variant_title(role, delta)
        of = ([role, *measures.SURVEYS], [delta], [model])
        cells.append((f"{rate} of {MODELS[model]} at {delta:g}", role, measure, absent, of))

    def text(effects):
        (role, name), smallest_one = min(effects.items(), key=lambda item: item[1])
        return (
            "both error rates of each prior less the larger of those on Italy and NLTCS5000 at the "
            f"same delta: at least {smallest_one:+.3f} (the effect), the {name} on {SETS[role]}"
        )

    counts = map(len, losses.values())
    return _judge_sets(evidence, cells, text, "Table 1", counts, "no Syria set was run.")


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
    below = measures.rows_below_bound(printed.published)
    n_below = sum(map(len, below.values()))
    worst = "".join(
        f"; {SETS[role]} {len(rows)}, worst {max(rows)[1]}" for role, rows in below.items()
    )
    n_rows = len(printed.published.cells()) * len(MODELS)
    text = (
        f"Table 1: {n_below} of {n_rows} rows (the effect) print an FDR below the least mean that "
        f"their E[K] and FNR allow{worst}."
    )
    return judging.exact(not below, n_below, text)


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


def _slopes(key, says, effect, systems, rule, reading):
    """Declare a claim about the slopes of log E[M/N] on log N under some priors."""

    @claim(key, says, effect=effect)
    def judged(evidence):
        if evidence.growth is None or not set(systems) <= set(evidence.growth["system"]):
            return judging.untested(f"no draws from {' and '.join(systems)}.")
        table = study_tables.theorem_table("", evidence.growth)
        table = table[(table["quantity"] == "largest_share") & (table["se"] > 0)]
        width = ndtri(0.5 + bonferroni(LEVEL, len(systems)) / 2)
        found, parts = [], []
        for system in systems:
            part = rows_of(table, system=system).sort_values("n_items")
            slope, error = log_slope(part["n_items"], part["mean"], part["se"])
            found.append((slope, slope - width * error, slope + width * error))
            if len(part):
                first, last = part.iloc[0], part.iloc[-1]
                parts.append(
                    f"{system} from {first['mean']:.3g} at N = {first['n_items']} to "
                    f"{last['mean']:.3g} at {last['n_items']} (slope {slope:.2f}, "
                    f"{int(part['n_draws'].min())} draws a point)"
                )
        which = "smaller slope" if len(found) > 1 else "slope"
        text = f"Prior draws, E[M/N]: {', '.join(parts)}; {reading}, and the effect is the {which}."
        interval = min(found, key=lambda slope: slope[0])
        return judging.Verdict(judging.all_of(map(rule, found)), interval, text)

    return judged


# NBD decides nothing: its clusters stay small by construction.
mic6 = _slopes(
    "MIC-6",
    "under NBNB the largest cluster's share vanishes as the items grow in number",
    "slope of the log of E[M]/N against log N",
    ("NBNB",),
    judging.below(measures.VANISHING),
    f"the share is said to vanish if the slope is below {measures.VANISHING}; NBD is not judged, "
    "as its a and q are solved for N / 2 clusters at each N",
)
mic7 = _slopes(
    "MIC-7",
    "under the Dirichlet and Pitman-Yor processes the largest cluster's share does not vanish as "
    "the items grow in number",
    "slope of the log of E[M]/N against log N, the smaller of the two priors",
    ("DP", "PYP"),
    judging.above(measures.LASTING),
    f"the share is said to last if the slope is above {measures.LASTING}",
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
    every = "every partition" if reached else "not every partition"
    text = (
        f"{len(free)} exact transition matrices ({priors}): largest total variation between the "
        "posterior and the law the moves settle in (the effect), the items of both clusters "
        f"visited in an order that does not depend on how they are split; {every} is reached; "
        "visited one cluster after the other they settle up to "
        f"{other['total_variation'].max():.1e} away."
    )
    verdict = CONFIRMED if worst <= judging.ROUNDING and reached else REFUTED
    return judging.Verdict(verdict, (worst,) * 3, text)


def _mixes_better(key, against, short, sweeps, algorithm):
    """Declare a claim that chaperones have more effective samples a CPU second than a move."""

    @claim(
        key,
        "where clusters are many and small, the chaperones algorithm mixes better than "
        f"{algorithm}",
        effect=f"smallest ratio of effective samples a CPU second, chaperones to {algorithm}",
    )
    def judged(evidence):
        if evidence.runs is None:
            return judging.untested("no moves were compared.")
        runs = evidence.runs[evidence.runs["quantity"].isin(MIXING)]
        ran = set(runs["move"])
        present = [m for m in ("chaperones_similarity", "chaperones_uniform") if m in ran]
        if not present or against not in ran:
            return judging.untested(f"chaperones and {sweeps} did not both run.")
        own, *others = present
        pairs = list(runs.groupby(["dataset", "quantity"], sort=False).groups)
        ratio = partial(study_tables.speed_ratio, runs, against=against)
        level = bonferroni(LEVEL, len(pairs))
        found = {(name, what): ratio(name, own, what, level) for name, what in pairs}
        status = runs.set_index("dataset")["status"].to_dict()
        ratios = ", ".join(
            f"{what} on {name} {interval[0]:.3g}" for (name, what), interval in found.items()
        )
        moves = study_tables.chaperones_table(key, runs)
        table = rows_of(moves, move=own)
        text = (
            f"{judging.on_data(status, status)}: effective samples a CPU second, "
            f"{study_tables.MOVES[own]} over {short}, in {int(table['n_chains'].min())} chains "
            f"each: {ratios}; the effect is the smallest"
        )
        if against == "gibbs":
            least = table["ratio_together"].min()
            text += f"; with samples counted over all chains together, at least {least:.3g}"
        for move in others:
            speeds = [ratio(name, move, what)[0] for name, what in pairs]
            text += f"; {study_tables.MOVES[move]}: {min(speeds):.3g} to {max(speeds):.3g}"
        both = rows_of(moves, move=against).merge(table, on=["dataset", "quantity"])
        errors = np.hypot(both["mcse_x"], both["mcse_y"])
        apart = ((both["mean_x"] - both["mean_y"]).abs() / errors).max()
        if apart > APART:
            text += (
                f"; the means are up to {apart:.1f} standard errors apart, so that the chains of "
                "one of the two are not at the posterior yet, and its effective samples too many"
            )
        together = runs[(runs["chain"] == -1) & runs["move"].isin((own, against))]
        disagree = [
            f"{study_tables.MOVES[row.move]} on {row.dataset}"
            for row in together[together["rhat"] > AGREED].itertuples()
        ]
        verdict = judging.all_of(map(judging.above(1.0), found.values()))
        # Means that differ, and chains that disagree, seem to mix fast.
        if apart > APART or disagree or not set(UNCOMPARED).isdisjoint(status.values()):
            verdict = UNTESTABLE
        interval = min(found.values(), key=lambda found: found[0])
        text += judging.not_converged(disagree)
        return judging.Verdict(verdict, interval, text + ".")

    return judged


mic9 = _mixes_better("MIC-9", "gibbs", "Gibbs", "Gibbs sweeps", "Gibbs sampling")
mic22 = _mixes_better("MIC-22", "split_merge", *["split-merge moves"] * 3)


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
