"""Write the files of a result, each of them atomically."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.command.folder import CHAINS, Output
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.options import LAST, RESULT_FILES
from reseat.command.results import Result, duplicates_of, golden_of, without_clashes
from reseat.estimators.base import PosteriorClustering
from reseat.estimators.pairs import ANSWERS
from reseat.estimators.pictures import draw_posterior, draw_small_clusters
from reseat.estimators.presenting import COLUMNS, quantity
from reseat.files.atomic import atomic_path, write_table, write_text
from reseat.models.fields.addresses import columns_of
from reseat.plots import save_figure
from reseat.priors import declared_prior
from reseat.summaries import AGREED, FEWEST, coclustering, n_pairs, rhat_in_words

#: Largest number of items for which all co-clustering probabilities are kept, not only those of at
#: least 0.05.
ALL_PAIRS = 3000
#: Largest number of pairs of items in the same cluster that are written; a pair takes 24 bytes.
MAX_PAIRS = 50_000_000
COCLUSTERING = "coclustering.npz"
#: Largest number of draws in which these pairs are counted.
COUNTED = 10
#: Number of clusters above which pairs of items say more than a picture of the clusters.
MANY_CLUSTERS = 100
#: Share of the clusters up to which fields that change together are not mentioned.
RARELY = 0.01
#: Smallest probability with which a pair is listed.
MIN_PROBABILITY = 0.05
#: Largest number of items that a sentence names.
MAX_LISTED = 5
#: Share of the variance above which nothing is said of what is left out.
SEEN = 0.995
#: R-hat above which chains are said to be stuck.
STUCK = 1.5
#: Largest difference between mean numbers of clusters of chains that are said to differ little.
NEARLY_EQUAL = 1.0


def write_results(
    output: Output,
    results: Sequence[Result],
    estimator: PosteriorClustering,
    material: LoadedInput,
    notes: Sequence[str] = (),
    learned: Mapping[str, Any] | None = None,
) -> None:
    """Write all files of the results except the chains, in place of those of an earlier run."""
    advised = [said for result in results for said in advice(result, estimator)]
    with output.replacing(learned) as folder:
        model, name = type(estimator).__name__, folder.resolve().parent.name
        write_files(folder, results, estimator, material, model, name, notes, advised)


def write_files(
    folder: Path,
    results: Sequence[Result],
    estimator: PosteriorClustering,
    material: LoadedInput,
    model: str,
    name: str,
    notes: Sequence[str] = (),
    advised: Sequence[str] = (),
) -> None:
    """Write the files into a folder; `name` is in titles, and `advised` comes last on the page."""
    tables = [_write_partition(folder, result, material.table is not None) for result in results]
    if material.table is not None:
        notes = [*notes, *_write_records(folder, results[0], estimator, material, name)]
    summary = summary_of(results, estimator)
    _write_table(summary, folder / "summary.csv")
    compared = getattr(estimator, "choices_", None)
    if compared is not None and len(compared):
        _write_table(compared, folder / "models.csv")
        best = compared.groupby("model", sort=False)["F"].max()
        told = " and ".join(f"{value:.3f} by {model}" for model, value in best.items())
        notes = [
            *notes,
            f"The model is {estimator.model_}: the pairwise F of known entities that were held out "
            f"is {told} (models.csv).",
        ]
    approximate = hasattr(estimator, "elbo_")  # the draws do not come from chains
    rows = [[_short(cell) for cell in row] for row in summary.itertuples(index=False)]
    prefixes = dict.fromkeys(("", *(result.prefix for result in results)))
    files = [(prefix + file.name, file.holds) for prefix in prefixes for file in RESULT_FILES]
    there = {path.name for path in folder.iterdir() if path.is_file()}
    if not approximate and (folder.parent / CHAINS).exists():
        there.add(CHAINS)
    _write(
        folder / LAST,
        title=f"Clusters of {name}",
        what=material.what,
        model=model,
        name=name,
        prior=estimator.prior,
        approximate=approximate,
        verdict=verdict(results, estimator),
        sides=[_side(result, *table) for result, table in zip(results, tables, strict=True)],
        notes=list(dict.fromkeys([*notes, *advised])),
        quantities={"columns": list(summary.columns), "rows": rows},
        files=[(name, holds) for name, holds in files if name in there],
    )


def _is_paired(result: Result) -> bool:
    """Return whether there are few enough pairs of items in the same cluster to write them."""
    return _pairs_together(result) <= MAX_PAIRS


def _write_partition(
    folder: Path, result: Result, has_records: bool
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Write labels, clusters, pairs and a picture of one side; return its clusters and pairs."""
    clustered = [result.names[label] for label in result.labels]
    labels = pd.DataFrame({"item": result.items, "cluster": clustered})
    labels["probability"] = result.probability.round(4)
    if result.components is not None:
        labels.insert(2, "component", result.components + 1)
    if result.table is not None:
        named = without_clashes(labels.columns, list(result.table))
        own = result.table.set_axis(named, axis=1).reset_index(drop=True)
        labels = pd.concat([labels, own], axis=1)
    _write_table(labels, folder / f"{result.prefix}labels.csv")
    if result.changes is not None:
        _write_table(result.changes, folder / "changes.csv")
    clusters, pairs = clusters_of(result), pd.DataFrame()
    _write_table(clusters, folder / f"{result.prefix}clusters.csv")
    paired = _is_paired(result)
    micro = paired and result.sizes.size > MANY_CLUSTERS
    if paired:
        together = coclustering(result.draws, dense_limit=ALL_PAIRS, dtype=np.float32)
        with atomic_path(folder / f"{result.prefix}{COCLUSTERING}") as temporary:
            sp.save_npz(temporary, sp.csr_array(together))
        pairs = pairs_of(result, together) if micro else pairs
    if micro:
        if not has_records:  # the pairs of records are in duplicates.csv
            _write_table(pairs, folder / f"{result.prefix}pairs.csv")
        figure = draw_small_clusters(result.draws, result.n_clusters, pairs)
    else:
        figure = draw_posterior(result.draws, result.labels, result.n_clusters)
    save_figure(figure, folder / f"{result.prefix}picture")
    return clusters, pairs


