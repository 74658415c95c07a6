"""What a fit says of each side that was clustered: partition, tables, remarks and a verdict."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from reseat.command.folder import LAST_NUMBER, LEARNED, OF_RECORDS, Earlier
from reseat.command.inputs.loaded import LoadedInput
from reseat.estimators import Microclustering
from reseat.estimators.base import PosteriorClustering, by_size
from reseat.estimators.presenting import COLUMNS, quantity
from reseat.estimators.sampling import flat, phase
from reseat.metrics import adjusted_rand, factorise
from reseat.priors import declared_prior
from reseat.summaries import (
    AGREED,
    FEWEST,
    SAME,
    disagreement,
    golden_records,
    n_pairs,
    probable_pairs,
    questions,
    rhat_in_words,
)
from reseat.threads import Stopped

#: Largest number of pairs of items in the same cluster that are written; a pair takes 24 bytes.
MAX_PAIRS = 50_000_000
COUNTED = 10  # largest number of draws in which these pairs are counted
MIN_PROBABILITY = 0.05  # smallest probability with which a pair is listed
ASKED = 300  # largest number of pairs that people are asked about
RARELY = 0.01  # share of the clusters up to which fields that change together are not mentioned
MAX_LISTED = 5  # largest number of items that a sentence names
SEEN = 0.995  # share of the variance above which nothing is said of what is left out
STUCK = 1.5  # R-hat above which chains are said to be stuck


@dataclass
class Result:
    """One partition with its uncertainty."""

    #: Prefix of its file names: empty, or ``column_``.
    prefix: str
    items: Sequence[str]
    #: Cluster numbers from 0; cluster 0 is the largest. Shape (n_items,).
    labels: np.ndarray
    #: See `membership`. Shape (n_items,).
    probability: np.ndarray
    #: One chain after the other. Shape (n_draws, n_items).
    draws: np.ndarray
    n_chains: int
    trace: str  # name of the trace of the number of clusters
    #: Number of clusters after each sweep; by default in each draw.
    n_clusters: np.ndarray | None
    interval: tuple[int, int]  # 95 % interval of the number of clusters
    portraits: Sequence[str]  # what characterises each cluster
    #: Names of the clusters, by default numbers from 1, in the order of their labels.
    names: Sequence[str] = ()
    #: Number of the true cluster of each item; -1 where it is unknown. Shape (n_items,).
    truth: np.ndarray | None = None
    table: pd.DataFrame | None = None  # columns of the input, one row per item
    #: Items in a new cluster that share a cluster with a known entity in most draws.
    near_known: Sequence[str] = ()
    #: Component of each item, from 0, where clusters consist of several. Shape (n_items,).
    components: np.ndarray | None = None
    changes: pd.DataFrame | None = None  # how clusters differ from those of an earlier result

    def __post_init__(self):
        if self.n_clusters is None:
            self.n_clusters = np.array([np.unique(draw).size for draw in self.draws])
        self.n_clusters = np.ravel(self.n_clusters).astype(np.int64)
        self.names = self.names or [str(number) for number in range(1, int(self.labels.max()) + 2)]

    @property
    def sizes(self) -> np.ndarray:
        """Number of items in each cluster."""
        return np.bincount(self.labels)

    @property
    def agreement(self) -> float | None:
        """Adjusted Rand index with the truth, over the items whose true cluster is known."""
        known = np.flatnonzero(self.truth >= 0) if self.truth is not None else ()
        if len(known) < 2:
            return None  # there is no pair of items that could be together or apart
        return float(adjusted_rand(self.truth[known], self.labels[known]))

    @property
    def clusters(self) -> pd.DataFrame:
        """One row per cluster: its size, its probability and what characterises it."""
        sums = np.bincount(self.labels, weights=self.probability)
        columns = {
            "cluster": self.names,
            "size": self.sizes,
            "probability": (sums / self.sizes).round(4),
            "characterised_by": self.portraits,
        }
        return pd.DataFrame(columns)

    @cached_property
    def n_pairs(self) -> float:
        """Number of pairs of items that share a cluster, on average over some draws."""
        chosen = self.draws[:: -(-len(self.draws) // COUNTED)]
        return float(np.mean([n_pairs(draw) for draw in chosen]))

    @cached_property
    def disagreement(self) -> float:
        """How far the chains disagree on what is together (`reseat.summaries.disagreement`)."""
        return disagreement(self.draws.reshape(self.n_chains, -1, self.draws.shape[-1]))

    @property
    def is_paired(self) -> bool:
        """Whether there are few enough such pairs to write them."""
        return self.n_pairs <= MAX_PAIRS


def results_of(estimator: PosteriorClustering, material: LoadedInput, model: str) -> list[Result]:
    """Return the result for the rows and, if they were clustered too, for the columns."""
    chosen = np.arange(len(material.items))
    labels, draws = estimator.labels_, flat(estimator.draws_)
    # Before known items are left out, because others may share a cluster with them.
    probability = membership(labels, draws)
    names, near_known = (), ()
    trace = "n_clusters" if material.columns is None else "n_clusters_row"
    if model == "supervised":
        # The clusters of known items are given, so only the others are shown.
        known = np.array([entity is not None for entity in material.fit["y"]])
        chosen = np.flatnonzero(~known)
        entities = [*map(str, estimator.classes_)]
        times = sum(np.isin(draw, draw[known]) for draw in draws)
        is_new, mostly = labels >= len(entities), times > len(draws) / 2
        beside = chosen[(is_new & mostly)[chosen]]
        near_known = [material.items[place] for place in beside]
        present, found = np.unique(labels[chosen], return_inverse=True)
        labels = by_size(found)
        # Entities may already have such names, for instance from an earlier result.
        unused = (name for n in count(1) if (name := f"new {n}") not in set(entities))
        n_new = max(0, int(present.max(initial=-1)) + 1 - len(entities))
        entities += islice(unused, n_new)
        first = np.unique(labels, return_index=True)[1]
        names = [entities[number] for number in present[found[first]]]
        trace = "n_test_clusters"
    rows = Result(
        prefix="",
        items=[material.items[place] for place in chosen],
        labels=labels,
        probability=probability[chosen],
        draws=draws[:, chosen],
        n_chains=estimator.draws_.shape[0],
        trace=trace,
        n_clusters=estimator.traces_.get(trace),
        interval=estimator.n_clusters_interval_,
        portraits=material.portray(labels),
        names=names,
        truth=material.truth,
        table=None if material.frame is None else material.frame.iloc[chosen],
        near_known=near_known,
        components=estimator.components_ if getattr(estimator, "merged_", False) else None,
    )
    if material.columns is None:
        return [rows]
    labels, draws = estimator.column_labels_, flat(estimator.column_draws_)
    columns = Result(
        prefix="column_",
        items=material.columns,
        labels=labels,
        probability=membership(labels, draws),
        draws=draws,
        n_chains=estimator.column_draws_.shape[0],
        trace="n_clusters_column",
        n_clusters=estimator.traces_.get("n_clusters_column"),
        interval=estimator.n_column_clusters_interval_,
        portraits=material.portray_columns(labels),
    )
    return [rows, columns]


def without_clashes(ours: Collection[str], names: Sequence[str]) -> list[str]:
    """Return the names of input columns, with ``input_`` before those that ours have, too."""
    found = []
    for given in names:
        name = given
        while name in ours or (name != given and name in names):
            name = f"input_{name}"
        found.append(name)
    return found


def membership(labels: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return the mean probability that an item is with another one of its cluster, or is alone."""
    sizes = np.bincount(labels)
    found = np.zeros(labels.size)
    single, others = sizes[labels] == 1, np.maximum(sizes[labels] - 1, 1)
    with phase(len(draws), "probabilities", "draws") as (progress, stop):
        for draw in draws:
            if stop.is_set():
                raise Stopped("the computation of the probabilities was stopped")
            codes, _ = factorise(draw)
            alone = np.bincount(codes)[codes] == 1
            # Only pairs of a label and a code that occur are counted: at most one per item.
            pairs, _ = factorise(labels * (np.int64(codes.max()) + 1) + codes)
            together = np.bincount(pairs)[pairs] - 1
            found += np.where(single, alone, together / others)
            progress.step()
    return found / len(draws)


