"""Table 1 and its other readings, the data of Figure 2, and tables on real records."""

import math

import numpy as np
import pandas as pd

from reseat.datasets.identity import UNCOMPARED
from reseat.errors import DataError
from reseat.papers.published import Metric
from reseat.papers.records.formulas import LargestBlock
from reseat.papers.records.plan import SIMILAR
from reseat.papers.records.results import (
    ARI,
    BOX,
    COUNTED,
    E_K,
    ESTIMATED,
    FDR,
    FNR,
    MEAN_SIZE,
    METRICS,
    MODELS,
    OTHER_READINGS,
    SETTLED_BY,
    SHARE,
    STATISTICS,
    agrees,
    by_model,
    finite_max,
    posterior_of,
    printed_name,
    unsettled,
    variants,
)
from reseat.papers.records.study_tables import OF_PRIOR
from reseat.papers.statistics import notes_on_modes, student_interval
from reseat.papers.tables import COLUMNS, identity_of, mean_and_error, tidy, tidy_row
from reseat.summaries import AGREED
from reseat.vocabulary import FAITHFUL, NOT_CONVERGED, NOTE

# ---- Table 1, its cells under other readings, and the real record sets (section 4.2) ---------

#: Columns of Table 1 beside the shared ones, among them the standard deviation between draws, the
#: Monte Carlo error of the mean, the error of the difference from the published value, a note on
#: single chains that are too short, and the draws behind `se` (empty for a Monte Carlo error).
TABLE1_EXTRA = (
    *("delta_true", "truth", "n_draws", "sd_between", "mcse", "combined", "rhat_max", "agrees"),
    NOTE,
    "n_parts",
)

#: Share of the bound of delta from which a quarter of the draws lie at the bound.
NEARLY = 0.98

#: R-hat of the number of clusters, shown beside the numbers whose convergence it indicates.
R_HAT = Metric("R-hat", "n_clusters")


@tidy(*TABLE1_EXTRA)
def table1(artefact, summaries, published):
    """Return Table 1 (set x delta x prior), with each number averaged over D data draws.

    A published number comes from one draw. With s the standard deviation between ours and e the
    Monte Carlo error of the mean, the difference has the error sqrt(s^2 (1 + 1/D) + e^2); with a
    single draw there is no z, and `se` is the Monte Carlo error.
    """
    summaries = summaries[summaries["model"].isin([*COUNTED, *OTHER_READINGS])]
    for identity, delta, part in variants(summaries, artefact):
        yield from _cells(identity, delta, part, published)


def readings_table(artefact, summaries, published):
    """Return cells of Table 1 under other readings of what the paper leaves open.

    All rows of a variant are averaged over the draws that they have in common.
    """
    rows = []
    for identity, delta, part in variants(summaries, artefact):
        draws = part.groupby("model")["draw"].agg(set)
        if not set(draws.index) <= set(MODELS):
            common = set.intersection(*draws)
            rows += _cells(identity, delta, part[part["draw"].isin(common)], published)
    if not rows:
        raise DataError(f"{artefact} has no reading of a model; run one, such as pyp_75.")
    return pd.DataFrame(rows, columns=[*COLUMNS, *TABLE1_EXTRA])


@tidy("truth", "rhat_max", "n_parts", NOTE)
def real_table(artefact, summaries, delta_bound):
    """Return the metrics of Table 1 on real records, noting where the bound cuts off delta."""
    summaries = summaries[summaries["delta_true"].isna() & (summaries["likelihood"] != SIMILAR)]
    for _name, part in summaries.groupby("dataset", sort=False):
        identity = identity_of(part, artefact)
        for _model, label, of_model in by_model(part):
            wanted = (*METRICS, *ESTIMATED, R_HAT)
            posteriors = {metric: posterior_of(of_model, metric) for metric in wanted}
            rhat, note = _worst_rhat(posteriors), _at_bound(of_model, delta_bound)
            for metric, found in posteriors.items():
                if len(found) == 0 or found["mean"].isna().all():
                    continue
                row = found.iloc[0]
                values = (row["mean"], row["mcse"], row["truth"])
                if metric is R_HAT:
                    values = (row["rhat"], np.nan, np.nan)
                mean, error, truth = values
                count = (mean, error, int(row["n_chains"]))
                cell = tidy_row(identity, label, _summary(metric), metric.name, count)
                more = {"truth": truth, "rhat_max": rhat, "n_parts": np.nan, NOTE: note}
                yield {**cell, **more}