def _write_records(
    folder: Path, result: Result, estimator: PosteriorClustering, material: LoadedInput, name: str
) -> list[str]:
    """Write pairs to review, merged records and aliases, and return remarks on the records."""
    table = material.table
    if _is_paired(result):
        duplicates, asked = duplicates_of(result, *table)
        _write_table(duplicates, folder / "duplicates.csv")
        explained = estimator._explanations(asked)
        write_review(folder, duplicates, table[0], explained, material.decisions, name)
    _write_table(golden_of(result, *table), folder / "golden.csv")
    # In an array, fields are named by their numbers.
    fields = {str(place): field for place, field in enumerate(table[0])}
    found = estimator.aliases_.items()
    aliases = [(fields.get(name, name), *pair) for name, pairs in found for pair in pairs]
    said = _said_of_changes(estimator, fields)
    if aliases:
        found = pd.DataFrame(aliases, columns=["field", "value", "other"])
        _write_table(found, folder / "aliases.csv")
        said = [_said_of_aliases(found), *said]
    return said


def _said_of_aliases(aliases: pd.DataFrame) -> str:
    """Return a sentence that counts the aliases in each field and gives an example of each."""
    told = [
        f"{len(pairs)} in {field}, such as {pairs['value'].iloc[0]} and {pairs['other'].iloc[0]}"
        for field, pairs in aliases.groupby("field", sort=False)
    ]
    return (
        "Pairs of values that stand for each other more often than by chance in records that "
        f"otherwise agree: {'; '.join(told)} (aliases.csv). A difference between them counts less."
    )


def _said_of_changes(estimator, fields: dict[str, str]) -> list[str]:
    """Return a remark on fields that change together, and how often, unless it is very rare."""
    told = []
    for number, group in enumerate(estimator.changing_):
        share = float(np.mean(estimator.traces_[f"change_{number}"]))
        if share > RARELY:
            *others, last = (fields.get(name, name) for name in group)
            told.append(f"{', '.join(others)} and {last} (in {share:.0%} of the clusters)")
    if not told:
        return []
    return [
        "Fields that change together in one of the records of a cluster, as an address does when "
        f"somebody moves: {'; '.join(told)}. They then count as one difference."
    ]


