"""The claims FIRM-1 to FIRM-10 of Kurihara et al. (2006), judged by what was measured."""

from dataclasses import replace
from functools import partial
from operator import itemgetter

import numpy as np

from reseat.papers import claims as judging
from reseat.papers import statistics
from reseat.papers.relational import PAPER, formulas
from reseat.papers.relational.evidence import best_interval, by_all_classes, gap_interval
from reseat.papers.relational.plan import BETTER
from reseat.papers.relational.results import BETAS, MAIN, MODELS, PAIRS, STARTS
from reseat.papers.relational.tables import METHODS
from reseat.papers.statistics import LEVEL
from reseat.papers.tables import rows_of
from reseat.summaries import AGREED
from reseat.variational.restarts import best_restart
from reseat.vocabulary import AS_PRINTED, CONFIRMED, OURS, REFUTED, UNTESTABLE

CLAIMS = judging.Claims(PAPER)
claim = CLAIMS.claim

# ---- Claims FIRM-2 and FIRM-8: coverage of the classes, and leads under controls -------------
#
# The claims are judged on the paper's algorithm, the best of several random restarts by the ELBO;
# fits from other starts are further readings. Coverage and purity rise with the number of cells,
# whatever the clusters are. A lead is therefore also examined at the IRM's numbers of clusters, and
# beside that of random partitions with the same cluster sizes. Intervals come from half samples of
# the restarts, and are Welch's over random draws.

CELLS = "follows from the number of cells"
BOTH = ("firm", "irm")

#: What the classes are by which cells are scored, in words.
CLASSES = "classes are those of the aspect model, in the place of the paper's SAM"


def _covers(key, model, says, covers_all):
    """Declare a claim that a model covers all classes, or that it does not."""
    effect = f"share of the classes that the {MODELS[model]} covers"

    @claim(key, says, effect=effect, uncounted=CELLS, again=("pairs", "start", "data"))
    @by_all_classes
    def rule(evidence):
        restarts = evidence.covered(model)
        if len(restarts[0]) == 0:
            return judging.untested(f"no coverage of the {MODELS[model]} was counted.")
        share, low, high = best_interval(restarts, evidence.rng)
        n_classes = int(evidence.of(evidence.coverage, evidence.role)["n_classes"].iloc[0])
        printed = evidence.published.models[model, "covered"]
        text = (
            f"{behind(evidence, restarts)}: {share * n_classes:.0f} of {n_classes} classes; the "
            f"paper has {printed:g} of {evidence.published.setup['classes']:g}; {CLASSES}"
        )
        drawn = evidence.random("coverage", model) * n_classes
        if len(drawn):
            text += f"; random clusters of the same sizes cover {drawn.mean():.1f}"
        left_out = judging.ahead((1 - share, 1 - high, 1 - low))
        verdict = judging.opposite(left_out) if covers_all else left_out
        return evidence.found(verdict, (share, low, high), text)

    return rule


firm2a = _covers("FIRM-2a", "firm", "the clusters of the FIRM cover all classes of SAM", True)
firm2b = _covers("FIRM-2b", "irm", "the clusters of the IRM do not cover all classes of SAM", False)


def _lead(key, says, effect, what, column, control="", again="ours", **about):
    """Declare a claim that the best FIRM, or a control, is surely ahead of the best IRM."""

    @claim(key, says, effect=effect, again=("pairs", again, "data"), **about)
    @by_all_classes
    def rule(evidence):
        models = evidence.scored(column, "firm", control), evidence.scored(column, "irm")
        if _any_empty(models):
            return judging.untested(f"nothing was run for {what}.")
        interval = gap_interval(*models, evidence.rng)
        text = f"{behind(evidence, *models)}: {what}; {CLASSES}"
        return evidence.found(judging.ahead(interval), interval, text)

    return rule


