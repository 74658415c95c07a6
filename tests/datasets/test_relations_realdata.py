"""The real relations, if the mirror has them: the facts that the data notes state.

Each test exists only if its files are found, as in test_datasets_realdata.py.
"""

import numpy as np
import pytest
from places import MIRROR
from real_data import REGISTRY, available

from reseat.datasets import DataSettings, Relations, build
from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.relations import keep_frequent, keep_partnered

NAMES = [n for n in REGISTRY if REGISTRY[n].family == "relational" and REGISTRY[n].files]


HAVE = available(NAMES)


@pytest.fixture
def settings(tmp_path):
    return DataSettings(mirrors=(MIRROR,), raw=tmp_path, download=False)


def whole(name):
    """Return a data set as its file has it, before words are left out."""
    entry = REGISTRY[name]
    paths = {role: MIRROR / file.path for role, file in entry.files.items()}
    return parse_count_tables(paths, **{**entry.options, "keep": None, "min_partners": 0})


def sizes(raw):
    """Return the numbers of entities of each type, of cells and of tokens."""
    (found,) = raw.relations
    return [*map(len, raw.entities.values()), len(found.counts), int(found.counts.sum())]


if "aozora_adjectives" in HAVE:

    @pytest.mark.realdata
    def test_aozora_adjectives_and_the_published_shape():
        raw = whole("aozora_adjectives")
        assert sizes(raw) == [4055, 40098, 344444, 947733]
        assert np.count_nonzero(raw.relations[0].counts == 1) == 249504
        options = REGISTRY["aozora_adjectives"].options
        for kind, rarest in (("adjective", 72), ("noun", 28)):
            totals = raw.relations[0].totals(kind, len(raw.entities[kind]))
            assert totals[options["keep"][kind] - 1] == rarest and (np.diff(totals) <= 0).all()
        cut = keep_frequent(raw, options["keep"])
        assert sizes(cut) == [1291, 3705, 190346, 753366]
        found = Relations(cut.entities, cut.relations, {}, REGISTRY.identity("aozora_adjectives"))
        assert (found.summary()["once"], found.summary()["largest"]) == (117204, 8190)
        assert found.entities["adjective"][0] == "ない" and {"こと", "もの"} <= set(
            found.entities["noun"][:5]
        )
        assert np.count_nonzero(found.totals("noun", weighted=False) < 2) == 1
        assert sizes(keep_partnered(raw, 2)) == [3679, 24158, 328140, 930031]


if "aozora_svo" in HAVE:

    @pytest.mark.realdata
    def test_aozora_triples(settings):
        assert sizes(whole("aozora_svo"))[-2:] == [59374, 63011]
        found = build(REGISTRY, "aozora_svo", settings, kind="relations")
        assert found.summary()["shape"] == "4578 x 2657 x 4967"


if "english_words" in HAVE:

    @pytest.mark.realdata
    def test_english_words_share_their_nouns(settings):
        assert sizes(whole("english_adjectives")) == [3901, 4783, 21204, 29341]
        raw = whole("english_words")
        assert [len(r.counts) for r in raw.relations] == [21204, 7957, 16053]
        found = build(REGISTRY, "english_words", settings, kind="relations")
        assert [r.types for r in found.relations] == [
            ("adjective", "noun"), ("noun", "verb"), ("noun", "verb"),
        ]  # fmt: skip
        assert build(REGISTRY, "english_adjectives", settings, kind="relations").summary()[
            "shape"
        ] == ("1631 x 2453")


if "animals" in HAVE:

    @pytest.mark.realdata
    @pytest.mark.parametrize(
        ("name", "shape", "ones", "missing", "classes"),
        [
            ("animals", "50 x 85", 1562, 0, {}),
            ("nations", "14 x 14 x 56", 2024, 1219, {}),
            ("kinship", "104 x 104 x 26", 10790, 0, {"person": 4}),
            ("umls", "135 x 135 x 49", 6752, 0, {"concept": 15}),
        ],
    )
    def test_data_of_the_irm(settings, name, shape, ones, missing, classes):
        found = build(REGISTRY, name, settings, kind="relations")
        sums = found.summary()
        assert (sums["shape"], sums["observed"], sums["missing"]) == (shape, ones, missing)
        assert (found.relations[0].counts == 1).all()
        known = {kind: given for kind, given in found.classes.items() if given}
        assert {kind: len(set(given)) for kind, given in known.items()} == classes

    @pytest.mark.realdata
    @pytest.mark.parametrize(("name", "folder"), [("nations", "nation"), ("umls", "umls")])
    def test_data_of_the_irm_agree_with_their_text_form(settings, name, folder):
        texts = MIRROR / "irm-classic" / "text" / folder
        found = build(REGISTRY, name, settings, kind="relations")
        triples = np.loadtxt(texts / "triples.txt", dtype=int)[:, [1, 2, 0]]
        expected = triples[np.lexsort(triples.T[::-1])]
        np.testing.assert_array_equal(found.relations[0].coordinates, expected)
        for kind, file in zip(found.types, ("entities.txt", "relations.txt"), strict=True):
            named = (texts / file).read_text().split("\n")
            named = [line.split("\t")[1] for line in named if line]
            assert [word.replace(" ", "_") for word in found.entities[kind]] == [
                word.replace(" ", "_") for word in named
            ]
