"""The claims DOC-1 to DOC-8 of Walker & Ringger 2008, judged from scores, traces and tables."""

from dataclasses import replace
from functools import partial, wraps
from itertools import combinations

import numpy as np
import pandas as pd

from reseat.datasets.identity import UNCOMPARED
from reseat.papers import claims as judging
from reseat.papers import statistics
from reseat.papers.documents import PAPER, contingency
from reseat.papers.documents.results import METRICS, ROLES, SUMMARIES, select
from reseat.papers.documents.tables import EM_SYSTEMS, FIGURE4_METRICS, best_summary, plateau_sweep
from reseat.papers.tables import rows_of
from reseat.summaries import AGREED, describe
from reseat.vocabulary import AS_PRINTED, CONFIRMED, IN_MODES, REFUTED, UNTESTABLE

CLAIMS = judging.Claims(PAPER)
claim = CLAIMS.claim

#: How words are read: a difference, two shares (an even spread puts 7 of 20 at .35), and a factor.
LITTLE, MAJORITY, EVEN, ABOUT = 0.01, 0.8, 0.4, 2.0
#: Number of sweeps after which the paper takes the chains of each set to have converged (DOC-5).
BURN_IN = {"enron": 1000, "newsgroups": 100, "delicious": 50}
#: Sweeps that are too few for an R-hat (DOC-5b); sample from which scores are said to be flat.
MIN_KEPT, FLAT_AFTER = 50, 100

#: What is said of claims about the paper's own sets if others ran in their place.
_NONE_OF_ITS_OWN = "none is on the paper's own data"


def _of_means(*roles):
    """Mark a claim about means over Gibbs chains, to report chains that are in different modes."""

    def marked(rule):
        @wraps(rule)
        def judged(evidence):
            found = rule(evidence)
            on = {
                name: _saying_modes(part, evidence, [name.split(",")[0]])
                for name, part in found.on.items()
            }
            return _saying_modes(replace(found, on=on), evidence, evidence.names(*roles))

        return judged

    return marked


def _saying_modes(found, evidence, names):
    """Return a verdict with a remark on those data sets whose chains are in modes of their own."""
    apart = {name: evidence.in_modes[name] for name in names if name in evidence.in_modes}
    if not apart or not found.measured:
        return found
    named = ", ".join(f"{name} (R-hat of the log joint {rhat:.1f})" for name, rhat in apart.items())
    return found.saying(f"{IN_MODES} on {named}")


def _on_each(evidence, cells, what, shown=min):
    """Return the verdicts on each of the paper's own data sets; `what` says what the effect is."""
    found = {}
    for name in dict.fromkeys(cell.role for cell in cells if evidence.is_faithful(cell.role)):
        own = [cell for cell in cells if cell.role == name]
        numbers = [
            f"{' against '.join((cell.name, *cell.systems))} {cell.interval[0]:+.3f}"
            for cell in own
        ]
        text = f"{evidence.where([name])}: {what}: {', '.join(numbers)}"
        found[name] = evidence.found(_all(own), judging.smallest(own, shown), text, [name])
    return found


def _all(cells):
    return judging.all_of(cell.verdict for cell in cells)


def _where(evidence, cells):
    return evidence.where(cell.role for cell in cells)


