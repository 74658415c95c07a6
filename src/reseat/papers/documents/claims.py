"""The claims DOC-1 to DOC-8 of Walker & Ringger 2008, judged from scores, traces and tables.

Each claim stands above the function that judges it, which states its rule and returns a verdict, an
effect, an interval with coverage :data:`~reseat.papers.statistics.LEVEL` (for all comparisons of a
claim together), and a sentence of evidence that names the data. A claim is *untestable* if the
interval does not decide it, or if the data that it is about are not available.
"""

from __future__ import annotations

from functools import wraps

import numpy as np

from reseat.datasets.identity import UNCOMPARED
from reseat.papers.claims import (
    PRINTED,
    Claims,
    Verdict,
    all_of,
    exact,
    finish_sentence,
    unless_missing,
    untested,
    verdict_above,
    verdict_below,
)
from reseat.papers.documents import PAPER
from reseat.papers.documents.contingency import (
    LARGEST,
    SPLIT_CLASSES,
    minor_share,
    shape_statistics,
)
from reseat.papers.documents.results import METRICS, ROLES, SUMMARIES, select
from reseat.papers.documents.tables import EM_SYSTEMS, FIGURE4_METRICS, best_summary, plateau_sweep
from reseat.papers.statistics import (
    LEVEL,
    bonferroni,
    bootstrap_interval,
    difference_interval,
    mean_interval,
    proportion_interval,
    student_interval,
)
from reseat.summaries import AGREED, describe
from reseat.vocabulary import AS_PRINTED, CONFIRMED, IN_MODES, REFUTED, UNTESTABLE

#: The claims of the paper.
CLAIMS = Claims(PAPER)
claim = CLAIMS.claim

#: Largest difference in F between summaries that still counts as little (DOC-2).
LITTLE = 0.01
#: "Most documents" in DOC-7: more than four in five. (An even spread puts 7 of 20 at .35.)
MOST = 0.8
#: "Almost evenly split" in DOC-8: the smaller part is more than two fifths of the two.
EVEN = 0.4
#: Number of sweeps after which the paper takes the chains of each set to have converged (DOC-5).
BURN_IN = {"enron": 1000, "newsgroups": 100, "delicious": 50}
#: "About" in DOC-5a: up to this many times the sweeps printed.
ABOUT = 2.0
#: An R-hat is only computed from chains with more than this many sweeps after the burn-in (DOC-5b).
FEWEST_KEPT = 50
#: Sample after which the scores are said to be flat (DOC-6).
FLAT_AFTER = 100

#: What is said of claims about the paper's own sets if others ran in their place.
_NONE_OF_ITS_OWN = "none is on the paper's own data"


def _of_means(*roles):
    """Mark a claim about means over Gibbs chains, to report chains that are in different modes."""

    def marked(rule):
        @wraps(rule)
        def judged(evidence):
            found, apart = rule(evidence), evidence.in_modes(roles)
            if apart and found.measured:
                named = ", ".join(f"{name} (R-hat of the log joint {r:.1f})" for name, r in apart)
                return found.saying(f"{IN_MODES} on {named}")
            return found

        return judged

    return marked


