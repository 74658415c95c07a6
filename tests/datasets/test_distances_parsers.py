"""Parsers of sequences and matrices, and the registry's data sets of the distances family."""

import logging

import numpy as np
import pytest
import yaml
from places import ROOT
from scipy.spatial.distance import squareform

from reseat.datasets import DataSettings, Registry, build
from reseat.datasets.parsers.dissimilarity_matrix import parse_dissimilarity_matrix
from reseat.datasets.parsers.generated_families import AMINO_ACIDS, parse_generated_families
from reseat.errors import DataError

REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")
FAMILY = [name for name in REGISTRY if REGISTRY[name].family == "distances"]
POINTS = [name for name in FAMILY if REGISTRY[name].parser == "generated_points"]

# ---- sequences in tables and in FASTA form -----------------------------------------------


# ---- generated families ------------------------------------------------------------------

SIZES = [12, 10, 9, 8]


def families(**keys):
    return parse_generated_families({}, **{"seed": 3, "sizes": SIZES, "n_new": 2, **keys})


def test_families_have_the_sizes_and_labels_asked_for():
    raw = families()
    truth = [label or group for label, group in zip(raw.labels, raw.groups, strict=True)]
    names, counts = np.unique(truth, return_counts=True)
    assert names.tolist() == [f"family {k}" for k in range(1, 5)] and counts.tolist() == SIZES
    assert all(bool(a) != bool(b) for a, b in zip(raw.labels, raw.groups, strict=True))
    assert [raw.labels.count(name) for name in names] == [4, 3, 0, 0]  # 30 % of 12 and of 10
    assert set("".join(raw.sequences)) <= set(AMINO_ACIDS)
    assert len(set(raw.names)) == 39 and truth != sorted(truth)
    assert families().digest() == raw.digest() and families(seed=4).sequences != raw.sequences
    lengths = np.array([len(text) for text in raw.sequences])
    short = np.array(truth)[lengths < 100]
    assert short.tolist() == ["family 4"] * 4  # half of the last family
    assert all(families(unlabelled=1.0).labels.count(f"family {k}") == 1 for k in (1, 2))


def test_members_of_a_family_differ_as_the_rates_say():
    raw = families(sizes=[2000], n_new=0, indel=0.0, substitution=0.0)
    assert len(set(raw.sequences)) == 1
    raw = families(sizes=[2, 2], n_new=0, indel=0.0, substitution=0.1, length=30000)
    members = {}
    for label, group, text in zip(raw.labels, raw.groups, raw.sequences, strict=True):
        members.setdefault(label or group, []).append(np.array(list(text)))
    assert len(members) == 2
    for one, other in members.values():
        # Two branches agree if neither changes, or if both change to the same of 19 letters.
        p = 1 - (0.9**2 + 0.1**2 / 19)
        assert abs((one != other).mean() - p) < 5 * np.sqrt(p * (1 - p) / 30000)
    lengths = {len(text) for text in families(sizes=[50], n_new=0, indel=0.01).sequences}
    assert len(lengths) > 10


# ---- matrices ----------------------------------------------------------------------------

MATRIX = "0,1,4\n1,0,2\n4,2,0\n"


def matrix(tmp_path, text=MATRIX, labels=None, **options):
    paths = {"matrix": tmp_path / "d.csv"}
    paths["matrix"].write_text(text)
    if labels is not None:
        paths["labels"] = tmp_path / "l.csv"
        paths["labels"].write_text(labels)
    return parse_dissimilarity_matrix(paths, **options)


def test_a_matrix_is_read_with_its_labels(tmp_path):
    raw = matrix(tmp_path, labels="object,class\n3,b\n1,a\n2,NA\n")
    assert raw.item_ids == ("1", "2", "3") and raw.classes.tolist() == [0, -1, 1]
    assert raw.class_names == ("a", "b")
    named = ",u,v,w\nu,0,1,4\nv,1,0,2\nw,4,2,0\n"
    raw = matrix(tmp_path, named, "n,kind,who\n1,x,w\n", item="who", label="kind")
    assert raw.item_ids == ("u", "v", "w") and raw.classes.tolist() == [-1, -1, 0]
    assert raw.class_names == ("x",)
    assert matrix(tmp_path).classes.tolist() == [-1, -1, -1]
    raw = matrix(tmp_path, "0,1,4\n1,0,2.00001\n4,2,1e-7\n")
    assert (raw.values == raw.values.T).all() and raw.values[2, 2] == 0


