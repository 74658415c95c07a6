"""The papers' data are read exactly as they were when the digests were stored."""

import pytest
from data_digests import DIGESTS, MIRRORS, REGISTRY, differing, digest
from digest_files import read, remedy
from real_data import available

STORED = read(DIGESTS)
GENERATED = ("generated", "bundled")


def test_a_digest_is_stored_of_every_data_set_that_can_be_had():
    wanted = {
        name
        for name, entry in REGISTRY.items()
        if entry.parser is not None and entry.obtainable and not entry.user_path
    }
    assert set(STORED) == wanted


@pytest.mark.parametrize(
    "name",
    [
        # Data sets with files have tests only where the files exist, and no skipped ones.
        name
        if REGISTRY[name].parser.startswith(GENERATED)
        else pytest.param(name, marks=pytest.mark.realdata)
        for name in available(mirrors=MIRRORS)
        if name in STORED
    ],
)
def test_a_data_set_is_what_it_was(name, tmp_path):
    changed = differing({name: STORED[name]}, {name: digest(name, tmp_path)})
    assert not changed, remedy(changed, DIGESTS, "--data")