def _pairs_together(result: Result) -> float:
    """Return the number of pairs of items that share a cluster, on average over some draws."""
    chosen = result.draws[:: -(-len(result.draws) // COUNTED)]
    return float(np.mean([n_pairs(draw) for draw in chosen]))


def pairs_of(result: Result, together) -> pd.DataFrame:
    """Return the pairs that are together with `MIN_PROBABILITY` or more, the likeliest first."""
    upper = sp.triu(sp.csr_array(together), k=1, format="coo")
    kept = upper.data >= MIN_PROBABILITY
    rows, columns, share = upper.row[kept], upper.col[kept], upper.data[kept]
    order = np.lexsort((columns, rows, -share))
    items = np.asarray(result.items, dtype=object)
    found = {"item": items[rows[order]], "other": items[columns[order]]}
    return pd.DataFrame(found | {"probability": share[order].astype(float).round(4)})


def advice(result: Result, estimator: PosteriorClustering) -> list[str]:
    """Return remarks on a result, such as disagreeing chains or a partition off the interval."""
    said = []
    if hasattr(estimator, "elbo_") and not result.prefix:
        said.append(
            "intervals and probabilities are those of an approximation: variational inference "
            "describes a single mode of the posterior and takes items for independent, so that it "
            "looks more certain than the posterior is; use --inference gibbs and another folder to "
            "sample from the posterior."
        )
    share = getattr(estimator, "share_", 1.0)
    if share < SEEN:
        whole = "spectrum of the distances" if estimator.metric == "precomputed" else "variance"
        said.append(
            f"the model sees {estimator.n_directions_} directions, which hold {share:.0%} of the "
            f"{whole}; the others do not stand out from noise."
        )
    low, high = result.interval
    if not low <= result.sizes.size <= high:
        said.append(
            f"the partition in {result.prefix}labels.csv has {result.sizes.size} clusters, "
            "outside the interval: it is the partition closest to all draws on average, and "
            "items without a clear cluster make it differ from each of them. Use the interval "
            "for the number of clusters, and the probabilities for the items."
        )
    if result.near_known:
        n_items, listed = len(result.near_known), ", ".join(result.near_known[:MAX_LISTED])
        more = ", …" if n_items > MAX_LISTED else ""
        said.append(
            f"items in a new cluster of {result.prefix}labels.csv that are with a known entity in "
            f"most draws: {n_items:,} ({listed}{more}); check them before you take their entities "
            "for new."
        )
    pairs = _pairs_together(result)
    if pairs > MAX_PAIRS:
        said.append(
            f"{pairs:,.0f} pairs of items share a cluster, too many to list; the probabilities in "
            f"{result.prefix}labels.csv take all of them into account."
        )
    return [*said, *_disagreement(result, estimator)]


def verdict(results: Sequence[Result], estimator: PosteriorClustering) -> str:
    """Return in a sentence whether the result can be relied on."""
    if estimator.misfits_:
        return "Do not rely on this result: it shows that the model does not suit these data."
    if hasattr(estimator, "elbo_"):
        return "No misfit of the model was seen."
    if estimator.n_samples < FEWEST:
        return "Do not rely on this result: the chains are too short."
    if any(_apart(result, estimator) for result in results):
        return "Do not rely on probabilities and intervals: the chains do not agree."
    if estimator.n_chains == 1:
        return "No misfit of the model was seen; one chain cannot show whether its start matters."
    return "The chains agree, and no misfit of the model was seen."


def _apart(result: Result, estimator: PosteriorClustering) -> tuple[str, float]:
    """Return on what chains disagree, in words, and its R-hat; empty if they agree.

    The log joint counts, too: stuck chains may have the same number of clusters.
    """
    rhat = estimator.rhat_.get(trace_of(result, estimator), np.nan)
    if rhat > AGREED and _spread(result, estimator) > NEARLY_EQUAL:
        return "number of clusters", rhat
    rhat = estimator.rhat_.get("log_joint", np.nan)
    return ("log joint", rhat) if rhat > AGREED and not result.prefix else ()


def _spread(result: Result, estimator: PosteriorClustering) -> float:
    """Return how far apart the mean numbers of clusters of the chains are."""
    return float(np.ptp(result.n_clusters.reshape(estimator.n_chains, -1).mean(axis=1)))


def _disagreement(result: Result, estimator: PosteriorClustering) -> list[str]:
    """Return a sentence if the chains disagree on the number of clusters or on the log joint."""
    apart = _apart(result, estimator)
    own = estimator.rhat_.get(trace_of(result, estimator), np.nan)
    if not apart and not own > AGREED:
        return []
    if estimator.n_samples < FEWEST:
        return [
            f"chains of {estimator.n_samples} sweeps after burn-in are too short to tell whether "
            f"they agree; use --samples {FEWEST} or, for results that matter, many more, with "
            "--overwrite."
        ]
    remedy = f"re-run with a larger --samples than {estimator.n_samples}"
    if not apart:
        return [
            f"the chains differ by {_spread(result, estimator):.2g} clusters on average, and "
            f"otherwise agree; for exact intervals, {remedy}."
        ]
    what, rhat = apart
    if rhat > STUCK:
        fixed = "concentration" in declared_prior(estimator.prior).parameters
        other = "fix the concentration with --concentration or " if fixed else ""
        remedy = (
            f"each chain may be stuck near its start: if the run was short, {remedy}, otherwise "
            f"{other}choose another --prior, with --overwrite"
        )
    return [
        f"the chains do not agree (R-hat of the {what} is {rhat_in_words(rhat)} but should "
        f"be at most {AGREED}); {remedy}."
    ]


def clusters_of(result: Result) -> pd.DataFrame:
    """Return one row per cluster: its size, its probability and what characterises it."""
    sizes = result.sizes
    sums = np.bincount(result.labels, weights=result.probability)
    columns = {"cluster": result.names, "size": sizes, "probability": (sums / sizes).round(4)}
    return pd.DataFrame(columns | {"characterised_by": result.portraits})


def summary_of(results: Sequence[Result], estimator: PosteriorClustering) -> pd.DataFrame:
    """Return mean, standard deviation, 95 % interval, R-hat and ESS of each quantity, one per row.

    The last row is the processor time of all chains in seconds. Expected precision and recall are
    only given for a posterior that can be relied on.
    """

    def row(name: str, values: np.ndarray, trace: str) -> dict:
        diagnosed = estimator.rhat_.get(trace, np.nan), estimator.ess_.get(trace, np.nan)
        return {"quantity": name, **quantity(values, *diagnosed)}

    rows = []
    for result in results:
        name = f"{result.prefix}clusters"
        rows.append(row(name, result.n_clusters, trace_of(result, estimator)))
        rows.append({"quantity": f"{name} in labels", "mean": result.sizes.size})
        if result.agreement is not None:
            rows.append({"quantity": "adjusted Rand index", "mean": result.agreement})
    if not np.isnan(getattr(estimator, "agreement_", np.nan)):
        rows.append({"quantity": "agreement of chains", "mean": estimator.agreement_})
    reliable = not (estimator.misfits_ or _apart(results[0], estimator))
    if hasattr(estimator, "quality_") and reliable:
        for name, (mean, low, high) in vars(estimator.quality_).items():
            rows.append({"quantity": f"expected {name}", "mean": mean, "low": low, "high": high})
    # Quantities that do not vary are left out: fixed parameters are in the settings.
    rows += [
        row(estimator._called(name), values, name)
        for name, values in estimator.traces_.items()
        if not name.startswith("n_") and np.ptp(values) > 0
    ]
    if hasattr(estimator, "elbo_"):
        rows.append({"quantity": "lower bound of the log evidence", "mean": estimator.elbo_})
        rows.append({"quantity": "restarts that reach it", "mean": estimator.n_best_restarts_})
    rows.append({"quantity": "seconds", "mean": estimator.seconds_})
    return pd.DataFrame(rows, columns=["quantity", *COLUMNS])


def trace_of(result: Result, estimator: PosteriorClustering) -> str:
    """Return the name of the trace of the number of clusters, or "" if there is none."""
    side = "column" if result.prefix else "row"
    names = ("n_test_clusters", f"n_clusters_{side}", "n_clusters")
    return next((name for name in names if name in estimator.rhat_), "")


def _write_table(frame: pd.DataFrame, path: Path) -> None:
    write_table(frame, path, digits=6)


# ---- Pages of a result: its clusters, their uncertainty and diagnostics; and doubtful pairs ----

#: Largest numbers of rows in the table of clusters and in that of uncertain items or pairs.
CLUSTERS, UNSURE = 200, 20
#: Probability from which an item or a pair is not listed as uncertain.
CERTAIN = 0.95
#: Probabilities between which a pair is doubtful.
DOUBTFUL = 0.05, 0.95


def write_review(
    folder: Path,
    duplicates: pd.DataFrame,
    fields: Sequence[str],
    explained: Iterable[pd.DataFrame],
    decisions: Sequence[Sequence[str]],
    name: str,
) -> None:
    """Write ``review.html``, which shows the pairs to decide about and takes the decisions."""
    low, high = DOUBTFUL
    n_fixed = duplicates.shape[1] - 2 * len(fields)
    pairs = []
    asked = duplicates[duplicates["gain"].notna()].itertuples(index=False, name=None)
    for row, odds in zip(asked, explained, strict=True):
        first, second, probability, cluster, gain = row[:n_fixed]
        sides = row[n_fixed::2], row[n_fixed + 1 :: 2]
        # Values that the model treats as equal or missing are treated so here, too.
        compared = columns_of(np.array(sides, dtype=object))
        pairs.append(
            {
                "probability": f"{probability:.2f}",
                "cluster": cluster,
                "gain": f"{gain:.2f}",
                "asked": (first, second),
                # In the array of the command, fields are named by their numbers.
                "odds": [f"{odds['pair'].get(k, 0.0):+.1f}" for k in range(len(fields))],
                "others": {
                    **{f"the {k}": x for k, x in odds["pair"].items() if isinstance(k, str)},
                    "other records of the entity": odds["others"].sum(),
                    "in sum": odds["log_odds"].sum(),
                },
                "differs": [None not in values and values[0] != values[1] for values in compared],
                "records": [
                    (item, ["–" if pd.isna(cell) else cell for cell in cells])
                    for item, cells in zip((first, second), sides, strict=True)
                ],
            }
        )
    _write(
        folder / "review.html",
        title=f"Doubtful pairs of {name}",
        n_unsure=int(duplicates["probability"].between(low, high).sum()),
        low=low,
        high=high,
        fields=list(fields),
        pairs=pairs,
        decisions=list(map(list, decisions)),
        answers=ANSWERS,
    )


def _write(path: Path, **values) -> None:
    """Fill in the template of a page."""
    write_text(path, _templates().get_template(f"{path.name}.j2").render(**values))


@cache
def _templates() -> jinja2.Environment:
    """Return the templates, cached because the pages share a part that is slow to compile."""
    loader, strict = jinja2.PackageLoader("reseat.command"), jinja2.StrictUndefined
    blocks = {"trim_blocks": True, "lstrip_blocks": True}
    return jinja2.Environment(loader=loader, autoescape=True, undefined=strict, **blocks)


def _side(result: Result, clusters: pd.DataFrame, pairs: pd.DataFrame) -> dict:
    low, high = result.interval
    n_clusters = result.sizes.size
    if len(pairs):
        order = np.argsort(np.abs(pairs["probability"].to_numpy() - 0.5), kind="stable")[:UNSURE]
        rows = list(pairs.iloc[order].itertuples(index=False))
    else:
        order = np.argsort(result.probability, kind="stable")[:UNSURE]
        clustered = [result.names[label] for label in result.labels]
        rows = [(result.items[k], clustered[k], result.probability[k]) for k in order]
    shown = clusters.head(CLUSTERS)
    return {
        "prefix": result.prefix,
        "heading": "Clusters of columns" if result.prefix else "Clusters",
        "mean": f"{result.n_clusters.mean():.1f}",
        "low": low,
        "high": high,
        "n_clusters": n_clusters,
        "outside": not low <= n_clusters <= high,
        "agreement": None if result.agreement is None else f"{result.agreement:.3f}",
        "clusters": shown.to_dict("records"),
        "hidden": len(clusters) - len(shown),
        "unsure": [
            [str(item), str(other), f"{probability:.2f}"]
            for item, other, probability in rows
            if probability < CERTAIN
        ],
        "unsure_what": "pairs" if len(pairs) else "items",
        "unsure_columns": ("item", "other" if len(pairs) else "cluster", "probability"),
    }


def _short(cell) -> str:
    if isinstance(cell, str):
        return cell
    return "" if pd.isna(cell) else f"{cell:.4g}"
