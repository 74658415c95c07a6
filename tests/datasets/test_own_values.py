"""The user's own files: values are read as they are written, or an error or remark says why not."""

import logging
import re
import tarfile
import unicodedata

import numpy as np
import pandas as pd
import pytest
from given_files import packed, put, write
from scipy.sparse import csr_array

from reseat.datasets import DataSettings, Registry, build
from reseat.datasets.counting import feature_options
from reseat.datasets.dissimilarities import Dissimilarities
from reseat.datasets.features import (
    ANY_LETTERS,
    OWN_STOP_LIST,
    FeatureOptions,
    count_features,
    remarks_on_words,
)
from reseat.datasets.missing import missing_report
from reseat.datasets.pair_features import NumberFeature
from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.parsers.dissimilarity_matrix import parse_dissimilarity_matrix
from reseat.datasets.parsers.labelled_items import parse_item_pairs, parse_labelled_items
from reseat.datasets.parsers.message_folders import parse_newsgroups
from reseat.datasets.parsers.name_references import parse_author_lines
from reseat.datasets.parsers.record_table import parse_record_arff, parse_record_table
from reseat.datasets.parsers.sequence_files import parse_sequence_fasta
from reseat.datasets.parsers.topic_mail import parse_topic_mail
from reseat.datasets.registry import Dataset
from reseat.dissimilarities import read_named_dissimilarities
from reseat.errors import ConfigError, DataError
from reseat.files.texts import lines_of
from reseat.reading.archives import read_members
from reseat.reading.rows import remarks_on_total, without_key
from reseat.reading.values import MISSING_CELLS, missing_words
from reseat.reading.warnings_on_data import remarks_on_cells, remarks_on_spelling

PAIRS = {"pairs": {"columns": {"a": "a", "n": "n"}}}


def entry(parser="topic_mail", **keys):
    """Return a registry entry for the user's own data."""
    texts = {"title": "Mine", "about": "mine", "licence": "mine", "citation": "none"}
    values = {"family": "documents", "status": "faithful", "user_path": "a place", **keys}
    return Dataset(name="mine", parser=parser, **texts, **values)


def own(tmp_path, folder, **keys):
    settings = DataSettings(mirrors=(), raw=tmp_path / "raw", paths={"mine": folder})
    return build(Registry({"mine": entry(**keys)}), "mine", settings)


def topics(folder, encoding="utf-8", **texts):
    """Write two texts of each topic below a folder, and return the folder."""
    for topic, text in texts.items():
        for number in range(2):
            put(folder / topic / f"{number}.txt", f"{text} {topic}".encode(encoding))
    return folder


TEXTS = {"bau": "München prüft Müller-Straßen", "kunst": "Русский театр 東京 на Рейне"}
WORDS = {"bau", "kunst", "münchen", "prüft", "müller", "straßen", "русский", "театр", "на",
         "東京", "рейне"}  # fmt: skip


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_words_of_ones_own_texts_have_letters_of_any_alphabet(tmp_path, form):
    texts = {topic: unicodedata.normalize(form, text) for topic, text in TEXTS.items()}
    features = {"headers": "all", "stop_list": "none", "top_words": None}
    corpus = own(tmp_path, topics(tmp_path / "mine", **texts), features=features)
    assert set(corpus.vocabulary) == WORDS
    assert corpus.identity.preprocessing["token_pattern"] == ANY_LETTERS


# The token patterns of the papers' texts and of the texts generated in their place.
PAPERS = ("[a-z]+", "[a-z]{2,}")


def test_the_pattern_of_words_is_an_option_and_that_of_the_papers_data_is_theirs(root):
    assert feature_options(entry()).token_pattern == ANY_LETTERS
    assert feature_options(entry(features={"token_pattern": "[a-z]+"})).token_pattern == "[a-z]+"
    assert feature_options(entry(), {"token_pattern": r"\w+"}).token_pattern == r"\w+"
    registry = Registry.load(root / "config" / "datasets.yaml")
    for name in registry:
        if registry[name].family == "documents" and registry[name].parser is not None:
            assert feature_options(registry[name]).token_pattern in PAPERS, name
    assert registry["enron_ldc"].options == {"encoding": "latin-1"}


