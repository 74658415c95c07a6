"""Table 1 and its other readings, the data of Figure 2, and tables on real records."""

import math

import numpy as np
import pandas as pd

from reseat.datasets.identity import UNCOMPARED
from reseat.errors import DataError
from reseat.papers.records import results
from reseat.papers.records.formulas import LargestBlock
from reseat.papers.records.plan import SIMILAR
from reseat.papers.records.study_tables import OF_PRIOR
from reseat.papers.statistics import notes_on_modes, student_interval
from reseat.papers.tables import COLUMNS, identity_of, mean_and_error, tidy, tidy_row
from reseat.summaries import AGREED
from reseat.vocabulary import FAITHFUL, NOT_CONVERGED, NOTE

# ---- Table 1, its cells under other readings, and the real record sets (section 4.2) ---------

#: Columns of Table 1 beside the shared ones: `combined` is the error of the difference from the
#: published value, and `n_parts` the draws behind `se` (empty for a Monte Carlo error).
TABLE1_EXTRA = (
    *("delta_true", "truth", "n_draws", "sd_between", "mcse", "combined", "rhat_max", "agrees"),
    NOTE,
    "n_parts",
)

#: Metrics of Table 1, and error rates of point estimates beside them.
SHOWN = (*results.METRICS, *results.ESTIMATED)

#: Share of the bound of delta from which a quarter of the draws lie at the bound.
NEARLY = 0.98


@tidy(*TABLE1_EXTRA)
def table1(artefact, summaries, published):
    """Return Table 1 (set x delta x prior), with each number averaged over the data draws."""
    summaries = summaries[summaries["model"].isin([*results.COUNTED, *results.OTHER_READINGS])]
    for identity, delta, part in results.variants(summaries, artefact):
        yield from _cells(identity, delta, part, published)


def readings_table(artefact, summaries, published):
    """Return cells of Table 1 under other readings, averaged over the draws that all have."""
    rows = []
    for identity, delta, part in results.variants(summaries, artefact):
        draws = part.groupby("model")["draw"].agg(set)
        if not set(draws.index) <= set(results.MODELS):
            common = set.intersection(*draws)
            rows += _cells(identity, delta, part[part["draw"].isin(common)], published)
    if not rows:
        raise DataError(f"{artefact} has no reading of a model; run one, such as pyp_75.")
    return pd.DataFrame(rows, columns=[*COLUMNS, *TABLE1_EXTRA])


@tidy("truth", "rhat_max", "n_parts", NOTE)
def real_table(artefact, summaries, delta_bound):
    """Return the metrics of Table 1 on real records, noting where the bound cuts off delta."""
    summaries = summaries[summaries["delta_true"].isna() & (summaries["likelihood"] != SIMILAR)]
    for identity, part in _datasets(artefact, summaries):
        for _model, label, of_model in results.by_model(part):
            posteriors = {metric: results.posterior_of(of_model, metric) for metric in SHOWN}
            more = {"rhat_max": _worst_rhat(posteriors), NOTE: _at_bound(of_model, delta_bound)}
            yield from _posteriors(identity, label, posteriors, more)
            # R-hat of the number of clusters, beside the numbers whose convergence it indicates.
            row = posteriors[results.E_K].iloc[0]
            values = (row["rhat"], np.nan, int(row["n_chains"]))
            yield tidy_row(identity, label, "posterior", "R-hat", values) | more


def _datasets(artefact, frame):
    for _name, part in frame.groupby("dataset", sort=False):
        yield identity_of(part, artefact), part


def _posteriors(identity, label, posteriors, more):
    """Yield a row for each metric that has a mean, from the first data set of its rows."""
    for metric, found in posteriors.items():
        found = found.dropna(subset=["mean"])
        if len(found):
            row = found.iloc[0]
            values = (row["mean"], row["mcse"], int(row["n_chains"]))
            cell = tidy_row(identity, label, _summary(metric), metric.name, values)
            yield {**cell, **more, "truth": row["truth"]}


def _at_bound(rows, bound):
    """Return a note if the bound cuts off the posterior of delta of one model; otherwise ""."""
    delta = rows[rows["quantity"].str.fullmatch(r"delta(_\d+)?")]
    cut = (delta["q75"] > NEARLY * bound) & (delta["whisker_high"] <= bound)
    of = "delta" if len(delta) == 1 else f"delta of {cut.sum()} of {len(delta)} fields"
    return f"{of} is at its bound, {bound:g}" if cut.any() else ""