@claim(
    "DOC-1",
    "collapsed Gibbs sampling beats EM on five metrics and three data sets",
    effect="smallest lead of Gibbs over EM, in units of the metric",
)
@_of_means(*ROLES)
def doc1(evidence):
    """Judge DOC-1 by the smallest lead of Gibbs (best summary) over EM.

    The leads are oriented differences for all metrics, data sets and forms of EM. Confirmed if
    every simultaneous Welch interval lies above zero, refuted if one lies below; data used in place
    of the paper's decide nothing. The effect is that on the paper's own sets, if there are any.
    """
    cells = []
    for _role, name in evidence.pairs():
        part = evidence.rows(name)
        for metric in METRICS:
            gibbs = select(part, "gibbs", best_summary(part, metric))[metric.column]
            for system, model, summary in EM_SYSTEMS:
                em = select(part, model, summary)[metric.column]
                if len(gibbs) and len(em):
                    scores = (metric.better * gibbs, metric.better * em)
                    cells.append((name, metric.name, system, *scores))
    if not cells:
        return untested("no EM run to compare with.")
    level = bonferroni(LEVEL, len(cells))
    results = [(*c[:3], *difference_interval(c[3], c[4], level)) for c in cells]
    own = [r for r in results if evidence.of_the_paper(r[0])]
    worst = min(own or results, key=lambda r: r[3])
    verdict = all_of(
        evidence.on_its_own(verdict_above(low, high, 0.0), name)
        for name, *_cell, low, high in results
    )
    verdict = unless_missing(verdict, evidence.missing())
    failing = [f"{n} {m} against {s}" for n, m, s, _d, low, _h in results if not low > 0]
    surely = f"of the {len(own)} on the paper's own data surely in {sum(r[4] > 0 for r in own)}"
    text = (
        f"{evidence.where([r[0] for r in results])}: Gibbs is ahead in "
        f"{sum(r[3] > 0 for r in results)} of {len(results)} cells (metric, data set, EM form), "
        f"surely in {len(results) - len(failing)}; {surely if own else _NONE_OF_ITS_OWN}; the "
        f"effect is the smallest lead{' there' if own else ''}, {worst[1]} on {worst[0]} against "
        f"{worst[2]}"
    )
    text += f"; not surely ahead: {', '.join(failing)}" if failing else ""
    return Verdict(verdict, worst[3:], finish_sentence(text, evidence.missing()))


@claim(
    "DOC-2",
    "the marginal, the MAP and a random summary of a Gibbs chain differ little",
    effect="largest difference in mean F of two summaries, from 0 to 1",
)
@_of_means(*ROLES)
def doc2(evidence):
    """Judge DOC-2 by the largest difference in mean F between two summaries, paired over chains.

    Confirmed if every simultaneous interval lies within :data:`LITTLE` of zero, refuted if one
    lies wholly outside.
    """
    found = []
    keys = [key for _printed, key in SUMMARIES]
    for _role, name in evidence.pairs():
        wide = _by_chain(evidence.rows(name), "steinbach_f")
        for i, first in enumerate(keys):
            for second in keys[i + 1 :]:
                if first in wide and second in wide:
                    found.append((name, first, second, (wide[first] - wide[second]).dropna()))
    if not found:
        return untested("no summaries were scored.")
    level = bonferroni(LEVEL, len(found))
    results = [(*f[:3], *_absolute(mean_interval(f[3], level))) for f in found]
    worst = max(results, key=lambda r: r[3])
    low, high = np.max([r[4:] for r in results], axis=0)
    text = (
        f"{evidence.where([r[0] for r in results])}: the largest difference in mean F is "
        f"{worst[3]:.4f}, {worst[1]} against {worst[2]} on {worst[0]}; 'little' is read as below "
        f"{LITTLE}"
    )
    # Each interval is judged by itself, because a set with one chain has none.
    verdict = all_of(verdict_below(*r[4:], LITTLE) for r in results)
    verdict = evidence.verdict(verdict, {r[0] for r in results}, evidence.missing())
    return Verdict(verdict, (worst[3], low, high), finish_sentence(text, evidence.missing()))


@claim(
    "DOC-3",
    "the marginal summary of a Gibbs chain is generally superior, except on Enron",
    effect="share of the metrics, outside Enron, on which marginal beats MAP",
)
@_of_means(*ROLES)
def doc3(evidence):
    """Judge DOC-3 by the shares of cells in which marginal beats MAP, outside Enron and on Enron.

    A cell is a (metric, data set) pair and is decided by means of paired chains; the intervals are
    bootstraps over chains. Confirmed if the share is surely above one half outside Enron and below
    it on Enron, refuted if it surely is the other way round for one of them; untestable if one of
    the sets is not the paper's. The effect is the share outside Enron.
    """
    leads, wins = {}, []
    for _role, name in evidence.pairs():
        columns = [
            metric.better * (wide["marginal"] - wide["map"])
            for metric in METRICS
            if {"marginal", "map"} <= set(wide := _by_chain(evidence.rows(name), metric.column))
        ]
        if columns:
            leads[name] = np.column_stack(columns)
            wins.append(f"{name} {int(np.sum(leads[name].mean(axis=0) > 0))} of {len(METRICS)}")
    parts = [
        [leads[name] for _role, name in evidence.pairs(roles) if name in leads]
        for roles in (("delicious", "newsgroups"), ("enron",))
    ]
    if not parts[0]:
        return untested("no summaries were scored.")
    rng, level = np.random.default_rng(evidence.seed), bonferroni(LEVEL, len(parts))
    outside, enron = (_share_of_wins(part, rng, level) for part in parts)
    verdict = all_of([verdict_above(*outside[1:], 0.5), verdict_below(*enron[1:], 0.5)])
    if not all(map(evidence.of_the_paper, leads)):
        verdict = UNTESTABLE
    text = f"{evidence.where(list(leads))}: metrics on which marginal beats MAP: {', '.join(wins)}"
    if parts[1]:
        text += f"; share of wins on Enron {enron[0]:.2f} ({enron[1]:.2f} to {enron[2]:.2f})"
    text += "; the effect is that outside Enron"
    verdict = unless_missing(verdict, evidence.missing())
    return Verdict(verdict, outside, finish_sentence(text, evidence.missing()))