def _at_bound(rows, bound):
    """Return a note if the bound cuts off the posterior of delta of one model; otherwise ""."""
    delta = rows[rows["quantity"].str.fullmatch(r"delta(_\d+)?")]
    cut = (delta["q75"] > NEARLY * bound) & (delta["whisker_high"] <= bound)
    of = "delta" if len(delta) == 1 else f"delta of {cut.sum()} of {len(delta)} fields"
    return f"{of} is at its bound, {bound:g}" if cut.any() else ""


def _cells(identity, delta, part, published):
    for _model, label, of_model in by_model(part):
        printed = of_model["system"].iloc[0]
        ordered = of_model.sort_values("draw")
        posteriors = {metric: posterior_of(ordered, metric) for metric in (*METRICS, *ESTIMATED)}
        rhat, note = _worst_rhat(posteriors), _short_chains(posteriors)
        for metric, found in posteriors.items():
            if len(found):
                # A rate is printed once, whatever partition it is of.
                name = metric.name.partition(",")[0]
                value = published.get((identity["role"], delta, printed, name), np.nan)
                cell = _cell(identity, delta, label, metric, found, value)
                yield cell | {"rhat_max": rhat, NOTE: note}


def _summary(metric):
    return "point estimate" if metric in ESTIMATED else "posterior"


def _worst_rhat(posteriors):
    """Return the largest R-hat of :data:`SETTLED_BY`, whose chains stand for all metrics."""
    return finite_max(_judged(posteriors)["rhat"])


def _short_chains(posteriors):
    """Return a note on single chains with too few effective draws; empty if there are none."""
    judged = _judged(posteriors)
    short = judged[(judged["n_chains"] == 1) & unsettled(judged)]
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
    return pd.concat(found for metric, found in posteriors.items() if metric.name in SETTLED_BY)


def _cell(identity, delta, label, metric, found, published):
    n = len(found)
    mean, error, _n = mean_and_error(found["mean"])
    sampler = float(np.sqrt(np.sum(found["mcse"].to_numpy() ** 2)) / n)
    between = error * np.sqrt(n)
    combined = float(np.sqrt(between**2 * (1 + 1 / n) + sampler**2))
    values = (mean, error if n > 1 else sampler, int(found["n_chains"].sum()))
    row = tidy_row(identity, label, _summary(metric), metric.name, values, published, combined)
    verdict = np.nan
    if row["comparable"] and not np.isnan(published):
        verdict = agrees(metric.name, row["difference"], published, combined)
    extra = (*(delta, found["truth"].mean(), n, between, sampler, combined),)
    more = {"agrees": verdict, "n_parts": n if n > 1 else np.nan}
    return row | dict(zip(TABLE1_EXTRA, extra, strict=False)) | more


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
        fits = agrees(row["metric"], row["mean"] - value, value, np.nan) if known else np.nan
        identity = {"artefact": artefact} | {key: row[key] for key in ("role", "dataset", "status")}
        system = f"{printed_name(row)}, {row['sweep']} sweeps"
        found, value = (row["mean"], np.nan, 1), value if known else np.nan
        cell = tidy_row(identity, system, "stopped", row["metric"], found, value)
        more = {"agrees": fits, "counted": row["model"] in COUNTED}
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
    """Return Figure 1: largest block and number of blocks of one prior draw per number of items.

    Beside each printed point are the `expected` size by the exact law of NBNB and the ends `low`
    and `high` of a central interval. The law is that of NBD, too, if its law of sizes is fixed at
    its mean, which is a geometric one.
    """
    shown = (draws["draw"] == 0) & (draws["n_items"] >= published["n_items"].min())
    ours = draws[shown].assign(source="ours")
    both = pd.concat([ours, published.assign(source="published", n_clusters=np.nan)])
    both = both.reset_index(drop=True)
    points = both[both["source"].eq("published")]
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
    """Return Figure 2: posterior boxes of four partition statistics beside the published ones.

    Ours is draw 0. `low` and `high` are the ends in which, by the medians of all our draws, that of
    one further draw lies with probability :data:`~reseat.papers.statistics.LEVEL`.
    """
    counted = summaries[summaries["model"].isin(COUNTED)]
    printed = published.set_index(["role", "delta", "system", "statistic"])
    rows = []
    for identity, delta, part in variants(counted, artefact):
        for _model, label, of_model in by_model(part):
            for statistic in STATISTICS:
                found = of_model[of_model["quantity"] == statistic].sort_values("draw")
                if len(found) == 0 or found["draw"].iloc[0] != 0:
                    continue
                box = found.iloc[0]
                key = (identity["role"], delta, box["system"], statistic)
                theirs = dict.fromkeys(BOX, np.nan)
                if key in printed.index and identity["status"] not in UNCOMPARED:
                    theirs = printed.loc[key]
                mean, error, n_draws = mean_and_error(found["median"])
                spread = error * math.sqrt(n_draws + 1)  # of the difference of one more draw
                _mean, low, high = student_interval(mean, spread, n_draws)
                median = theirs["median"]
                near = low <= median <= high or abs(median - mean) <= SHARE * mean
                apart = bool(unsettled(found).any())
                rows.append(
                    {
                        **identity,
                        "comparable": identity["status"] == FAITHFUL,
                        "delta": delta,
                        "system": label,
                        "statistic": statistic,
                        "truth": box["truth"],
                        **{name: box[name] for name in BOX},
                        **{f"published_{name}": theirs[name] for name in BOX},
                        "low": low,
                        "high": high,
                        "combined": spread,
                        "agrees": near if np.isfinite([median, spread]).all() else np.nan,
                        "rhat": finite_max(found["rhat"]),
                        "n_chains": int(box["n_chains"]),
                        "n_draws": n_draws,
                        NOTE: NOT_CONVERGED if apart else "",
                    }
                )
    return pd.DataFrame(rows)