def test_ones_own_texts_are_utf_8_unless_their_entry_says_otherwise(tmp_path):
    folder = topics(tmp_path / "mine", "latin-1", bau="Müller")
    assert parse_topic_mail({"user": folder}, encoding="latin-1").texts == ["Müller bau"] * 2
    wide = topics(tmp_path / "wide", "utf-16", bau="Müller")
    assert parse_topic_mail({"user": wide}, encoding="utf-16").texts == ["Müller bau"] * 2
    marked = topics(tmp_path / "marked", "utf-8-sig", bau="Müller")
    assert parse_topic_mail({"user": marked}).texts[0] == "Müller bau"
    with pytest.raises(ConfigError, match="encoding is 'utf-9'"):
        parse_topic_mail({"user": marked}, encoding="utf-9")


def test_a_stop_list_of_ones_own_lies_beside_the_texts(tmp_path):
    folder = topics(tmp_path / "mine", **TEXTS)
    features = {"headers": "all", "stop_list": "own", "top_words": None}
    with pytest.raises(DataError, match=f"needs the file {OWN_STOP_LIST}, with one word per line"):
        own(tmp_path, folder, features=features)
    mine = Registry({"mine": entry()})
    settings = DataSettings(mirrors=(), raw=tmp_path / "raw", paths={"mine": folder})
    with pytest.raises(DataError, match=f"needs the file {OWN_STOP_LIST}"):
        missing_report(mine, ["mine"], settings, features)  # before any work
    (folder / OWN_STOP_LIST).write_text("на\nPRÜFT\n", encoding="utf-8")
    assert missing_report(mine, ["mine"], settings, features) == []
    corpus = own(tmp_path, folder, features=features)
    assert set(corpus.vocabulary) == WORDS - {"на", "prüft"}
    assert corpus.n_documents == 4 and OWN_STOP_LIST in corpus.identity.sha256
    (folder / OWN_STOP_LIST).write_text("\n", encoding="utf-8")
    with pytest.raises(DataError, match="contains no stop words"):
        own(tmp_path, folder, features=features)
    demo = entry("generated", user_path="", options={"seed": 1, "n_documents": 9, "n_classes": 3})
    settings = DataSettings(mirrors=(), raw=tmp_path / "raw")
    with pytest.raises(ConfigError, match="'own' applies only to your own texts"):
        build(Registry({"mine": demo}), "mine", settings, features=FeatureOptions(stop_list="own"))


def test_a_table_of_topics_names_no_file_outside_its_folder_by_a_link(tmp_path):
    (tmp_path / "beside").write_text("not for you")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "link").symlink_to(tmp_path / "beside")
    (folder / "topics.tsv").write_text("\ufeffpath\ttopic\nlink\tgas\n", encoding="utf-8")
    with pytest.raises(DataError, match=r"topics\.tsv, line 2: .* is outside the folder"):
        parse_topic_mail({"user": folder})


def test_a_hard_link_is_the_file_that_it_links_to_and_no_file_is_twice(tmp_path, caplog):
    hard, soft = ("top/a/1", tarfile.LNKTYPE), ("/etc/passwd", tarfile.SYMTYPE)
    members = {"./top/a/1": "one", "./top/b/2": hard, "top/a/._1": "of a Mac", "top/c/3": soft}
    path = put(tmp_path / "n.tar.gz", packed(members))
    with caplog.at_level(logging.WARNING, "reseat"):
        raw = parse_newsgroups({"archive": path})
    assert raw.document_ids == ["a/1", "b/2"] and raw.texts == ["one", "one"]
    assert "1 links or devices are ignored; the first is 'top/c/3'" in caplog.text
    put(path, packed({"top/b/2": hard}))
    with pytest.raises(DataError, match="top/b/2 is a link to top/a/1, which is not in"):
        list(read_members(path))
    put(path, packed({"top/a/1": "one", "./top/a/1": "two"}))
    with pytest.raises(DataError, match="contains top/a/1 twice"):
        parse_newsgroups({"archive": path})


