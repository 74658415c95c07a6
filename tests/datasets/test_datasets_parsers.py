"""Parsers on miniature files made here, and the generated sets."""

import hashlib

import numpy as np
import pytest
from given_files import packed, put
from real_data import REGISTRY

from reseat.datasets import DataSettings, FeatureOptions, Registry, build, read_raw
from reseat.datasets.parsers import PARSERS
from reseat.datasets.parsers.message_folders import parse_mail_folders, parse_newsgroups
from reseat.datasets.parsers.reuters import parse_reuters
from reseat.datasets.parsers.topic_mail import parse_topic_mail
from reseat.datasets.registry import DataFile, Dataset, FileForm
from reseat.datasets.sources import locate
from reseat.errors import DataError


def make_tar(path, members):
    return put(path, packed(members, "w:xz"))


NEWS = {
    "top/sci.b/10": "Subject: ten\n\nten", "top/sci.b/9": b"Subject: nine\n\ncaf\xe9",
    "top/alt.a/200": "Subject: a\n\nlast", "top/README": "no article",
}  # fmt: skip


def test_an_unpacked_folder_and_the_archive_of_a_repository_give_the_same_documents(tmp_path):
    whole = parse_newsgroups({"archive": make_tar(tmp_path / "n.tar.xz", NEWS)})
    for name, content in NEWS.items():
        put(tmp_path / "copy" / name, content)
    plain = parse_newsgroups({"archive": tmp_path / "copy" / "top"})
    assert (plain.texts, plain.document_ids) == (whole.texts, whole.document_ids)
    assert whole.document_ids == ["alt.a/200", "sci.b/9", "sci.b/10"] and whole.has_headers
    members = {name.replace("top", "repo-1a2b/20_newsgroups"): NEWS[name] for name in NEWS}
    members |= {"repo-1a2b/src/code.py": "x", "repo-1a2b/src/deep/deeper/still.py": "x"}
    members["repo-1a2b/20_newsgroups_small/sci.b/1"] = "x"
    found = parse_newsgroups({"user": make_tar(tmp_path / "repository.tar.xz", members)})
    assert (found.texts, found.document_ids) == (whole.texts, whole.document_ids)


def test_the_largest_folders_of_a_user_are_kept_ties_by_name(tmp_path):
    sizes = {"big": 3, "even": 2, "also": 2, "zero": 2, "one": 1}
    members = {
        f"me/{folder}/{number + 1}": f"From: x\r\n\r\n{folder} {number}"
        for folder, size in sizes.items()
        for number in range(size)
    }
    alone = {"archive": make_tar(tmp_path / "me.tar.xz", members)}
    members = {f"top/{name}": text for name, text in members.items()}
    members["top/you/other/1"] = "From: y\n\nnot mine"
    mailbox = {"archive": make_tar(tmp_path / "m.tar.xz", members)}
    raw = parse_mail_folders(mailbox, user="me", max_classes=3)
    assert raw.label_names == ("also", "big", "even")
    assert np.bincount(raw.labels).tolist() == [2, 3, 2]
    whole, own = (parse_mail_folders(files, user="me") for files in (mailbox, alone))
    assert len(whole.texts) == 10
    assert (own.texts, own.document_ids) == (whole.texts, whole.document_ids)


def test_topic_mail_reads_folders_and_tables_alike(tmp_path):
    for topic, name in (("gas", "10"), ("gas", "2"), ("bonus", "x")):
        put(tmp_path / "folders" / topic / name, f"From: a\n\n{topic} {name}")
    folders = parse_topic_mail({"user": tmp_path / "folders"})
    assert folders.document_ids == ["bonus/x", "gas/2", "gas/10"]
    assert folders.label_names == ("bonus", "gas")
    flat = tmp_path / "flat"
    for name, topic in (("10", "gas"), ("2", "gas"), ("x", "bonus")):
        put(flat / "mail" / name, f"From: a\n\n{topic} {name}")
    table = flat / "topics.tsv"
    table.write_text("path\ttopic\nmail/x\tbonus\nmail/2\tgas\n\nmail/10\tgas\n")
    for given in (flat, table):
        listed = parse_topic_mail({"user": given})
        assert sorted(listed.texts) == sorted(folders.texts)
        assert listed.labels.tolist() == [0, 1, 1]


def test_texts_without_a_topic_are_named_in_the_log(tmp_path, caplog):
    for name in ("gas/1", "gas/2", "3", "stop_words.txt", ".hidden"):
        put(tmp_path / name, "a text")
    parse_topic_mail({"user": tmp_path})
    (tmp_path / "topics.tsv").write_text("path\ttopic\ngas/1\tgas\n")
    parse_topic_mail({"user": tmp_path})
    assert caplog.messages == [
        f"{tmp_path}: 1 files have no topic and are not read; the first is '3'",
        f"{tmp_path}: 2 files have no topic and are not read; the first is '3'",
    ]


HIDDEN = ("a/.git/HEAD", "a/__MACOSX/1", ".git/HEAD", ".git/refs/1", "__MACOSX/a/1", "a/.3.swp")


def test_what_is_hidden_is_neither_a_text_nor_a_class(tmp_path):
    texts = tmp_path / ".kept" / "texts"  # only names below the given folder count
    for name in ("a/1", "b/2", *HIDDEN):
        put(texts / name, f"From: a\n\n{name}")
    members = dict.fromkeys([f"top/{name}" for name in ("a/1", "b/2", *HIDDEN)], "From: a\n\nx")
    archive = make_tar(tmp_path / "n.tar.gz", members)
    read = [parse_newsgroups({"archive": place}) for place in (texts, archive)]
    for raw in (parse_topic_mail({"user": texts}), *read):
        assert raw.document_ids == ["a/1", "b/2"] and raw.label_names == ("a", "b")
    put(texts / "a" / "2024" / "3")  # a text in a folder of a topic is one of the topic
    put(texts / "a" / "2024" / ".hidden" / "4")
    assert parse_topic_mail({"user": texts}).document_ids == ["a/1", "a/2024/3", "b/2"]