def _lead_beyond_chance(key, says, effect, what, column):
    """Declare a claim about the lead of the FIRM less that of random partitions of equal sizes."""

    @claim(key, says, effect=effect, source=OURS, again=("pairs", "start", "data"))
    @by_all_classes
    def rule(evidence):
        models = [evidence.scored(column, model) for model in BOTH]
        drawn = [evidence.random(column, model) for model in BOTH]
        if _any_empty(models) or min(map(len, drawn)) == 0:
            return judging.untested("no random partitions were scored.")
        lead = gap_interval(*models, evidence.rng)
        by_chance = statistics.difference_interval(*drawn)
        interval = statistics.interval_of_difference(lead, by_chance)
        text = (
            f"{behind(evidence, *models)}, {len(drawn[0])} random partitions a model: the FIRM "
            f"leads by {lead[0]:+.3f} in {what}, random partitions with the sizes of its clusters "
            f"by {by_chance[0]:+.3f}; the effect is the difference; {CLASSES}"
        )
        return evidence.found(judging.ahead(interval), interval, text)

    return rule


firm2c = _lead(
    "FIRM-2c",
    "the FIRM covers more classes of SAM than the IRM",
    "coverage of the FIRM less that of the IRM, as a share of the classes",
    "coverage of the FIRM less that of the IRM",
    "coverage",
    again="start",
    uncounted=CELLS,
)
firm8a = _lead(
    "FIRM-8a",
    "the FIRM's lead over the IRM in purity survives when both have the IRM's numbers of clusters",
    "purity S_1 of the FIRM less that of the IRM, at equal numbers of clusters",
    "S_1 at the IRM's numbers of clusters, less its",
    "purity",
    "same_numbers",
    source=OURS,
)
firm8b = _lead(
    "FIRM-8b",
    "the FIRM's lead over the IRM in coverage survives when both have the IRM's numbers "
    "of clusters",
    "coverage of the FIRM less that of the IRM, at equal numbers of clusters",
    "coverage at the IRM's numbers, less its",
    "coverage",
    "same_numbers",
    source=OURS,
)
firm8c = _lead_beyond_chance(
    "FIRM-8c",
    "the FIRM's lead over the IRM in purity is greater than that of random partitions",
    "lead of the FIRM in purity S_1 less that of random partitions",
    "S_1",
    "purity",
)
firm8d = _lead_beyond_chance(
    "FIRM-8d",
    "the FIRM's lead over the IRM in coverage is greater than that of random partitions",
    "lead of the FIRM in coverage less that of random partitions",
    "coverage",
    "coverage",
)


def _any_empty(models):
    """Return whether there are no restarts of one of the models."""
    return min(len(elbo) for elbo, _values in models) == 0


def behind(evidence, *groups):
    """Return 'On news, best of 30 restarts', and how intervals are made of them, or why not."""
    counts = list(dict.fromkeys(len(elbo) for elbo, _values in groups))
    if max(counts) < 2:
        return f"{evidence.where()}, the best restart alone, which gives no interval"
    fewest = statistics.min_group(halves=True)
    over = "intervals are over half samples of them"
    over = f"an interval needs {fewest}" if min(counts) < fewest else over
    return f"{evidence.where()}, best of {' and '.join(map(str, counts))} restarts ({over})"


def _in_all(evidence, found, rule, text, missing=()):
    """Return the verdict on a claim that holds if its rule does for every interval."""
    least = min(found, key=itemgetter(0))
    return evidence.found(judging.all_of(map(rule, found)), least, text, missing=missing)


# ---- Claims FIRM-3, FIRM-6 and FIRM-9: numbers of clusters, time, and Gibbs sampling ---------

_SIDES = ("row", "column")

#: "As well" means that the mean log predictive probability of a held-out cell is lower by at most
#: this, and "too slow" that a chain takes more than this many times as long as all restarts.
AS_WELL, SLOW = 0.001, 10.0


