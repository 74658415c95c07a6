"""The claims FIRM-1 to FIRM-10 of Kurihara et al. (2006), judged by what was measured."""

from dataclasses import replace
from functools import partial

import numpy as np

from reseat.papers.claims import (
    NOT_RUN,
    PRINTED,
    Cell,
    Claims,
    above,
    ahead,
    all_of,
    below,
    exact,
    judge_cells,
    not_converged,
    opposite,
    untested,
)
from reseat.papers.relational import PAPER, formulas
from reseat.papers.relational.evidence import best_interval, by_all_classes, gap_interval
from reseat.papers.relational.plan import BETTER
from reseat.papers.relational.results import BETAS, MAIN, MODELS, PAIRS, STARTS
from reseat.papers.relational.tables import METHODS
from reseat.papers.statistics import (
    LEVEL,
    bonferroni,
    bootstrap_interval,
    difference_interval,
    interval_of_difference,
    min_group,
)
from reseat.papers.tables import rows_of
from reseat.summaries import AGREED
from reseat.variational.restarts import best_restart
from reseat.vocabulary import AS_PRINTED, CONFIRMED, OURS, REFUTED, UNTESTABLE

CLAIMS = Claims(PAPER)
claim = CLAIMS.claim

# ---- Claims FIRM-2 and FIRM-8: coverage of the classes, and leads under controls -------------
#
# The claims are about the paper's algorithm, the best of several random restarts, and are judged on
# it. Fits from other starts, among them ours, whose bound is higher, are further readings.
#
# Coverage and purity rise with the number of cells, whatever the clusters are. A lead is
# therefore examined in two further ways: at the IRM's numbers of clusters, and relative to the
# lead of random partitions with the same cluster sizes. Numbers are those of the restart with the
# best ELBO. Intervals come from half samples of the restarts, and are Welch's over random draws.
# Generated data and the user's own decide nothing.

CELLS = "follows from the number of cells"
FASTER = "a time on a machine that is twenty years younger"

#: What the classes are by which cells are scored, in words.
CLASSES = "classes are those of the aspect model, in the place of the paper's SAM"


def _covers(key, model, says, covers_all):
    """Declare a claim that a model covers all classes, or that it does not.

    It leaves out some if the interval of its coverage lies below 1, and none if that is 1.
    """

    @claim(
        key,
        says,
        effect=f"share of the classes that the {MODELS[model]} covers",
        uncounted=CELLS,
        again=("pairs", "start", "data"),
    )
    @by_all_classes
    def rule(evidence):
        restarts = evidence.covered(model)
        if len(restarts[0]) == 0:
            return untested(f"no coverage of the {MODELS[model]} was counted.")
        share, low, high = best_interval(restarts, evidence.rng)
        n_classes = int(evidence.of(evidence.coverage, evidence.role)["n_classes"].iloc[0])
        printed = evidence.published.models[model, "covered"]
        text = (
            f"{evidence.where()}, {restarts_text(restarts)}: {share * n_classes:.0f} of "
            f"{n_classes} classes; the paper has {printed:g} of "
            f"{evidence.published.setup['classes']:g}; {CLASSES}"
        )
        drawn = evidence.random(model, "coverage") * n_classes
        if len(drawn):
            text += f"; random clusters of the same sizes cover {drawn.mean():.1f}"
        left_out = ahead((1 - share, 1 - high, 1 - low))
        verdict = opposite(left_out) if covers_all else left_out
        return evidence.found(verdict, (share, low, high), text)

    return rule


firm2a = _covers("FIRM-2a", "firm", "the clusters of the FIRM cover all classes of SAM", True)
firm2b = _covers("FIRM-2b", "irm", "the clusters of the IRM do not cover all classes of SAM", False)


def _lead(key, says, effect, what, values, again=("pairs", "ours", "data"), **about):
    """Declare a claim about the lead of the best FIRM over the best IRM.

    `values` takes the evidence and returns the ELBO and the number of each restart of both models.
    The claim is confirmed if the lead is surely positive, refuted if it surely is not.
    """

    @claim(key, says, effect=effect, again=again, **(about or {"source": OURS}))
    @by_all_classes
    def rule(evidence):
        first, second = values(evidence)
        if len(first[0]) == 0 or len(second[0]) == 0:
            return untested(f"nothing was run for {what}.")
        interval = gap_interval(first, second, evidence.rng)
        text = f"{evidence.where()}, {restarts_text(first, second)}: {what}; {CLASSES}"
        return evidence.found(ahead(interval), interval, text)

    return rule