def _cells(identity, delta, part, published):
    for _model, label, of_model in results.by_model(part):
        printed = of_model["system"].iloc[0]
        ordered = of_model.sort_values("draw")
        posteriors = {metric: results.posterior_of(ordered, metric) for metric in SHOWN}
        rhat, note = _worst_rhat(posteriors), _short_chains(posteriors)
        for metric, found in posteriors.items():
            n = len(found)
            if n == 0:
                continue
            # A rate is printed once, whatever partition it is of.
            name = metric.name.partition(",")[0]
            value = published.get((identity["role"], delta, printed, name), np.nan)
            mean, error, _n = mean_and_error(found["mean"])
            sampler = float(np.sqrt(np.sum(found["mcse"].to_numpy() ** 2)) / n)
            between = error * np.sqrt(n)
            # Of the difference between the mean of n draws and the one draw of the paper.
            combined = float(np.sqrt(between**2 * (1 + 1 / n) + sampler**2))
            own = (mean, error if n > 1 else sampler, int(found["n_chains"].sum()))
            row = tidy_row(identity, label, _summary(metric), metric.name, own, value, combined)
            known = row["comparable"] and not np.isnan(value)
            gap = row["difference"]
            fits = results.agrees(metric.name, gap, value, combined) if known else np.nan
            extra = (delta, found["truth"].mean(), n, between, sampler, combined, rhat, fits, note)
            n_parts = n if n > 1 else np.nan
            yield row | dict(zip(TABLE1_EXTRA, (*extra, n_parts), strict=True))


def _summary(metric):
    return "point estimate" if metric in results.ESTIMATED else "posterior"


def _worst_rhat(posteriors):
    return float(_judged(posteriors)["rhat"].max())


def _short_chains(posteriors):
    """Return a note on single chains with too few effective draws; empty if there are none."""
    judged = _judged(posteriors)
    short = judged[(judged["n_chains"] == 1) & results.unsettled(judged)]
    if len(short) == 0:
        return ""
    # Rounded down, so that a number below the limit is never printed as the limit.
    fewest = f"{math.floor(short['ess'].min())} effective draws"
    n_draws, n_short = judged["dataset"].nunique(), short["dataset"].nunique()
    if n_draws == 1:
        return f"{NOT_CONVERGED}: a single chain with {fewest}"
    chains, have = ("chain", "has") if n_short == 1 else ("chains", "have as few as")
    return (
        f"{NOT_CONVERGED}: the only {chains} on {n_short} of {n_draws} draws of the data {have} "
        f"{fewest}"
    )


def _judged(posteriors):
    """Return the rows whose R-hat and effective draws stand for those of all metrics."""
    return pd.concat(posteriors[metric] for metric in (results.E_K, results.FNR, results.FDR))


# ---- Table 1 from chains that have not settled --------------------------------------------------

#: Metrics of a stopped chain that count in each column, with matching sets and with means.
STOPPED = {
    "n_agree": ("E[K]", "sd[K]", "FNR, matching sets", "FDR, matching sets", "E[delta]"),
    "n_agree_means": ("E[K]", "sd[K]", "FNR", "FDR", "E[delta]"),
}


def unsettled_table(artefact, stops, published):
    """Return the numbers of Table 1, without errors, from a chain stopped after more sweeps."""
    rows = []
    for row in stops.fillna({"reading": ""}).to_dict("records"):
        name = row["metric"].partition(",")[0]
        value = published.get((row["role"], row["delta_true"], row["system"], name), np.nan)
        known = row["status"] not in UNCOMPARED and not np.isnan(value)
        gap = row["mean"] - value
        fits = results.agrees(row["metric"], gap, value, np.nan) if known else np.nan
        identity = {"artefact": artefact} | {key: row[key] for key in ("role", "dataset", "status")}
        system = f"{results.printed_name(row)}, {row['sweep']} sweeps"
        found, value = (row["mean"], np.nan, 1), value if known else np.nan
        cell = tidy_row(identity, system, "stopped", row["metric"], found, value)
        more = {"agrees": fits, "counted": row["model"] in results.COUNTED}
        rows.append(cell | {key: row[key] for key in ("delta_true", "sweep")} | more)
    table = pd.DataFrame(rows)
    judged = table[table["counted"] & table["agrees"].notna()].astype({"agrees": bool})
    for column, metrics in STOPPED.items():
        by_sweep = judged[judged["metric"].isin(metrics)].groupby("sweep")["agrees"]
        table[column] = table["sweep"].map(by_sweep.sum()).fillna(0).astype(int)
        table["n_printed"] = table["sweep"].map(by_sweep.size()).fillna(0).astype(int)
    return table.drop(columns="counted")


# ---- Data of Figure 1: largest block and number of blocks of prior draws ------------------------

#: Probability of the central interval of the exact law in which a printed point agrees with it.
CENTRAL = 0.99