def sizes_table(artefact, sizes, summaries, published):
    """Return Figure 1 of the supplement: true and posterior numbers of clusters of each size."""
    first = summaries[summaries["draw"] == 0]
    worst = first.groupby(["dataset", "model"])["rhat"].max().to_dict()
    chosen = (sizes["draw"] == 0) & sizes["role"].isin(SIZE_ROLES) & sizes["model"].isin(COUNTED)
    counts = published.set_index(["role", "size"])["count"].to_dict()
    rows = []
    for identity, delta, part in variants(sizes[chosen], artefact):
        known = identity["status"] not in UNCOMPARED
        for model, label, of_model in by_model(part):
            apart = worst.get((of_model["dataset"].iloc[0], model), np.nan) > AGREED
            for row in of_model.sort_values("size").to_dict("records"):
                printed = counts.get((identity["role"], row["size"]), np.nan) if known else np.nan
                rows.append(
                    {
                        **identity,
                        "delta": delta,
                        "system": label,
                        "size": int(row["size"]),
                        "truth": row["truth"],
                        "published": printed,
                        **{name: row[name] for name in ("mean", "q025", "q975")},
                        NOTE: NOT_CONVERGED if apart else "",
                    }
                )
    return pd.DataFrame(rows)


# ---- Comparison of partition priors on records and documents ---------------------------------

#: Metrics by which the priors are compared: error rates of records, ARI of documents.
CROSS_METRICS = (E_K, MEAN_SIZE, FNR, FDR, ARI)

#: Models of records, mapped to the printed names of their priors.
RECORD_PRIORS = {"finite": "finite Dirichlet", **MODELS}

#: Models of documents, mapped to the printed names of their priors.
DOCUMENT_PRIORS = {
    "gibbs": "finite Dirichlet",
    "gibbs_dp": "DP",
    "gibbs_pyp": "PYP",
    "gibbs_nbnb": "NBNB",
    "gibbs_nbd": "NBD",
}


def cross_table(artefact, summaries, scores=None, n_items=None, traces=()):
    """Return the number, mean size and accuracy of clusters for every prior on every data set.

    Recipes count with their first draw, documents with the rows ``random``. `se` is the Monte Carlo
    error for records, and that between chains for documents.
    """
    rows = [*_of_summaries(artefact, summaries[summaries["draw"] <= 0], RECORD_PRIORS)]
    if scores is not None and len(scores):
        notes = notes_on_modes(scores, traces) if traces else {}
        rows += _of_scores(artefact, scores, n_items or {}, DOCUMENT_PRIORS, notes)
    if not rows:
        raise DataError(f"{artefact} has no prior to compare; run its models first.")
    return pd.DataFrame(rows, columns=[*COLUMNS, "family", "truth", "rhat_max", "n_parts", NOTE])