def _share_of_wins(leads, rng, level):
    """Return the mean share of the metrics with a positive lead, and its bootstrap interval.

    Chains of different data sets are independent and may differ in number, so each set is
    resampled separately.
    """
    if not leads:
        return (np.nan,) * 3

    def share(*groups):
        return np.mean([np.mean(values.mean(axis=0) > 0) for values in groups])

    return bootstrap_interval(leads, share, rng, level, by_group=True)


@claim(
    "DOC-4",
    "clusters keep their labels along a Gibbs chain",
    effect="share of occupied clusters that are nearest to themselves later in the chain",
)
def doc4(evidence):
    """Judge DOC-4 by the share of occupied clusters that are nearest to themselves later on.

    Confirmed if all are; refuted if occupied clusters exchange labels in the best one-to-one
    matching; untestable if clusters drifted without exchanging labels, or moved to a label that was
    or had become free.
    """
    names = [name for role, name in evidence.pairs(("enron",))]
    part = evidence.switching[evidence.switching["dataset"].isin(names)]
    if len(part) == 0:
        return untested("no Enron chain was compared.")
    occupied, strayed = int(part["n_occupied"].sum()), int(part["n_not_nearest"].sum())
    switched = int(part["n_switched"].sum())
    effect, low, high = proportion_interval(occupied - strayed, occupied)
    verdict = CONFIRMED if strayed == 0 else REFUTED if switched else UNTESTABLE
    verdict = evidence.verdict(verdict, names)
    chains = "1 chain" if len(part) == 1 else f"{len(part)} chains"
    text = (
        f"{evidence.where(part['dataset'])}: in {chains}, {occupied - strayed} of "
        f"{occupied} occupied clusters (the effect, whose interval takes them as independent) are "
        "nearest to themselves in KL divergence; "
        f"{switched} exchange labels in the best one-to-one matching; "
        f"{int(part['n_emptied'].sum())} emptied; mean scaled diagonal "
        f"{part['diagonal_mean'].mean():.4f}, elsewhere {part['off_diagonal_mean'].mean():.4f}"
    )
    return Verdict(verdict, (effect, low, high), text + ".")


@claim(
    "DOC-5a",
    "the likelihood reaches its plateau at about 1000 sweeps on Enron, 100 on 20 "
    "Newsgroups and 50 on del.icio.us",
    effect="largest sweep of a plateau, as a multiple of the printed one",
)
def doc5a(evidence):
    """Judge DOC-5a by the largest ratio of the median plateau sweep to the printed sweeps of a set.

    Confirmed if the simultaneous bootstrap intervals of all sets lie below :data:`ABOUT`, refuted
    if one lies above. A chain shorter than :data:`ABOUT` times the printed sweeps cannot refute the
    claim, so it is not tested. Chains on other data decide nothing about a number that the paper
    gives for its own. The effect is that of a set that is judged, if there is any.
    """
    rng = np.random.default_rng(evidence.seed)
    pairs = [(role, name) for role, name in evidence.pairs() if name in evidence.traces_on]
    results, short = [], []
    for role, name in pairs:
        log_joint = evidence.traces_on[name].log_joint
        sweeps = np.array([plateau_sweep(chain) for chain in log_joint])
        ratio = sweeps / BURN_IN[role]
        interval = bootstrap_interval([ratio], np.median, rng, bonferroni(LEVEL, len(pairs)))
        testable = log_joint.shape[1] >= ABOUT * BURN_IN[role] and evidence.of_the_paper(name)
        results.append((name, float(np.median(sweeps)), BURN_IN[role], testable, *interval))
        if not testable:
            short.append(f"{name} ({log_joint.shape[1]} sweeps)")
    if not results:
        return untested("no traces were given.")
    judged = [r for r in results if r[3]]
    worst = max(judged or results, key=lambda r: r[4])
    verdict = all_of(
        verdict_below(low, high, ABOUT) if testable else UNTESTABLE
        for *_name, testable, _ratio, low, high in results
    )
    plateaus = ", ".join(f"{r[0]} {r[1]:.0f} (printed {r[2]})" for r in results)
    text = f"{evidence.where([r[0] for r in results])}: median sweep of the plateau: {plateaus}; "
    text += f"the effect is the largest ratio of the two{' that is judged' if judged else ''}"
    if short:
        text += f"; too short, or not the paper's data, hence not judged: {', '.join(short)}"
    verdict = unless_missing(verdict, evidence.missing())
    return Verdict(verdict, worst[4:], finish_sentence(text, evidence.missing()))