@claim(
    "DOC-1",
    "collapsed Gibbs sampling beats EM on five metrics and three data sets",
    effect="smallest lead of Gibbs over EM, in units of the metric",
)
@_of_means(*ROLES)
def doc1(evidence):
    """Judge DOC-1 by the leads of Gibbs (best summary) over EM, in all metrics, sets and forms."""
    cells = []
    for name in evidence.names():
        part = evidence.rows(name)
        for metric in METRICS:
            gibbs = select(part, "gibbs", best_summary(part, metric))[metric.column]
            for system, model, summary in EM_SYSTEMS:
                em = select(part, model, summary)[metric.column]
                scores = (metric.better * gibbs, metric.better * em)
                if len(gibbs) and len(em):
                    measure = partial(statistics.difference_interval, *scores)
                    cells.append(
                        judging.Cell(metric.name, name, measure, judging.above(0.0), "", (system,))
                    )
    if not cells:
        return judging.untested("no EM run to compare with.")
    cells, missing = judging.measure_together(cells), evidence.missing()
    own = [cell for cell in cells if evidence.is_faithful(cell.role)]
    worst = min(own or cells, key=lambda cell: cell.interval[0])
    verdict = judging.all_of(evidence.unless_substitute(cell.verdict, cell.role) for cell in cells)
    failing = [
        f"{cell.role} {cell.name} against {cell.systems[0]}"
        for cell in cells
        if cell.verdict != CONFIRMED
    ]
    n_sure = sum(cell.verdict == CONFIRMED for cell in own)
    surely = f"of the {len(own)} on the paper's own data surely in {n_sure}"
    text = (
        f"{_where(evidence, cells)}: Gibbs is ahead in "
        f"{sum(cell.interval[0] > 0 for cell in cells)} of {len(cells)} cells (metric, data set, "
        f"EM form), surely in {len(cells) - len(failing)}; {surely if own else _NONE_OF_ITS_OWN}; "
        f"the effect is the smallest lead{' there' if own else ''}, {worst.name} on {worst.role} "
        f"against {worst.systems[0]}"
    )
    text += f"; not surely ahead: {', '.join(failing)}" if failing else ""
    on = _on_each(evidence, cells, "leads")
    for (system,) in dict.fromkeys(cell.systems for cell in own):
        against = [cell for cell in own if cell.systems == (system,)]
        parts = _on_each(evidence, against, "leads")
        on |= {f"{name}, against {system}": part for name, part in parts.items()}
    return replace(evidence.found(verdict, worst.interval, text, (), missing), on=on)


@claim(
    "DOC-2",
    "the marginal, the MAP and a random summary of a Gibbs chain differ little",
    effect="largest difference in mean F of two summaries, from 0 to 1",
)
@_of_means(*ROLES)
def doc2(evidence):
    """Judge DOC-2: all paired differences in mean F of two summaries surely below `LITTLE`."""
    cells = []
    for name in evidence.names():
        wide = _by_chain(evidence.rows(name), "steinbach_f")
        ran = [key for _printed, key in SUMMARIES if key in wide]
        for first, second in combinations(ran, 2):
            measure = partial(_absolute_mean, (wide[first] - wide[second]).dropna())
            pair = f"{first} against {second}"
            cells.append(judging.Cell(pair, name, measure, judging.below(LITTLE), ""))
    if not cells:
        return judging.untested("no summaries were scored.")
    cells = judging.measure_together(cells)
    worst = max(cells, key=lambda cell: cell.interval[0])
    low, high = np.max([cell.interval[1:] for cell in cells], axis=0)
    text = (
        f"{_where(evidence, cells)}: the largest difference in mean F is "
        f"{worst.interval[0]:.4f}, {worst.name} on {worst.role}; 'little' is read as below {LITTLE}"
    )
    roles, missing = {cell.role for cell in cells}, evidence.missing()
    return evidence.found(_all(cells), (worst.interval[0], low, high), text, roles, missing)