def item(number, split, topics, text, use="YES"):
    listed = "".join(f"<D>{topic}</D>" for topic in topics)
    keys = f'TOPICS="{use}" LEWISSPLIT="{split}" CGISPLIT="X" OLDID="1" NEWID="{number}"'
    topics = f"<TOPICS>{listed}</TOPICS>\n<PLACES><D>usa</D></PLACES>"
    return f"<REUTERS {keys}>\n{topics}\n{text}\n</REUTERS>\n"


def story(title, body):
    head = f"<TEXT>&#2;\n<TITLE>{title}</TITLE>\n<DATELINE> X </DATELINE>"
    return head + f"<BODY>{body}\n&#3;</BODY></TEXT>"


def test_reuters_keeps_single_topics_that_occur_in_both_parts(tmp_path):
    first = "<!DOCTYPE lewis>\n" + "".join(
        [
            item(12, "TRAIN", ["earn"], story("Profit", "up &lt;IBM> &amp; more")),
            item(3, "TEST", ["earn"], '<TEXT TYPE="UNPROC">&#2;\nraw text only\n</TEXT>'),
            item(4, "TRAIN", ["earn", "acq"], story("two", "topics")),
            item(5, "TRAIN", [], story("no", "topic")),
            item(6, "TRAIN", ["rare"], story("train", "only")),
        ]
    )
    second = "".join(
        [
            item(7, "NOT-USED", ["earn"], story("not", "used")),
            item(8, "TRAIN", ["earn"], story("not", "ModApte"), use="NO"),
            item(9, "TEST", ["jet"], story("Jet", "caf\xe9")),
            item(10, "TRAIN", ["jet"], '<TEXT TYPE="BRIEF">&#2;\n<TITLE>Jet only</TITLE>\n</TEXT>'),
            item(11, "TEST", ["gold"], story("test", "only")),
        ]
    )
    second = second.encode("latin-1")
    archive = make_tar(
        tmp_path / "r.tar.xz",
        {"r/README.txt": item(1, "TRAIN", ["earn"], "x"), "r/2.sgm": second, "r/1.sgm": first},
    )
    raw = parse_reuters({"archive": archive})
    assert raw.document_ids == ["3", "9", "10", "12"]  # by number, not by name of file
    assert raw.label_names == ("earn", "jet") and raw.labels.tolist() == [0, 1, 1, 0]
    assert [" ".join(text.split()) for text in raw.texts] == [
        "raw text only", "Jet caf\u00e9", "Jet only", "Profit up <IBM> & more",
    ]  # fmt: skip
    assert not raw.has_headers


def small_registry(path, **keys):
    content = path.read_bytes()
    file = DataFile((FileForm(path.name, hashlib.sha256(content).hexdigest(), len(content)),), "x")
    values = {
        "title": "News", "about": "a", "family": "documents", "licence": "l", "citation": "c",
        "status": "faithful", "parser": "newsgroups", "files": {"archive": file}, **keys,
    }  # fmt: skip
    return Registry({"news": Dataset(name="news", **values)})


def test_the_corpus_says_what_was_done_to_it(tmp_path):
    path = make_tar(tmp_path / "n.tar.xz", NEWS)
    registry = small_registry(path, features={"stop_list": "none"})
    settings = DataSettings(mirrors=(tmp_path,), raw=tmp_path / "raw")
    corpus = build(registry, "news", settings, features={"top_words": 1}, kind="documents")
    assert corpus.vocabulary.tolist() == ["caf", "last", "ten"]
    steps = corpus.identity.preprocessing
    assert steps["parser"] == "newsgroups" and steps["stop_list"] == "none"
    assert steps["top_words"] == 1 and steps["headers"] == "none" and steps["n_stop_words"] == 0
    assert corpus.identity.sha256 == {"n.tar.xz": registry["news"].files["archive"].forms[0].sha256}
    features = FeatureOptions(stop_list="sklearn")
    explicit = build(registry, "news", settings, features=features, kind="documents")
    assert explicit.identity.preprocessing["stop_list"] == "sklearn"


def test_a_copy_packed_in_another_way_is_accepted_by_its_texts(tmp_path):
    path = make_tar(tmp_path / "n.tar.xz", NEWS)
    settings = DataSettings(mirrors=(tmp_path,), raw=tmp_path / "raw")
    raw = read_raw(locate(small_registry(path), "news", settings))
    digest = hashlib.sha256()
    for name, text in zip(raw.document_ids, raw.texts, strict=True):
        digest.update(f"{name}\0{text}\0".encode())
    registry = small_registry(path, texts_sha256=digest.hexdigest(), features={"stop_list": "none"})
    other = make_tar(tmp_path / "other.tar.xz", dict(reversed(NEWS.items())))
    own = DataSettings(mirrors=(), raw=tmp_path / "raw", paths={"news": other})
    corpus = build(registry, "news", own, kind="documents")
    assert corpus.identity.sha256 == {"texts as read": digest.hexdigest()}
    make_tar(other, {**NEWS, "top/sci.b/9": "Subject: nine\n\ntea"})
    with pytest.raises(DataError, match="data.paths.news points to a copy whose 3 texts differ"):
        build(registry, "news", own, kind="documents")


def test_every_parser_is_in_use():
    used = {entry.parser for entry in REGISTRY.values() if entry.parser}
    of_users = {"item_pairs", "labelled_items"}  # see docs/howto/own-data.md
    assert set(PARSERS) == used | of_users and used.isdisjoint(of_users)
