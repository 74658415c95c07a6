"""What all processed data sets have in common: files, digests and cards."""

import json
import time
from dataclasses import dataclass, field, replace

import numpy as np
import pytest
import scipy.sparse as sp
from real_data import REGISTRY

from reseat.datasets import (
    Card,
    DatasetIdentity,
    DataSettings,
    Dissimilarities,
    Points,
    Stored,
    build,
    embed_mentions,
    store,
    store_draws,
)
from reseat.datasets.identity import UNNAMED
from reseat.datasets.stored import encode_strings
from reseat.errors import DataError

IDENTITY = DatasetIdentity("mine", "Mine", "stand-in", "theirs", preprocessing={"seed": 3})


@dataclass(frozen=True)
class Part:
    """A dataclass within another one."""

    name: str
    cells: np.ndarray


@dataclass(frozen=True, eq=False)
class Everything(Stored):
    """A data set with a field of every kind that can be stored."""

    KIND = "everything"

    array: np.ndarray
    words: np.ndarray
    texts: tuple
    nothing: None
    counts: sp.csr_array
    laws: tuple
    columns: dict
    parts: tuple
    settings: dict
    empty: tuple = ()
    identity: DatasetIdentity = UNNAMED
    late: dict = field(default_factory=dict)

    def __post_init__(self):
        parts = (Part(**part) if isinstance(part, dict) else part for part in self.parts)
        self._set(parts=tuple(parts))

    def summary(self):
        return {"items": len(self.array)}


def everything(**changes):
    given = {
        "array": np.arange(6, dtype=np.int32).reshape(3, 2),
        "words": np.array(["a", "caf\u00e9", ""]), "texts": ("x", "", "\u65b0\u3057\u3044"),
        "nothing": None, "counts": sp.csr_array(np.array([[0, 2, 0], [0, 0, 0]])),
        "laws": (np.array([0.25, 0.75]), np.array([1.0])),
        "columns": {"b": ("one", "two"), "a": np.array([1.0, np.nan])},
        "parts": (Part("p", np.eye(2)), Part("q", np.zeros((0, 2)))),
        "settings": {"n": 3, "rate": 0.1, "names": ["u", "v"], "none": None}, "identity": IDENTITY,
        **changes,
    }  # fmt: skip
    return Everything(**given)


