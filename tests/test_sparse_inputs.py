"""Damaged sparse matrices: each is refused, or read as a reading in plain Python reads it.

The cases run in another process, because compiled code that trusts wrong indices may end it.
"""

import json
import subprocess
import sys
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import scipy.sparse as sp

from reseat import MultinomialMixture, RelationalModel
from reseat.baselines import fit_em
from reseat.counts import canonical_counts
from reseat.errors import DataError
from reseat.likelihoods import DirichletMultinomial, LinkTable
from reseat.metrics import Contingency
from reseat.reading.matrices import read_counts
from reseat.variational import AspectModel, Relation

N_CASES = 100
FORMATS = ("csr", "csc", "bsr", "coo", "lil", "dia", "dok")
#: Formats that `scipy.sparse.save_npz` writes.
STORED = ("csr", "csc", "bsr", "coo", "dia")
TYPES = ("float64", "float32", "uint64", "bool", "complex", ">i8")
MOST = 2**31 - 1
WRONG = (-(2**63), -(2**31), -200_000, -1, 0, 1, 2, 5, 200_000, 900_000, 2**31, 2**40, 2**63 - 1)
SHORT = {"n_burn_in": 2, "n_samples": 4, "n_chains": 1, "random_state": 1, "thin": 1}


# ---- damages -----------------------------------------------------------------------------------


def healthy(rng):
    n_rows, n_columns = 2 * rng.integers(2, 15, size=2)
    counts = rng.poisson(rng.choice([0.1, 0.5, 2.0]), (n_rows, n_columns))
    counts[0, 0], counts[-1, -1] = 1, 2
    kind = rng.choice(FORMATS)
    form = getattr(sp, f"{kind}_{rng.choice(['array', 'matrix'])}")
    options = {"blocksize": (2, 2)} if kind == "bsr" else {}
    return form(counts.astype(rng.choice(["int64", "int32", "float64", "uint8"])), **options)


def changed(part, rng):
    """Return a part of a sparse matrix with something wrong, or only odd, in it."""
    part, wrong = np.array(part), rng.choice(np.array(WRONG))
    place = rng.integers(max(1, len(part)))
    match rng.integers(12):
        case 0 | 1 | 2 | 3 if len(part):
            part = part.astype(np.int64 if part.dtype.kind in "iu" else part.dtype)
            part[place] = wrong
        case 4 if part.ndim == 1 and len(part):
            part[[place, 0]] = part[[0, place]]
        case 5:
            part = part[:-1]
        case 6:
            part = np.concatenate([part, part[:3]])
        case 7 if part.ndim == 1:
            part = rng.permutation(part)
        case 8:
            part = part.astype(rng.choice(TYPES))
        case 9:
            part = part.astype(float)
            part[place : place + 1] = rng.choice([0.5, np.nan, np.inf, -1, 1e300, 1.0])
        case 10:
            part = np.repeat(part, 2, axis=0)[::2]
            part.flags.writeable = False
        case 11:
            part = part.reshape(1, *part.shape) if rng.random() < 0.5 else part[:0]
    return part