@claim(
    "DOC-3",
    "the marginal summary of a Gibbs chain is generally superior, except on Enron",
    effect="share of the metrics, outside Enron, on which marginal beats MAP",
)
@_of_means(*ROLES)
def doc3(evidence):
    """Judge DOC-3 by the share of metrics in which marginal beats MAP: above .5, on Enron below."""
    leads, wins, on = {}, [], {}
    for name in evidence.names():
        columns = [
            metric.better * (wide["marginal"] - wide["map"])
            for metric in METRICS
            if {"marginal", "map"} <= set(wide := _by_chain(evidence.rows(name), metric.column))
        ]
        if columns:
            leads[name] = np.column_stack(columns)
            wins.append(f"{name} {int(np.sum(leads[name].mean(axis=0) > 0))} of {len(METRICS)}")
    parts = [
        [leads[name] for name in evidence.names(*roles) if name in leads]
        for roles in (("delicious", "newsgroups"), ("enron",))
    ]
    if not parts[0]:
        return judging.untested("no summaries were scored.")
    rng = np.random.default_rng(evidence.seed)
    level = statistics.bonferroni(statistics.LEVEL, len(parts))
    outside, enron = (_share_of_wins(part, rng, level) for part in parts)
    verdict = judging.all_of([judging.above(0.5)(outside), judging.below(0.5)(enron)])
    if not all(map(evidence.is_faithful, leads)):
        verdict = UNTESTABLE
    text = f"{evidence.where(list(leads))}: metrics on which marginal beats MAP: {', '.join(wins)}"
    if parts[1]:
        text += f"; share of wins on Enron {enron[0]:.2f} ({enron[1]:.2f} to {enron[2]:.2f})"
    text += "; the effect is that outside Enron"
    for role, name in evidence.pairs():
        if name in leads and evidence.is_faithful(name):
            share = _share_of_wins([leads[name]], rng, statistics.LEVEL)
            rule = judging.below if role == "enron" else judging.above
            ahead = zip(METRICS, leads[name].mean(axis=0), strict=True)
            won = [metric.name for metric, lead in ahead if lead > 0]
            says = f"{evidence.where([name])}: marginal beats MAP on {', '.join(won) or 'none'}"
            on[name] = evidence.found(rule(0.5)(share), share, says, [name])
    return replace(evidence.found(verdict, outside, text, (), evidence.missing()), on=on)


def _share_of_wins(leads, rng, level):
    """Return the mean share of the metrics with a positive lead, resampled on each set."""
    if not leads:
        return (np.nan,) * 3

    def share(*groups):
        return np.mean([np.mean(values.mean(axis=0) > 0) for values in groups])

    return statistics.bootstrap_interval(leads, share, rng, level, by_group=True)


@claim(
    "DOC-4",
    "clusters keep their labels along a Gibbs chain",
    effect="share of occupied clusters that are nearest to themselves later in the chain",
)
def doc4(evidence):
    """Judge DOC-4 by the share of occupied clusters that are nearest to themselves later on.

    Refuted if some exchange labels, untestable if they only drifted or moved to a free label.
    """
    enron = evidence.names("enron")
    both = [*enron, *evidence.names("newsgroups")]
    on = {name: _labels_kept(evidence, [name]) for name in filter(evidence.is_faithful, both)}
    return replace(_labels_kept(evidence, enron), on=on)


def _labels_kept(evidence, names):
    part = evidence.switching[evidence.switching["dataset"].isin(names)]
    if len(part) == 0:
        return judging.untested("no chain was compared.")
    occupied, strayed = int(part["n_occupied"].sum()), int(part["n_not_nearest"].sum())
    switched = int(part["n_switched"].sum())
    interval = statistics.proportion_interval(occupied - strayed, occupied)
    verdict = CONFIRMED if strayed == 0 else REFUTED if switched else UNTESTABLE
    chains = "1 chain" if len(part) == 1 else f"{len(part)} chains"
    text = (
        f"{evidence.where(part['dataset'])}: in {chains}, {occupied - strayed} of "
        f"{occupied} occupied clusters (the effect, whose interval takes them as independent) are "
        "nearest to themselves in KL divergence; "
        f"{switched} exchange labels in the best one-to-one matching; "
        f"{int(part['n_emptied'].sum())} emptied; mean scaled diagonal "
        f"{part['diagonal_mean'].mean():.4f}, elsewhere {part['off_diagonal_mean'].mean():.4f}"
    )
    return evidence.found(verdict, interval, text, names)