NUMBERS = "id,split,entity,size\n" + "".join(
    f"i{n},{'train' if n % 2 else 'test'},e{n // 2},{n}.5\n" for n in range(8)
)


def test_cells_that_are_no_numbers_among_numbers_may_be_declared_missing(tmp_path):
    path = tmp_path / "items.csv"
    path.write_text(NUMBERS.replace("2.5", "5%").replace("4.5", "5%"), encoding="utf-8")
    sizes = parse_labelled_items({"user": path}, missing=["5%"]).columns["size"]
    np.testing.assert_array_equal(sizes, [0.5, 1.5, np.nan, 3.5, np.nan, 5.5, 6.5, 7.5])
    assert parse_labelled_items({"user": path}, texts=["size"]).columns["size"][2] == "5%"
    # A column of which most cells are texts is one of texts.
    path.write_text(re.sub(r"([1-4])\.5", r"flat \1", NUMBERS))
    assert parse_labelled_items({"user": path}).columns["size"][:2] == ["0.5", "flat 1"]


@pytest.mark.parametrize("cell", MISSING_CELLS)
def test_the_usual_words_for_missing_are_missing_everywhere(tmp_path, cell):
    path = tmp_path / "items.csv"
    path.write_text(NUMBERS.replace("2.5", cell))
    assert np.isnan(parse_labelled_items({"user": path}).columns["size"][2])
    path.write_text(NUMBERS.replace("e1", cell))
    with pytest.raises(DataError, match="item 'i2' has no entity"):
        parse_labelled_items({"user": path})
    table = tmp_path / "records.csv"
    table.write_text(f"town,year\nUlm,1950\n{cell},1951\nAalen,{cell}\n")
    raw = parse_record_table({"user": table})
    assert raw.cells.isna().to_numpy().tolist() == [[False, False], [True, False], [False, True]]
    np.save(tmp_path / "dissimilarities.npy", 1.0 - np.eye(4))
    (tmp_path / "labels.csv").write_text(f"object,class\n1,a\n2,{cell}\n3,b\n4,a\n")
    found = parse_dissimilarity_matrix({"user": tmp_path})
    assert found.class_names == ("a", "b") and found.classes.tolist() == [0, -1, 1, 0]


def test_a_word_that_is_taken_for_missing_is_named_in_the_log(tmp_path, caplog):
    path = tmp_path / "records.csv"
    path.write_text("town,year\nUlm,1950\nNone,1951\nAalen,NA\n")
    with caplog.at_level(logging.WARNING, "reseat"):
        parse_record_table({"user": path})
        assert "cells of the column 'town' containing 'None' are treated as missing" in caplog.text
        assert "year" not in caplog.text
        caplog.clear()
        raw = parse_record_table({"user": path}, missing=["NA"])
    assert raw.cells["town"].tolist() == ["Ulm", "None", "Aalen"] and not caplog.records


def test_a_word_for_missing_in_a_table_of_counts_is_a_name_and_said(tmp_path, caplog):
    """Names are words of texts, where a word such as "nan" may be a real one."""
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tn\tcount\nnan\ty\t1\nNA\ty\t2\nx\tz\t1\n")
    with caplog.at_level(logging.WARNING, "reseat"):
        found = parse_count_tables({"user": path}, PAIRS)
    assert set(found.entities["a"]) == {"nan", "NA", "x"}
    assert "column 'a' containing 'nan', 'NA' are read as names" in caplog.text
    assert "column 'n'" not in caplog.text


@pytest.mark.parametrize("cell", ["-9", "-9.0", "-9.00"])
def test_missing_values_may_be_declared_as_numbers(tmp_path, cell):
    path = tmp_path / "records.csv"
    path.write_text(f"town,year\nUlm,{cell}\n{cell},1951\nAalen,1950\n,1951\n")
    raw = parse_record_table({"user": path}, missing=[-9])
    assert raw.cells["year"].isna().tolist() == [True, False, False, False]
    assert raw.cells["town"].isna().tolist() == [False, True, False, True]
    for wrong in ([None], [False], "NA", 5):
        with pytest.raises(ConfigError, match="the option 'missing'"):
            missing_words(wrong)