def damaged(rng):
    """Return a sparse matrix with one or two changes, some of which leave it as good as it was."""
    matrix = healthy(rng)
    for _ in range(rng.integers(1, 3)):
        kind = matrix.format
        if kind in ("csr", "csc") and rng.random() < 0.3:
            # SciPy notes that it is sorted, and is not told that it is so no longer.
            with suppress(ValueError):
                matrix.has_canonical_format  # noqa: B018
            matrix.indices = np.array(matrix.indices)
            matrix.indices[:] = rng.permutation(matrix.indices)
        elif rng.random() < 0.05:
            matrix._shape = tuple(rng.choice([*matrix.shape, 3, 5], size=2).tolist())
        elif kind == "coo":
            part = rng.integers(3)
            if part == 2:
                matrix.data = changed(matrix.data, rng)
            else:
                coords = list(matrix.coords)
                coords[part] = changed(coords[part], rng)
                matrix.coords = tuple(coords)
        elif kind == "lil":
            lists = (matrix.rows, matrix.data)[rng.integers(2)]
            row = rng.integers(len(lists))
            if rng.random() < 0.9:
                lists[row] = changed(lists[row], rng).tolist()
            else:
                matrix.rows = matrix.rows[:-1]
        elif kind == "dok":
            key, value = rng.choice(np.array(WRONG), size=2).tolist()
            key = (key, 0) if rng.random() < 0.5 else (0.0, key)
            matrix._dict[key] = value if rng.random() < 0.5 else 1
        else:
            by_rows = ("indptr", "indptr", "indices", "data")
            name = rng.choice(("offsets", "data") if kind == "dia" else by_rows)
            setattr(matrix, name, changed(getattr(matrix, name), rng))
    return matrix


# ---- the reading in plain Python ---------------------------------------------------------------


def whole(value, end, first=0):
    """Return an index as a Python int, or raise an error if it is none."""
    is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_number or not first <= value < end:
        raise ValueError(value)
    return int(value)


def cells(matrix):
    """Yield row, column and value of each entry, as the documentation of the format says."""
    (n_rows, n_columns), kind = map(int, matrix.shape), matrix.format
    if kind == "dok":
        yield from ((*key, value) for key, value in matrix._dict.items())
    elif kind == "lil":
        if not len(matrix.rows) == len(matrix.data) == n_rows:
            raise ValueError
        for row, (columns, values) in enumerate(zip(matrix.rows, matrix.data, strict=True)):
            yield from ((row, *cell) for cell in zip(columns, values, strict=True))
    elif kind == "coo":
        yield from zip(*(list(part) for part in (*matrix.coords, matrix.data)), strict=True)
    elif kind == "dia":
        if np.ndim(matrix.data) != 2 or len(set(matrix.offsets.tolist())) < len(matrix.offsets):
            raise ValueError
        for offset, values in zip(matrix.offsets, matrix.data, strict=True):
            offset = whole(offset, n_columns, 1 - n_rows)
            for column, value in enumerate(values[:n_columns]):
                if 0 <= column - offset < n_rows:
                    yield column - offset, column, value
    else:
        height, width = matrix.data.shape[1:] if kind == "bsr" else (1, 1)
        n_dimensions = 3 if kind == "bsr" else 1
        if np.ndim(matrix.data) != n_dimensions or n_rows % height + n_columns % width:
            raise ValueError
        n_outer = n_columns if kind == "csc" else n_rows // height
        starts = [whole(start, len(matrix.data) + 1) for start in matrix.indptr]
        if len(starts) != n_outer + 1 or starts[0] or starts != sorted(starts):
            raise ValueError
        if np.ndim(matrix.indices) != 1 or len(matrix.indices) != len(matrix.data):
            raise ValueError
        for outer in range(n_outer):
            for place in range(starts[outer], starts[outer + 1]):
                inner = whole(matrix.indices[place], max(n_rows, n_columns))
                if kind == "csc":
                    yield inner, outer, matrix.data[place]
                elif kind == "csr":
                    yield outer, inner, matrix.data[place]
                else:
                    for (r, c), value in np.ndenumerate(matrix.data[place]):
                        yield outer * height + r, inner * width + c, value


def reading(matrix, most):
    """Return the counts as a dense array, or None if there is something wrong with them."""
    try:
        found = Counter()
        for row, column, value in cells(matrix):
            if isinstance(value, complex) or not 0 <= value <= most or value != int(value):
                return None
            found[whole(row, matrix.shape[0]), whole(column, matrix.shape[1])] += int(value)
        counts = np.zeros(matrix.shape, dtype=np.int64)
        for cell, value in found.items():
            counts[cell] = value
        return counts if counts.any() and counts.max() <= most else None
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


