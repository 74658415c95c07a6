"""What the posterior prefers: the true classes, and chains with other starts, moves and betas."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import Corpus
from reseat.likelihoods import TermIndex
from reseat.metrics import evaluate
from reseat.models.documents import SAMPLED, build
from reseat.moves import gibbs_sweep
from reseat.papers.documents.contingency import shape_statistics
from reseat.papers.documents.plan import PAPER_KEY, SAMPLER
from reseat.papers.documents.results import METRICS, each_dataset
from reseat.papers.published import N_CLUSTERS
from reseat.papers.tables import mean_and_error, tidy, tidy_row
from reseat.summaries import AGREED, describe
from reseat.vocabulary import IN_MODES, NOTE


class Way(NamedTuple):
    """A model of the configuration with another beta, from the true classes or at random."""

    name: str
    model: str
    from_classes: bool = False
    moves: tuple = (gibbs_sweep,)


#: All ways, of those models that are configured; without moves, all but the partition changes.
WAYS = (
    Way("the classes, kept", SAMPLER, True, ()),
    Way("Gibbs sweeps from the classes", SAMPLER, True),
    Way("Gibbs sweeps", SAMPLER),
    Way("Gibbs sweeps, splits and merges", "gibbs_split"),
    Way("Gibbs sweeps, annealed start", "gibbs_annealed"),
    Way("Gibbs sweeps, K and alpha sampled", "gibbs_dp"),
)


def sample_posterior(
    corpus: Corpus,
    dataset: str,
    beta: str,
    models: Mapping[str, Mapping[str, Any]],
    n_clusters: int,
    posterior: Mapping[str, Any],
    seed: int,
) -> pd.DataFrame:
    """Run chains in all ways with one beta, and return the scores of the last sample of each."""
    index = TermIndex(corpus.counts)
    classes = np.unique(corpus.labels, return_inverse=True)[1]
    value = SAMPLED if beta == SAMPLED else float(beta)

    def run(way: Way, chain: int) -> tuple[np.ndarray, float, np.ndarray, float]:
        stream = (PAPER_KEY, dataset, "posterior", beta, way.name, chain)
        rng = np.random.default_rng(chain_seed(seed, *stream))
        settings = {**models[way.model], "beta": value, "n_blocks": n_clusters}
        start = classes if way.from_classes else n_clusters
        model = build(settings, index, rng, start, way.moves)
        began, traces = time.process_time(), []
        first = posterior["burn_in"] + settings.get("anneal", {}).get("n_sweeps", 0)
        for sweep in range(first + posterior["n_samples"]):
            model.sweep(rng)
            if sweep >= first:
                traces.append((model.log_joint(), model.hyperparameters["beta"]))
        log_joint, betas = np.array(traces).T
        return log_joint, betas.mean(), model.labels, time.process_time() - began

    enough = classes.max() < n_clusters  # clusters for the classes
    ways = [way for way in WAYS if way.model in models and (enough or not way.from_classes)]
    rows = []
    for way in ways:
        chains = [run(way, chain) for chain in range(posterior["n_chains"])]
        rhat = describe(np.array([log_joint for log_joint, *_ in chains]))["rhat"]
        for chain, (log_joint, mean_beta, labels, seconds) in enumerate(chains):
            about = {"dataset": dataset, "status": corpus.identity.status, "beta": beta}
            about |= {"way": way.name, "chain": chain, "seconds": seconds, "rhat": rhat}
            about |= {"log_joint": log_joint.mean(), "mean_beta": mean_beta}
            about |= shape_statistics(np.bincount(labels))
            rows.append(about | evaluate(corpus.labels, labels))
    return pd.DataFrame(rows)


@tidy(NOTE)
def posterior_table(artefact, role, chains):
    """Return the log joint, the scores and the number of clusters of each way under each beta."""
    columns = {metric.name: metric.column for metric in (*METRICS, N_CLUSTERS)}
    columns |= {name: name for name in shape_statistics([1])}
    columns |= {"log joint": "log_joint", "beta": "mean_beta", "seconds a chain": "seconds"}
    for identity, part in each_dataset(chains, role, artefact):
        for (beta, way), of in part.groupby(["beta", "way"], sort=False):
            rhat = of["rhat"].iloc[0]
            note = f"{IN_MODES}: R-hat of the log joint {rhat:.1f}" if rhat > AGREED else ""
            for name, column in columns.items():
                found = mean_and_error(of[column])
                row = tidy_row(identity, f"{way}, beta {beta}", "last sample", name, found)
                yield row | {NOTE: note}
