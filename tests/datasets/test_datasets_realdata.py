"""The real documents, if the mirror has them: the counts that the data notes give.

Each test exists only if its files are found, so that a machine without them
has fewer tests instead of skipped ones.
"""

import numpy as np
import pytest
from places import MIRROR
from real_data import REGISTRY, available

from reseat.datasets import DataSettings, build

# name, feature options, documents, features, tokens, non-zeros, empty documents, classes
EXPECTED = [
    # If words are runs of at least one letter, these are the numbers of the data notes.
    (
        "newsgroups20",
        {"stop_list": "mallet", "token_pattern": "[a-z]+"},
        (19997, 54269, 2333758, 1523339, 44, 20),
    ),
    (
        "newsgroups20",
        {"stop_list": "mallet", "headers": "all", "token_pattern": "[a-z]+"},
        (19997, 46875, 2978467, 1746007, 0, 20),
    ),
    (
        "newsgroups20",
        {"stop_list": "snowball", "token_pattern": "[a-z]+"},
        (19997, 54117, 3174049, 1953910, 43, 20),
    ),
    (
        "newsgroups20",
        {"stop_list": "snowball", "token_pattern": "[a-z]{2,}"},
        (19997, 54334, 2878442, 1891409, 43, 20),
    ),
    # The defaults.
    ("newsgroups20", {}, (19997, 53993, 3833217, 2259175, 42, 20)),
    ("enron_kaminski", {}, (4313, 11841, 712190, 416786, 0, 32)),
    ("reuters52", {}, (9100, 18900, 718252, 457915, 0, 52)),
    ("delicious_mulan", {}, (5414, 500, 139155, 139155, 0, 50)),
]


HAVE = available({name for name, _, _ in EXPECTED} | {"stoplists"})
CASES = [case for case in EXPECTED if {case[0], "stoplists"} <= set(HAVE)]


def test_the_cases_are_of_data_sets_that_can_be_had():
    assert all(REGISTRY[name].obtainable and REGISTRY[name].files for name, _, _ in EXPECTED)


if CASES:

    @pytest.mark.realdata
    @pytest.mark.parametrize(
        ("name", "options", "sizes"), CASES, ids=[f"{c[0]}-{i}" for i, c in enumerate(CASES)]
    )
    def test_real_counts(name, options, sizes, tmp_path):
        settings = DataSettings(mirrors=(MIRROR,), raw=tmp_path, download=False)
        corpus = build(REGISTRY, name, settings, features=options, kind="documents")
        assert tuple(corpus.summary().values()) == sizes
        assert np.bincount(corpus.labels).min() >= 3
        assert len(corpus.identity.sha256) == (1 if name == "delicious_mulan" else 2)
