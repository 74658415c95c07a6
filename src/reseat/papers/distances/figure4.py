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
    f"TIWD-{number}": getattr(claims, f"tiwd{number}")
    for number in ("3a", "3b", "4a", "4b", "4c", "4d")
}

#: How WD_R subtracts row means, whether the lost dimension counts, and models judged instead.
PROCEDURES = [
    (f"{way}, {words}", centred, instead)
    for way, centred in (("kernel PCA", "wdr_kpca"), ("direct", "wdr_direct"))
    for words, instead in (("d - 1", LOST), ("d", {}))
]

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
        reading = {"artefact": artefact, "role": role, "dataset": here.dataset(role)}
        reading |= {"status": status, "comparable": status == FAITHFUL, "theta": f"{theta}/d"}
        reading |= {"start": start, "procedure": words}
        reading["joint"] = (theta, start, centred, instead) == joint
        for key, rule in RULES.items():
            found = rule(here)
            if np.isfinite(found["effect"]):
                rows.append(reading | {"claim": key} | {name: found[name] for name in COLUMNS[-4:]})
    if not rows:
        raise DataError(f"{artefact} needs chains on a set of Figure 4; run the models of means.")
    return pd.DataFrame(rows, columns=list(COLUMNS))
