"""Digests of what seeds draw, which show whether a later version still draws the same.

An entry describes a chain, a fit or anything else that is drawn: a digest of its labels, which
must be identical, and a few values of its traces, which must agree up to rounding.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Mapping

import numpy as np
from digest_files import FOLDER

from reseat.chains import CoupledModel

DIGESTS = FOLDER / "draws.json"

N_SWEEPS = 20
#: Positions in a trace, counted from 1, whose values are kept beside the last; in chains, sweeps.
KEPT = (1, 2, 5)
#: Relative tolerance: processors and libraries of linear algebra may differ in the last bits.
TOLERANCE = 1e-9


def collect() -> dict[str, dict]:
    """Return every entry, computed by the current code."""
    import draws_families
    import draws_library

    found: dict[str, dict] = {}
    for name, entry in [*draws_library.entries(), *draws_families.entries()]:
        if name in found:
            raise ValueError(f"Two entries are called {name!r}.")
        found[name] = entry
    return found


def entry(labels: Mapping[str, np.ndarray], traces: Mapping[str, np.ndarray]) -> dict:
    """Return what is stored of draws."""
    digest = hashlib.sha256()
    for name, array in sorted(labels.items()):
        array = np.asarray(array)
        if array.dtype.kind not in "iub":
            raise TypeError(f"{name} is {array.dtype}; labels are whole numbers.")
        digest.update(f"{name} {array.shape} ".encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return {
        "labels": digest.hexdigest()[:32],
        "traces": {name: _kept(np.ravel(trace)) for name, trace in sorted(traces.items())},
    }


def _kept(trace: np.ndarray) -> list[float]:
    places = sorted({k for k in (*KEPT, len(trace)) if k <= len(trace)})
    values = np.asarray(trace, dtype=float)[[place - 1 for place in places]]
    if np.all(values == values[:1]):
        values = values[:1]
    # Integers are written as such, because people read the file to find what has changed.
    rounded = (float(f"{value:.11g}") for value in values)
    return [int(value) if value.is_integer() else value for value in rounded]


def chain(model, rng: np.random.Generator, sweeps: int = N_SWEEPS) -> dict:
    """Sweep a model and return its entry.

    The log joint uses the formula of the prior, whereas `log_seats` uses the
    tables that the moves read.  `next` is the next number of the generator, so
    that one random number more or less shows.
    """
    labels, rows = [], []
    for _ in range(sweeps):
        moved = model.sweep(rng)
        labels.append(model.labels)
        row = {"log_joint": model.log_joint(), "log_seats": log_seats(model), "n_moved": moved}
        rows.append(row | dict(model.n_clusters) | dict(model.hyperparameters))
    traces = {name: [row[name] for row in rows] for name in rows[0]}
    return entry({"labels": np.stack(labels)}, traces | {"next": [rng.random()]})


def log_seats(model) -> float:
    """Return the log weight of seating the items block by block, from the prior's tables."""
    parts = model.parts.values() if isinstance(model, CoupledModel) else [model]
    total = 0.0
    for part in parts:
        log_join, log_open = part.prior.tables
        sizes = part.partition.block_sizes()
        total += sum(log_join[1:size].sum() for size in sizes) + log_open[1 : len(sizes)].sum()
    return float(total)


def differences(stored: Mapping[str, dict], found: Mapping[str, dict]) -> list[str]:
    """Return a sentence for each entry that differs from the stored one."""
    sentences = []
    for name in sorted(stored.keys() | found.keys()):
        if name not in found:
            sentences.append(f"{name}: stored, but nothing of this name is drawn any more")
        elif name not in stored:
            sentences.append(f"{name}: drawn, but not stored yet")
        else:
            changed = list(_changes(stored[name], found[name]))
            if changed:
                sentences.append(f"{name}: {'; '.join(changed)}")
    return sentences


def _changes(stored: dict, found: dict) -> Iterator[str]:
    """Yield what differs in an entry: the labels, and the first different value of a trace."""
    if stored["labels"] != found["labels"]:
        yield "other labels"
    then, now = stored["traces"], found["traces"]
    if then.keys() != now.keys():
        yield f"traces {sorted(now)} instead of {sorted(then)}"
        return
    first = min(filter(None, (_first(name, then[name], now[name]) for name in then)), default=None)
    if first is not None:
        place, name, old, new = first
        yield f"{name}: {new!r} instead of {old!r} (value {place + 1} of those kept)"


def _first(name: str, then: list, now: list) -> tuple | None:
    """Return the place, the name and both values where a trace first differs, or None."""
    n = max(len(then), len(now))
    # A trace that is constant is stored as one value.
    then, now = (values * n if len(values) == 1 else values for values in (then, now))
    if len(then) != len(now):
        return min(len(then), len(now)), name, f"{len(then)} values", f"{len(now)} values"
    for place, (old, new) in enumerate(zip(then, now, strict=True)):
        same_nan = math.isnan(old) and math.isnan(new)
        if not (same_nan or math.isclose(old, new, rel_tol=TOLERANCE)):
            return place, name, old, new
    return None
