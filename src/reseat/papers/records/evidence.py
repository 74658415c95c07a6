"""The evidence on the claims of Zanella et al. (2016), and the wording of verdicts."""

from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import pandas as pd

from reseat.datasets.identity import cell_name, recipe_of
from reseat.papers.claims import NOT_RUN, Evidence, PrintedEvidence
from reseat.papers.records import results
from reseat.papers.statistics import bootstrap_interval, difference_interval
from reseat.papers.tables import rows_of

#: Sets on which microclustering priors are said to do better, and sets without a pattern.
SURVEYS = ("italy", "nltcs5000")
SYRIA = ("syria2000", "syriasizes")

#: Where the losses are printed.
SOURCE = "Table 1 (rates) and the medians of Figure 2 (sizes)"

#: Shares of singletons that the text of the paper states.
SINGLETON_SHARES = {"italy": 0.74, "nltcs5000": 0.68}


@dataclass(frozen=True)
class RecordsEvidence(Evidence):
    """The evidence on which the claims are judged."""

    #: Posterior summaries of all draws of the paper's recipes; other rows are ignored.
    summaries: pd.DataFrame
    #: Effective sample sizes of the moves, from `compare_moves`.
    runs: pd.DataFrame | None
    #: Draws from priors at fixed hyperparameters, with `DRAW_COLUMNS`: NBNB, NBD, DP and PYP.
    growth: pd.DataFrame | None
    #: Columns `prior`, `order` of the visits (only ``ascending`` is free of the state),
    #: `total_variation` of the posterior from the exact stationary law, and `irreducible`.
    invariance: pd.DataFrame | None
    published: results.Published
    seed: int = 20161205
    #: Whether the parameters of DP and PYP are fixed, or sampled.
    fixed: bool = False
    #: The point estimate whose error rates are judged; posterior means if empty.
    estimate: str = "matching_sets"
    NAMES = results.SETS

    @cached_property
    def draws(self):
        """Summaries of the draws of the first recipe of each set, by the paper's models."""
        drawn = self.summaries[self.summaries["draw"] >= 0]
        if not self.fixed:
            drawn = drawn[~drawn["model"].isin(results.SAMPLED.values())]
            drawn = drawn.assign(model=drawn["model"].replace(results.SAMPLED))
        recipe = drawn["variant"].map(recipe_of)
        first = recipe.groupby(drawn["role"], sort=False).transform("first")
        return drawn[recipe == first]

    def rows(self, role):
        return self.draws[self.draws["role"] == role]

    def unconverged(self, roles, deltas=results.DELTAS, models=tuple(results.MODELS)):
        """Return, in words, the models with an `unsettled` quantity on a draw of a variant."""
        rows = self.draws[
            self.draws["model"].isin(models)
            & self.draws["delta_true"].isin(deltas)
            & self.draws["quantity"].isin([results.E_K.column, *LOSSES])
        ]
        found = rows[results.unsettled(rows)]
        found = set(zip(found["role"], found["delta_true"], found["model"], strict=True))
        return [
            f"{results.MODELS[model]} on {variant_title(role, delta)}"
            for role, delta, model in product(roles, deltas, models)
            if (role, delta, model) in found
        ]

    def behind(self, printed, counts, roles, at="", fewest=0):
        """Return the data behind a number in words, or where it is `printed`, and the setting."""
        parts = [self.where(roles) if self.measured else printed, at]
        if self.measured and (counts := list(counts)):
            least, most = min(counts), max(counts)
            span = f"{least}" if least == most else f"{least} to {most}"
            short = f" (an interval needs {fewest})" if least < fewest else ""
            parts.append(f"{span} data draw{'' if most == 1 else 's'} a variant{short}")
        return ", ".join(filter(None, parts))

    def posterior(self, role, delta, model, quantity):
        """Return the summaries of one quantity of one model on a variant, ordered by draw."""
        wanted = {"role": role, "delta_true": delta, "model": model, "quantity": quantity}
        return rows_of(self.draws, **wanted).sort_values("draw")

    def losses(self, roles):
        """Return an array (n_draws, 4, 6) by `MODELS` and :data:`LOSSES` for each variant."""
        rows = self.draws
        if self.estimate:
            names = {f"{rate}_{self.estimate}": rate for rate in LOSSES[ERROR_RATES]}
            rows = rows[~rows["quantity"].isin(names.values())].replace({"quantity": names})
        rows = rows[
            rows["role"].isin(roles)
            & rows["delta_true"].isin(results.DELTAS)
            & rows["model"].isin(list(results.MODELS))
            & rows["quantity"].isin(LOSSES)
        ]
        distance = (rows["mean"] - rows["truth"]).abs() / rows["truth"]
        rate = rows["quantity"].isin(LOSSES[ERROR_RATES])
        rows = rows.assign(loss=rows["mean"].where(rate, distance))
        columns, losses = list(product(results.MODELS, LOSSES)), {}
        for cell, part in rows.groupby(["role", "delta_true"]):
            wide = part.pivot_table(index="dataset", columns=["model", "quantity"], values="loss")
            wide = wide.reindex(columns=columns).dropna()
            if len(wide):
                losses[cell] = wide.to_numpy().reshape(-1, len(results.MODELS), len(LOSSES))
        return losses

    def growth_of_gap(self, losses, role, loss, level):
        """Return by how much `gap` is larger at the largest delta than at the smallest."""
        cells = [(role, delta) for delta in (results.DELTAS[-1], results.DELTAS[0])]
        if not losses.keys() >= {*cells}:
            return NOT_RUN
        ends = [gap(losses[cell], loss) for cell in cells]
        return self.interval(difference_interval, *ends, level)

    def worse(self, losses, role, delta, place, column, level):
        """Return by how much an error rate of a model exceeds its larger one on the surveys."""
        cells = [(name, delta) for name in (role, *SURVEYS)]
        if not losses.keys() >= {*cells}:
            return NOT_RUN
        own, *others = (losses[cell][:, place, column] for cell in cells)
        return self.interval(difference_interval, own, max(others, key=np.mean), level)

    def bootstrap(self, losses, statistic):
        """Return a statistic of the mean losses, and its interval."""
        rng = np.random.default_rng(self.seed)
        return self.interval(bootstrap_variants, losses, statistic, rng)

    def interval(self, of, *given):
        """Return the interval of some values by a function; a printed number is its own."""
        found = of(*given)
        return found if self.measured else found[:1] * 3


