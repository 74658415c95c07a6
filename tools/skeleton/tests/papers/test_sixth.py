"""The tables and claims of Author 2000, made from known scores."""

import pandas as pd
import pytest

from reseat.papers.sixth.claims import CLAIMS
from reseat.papers.sixth.tables import table1

KEY = {"dataset": "demo_sixth", "status": "faithful", "role": "news", "model": "dp"}


def scores(**metrics):
    """Return a frame of scores; each metric is given with its values, one per chain."""
    return pd.DataFrame(
        KEY | {"chain": chain, "metric": metric, "value": value}
        for metric, values in metrics.items()
        for chain, value in enumerate(values)
    )


def test_the_table_has_means_over_chains_beside_the_published_numbers():
    published = pd.DataFrame([{"role": "news", "system": "dp", "metric": "F", "value": 0.5}])
    found = table1("sixth_table1", scores(pair_f=[0.4, 0.8]), published).set_index("metric")
    assert found.loc["F", "mean"] == pytest.approx(0.6)
    assert found.loc["F", "difference"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("values", "verdict"), [([0.5, 0.5, 0.6], "confirmed"), ([-1, 1], "untestable")]
)
def test_the_claim_is_judged_by_its_interval(values, verdict):
    assert CLAIMS.judge(scores(adjusted_rand=values))["verdict"].tolist() == [verdict]