@claim(
    "DOC-5b",
    "the plateau of the likelihood marks convergence",
    effect="largest R-hat of the log joint after the printed number of sweeps",
)
def doc5b(evidence):
    """Judge DOC-5b by the largest R-hat of the log joint after the printed number of sweeps.

    Refuted if it is above :data:`~reseat.summaries.AGREED` on one set, since the chains have then
    reached different plateaus. Confirmed if it is not above on any. Sets with one chain, and other
    data in the paper's place, decide nothing.
    """
    found = {
        name: float(describe(evidence.traces_on[name].log_joint[:, BURN_IN[role] :])["rhat"])
        for role, name in evidence.pairs()
        if name in evidence.traces_on
        and len(evidence.traces_on[name].log_joint) > 1
        and evidence.traces_on[name].log_joint.shape[1] > BURN_IN[role] + FEWEST_KEPT
        and evidence.status(name) not in UNCOMPARED
    }
    if not found:
        return untested("there are not several chains that are long enough.")
    own = [rhat for name, rhat in found.items() if evidence.of_the_paper(name)]
    worst = max(own or found.values())
    verdict = all_of(
        evidence.on_its_own(REFUTED if rhat > AGREED else CONFIRMED, name)
        for name, rhat in found.items()
    )
    verdict = unless_missing(verdict, evidence.missing())
    numbers = ", ".join(f"{name} {rhat:.2f}" for name, rhat in found.items())
    where = " on the paper's own data" if own else f"; {_NONE_OF_ITS_OWN}"
    text = (
        f"{evidence.where(found)}: R-hat of the log joint after the printed number of sweeps: "
        f"{numbers}; chains that agree have at most {AGREED}; the effect is the largest{where}"
    )
    return Verdict(verdict, (worst,) * 3, finish_sentence(text, evidence.missing()))


@claim(
    "DOC-6",
    "the score of a single Gibbs sample is flat after about 100 samples",
    effect="largest change of a score a hundred samples, after the first hundred, from 0 to 1",
)
@_of_means("delicious")
def doc6(evidence):
    """Judge DOC-6 by the change of ARI and V-measure per hundred samples after sample 100.

    The change is computed from the slope of each chain. A score is flat if it changes by less than
    a fifth of its gain before sample 100, or by less than .01. Confirmed if every simultaneous
    Student interval lies within that margin, refuted if one lies outside. A score that had gained
    no more than the margin before was flat from the beginning and cannot confirm the claim.
    """
    results = []
    for _role, name in evidence.pairs(("delicious",)):
        fixed = select(evidence.rows(name), "gibbs", "fixed")
        for metric in FIGURE4_METRICS:
            wide = fixed.pivot_table(index="chain", columns="sample", values=metric.column)
            late = wide.loc[:, wide.columns >= FLAT_AFTER]
            if late.shape[1] < 3:
                continue
            slope = np.polyfit(late.columns.to_numpy(float), late.to_numpy(float).T, 1)[0]
            gain = float((wide[late.columns[0]] - wide[wide.columns[0]]).mean())
            results.append((name, metric.name, gain, 100.0 * slope))
    if not results:
        text = f"{evidence.where([n for _r, n in evidence.pairs(('delicious',))])}: too few samples"
        return untested(f"{text} after sample {FLAT_AFTER}.")
    level = bonferroni(LEVEL, len(results))
    judged = []
    for name, printed, gain, changes in results:
        mean, low, high = mean_interval(changes, level)
        margin = max(0.2 * abs(gain), 0.01)
        smallest, largest = _absolute((mean, low, high))[1:]
        verdict = verdict_below(smallest, largest, margin)
        if verdict == CONFIRMED and gain <= margin:
            verdict = UNTESTABLE
        judged.append((name, printed, gain, mean, low, high, verdict))
    verdict = evidence.verdict(all_of(j[6] for j in judged), {j[0] for j in judged})
    worst = max(judged, key=lambda j: abs(j[3]))
    changes = ", ".join(f"{j[0]} {j[1]} {j[2]:+.3f} then {j[3]:+.4f}" for j in judged)
    text = (
        f"{evidence.where([j[0] for j in judged])}: gain up to sample {FLAT_AFTER}, then change a "
        f"hundred samples: {changes}; the effect is the largest such change, and only a gain above "
        "0.01 can flatten."
    )
    return Verdict(verdict, worst[3:6], text)


