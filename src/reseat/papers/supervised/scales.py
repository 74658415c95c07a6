"""What held-out training entities choose, a scale or a model, and models on further draws."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from reseat.baselines.item_pairs import grouped_folds
from reseat.chains import Chain, Kept, Schedule, chain_seed, run_chain
from reseat.datasets import EmbeddedMentions, embed_mentions
from reseat.errors import DataError
from reseat.likelihoods import GaussianReferences
from reseat.models.choosing import entity_keys, f_of_folds, hold_out, prior_of
from reseat.models.supervised import build
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.papers.supervised import name_scale
from reseat.papers.supervised.baselines import score_baselines
from reseat.papers.supervised.chains import items_of, settings_of
from reseat.papers.supervised.full import FROM, SCORES, TRUTH
from reseat.papers.supervised.measures import identity_of, measure
from reseat.papers.supervised.plan import PAPER_KEY, STARTS
from reseat.papers.supervised.results import COMMON, HELD_OUT
from reseat.papers.supervised.scores import test_draws
from reseat.papers.tables import mean_and_error
from reseat.summaries import describe

#: Settings of a model: the variance of the means that held-out entities choose, and one over the
#: number of coordinates, which needs no choice. The third is the variance in the configuration.
CHOSEN, BY_RULE = "sigma chosen", "sigma 1/coordinates"
#: Systems that are scored beside the models on coordinates which no other table has.
BESIDE = ("K-Means", "Xing-K")


def sample_chosen(references, mentions, dataset, role, embedding, settings, seed) -> pd.DataFrame:
    """Return the rows of `scaled_rows` for each kind of coordinates and each seed."""
    rows, n_seeds = [], settings["n_seeds"]
    given = {"role": role, "settings": {"k_means": settings["k_means"], "binary": None}}
    with threadpool_limits(1):
        for kind, changes in settings["coordinates"].items():
            at = identity_of(references, dataset, role) | {"coordinates": kind}
            made = references
            if changes:
                made = embed_mentions(mentions, **embedding | changes)
                for row in score_baselines(made, mentions, seed=seed, n_seeds=n_seeds, **given):
                    if row["chosen"] and row["system"] in BESIDE:
                        found = {name: row[name] for name in ("system", "metric", "value")}
                        rows.append({**at, "seed": row["repetition"], **found})
            for number in range(n_seeds):
                stream = (PAPER_KEY, dataset, "chosen", kind, str(number))
                found = scaled_rows(made, settings, seed, stream)
                rows += [{**at, "seed": number, **row} for row in found]
    return pd.DataFrame(rows).fillna({"setting": "", "start": ""})


def scaled_rows(references, settings, seed, stream) -> Iterator[dict[str, Any]]:
    """Yield the scores of each model by setting, start and metric, after F of held-out entities."""
    for name, model in settings["models"].items():
        own, system = (*stream, name), {"system": model["system"]}
        trials = _hold_out(references, model, seed, own, **settings["search"])
        for sigma, score in trials.items():
            row = system | {"setting": name_scale(sigma), "sigma": sigma}
            yield row | {"metric": HELD_OUT, "value": score}
        sigmas = {name_scale(model["sigma"]): model["sigma"]}
        sigmas[BY_RULE] = 1 / references.n_coordinates
        sigmas[CHOSEN] = max(trials, key=trials.get)
        for setting, sigma in sigmas.items():
            given = (_at(model, sigma), settings["length"], seed, (*own, setting), COMMON)
            for found in sampled(references, *given):
                yield system | {"setting": setting, "sigma": sigma} | found


def _at(model: Mapping[str, Any], sigma: float) -> dict[str, Any]:
    """Return a model at another scale; items of CDP have the same variance about their means."""
    precision = {"precision": 1 / sigma} if model["model"] == "cdp" else {}
    return {**model, "sigma": sigma, **precision}


def _hold_out(references, model, seed, stream, *, sigmas, n_folds, **length) -> dict[float, float]:
    """Return F of held-out training entities under each variance of the means."""
    train = ~references.test
    entities, groups = references.entities[train], references.groups[train]
    rng = np.random.default_rng(chain_seed(seed, *stream, "held out"))
    folds = grouped_folds(entities, groups, n_folds, rng)
    data = GaussianReferences(references.coordinates[train], references.feature_of)
    given = (data, entities, groups, folds)
    return {
        sigma: float(np.mean(f_of_folds(settings_of(_at(model, sigma)), *given, rng, **length)))
        for sigma in sigmas
    }


def sampled(references, model, length, seed, stream, starts) -> Iterator[dict[str, Any]]:
    """Yield the mean scores of the test items from each start, and R-hat over the starts."""
    truth, scores = references.entities[references.test], {}
    make = partial(build, settings_of(model), items_of(references))
    for start in starts:
        given = {"schedule": Schedule(**length), "seed": seed, "stream": tuple(stream)}
        chain = Chain(number=start, build=partial(make, start=start), **given)
        draws = test_draws(references, run_chain(chain).record.draws())
        rows = [{**measure(truth, row), "test clusters": np.unique(row).size} for row in draws]
        scores[start] = pd.DataFrame(rows)
    for metric in scores[starts[0]]:
        traces = np.stack([found[metric] for found in scores.values()])
        rhat = describe(traces)["rhat"]
        for start, trace in zip(scores, traces, strict=True):
            yield {"start": start, "metric": metric, "value": float(trace.mean()), "rhat": rhat}


# ---- Models on further draws of the items ----------------------------------------------------


def draw_rows(given, references, seed, stream) -> Iterator[dict[str, Any]]:
    """Yield the scores of one chain of each model, and at each scale those over the starts."""
    stream = (PAPER_KEY, *stream)
    for name, model in given["models"].items():
        start = model.get("starts", STARTS)[:1]
        for row in sampled(references, model, given["length"], seed, (*stream, name), start):
            yield {"system": model["system"], "metric": row["metric"], "value": row["value"]}
    if given["chosen"]:
        rows = pd.DataFrame(scaled_rows(references, given["chosen"], seed, stream))
        means = rows.groupby(["system", "setting", "metric"], sort=False)["value"].mean()
        for (system, setting, metric), value in means.items():
            yield {"system": f"{system}, {setting}", "metric": metric, "value": value}


# ---- Chains of the model of two covariances, which is beyond the paper -----------------------


def sample_full(references, mentions, dataset, role, embedding, settings, seed):
    """Return rows per seed and choice, the best first, and rows per seed, start and quantity."""
    options = {name: settings[name] for name in ("n_proposals", "n_neighbours")}
    identity = identity_of(references, dataset, role)
    train, test = ~references.test, references.test
    entities, groups = references.entities, references.groups
    keys = entity_keys(entities, groups)
    trials, chains = [], []
    with threadpool_limits(1):
        coordinates = _coordinates(references, mentions, embedding, settings["coordinates"])
        of_train = {name: points[train] for name, points in coordinates.items()}
        for number in range(settings["n_seeds"]):
            stream = (PAPER_KEY, references.identity.name, "full", str(number))
            rng = np.random.default_rng(chain_seed(seed, *stream, "held out"))
            given = (of_train, entities[train], groups[train], rng)
            try:
                found = hold_out(*given, **settings["search"], **options)
            except DataError as error:
                raise DataError(f"data set {references.identity.name!r}: {error}") from error
            at = identity | {"seed": number}
            for place, trial in enumerate(found):
                error = mean_and_error(trial.scores)[1]
                row = at | vars(trial.choice) | {"score": trial.score, "error": error}
                trials.append(row | {"n_folds": len(trial.scores), "chosen": place == 0})
            best = found[0].choice
            points = coordinates[best.coordinates]
            learned = learn_covariances(points[train], keys[train], points[test])
            items = {"test": test, "known": entities, "groups": groups}
            how = {"power": best.power, "n_directions": best.directions, **options}
            law = learned.with_nugget(best.nugget)
            make = partial(build_two_covariances, law, points, **items, **how)
            length, draws = Schedule(**settings["length"]), {}
            for start in (*FROM, TRUTH):
                begin = {"start": entities, "held": True} if start == TRUTH else {"start": start}
                build = partial(make, prior=prior_of(best), **begin)
                chain = Chain(start, build, length, seed, (*stream, "chain"))
                draws[start] = _traces(run_chain(chain), references)
            chains += _rows(at, draws)
    return pd.DataFrame(trials), pd.DataFrame(chains)


def _coordinates(references, mentions, embedding, kinds) -> dict[str, np.ndarray]:
    """Return the distinct coordinates of the items by kind, each of another share of distances."""
    found: dict[str, np.ndarray] = {}
    for name, changes in kinds.items():
        settings = {**embedding, **changes}
        made = references if settings == embedding else embed_mentions(mentions, **settings)
        if not any(np.array_equal(made.coordinates, other) for other in found.values()):
            found[name] = made.coordinates
    return found


def _traces(chain: Kept, references: EmbeddedMentions) -> dict[str, np.ndarray]:
    """Return the reported quantities at the kept sweeps of a chain, each of which is a draw."""
    truth, record = references.entities[references.test], chain.record
    scores = [measure(truth, labels) for labels in record.draws()[:, references.test]]
    kept = slice(record.schedule.burn_in, None)
    return {
        **{name: np.array([float(score[name]) for score in scores]) for name in SCORES},
        "test clusters": record.traces["n_test_clusters"][kept],
        "log joint": record.traces["log_joint"][kept],
    }


def _rows(identity, draws) -> Iterator[dict]:
    for name in draws[TRUTH]:
        rhat = describe(np.stack([draws[start][name] for start in FROM]))["rhat"]
        for start, traces in draws.items():
            one = describe(traces[name][None])
            row = {"start": start, "quantity": name, "value": one["mean"], "mcse": one["mcse"]}
            yield identity | row | {"rhat": np.nan if start == TRUTH else rhat}
