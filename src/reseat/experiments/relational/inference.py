"""Variational inference beside the Gibbs sampling that the paper calls too slow."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.enumerated import check_table
from reseat.experiments.relational.results import MODELS, by_dataset
from reseat.experiments.tidy import NOT_CONVERGED, NOTE, read_frames
from reseat.summaries import AGREED

#: Ways to find the clusters.
METHODS = {"vb": "variational", "gibbs": "collapsed Gibbs"}

_BOUND = ("model", "elbo", "log_evidence")


def read_bound(path):
    """The file ``bound.csv``: see `read_frames`."""
    return read_frames([path], _BOUND, "bounds")


def inference_table(artefact, predictive, enumeration, bound):
    """Held-out predictions and seconds of both methods, and both against enumeration.

    Parameters
    ----------
    artefact : str
    predictive : pandas.DataFrame
        From `read_results`.
    enumeration, bound : pandas.DataFrame
        From `read_counts` and `read_bound`: both of tables so small that all partitions can
        be summed over.

    Returns
    -------
    pandas.DataFrame
        `artefact`, `dataset`, `status`, and `part`: ``held-out``, one row a run, with the columns
        of `predictive`, `system`, and a `note` where chains disagree; ``enumeration``, one row a
        joint partition of both types, as `reseat.experiments.enumerated.check_table` has it;
        ``bound``, one row a model, with `elbo`, `log_evidence` and `gap`, nats.
    """
    runs = []
    for identity, part in by_dataset(predictive, artefact):
        systems = [
            f"{MODELS[model]}, {METHODS[method]}"
            for model, method in zip(part["model"], part["method"], strict=True)
        ]
        apart = np.where(part["rhat"] > AGREED, NOT_CONVERGED, "")
        named = {"artefact": identity["artefact"], "part": "held-out", "system": systems}
        runs.append(part.assign(**named, **{NOTE: apart}))
    checked = check_table(artefact, enumeration).assign(
        part="enumeration", dataset="tables that can be enumerated"
    )
    below = bound[list(_BOUND)].assign(
        artefact=artefact,
        dataset="tables that can be enumerated",
        status="generated",
        part="bound",
        gap=bound["log_evidence"] - bound["elbo"],
    )
    table = pd.concat([*runs, checked, below], ignore_index=True)
    front = ["artefact", "dataset", "status", "part", "system"]
    return table[[*front, *(name for name in table.columns if name not in front)]]