@claim(
    "DOC-7",
    "most documents of 20 Newsgroups lie in about 7 of 20 clusters",
    effect="share of the documents in the 7 largest clusters",
)
@_of_means("newsgroups")
def doc7(evidence):
    """Judge DOC-7: confirmed if the seven largest clusters surely hold more than :data:`MOST`."""
    shape = _statistics(evidence, "shape")
    if "share of the 7 largest" not in shape.index:
        return untested("Table 7 was not made.")
    row = shape.loc["share of the 7 largest"]
    effect, low, high = _student(row)
    verdict = verdict_above(low, high, MOST)
    if row["status"] in UNCOMPARED:
        verdict = UNTESTABLE
    text = (
        f"{evidence.where([row['dataset']])}: {effect:.1%} of the documents lie in the 7 largest "
        f"clusters (mean of {row['n_chains']:.0f} chains); "
        f"{shape.loc['clusters covering 90 %', 'mean']:.1f} clusters cover 90 %; "
        f"exp H(K) = {shape.loc['exp H(K)', 'mean']:.2f}; 'most' is read as above {MOST:.0%}."
    )
    return Verdict(verdict, (effect, low, high), text)


@claim(
    "DOC-8",
    "misc.forsale and sci.electronics are almost evenly split over two clusters each",
    effect="smaller part of the two clusters that hold most of a class, as a share",
)
@_of_means("newsgroups")
def doc8(evidence):
    """Judge DOC-8 by the smaller part of the two clusters that hold most of a class.

    The effect is that of the less even class. Confirmed if both simultaneous intervals lie above
    :data:`EVEN`, refuted if one lies below; untestable on data without these classes.
    """
    split = _statistics(evidence, "split")
    if len(split) == 0:
        names = [name for _role, name in evidence.pairs(("newsgroups",))]
        text = f"{evidence.where(names)}: the classes misc.forsale and sci.electronics are missing."
        return untested(text)
    level = bonferroni(LEVEL, len(split))
    results = [(label, *_student(row, level)) for label, row in split.iterrows()]
    verdict = all_of(verdict_above(low, high, EVEN) for _label, _effect, low, high in results)
    if split["status"].isin(UNCOMPARED).any():
        verdict = UNTESTABLE
    worst = min(results, key=lambda r: r[1])
    parts = ", ".join(f"{label} {effect:.2f}" for label, effect, _low, _high in results)
    text = (
        f"{evidence.where(split['dataset'])}: smaller part of the two clusters that hold most: "
        f"{parts} (mean of {split['n_chains'].iloc[0]:.0f} chains, where the paper has one sample "
        f"of one); 'almost evenly' is read as above {EVEN}."
    )
    return Verdict(verdict, worst[1:], text)


def _by_chain(scores, column):
    """Return the Gibbs scores, with one row per chain and one column per summary."""
    rows = scores[(scores["model"] == "gibbs") & (scores["summary"] != "fixed")]
    return rows.pivot_table(index="chain", columns="summary", values=column)