@claim(
    "FIRM-3",
    "the FIRM finds more clusters of rows and of columns than the IRM",
    effect="number of clusters by which the FIRM has more, the smaller of rows and columns",
    again=("start", "data"),
)
def firm3(evidence):
    """Judge FIRM-3: confirmed if the best FIRM surely has more of both, refuted if not of one."""
    runs = {side: [evidence.clusters(model, side) for model in BOTH] for side in _SIDES}
    if _any_empty(runs["row"]):
        return judging.untested("one of the models was not run.")
    level = statistics.bonferroni(LEVEL, len(_SIDES))
    found = [gap_interval(*models, evidence.rng, level) for models in runs.values()]
    sizes, paper = [], []
    for place, model in enumerate(BOTH):
        best = [numbers[best_restart(elbo)] for elbo, numbers in (runs[s][place] for s in _SIDES)]
        printed = [evidence.published.models[model, f"{side} clusters"] for side in _SIDES]
        sizes.append(_product(best))
        paper.append(_product(printed))
    text = (
        f"{behind(evidence, *runs['row'])}: {sizes[0]} clusters of the FIRM and {sizes[1]} of the "
        f"IRM, where the paper has {paper[0]} and {paper[1]}; the effect is the smaller difference"
    )
    return _in_all(evidence, found, judging.ahead, text)


def _product(sizes):
    return " x ".join(f"{size:g}" for size in sizes)


@claim(
    "FIRM-6",
    "a restart of variational inference takes less than five minutes",
    effect="time of the slowest restart, in seconds",
    uncounted="a time on a machine that is twenty years younger",
)
def firm6(evidence):
    """Judge FIRM-6: confirmed if the longest restart of any setting took less than five minutes."""
    runs = evidence.rows(evidence.role)
    if len(runs) == 0:
        return judging.untested("no restart was timed.")
    longest = float(runs["seconds"].max())
    text = (
        f"{evidence.where()}, {len(runs):,} restarts on one core: {runs['seconds'].median():.2g} "
        f"seconds in the middle, and {longest:.2g} at most (the effect); the machine is not the "
        "paper's"
    )
    holds = longest < 60 * evidence.published.setup["minutes a restart"]
    return evidence.found(CONFIRMED if holds else REFUTED, (longest,) * 3, text)


@claim(
    "FIRM-9a",
    "collapsed Gibbs sampling is too slow for a large data set",
    effect="smallest time of a Gibbs chain, as a multiple of that of the paper's restarts",
)
def firm9a(evidence):
    """Judge FIRM-9a by how many times as long a chain takes as the paper's 30 random restarts.

    Chains that disagree, and so are too short, refute it only if they predict held-out cells surely
    as well as our variational fits.
    """
    n_restarts = evidence.published.setup["restarts"]

    def factor(runs, level):
        restarts = evidence.runs(runs["gibbs"]["model"].iloc[0])
        seconds = [np.log(frame["seconds"]) for frame in (runs["gibbs"], restarts)]
        interval = statistics.difference_interval(*seconds, level)
        return tuple(float(np.exp(value)) / n_restarts for value in interval)

    def short(runs):
        if judging.above(-AS_WELL)(predicted(runs, LEVEL, "gibbs", "vb")) == CONFIRMED:
            return judging.above(SLOW)
        return lambda interval: (
            CONFIRMED if judging.above(SLOW)(interval) == CONFIRMED else UNTESTABLE
        )

    text = (
        f"seconds of a chain as a multiple of those of {n_restarts:g} random restarts; 'too slow' "
        f"is read as above {SLOW:g}"
    )
    return _methods(evidence, factor, SLOW, text, short)


def predicted(runs, level, *methods):
    """Return by how much the mean log predictive of the first method's runs is higher, in nats."""
    return statistics.difference_interval(
        *(runs[method]["log_predictive"] for method in methods), level
    )


