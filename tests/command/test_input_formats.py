"""Inputs as other programs write them: mail, SVMlight, other encodings, order lines, codes."""

import re
from email.message import EmailMessage

import numpy as np
import pytest
from calls import read, written

from reseat.errors import ConfigError, DataError
from reseat.estimators.sampling import _as_texts
from reseat.reading.mail import is_mailbox, text_of_message, texts_of_mailbox


def words_of(loaded, n_documents):
    """Return the words of each document, as the portrait of a cluster of its own shows them."""
    return [set(said.split(", ")) for said in loaded.portray(np.arange(n_documents))]


def message(subject, body, cte=None, subtype="plain", charset="utf-8"):
    made = EmailMessage()
    made["From"], made["Subject"] = "ann@post.example", subject
    made.set_content(body, subtype=subtype, charset=charset, cte=cte)
    return made.as_bytes()


def test_messages_of_a_mailbox_are_decoded(tmp_path):
    made = [
        message("one", "käse brot\n\n>From here on\n", cte="base64"),
        message("two", "<style>p {top: 1}</style><p>bier &amp; wurst</p>", subtype="html"),
        message("three", "größe", cte="quoted-printable", charset="latin-1"),
        b"Subject: four\nContent-Type: text/plain; charset=odd\n\nna\xefve\n",
    ]
    path = tmp_path / "all.mbox"
    path.write_bytes(b"".join(b"From ann Mon Jan  1 10:00:00 2024\n" + m + b"\n" for m in made))
    loaded = read(path, "documents", stop_list="none")
    assert words_of(loaded, 4) == [
        {"one", "käse", "brot", "from", "here", "on"},
        {"two", "bier", "wurst"},
        {"three", "größe"},
        {"four", "naïve"},
    ]
    assert "read as a mailbox: subject and body of 4 messages." in loaded.warnings


@pytest.mark.parametrize(
    ("header", "body", "words"),
    [
        ("Subject: käse", "Content-Type: text/plain; charset=iso-8859-1", "käse größe"),
        ("Subject: =?odd?Q?k=E4se?=", "Content-Type: text/plain; charset=undefined", "käse größe"),
        ("Subject: a1", "Content-Type: text/plain; charset=cp-1252", "größe"),
        ("Subject: a1", "Content-Type: multipart/mixed; boundary=none", "größe"),
        ("Subject: a1", "Content-Type: text/plain\nContent-Disposition: attachment", "größe"),
    ],
)
def test_messages_that_say_wrongly_how_they_are_encoded_are_read(header, body, words):
    content = f"{header}\n{body}\n\ngröße\n".encode("latin-1")
    assert set(words_in(text_of_message(content))) == {*words.split()} | {"a1"} & {header[-2:]}


@pytest.mark.parametrize("encoding", ["Base64 ", "base64 (as usual)"])
def test_the_encoding_of_a_message_may_have_blanks_and_comments(encoding):
    content = f"Content-Transfer-Encoding: {encoding}\n\na8Okc2U=\n".encode()
    assert words_in(text_of_message(content)) == ["käse"]


def test_a_sentence_that_begins_with_from_does_not_begin_a_message():
    one = b"From ann Mon Jan  1 10:00:00 2024\nSubject: one\n\n"
    content = one + b"brot\n\nFrom now on: wein\n" + one
    assert len(texts_of_mailbox(content)) == 2 and is_mailbox(b"\xef\xbb\xbf" + content)


def words_in(text):
    return re.findall(r"\w+", text)


def test_messages_in_a_folder_are_decoded_if_any_of_them_has_to_be(tmp_path):
    folder = tmp_path / "mail"
    folder.mkdir()
    (folder / "1").write_bytes(message("one", "brot"))
    (folder / "2.txt").write_text("wein wurst\n")
    assert "example" in words_of(read(folder, "documents", stop_list="none"), 2)[0]
    (folder / "3.eml").write_bytes(message("three", "käse", cte="base64"))
    loaded = read(folder, "documents", stop_list="none")
    assert words_of(loaded, 3) == [{"one", "brot"}, {"wein", "wurst"}, {"three", "käse"}]
    assert "messages of which subject and body are read: 2." in loaded.warnings


@pytest.mark.parametrize("labels", ["4 -1", "2,3 1"])
def test_counts_of_svmlight(labels):
    first, second = labels.split()
    path = written("counts.txt", f"{first} 1:2 3:1\n{second} 2:4 # note\n{first} 1:1\n")
    loaded = read(path, "documents", stop_list="none")
    assert loaded.fit["X"].toarray().tolist() == [[2, 0, 1], [0, 4, 0], [1, 0, 0]]
    assert any("SVMlight" in said for said in loaded.warnings)
    path.write_text(f"{first} 1:2 3:1\n{second} 2:4 2:5\n{first} 1:1\n")
    with pytest.raises(DataError, match="cannot be read as SVMlight"):
        read(path, "documents", stop_list="none")


