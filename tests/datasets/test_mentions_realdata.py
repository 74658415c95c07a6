"""The real mentions, if the mirror has them: the facts of the data notes and of Table 1.

Each test exists only if its files are found, as in test_datasets_realdata.py.
"""

import tempfile
from functools import cache

import numpy as np
import pandas as pd
import pytest
from places import MIRROR, ROOT
from real_data import REGISTRY, available

from reseat.datasets import DataSettings, build, embed_mentions
from reseat.datasets.pair_features import mention_features
from reseat.metrics import (
    edit_distance,
    edit_distance_pantel_lin,
    edit_score,
    nvi,
    pair_f,
    pair_precision,
    pair_recall,
    rand_index,
    vi,
)

NAMES = [n for n in REGISTRY if REGISTRY[n].family == "supervised" and REGISTRY[n].files]


HAVE = available(NAMES)


@cache
def read(name, seed=0):
    with tempfile.TemporaryDirectory() as folder:
        settings = DataSettings(mirrors=(MIRROR,), raw=folder, download=False)
        return build(REGISTRY, name, settings, seed, kind="mentions")


def rule_scores(made, chosen):
    """Return the precision, recall and F of the rule that the paper has for such data."""
    (labels,) = made.rules().values()
    truth, found = made.entities[chosen], labels[chosen]
    scores = (metric(truth, found) for metric in (pair_precision, pair_recall, pair_f))
    return [round(score, 3) for score in scores]


SIZES = {
    # training items, their entities, test items, their entities, groups
    "aminer_identity": (1004, 225, 378, 103, 2),
    "gum_names": (5636, 2956, 998, 533, 165 + 29),
    "cora_text": (1387, 87, 529, 29, 2),
    "cora_numbers": (1350, 125, 529, 66, 2),
}
SHAPES = {
    # share of pairs, entropy and largest entity of the test items, as far as they are printed
    "aminer_identity": (0.0806, 3.578, 98),
    "gum_names": (0.0037, 5.884, 23),
    "cora_text": (0.0864, None, None),
    "cora_numbers": (0.1149, None, 149),
}


@pytest.mark.realdata
@pytest.mark.parametrize("name", [name for name in SIZES if name in HAVE])
def test_sizes_of_the_standing_splits(name):
    made = read(name)
    found = made.summary()
    keys = ("train", "train_entities", "test", "test_entities", "groups")
    assert tuple(found[key] for key in keys) == SIZES[name]
    share, entropy, largest = SHAPES[name]
    assert round(found["pair_share"], 4) == share
    assert entropy is None or round(found["entropy"], 3) == entropy
    assert largest is None or found["largest"] == largest
    assert not set(made.entities[made.test]) & set(made.entities[~made.test])
    assert REGISTRY[name].about.replace(",", "").split()[0] in (
        str(made.n_items), str(found["train"]),
    )  # fmt: skip


DRAWN = {
    # items, entities, groups, features, least and largest share of training items
    "giles_kim": (5018, 480, 2, 8, 0.65, 0.8),
    "citeseer_authors": (2892, 1165, 2, 4, 0.71, 0.75),
    "meantime_names": (948, 506, 101, 5, 0.8, 0.86),
    "litbank_names": (3550, 1264, 100, 5, 0.81, 0.85),
}


@pytest.mark.realdata
@pytest.mark.parametrize("name", [name for name in DRAWN if name in HAVE])
def test_sizes_of_the_drawn_splits(name):
    sides = []
    for seed in (0, 1):
        made = read(name, seed)
        *sizes, low, high = DRAWN[name]
        features = len(mention_features(made))
        assert [made.n_items, made.n_entities, made.n_groups, features] == sizes
        assert low < 1 - made.n_test / made.n_items < high
        assert not set(made.entities[made.test]) & set(made.entities[~made.test])
        sides.append(made.test)
    assert (sides[0] != sides[1]).any()


@pytest.mark.realdata
@pytest.mark.parametrize(
    ("name", "side", "expected"),
    [
        case
        for case in (
            ("aminer_identity", "test", [0.566, 1.0]),
            ("aminer_identity", "train", [0.247, 1.0]),
            ("giles_kim", "all", [0.055, 1.0]),
            ("gum_names", "test", [0.821, 0.785, 0.803]),
            ("gum_names", "train", [0.792, 0.812, 0.802]),
            ("meantime_names", "all", [0.834, 0.621, 0.712]),
            ("litbank_names", "all", [0.891, 0.818, 0.853]),
        )
        if case[0] in HAVE
    ],
)
def test_scores_of_the_rule_of_the_paper(name, side, expected):
    made = read(name)
    chosen = {"test": made.test, "train": ~made.test, "all": made.test | True}[side]
    assert rule_scores(made, chosen)[: len(expected)] == expected


if "usps_digits" in HAVE:

    @pytest.mark.realdata
    @pytest.mark.parametrize("seed", [0, 7])
    def test_coarse_and_fine_rows_of_table_1_come_out(seed):
        made = read("usps_digits", seed)
        truth = made.entities[made.test]
        drawn = made.identity.preprocessing["drawn"]
        assert sorted(drawn[digit] for digit in "02467") == [49, 101, 152, 180, 183]
        assert all(30 <= drawn[digit] <= 300 for digit in "13589")
        printed = pd.read_csv(ROOT / "config" / "published" / "scdp_table1.csv")
        metrics = {
            "RI": rand_index, "P": pair_precision, "R": pair_recall, "F": pair_f,
            "CED": edit_distance, "NES": edit_score, "VI": vi, "NVI": nvi,
        }  # fmt: skip
        rows = {"Coarse": np.zeros_like(truth), "Fine": np.arange(len(truth))}
        for system, labels in rows.items():
            row = printed[printed["system"] == system].set_index("metric")["value"].astype(float)
            found = {key: metric(truth, labels) for key, metric in metrics.items()}
            if system == "Fine":  # with one operation for each merge
                found["CED"] = edit_distance_pantel_lin(truth, labels)
            for key, value in found.items():
                assert round(value, 3) == pytest.approx(row[key], abs=1e-9), (system, key)

    @pytest.mark.realdata
    def test_images_of_8_by_8_pixels():
        made = read("usps_digits")
        table = pd.read_csv(MIRROR / "usps-digits" / "derived" / "usps_8x8.csv.gz")
        starts = {"zip.train": 0, "zip.test": 7291}
        assert table["split"].value_counts().to_dict() == {"train": 7291, "test": 2007}
        for item in (0, 700, made.n_items - 1):
            file, line = made.item_ids[item].rsplit(":", 1)
            row = table.iloc[starts[file] + int(line) - 1]
            expected = row[[f"p{n}" for n in range(64)]].to_numpy(dtype=float)
            np.testing.assert_allclose(made.columns["pixels"][item], expected, atol=1e-6)
        found = embed_mentions(made)
        assert found.n_coordinates == found.n_features == 64
        np.testing.assert_allclose(found.coordinates[~found.test].std(axis=0), 1, rtol=1e-5)
