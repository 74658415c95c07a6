"""One integer in the configuration, one independent stream for each chain."""

import hashlib
import struct

import numpy as np


def chain_seed(seed: int, *names: object) -> np.random.SeedSequence:
    """Return the seed sequence of the stream called `names` under the run's `seed`.

    The spawn key is a hash of the names (paper, data set, model, chain, …), so
    that a chain's stream depends neither on the number of cores nor on which
    other chains run, and adding chains leaves the old ones unchanged.

    Parameters
    ----------
    seed : int
        The seed of the run.
    *names : object
        What the stream is for; names are compared as strings.

    Returns
    -------
    numpy.random.SeedSequence
    """
    text = "\x1f".join(str(name) for name in names)
    digest = hashlib.sha256(text.encode()).digest()
    return np.random.SeedSequence(seed, spawn_key=struct.unpack("<4I", digest[:16]))