def _of_summaries(artefact, summaries, priors):
    for identity, part in _datasets(artefact, summaries):
        for model, prior in priors.items():
            of_model = part[part["model"] == model]
            posteriors = {
                metric.name: posterior_of(of_model, metric).dropna(subset=["mean"])
                for metric in CROSS_METRICS
            }
            rhat = finite_max(pd.concat([found["rhat"] for found in posteriors.values()]))
            more = {"family": "records", "rhat_max": rhat, "n_parts": np.nan, NOTE: ""}
            for name, found in posteriors.items():
                if len(found):
                    row = found.iloc[0]
                    values = (row["mean"], row["mcse"], int(row["n_chains"]))
                    cell = tidy_row(identity, prior, "posterior", name, values)
                    yield {**cell, **more, "truth": row["truth"]}


def _of_scores(artefact, scores, n_items, priors, notes):
    for identity, part in _datasets(artefact, scores):
        for model, prior in priors.items():
            found = part[(part["model"] == model) & (part["summary"] == "random")]
            if len(found) == 0:
                continue
            clusters = found["n_clusters"].to_numpy(float)
            size = n_items.get(identity["dataset"], np.nan)
            for metric, values in (
                (E_K, clusters),
                (MEAN_SIZE, size / clusters),
                (ARI, found["adjusted_rand"]),
            ):
                if np.isfinite(values).any():
                    cell = tidy_row(identity, prior, "random", metric.name, mean_and_error(values))
                    more = {"family": "documents", "truth": np.nan, "n_parts": cell["n_chains"]}
                    more[NOTE] = notes.get((identity["dataset"], model), "")
                    yield {**cell, **more}


def _datasets(artefact, frame):
    for name, part in frame.groupby("dataset", sort=False):
        first = part.iloc[0]
        role = first.get("role", name)
        yield {"artefact": artefact, "role": role, "dataset": name, "status": first["status"]}, part


# ---- Precision, recall and F of every prior on records with misspelt values ------------------


@tidy("truth", "rhat_max", "n_parts")
def benchmarks_table(artefact, summaries):
    """Return precision, recall, F and number of clusters of models of similar values."""
    summaries = summaries[(summaries["likelihood"] == SIMILAR) & summaries["delta_true"].isna()]
    if len(summaries) == 0:
        raise DataError(
            f"{artefact} has no model of similar values; run one on real records first."
        )
    for _name, part in summaries.groupby("dataset", sort=False):
        identity = identity_of(part, artefact)
        for _model, label, of_model in by_model(part):
            judged = of_model["quantity"].isin([metric.column for metric in (E_K, FDR, FNR)])
            more = {"rhat_max": finite_max(of_model.loc[judged, "rhat"])}
            for quantity, summary, mean, error, truth, n in _quantities(of_model):
                row = tidy_row(identity, label, summary, quantity, (mean, error, n))
                yield {**row, "truth": truth, **more, "n_parts": math.nan}


def _quantities(part):
    """Yield quantity, summary, mean, its error, true value and number of chains of one model."""
    row = posterior_of(part, E_K).iloc[0]
    yield E_K.name, _summary(E_K), row["mean"], row["mcse"], row["truth"], int(row["n_chains"])
    pairs = ((FNR, FDR), *zip(ESTIMATED[::2], ESTIMATED[1::2], strict=True))
    for missed, wrong in pairs:
        found = posterior_of(part, missed), posterior_of(part, wrong)
        if any(len(rows) == 0 for rows in found):
            continue
        (not_found, error_r), (false, error_p) = (rows.iloc[0][["mean", "mcse"]] for rows in found)
        precision, recall = 1 - false, 1 - not_found
        values = {"P": (precision, error_p), "R": (recall, error_r)}
        if (total := precision + recall) > 0:
            slopes = 2 * (recall / total) ** 2, 2 * (precision / total) ** 2
            error = math.hypot(slopes[0] * error_p, slopes[1] * error_r)
            values["F"] = (2 * precision * recall / total, error)
        of = missed.name.removeprefix(FNR.name)
        for name, value in values.items():
            n_chains = int(found[0]["n_chains"].iloc[0])
            yield f"{name}{of}", _summary(missed), *value, 1.0, n_chains