def growth_table(artefact, draws, published):
    """Return Figure 1: the largest block and number of blocks of one draw per number of items."""
    shown = (draws["draw"] == 0) & (draws["n_items"] >= published["n_items"].min())
    theirs = published.assign(source="published", n_clusters=np.nan)
    both = pd.concat([draws[shown].assign(source="ours"), theirs], ignore_index=True)
    points = both[both["source"].eq("published")]
    # The law of NBNB is that of NBD, too, if its law of sizes is fixed at its geometric mean.
    law = LargestBlock(int(points["n_items"].max()))
    known = [law.interval(n_items, CENTRAL) for n_items in points["n_items"].astype(int)]
    exact = pd.DataFrame(known, columns=["expected", "low", "high"], index=points.index)
    exact["published"] = points["max_size"]
    exact["agrees"] = points["max_size"].between(exact["low"], exact["high"])
    both = both.join(exact)
    both = both.assign(
        artefact=artefact,
        point="N = " + both["n_items"].astype(int).astype(str),
        comparable=both["published"].notna(),
        largest_share=both["max_size"] / both["n_items"],
        cluster_share=both["n_clusters"] / both["n_items"],
        **OF_PRIOR,
    )
    columns = ["artefact", "dataset", "status", "comparable", "source", "system", "point"]
    columns += ["n_items", "max_size", "n_clusters", "largest_share", "cluster_share"]
    return both[[*columns, *exact.columns]]


# ---- Boxes of Figure 2, and cluster sizes of Figure 1 of the supplement ----------------------

#: Sets whose distribution of cluster sizes is shown in Figure 1 of the supplement.
SIZE_ROLES = ("syria2000", "syriasizes")


def boxes_table(artefact, summaries, published):
    """Return Figure 2: boxes of four statistics on the first draw beside the published ones."""
    counted = summaries[summaries["model"].isin(results.COUNTED)]
    printed = published.set_index(["role", "delta", "system", "statistic"])
    rows = []
    for identity, delta, part in results.variants(counted, artefact):
        for _model, label, of_model in results.by_model(part):
            for statistic in results.STATISTICS:
                found = of_model[of_model["quantity"] == statistic].sort_values("draw")
                if len(found) == 0 or found["draw"].iloc[0] != 0:
                    continue
                box = found.iloc[0]
                key = (identity["role"], delta, box["system"], statistic)
                theirs = dict.fromkeys(results.BOX, np.nan)
                if key in printed.index and identity["status"] not in UNCOMPARED:
                    theirs = printed.loc[key]
                mean, error, n_draws = mean_and_error(found["median"])
                spread = error * math.sqrt(n_draws + 1)  # of the difference of one more draw
                _mean, low, high = student_interval(mean, spread, n_draws)
                median = theirs["median"]
                near = low <= median <= high or abs(median - mean) <= results.SHARE * mean
                known = np.isfinite([median, spread]).all()
                row = identity | {"comparable": identity["status"] == FAITHFUL, "delta": delta}
                row |= {"system": label, "statistic": statistic, "truth": box["truth"]}
                row |= {name: box[name] for name in results.BOX}
                row |= {f"published_{name}": theirs[name] for name in results.BOX}
                row |= {"low": low, "high": high, "combined": spread}
                row |= {"agrees": near if known else np.nan, "rhat": float(found["rhat"].max())}
                row |= {"n_chains": int(box["n_chains"]), "n_draws": n_draws}
                rows.append(row | {NOTE: NOT_CONVERGED if results.unsettled(found).any() else ""})
    return pd.DataFrame(rows)


def sizes_table(artefact, sizes, summaries, published):
    """Return Figure 1 of the supplement: true and posterior numbers of clusters of each size."""
    first = summaries[summaries["draw"] == 0]
    worst = first.groupby(["dataset", "model"])["rhat"].max().to_dict()
    chosen = (sizes["draw"] == 0) & sizes["role"].isin(SIZE_ROLES)
    chosen &= sizes["model"].isin(results.COUNTED)
    counts = published.set_index(["role", "size"])["count"].to_dict()
    rows = []
    for identity, delta, part in results.variants(sizes[chosen], artefact):
        known = identity["status"] not in UNCOMPARED
        for model, label, of_model in results.by_model(part):
            apart = worst.get((of_model["dataset"].iloc[0], model), np.nan) > AGREED
            for size in of_model.sort_values("size").to_dict("records"):
                printed = counts.get((identity["role"], size["size"]), np.nan) if known else np.nan
                row = identity | {"delta": delta, "system": label, "size": int(size["size"])}
                row |= {"truth": size["truth"], "published": printed}
                row |= {name: size[name] for name in ("mean", "q025", "q975")}
                rows.append(row | {NOTE: NOT_CONVERGED if apart else ""})
    return pd.DataFrame(rows)


# ---- Comparison of partition priors on records and documents ---------------------------------

