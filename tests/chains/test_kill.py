"""Real processes that are really killed: the resumed chain ends with the same draws."""

import numpy as np
import pytest
from chain_worker import chain
from places import TESTS
from strikes import contents, kill_at_random, kill_at_the_end, started

from reseat.chains import run_chain

WORKER = TESTS / "chain_worker.py"
KILLS = 25


@pytest.mark.kill
def test_killed_at_random_moments_the_draws_are_identical(tmp_path):
    whole = contents(run_chain(chain(tmp_path / "whole")))

    folder = tmp_path / "killed"
    folder.mkdir()
    with started(WORKER) as worker:
        progress = kill_at_random(worker, chain(folder), KILLS, np.random.default_rng(271))
        kill_at_the_end(worker, chain(folder))
    # The kills must have hit an unfinished chain, again and again.
    assert len(progress) == KILLS >= 20
    assert len(set(progress)) >= 10
    assert progress == sorted(progress)
    assert 0 < progress[-1]

    resumed = contents(run_chain(chain(folder)))
    assert resumed == whole
    # Neither the scratch folder nor a half-written file is left.
    assert [path.name for path in folder.iterdir()] == ["chain.nc"]
