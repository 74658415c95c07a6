"""Errors, flags and convergence that are not known must not pass for known ones."""

import math

import numpy as np
import pandas as pd
import pytest

from reseat.errors import DataError
from reseat.papers.enumerated import visit_counts
from reseat.papers.records.results import E_DELTA, posterior_of, unsettled
from reseat.papers.supervised.results import _mean
from reseat.papers.tables import read_frames


@pytest.mark.parametrize(
    ("rhat", "ess", "n_chains", "expected"),
    [(1.0, 5.0, 4, False), (1.2, 900.0, 4, True), (math.nan, 5.0, 1, True),
     (math.nan, 900.0, 1, False), (math.nan, math.nan, 1, True)],
)  # fmt: skip
def test_a_single_chain_is_settled_only_if_its_effective_draws_are_known(
    rhat, ess, n_chains, expected
):
    rows = pd.DataFrame({"rhat": [rhat], "ess": [ess], "n_chains": [n_chains]})
    assert unsettled(rows).tolist() == [expected]


def test_an_error_within_chains_that_is_not_known_is_not_zero():
    one = pd.DataFrame({"value": [1.0], "mcse": [math.nan]})
    assert math.isnan(_mean(one)[1])
    two = pd.DataFrame({"value": [1.0, 3.0], "mcse": [0.1, math.nan]})
    assert _mean(two) == (2.0, 1.0, 2)
    known = pd.DataFrame({"value": [1.0, 1.0], "mcse": [0.3, 0.4]})
    assert _mean(known) == (1.0, 0.25, 2)
    # Nor is that of a mean over fields.
    rows = pd.DataFrame({"quantity": ["delta_0", "delta_1"], "dataset": "italy"})
    rows = rows.assign(truth=math.nan, mean=0.01, ess=9.0, rhat=1.0, n_chains=2)
    assert posterior_of(rows.assign(mcse=[0.3, 0.4]), E_DELTA)["mcse"].tolist() == [0.25]
    assert posterior_of(rows.assign(mcse=[0.3, math.nan]), E_DELTA)["mcse"].isna().all()


def test_a_flag_that_is_neither_true_nor_false_is_refused(tmp_path):
    paths = [tmp_path / f"{name}.csv" for name in "ab"]
    for path, value in zip(paths, ("True", "False"), strict=True):
        path.write_text(f"x,known\n1,{value}\n")
    found = read_frames(paths, ["x"], "fits", flags=["known"])
    assert found["known"].tolist() == [True, False] and found["known"].dtype == bool
    paths[1].write_text("x,known\n1,\n")
    with pytest.raises(DataError, match="column known of the fits has nan, which is neither"):
        read_frames(paths, ["x"], "fits", flags=["known"])


class Elsewhere:
    """A sampler that is always at (0, 1)."""

    labels = np.array([4, 7])

    def sweep(self, _rng):
        """Stay there."""


def test_visits_to_states_without_a_probability_are_not_passed_over():
    rng = np.random.default_rng(0)
    found = visit_counts("pair", Elsewhere(), {((0, 0),): 0.5, ((0, 1),): 0.5}, 10, rng)
    assert found["count"].tolist() == [0, 10]
    with pytest.raises(DataError, match="pair: the chain visited 1 state"):
        visit_counts("pair", Elsewhere(), {((0, 0),): 1.0}, 10, rng)
