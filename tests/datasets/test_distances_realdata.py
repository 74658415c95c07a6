"""The real sequences and matrices, if the mirror has them: the facts that the data notes state.

Each test exists only if its files are found, as in test_datasets_realdata.py.
"""

import numpy as np
import pytest
from places import MIRROR
from real_data import REGISTRY, available
from sklearn.metrics import adjusted_rand_score

from reseat.baselines import hierarchical_labels
from reseat.datasets import DataSettings, align_sequences, build, transform_scores
from reseat.dissimilarities import centred_similarities, negative_mass

NAMES = [n for n in REGISTRY if REGISTRY[n].family == "distances" and REGISTRY[n].files]


HAVE = available(NAMES)


@pytest.fixture
def settings(tmp_path):
    return DataSettings(mirrors=(MIRROR,), raw=tmp_path, download=False)


def test_the_cases_are_all_of_the_family_that_have_files():
    assert set(NAMES) == {"globins", "globins_scop", "protein213"}


if "globins" in HAVE:

    @pytest.mark.realdata
    def test_globins(settings):
        found = build(REGISTRY, "globins", settings, kind="sequences")
        assert found.summary() == {
            "items": 2163, "labelled": 1057, "classes": 111, "groups": 4, "shortest": 36,
            "median_length": 141.0, "longest": 199,
        }  # fmt: skip
        sizes = dict(zip(*np.unique(found.labels, return_counts=True), strict=True))
        assert (sizes["HBB"], sizes["HBA"], sizes["MYG"], sizes[""]) == (231, 209, 117, 1106)
        groups = dict(zip(*np.unique(found.groups, return_counts=True), strict=True))
        assert groups == {"": 1060, "N": 260, "O": 500, "P": 298, "Q": 45}


if "globins_scop" in HAVE:

    @pytest.mark.realdata
    def test_scop_globins_align_with_their_like(settings, tmp_path):
        found = build(REGISTRY, "globins_scop", settings, kind="sequences")
        assert (found.n_items, len(found.class_names), found.labels.count("")) == (136, 26, 53)
        assert found.labels.count("Hemoglobin, beta-chain") == 24
        assert (found.lengths.min(), found.lengths.max()) == (129, 172)
        align_sequences(found, tmp_path / "s.npy", tmp_path / "scratch")
        made = transform_scores(np.load(tmp_path / "s.npy"), found)
        assert negative_mass(made.values) < 0.05
        values = made.values + np.eye(136)
        sizes = np.bincount(made.classes[made.classes >= 0])
        among = np.flatnonzero((made.classes >= 0) & (sizes[made.classes] > 1))
        nearest = among[values[np.ix_(among, among)].argmin(axis=1)]
        assert np.mean(made.classes[nearest] == made.classes[among]) > 0.9


if "protein213" in HAVE:

    @pytest.mark.realdata
    def test_protein213_is_euclidean_and_found_by_ward(settings):
        found = build(REGISTRY, "protein213", settings, kind="dissimilarities")
        assert found.class_names == ("G", "HA", "HB", "M")
        assert np.bincount(found.classes).tolist() == [30, 72, 72, 39]
        assert found.values.max() == np.float32(13.64) and negative_mass(found.values) < 1e-9
        spectrum = np.linalg.eigvalsh(centred_similarities(found.values))
        assert spectrum[-1] == pytest.approx(158, abs=0.5)
        labels = hierarchical_labels(found.values, 4, "ward")
        assert adjusted_rand_score(found.classes, labels) > 0.95
        labels = hierarchical_labels(found.values, 4, "single")
        assert adjusted_rand_score(found.classes, labels) < 0.2