def _lead_beyond_chance(key, says, effect, what, values, column):
    """Declare a claim about the lead of the FIRM less the lead of random partitions.

    The latter is that of random partitions with the FIRM's cluster sizes over random partitions
    with the IRM's. The interval is over restarts and random draws; otherwise the claim is judged as
    by `_lead`. `column` is that of the number in the evidence on random partitions.
    """

    @claim(key, says, effect=effect, source=OURS, again=("pairs", "start", "data"))
    @by_all_classes
    def rule(evidence):
        models = values(evidence)
        drawn = [evidence.random(model, column) for model in ("firm", "irm")]
        if min(len(found) for found in (*drawn, *(elbo for elbo, _values in models))) == 0:
            return untested("no random partitions were scored.")
        lead = gap_interval(*models, evidence.rng)
        by_chance = difference_interval(*drawn)
        interval = interval_of_difference(lead, by_chance)
        text = (
            f"{evidence.where()}, {restarts_text(*models)}, {len(drawn[0])} random partitions a "
            f"model: the FIRM leads by {lead[0]:+.3f} in {what}, random partitions with the sizes "
            f"of its clusters by {by_chance[0]:+.3f}; the effect is the difference; {CLASSES}"
        )
        return evidence.found(ahead(interval), interval, text)

    return rule


firm2c = _lead(
    "FIRM-2c",
    "the FIRM covers more classes of SAM than the IRM",
    "coverage of the FIRM less that of the IRM, as a share of the classes",
    "coverage of the FIRM less that of the IRM",
    lambda evidence: (evidence.covered("firm"), evidence.covered("irm")),
    again=("pairs", "start", "data"),
    uncounted=CELLS,
)
firm8a = _lead(
    "FIRM-8a",
    "the FIRM's lead over the IRM in purity survives when both have the IRM's numbers of clusters",
    "purity S_1 of the FIRM less that of the IRM, at equal numbers of clusters",
    "S_1 at the IRM's numbers of clusters, less its",
    lambda evidence: (evidence.purities("firm", "same_numbers"), evidence.purities("irm")),
)
firm8b = _lead(
    "FIRM-8b",
    "the FIRM's lead over the IRM in coverage survives when both have the IRM's numbers "
    "of clusters",
    "coverage of the FIRM less that of the IRM, at equal numbers of clusters",
    "coverage at the IRM's numbers, less its",
    lambda evidence: (evidence.covered("firm", "same_numbers"), evidence.covered("irm")),
)
firm8c = _lead_beyond_chance(
    "FIRM-8c",
    "the FIRM's lead over the IRM in purity is greater than that of random partitions",
    "lead of the FIRM in purity S_1 less that of random partitions",
    "S_1",
    lambda evidence: [evidence.purities(model) for model in ("firm", "irm")],
    "purity",
)
firm8d = _lead_beyond_chance(
    "FIRM-8d",
    "the FIRM's lead over the IRM in coverage is greater than that of random partitions",
    "lead of the FIRM in coverage less that of random partitions",
    "coverage",
    lambda evidence: [evidence.covered(model) for model in ("firm", "irm")],
    "coverage",
)


def restarts_text(*groups):
    """Return 'best of 30 restarts', and how intervals are made of them, or why there are none."""
    counts = list(dict.fromkeys(len(elbo) for elbo, _values in groups))
    if max(counts) < 2:
        return "the best restart alone, which gives no interval"
    fewest = min_group(halves=True)
    few = f" (an interval needs {fewest})" if min(counts) < fewest else ""
    over = few or " (intervals are over half samples of them)"
    return f"best of {' and '.join(map(str, counts))} restarts{over}"


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
    """Judge FIRM-3 by how many more clusters the best FIRM has than the best IRM.

    Confirmed if it surely has more of both rows and columns, refuted if it surely does not for one
    of them. The effect is the smaller difference.
    """
    found, counts = {}, []
    for side in _SIDES:
        models = [evidence.clusters(model, side) for model in ("firm", "irm")]
        if min(len(elbo) for elbo, _n in models) == 0:
            return untested("one of the models was not run.")
        counts = models
        found[side] = gap_interval(*models, evidence.rng, bonferroni(LEVEL, len(_SIDES)))
    sizes = {
        model: " x ".join(
            f"{numbers[best_restart(elbo)]:g}"
            for elbo, numbers in (evidence.clusters(model, side) for side in _SIDES)
        )
        for model in ("firm", "irm")
    }
    printed = evidence.published.models
    paper = {
        model: " x ".join(f"{printed[model, f'{side} clusters']:g}" for side in _SIDES)
        for model in sizes
    }
    text = (
        f"{evidence.where()}, {restarts_text(*counts)}: {sizes['firm']} clusters of the "
        f"FIRM and {sizes['irm']} of the IRM, where the paper has {paper['firm']} and "
        f"{paper['irm']}; the effect is the smaller difference"
    )
    shown = min(found.values(), key=lambda interval: interval[0])
    return evidence.found(all_of(map(ahead, found.values())), shown, text)