@claim(
    "DOC-5a",
    "the likelihood reaches its plateau at about 1000 sweeps on Enron, 100 on 20 "
    "Newsgroups and 50 on del.icio.us",
    effect="largest sweep of a plateau, as a multiple of the printed one",
)
def doc5a(evidence):
    """Judge DOC-5a by the median plateau sweep of long chains over the printed sweeps: `ABOUT`."""
    rng = np.random.default_rng(evidence.seed)
    pairs = [(role, name) for role, name in evidence.pairs() if name in evidence.traces_on]
    cells, plateaus, short = [], [], []
    for role, name in pairs:
        log_joint = evidence.traces_on[name].log_joint
        sweeps = np.array([plateau_sweep(chain) for chain in log_joint])
        testable = log_joint.shape[1] >= ABOUT * BURN_IN[role] and evidence.is_faithful(name)
        ratio = [sweeps / BURN_IN[role]]
        measure = partial(statistics.bootstrap_interval, ratio, np.median, rng)
        cells.append(judging.Cell(role, name, measure, judging.below(ABOUT), "", decides=testable))
        plateaus.append(f"{name} {np.median(sweeps):.0f} (printed {BURN_IN[role]})")
        if not testable:
            short.append(f"{name} ({log_joint.shape[1]} sweeps)")
    if not cells:
        return judging.untested("no traces were given.")
    cells = judging.measure_together(cells)
    judged = [cell for cell in cells if cell.decides]
    text = (
        f"{evidence.where(name for _role, name in pairs)}: median sweep of the plateau: "
        f"{', '.join(plateaus)}; the effect is the largest ratio of the two"
        f"{' that is judged' if judged else ''}"
    )
    if short:
        text += f"; too short, or not the paper's data, hence not judged: {', '.join(short)}"
    largest = judging.smallest(judged or cells, max)
    found = evidence.found(_all(cells), largest, text, (), evidence.missing())
    what = "median sweep of the plateau as a multiple of the printed one"
    return replace(found, on=_on_each(evidence, judged, what, max))


@claim(
    "DOC-5b",
    "the plateau of the likelihood marks convergence",
    effect="largest R-hat of the log joint after the printed number of sweeps",
)
def doc5b(evidence):
    """Judge DOC-5b by the largest R-hat after the printed sweeps; above `AGREED` refutes it."""
    found = {}
    for role, name in evidence.pairs():
        if name in evidence.traces_on and evidence.status(name) not in UNCOMPARED:
            kept = evidence.traces_on[name].log_joint[:, BURN_IN[role] :]
            if kept.shape[0] > 1 and kept.shape[1] > MIN_KEPT:
                found[name] = float(describe(kept)["rhat"])
    if not found:
        return judging.untested("there are not several chains that are long enough.")
    own = [rhat for name, rhat in found.items() if evidence.is_faithful(name)]
    worst = max(own or found.values())
    verdict = judging.all_of(
        evidence.unless_substitute(REFUTED if rhat > AGREED else CONFIRMED, name)
        for name, rhat in found.items()
    )
    numbers = ", ".join(f"{name} {rhat:.2f}" for name, rhat in found.items())
    where = " on the paper's own data" if own else f"; {_NONE_OF_ITS_OWN}"
    text = (
        f"{evidence.where(found)}: R-hat of the log joint after the printed number of sweeps: "
        f"{numbers}; chains that agree have at most {AGREED}; the effect is the largest{where}"
    )
    return evidence.found(verdict, (worst,) * 3, text, (), evidence.missing())


@claim(
    "DOC-6",
    "the score of a single Gibbs sample is flat after about 100 samples",
    effect="largest change of a score a hundred samples, after the first hundred, from 0 to 1",
)
@_of_means("delicious")
def doc6(evidence):
    """Judge DOC-6 by the change of ARI and V-measure a hundred samples after sample 100."""
    found = _flatness(evidence, evidence.names("delicious"))
    others = filter(evidence.is_faithful, evidence.names())
    return replace(found, on={name: _flatness(evidence, [name]) for name in others})


