"""Local alignment of all pairs of sequences, and conversion of scores to dissimilarities."""

import os
import shutil
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from reseat.checks import check_positive, check_whole
from reseat.datasets.dissimilarities import Dissimilarities, number_classes
from reseat.datasets.sequences import Sequences
from reseat.errors import ConfigError, DataError
from reseat.files.atomic import atomic_path, keep_if_same
from reseat.threads import Stopped, in_threads

BLOCK = 32  # number of sequences whose scores are written together


class AlignmentStopped(Stopped):
    """The run was asked to stop; finished blocks are kept.

    Examples
    --------
    >>> from reseat.datasets import AlignmentStopped
    >>> from reseat.threads import Stopped
    >>> issubclass(AlignmentStopped, Stopped)
    True
    """


def substitution_matrix(matrix: str, gap_open: int, gap_extend: int) -> Any:
    """Return a `parasail.Matrix` by name, if sequences can be aligned with these gap costs."""
    import parasail  # here, because other jobs use this module without it

    check_whole("gap_open", gap_open)
    check_whole("gap_extend", gap_extend)
    if gap_open <= gap_extend:
        # If they are equal, parasail's striped kernels miss some gaps.
        raise ConfigError(
            f"gap_open is {gap_open} and gap_extend {gap_extend}; opening a gap must cost more "
            "than extending it"
        )
    table = getattr(parasail, str(matrix), None)
    if not isinstance(table, parasail.Matrix):
        raise ConfigError(f"unknown substitution matrix {matrix!r}; use, for example, blosum62")
    return table


def align_sequences(
    sequences: Sequences,
    output: str | os.PathLike,
    scratch: str | os.PathLike,
    *,
    threads: int = 1,
    gap_open: int = 11,
    gap_extend: int = 1,
    matrix: str = "blosum62",
    stop: threading.Event | None = None,
) -> None:
    """Compute the score of the best local alignment (Smith-Waterman) of every pair.

    A gap of k letters costs ``gap_open + (k - 1) gap_extend``.  Finished blocks of rows are kept in
    `scratch`, so that an interrupted run can be resumed; the folder is removed at the end.

    Parameters
    ----------
    sequences : Sequences
    output : path-like
        ``.npy`` file, written atomically: int32, shape (n_items, n_items), symmetric.
    scratch : path-like
        Folder for this alignment alone; what another one has left there is removed.
    threads : int
        A second one gains little for short sequences, which mostly hold the interpreter's lock.
    gap_open, gap_extend : int
        Gap costs of at least 0, the first greater than the second.
    matrix : str
        Name of a substitution matrix that parasail knows.
    stop : threading.Event, optional
        When set, the run ends after the rows in progress.

    Raises
    ------
    AlignmentStopped
        If `stop` was set.
    ConfigError
        If a cost or the number of threads is out of range, or the matrix is unknown.
    """
    threads = check_whole("threads", threads, 1)
    table = substitution_matrix(matrix, gap_open, gap_extend)
    gap_open, gap_extend = int(gap_open), int(gap_extend)  # plain ints for parasail and JSON
    scratch, stop = Path(scratch), stop or threading.Event()
    costs = {"gap_open": gap_open, "gap_extend": gap_extend, "matrix": matrix, "block": BLOCK}
    keep_if_same(scratch, {**costs, "sequences": sequences.digest("names", "sequences")})
    for leftover in scratch.glob(".rows-*"):
        leftover.unlink(missing_ok=True)
    texts = sequences.sequences
    starts = range(0, len(texts), BLOCK)

    def work(start: int) -> None:
        path = scratch / f"rows-{start}.npy"
        if not path.exists():
            numbers = range(len(texts))[start : start + BLOCK]
            rows = [_row(texts, row, table, gap_open, gap_extend, stop) for row in numbers]
            with atomic_path(path) as temporary:
                np.save(temporary, np.concatenate(rows))

    in_threads(work, starts, threads, stop)
    upper = np.tri(len(texts), dtype=bool).T
    scores = np.empty(upper.shape, dtype=np.int32)
    scores[upper] = np.concatenate([np.load(scratch / f"rows-{start}.npy") for start in starts])
    scores.T[upper] = scores[upper]
    with atomic_path(output) as temporary:
        np.save(temporary, scores)
    shutil.rmtree(scratch, ignore_errors=True)


def _row(
    texts: Sequence[str], row: int, table, gap_open: int, gap_extend: int, stop: threading.Event
) -> np.ndarray:
    """Return the scores of one sequence with itself and all later ones."""
    if stop.is_set():
        raise AlignmentStopped(f"stopped before the sequence {row + 1} of {len(texts)}")
    import parasail

    profile = parasail.profile_create_16(texts[row], table)
    scores = np.empty(len(texts) - row, dtype=np.int32)
    for place, other in enumerate(texts[row:]):
        result = parasail.sw_striped_profile_16(profile, other, gap_open, gap_extend)
        if result.saturated:  # the score overflows 16 bits
            result = parasail.sw_striped_32(texts[row], other, gap_open, gap_extend, table)
        scores[place] = result.score
    return scores


def transform_scores(
    scores: np.ndarray, sequences: Sequences, kappa: float = 1.0
) -> Dissimilarities:
    """Turn alignment scores into dissimilarities.

    ``D_ij = exp(-kappa s_ij / sqrt(s_ii s_jj)) - exp(-kappa)``, which is 0 for equal sequences.
    Vogt et al. (2010, section 5) mention an exponential transform without giving its formula.

    Parameters
    ----------
    scores : ndarray of int, shape (n_items, n_items)
        Scores from `align_sequences`.
    sequences : Sequences
        The sequences, in the same order.
    kappa : float
        Above 0; the larger it is, the less differences between high scores count.

    Raises
    ------
    ConfigError
        If kappa is not a number above 0.
    DataError
        If the number of scores does not fit the sequences, or a sequence has no positive score
        with itself.
    """
    kappa = check_positive("kappa", kappa)
    scores = np.asarray(scores)
    where = f"sequences {sequences.identity.name!r}"
    n_items = sequences.n_items
    if scores.shape != (n_items, n_items):
        raise DataError(
            f"{where}: the scores have the shape {scores.shape} for {n_items} sequences; align "
            "them again"
        )
    own = np.diagonal(scores).astype(np.float64)
    silent = np.flatnonzero(~(own > 0))
    if silent.size:
        raise DataError(
            f"{where}: {sequences.names[silent[0]]!r} has the score {own[silent[0]]:g} with "
            "itself; remove it, because none of its letters are scored"
        )
    # Ambiguous letters may score higher with other letters than with themselves.
    shares = np.minimum(scores / np.sqrt(np.outer(own, own)), 1.0)
    np.fill_diagonal(shares, 1.0)
    classes, class_names = number_classes(sequences.labels)
    steps = {"transform": "exp(-kappa s_ij / sqrt(s_ii s_jj)) - exp(-kappa)", "kappa": kappa}
    identity = sequences.identity.computed_from(sequences.digest(), scores.tolist(), kappa)
    return Dissimilarities(
        values=np.exp(-kappa * shares) - np.exp(-kappa),
        item_ids=sequences.names,
        classes=classes,
        class_names=class_names,
        groups=sequences.groups if any(sequences.groups) else None,
        identity=replace(identity, preprocessing={**identity.preprocessing, **steps}),
        lengths=sequences.lengths,
    )
