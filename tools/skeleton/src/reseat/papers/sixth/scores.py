"""Scores of finished chains."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pandas as pd

from reseat.chains import read_groups
from reseat.datasets import Corpus
from reseat.metrics import evaluate
from reseat.papers.sixth.plan import Run


def score_models(runs: Iterable[Run], corpus: Corpus, folders: Iterable[Path]) -> pd.DataFrame:
    """Return the scores of the draws of all models on a data set, averaged over each chain."""
    files = {path.name: path for folder in folders for path in Path(folder).glob("*.nc")}
    rows = []
    for run in runs:
        for chain in run.chains:
            groups, _ = read_groups(files[run.file(chain)], {"partition"})
            scores = [evaluate(corpus.labels, draw) for draw in groups["partition"]["labels"][0]]
            for metric in scores[0]:
                rows.append(
                    {
                        "dataset": run.dataset,
                        "status": corpus.identity.status,
                        "role": run.role,
                        "model": run.model,
                        "chain": chain,
                        "metric": metric,
                        "value": np.mean([score[metric] for score in scores]),
                    }
                )
    return pd.DataFrame(rows)
