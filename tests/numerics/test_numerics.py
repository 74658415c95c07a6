"""Grids, K-means, and the same draws with every kind of kernels."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from places import ROOT
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from strikes import contents
from threadpoolctl import threadpool_info

from reseat.numerics import k_means, on_grid, rounded, with_signs


def test_the_grid_depends_on_the_largest_number_and_not_on_its_last_bits():
    for largest in (1.0, 0.9, 3.0, 2.0**40, 1e-12):
        for error in (0, 1e-13, -1e-13):
            values = largest * np.array([1 + error, 1 / 3, -1e-9])
            found = on_grid(values)
            step = 2.0 ** (np.floor(np.log2(largest * 1.0009)) - 19)
            assert np.array_equal(found, np.round(largest * np.array([1, 1 / 3, 0]) / step) * step)
    assert np.signbit(on_grid([-1e-9, 1.0])[0]) == np.False_
    assert on_grid([]).shape == (0,) and on_grid([0.0, -0.0]).tolist() == [0.0, 0.0]


def test_products_of_numbers_on_the_grid_add_up_exactly_in_any_order():
    rng = np.random.default_rng(1)
    a, b = on_grid(rng.normal(size=(2, 8000)))
    total = sum(int(x * 2**18) * int(y * 2**18) for x, y in zip(a, b, strict=True)) / 2**36
    for order in (slice(None), slice(None, None, -1), rng.permutation(8000)):
        assert a[order] @ b[order] == np.cumsum(a[order] * b[order])[-1] == total


def test_significant_digits_do_not_depend_on_the_size():
    values = np.array([1 / 3, 1e30 / 3, -7e-20, 0.0, 5.0])
    assert np.all(np.abs(rounded(values, 12) - values) <= 2.0**-12 * np.abs(values))
    assert np.array_equal(rounded(values * (1 + 1e-13), 12), rounded(values, 12))
    assert rounded(1 - 1e-15, 12) == 1.0


def test_signs_follow_the_first_of_the_largest_entries():
    found = with_signs(np.array([[1.0, -2.0, 0.0], [-3.0, 2.0, 0.0], [3.0, 0.0, 0.0]]))
    assert found.tolist() == [[-1.0, 2.0, 0.0], [3.0, -2.0, 0.0], [-3.0, 0.0, 0.0]]


# ---- K-means -----------------------------------------------------------------------------


def inertia(points, labels):
    groups = [points[labels == label] for label in np.unique(labels)]
    return sum(((group - group.mean(axis=0)) ** 2).sum() for group in groups)


@pytest.mark.long
def test_k_means_finds_sums_of_squares_as_small_as_those_of_another_program():
    points = load_digits().data[:500]
    ours = [inertia(points, k_means(points, 10, np.random.default_rng(s))) for s in range(40)]
    theirs = [KMeans(10, n_init=1, random_state=s).fit(points).inertia_ for s in range(40)]
    error = np.hypot(np.std(ours), np.std(theirs)) / np.sqrt(40)
    assert abs(np.mean(ours) - np.mean(theirs)) < 4 * error
    assert abs(min(ours) / min(theirs) - 1) < 1e-3


def test_k_means_ends_at_a_local_minimum_and_its_best_restart_is_kept():
    points = np.random.default_rng(2).normal(size=(200, 3))
    labels = k_means(points, 7, np.random.default_rng(3), 20)
    centres = np.array([points[labels == label].mean(axis=0) for label in range(7)])
    nearest = ((points[:, None] - centres) ** 2).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == labels) > 0.98  # the centres may still move a little
    single = [inertia(points, k_means(points, 7, np.random.default_rng(s))) for s in range(20)]
    assert inertia(points, labels) <= np.quantile(single, 0.1)


def test_k_means_of_equal_points_and_of_sparse_rows():
    points = np.repeat(np.eye(3), 4, axis=0)
    labels = k_means(points, 6, np.random.default_rng(0))
    assert len(set(labels.tolist())) == 3
    assert all(len(set(labels[4 * k : 4 * k + 4].tolist())) == 1 for k in range(3))
    dense = np.random.default_rng(1).poisson(0.3, size=(60, 20)).astype(float)
    first = k_means(sp.csr_array(dense), 5, np.random.default_rng(4), 10)
    second = k_means(dense, 5, np.random.default_rng(4), 10)
    assert inertia(dense, first) == pytest.approx(inertia(dense, second))


def test_labels_do_not_depend_on_whether_all_distances_are_kept(monkeypatch):
    import reseat.numerics._k_means as kernel

    points = np.random.default_rng(5).normal(size=(300, 4))
    kept = k_means(points, 9, np.random.default_rng(6), 3)
    monkeypatch.setattr(kernel, "KEPT_UP_TO", 100)
    assert np.array_equal(k_means(points, 9, np.random.default_rng(6), 3), kept)


# ---- the same draws on every processor ---------------------------------------------------

#: Kernels of linear algebra, vector units that NumPy may use, and those of the C library.
SETTINGS = {
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Prescott": {
        "OPENBLAS_CORETYPE": "Prescott",
        "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL",
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
    },
}
DIFFERENCES = """
import contextlib, io, json, sys, warnings
sys.path.insert(0, sys.argv[1])
warnings.simplefilter("ignore")
import digest_files, draws, draws_families
import scipy.linalg
from threadpoolctl import threadpool_info
with contextlib.redirect_stderr(io.StringIO()):
    found = dict(draws_families.entries(n_chains=1))
