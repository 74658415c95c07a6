"""The model of two covariances, chosen by held-out training entities: beyond the paper."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import EmbeddedMentions, Mentions, embed_mentions
from reseat.experiments.supervised.measures import measure
from reseat.experiments.supervised.plan import PAPER_KEY
from reseat.experiments.supervised.posterior import MOST_RHAT, NOT_CONVERGED, NOTE, STARTS
from reseat.experiments.supervised.results import RULES, by_dataset, in_order
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.models.held_out import entity_keys, hold_out
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.summaries import describe

__all__ = ["SYSTEM", "full_frames", "full_table", "held_out_table", "kinds_of_coordinates"]

#: Name of the model in tables.
SYSTEM = "Two covariances"
#: Systems that it stands beside.
BESIDE = (*RULES.values(), "K-Means", "Binary")
#: Where its chains start.
FROM = ("singletons", "one")
#: Scores that are shown.
SCORES = ("P", "R", "F", "NES")
#: How finely a power or a nugget is told in words.
DIGITS = ".3g"


def kinds_of_coordinates(
    references: EmbeddedMentions, mentions: Mentions, kinds: Mapping[str, Mapping], **embedding: Any
) -> dict[str, np.ndarray]:
    """Coordinates of the items by name, each kind of which keeps another share of the distances.

    Parameters
    ----------
    references : EmbeddedMentions
        Made with the settings `embedding`.
    mentions : Mentions
        The same items.
    kinds : mapping of str to mapping
        What each changes of the settings.
    **embedding
        Keywords of `reseat.datasets.embed_mentions`.

    Returns
    -------
    dict of str to ndarray, shape (n_items, n_coordinates)
        Without those that are the same as others, as where all features are numbers.
    """
    found: dict[str, np.ndarray] = {}
    for name, changes in kinds.items():
        settings = {**embedding, **changes}
        made = references if settings == embedding else embed_mentions(mentions, **settings)
        if not any(np.array_equal(made.coordinates, other) for other in found.values()):
            found[name] = made.coordinates
    return found


def full_frames(
    references: EmbeddedMentions,
    coordinates: Mapping[str, np.ndarray],
    identity: Mapping[str, Any],
    *,
    seed: int,
    n_seeds: int,
    length: Mapping[str, int],
    search: Mapping[str, Any],
    **options: Any,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Choose, learn and sample, once a seed.

    Parameters
    ----------
    references : EmbeddedMentions
    coordinates : mapping of str to ndarray
        From `kinds_of_coordinates`.
    identity : mapping
        Columns that every row gets.
    seed : int
        Of the run.
    n_seeds : int
        How many times all is done: folds are drawn, and chains from all starts.
    length : mapping
        ``burn_in`` and ``n_samples`` of a chain.
    search : mapping
        Keywords of `reseat.models.held_out.hold_out`.
    **options
        Of `reseat.models.two_covariances.build_two_covariances`.

    Returns
    -------
    trials : pandas.DataFrame
        One row a seed and choice, the best first: `score`, `error` (over the folds), `chosen`.
    chains : pandas.DataFrame
        One row a seed, start and quantity.
    """
    train = ~references.test
    entities, groups = references.entities, references.groups
    keys = entity_keys(entities, groups)
    trials, chains = [], []
    for number in range(n_seeds):

        def rng(*names, number=number):
            stream = chain_seed(seed, PAPER_KEY, references.identity.name, "full", number, *names)
            return np.random.default_rng(stream)

        begin = time.process_time()
        found = hold_out(
            {name: points[train] for name, points in coordinates.items()},
            entities[train],
            groups[train],
            rng("held out"),
            **search,
            **options,
        )
        best = found[0].choice
        for place, trial in enumerate(found):
            error = mean_and_error(trial.scores)[1]
            row = dict(identity) | {"seed": number} | vars(trial.choice)
            row |= {"score": trial.score, "error": error, "n_folds": len(trial.scores)}
            trials.append(row | {"chosen": place == 0})
        points = coordinates[best.coordinates]
        learned = learn_covariances(points[train], keys[train]).with_nugget(best.nugget)
        draws = {}
        for start in FROM:
            stream = rng("chain", start)
            model = build_two_covariances(
                *(learned, points, stream),
                test=references.test,
                known=entities,
                groups=groups,
                power=best.power,
                n_directions=best.directions,
                start=start,
                **options,
            )
            draws[start] = _sample(model, references, stream, **length)
        seconds = time.process_time() - begin
        chains += _rows(dict(identity) | {"seed": number}, draws, found[0].score, seconds)
    return pd.DataFrame(trials), pd.DataFrame(chains)


def _sample(model, references, rng, burn_in, n_samples) -> dict[str, np.ndarray]:
    """Traces of the kept sweeps of a chain."""
    truth = references.entities[references.test]
    rows = []
    for sweep in range(burn_in + n_samples):
        model.sweep(rng)
        if sweep < burn_in:
            continue
        labels = model.labels[references.test]
        scores = measure(truth, labels)
        rows.append(
            {name: scores[name] for name in SCORES}
            | {"test clusters": np.unique(labels).size, "log joint": model.log_joint()}
        )
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0]}