def _flatness(evidence, names):
    cells, gains = [], []
    for name in names:
        fixed = select(evidence.rows(name), "gibbs", "fixed")
        for metric in FIGURE4_METRICS:
            wide = fixed.pivot_table(index="chain", columns="sample", values=metric.column)
            late = wide.loc[:, wide.columns >= FLAT_AFTER]
            if late.shape[1] < 3:
                continue
            slope = np.polyfit(late.columns.to_numpy(float), late.to_numpy(float).T, 1)[0]
            gain = float((wide[late.columns[0]] - wide[wide.columns[0]]).mean())
            measure, rule = partial(statistics.mean_interval, 100.0 * slope), partial(_flat, gain)
            cells.append(judging.Cell(metric.name, name, measure, rule, ""))
            gains.append(gain)
    if not cells:
        text = f"{evidence.where(names)}: too few samples after sample {FLAT_AFTER}."
        return judging.untested(text)
    cells = judging.measure_together(cells)
    changes = ", ".join(
        f"{cell.role} {cell.name} {gain:+.3f} then {cell.interval[0]:+.4f}"
        for cell, gain in zip(cells, gains, strict=True)
    )
    text = (
        f"{_where(evidence, cells)}: gain up to sample {FLAT_AFTER}, then "
        f"change a hundred samples: {changes}; the effect is the largest such change, and only a "
        "gain above 0.01 can flatten"
    )
    largest = max((cell.interval for cell in cells), key=lambda interval: abs(interval[0]))
    return evidence.found(_all(cells), largest, text, {cell.role for cell in cells})


def _flat(gain, interval):
    """Judge whether a change is below .01 or a fifth of an earlier gain, which itself is above."""
    margin = max(0.2 * abs(gain), 0.01)
    verdict = judging.below(margin)(_absolute(interval))
    return UNTESTABLE if verdict == CONFIRMED and gain <= margin else verdict


@claim(
    "DOC-7",
    "most documents of 20 Newsgroups lie in about 7 of 20 clusters",
    effect="share of the documents in the 7 largest clusters",
)
@_of_means("newsgroups")
def doc7(evidence):
    """Judge DOC-7: confirmed if the seven largest clusters surely hold more than `MAJORITY`."""
    shape = _statistics(evidence, "shape")
    if "share of the 7 largest" not in shape.index:
        return judging.untested("Table 7 was not made.")
    row = shape.loc["share of the 7 largest"]
    interval = _student(row)
    text = (
        f"{evidence.where([row['dataset']])}: {interval[0]:.1%} of the documents lie in the 7 "
        f"largest clusters (mean of {row['n_chains']:.0f} chains); "
        f"{shape.loc['clusters covering 90 %', 'mean']:.1f} clusters cover 90 %; "
        f"exp H(K) = {shape.loc['exp H(K)', 'mean']:.2f}; 'most' is read as above {MAJORITY:.0%}"
    )
    return _of_table7(shape, judging.above(MAJORITY)(interval), interval, text)


@claim(
    "DOC-8",
    "misc.forsale and sci.electronics are almost evenly split over two clusters each",
    effect="smaller part of the two clusters that hold most of a class, as a share",
)
@_of_means("newsgroups")
def doc8(evidence):
    """Judge DOC-8 by the smaller part of the two clusters of the less even class: above `EVEN`."""
    split = _statistics(evidence, "split")
    if len(split) == 0:
        where = evidence.where(evidence.names("newsgroups"))
        text = f"{where}: the classes misc.forsale and sci.electronics are missing."
        return judging.untested(text)
    cells = judging.measure_together(
        judging.Cell(label, row["dataset"], partial(_student, row), judging.above(EVEN), "")
        for label, row in split.iterrows()
    )
    parts = ", ".join(f"{cell.name} {cell.interval[0]:.2f}" for cell in cells)
    text = (
        f"{evidence.where(split['dataset'])}: smaller part of the two clusters that hold most: "
        f"{parts} (mean of {split['n_chains'].iloc[0]:.0f} chains, where the paper has one sample "
        f"of one); 'almost evenly' is read as above {EVEN}"
    )
    return _of_table7(split, _all(cells), judging.smallest(cells), text)


def _of_table7(rows, verdict, interval, text):
    """Return a verdict from rows of Table 7, which generated data do not decide."""
    if rows["status"].isin(UNCOMPARED).any():
        verdict = UNTESTABLE
    return judging.Verdict(verdict, interval, f"{text}.")