def test_similarities_become_dissimilarities(tmp_path):
    raw = matrix(tmp_path, "5,1,0\n1,3,1\n0,1,2\n", similarities=True)
    np.testing.assert_array_equal(raw.values, [[0, 6, 7], [6, 0, 3], [7, 3, 0]])
    large = np.eye(1100)  # of which only the part above the diagonal is converted
    for value, words in ((np.nan, "row 1100, column 1 is nan"), (0.5, "matrix is not symmetric")):
        large[1099, 0] = value
        np.save(tmp_path / "large.npy", large)
        with pytest.raises(DataError, match=words):
            parse_dissimilarity_matrix({"user": tmp_path / "large.npy"}, similarities=True)


def of_the_user(tmp_path, path, **options):
    entry = {
        "title": "Mine", "about": "mine", "family": "distances", "licence": "mine",
        "citation": "none", "status": "faithful", "parser": "dissimilarity_matrix",
        "user_path": "a matrix", "options": options,
    }  # fmt: skip
    config = tmp_path / "datasets.yaml"
    config.write_text(yaml.safe_dump({"datasets": {"mine": entry}}))
    settings = DataSettings(paths={"mine": path}, raw=tmp_path / "raw")
    return build(Registry.load(config), "mine", settings, kind="dissimilarities")


def test_a_matrix_of_the_users_own_enters_by_the_registry(tmp_path, rng, caplog):
    folder = tmp_path / "f"
    folder.mkdir()
    points = rng.normal(size=(9, 3))
    values = ((points[:, None] - points) ** 2).sum(axis=2).astype(np.float32)
    np.save(folder / "dissimilarities.npy", squareform(values, checks=False))
    (folder / "labels.csv").write_text("object,class\n1,a\n9,b\n")
    with caplog.at_level(logging.WARNING, "reseat"):
        found = of_the_user(tmp_path, folder)
    assert not caplog.records
    assert found.classes.tolist() == [0, *[-1] * 7, 1] and found.class_names == ("a", "b")
    assert list(found.identity.sha256) == ["data as read"]
    np.save(tmp_path / "d.npy", values)
    alone = of_the_user(tmp_path, tmp_path / "d.npy", memory_map_from=1)
    assert isinstance(alone.values, np.memmap) and alone.class_names == ()
    np.testing.assert_array_equal(alone.values, found.values)
    assert alone.identity.sha256 != found.identity.sha256  # other labels
    (folder / "labels.csv").write_text("object,class\n12,a\n")
    with pytest.raises(DataError, match="data set 'mine': .*names object '12'"):
        of_the_user(tmp_path, folder)


def test_a_matrix_far_from_euclidean_is_taken_with_a_warning(tmp_path, rng, caplog):
    np.save(tmp_path / "d.npy", rng.random(45))
    with caplog.at_level(logging.WARNING, "reseat"):
        found = of_the_user(tmp_path, tmp_path / "d.npy")
    assert found.n_items == 10
    assert "d.npy: far from squared Euclidean" in caplog.text


# ---- the registry ------------------------------------------------------------------------


@pytest.mark.parametrize("name", POINTS)
def test_points_are_drawn_as_their_entry_says(name):
    made = build(REGISTRY, name, kind="points").draw(np.random.default_rng(1), number=3, seed=5)
    entry = REGISTRY[name]
    assert made.identity.name == f"{name}_3"
    assert made.identity.status == ("generated" if name.startswith("demo_") else "faithful")
    assert made.settings.items() >= entry.options.items()
    words = entry.about.replace(",", "").split()
    assert {str(made.n_items), str(made.n_blocks), str(made.dim)} <= set(words)
    assert made.n_blocks == entry.options["n_blocks"]
    if "means" in name:
        _, ratio, dim, mean = name.removeprefix("demo_").split("_")
        assert f"d{made.dim}" == dim and f"mu{made.settings['mean']}" == mean
        assert f"c{made.settings['theta'] * made.dim:.0f}" == ratio


def test_every_small_set_of_points_is_that_of_a_large_one():
    large = {name for name in POINTS if not name.startswith("demo_")}
    small = set(POINTS) - large
    assert (len(large), len(small)) == (11, 7)
    assert {name.removeprefix("demo_") for name in small} <= large