# ---- Names of clusters, which are those of an earlier result where most of the records stay ----


def keep_names(
    earlier: Earlier | None, result: Result, fitted: PosteriorClustering, material: LoadedInput
) -> dict[str, Any]:
    """Name clusters as in an earlier result, say what has changed, and return what is stored."""
    last = 0
    if earlier is not None:
        last, before = earlier.settings[LEARNED][LAST_NUMBER], earlier.clusters
        result.names, result.changes = surviving(before, last, result.items, result.labels)
    if not isinstance(fitted, Microclustering) or "sources" in material.fit:
        return {}
    last = max([last, *map(int, result.names)])
    own = {OF_RECORDS: list(material.frame.columns), LAST_NUMBER: last}
    return {LEARNED: fitted._learned | own}


def surviving(
    before: dict[str, str], last: int, items: Sequence[str], labels: np.ndarray
) -> tuple[list[str], pd.DataFrame]:
    """Return the names of clusters, new ones from `last` on, and a table of what has changed.

    A cluster keeps the name of an earlier one if it has more than half of its remaining records.
    """
    table = pd.DataFrame({"before": [before.get(item, "") for item in items], "after": labels})
    counts = table.groupby(["before", "after"]).size().rename("records").reset_index()
    old = counts[counts["before"] != ""]
    total = old.groupby("before")["records"].transform("sum")
    most = old[2 * old["records"] > total]
    first = most.sort_values("records", ascending=False, kind="stable")
    kept = first.drop_duplicates("after").set_index("after")["before"].to_dict()
    names = []
    for label in range(int(labels.max()) + 1):
        last += label not in kept
        names.append(kept.get(label, str(last)))
    counts["after"] = [names[label] for label in counts["after"]]
    changed = counts[counts["before"] != counts["after"]].copy()
    was_known = changed["after"].isin(before.values())
    joined, lives = changed["before"] == "", changed["before"].isin(names)
    cases = {"joined": joined & was_known, "new": joined, "split": ~was_known, "moved": lives}
    changed["change"] = np.select(list(cases.values()), list(cases), default="merged")
    return names, changed[["change", "before", "after", "records"]]