@claim(
    "FIRM-6",
    "a restart of variational inference takes less than five minutes",
    effect="time of the slowest restart, in seconds",
    uncounted=FASTER,
)
def firm6(evidence):
    """Judge FIRM-6: confirmed if the longest restart of any setting took less than five minutes.

    The effect is its time in seconds. Each restart is timed once, so that the interval is the
    effect itself.
    """
    runs = evidence.rows(evidence.role)
    if len(runs) == 0:
        return untested("no restart was timed.")
    bar = 60 * evidence.published.setup["minutes a restart"]
    longest = float(runs["seconds"].max())
    text = (
        f"{evidence.where()}, {len(runs):,} restarts on one core: {runs['seconds'].median():.2g} "
        f"seconds in the middle, and {longest:.2g} at most (the effect); the machine is not the "
        "paper's"
    )
    return evidence.found(CONFIRMED if longest < bar else REFUTED, (longest,) * 3, text)


@claim(
    "FIRM-9a",
    "collapsed Gibbs sampling is too slow for a large data set",
    effect="smallest time of a Gibbs chain, as a multiple of that of the paper's restarts",
)
def firm9a(evidence):
    """Judge FIRM-9a by how many times as long a chain takes as the paper's 30 random restarts.

    The factor comes from the mean logarithms of their seconds. Confirmed if it is surely above
    SLOW for every model, refuted if it is surely below for one, in which chains that disagree, and
    so are too short, have to predict held-out cells surely as well as our variational fits. The
    effect is the smaller factor.
    """
    n_restarts = evidence.published.setup["restarts"]

    def factor(runs, level):
        restarts = evidence.runs(runs["gibbs"]["model"].iloc[0])
        seconds = [np.log(frame["seconds"]) for frame in (runs["gibbs"], restarts)]
        return tuple(
            float(np.exp(value)) / n_restarts for value in difference_interval(*seconds, level)
        )

    def short(runs):
        if above(-AS_WELL)(predicted(runs, ("gibbs", "vb"))) == CONFIRMED:
            return above(SLOW)
        return lambda interval: CONFIRMED if above(SLOW)(interval) == CONFIRMED else UNTESTABLE

    text = (
        f"seconds of a chain as a multiple of those of {n_restarts:g} random restarts; 'too slow' "
        f"is read as above {SLOW:g}"
    )
    return _methods(evidence, factor, SLOW, text, short)


def predicted(runs, methods, level=LEVEL):
    """Return by how much the mean log predictive of the first method's runs is higher, in nats."""
    return difference_interval(*(runs[method]["log_predictive"] for method in methods), level)


@claim(
    "FIRM-9b",
    "variational inference predicts held-out cells as well as Gibbs sampling",
    effect="smallest mean log predictive of a held-out cell, variational less Gibbs, in nats",
    source=OURS,
)
def firm9b(evidence):
    """Judge FIRM-9b by the mean log predictive probability of a held-out cell.

    The difference is variational minus Gibbs, in nats, over all runs. Confirmed if it is surely
    above -AS_WELL for every model, refuted if it is surely below for one. A model whose chains
    disagree decides nothing. The effect is the smaller difference.
    """
    text = (
        "mean log predictive probability of a held-out cell, variational less Gibbs; 'as well' is "
        f"read as lower by at most {AS_WELL}"
    )

    def gap(runs, level):
        return predicted(runs, ("vb", "gibbs"), level)

    return _methods(evidence, gap, -AS_WELL, text, lambda _runs: lambda _interval: UNTESTABLE)


