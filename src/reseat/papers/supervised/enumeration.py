"""Three references, few enough to enumerate all pairs of their partitions."""

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.likelihoods import GaussianReferences
from reseat.models.references import SUPERVISED_MODELS, build_supervised
from reseat.papers.enumerated import posterior, visit_counts
from reseat.papers.supervised.formulas import REFERENCES, pair_probabilities
from reseat.papers.supervised.plan import PAPER_KEY
from reseat.priors import DirichletProcess

#: The models that define a distribution to sample from, with their printed names.
MODELS = {
    "scdp1": "SCDP-1",
    "scdp2_exact": "SCDP-2 (exact)",
    "scdp3_covariance": "SCDP-3 (covariance)",
    "scdp3_precision": "SCDP-3 (precision)",
    "cdp": "CDP",
}


def run_enumeration(n_sweeps: int, seed: int) -> pd.DataFrame:
    """Return the exact probability of each pair of partitions, ``001|000``, and the visits."""
    n = REFERENCES.size
    found = []
    for name, printed in MODELS.items():
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "enumeration", name))
        data, test = GaussianReferences(REFERENCES[:, None]), np.ones(n, dtype=bool)
        priors = {"prior": DirichletProcess(1.0), "type_prior": DirichletProcess(1.0)}
        known = np.zeros(n, dtype=int)
        model = build_supervised(data, name, rng, test=test, known=known, **priors)
        law = SUPERVISED_MODELS[name]
        exact = posterior(model) if name == "cdp" else pair_probabilities(law)
        found.append(visit_counts(printed, model, exact, n_sweeps, rng))
    return pd.concat(found, ignore_index=True)