@claim(
    "FIRM-9b",
    "variational inference predicts held-out cells as well as Gibbs sampling",
    effect="smallest mean log predictive of a held-out cell, variational less Gibbs, in nats",
    source=OURS,
)
def firm9b(evidence):
    """Judge FIRM-9b by the difference in nats; a model whose chains disagree decides nothing."""
    text = (
        "mean log predictive probability of a held-out cell, variational less Gibbs; 'as well' is "
        f"read as lower by at most {AS_WELL}"
    )

    def gap(runs, level):
        return predicted(runs, level, "vb", "gibbs")

    return _methods(evidence, gap, -AS_WELL, text, lambda _runs: lambda _interval: UNTESTABLE)


def _methods(evidence, compare, bar, text, disagreeing):
    """Judge a claim about both methods; `disagreeing` gives the rule if the chains disagree."""
    cells, n_runs, apart = [], [], []
    for model, name in MODELS.items() if evidence.predictive is not None else ():
        own = rows_of(evidence.of(evidence.predictive, evidence.role), model=model)
        runs = {method: rows_of(own, method=method) for method in METHODS}
        measure, rule = lambda _level: judging.NOT_RUN, judging.above(bar)
        if min(map(len, runs.values())) > 0:
            measure = partial(compare, runs)
            n_runs = [len(runs[method]) for method in METHODS]
            if (runs["gibbs"]["rhat"] > AGREED).any():
                rule = disagreeing(runs)
                apart.append(f"{name}, {_most_clusters(runs)}")
        cells.append(judging.Cell(name, evidence.role, measure, rule, name))
    if not n_runs:
        return judging.untested("no held-out cells were predicted by both methods.")

    def words(found):
        numbers = ", ".join(f"{cell.name} {cell.interval[0]:.3g}" for cell in found)
        runs = f"{n_runs[0]} restarts and {n_runs[1]} chains"
        return f"{evidence.where()}, {runs}: {text}: {numbers}{judging.not_converged(apart)}"

    return judging.judge_cells(evidence, cells, words)


def _most_clusters(runs):
    """Return, for example, 'chains with 157 x 273 clusters at most, restarts with 80 x 120'."""
    restarts, chains = (
        _product(runs[method][[f"n_{side}_clusters" for side in _SIDES]].max())
        for method in METHODS
    )
    return f"chains with {chains} clusters at most, restarts with {restarts}"


# ---- Claims FIRM-4 and FIRM-5: the purity of the cells ---------------------------------------

#: "Not very high" means that S_1 is below this.
NOT_HIGH = 0.75
#: A cell is unspecific if no class has this share of its pairs. "Some" cells are fewer than half,
#: and they are the reason if they have more than half of all pairs outside the main class of their
#: cell.
UNSPECIFIC, SOME, REASON = 0.5, 0.5, 0.5