def test_lines_that_announce_their_words_are_those_of_lda_c():
    path = written("counts.txt", "2 0:2 2:1\n1 1:4\n")
    loaded = read(path, "documents", stop_list="none")
    assert loaded.fit["X"].toarray().tolist() == [[2, 0, 1], [0, 4, 0]]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_texts_in_other_encodings(tmp_path, encoding):
    path, folder = tmp_path / "t.csv", tmp_path / "texts"
    path.write_text("name,ort\nJörg,Köln\nJürg,Köln\nAnn,Bonn\n", encoding=encoding)
    loaded = read(path, "records", encoding=encoding)
    assert loaded.fit["X"].to_numpy()[0].tolist() == ["Jörg", "Köln"]
    with pytest.raises(DataError, match="is not UTF-8 text .*--encoding of reseat cluster"):
        read(path, "records")
    with pytest.raises(ConfigError, match="encoding is 'utf-9'"):
        read(path, "records", encoding="utf-9")
    folder.mkdir()
    for number, text in enumerate(("größe", "käse")):
        (folder / f"{number}.txt").write_text(text, encoding=encoding)
    loaded = read(folder, "documents", stop_list="none", encoding=encoding)
    assert words_of(loaded, 2) == [{"größe"}, {"käse"}]
    np.save(tmp_path / "x.npy", np.eye(3))
    with pytest.raises(ConfigError, match="encoding applies to texts"):
        read(tmp_path / "x.npy", "distances", encoding=encoding)


def test_relations_from_order_lines():
    path = written(
        "orders.csv", "order,customer,product,qty\n1,ann,tea,2\n2,bob,rum,1\n3,ann,tea,3.0\n"
    )
    loaded = read(path, "relational", columns="customer,product,qty")
    assert loaded.fit["X"].toarray().tolist() == [[5, 0], [0, 1]]
    assert loaded.items == ["ann", "bob"] and loaded.columns == ["tea", "rum"]
    assert "pairs that stand above, too: 1;" in loaded.warnings[-1]
    swapped = read(path, "relational", columns="product,customer")
    assert swapped.fit["X"].toarray().tolist() == [[2, 0], [0, 1]]
    assert swapped.items == ["tea", "rum"] and swapped.warnings == []
    for columns, words in (
        ("customer,produkt", "no column 'produkt'; did you mean 'product'"),
        ("customer", "columns names 1 column; name the column of rows"),
        ("customer,product,order,qty", "columns names 4 columns"),
    ):
        with pytest.raises(ValueError, match=words):
            read(path, "relational", columns=columns)
    with pytest.raises(DataError, match="name these columns of a larger table with --columns"):
        read(path, "relational")


def test_arrays_of_a_frame_are_those_of_its_cells():
    path = written("t.csv", "age,blood\n30.5,A\n31,B\n60,A\n61,\n")
    values = _as_texts(np.asarray(read(path, "points", columns="age,blood").fit["X"]))
    assert values[:3].tolist() == [["30.5", "A"], ["31.0", "B"], ["60.0", "A"]]


def test_an_id_that_is_no_number_is_noticed():
    lines = ["part,length,who", *(f"P{k:03d},{k % 4},w{k % 4}" for k in range(12)), "P013,1,"]
    path = written("t.csv", "\n".join(lines))
    said = " ".join(read(path, "supervised", entity_column="who").warnings)
    assert "every item has a value of its own in part" in said


def test_gaps_of_items_are_named():
    rows = (f"{k}.5,{'' if k < 3 else 'Bern'},p{k % 4}" for k in range(9))
    path = written("t.csv", "\n".join(["x,city,who", *rows, ",Bern,"]))
    said = " ".join(read(path, "supervised", entity_column="who").warnings)
    assert "empty cells of the column 'city': 3; they are compared as texts" in said
    assert "empty cells of the column 'x': 1; they take the mean" in said


def test_a_country_may_be_called_na(caplog):
    lines = ["name,country", *(f"n{k},{c}" for k, c in enumerate("NA DE FR NA IT".split())), "n9,"]
    path = written("t.csv", "\n".join(lines))
    loaded = read(path, "records")
    assert loaded.fit["X"]["country"].tolist() == ["NA", "DE", "FR", "NA", "IT", None]
    assert "NA in the column 'country' is read as a code" in caplog.text
    # Where another column has it, too, it means a missing value.
    path.write_text("\n".join([*lines, "NA,DE"]))
    assert read(path, "records").fit["X"]["country"].tolist()[:4] == [None, "DE", "FR", None]
    # And beside names in place of codes.
    path.write_text("\n".join([*lines, "n8,Spain"]))
    assert read(path, "records").fit["X"]["country"][0] is None
