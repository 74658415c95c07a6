"""Counts of the words of texts, against a slow version of the same rule, and their corpus."""

import math
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp
from given_files import TINY

from reseat.datasets import Corpus, DatasetIdentity
from reseat.datasets.features import (
    ANY_LETTERS,
    FeatureOptions,
    count_features,
    message_text,
    read_stop_list,
    top_tfidf_words,
)
from reseat.errors import ConfigError, DataError

OWN_WORDS = {"stop_list": "none", "top_words": None, "token_pattern": ANY_LETTERS}
ALL = FeatureOptions(stop_list="none", top_words=None)


def slow_features(texts, stop_words, pattern, n_top):
    """Return counts and words, from a dictionary per document, sorting by (-score, word)."""
    tokens = [re.findall(pattern, text.lower()) for text in texts]
    bags = [Counter(word for word in words if word not in stop_words) for words in tokens]
    df = Counter(word for bag in bags for word in bag)
    chosen = set()
    for bag in bags:
        score = {word: n * math.log(len(texts) / df[word]) for word, n in bag.items()}
        chosen.update(sorted(bag, key=lambda word: (-round(score[word], 9), word))[:n_top])
    words = sorted(chosen)
    return [[bag[word] for word in words] for bag in bags], words


@pytest.mark.parametrize("seed", range(8))
def test_selection_agrees_with_the_slow_rule(seed):
    rng = np.random.default_rng(seed)
    n_documents, n_words = int(rng.integers(2, 40)), int(rng.integers(3, 60))
    lexicon = ["".join(rng.choice(list("abcde"), size=rng.integers(1, 5))) for _ in range(n_words)]
    weights = 1.0 / np.arange(1, n_words + 1)
    texts = [
        " ".join(
            word.upper() if rng.random() < 0.2 else word
            for word in rng.choice(lexicon, size=rng.integers(0, 40), p=weights / weights.sum())
        )
        for _ in range(n_documents)
    ]
    texts[0] = "ab cd ab, ce."  # so that not all of them are empty
    n_top = int(rng.integers(1, 6))
    stop_words = frozenset(lexicon[:2]) - {"cd"}
    options = FeatureOptions(stop_list="none", token_pattern="[a-z]+", top_words=n_top)
    counts, words = count_features(texts, options, stop_words)
    expected_counts, expected_words = slow_features(texts, stop_words, "[a-z]+", n_top)
    assert words.tolist() == expected_words
    assert counts.toarray().tolist() == expected_counts
    assert counts.dtype == np.int32 and counts.has_canonical_format


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("हिन्दी के शब्द", ["के", "शब्द", "हिन्दी"]),
        ("தமிழ் சொற்கள்", ["சொற்கள்", "தமிழ்"]),
        ("مُحَمَّد", ["مُحَمَّد"]),
        ("שָׁלוֹם", ["שָׁלוֹם"]),
        ("ที่นี่", ["ที่นี่"]),
        ("ọ̀rọ̀ Yorùbá", ["yorùbá", "ọ̀rọ̀"]),
        ("İstanbul", ["i̇stanbul"]),
        ("ക്\u200dഷ", ["ക്\u200dഷ"]),  # a joiner after a mark
        ("می\u200cخواهم \u200dab\u200c", ["ab", "می\u200cخواهم"]),  # joiners within words alone
        ("Donau\xaddampf donaudampf", ["donaudampf"]),  # a soft hyphen, which is dropped
        ("a\u0308-b x 1\u0301 \u0301cd", ["a\u0308", "cd"]),  # a mark begins no word
    ],
)
def test_marks_belong_to_the_words_they_stand_in(text, words):
    found = count_features([text], FeatureOptions(**OWN_WORDS))[1]
    assert found.tolist() == sorted(words)


def test_words_without_marks_are_runs_of_two_letters():
    # Of these letters, only İ has a lower-case form with a mark; soft hyphens are dropped.
    letters = [chr(number) for number in range(32, 0x250) if chr(number) not in "İ\xad"]
    rng = np.random.default_rng(5)
    texts = ["".join(rng.choice(letters, size=400)) for _ in range(20)]
    old, new = (
        count_features(texts, FeatureOptions(**{**OWN_WORDS, "token_pattern": pattern}))
        for pattern in (r"[^\W\d_]{2,}", ANY_LETTERS)
    )
    assert new[1].tolist() == old[1].tolist()
    assert (new[0] != old[0]).nnz == 0