def _rows(identity, draws, score, seconds) -> list[dict]:
    """What the chains of a seed have found, start by start, and what belongs to the seed."""
    rows = []
    for name in next(iter(draws.values())):
        rhat = describe(np.stack([traces[name] for traces in draws.values()]))["rhat"]
        for start, traces in draws.items():
            one = describe(traces[name][None])
            row = {"start": start, "quantity": name, "value": one["mean"], "mcse": one["mcse"]}
            rows.append(identity | row | {"rhat": rhat})
    alone = {"held-out F": score, "seconds": seconds}
    for name, value in alone.items():
        row = {"start": "", "quantity": name, "value": value, "mcse": np.nan, "rhat": np.nan}
        rows.append(identity | row)
    return rows


def full_table(artefact, chains, trials, baselines):
    """Scores of the test items, seed by seed and start by start, beside those of other systems.

    Parameters
    ----------
    artefact : str
    chains, trials, baselines : pandas.DataFrame
        From `read_results`.

    Returns
    -------
    pandas.DataFrame
        :data:`~reseat.experiments.tidy.COLUMNS`, ``setting``, what was chosen, and
        :data:`~reseat.experiments.supervised.posterior.NOTE`, which says where the starts of a
        seed disagree, by the log joint or by F.
    """
    rows = []
    for identity, part in by_dataset(chains, artefact):
        of_others = rows_of(baselines[baselines["chosen"]], dataset=identity["dataset"])
        for system in in_order(of_others["system"], BESIDE):
            if system not in BESIDE:
                continue
            for metric in SCORES:
                found = rows_of(of_others, system=system, metric=metric)["value"]
                rows.append(tidy_row(identity, system, "", metric, mean_and_error(found)))
        tried = rows_of(trials, dataset=identity["dataset"])
        rows += _all_seeds(identity, part)
        for seed, own in part.groupby("seed", sort=False):
            setting = _words(rows_of(tried, seed=seed, chosen=True).iloc[0])
            rows += [row | {"setting": setting} for row in _one_seed(identity, seed, own)]
    frame = pd.DataFrame(rows, columns=[*COLUMNS, "setting", NOTE])
    return frame.fillna({"setting": "", NOTE: ""})


def _all_seeds(identity, part):
    """Means over seeds, a seed counting once however many starts it has."""
    rows = []
    for quantity, own in part.groupby("quantity", sort=False):
        if quantity in (*SCORES, "test clusters", "held-out F"):
            found = mean_and_error(own.groupby("seed")["value"].mean())
            rows.append(tidy_row(identity, SYSTEM, "mean", quantity, found))
    return rows


def _one_seed(identity, seed, own):
    apart = own[own["quantity"].isin(["log joint", "F"])]["rhat"].max() > MOST_RHAT
    rows = []
    for start, part in own.groupby("start", sort=False):
        where = f", {STARTS[start]}" if start else ""
        for row in part.itertuples(index=False):
            found = row.value, row.mcse, 1
            tidy = tidy_row(identity, f"{SYSTEM}, seed {seed}{where}", "mean", row.quantity, found)
            rows.append(tidy | {NOTE: NOT_CONVERGED if apart and start else ""})
    rhat = own[own["quantity"].isin(["log joint", "F"])]["rhat"].max()
    name = f"{SYSTEM}, seed {seed}"
    rows.append(tidy_row(identity, name, "mean", "R-hat", (rhat, np.nan, len(FROM))))
    return rows


def _words(choice) -> str:
    return (
        f"{choice['coordinates']}, nugget {choice['nugget']:{DIGITS}}, "
        f"power {choice['power']:{DIGITS}}, {choice['directions']} directions"
    )


def held_out_table(artefact, trials):
    """F of held-out training entities by what was tried, on average over seeds.

    Parameters
    ----------
    artefact : str
    trials : pandas.DataFrame
        From `read_results`.

    Returns
    -------
    pandas.DataFrame
        :data:`~reseat.experiments.tidy.COLUMNS`, the columns of
        `reseat.models.held_out.Choice`, and ``seeds``, how many seeds have chosen it.
    """
    rows = []
    names = ["coordinates", "nugget", "power", "directions"]
    for identity, part in by_dataset(trials, artefact):
        for values, own in part.sort_values("seed", kind="stable").groupby(names):
            choice = dict(zip(names, values, strict=True))
            found = mean_and_error(own["score"])
            row = tidy_row(identity, f"{SYSTEM}, {_words(choice)}", "mean", "held-out F", found)
            rows.append(row | choice | {"seeds": int(own["chosen"].sum())})
    return pd.DataFrame(rows, columns=[*COLUMNS, *names, "seeds"])