# ---- Tables: pairs of items, pairs of records to review, and one record for each cluster ----


def pairs_of(result: Result, together) -> pd.DataFrame:
    """Return the pairs that are together with `MIN_PROBABILITY` or more, the likeliest first."""
    upper = sp.triu(sp.csr_array(together), k=1, format="coo")
    kept = upper.data >= MIN_PROBABILITY
    rows, columns, share = upper.row[kept], upper.col[kept], upper.data[kept]
    order = np.lexsort((columns, rows, -share))
    items = np.asarray(result.items, dtype=object)
    found = {"item": items[rows[order]], "other": items[columns[order]]}
    return pd.DataFrame(found | {"probability": share[order].astype(float).round(4)})


def duplicates_of(
    result: Result, fields: Sequence[str], cells: np.ndarray
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return probable pairs, the useful questions first, and the records of these, (n_asked, 2)."""
    first, second, probability = probable_pairs(result.draws)
    chosen, gains = questions(result.draws, first, second, ASKED)
    rank = np.full(first.size, ASKED)
    rank[chosen] = np.arange(chosen.size)
    gain = np.full(first.size, np.nan)
    gain[chosen] = gains
    order = np.lexsort((second, first, np.abs(probability - 0.5), rank))
    first, second, probability = first[order], second[order], probability[order]
    items = np.asarray(result.items)
    together = result.labels[first] == result.labels[second]
    columns = {
        "first": items[first],
        "second": items[second],
        "probability": probability.round(4),
        "cluster": np.where(together, np.asarray(result.names)[result.labels[first]], ""),
        "gain": gain[order].round(2),
    }
    for place, field in enumerate(fields):
        columns[f"{field} (first)"] = cells[first, place]
        columns[f"{field} (second)"] = cells[second, place]
    asked = np.stack([first, second], axis=1)[: chosen.size]
    return pd.DataFrame(columns), asked


def golden_of(result: Result, fields: Sequence[str], cells: np.ndarray) -> pd.DataFrame:
    """Return one record for each cluster (`reseat.summaries.golden_records`), with its size."""
    found = golden_records(list(cells.T), result.labels)
    ours = {"cluster": list(result.names), "size": result.sizes}
    own = pd.DataFrame(found, columns=without_clashes(ours, fields), dtype=object)
    return pd.concat([pd.DataFrame(ours), own], axis=1)


# ---- What is said of a result: tables, remarks and whether it can be relied on ---------------


@dataclass(frozen=True)
class Report:
    """The results of a fit with all that is said of them, in the terminal and on the page."""

    results: Sequence[Result]
    tables: Mapping[str, pd.DataFrame]  # tables by the names of their files
    remarks: Sequence[str]  # remarks on the model or the records
    advice: Sequence[Sequence[str]]  # remarks on each result
    verdict: str
    #: How similar the partitions of the chains are; NaN if there is nothing to compare.
    agreement: float
    prior: str
    approximate: bool  # whether the draws are those of an approximation, and not of chains
    #: Log odds of the pairs of records that people are asked about.
    explained: Iterable[pd.DataFrame] = ()


def report_of(
    results: Sequence[Result], estimator: PosteriorClustering, material: LoadedInput
) -> Report:
    """Return what is to be said of the results of a fit."""
    tables, remarks, explained = {"summary.csv": summary_of(results, estimator)}, [], ()
    for result in results:
        tables |= _tables_of(result)
    if material.table is not None:
        fields, cells = material.table
        if results[0].is_paired:
            tables["duplicates.csv"], asked = duplicates_of(results[0], fields, cells)
            explained = estimator._explanations(asked)
        tables["golden.csv"] = golden_of(results[0], fields, cells)
        # In an array, fields are named by their numbers.
        names = {str(place): field for place, field in enumerate(fields)}
        found = estimator.aliases_.items()
        aliases = [(names.get(name, name), *pair) for name, pairs in found for pair in pairs]
        if aliases:
            found = pd.DataFrame(aliases, columns=["field", "value", "other"])
            tables["aliases.csv"] = found
            remarks.append(_said_of_aliases(found))
        remarks += _said_of_changes(estimator, names)
    compared = getattr(estimator, "choices_", None)
    if compared is not None and len(compared):
        tables["models.csv"] = compared
        best = compared.groupby("model", sort=False)["F"].max()
        told = " and ".join(f"{value:.3f} by {model}" for model, value in best.items())
        remarks.append(
            f"The model is {estimator.model_}: the pairwise F of known entities that were held out "
            f"is {told} (models.csv)."
        )
    return Report(
        results,
        tables,
        remarks,
        advice=[advice(result, estimator) for result in results],
        verdict=verdict(results, estimator),
        agreement=getattr(estimator, "agreement_", np.nan),
        prior=estimator.prior,
        approximate=hasattr(estimator, "elbo_"),
        explained=explained,
    )


def _tables_of(result: Result) -> dict[str, pd.DataFrame]:
    """Return the items and the clusters of a result, and how these differ from earlier ones."""
    clustered = [result.names[label] for label in result.labels]
    labels = pd.DataFrame({"item": result.items, "cluster": clustered})
    labels["probability"] = result.probability.round(4)
    if result.components is not None:
        labels.insert(2, "component", result.components + 1)
    if result.table is not None:
        named = without_clashes(labels.columns, list(result.table))
        own = result.table.set_axis(named, axis=1).reset_index(drop=True)
        labels = pd.concat([labels, own], axis=1)
    found = {f"{result.prefix}labels.csv": labels, f"{result.prefix}clusters.csv": result.clusters}
    return found if result.changes is None else found | {"changes.csv": result.changes}


def summary_of(results: Sequence[Result], estimator: PosteriorClustering) -> pd.DataFrame:
    """Return mean, deviation, 95 % interval, R-hat and ESS of each quantity, one per row."""

    def row(name: str, values: np.ndarray, trace: str) -> dict:
        diagnosed = estimator.rhat_.get(trace, np.nan), estimator.ess_.get(trace, np.nan)
        return {"quantity": name, **quantity(values, *diagnosed)}

    rows = []
    for result in results:
        name = f"{result.prefix}clusters"
        rows.append(row(name, result.n_clusters, result.trace))
        rows.append({"quantity": f"{name} in labels", "mean": result.sizes.size})
        if result.agreement is not None:
            rows.append({"quantity": "adjusted Rand index", "mean": result.agreement})
    if not np.isnan(getattr(estimator, "agreement_", np.nan)):
        rows.append({"quantity": "agreement of chains", "mean": estimator.agreement_})
    # Expected precision and recall are those of a posterior that can be relied on.
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
    said = (
        "Fields that change together in one of the records of a cluster, as an address does when "
        f"somebody moves: {'; '.join(told)}. They then count as one difference."
    )
    return [said] if told else []


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
    if n_items := len(result.near_known):
        listed = ", ".join(result.near_known[:MAX_LISTED])
        more = ", …" if n_items > MAX_LISTED else ""
        said.append(
            f"items in a new cluster of {result.prefix}labels.csv that are with a known entity in "
            f"most draws: {n_items:,} ({listed}{more}); check them before you take their entities "
            "for new."
        )
    if not result.is_paired:
        said.append(
            f"{result.n_pairs:,.0f} pairs of items share a cluster, too many to list; the "
            f"probabilities in {result.prefix}labels.csv take all of them into account."
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


def _apart(result: Result, estimator: PosteriorClustering) -> bool:
    """Return whether the chains disagree; not if they put the same items together."""
    return _least_mixed(result, estimator)[1] > AGREED and result.disagreement > SAME


def _least_mixed(result: Result, estimator: PosteriorClustering) -> tuple[str, float]:
    """Return which of the number of clusters and the log joint has the larger R-hat, and this."""
    rhats = {"number of clusters": estimator.rhat_.get(result.trace, np.nan)}
    if not result.prefix:
        rhats["log joint"] = estimator.rhat_.get("log_joint", np.nan)
    return max(rhats.items(), key=lambda found: np.nan_to_num(found[1], posinf=np.inf))


def _disagreement(result: Result, estimator: PosteriorClustering) -> list[str]:
    """Return a sentence if the chains disagree on the number of clusters or on the log joint."""
    what, rhat = _least_mixed(result, estimator)
    if not rhat > AGREED:
        return []
    if estimator.n_samples < FEWEST:
        return [
            f"chains of {estimator.n_samples} sweeps after burn-in are too short to tell whether "
            f"they agree; use --samples {FEWEST} or, for results that matter, many more, with "
            "--overwrite."
        ]
    remedy = f"re-run with a larger --samples than {estimator.n_samples}"
    if not _apart(result, estimator):
        return [
            "the chains put the same items together, except for "
            f"{max(result.disagreement, 0.001):.1%} of the companions of an item, but R-hat of the "
            f"{what} is {rhat_in_words(rhat)}; for exact intervals, {remedy}."
        ]
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