class PrintedRecords(PrintedEvidence, RecordsEvidence):
    """Table 1 and the medians of Figure 2 as one draw, each number its own interval."""

    def __init__(self, published):
        names = {"E[K]": "n_clusters", "FNR": "fnr", "FDR": "fdr"}
        rows = [
            (role, delta, system, names[metric], value, published.true_clusters(role, delta))
            for (role, delta, system, metric), value in published.table1.items()
            if metric in names
        ]
        columns = ["role", "delta", "system", "statistic", "median", "truth"]
        both = pd.concat([pd.DataFrame(rows, columns=columns), published.fig2[columns]])
        cells = list(map(cell_name, both["role"], both["delta"]))
        models = {system: model for model, system in results.MODELS.items()}
        both = both.assign(dataset=cells, variant=cells, draw=0, model=both["system"].map(models))
        named = {"delta": "delta_true", "statistic": "quantity", "median": "mean"}
        summaries = both.rename(columns=named)
        super().__init__(summaries, None, None, None, published, fixed=True, estimate="")


def variant_title(role, delta):
    """Return a variant in words, such as 'Italy at .05'."""
    return f"{results.SETS[role]} at {delta:g}".replace("0.", ".")


def missing_cells(found, roles):
    """Return the names of the variants of some sets that are not among those found."""
    return [variant_title(r, d) for r in roles for d in results.DELTAS if (r, d) not in found]


# ---- How far each prior is from the truth on each variant, and which prior is nearer ---------
#
# A loss is an error rate (FNR, FDR), or the distance of a statistic of the partition from its
# true value as a share of that value.

#: Priors without and with the microclustering property, as indices into an array of losses.
CLASSIC, MICRO = [0, 1], [2, 3]
NBD = 3

#: Losses in order: two error rates, then four statistics of the partition.
LOSSES = ("fnr", "fdr", *results.STATISTICS)
ERROR_RATES, SIZE_STATISTICS = slice(0, 2), slice(2, 6)

#: Losses that differ by no more count as equal: one unit of the last printed digit of the rates.
TOLERANCE = 0.01


def printed_losses(published, roles):
    """Return the losses of Table 1 and of the medians of Figure 2, of shape (1, 4, 6)."""
    return PrintedRecords(published).losses(roles)


def mean_losses(losses):
    """Return the losses of each variant averaged over its draws, shape (4, 6)."""
    return {cell: values.mean(axis=0) for cell, values in losses.items()}


def no_worse(means, columns):
    """Return the variants on which both microclustering priors are no worse than both others."""
    return [
        cell
        for cell, values in means.items()
        if np.all(values[MICRO, columns].max(axis=0) <= _bar(values[CLASSIC, columns].min(axis=0)))
    ]


def share_nbd_best(means):
    """Return the share of (variant, loss) pairs in which no prior is better than NBD."""
    best = [
        values[NBD] <= _bar(np.delete(values, NBD, axis=0).min(axis=0)) for values in means.values()
    ]
    return float(np.mean(best))