def _methods(evidence, compare, bar, text, disagreeing):
    """Return the row of a claim about both methods that holds if it does for every model.

    `disagreeing` takes the runs of a model whose chains disagree, and returns its rule.
    """
    frame = evidence.predictive
    cells, n_runs, apart = [], [], []
    for model, name in MODELS.items():
        runs = {
            method: rows_of(evidence.of(frame, evidence.role), model=model, method=method)
            for method in METHODS
            if frame is not None
        }
        measure, both = lambda _level: NOT_RUN, bool(runs) and min(map(len, runs.values())) > 0
        if both:
            measure = partial(compare, runs)
            n_runs = [len(runs[method]) for method in METHODS]
        rule = above(bar)
        if both and (runs["gibbs"]["rhat"] > AGREED).any():
            rule = disagreeing(runs)
            apart.append(f"{name}, {_most_clusters(runs)}")
        cells.append(Cell(name, evidence.role, measure, rule, name))
    if not n_runs:
        return untested("no held-out cells were predicted by both methods.")

    def words(found):
        numbers = ", ".join(f"{cell.name} {cell.interval[0]:.3g}" for cell in found)
        runs = f"{n_runs[0]} restarts and {n_runs[1]} chains"
        return f"{evidence.where()}, {runs}: {text}: {numbers}{not_converged(apart)}"

    return judge_cells(evidence, cells, words)


