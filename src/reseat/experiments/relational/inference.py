"""Comparison of variational inference with Gibbs sampling, which the paper calls too slow."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.enumerated import check_table
from reseat.experiments.relational.results import MODELS, by_dataset
from reseat.experiments.tidy import read_frames
from reseat.summaries import AGREED
from reseat.vocabulary import GENERATED, NOT_CONVERGED, NOTE

#: Methods of inference, and their printed names.
METHODS = {"vb": "variational", "gibbs": "collapsed Gibbs"}

_BOUND = ("model", "elbo", "log_evidence")


def read_bound(path):
    """Read the file ``bound.csv``; see `read_frames`."""
    return read_frames([path], _BOUND, "bounds")


def inference_table(artefact, predictive, enumeration, bound):
    """Return held-out predictions and seconds of both methods, and both against enumeration.

    Part ``held-out`` has one row per run, with a note where chains disagree; ``enumeration`` one
    row per joint partition of both types, as in `reseat.experiments.enumerated.check_table`; and
    ``bound`` one row per model, in nats.
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
        status=GENERATED,
        part="bound",
        gap=bound["log_evidence"] - bound["elbo"],
    )
    table = pd.concat([*runs, checked, below], ignore_index=True)
    front = ["artefact", "dataset", "status", "part", "system"]
    return table[[*front, *(name for name in table.columns if name not in front)]]