def test_texts_without_header_lines_are_told(tmp_path, caplog):
    texts = {"bau": "Ein erster Absatz.\n\nEin zweiter", "kunst": "Von: mir\n\nzu"}
    folder = topics(tmp_path / "mine", **texts)
    with caplog.at_level(logging.WARNING, "reseat"):
        corpus = own(tmp_path, folder, features={"stop_list": "none", "top_words": None})
    assert {"erster", "zweiter", "zu"} <= set(corpus.vocabulary) and "mir" not in corpus.vocabulary
    assert "2 of 4 texts do not begin with header lines and are read whole" in caplog.text


def test_composed_and_decomposed_letters_are_one(tmp_path):
    one, other = (unicodedata.normalize(form, "Zoé") for form in ("NFC", "NFD"))
    assert one != other
    path = tmp_path / "records.csv"
    path.write_text(f"{one},b\n{one},1\n{other},2\n", encoding="utf-8")
    raw = parse_record_table({"user": path}, fields=[one])
    assert raw.cells[one].tolist() == [one, one]
    table = tmp_path / "pairs.tsv"
    table.write_text(f"a\tn\tcount\n{one}\tx\t1\n{other}\ty\t2\n", encoding="utf-8")
    assert parse_count_tables({"user": table}, PAIRS).entities["a"] == (one,)
    matrix = tmp_path / "m.csv"
    matrix.write_text(f",{one},b,c\n{other},0,1,1\nb,1,0,1\nc,1,1,0\n", encoding="utf-8")
    assert read_named_dissimilarities(matrix)[1] == [one, "b", "c"]


