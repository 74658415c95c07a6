"""What ran, and on which data."""

from __future__ import annotations

from pathlib import Path

import numpy as np


def describe_runs(scores, traces=()):
    """One entry for each model on each data set.

    Parameters
    ----------
    scores : pandas.DataFrame
        `dataset`, `model`, `chain`.
    traces : iterable of path-like
        Files of traces (.npz) whose path ends in `dataset/model/name.npz`.

    Returns
    -------
    list of dict
        `dataset`, `model`, `n_chains`, and `n_sweeps`, `burn_in`: None where there are no traces.
    """
    lengths = {}
    for path in map(Path, traces):
        with np.load(path) as stored:
            if "log_joint" in stored.files:  # restarts of EM have no sweeps
                n_sweeps = np.atleast_2d(stored["log_joint"]).shape[1]
                lengths[path.parts[-3:-1]] = (n_sweeps, int(stored["burn_in"]))
    runs = []
    for (dataset, model), part in scores.groupby(["dataset", "model"], sort=False):
        n_sweeps, burn_in = lengths.get((dataset, model), (None, None))
        runs.append(
            {
                "dataset": dataset,
                "model": model,
                "n_chains": int(part["chain"].nunique()),
                "n_sweeps": n_sweeps,
                "burn_in": burn_in,
            }
        )
    return runs


def dataset_cards(cards, roles, family):
    """Cards of data sets, and which of the paper's they serve for.

    Parameters
    ----------
    cards : iterable of Card
    roles : dict of str to list of str
        The paper's data sets to those that serve for them.
    family : str

    Returns
    -------
    list of dict
        `DatasetIdentity.to_dict` with `family`, `sizes` and `role` (None if the data serve for
        none).
    """
    role_of = {name: role for role, names in roles.items() for name in names}
    return [
        card.identity.to_dict()
        | {"family": family, "sizes": card.sizes}
        | {"role": role_of.get(card.identity.name)}
        for card in cards
    ]