def _by_chain(scores, column):
    """Return the Gibbs scores, with one row per chain and one column per summary."""
    rows = scores[(scores["model"] == "gibbs") & (scores["summary"] != "fixed")]
    return rows.pivot_table(index="chain", columns="summary", values=column)


def _absolute_mean(values, level):
    return _absolute(statistics.mean_interval(values, level))


def _absolute(interval):
    """Return the interval of the absolute value of a mean, given the interval of the mean."""
    mean, low, high = interval
    if np.isnan(low):
        return abs(mean), np.nan, np.nan
    smallest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
    return abs(mean), smallest, max(abs(low), abs(high))


def _student(row, level=statistics.LEVEL):
    """Return the Student interval from the mean, standard error and count of a tidy row."""
    return statistics.student_interval(row["mean"], row["se"], int(row["n_chains"]), level)


def _statistics(evidence, system):
    return rows_of(evidence.table7, system=system).set_index("metric")


# ---- Do the paper's claims hold in the paper's own printed numbers? --------------------------


@claim("DOC-1", only=judging.PRINTED)
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
    return judging.exact(ahead == len(leads), smallest, text)


@claim("DOC-2", only=judging.PRINTED)
def doc2_printed(published):
    """Judge DOC-2 by the largest difference in Tables 1 to 3."""
    spread = {
        role: np.ptp([table[printed, "F-Measure"] for printed, _key in SUMMARIES])
        for role, table in published.summaries.items()
    }
    role = max(spread, key=spread.get)
    text = f"Tables 1 to 3: the largest difference in F is {spread[role]:.4f}, on {role}."
    return judging.exact(spread[role] < LITTLE, float(spread[role]), text)


@claim("DOC-3", only=judging.PRINTED)
def doc3_printed(published):
    """Judge DOC-3 by the wins in Tables 1 to 3."""
    wins = {}
    for role in ROLES:
        table = published.summaries[role]
        leads = [m.better * (table["Marginal", m.name] - table["MAP", m.name]) for m in METRICS]
        wins[role] = sum(lead > 0 for lead in leads)
    outside = [wins[role] for role in ROLES if role != "enron"]
    share = sum(outside) / (len(outside) * len(METRICS))
    counts = ", ".join(f"{wins[role]} on {role}" for role in ROLES)
    text = (
        f"Tables 1 to 3: against MAP the marginal summary wins {counts} of {len(METRICS)} metrics; "
        "the effect is the share of wins outside Enron."
    )
    holds = share > 0.5 and wins["enron"] / len(METRICS) < 0.5
    return judging.exact(holds, share, text)


def _counts(table7):
    """Return the printed counts, with one row per cluster and one column per class."""
    return pd.Series(table7).unstack()


@claim("DOC-7", only=judging.PRINTED)
def doc7_printed(published):
    """Judge DOC-7 by Table 7."""
    sizes = _counts(published.table7).sum(axis=1)
    shape = contingency.shape_statistics(sizes)
    share = shape[f"share of the {contingency.LARGEST} largest"]
    text = (
        f"Table 7: {share:.1%} of its {sizes.sum():.0f} documents lie in the "
        f"{contingency.LARGEST} largest clusters; exp H(K) = {shape['exp H(K)']:.1f}. The smallest "
        "clusters are left out of the printed table."
    )
    return judging.exact(share > MAJORITY, share, text)


@claim("DOC-8", only=judging.PRINTED)
def doc8_printed(published):
    """Judge DOC-8 by Table 7."""
    counts, shares, parts = _counts(published.table7), [], []
    for label in contingency.SPLIT_CLASSES:
        column = counts[label].to_numpy()
        first, second = np.sort(column)[::-1][:2]
        shares.append(contingency.minor_share(column))
        parts.append(f"{label} {first:.0f}/{second:.0f} ({shares[-1]:.2f})")
    text = f"Table 7: {', '.join(parts)}; the number is the smaller part's share of the two."
    return judging.exact(min(shares) > EVEN, min(shares), text)


@CLAIMS.ways(judging.PRINTED)
def ways(evidence):
    """Judge claims on the published tables, which print no spread."""
    yield judging.PRINTED, AS_PRINTED, evidence.published