stored = digest_files.read(draws.DIGESTS)
kernels = {library.get("architecture") for library in threadpool_info()} - {None}
print(json.dumps([*kernels, *draws.differences({name: stored[name] for name in found}, found)]))
"""


def run(name, code, *arguments):
    """Run Python code, which is given the folder of the tests and arguments, with a setting."""
    command, env = [sys.executable, "-c", code, str(ROOT / "tests")], os.environ | SETTINGS[name]
    return subprocess.run([*command, *arguments], env=env, capture_output=True, text=True)


@pytest.mark.long
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the settings are of x86-64 processors")
@pytest.mark.parametrize("name", SETTINGS)
def test_every_family_draws_the_same_whatever_the_kernels(name):
    """Data, starts, baselines, chains and fits of all families, as `tests/test_digests.py`."""
    if name in {library.get("architecture") for library in threadpool_info()}:
        pytest.skip("these are the kernels with which tests/test_digests.py runs here")
    done = run(name, DIFFERENCES)
    if name == "SkylakeX" and done.returncode < 0:
        pytest.skip("this processor lacks the instructions")
    assert not done.returncode, done.stderr
    kernels, *changed = json.loads(done.stdout)
    assert kernels == {"Prescott": "Katmai"}.get(name, name) and not changed


#: Runs chains of documents and of records in each folder, some of which stop after 83 sweeps.
CHAINS = """
import sys
tests, *folders = sys.argv[1:]
sys.path.insert(0, tests)
import chain_worker, record_chain_worker, strikes
from reseat.chains import run_chain
for folder in folders:
    chains = [chain_worker.chain(f"{folder}/documents", 200)]
    for name in record_chain_worker.MODELS:
        chains.append(record_chain_worker.chain(f"{folder}/{name}", name, 200))
    for chain in chains:
        if folder == "begun" and not strikes.progress(chain):
            strikes.interrupt(chain, 83)
        else:
            run_chain(chain)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the settings are of x86-64 processors")
def test_a_chain_that_another_processor_goes_on_with_ends_in_the_same_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    begun = run("Haswell", CHAINS, "begun", "whole")
    assert not begun.returncode, begun.stderr
    whole = [*tmp_path.rglob("chain-0.nc")]
    assert len(whole) == 5 and all(path.is_relative_to(tmp_path / "whole") for path in whole)
    resumed = run("Prescott", CHAINS, "begun")
    assert not resumed.returncode, resumed.stderr
    for path in whole:
        assert contents(path) == contents(tmp_path / "begun" / path.relative_to(tmp_path / "whole"))