def share_won(means):
    """Return the share of comparisons (variant, loss, pair) that NBNB and NBD win, ties half."""
    scores = []
    for values in means.values():
        lead = values[CLASSIC, None] - values[None, MICRO]
        scores.append(np.where(np.abs(lead) <= _bar(0.0), 0.5, lead > 0))
    return float(np.mean(scores))


def gap(values, loss):
    """Return the mean loss of DP and PYP minus that of NBNB and NBD, from (n_draws, 4, 6)."""
    column = values[:, :, LOSSES.index(loss)]
    return column[:, CLASSIC].mean(axis=1) - column[:, MICRO].mean(axis=1)


def bootstrap_variants(losses, statistic, rng):
    """Return a bootstrap interval over the data draws of each variant, all models together."""

    def of_draws(*groups):
        return statistic(mean_losses(dict(zip(losses, groups, strict=True))))

    return bootstrap_interval(losses.values(), of_draws, rng)


def _bar(value):
    """Return the value up to which a loss counts as no larger, with a margin for rounding."""
    return value + TOLERANCE + 1e-9


# ---- Interpretation of the wording of MIC-6 to MIC-20, and the sentences that report it ------

#: Slope of log E[M/N] on log N below which the share vanishes (MIC-6), and above which it lasts
#: (MIC-7). Geometric tails give log N items, and a slope near -1.
VANISHING, LASTING = -0.5, -0.1
#: "Almost all" variants: all but this many (MIC-10, MIC-11).
ALL_BUT = 1
#: "In general" the best: on more than this share of the comparisons (MIC-12).
GENERAL = 0.5
#: A consistent pattern: one side wins more than this share of the comparisons (MIC-14).
PATTERN = 0.75
#: Overestimated: by more than this share of the true number (MIC-15, MIC-16), that within which
#: numbers of clusters agree. The paper says "greatly"; its own excesses begin at 1.8 %.
OVER = results.SHARE
OVER_MEANS = (
    f"'greatly overestimated', as the paper says, is read as above {OVER:.0%}, within which "
    "numbers of clusters agree"
)
#: Size of a largest cluster that is as near to two records as to three (MIC-19).
TWO = 2.5
#: Priors that are said to overestimate the number of clusters and their models, and the sets.
EXCEEDING = {"DP": "dp", "PYP": "pyp"}
OVERESTIMATED = ("italy", "nltcs5000", "syriasizes")
#: Names of the losses whose gap is said to grow with delta (MIC-13).
SIZES = ("singletons", "largest", "mean", "90th percentile")
NAMES = dict(zip(LOSSES, ("FNR", "FDR", *SIZES), strict=True))

EQUAL = f"differences up to {TOLERANCE} ({TOLERANCE:.0%} of the truth for sizes) count as none"


# ---- Check whether the error rates of a row can be means, as its number of clusters is --------
#
# N items in K clusters have at least N - K linked pairs. At most (1 - FNR) P of these are true,
# where P is the number of true pairs, so that FDR is at least 1 - (1 - FNR) P / (N - K). For
# posterior means the bound holds approximately: the less K varies relative to N - K, the better.

#: Numbers of records, and of pairs of records of one entity, in each set (section 4.1).
ITEMS = {"italy": 789, "nltcs5000": 5000, "syria2000": 2000, "syriasizes": 6700}
TRUE_PAIRS = {"italy": 202, "nltcs5000": 2475, "syria2000": 288, "syriasizes": 4010}

#: Half a unit of the last digit printed.
ROUNDING = 0.005


def least_false_discovery_rate(n_items, n_pairs, n_clusters, fnr):
    """Return the smallest FDR that `n_clusters` clusters of `n_items` items can have at an FNR."""
    linked = n_items - n_clusters
    return max(0.0, 1.0 - (1.0 - fnr) * n_pairs / linked) if linked > 0 else 0.0


def rows_below_bound(published):
    """Return the rows of Table 1 of each set below the bound: by how much, and their numbers."""
    found = {}
    for (role, delta), system in product(published.cells(), results.MODELS.values()):
        names = ("E[K]", "FNR", "FDR")
        e_k, fnr, fdr = (published.table1[role, delta, system, name] for name in names)
        fnr = max(0.0, fnr - ROUNDING)
        least = least_false_discovery_rate(ITEMS[role], TRUE_PAIRS[role], e_k, fnr)
        if least > fdr + ROUNDING:
            text = f"{system} at {delta:g} (at least {least:.2f}, printed {fdr:.2f})"
            found.setdefault(role, []).append((least - fdr, text))
    return found
