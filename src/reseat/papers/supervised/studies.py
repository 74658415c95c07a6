"""Chains of the model of two covariances, tuned on held-out training entities: beyond the paper."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from reseat.chains import Chain, Kept, Schedule, chain_seed, run_chain
from reseat.datasets import EmbeddedMentions, Mentions, embed_mentions
from reseat.errors import DataError
from reseat.models.choosing import entity_keys, hold_out, prior_of
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.papers.supervised.full import FROM, SCORES, TRUTH
from reseat.papers.supervised.measures import measure
from reseat.papers.supervised.plan import PAPER_KEY
from reseat.papers.tables import mean_and_error
from reseat.summaries import describe


def sample_full(
    references: EmbeddedMentions,
    mentions: Mentions,
    dataset: str,
    role: str,
    embedding: Mapping[str, Any],
    settings: Mapping[str, Any],
    seed: int,
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the frames of `full_frames` for a data set, made with one thread."""
    identity = {"dataset": dataset, "status": references.identity.status, "role": role}
    options = dict(settings)
    with threadpool_limits(1):
        kinds = options.pop("coordinates")
        coordinates = kinds_of_coordinates(references, mentions, kinds, **embedding)
        return full_frames(references, coordinates, identity, seed=seed, **options)


def kinds_of_coordinates(
    references: EmbeddedMentions, mentions: Mentions, kinds: Mapping[str, Mapping], **embedding: Any
) -> dict[str, np.ndarray]:
    """Return the distinct coordinates of the items by kind, each of another share of distances."""
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
    """Choose the settings, learn the covariances and sample the clusters, once per seed.

    The first frame has one row per seed and choice, the best first, and the second one row per
    seed, start and quantity; `search` has the arguments of `hold_out`.
    """
    where = f"data set {references.identity.name!r}"
    train = ~references.test
    entities, groups = references.entities, references.groups
    keys = entity_keys(entities, groups)
    trials, chains = [], []
    for number in range(n_seeds):
        stream = (PAPER_KEY, references.identity.name, "full", str(number))
        try:
            found = hold_out(
                {name: points[train] for name, points in coordinates.items()},
                entities[train],
                groups[train],
                np.random.default_rng(chain_seed(seed, *stream, "held out")),
                **search,
                **options,
            )
        except DataError as error:
            raise DataError(f"{where}: {error}") from error
        best = found[0].choice
        for place, trial in enumerate(found):
            error = mean_and_error(trial.scores)[1]
            row = dict(identity) | {"seed": number} | vars(trial.choice)
            row |= {"score": trial.score, "error": error, "n_folds": len(trial.scores)}
            trials.append(row | {"chosen": place == 0})
        points = coordinates[best.coordinates]
        learned = learn_covariances(points[train], keys[train], points[references.test])
        learned = learned.with_nugget(best.nugget)
        draws = {}
        for start in (*FROM, TRUTH):

            def build(rng, learned=learned, points=points, best=best, start=start):
                return build_two_covariances(
                    *(learned, points, rng),
                    test=references.test,
                    known=entities,
                    groups=groups,
                    power=best.power,
                    n_directions=best.directions,
                    prior=prior_of(best),
                    start=entities if start == TRUTH else start,
                    held=start == TRUTH,
                    **options,
                )

            chain = Chain(
                number=start,
                build=build,
                schedule=Schedule(**length),
                seed=seed,
                stream=(*stream, "chain"),
            )
            draws[start] = _traces(run_chain(chain), references)
        chains += _rows(dict(identity) | {"seed": number}, draws)
    return pd.DataFrame(trials), pd.DataFrame(chains)


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
