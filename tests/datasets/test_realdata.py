"""The papers' data: read as when the digests were stored, with the numbers of others.

A test has only the data sets whose files are found; each is read once.
"""

import tempfile
from functools import cache

import numpy as np
import pandas as pd
import pytest
from data_digests import DIGESTS, MIRRORS, SEED, differing
from digest_files import read as read_digests
from digest_files import remedy
from places import ROOT
from real_data import REGISTRY, available

from reseat import metrics
from reseat.datasets import DataSettings, build
from reseat.datasets.build import read_raw
from reseat.datasets.counting import count_documents
from reseat.datasets.sources import locate
from reseat.metrics import pair_f, pair_precision, pair_recall

pytestmark = [pytest.mark.realdata, pytest.mark.usefixtures("matlab_in_forks")]

HAVE = set(available(name for name in REGISTRY if REGISTRY[name].files))


def of(*rows):
    """Return the rows of data sets that are there; a row is a name, or begins with one."""
    return [row for row in rows if (row if isinstance(row, str) else row[0]) in HAVE]


@cache
def read(name, seed=SEED):
    with tempfile.TemporaryDirectory() as folder:
        settings = DataSettings(mirrors=MIRRORS, raw=folder, download=False)
        return build(REGISTRY, name, settings, seed)


STORED = read_digests(DIGESTS)


def test_a_digest_is_stored_of_every_data_set_that_can_be_had():
    wanted = {
        name
        for name, entry in REGISTRY.items()
        if entry.parser is not None and entry.obtainable and not entry.user_path
    }
    assert set(STORED) == wanted


@pytest.mark.parametrize("name", [name for name in available(mirrors=MIRRORS) if name in STORED])
def test_a_data_set_is_what_it_was(name):
    changed = differing({name: STORED[name]}, {name: read(name).digest()[:32]})
    assert not changed, remedy(changed, DIGESTS, "--data")


@pytest.mark.parametrize("name", of("newsgroups20"))
def test_sizes_with_another_stop_list(name, tmp_path):
    """If words are runs of at least one letter, these are the numbers of the data notes."""
    settings = DataSettings(mirrors=MIRRORS, raw=tmp_path, download=False)
    located = locate(REGISTRY, name, settings)
    raw = read_raw(located)
    expected = {
        "none": (19997, 54269, 2333758, 1523339, 44, 20),
        "all": (19997, 46875, 2978467, 1746007, 0, 20),
    }
    for headers, sizes in expected.items():
        features = {"stop_list": "mallet", "headers": headers, "token_pattern": "[a-z]+"}
        found = count_documents(raw, located, REGISTRY, settings, features)
        assert tuple(found.summary().values()) == sizes


@pytest.mark.parametrize(
    ("name", "side", "expected"),
    of(
        ("aminer_identity", "test", [0.566, 1.0]),
        ("aminer_identity", "train", [0.247, 1.0]),
        ("giles_kim", "all", [0.055, 1.0]),
        ("gum_names", "test", [0.821, 0.785, 0.803]),
        ("gum_names", "train", [0.792, 0.812, 0.802]),
        ("meantime_names", "all", [0.834, 0.621, 0.712]),
        ("litbank_names", "all", [0.891, 0.818, 0.853]),
    ),
)
def test_precision_recall_and_f_of_the_rule_of_the_paper(name, side, expected):
    made = read(name)
    chosen = {"test": made.test, "train": ~made.test, "all": made.test | True}[side]
    (labels,) = made.rules().values()
    for metric, value in zip((pair_precision, pair_recall, pair_f), expected, strict=False):
        assert round(metric(made.entities[chosen], labels[chosen]), 3) == value


@pytest.mark.parametrize(("name", "seed"), of(("usps_digits", 0), ("usps_digits", 7)))
def test_coarse_and_fine_rows_of_table_1_come_out(name, seed):
    made = read(name, seed)
    truth = made.entities[made.test]
    drawn = made.identity.preprocessing["drawn"]
    assert sorted(drawn[digit] for digit in "02467") == [49, 101, 152, 180, 183]
    assert all(30 <= drawn[digit] <= 300 for digit in "13589")
    printed = pd.read_csv(ROOT / "config" / "published" / "scdp_table1.csv")
    named = {
        "RI": metrics.rand_index, "P": pair_precision, "R": pair_recall, "F": pair_f,
        "CED": metrics.edit_distance, "NES": metrics.edit_score, "VI": metrics.vi,
        "NVI": metrics.nvi,
    }  # fmt: skip
    rows = {"Coarse": np.zeros_like(truth), "Fine": np.arange(len(truth))}
    for system, labels in rows.items():
        row = printed[printed["system"] == system].set_index("metric")["value"].astype(float)
        found = {key: metric(truth, labels) for key, metric in named.items()}
        if system == "Fine":  # with one operation for each merge
            found["CED"] = metrics.edit_distance_pantel_lin(truth, labels)
        for key, value in found.items():
            assert round(value, 3) == pytest.approx(row[key], abs=1e-9), (system, key)