def test_quotation_marks_around_a_whole_cell_do_not_count(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text('"a"\tn\tcount\nx\t"y ""z"""\t"1"\n"x"\ty "z"\t2\n"\t"u" "v"\t3\n')
    found = parse_count_tables({"user": path}, PAIRS)
    assert set(found.entities["a"]) == {"x", '"'}
    assert set(found.entities["n"]) == {'y "z"', '"u" "v"'}


# These do not end a line, although `str.splitlines` splits there.
NO_ENDS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"


def test_lines_end_at_line_feeds_and_carriage_returns_alone(tmp_path):
    assert lines_of(f"a{NO_ENDS}b\nc\r\nd\re\n\nf\r\n") == [f"a{NO_ENDS}b", *"cde", "", "f"]
    assert lines_of("") == [] and lines_of("\n") == [""]
    title = f"a{NO_ENDS}b"
    lines = tmp_path / "lines.txt"
    text = f"1 | e | a_b | full | 1 | p | c | {title}\r2 | f | c_d | full | 2 | p | c | t\r\n"
    lines.write_text(text, "utf-8")
    assert len(parse_author_lines({"lines": lines}).entities) == 2
    (tmp_path / title).write_text("From: a\n\ntext")
    (tmp_path / "topics.tsv").write_text(f"path\ttopic\n{title}\tgas\n", "utf-8")
    assert parse_topic_mail({"user": tmp_path}).document_ids == [f"gas/{title}"]


def test_labels_with_a_line_of_names_that_a_thing_shares_are_read(tmp_path):
    (tmp_path / "dissimilarities.csv").write_text(",object,b,c\nobject,0,1,1\nb,1,0,1\nc,1,1,0\n")
    (tmp_path / "labels.csv").write_text("object,class\nobject,x\nb,y\nc,x\n")
    assert parse_dissimilarity_matrix({"user": tmp_path}).classes.tolist() == [0, 1, 0]


@pytest.mark.parametrize("scale", [1e-18, 1.0, 3e17])
def test_a_matrix_in_scale_keeps_its_proportions(scale):
    values = scale * np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    found = Dissimilarities(values, list("abcd"), np.full(4, -1), ()).values
    np.testing.assert_allclose(found, values, rtol=1e-6)


def test_items_with_given_distances_need_no_other_columns(tmp_path):
    write(tmp_path, items="id split entity size\na train x 1\nb train y 2\nc test z foo",
          pairs="id1 id2 near far\na b 1 0.5\na c 2 0\nb c 0 1")  # fmt: skip
    raw = parse_item_pairs({"user": tmp_path})
    assert raw.kind == "pairs" and list(raw.columns) == ["near", "far"]
    assert raw.columns["near"].tolist() == [[0, 1, 2], [1, 0, 0], [2, 0, 0]]
    write(tmp_path, pairs="id1 id2 far\na b 0.5\nc a 0")
    far = parse_item_pairs({"user": tmp_path}, absent=9).columns["far"]
    assert far.tolist() == [[0, 0.5, 0], [0.5, 0, 9], [0, 9, 0]]


ARFF = "@relation r\n@attribute 'full name' string\n@attribute town {Ulm, Aalen}\n@data\n"


def test_cells_of_an_arff_file_may_be_quoted(tmp_path):
    path = tmp_path / "r.arff"
    path.write_text(ARFF + "'O\\'Hara, J.', Ulm\n% no record\n\"a 'b' c\",?\n d'E ,Aalen\n")
    raw = parse_record_arff({"arff": path}, fields=["full name", "town"], entity="town", missing=[])
    assert raw.cells["full name"].tolist() == ["O'Hara, J.", "a 'b' c", "d'E"]
    assert raw.cells["town"].tolist() == ["Ulm", "?", "Aalen"]


def test_the_name_of_a_sequence_ends_at_any_blank(tmp_path):
    path = tmp_path / "s.fasta"
    path.write_text("\ufeff>one\tclass=a\nMKV\nLLA*\n> two class=b\nMK\r\nVL\n>three\nM\n", "utf-8")
    raw = parse_sequence_fasta({"user": path}, label="class=(.)", unlabelled=["b"])
    assert raw.names == ("one", "two", "three") and raw.labels == ("a", "", "")
    assert raw.sequences == ("MKVLLA", "MKVL", "M")


RECORDS = "\n".join(["town,name", *(f"t{n % 3},n{n % 5}" for n in range(12))])
NUMBERED = "\n".join(f"{n or ''},{line}" for n, line in enumerate(RECORDS.split("\n")))
ITEMS = "id,split,entity,size\n" + "".join(
    f"i{n},{'train' if n < 8 else 'test'},e{n // 2},{n * 1.5}\n" for n in range(12)
)
IN_KG = ITEMS.replace(".0\n", " kg\n").replace(".5\n", " kg\n")
UNKNOWN = "contain 'unknown', which is treated as an"


@pytest.mark.parametrize(
    ("parser", "text", "options", "sentence"),
    [
        ("record_table", RECORDS, {}, ""),
        ("record_table", RECORDS.partition("\n")[2], {}, "the first line is read as column names"),
        ("record_table", RECORDS.replace("t1,n1", "?,n1"), {}, "contain '?', which is treated as"),
        ("record_table", RECORDS.replace("n1", "-1"), {"entity": "name"}, "contain '-1', which is"),
        ("record_table", NUMBERED, {}, "a column without a name numbers the rows"),
        ("labelled_items", ITEMS, {}, ""),
        ("labelled_items", IN_KG, {}, "look like numbers"),
        ("labelled_items", ITEMS.replace("e3,", "unknown,"), {}, UNKNOWN),
        ("labelled_items", ITEMS.replace(",0.0", ","), {}, "empty cells of the column 'size': 1"),
    ],
)
def test_tables_are_remarked_on(tmp_path, caplog, parser, text, options, sentence):
    file = put(tmp_path / "t.csv", text)
    own(tmp_path, file, parser=parser, family="records", status="own", options=options)
    assert all(message.startswith(f"{file}: ") for message in caplog.messages)
    found = " ".join(caplog.messages)
    assert sentence in found and bool(sentence) == bool(found)


@pytest.mark.parametrize("name", ["", "id"])
def test_columns_that_number_the_rows_are_remarked_on(name):
    table = pd.DataFrame({name: ["2", "1", "3"], "year": ["1999", "2001", "2004"]})
    (remark,) = remarks_on_cells(table)
    assert "numbers the rows" in remark and (not name or repr(name) in remark)


@pytest.mark.parametrize(
    ("name", "cells", "n_left"),
    [
        ("nr", range(7, 27), 1),
        ("", range(20), 1),
        ("customer_id", [f"C{97 * k % 89}" for k in range(20)], 1),
        ("paid", [f"C{97 * k % 89}" for k in range(20)], 2),
        ("id", [*range(19), 18], 2),
        ("year", [97 * k % 89 for k in range(20)], 2),
    ],
)
def test_a_first_column_that_only_names_the_rows_is_left_out(name, cells, n_left):
    table = pd.DataFrame({name: [*map(str, cells)], "town": [*"abcde"] * 4})
    left, said = without_key(table)
    assert left.shape[1] == n_left and len(said) == 2 - n_left
    turned = table[table.columns[::-1]]
    for other in (table.head(5), table[[name]], turned):
        assert without_key(other)[0] is other


@pytest.mark.parametrize("form", [np.array, csr_array])
def test_a_total_of_all_rows_is_remarked_on(form):
    counts = np.array([[1, 0, 2], [4, 1, 0], [0, 3, 3], [5, 4, 5]])
    names = ["ann", "bob", "cleo", "all"]
    assert remarks_on_total(form(counts[:3]), names[:3]) == []
    assert remarks_on_total(form(counts + np.eye(4, 3, dtype=int)), names) == []
    (said,) = remarks_on_total(form(counts), names)
    assert said == "'all' is the sum of all others; leave it out if it is their total."


def test_columns_that_blanks_separate_are_remarked_on():
    cells = ["Ann 3 Rome", "Bob 4  Oslo", "Eve 5 Bonn"]
    (remark,) = remarks_on_cells(pd.DataFrame({"name age city": cells}))
    assert "the only column is called 'name age city', and all of its cells have 3 words" in remark
    for name, others in (("name", cells), ("name age city", [*cells, "Jo 6"])):
        assert remarks_on_cells(pd.DataFrame({name: others})) == []


def test_texts_that_differ_only_in_capitals_are_remarked_on():
    (remark,) = remarks_on_spelling("rows", ["ann", "ANN", "bob", 3, None])
    assert remark.startswith("rows that differ only in capitals: 1, such as 'ANN' and 'ann';")
    assert remarks_on_spelling("rows", ["ann", "bob"]) == []


@pytest.mark.parametrize(
    ("texts", "many"),
    [
        (["これは日本語で書かれた文章です", "東京の冬は寒いですね今年も"], True),
        (["ไปโรงเรียนทุกวันกับเพื่อนๆ", "อากาศร้อนมากในเดือนเมษายน"], True),
        (["これ は 日本語 の 文章 です", "東京 の 冬 は 寒い"], False),
        (["bread flour oven", "Rindfleischetikettierungsüberwachungsgesetz und mehr"], False),
    ],
)
def test_sentences_without_spaces_are_remarked_on(texts, many):
    options = FeatureOptions(headers="all", token_pattern=ANY_LETTERS, stop_list="none")
    _, words = count_features(texts, options, frozenset())
    assert bool(remarks_on_words(words)) == many


@pytest.mark.parametrize("scale", [1e-300, 1e-20, 1e-13, 1.0, 1e10, 1e200])
def test_numbers_of_any_size_are_compared_alike(scale):
    numbers = np.array([1.0, 2.0, np.nan, 4.0, 9.0])
    train = np.array([True, True, True, True, False])
    expected = NumberFeature(numbers, train).scaled
    np.testing.assert_allclose(NumberFeature(scale * numbers, train).scaled, expected, rtol=1e-9)


def test_small_steps_count_and_rounding_does_not():
    steps = NumberFeature(1e10 + 1e-3 * np.arange(6), np.ones(6, dtype=bool))
    assert steps.n_values == 6 and np.std(steps.scaled) == pytest.approx(1)
    rounded = NumberFeature(np.array([0.3, 0.1 + 0.2, 0.3]), np.ones(3, dtype=bool))
    assert rounded.n_values == 1 and not rounded.scaled.any()