@pytest.mark.parametrize(("n_documents", "df_a", "df_b"), [(25, 9, 15), (49, 36, 42), (64, 25, 40)])
def test_scores_equal_on_paper_are_ties_though_their_last_bits_differ(n_documents, df_a, df_b):
    # 2 ln(25/15) = ln(25/9), but the double on the left is larger in its last bit.
    assert 2 * math.log(n_documents / df_b) == pytest.approx(math.log(n_documents / df_a))
    assert n_documents * df_a == df_b**2
    table = np.zeros((n_documents, n_documents + 1), dtype=int)
    table[:df_a, 0] = 1
    table[:df_b, 1] = 1
    table[0, 1] = 2
    # In every other document, a word of its own has the best score, so that columns 0 and 1
    # compete in the first document only.
    table[np.arange(1, n_documents), np.arange(2, n_documents + 1)] = 50
    chosen = top_tfidf_words(sp.csr_array(table), 1)
    assert chosen.tolist() == [0, *range(2, n_documents + 1)]


def test_a_stop_list_is_looked_up_or_asked_for():
    texts, options = ["the river and banks"], {"top_words": None}
    for name in ("snowball", "own"):
        with pytest.raises(DataError, match=f"'{name}' is a file; give its words as stop_words"):
            count_features(texts, FeatureOptions(stop_list=name, **options))
    sklearn = FeatureOptions(stop_list="sklearn", **options)
    assert count_features(texts, sklearn)[1].tolist() == ["banks", "river"]
    assert "the" in count_features(texts, FeatureOptions(stop_list="none", **options))[1]
    # Words that are given are taken for those of the list, without a check.
    assert "the" in count_features(texts, FeatureOptions(**options), frozenset({"and"}))[1]


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ([], "no documents"),
        (["1 2 3", "the"], "no document has any words left"),
        ("one text", "texts is a single text"),
        (["one", None], "document 1 is None, which is no text"),
        ([float("nan"), "one"], "document 0 is nan, which is no text"),
    ],
)
def test_what_is_no_list_of_texts_with_words_is_refused(texts, sentence):
    with pytest.raises(DataError, match=sentence):
        count_features(texts, ALL, frozenset({"the"}))


def test_tokens_are_runs_of_at_least_two_letters():
    _, words = count_features(["Don't e-mail x2 CAF\u00c9s I\u00e9ab"], ALL)
    assert words.tolist() == ["ab", "caf", "don", "mail"]
    single = replace(ALL, token_pattern="[a-z]+")
    assert "t" in count_features(["Don't"], single)[1]
    # The patterns of the papers do not drop soft hyphens, so these separate words.
    assert count_features(["Donau\xaddampf"], single)[1].tolist() == ["dampf", "donau"]
    cased = replace(ALL, token_pattern="[A-Za-z]+", lowercase=False)
    assert count_features(["Ab ab"], cased)[1].tolist() == ["Ab", "ab"]


MESSAGE = "From: me\nSubject: the first\n part and more\nLines: 2\n\nbody one\n\nbody two\n"


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_the_body_begins_after_the_first_blank_line(ends):
    message = MESSAGE.replace("\n", ends)
    assert message_text(message).split() == "body one body two".split()
    assert message_text(message, "subject").split()[:5] == "the first part and more".split()
    assert message_text(message, "subject").split()[5:] == "body one body two".split()
    assert message_text(message, "all") == message


def test_messages_without_header_body_or_subject():
    assert message_text("\nbody\n\nmore") == "body\n\nmore"
    for text in ("    An indented line.\n\nMore.", "From here to eternity.\n\nMore.", "  one line"):
        assert message_text(text) == text
    assert message_text("From x Jan 1\nTo: y\n z\n\nbody") == "body"
    assert message_text("From: me\n all header") == ""
    assert message_text("From: me\nSubject: x", "subject") == "x\n"
    assert message_text("From: me\n\nSubject: in the body", "subject") == "Subject: in the body"
    assert message_text("From: a\r\n\nmixed") == "mixed"
    assert message_text("From: a\n \n\nbody") == "body"  # a line of one blank is not empty