def _absolute(interval):
    """Return the interval of the absolute value of a mean, given the interval of the mean."""
    mean, low, high = interval
    if np.isnan(low):
        return abs(mean), np.nan, np.nan
    smallest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return abs(mean), smallest, max(abs(low), abs(high))


def _student(row, level=LEVEL):
    """Return the Student interval from the mean, standard error and count of a tidy row."""
    return student_interval(row["mean"], row["se"], int(row["n_chains"]), level)


def _statistics(evidence, system):
    table = evidence.table7
    return table[table["system"] == system].set_index("metric")


# ---- Do the paper's claims hold in the paper's own printed numbers? --------------------------


@claim("DOC-1", only=PRINTED)
def doc1_printed(published):
    """Judge DOC-1 by the smallest lead in Tables 4 to 6."""
    leads = {
        (role, m.name): m.better * (table["Gibbs", m.name] - table["EM", m.name])
        for role, table in published.methods.items()
        for m in METRICS
    }
    (role, name), smallest = min(leads.items(), key=lambda item: item[1])
    ahead = sum(lead > 0 for lead in leads.values())
    text = (
        f"Tables 4 to 6: Gibbs is ahead in {ahead} of {len(leads)} cells; smallest lead {name} on "
        f"{role}. Its row takes the best summary metric by metric, not one configuration."
    )
    return exact(ahead == len(leads), smallest, text)


@claim("DOC-2", only=PRINTED)
def doc2_printed(published):
    """Judge DOC-2 by the largest difference in Tables 1 to 3."""
    spread = {
        role: np.ptp([table[printed, "F-Measure"] for printed, _key in SUMMARIES])
        for role, table in published.summaries.items()
    }
    role, largest = max(spread.items(), key=lambda item: item[1])
    text = f"Tables 1 to 3: the largest difference in F is {largest:.4f}, on {role}."
    return exact(largest < LITTLE, float(largest), text)


@claim("DOC-3", only=PRINTED)
def doc3_printed(published):
    """Judge DOC-3 by the wins in Tables 1 to 3."""
    summaries = published.summaries
    wins = {
        role: sum(
            m.better * (summaries[role]["Marginal", m.name] - summaries[role]["MAP", m.name]) > 0
            for m in METRICS
        )
        for role in ROLES
    }
    outside = [wins[role] for role in ROLES if role != "enron"]
    share = sum(outside) / (len(outside) * len(METRICS))
    counts = ", ".join(f"{wins[role]} on {role}" for role in ROLES)
    text = (
        f"Tables 1 to 3: against MAP the marginal summary wins {counts} of {len(METRICS)} metrics; "
        "the effect is the share of wins outside Enron."
    )
    holds = share > 0.5 and wins["enron"] / len(METRICS) < 0.5
    return exact(holds, share, text)


def _counts(table7):
    clusters = sorted({cluster for cluster, _class in table7})
    classes = sorted({name for _cluster, name in table7})
    counts = np.array([[table7[k, c] for c in classes] for k in clusters])
    return counts, classes


@claim("DOC-7", only=PRINTED)
def doc7_printed(published):
    """Judge DOC-7 by Table 7."""
    counts, _classes = _counts(published.table7)
    shape = shape_statistics(counts.sum(axis=1))
    share = shape[f"share of the {LARGEST} largest"]
    text = (
        f"Table 7: {share:.1%} of its {counts.sum():.0f} documents lie in the {LARGEST} largest "
        f"clusters; exp H(K) = {shape['exp H(K)']:.1f}. The smallest clusters are left out of the "
        "printed table."
    )
    return exact(share > MOST, share, text)


@claim("DOC-8", only=PRINTED)
def doc8_printed(published):
    """Judge DOC-8 by Table 7."""
    counts, classes = _counts(published.table7)
    shares, parts = [], []
    for label in SPLIT_CLASSES:
        column = counts[:, classes.index(label)]
        first, second = np.sort(column)[::-1][:2]
        shares.append(minor_share(column))
        parts.append(f"{label} {first:.0f}/{second:.0f} ({shares[-1]:.2f})")
    text = f"Table 7: {', '.join(parts)}; the number is the smaller part's share of the two."
    return exact(min(shares) > EVEN, min(shares), text)


@CLAIMS.ways(PRINTED)
def ways(evidence):
    """Judge claims on the published tables, which print no spread."""
    yield PRINTED, AS_PRINTED, evidence.published
