"""Real processes, really killed: the chain that is left ends with the same draws."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from chain_worker import chain
from test_chains import contents

from reseat.chains import checkpoint, run_chain

WORKER = Path(__file__).with_name("chain_worker.py")
KILLS = 24


@pytest.mark.kill
def test_killed_at_random_moments_the_draws_are_identical(tmp_path):
    whole = contents(run_chain(chain(tmp_path / "whole")))

    folder = tmp_path / "killed"
    folder.mkdir()
    rng = np.random.default_rng(271)
    kills, progress, patience = 0, [], 1.0
    while kills < KILLS:
        process = subprocess.Popen(
            [sys.executable, str(WORKER), str(folder)], stdout=subprocess.PIPE, text=True
        )
        assert process.stdout.readline() == "ready\n"
        # Long enough to get somewhere, short enough not to finish.
        time.sleep(patience * rng.uniform(0.0, 0.06))
        process.send_signal(signal.SIGKILL)
        if process.wait() != -signal.SIGKILL:
            assert process.returncode == 0
            break
        kills += 1
        stored = checkpoint.load(folder / "scratch" / "checkpoint.npz", chain(folder).fingerprint)
        sweep = 0 if stored is None else stored[0]["sweep"]
        # On a busy machine a chain needs more time between two kills.
        patience = 1.0 if sweep > max(progress, default=0) else 1.3 * patience
        progress.append(sweep)
        assert not (folder / "chain.nc").exists() or kills == KILLS
    assert kills >= 20
    # The kills must have struck a chain on its way, again and again.
    assert len(set(progress)) >= 5
    assert progress == sorted(progress)
    assert 0 < progress[-1]

    resumed = contents(run_chain(chain(folder)))
    assert resumed == whole
    # Neither the scratch folder nor a file that a kill left half written.
    assert [path.name for path in folder.iterdir()] == ["chain.nc"]