@claim(
    "FIRM-4",
    "for every beta and i the FIRM has a higher purity S_i than the IRM",
    effect="smallest lead of the FIRM in purity S_i, from 0 to 1",
    again=("pairs", "data"),
)
@by_all_classes
def firm4(evidence):
    """Judge FIRM-4 by S_i of the FIRM minus that of the IRM, for each beta the smallest over i.

    Only the first half of i is judged: near the last, where both are 1, leads are tiny whatever the
    clusters are. Any i at which both are 1 is left out, because neither can lead there.
    """
    found, counts = {}, []
    level = statistics.bonferroni(LEVEL, len(BETAS))
    for beta in BETAS:
        models = [evidence.curves(model, beta) for model in BOTH]
        if _any_empty(models):
            continue
        models = [(elbo, curves[:, : curves.shape[1] // 2]) for elbo, curves in models]
        counts += models
        open_ = np.any([curves[best_restart(elbo)] < 1 for elbo, curves in models], axis=0)
        if open_.any():
            models = [(elbo, curves[:, open_]) for elbo, curves in models]
            found[beta] = gap_interval(*models, evidence.rng, level, lambda gaps: gaps.min(axis=-1))
    if not found:
        return judging.untested("no purity of both models was computed.")
    missing = [f"beta = {beta:g}" for beta in BETAS if beta not in found]
    parts = [f"beta = {beta:g}: {least[0]:+.5f}" for beta, least in found.items()]
    text = (
        f"{behind(evidence, *counts)}, smallest lead of the FIRM in S_i, i up to half of the "
        f"classes: {'; '.join(parts)}; {CLASSES}"
    )
    return _in_all(evidence, found.values(), judging.ahead, text, missing)


@claim(
    "FIRM-5a",
    "the purity of all cells of the FIRM together is not very high",
    effect="purity S_1, from 0 to 1",
    again=("pairs", "start", "data"),
)
@by_all_classes
def firm5a(evidence):
    """Judge FIRM-5a: confirmed if S_1 of the best FIRM is surely below NOT_HIGH."""
    restarts = evidence.scored("purity", "firm")
    if len(restarts[0]) == 0:
        return judging.untested("no purity of the FIRM was computed.")
    interval = best_interval(restarts, evidence.rng)
    read = f"S_1; 'not very high' is read as below {NOT_HIGH}"
    text = f"{behind(evidence, restarts)}: {read}; {CLASSES}"
    return evidence.found(judging.below(NOT_HIGH)(interval), interval, text)


@claim(
    "FIRM-5b",
    "the purity of all cells together is not very high because some cells are unspecific",
    effect="share, in unspecific cells, of the pairs outside the main class of their cell",
)
def firm5b(evidence):
    """Judge FIRM-5b by how many pairs outside the main class of their cell are in unspecific cells.

    It is also refuted if not fewer than SOME of the cells are unspecific: then most of them are the
    reason, whatever their share.
    """
    cells = () if evidence.cells is None else evidence.of(evidence.cells, evidence.role)
    cells = rows_of(cells, model="firm") if len(cells) else cells
    if len(cells) == 0:
        return judging.untested("no cells of the FIRM were listed.")
    outside = cells["n_rows"] * cells["n_columns"] * (1 - cells["purity"])
    vague = cells["purity"] < UNSPECIFIC
    values = np.column_stack([outside * vague, outside])

    def share(values):
        inside, total = values.sum(axis=0)
        return inside / total if total > 0 else 0.0

    interval = statistics.bootstrap_interval([values], share, evidence.rng)
    text = (
        f"{evidence.where()}: {int(vague.sum()):,} of {len(cells):,} cells are unspecific (no "
        f"class has half of their pairs), 'some' being fewer than half; the effect is their share "
        f"of the pairs outside the main class of their cell; 'because' is read as above {REASON}; "
        f"{CLASSES}"
    )
    verdict = judging.above(REASON)(interval) if vague.mean() < SOME else REFUTED
    return evidence.found(verdict, interval, text)


# ---- Claims FIRM-1 and FIRM-7, which are right or wrong up to rounding -----------------------


def _both_models():
    with_counts, n_partitions = formulas.largest_difference(formulas.COUNTS)
    return (
        f"Enumerated over all {n_partitions:,} pairs of partitions of a "
        f"{_product(formulas.COUNTS.shape)} table: the effect is the largest difference of the log "
        f"likelihoods; with frequencies up to {formulas.COUNTS.max()} it is {with_counts:.2g} nats."
    )


def _sticks():
    printed, later = (formulas.stick_losses(printed) for printed in (True, False))
    return (
        f"Clusters of {len(formulas.SIZES)} given sets of sizes, whose log probability is known: "
        f"the bound stays {printed.min():.2g} to {printed.max():.2g} nats below it as printed (the "
        f"effect is the smallest loss) and {abs(later).max():.1g} with the sum over later clusters."
    )


firm1 = CLAIMS.formula(
    "FIRM-1",
    "the FIRM is the IRM when every pair is observed once",
    "largest difference of the two log likelihoods, in nats",
    lambda: formulas.largest_difference(formulas.LINKS)[0],
    _both_models,
)
firm7 = CLAIMS.formula(
    "FIRM-7",
    "the variational bound is best if gamma_2 adds up the sizes of all clusters (as it is printed)",
    "smallest distance of the bound as printed from the log probability, in nats",
    lambda: float((formulas.stick_losses(True) - formulas.stick_losses(False)).min()),
    _sticks,
)


# ---- Claim FIRM-10: several tables that share a type ------------------------------------------

#: Numbers are compared by this many standard errors.
ERRORS = 3.0


def _of_tables(key, says, effect, text, bar, measure, **about):
    """Declare a claim that holds if what `measure` returns, with its error, is above `bar`."""

    @claim(key, says, effect=effect, **about)
    def rule(evidence):
        joint, found = evidence.joint, {}
        rows = () if joint is None else rows_of(joint, model="firm", role="words")
        if len(rows) == 0:
            return judging.untested("nothing was fitted to several tables.")
        tables = replace(evidence, restarts=rows, role="words")
        for row in tables.rows("words").to_dict("records"):
            value, error = measure(row)
            found[row["relation"]] = (value, value - ERRORS * error, value + ERRORS * error)
        numbers = ", ".join(f"{name} {interval[0]:.4f}" for name, interval in found.items())
        said = f"{tables.where()}: {text}: {numbers}; intervals are {ERRORS:g} standard errors wide"
        return _in_all(tables, found.values(), judging.above(bar), f"{said} on each side")

    return rule


def _area(row):
    """Return the area under the ROC curve, and the largest standard error that it may have."""
    area, n_linked = row["auc_together"], row["n_linked"]
    # Birnbaum & Klose (1957).
    return area, np.sqrt(area * (1 - area) / min(n_linked, row["n_cells"] - n_linked))


firm10a = _of_tables(
    "FIRM-10a",
    "the FIRM can also observe several tables",
    "smallest area under the ROC curve of the held-out links of a table",
    "area under the ROC curve of held-out links, from one fit to all tables",
    0.5,
    _area,
    uncounted="an ability, which one example shows",
)
firm10b = _of_tables(
    "FIRM-10b",
    "one fit of the FIRM to several tables predicts held-out pairs of each better than a fit to it "
    "alone",
    "smallest gain of a table in the mean log probability of a held-out cell, in nats",
    "gain in the mean log probability of a held-out cell, from one fit to all tables over a fit to "
    "each alone",
    0.0,
    lambda row: (row["gain"], row["gain_se"]),
    source=OURS,
)


# ---- Rows "(as printed)", and the other ways in which claims are judged ----------------------


@claim("FIRM-3", only=judging.PRINTED)
def firm3_printed(published):
    """Judge FIRM-3 by the smaller of both differences."""
    firm, irm = (published.beside(model) for model in BOTH)
    rows, columns = (firm[f"{side} clusters"] - irm[f"{side} clusters"] for side in _SIDES)
    text = f"{rows:g} row clusters and {columns:g} column clusters more."
    return judging.exact(min(rows, columns) > 0, min(rows, columns), text)


@claim("FIRM-4", only=judging.PRINTED)
def firm4_printed(published):
    """Judge FIRM-4: refuted, because both purities end at 1."""
    text = (
        f"At i = {published.setup['classes']:g} both purities are 1 by definition (equations 9 "
        "and 10), so that neither is higher there."
    )
    return judging.exact(False, 0.0, text)


@CLAIMS.ways(judging.PRINTED, "pairs", "start", "ours", "data")
def ways(evidence):
    """Judge claims on what is printed, with observed pairs only, other starts, and other data."""
    yield judging.PRINTED, AS_PRINTED, evidence.published
    if (evidence.coverage["pairs"] == "observed").any():
        yield "pairs", PAIRS["observed"], replace(evidence, pairs="observed")
    for start in list(STARTS)[1:]:
        if (evidence.restarts["initialisation"] == start).any():
            other = replace(evidence, initialisation=start)
            for way in ("start", "ours") if start == BETTER else ("start",):
                yield way, STARTS[start], other
    for name in evidence.datasets_for(MAIN)[1:]:
        yield "data", name, replace(evidence, chosen={MAIN: name})
    if (evidence.restarts["role"] == "english").any():
        yield "data", "English", replace(evidence, role="english")
