"""The verdicts on the claims about Figure 4 under every combination of readings."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.papers.distances import claims
from reseat.papers.distances.plan import STARTS, TRUTH
from reseat.papers.distances.results import LOST, THETAS
from reseat.vocabulary import FAITHFUL

#: Claims about Figure 4, and the rules that judge them.
RULES = {
    "TIWD-3a": claims.tiwd3a,
    "TIWD-3b": claims.tiwd3b,
    "TIWD-4a": claims.tiwd4a,
    "TIWD-4b": claims.tiwd4b,
    "TIWD-4c": claims.tiwd4c,
    "TIWD-4d": claims.tiwd4d,
}

#: How WD_R subtracts row means, whether the lost dimension counts, and models judged instead.
PROCEDURES = (
    ("kernel PCA, d - 1", "wdr_kpca", LOST),
    ("kernel PCA, d", "wdr_kpca", {}),
    ("direct, d - 1", "wdr_direct", LOST),
    ("direct, d", "wdr_direct", {}),
)

COLUMNS = (
    *("artefact", "role", "dataset", "status", "comparable", "theta", "start", "procedure"),
    *("joint", "claim", "verdict", "effect", "low", "high"),
)


def verdicts_table(artefact, evidence):
    """Return a row per theta, start, way to subtract row means, and claim; `joint` is judged."""
    rows = []
    joint = evidence.theta, evidence.start, evidence.centred, evidence.instead
    readings = product(filter(evidence.has_theta, THETAS), (*STARTS, TRUTH), PROCEDURES)
    for theta, start, (words, centred, instead) in readings:
        here = replace(evidence, theta=theta, start=start, centred=centred, instead=instead)
        panels = [here.means(dim, mean) for mean in (0, 40) for dim in (3, 100)]
        role = next(filter(here.dataset, panels), panels[0])
        status = here.status(role)
        reading = {
            "artefact": artefact,
            "role": role,
            "dataset": here.dataset(role),
            "status": status,
            "comparable": status == FAITHFUL,
            "theta": f"{theta}/d",
            "start": start,
            "procedure": words,
            "joint": (theta, start, centred, instead) == joint,
        }
        found = {key: rule(here) for key, rule in RULES.items()}
        rows += [
            reading | {"claim": key} | {name: row[name] for name in COLUMNS[-4:]}
            for key, row in found.items()
            if np.isfinite(row["effect"])
        ]
    if not rows:
        raise DataError(f"{artefact} needs chains on a set of Figure 4; run the models of means.")
    return pd.DataFrame(rows, columns=list(COLUMNS))