def _most_clusters(runs):
    """Return, for example, 'chains with 157 x 273 clusters at most, restarts with 80 x 120'."""
    most = {
        method: " x ".join(f"{runs[method][f'n_{side}_clusters'].max():g}" for side in _SIDES)
        for method in METHODS
    }
    return f"chains with {most['gibbs']} clusters at most, restarts with {most['vb']}"


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
    clusters are. Any i at which both are 1 is left out, because neither can lead there. Confirmed
    if the lead is surely positive for every beta, refuted if it surely is not for one; a tie is not
    a lead. The effect is the smallest lead of all.
    """
    found, counts = {}, []
    level = bonferroni(LEVEL, len(BETAS))
    for beta in BETAS:
        models = [evidence.curves(model, beta) for model in ("firm", "irm")]
        models = [(elbo, curves[..., : curves.shape[-1] // 2]) for elbo, curves in models]
        if min(len(elbo) for elbo, _curves in models) == 0:
            continue
        counts += models
        open_ = np.any([curves[best_restart(elbo)] < 1 for elbo, curves in models], axis=0)
        if open_.any():
            models = [(elbo, curves[:, open_]) for elbo, curves in models]
            found[beta] = gap_interval(*models, evidence.rng, level, lambda gaps: gaps.min(axis=-1))
    if not found:
        return untested("no purity of both models was computed.")
    missing = [f"beta = {beta:g}" for beta in BETAS if beta not in found]
    shown = min(found.values(), key=lambda interval: interval[0])
    parts = [f"beta = {beta:g}: {least[0]:+.5f}" for beta, least in found.items()]
    text = (
        f"{evidence.where()}, {restarts_text(*counts)}, smallest lead of the FIRM in S_i, i up "
        f"to half of the classes: {'; '.join(parts)}; {CLASSES}"
    )
    return evidence.found(all_of(map(ahead, found.values())), shown, text, missing=missing)


@claim(
    "FIRM-5a",
    "the purity of all cells of the FIRM together is not very high",
    effect="purity S_1, from 0 to 1",
    again=("pairs", "start", "data"),
)
@by_all_classes
def firm5a(evidence):
    """Judge FIRM-5a by S_1 of the best FIRM.

    Confirmed if it is surely below NOT_HIGH, refuted if it is surely above.
    """
    first = evidence.purities("firm")
    if len(first[0]) == 0:
        return untested("no purity of the FIRM was computed.")
    interval = best_interval(first, evidence.rng)
    text = (
        f"{evidence.where()}, {restarts_text(first)}: S_1; 'not very high' is read as "
        f"below {NOT_HIGH}; {CLASSES}"
    )
    return evidence.found(below(NOT_HIGH)(interval), interval, text)


@claim(
    "FIRM-5b",
    "the purity of all cells together is not very high because some cells are unspecific",
    effect="share, in unspecific cells, of the pairs outside the main class of their cell",
)
def firm5b(evidence):
    """Judge FIRM-5b by how many pairs outside the main class of their cell are in unspecific cells.

    The cells are those of the best FIRM. Confirmed if the share is surely above REASON, refuted if
    it is surely below; the interval is a bootstrap over cells. It is also refuted if not fewer than
    SOME of the cells are unspecific: then most of them are the reason, whatever their share.
    """
    cells = evidence.cells
    if cells is not None:
        cells = rows_of(evidence.of(cells, evidence.role), model="firm")
    if cells is None or len(cells) == 0:
        return untested("no cells of the FIRM were listed.")
    outside = cells["n_rows"] * cells["n_columns"] * (1 - cells["purity"])
    vague = cells["purity"] < UNSPECIFIC
    values = np.column_stack([outside * vague, outside])
    interval = bootstrap_interval([values], _share, evidence.rng)
    text = (
        f"{evidence.where()}: {int(vague.sum()):,} of {len(cells):,} cells are unspecific (no "
        f"class has half of their pairs), 'some' being fewer than half; the effect is their share "
        f"of the pairs outside the main class of their cell; 'because' is read as above {REASON}; "
        f"{CLASSES}"
    )
    some = vague.mean() < SOME
    return evidence.found(above(REASON)(interval) if some else REFUTED, interval, text)


def _share(values):
    total = values.sum(axis=0)
    return total[0] / total[1] if total[1] > 0 else 0.0


# ---- Claims FIRM-1 and FIRM-7, which are right or wrong up to rounding -----------------------


def _both_models():
    error, n_partitions = formulas.largest_difference(formulas.LINKS)
    with_counts, _n = formulas.largest_difference(formulas.COUNTS)
    size = " x ".join(str(length) for length in formulas.LINKS.shape)
    return (
        f"Enumerated over all {n_partitions:,} pairs of partitions of a {size} table: the effect "
        f"is the largest difference of the log likelihoods; with frequencies up to "
        f"{formulas.COUNTS.max()} it is {with_counts:.2g} nats."
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
    """Declare a claim that holds if a number of the FIRM is surely above `bar` for every table.

    `measure` takes the row of a table and returns the number and its standard error.
    """

    @claim(key, says, effect=effect, **about)
    def rule(evidence):
        joint, found = evidence.joint, {}
        rows = () if joint is None else rows_of(joint, model="firm", role="words")
        if len(rows) == 0:
            return untested("nothing was fitted to several tables.")
        tables = replace(evidence, restarts=rows, role="words")
        for row in tables.rows("words").to_dict("records"):
            value, error = measure(row)
            found[row["relation"]] = (value, value - ERRORS * error, value + ERRORS * error)
        numbers = ", ".join(f"{name} {interval[0]:.4f}" for name, interval in found.items())
        said = f"{tables.where()}: {text}: {numbers}; intervals are {ERRORS:g} standard errors wide"
        verdict = all_of(map(above(bar), found.values()))
        shown = min(found.values(), key=lambda interval: interval[0])
        return tables.found(verdict, shown, f"{said} on each side")

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


@claim("FIRM-3", only=PRINTED)
def firm3_printed(published):
    """Judge FIRM-3 by the smaller of both differences."""
    value = published.models
    lead = {
        side: value["firm", f"{side} clusters"] - value["irm", f"{side} clusters"]
        for side in _SIDES
    }
    text = f"{lead['row']:g} row clusters and {lead['column']:g} column clusters more."
    return exact(min(lead.values()) > 0, min(lead.values()), text)


@claim("FIRM-4", only=PRINTED)
def firm4_printed(published):
    """Judge FIRM-4: refuted, because both purities end at 1."""
    text = (
        f"At i = {published.setup['classes']:g} both purities are 1 by definition (equations 9 "
        "and 10), so that neither is higher there."
    )
    return exact(False, 0.0, text)


@CLAIMS.ways(PRINTED, "pairs", "start", "ours", "data")
def ways(evidence):
    """Judge claims on what is printed, with observed pairs only, other starts, and other data."""
    yield PRINTED, AS_PRINTED, evidence.published
    for pairs in list(PAIRS)[1:]:
        if (evidence.coverage["pairs"] == pairs).any():
            yield "pairs", PAIRS[pairs], replace(evidence, pairs=pairs)
    for start in list(STARTS)[1:]:
        if (evidence.restarts["initialisation"] == start).any():
            other = replace(evidence, initialisation=start)
            for way in ("start", "ours") if start == BETTER else ("start",):
                yield way, STARTS[start], other
    for name in evidence.datasets_for(MAIN)[1:]:
        yield "data", name, replace(evidence, chosen={MAIN: name})
    if (evidence.restarts["role"] == "english").any():
        yield "data", "English", replace(evidence, role="english")