def test_every_kind_of_field_comes_back_as_it_was(tmp_path):
    made = everything()
    made.save(tmp_path / "a.npz")
    found = Everything.load(tmp_path / "a.npz")
    assert found.identity == IDENTITY and found.digest() == made.digest()
    assert found.words.tolist() == made.words.tolist() and found.words.dtype.kind == "U"
    assert (found.texts, found.nothing, found.empty) == (made.texts, None, ())
    assert isinstance(found.counts, sp.csr_array) and found.columns["b"] == ("one", "two")
    assert found.parts[1].cells.shape == (0, 2) and found.settings == made.settings
    made.save(tmp_path / "b.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


@pytest.mark.parametrize(
    "changes",
    [
        {"array": np.arange(6, dtype=np.int64).reshape(3, 2)},
        {"array": np.arange(6, dtype=np.int32).reshape(2, 3)},
        {"texts": ("x\u65b0\u3057\u3044", "", "")},
        {"words": np.array(["a", "cafe", ""])},
        {"counts": sp.csr_array(np.array([[0, 0, 2], [0, 0, 0]]))},
        {"laws": (np.array([0.25]), np.array([0.75, 1.0]))},
        {"columns": {"a": np.array([1.0, np.nan]), "b": ("one", "two")}},
        {"parts": (Part("p", np.eye(2)), Part("q", np.zeros((2, 0))))},
        {"settings": {"n": 4, "rate": 0.1, "names": ["u", "v"], "none": None}},
    ],
)
def test_the_digest_is_that_of_the_data_alone(changes):
    made = everything()
    assert everything(**changes).digest() != made.digest()
    assert everything(identity=UNNAMED).digest() == made.digest()
    others = [key for key in ("array", "texts", "columns") if key not in changes]
    assert everything(**changes).digest(*others) == made.digest(*others)


def of_demo(name, kind):
    settings = DataSettings(mirrors=(), raw="nowhere", download=False)
    return build(REGISTRY, name, settings, kind=kind)


def drawn(name, kind, **options):
    return of_demo(name, kind).draw(rng=np.random.default_rng(1), **options)


#: Data sets of all kinds; some have no labels, missing values, or the law that they are drawn from.
MADE = {
    "corpus": lambda: of_demo("demo_newsgroups", "documents"),
    "points": lambda: drawn("demo_separated", "points"),
    "sequences": lambda: of_demo("demo_families", "sequences"),
    "dissimilarities": lambda: Dissimilarities(
        1 - np.eye(4), "abcd", np.array([0, -1, 1, 0]), ("x", "y"), identity=IDENTITY
    ),
    "unlabelled": lambda: Dissimilarities(1 - np.eye(4), "abcd", np.full(4, -1), ()),
    "records": lambda: of_demo("demo_survey", "records"),
    "recipe": lambda: of_demo("demo_italy", "recipe"),
    "records of a recipe": lambda: drawn("demo_italy", "recipe", delta=0.1),
    "mentions": lambda: of_demo("demo_identity", "mentions"),
    "images": lambda: of_demo("uci_digits", "mentions"),
    "embedded": lambda: embed_mentions(of_demo("demo_names", "mentions")),
    "relations": lambda: of_demo("demo_words", "relations"),
}


@pytest.mark.parametrize("kind", MADE)
def test_a_data_set_of_every_kind_is_loaded_as_it_was_saved(kind, tmp_path, monkeypatch):
    made, now = MADE[kind](), time.time
    made.save(tmp_path / "new" / "a.npz")
    found = type(made).load(tmp_path / "new" / "a.npz")
    assert (found.identity, found.digest()) == (made.identity, made.digest())
    assert found.summary() == made.summary()
    monkeypatch.setattr(time, "time", lambda: now() + 1e6)
    found.save(tmp_path / "a.npz")
    for path in (tmp_path / "new").iterdir():
        whole = path.read_bytes()
        assert (tmp_path / path.name).read_bytes() == whole
        path.write_bytes(whole[:-40])
        with pytest.raises(DataError, match=r"not a complete \w+ file"):
            type(made).load(tmp_path / "new" / "a.npz")


def test_another_identity_changes_nothing_else():
    made = everything()
    other = made.identified(replace(IDENTITY, name="other"))
    assert other.identity.name == "other" and made.identity.name == "mine"
    assert other.array is made.array and type(other) is Everything


def test_files_of_another_kind_or_version_are_refused(tmp_path, monkeypatch):
    path = tmp_path / "a.npz"
    everything().save(path)
    with pytest.raises(DataError, match=r"a\.npz: not a complete points file"):
        Points.load(path)
    with pytest.raises(DataError, match="points file not found"):
        Points.load(tmp_path / "absent.npz")
    monkeypatch.setattr(Everything, "FORMAT", 9)
    with pytest.raises(DataError, match="this version reads format 2.9; delete the file"):
        Everything.load(path)


def test_a_text_with_the_character_that_ends_texts_is_refused():
    with pytest.raises(DataError, match=r"'a\\x00b' contains a character with the code 0"):
        encode_strings(["c", "a\0b"])


def test_a_card_says_what_a_data_set_is_without_its_data(tmp_path):
    store(everything(), tmp_path / "mine.npz")
    assert {path.name for path in tmp_path.iterdir()} == {"mine.npz", "mine.card.json"}
    card = Card.load(tmp_path / "mine.npz")
    assert (card.title, card.status, card.sizes) == ("Mine", "stand-in", {"items": 3})
    assert card.identity == IDENTITY
    written = json.loads((tmp_path / "mine.card.json").read_text())
    assert written["title"] == "Mine" and written["identity"]["preprocessing"] == {"seed": 3}


def test_draws_lie_in_a_folder_with_one_card(tmp_path):
    draws = [everything(identity=replace(IDENTITY, name=f"mine_{n}")) for n in range(2)]
    store_draws(draws, tmp_path / "some.draws")
    names = {path.name for path in (tmp_path / "some.draws").iterdir()}
    assert names == {"0.npz", "1.npz", "card.json"}
    assert Card.load(tmp_path / "some.draws").identity == replace(IDENTITY, name="some.draws")
    assert Everything.load(tmp_path / "some.draws" / "1.npz").identity.name == "mine_1"


def test_a_card_that_is_not_there_or_damaged_is_named(tmp_path):
    with pytest.raises(DataError, match=r"a\.card\.json: file not found; make the data set"):
        Card.load(tmp_path / "a.npz")
    for text in ("{", "[]", '{"identity": {"name": "x"}}'):
        (tmp_path / "a.card.json").write_text(text)
        with pytest.raises(DataError, match=r"a\.card\.json: not a complete card|lacks 'title'"):
            Card.load(tmp_path / "a.npz")