# ---- the doors ---------------------------------------------------------------------------------

LABELS = np.array([0, 0, 1, 0])


def stored(matrix):
    """Return what the command reads from a file of the parts as they are."""
    if sp.issparse(matrix):
        names = {"coo": ("row", "col", "data"), "dia": ("offsets", "data")}
        names = names.get(matrix.format, ("indptr", "indices", "data"))
        parts = {name: getattr(matrix, name) for name in names}
        with TemporaryDirectory() as folder:
            path = Path(folder, "counts.npz")
            np.savez(path, format=matrix.format.encode(), shape=matrix.shape, **parts)
            matrix = read_counts(path)
    return canonical_counts(matrix).toarray()


def predicted(matrix):
    train = np.resize([1, 0, 2, 0, 3], (4, matrix.shape[1]))
    model = MultinomialMixture(**SHORT).fit(train)
    return model.predict(matrix)


def scored(matrix):
    likelihood = DirichletMultinomial(matrix)
    likelihood.assign(np.resize(LABELS, matrix.shape[0]), 2)
    return [likelihood.log_marginal()]


DOORS = {
    "counts": lambda matrix: canonical_counts(matrix).toarray(),
    "file": stored,
    "fit": lambda matrix: MultinomialMixture(**SHORT).fit(matrix).draws_,
    "predict": predicted,
    "variational": lambda matrix: RelationalModel(**SHORT, n_restarts=1).fit(matrix).elbo_,
    "gibbs": lambda matrix: RelationalModel(**SHORT, inference="gibbs").fit(matrix).column_draws_,
    "likelihood": scored,
    "em": lambda matrix: fit_em(matrix, 2, rng=1, max_iterations=3).log_theta,
    "links": lambda matrix: LinkTable(matrix).sides[0].others,
    "relation": lambda matrix: Relation.from_matrix(matrix).counts,
    "aspect": lambda matrix: AspectModel(2, 1, max_iter=3, random_state=1).fit(matrix).row_weights_,
    "table": lambda matrix: Contingency.from_table(matrix).counts,
}

#: Largest count, for the doors that do not have `MOST`.
LARGEST = {"relation": 2**53 - 1, "table": 2**62 - 1}


def verdict(seed):
    """Return the format, the door and what came of one case."""
    rng = np.random.default_rng([seed, 20081])
    matrix = damaged(rng)
    names = [name for name in DOORS if name != "file" or matrix.format in STORED]
    name = str(rng.choice(names))
    expected = reading(matrix, LARGEST.get(name, MOST))
    try:
        with warnings.catch_warnings(action="ignore"):
            found = DOORS[name](matrix)
            wanted = None if expected is None else DOORS[name](expected)
    except ValueError as error:  # scikit-learn has words of its own for a negative count
        found, ours = None, isinstance(error, DataError) or "egative" in str(error)
        said = "refused" if expected is None else f"refused, though good: {error}"
        return matrix.format, name, said if ours else f"foreign error: {error!r}"
    except Exception as error:
        return matrix.format, name, f"foreign error: {error!r}"
    if expected is None or not np.array_equal(found, wanted):
        return matrix.format, name, "accepted, silently other"
    return matrix.format, name, "accepted"


def test_damaged_matrices_are_refused_or_read_right():
    command = [sys.executable, __file__, str(N_CASES)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert not done.returncode, f"case {len(found)} ends in {done.returncode}: {done.stderr[-500:]}"
    wrong = {n: said for n, said in enumerate(found) if said[2] not in ("refused", "accepted")}
    assert not wrong
    tally = Counter(said for *_, said in found)
    assert min(tally.values()) > N_CASES / 10, tally
    assert {form for form, *_ in found} == set(FORMATS)
    assert {door for _, door, _ in found} == DOORS.keys()


if __name__ == "__main__":
    for number in range(int(sys.argv[1])):
        print(json.dumps(verdict(number)), flush=True)