def test_stop_lists(tmp_path):
    file = tmp_path / "list.txt"
    file.write_text("the\ndon't\nthe\n")
    assert read_stop_list("snowball", file) == {"the", "don't"}
    assert read_stop_list("snowball", file, split=True) == {"the", "don't", "don", "t"}
    assert read_stop_list("none") == frozenset()
    assert "the" in read_stop_list("sklearn") and len(read_stop_list("sklearn")) > 300
    with pytest.raises(ConfigError, match="stop_list is 'english'"):
        read_stop_list("english")
    with pytest.raises(DataError, match="needs its file"):
        read_stop_list("smart")
    file.write_text("\n")
    with pytest.raises(DataError, match="no stop words"):
        read_stop_list("mallet", file)
    with pytest.raises(DataError, match="cannot be read"):
        read_stop_list("mallet", tmp_path / "absent.txt")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"header": "none"}, "'header'; did you mean 'headers'"),
        ({"headers": "some"}, "headers is 'some'.*none, subject, all"),
        ({"stop_list": "english"}, "stop_list is 'english'"),
        ({"top_words": 0}, "top_words is 0; it must be a whole number.*null for all words"),
        ({"top_words": 2.5}, "top_words is 2.5; it must be a whole number"),
        ({"top_words": True}, "top_words is True; it must be a whole number"),
        ({"lowercase": 1}, "lowercase is 1; it must be True or False"),
        ({"token_pattern": "[a-z"}, "not a regular expression"),
        ({"token_pattern": "([a-z])x"}, "must not contain groups"),
        ({"token_pattern": None}, "not a regular expression"),
    ],
)
def test_wrong_options_name_the_key(options, words):
    with pytest.raises(ConfigError, match=words):
        FeatureOptions.from_config(options)


def test_options_have_the_documented_defaults():
    assert FeatureOptions.from_config(None) == FeatureOptions(
        headers="none", lowercase=True, token_pattern="[a-z]{2,}", stop_list="snowball",
        split_stop_words=False, top_words=10,
    )  # fmt: skip


def corpus(counts=((2, 0, 1), (0, 0, 0), (0, 3, 0)), **keys):
    counts = counts if sp.issparse(counts) else np.array(counts)
    values = {
        "vocabulary": np.array(["ape", "bee", "caf\u00e9"]), "labels": np.array([0, 1, 1]),
        "label_names": ("x", "y"), "document_ids": np.array(["d1", "d2", "d3"]), "identity": TINY,
    }  # fmt: skip
    return Corpus(counts=counts, **{**values, **keys})


def test_counts_become_canonical():
    rows, columns = [0, 0, 0, 2, 2], [2, 0, 2, 1, 0]
    given = sp.coo_array((np.array([1.0, 2.0, 0.0, 3.0, 0.0]), (rows, columns)), shape=(3, 3))
    counts = corpus(given).counts
    assert counts.dtype == np.int32 and counts.indices.dtype == np.int32
    assert counts.indptr.dtype == np.int32
    assert counts.indices.tolist() == [0, 2, 1] and counts.data.tolist() == [2, 1, 3]
    assert counts.indptr.tolist() == [0, 2, 2, 3]


def test_summary_counts_empty_documents():
    assert corpus().summary() == {
        "documents": 3, "features": 3, "tokens": 6, "nonzeros": 3, "empty_documents": 1,
        "classes": 2,
    }  # fmt: skip
    assert corpus(labels=None).n_classes == 0


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        *(({"counts": [[2, 0, 1], [0, 0, 0], [0, bad, 0]]},
           r"document 2 \(d3\) has the count .* in column 1")
          for bad in (-1, 0.5, np.nan, np.inf)),
        ({"counts": sp.coo_array(([-1, 2], ([0, 0], [1, 1])), shape=(3, 3))}, "-1"),
        ({"counts": np.zeros((0, 3), int)}, "empty.*at least one row"),
        ({"counts": np.zeros((3, 0), int)}, "empty.*one column"),
        ({"counts": np.full((3, 3), 2**40)}, "between 0 and 2147483647"),
        ({"counts": sp.coo_array(([2**31 - 1] * 2, ([0, 0], [0, 0])), shape=(3, 3))}, "exceeds"),
        ({"labels": np.array([0, 1])}, "labels has 2 entries for 3 documents"),
        ({"labels": np.array([0, 1, 2])}, "labels: entry 2 is 2; .* between 0 and 1"),
        ({"labels": np.array([0.0, 1.5, 1.0])}, "whole numbers"),
        ({"vocabulary": np.array(["a", "b", "a"])}, "two features are called 'a'"),
    ],
)  # fmt: skip
def test_disagreeing_parts_are_refused_in_one_sentence(keys, words):
    with pytest.raises(DataError, match=words) as caught:
        corpus(**keys)
    assert "\n" not in str(caught.value)


def test_identity_goes_through_plain_values():
    assert DatasetIdentity.from_dict(TINY.to_dict()) == TINY
    with pytest.raises(DataError, match="unknown key 'colour'"):
        DatasetIdentity.from_dict({**TINY.to_dict(), "colour": "red"})
    with pytest.raises(DataError, match="lacks 'status'"):
        DatasetIdentity.from_dict({"name": "a", "title": "b"})
    with pytest.raises(DataError, match="'good'"):
        replace(TINY, status="good")