#: Metrics by which the priors are compared: error rates of records, ARI of documents.
CROSS_METRICS = (results.E_K, results.MEAN_SIZE, results.FNR, results.FDR, results.ARI)

#: Models of records, mapped to the printed names of their priors.
RECORD_PRIORS = {"finite": "finite Dirichlet", **results.MODELS}

#: Models of documents, mapped to the printed names of their priors.
DOCUMENT_PRIORS = {"gibbs": "finite Dirichlet"}
DOCUMENT_PRIORS |= {f"gibbs_{model}": prior for model, prior in results.MODELS.items()}


@tidy("family", "truth", "rhat_max", "n_parts", NOTE)
def cross_table(artefact, summaries, scores=None, n_items=None, traces=()):
    """Return the number, mean size and accuracy of clusters for every prior on every data set."""
    rows = [*_of_summaries(artefact, summaries[summaries["draw"] <= 0])]  # the first draw
    if scores is not None and len(scores):
        notes = notes_on_modes(scores, traces) if traces else {}
        rows += _of_scores(artefact, scores, n_items or {}, notes)
    if not rows:
        raise DataError(f"{artefact} has no prior to compare; run its models first.")
    return rows


def _of_summaries(artefact, summaries):
    for identity, part in _datasets(artefact, summaries):
        for model, prior in RECORD_PRIORS.items():
            of_model = part[part["model"] == model]
            posteriors = {
                metric: results.posterior_of(of_model, metric) for metric in CROSS_METRICS
            }
            rhat = pd.concat([found["rhat"] for found in posteriors.values()]).max()
            more = {"family": "records", "rhat_max": float(rhat), NOTE: ""}
            yield from _posteriors(identity, prior, posteriors, more)


def _of_scores(artefact, scores, n_items, notes):
    scores = scores[scores["summary"] == "random"]
    for identity, part in _datasets(artefact, scores.assign(role=scores["dataset"])):
        for model, prior in DOCUMENT_PRIORS.items():
            found = part[part["model"] == model]
            clusters = found["n_clusters"].to_numpy(float)
            values = {results.E_K: clusters, results.ARI: found["adjusted_rand"]}
            values[results.MEAN_SIZE] = n_items.get(identity["dataset"], np.nan) / clusters
            for metric in (results.E_K, results.MEAN_SIZE, results.ARI):
                if np.isfinite(values[metric]).any():
                    row = mean_and_error(values[metric])
                    cell = tidy_row(identity, prior, "random", metric.name, row)
                    more = {"family": "documents", "n_parts": cell["n_chains"]}
                    more[NOTE] = notes.get((identity["dataset"], model), "")
                    yield {**cell, **more}


# ---- Precision, recall and F of every prior on records with misspelt values ------------------


@tidy("truth", "rhat_max", "n_parts")
def benchmarks_table(artefact, summaries):
    """Return precision, recall, F and number of clusters of models of similar values."""
    summaries = summaries[(summaries["likelihood"] == SIMILAR) & summaries["delta_true"].isna()]
    if len(summaries) == 0:
        raise DataError(
            f"{artefact} has no model of similar values; run one on real records first."
        )
    for identity, part in _datasets(artefact, summaries):
        for _model, label, of_model in results.by_model(part):
            posteriors = {metric: results.posterior_of(of_model, metric) for metric in SHOWN}
            more = {"rhat_max": _worst_rhat(posteriors)}
            yield from _posteriors(identity, label, {results.E_K: posteriors[results.E_K]}, more)
            for metric, quantity, found in _accuracies(posteriors):
                row = tidy_row(identity, label, _summary(metric), quantity, found)
                yield {**row, "truth": 1.0, **more}


def _accuracies(posteriors):
    """Yield precision, recall and F of each partition: mean, error and number of chains."""
    for missed, wrong in (
        (results.FNR, results.FDR),
        *zip(results.ESTIMATED[::2], results.ESTIMATED[1::2], strict=True),
    ):
        found = posteriors[missed], posteriors[wrong]
        if any(len(rates) == 0 for rates in found):
            continue
        (not_found, error_r), (false, error_p) = (
            rates.iloc[0][["mean", "mcse"]] for rates in found
        )
        precision, recall = 1 - false, 1 - not_found
        values = {"P": (precision, error_p), "R": (recall, error_r)}
        if (total := precision + recall) > 0:
            slopes = 2 * (recall / total) ** 2, 2 * (precision / total) ** 2
            error = math.hypot(slopes[0] * error_p, slopes[1] * error_r)
            values["F"] = (2 * precision * recall / total, error)
        n_chains = int(found[0]["n_chains"].iloc[0])
        for name, value in values.items():
            quantity = missed.name.replace(results.FNR.name, name)
            yield missed, quantity, (*value, n_chains)
