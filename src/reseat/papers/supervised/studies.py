"""Chains of the model of two covariances, tuned on held-out training entities: beyond the paper."""

from collections.abc import Iterator
from functools import partial

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from reseat.chains import Chain, Kept, Schedule, chain_seed, run_chain
from reseat.datasets import EmbeddedMentions, embed_mentions
from reseat.errors import DataError
from reseat.models.choosing import entity_keys, hold_out, prior_of
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.papers.supervised.full import FROM, SCORES, TRUTH
from reseat.papers.supervised.measures import identity_of, measure
from reseat.papers.supervised.plan import PAPER_KEY
from reseat.papers.tables import mean_and_error
from reseat.summaries import describe


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
            make = partial(
                build_two_covariances,
                *(learned.with_nugget(best.nugget), points),
                test=test,
                known=entities,
                groups=groups,
                power=best.power,
                n_directions=best.directions,
                **options,
            )
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
