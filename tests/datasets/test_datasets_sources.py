"""Finding files: order of sources, refusal by hash, downloads, the table of missing data."""

import functools
import hashlib
import os
import re
from dataclasses import replace
from http.server import SimpleHTTPRequestHandler

import given_files
import pytest
from given_files import serving

from reseat.datasets import DataSettings, Registry, check_available, format_missing, missing_report
from reseat.datasets import user_files as hashes_module
from reseat.datasets.build import build
from reseat.datasets.registry import Archive, DataFile, Dataset, FileForm
from reseat.datasets.sources import locate
from reseat.errors import ConfigError, DataError

GOOD = b"the right bytes\n" * 10


def form(path, content=GOOD, urls=()):
    return FileForm(path, hashlib.sha256(content).hexdigest(), len(content), tuple(urls))


def dataset(name, files=None, **keys):
    values = {
        "title": name, "about": "a", "family": "documents", "licence": "l", "citation": "c",
        "status": "faithful", "origin": f"the origin of {name}",
    }  # fmt: skip
    values.update(keys)
    files = {role: DataFile(tuple(own), values["origin"]) for role, own in (files or {}).items()}
    return Dataset(name=name, files=files, **values)


def registry_of(*entries):
    return Registry({entry.name: entry for entry in entries})


def one_at(*urls):
    """Return a registry with one data set, whose file is at these addresses."""
    return registry_of(dataset("one", {"text": [form("one/a.txt", urls=urls)]}))


@pytest.fixture
def one():
    return one_at()


def put(folder, content=GOOD, path="one/a.txt"):
    return given_files.put(folder / path, content)


def settings(tmp_path, *mirrors, **keys):
    keys = {"download": False, "progress": False, **keys}
    folders = tuple(tmp_path / name for name in mirrors)
    return DataSettings(mirrors=folders, raw=tmp_path / "raw", **keys)


def test_raw_comes_before_mirrors_and_mirrors_keep_their_order(tmp_path, one):
    where = settings(tmp_path, "m1", "m2")
    second = put(tmp_path / "m2")
    assert locate(one, "one", where).paths["text"] == second
    first = put(tmp_path / "m1")
    assert locate(one, "one", where).paths["text"] == first
    raw = put(tmp_path / "raw")
    located = locate(one, "one", where)
    assert located.paths["text"] == raw
    assert located.identity.sha256 == {"one/a.txt": form("").sha256}
    assert located.notes == ()


def test_a_damaged_mirror_file_is_reported_left_alone_and_the_next_source_used(tmp_path, one):
    bad = put(tmp_path / "m1", GOOD[:-5])
    good = put(tmp_path / "m2")
    located = locate(one, "one", settings(tmp_path, "m1", "m2"))
    assert located.paths["text"] == good
    assert len(located.notes) == 1
    assert "m1" in located.notes[0] and "truncated (155 of 160 bytes)" in located.notes[0]
    assert bad.read_bytes() == GOOD[:-5]
    with pytest.raises(DataError, match="one/a.txt.*truncated.*the origin of one"):
        locate(one, "one", settings(tmp_path, "m1"))


def test_a_damaged_raw_file_stays_until_a_download_takes_its_place(tmp_path, server):
    folder, address = server
    put(folder, GOOD, "good.txt")
    registry = one_at(f"{address}/good.txt")
    wrong = b"x" + GOOD[1:]
    bad = put(tmp_path / "raw", wrong)
    with pytest.raises(DataError, match="is not the expected file"):
        locate(registry, "one", settings(tmp_path, download=False))
    assert bad.read_bytes() == wrong and len(list(bad.parent.iterdir())) == 1
    located = locate(registry, "one", settings(tmp_path, download=True))
    aside = bad.with_name(f"a.txt.corrupt-{hashlib.sha256(wrong).hexdigest()[:8]}")
    assert located.paths["text"] == bad and bad.read_bytes() == GOOD
    assert aside.read_bytes() == wrong


def test_a_page_in_the_place_of_a_file_is_called_that(tmp_path, server):
    folder, address = server
    put(folder, b"\n<!DOCTYPE html><p>no such file", "page.txt")
    registry = one_at(f"{address}/page.txt")
    put(tmp_path / "m1", b"<html>no")
    with pytest.raises(DataError, match="a.txt is a web page.* returned a web page"):
        locate(registry, "one", settings(tmp_path, "m1", download=True))


def test_unusable_mirrors_and_files_are_named_and_passed_over(tmp_path, one, monkeypatch):
    (tmp_path / "afile").write_text("not a folder")
    (tmp_path / "locked").mkdir()
    put(tmp_path / "denied")
    good = put(tmp_path / "good")
    # Permissions do not stop every user (root, for one), so functions are replaced instead.
    access, sha256_of = os.access, hashes_module.sha256_of

    def refuse(path):
        if "denied" in str(path):
            raise PermissionError(13, "Permission denied")
        return sha256_of(path)

    monkeypatch.setattr(
        os, "access", lambda path, mode: "locked" not in str(path) and access(path, mode)
    )
    monkeypatch.setattr(hashes_module, "sha256_of", refuse)
    where = settings(tmp_path, "absent", "afile", "locked", "denied", "good")
    located = locate(one, "one", where)
    assert located.paths["text"] == good
    for said in ("afile is not a folder", "locked cannot be read", "Permission denied"):
        assert any(said in note for note in located.notes)
    assert len(located.notes) == 3


def test_a_hash_is_computed_once_until_the_file_changes(tmp_path, one, monkeypatch):
    file = put(tmp_path / "m1")
    calls = []
    real = hashes_module.sha256_of
    monkeypatch.setattr(hashes_module, "sha256_of", lambda path: calls.append(path) or real(path))
    where = settings(tmp_path, "m1")
    locate(one, "one", where)
    locate(one, "one", where)
    assert len(calls) == 1
    file.write_bytes(b"y" + GOOD[1:])
    os.utime(file, ns=(1, 1))
    with pytest.raises(DataError):
        locate(one, "one", where)
    assert len(calls) == 2
    file.write_bytes(GOOD)
    put(tmp_path / "raw", b"{not json", "verified.json")  # damaged, so it is ignored
    assert locate(one, "one", where).paths


def test_another_form_of_the_file_serves_if_the_first_is_absent(tmp_path):
    forms = [form("one/a.xz", b"packed"), form("one/a.txt")]
    registry = registry_of(dataset("one", {"text": forms}))
    plain = put(tmp_path / "m1")
    located = locate(registry, "one", settings(tmp_path, "m1"))
    assert located.paths["text"] == plain
    assert list(located.identity.sha256) == ["one/a.txt"]


@pytest.mark.parametrize("given", ["", "a.txt", "laid/out"])
def test_a_users_copy_is_found_as_file_folder_or_mirror(tmp_path, one, given):
    own = tmp_path / "own"
    file = put(own, path="laid/out/one/a.txt" if given == "laid/out" else "a.txt")
    where = settings(tmp_path, paths={"one": own / given})
    assert locate(one, "one", where).paths["text"] == file


def test_a_users_copy_comes_first_and_nothing_takes_its_place(tmp_path):
    registry = one_at("https://example.org/a.txt")
    put(tmp_path / "raw")
    put(tmp_path / "m1")
    own = tmp_path / "raw" / "own"
    where = settings(tmp_path, "m1", paths={"one": own}, download=True)
    for content, said in (
        (None, "own, which does not exist"),
        (b"", "own, which does not contain a.txt"),
        (b"mine", "own/a.txt is truncated .* and is refused"),
    ):
        if content is not None:
            put(own, content, "a.txt" if content else "other.txt")
        (row,) = missing_report(registry, ["one"], where)
        assert re.search(said, row.reason) and not row.urls
        with pytest.raises(DataError, match=said):
            locate(registry, "one", where)
        with pytest.raises(DataError, match="What data.paths names for one cannot be used"):
            check_available(registry, ["one"], replace(where, missing="skip"))
    # A file that the user names is never moved, whatever it contains and wherever it is.
    assert (own / "a.txt").read_bytes() == b"mine" and not [*own.glob("*corrupt*")]
    file = put(own, path="a.txt")
    assert locate(registry, "one", where).paths["text"] == file


def test_a_users_folder_may_contain_some_of_the_files(tmp_path):
    files = {"a": [form("one/a.txt")], "b": [form("one/b.txt", b"other")]}
    registry = registry_of(dataset("one", files))
    put(tmp_path / "m1")
    elsewhere = put(tmp_path / "m1", b"other", "one/b.txt")
    own = put(tmp_path / "own", path="a.txt")
    where = settings(tmp_path, "m1", paths={"one": own.parent})
    assert locate(registry, "one", where).paths == {"a": own, "b": elsewhere}
    put(tmp_path / "own", b"changed", "b.txt")
    with pytest.raises(DataError, match="own/b.txt is not the expected file"):
        locate(registry, "one", where)


def test_licensed_data_come_by_the_users_path_only(tmp_path):
    registry = registry_of(
        dataset("mail", user_path="the corpus as folders", standins=("one",)),
        dataset("one", {"text": [form("one/a.txt")]}),
    )
    with pytest.raises(DataError, match="data.paths.mail is not set"):
        locate(registry, "mail", settings(tmp_path))
    own = registry_of(dataset("mine", user_path="a table", status="own", origin=""))
    with pytest.raises(DataError, match="a table: data.paths.mine is not set; available"):
        locate(own, "mine", settings(tmp_path))
    with pytest.raises(DataError, match="does not exist"):
        locate(registry, "mail", settings(tmp_path, paths={"mail": tmp_path / "absent"}))
    located = locate(registry, "mail", settings(tmp_path, paths={"mail": tmp_path}))
    assert located.paths == {"user": tmp_path}


@pytest.fixture
def server(tmp_path):
    folder = tmp_path / "served"
    with serving(functools.partial(SimpleHTTPRequestHandler, directory=folder)) as running:
        yield folder, running.url


def test_a_wrong_or_absent_download_is_kept_aside_and_the_next_url_tried(tmp_path, server):
    folder, address = server
    put(folder, GOOD[:50], "cut.txt")
    served = put(folder, GOOD, "good.txt")
    registry = one_at(*(f"{address}/{name}.txt" for name in ("absent", "cut", "good")))
    where = settings(tmp_path, download=True, progress=True)
    located = locate(registry, "one", where)
    assert located.paths["text"].read_bytes() == GOOD
    assert "absent.txt could not be downloaded" in located.notes[0] and "404" in located.notes[0]
    aside = f"a.txt.corrupt-{hashlib.sha256(GOOD[:50]).hexdigest()[:8]}"
    assert aside in located.notes[1]
    assert sorted(file.name for file in (tmp_path / "raw" / "one").iterdir()) == ["a.txt", aside]
    served.unlink()
    assert locate(registry, "one", where).paths == located.paths  # without the network


@pytest.fixture
def several():
    return registry_of(
        dataset("one", {"text": [form("one/a.txt")]}, standins=("spare",)),
        dataset("two", {"b": [form("two/b.txt")], "c": [form("two/c.txt")]}, standins=("one",)),
        dataset("mail", user_path="the corpus as folders", standins=("one",)),
        dataset("gone", obtainable=False, standins=("one", "spare")),
        dataset("spare", status="generated", stands_for="one"),
        dataset("alone", {"text": [form("alone.txt")]}),
    )


def test_the_report_lists_everything_at_once(tmp_path, several):
    names = ["one", "two", "mail", "gone", "spare"]
    where = settings(tmp_path, "m1")
    rows = missing_report(several, names, where)
    assert [(row.dataset, row.file) for row in rows] == [
        ("one", "one/a.txt"), ("two", "two/b.txt"), ("two", "two/c.txt"),
        ("mail", "the corpus as folders"), ("gone", "the whole data set"),
    ]  # fmt: skip
    with pytest.raises(DataError) as caught:
        check_available(several, names, where)
    text = str(caught.value)
    assert format_missing(rows, where) in text
    for word in (
        "4 data sets", "the origin of two", "data.paths.mail", "data.missing: skip",
        f"put them in {tmp_path / 'raw'}, in the folders and under the names",
        "data.missing: standin", "gone -> one + spare",
    ):  # fmt: skip
        assert word in " ".join(text.split())


def test_what_is_missing_says_what_to_do_with_what_is_at_its_address(tmp_path):
    def where(**keys):
        archive = Archive(("https://example.org/a.tar.gz",), "*/a", "a", 9, **keys)
        file = DataFile((form("one/a.csv.gz"), replace(form("one/a.csv"), archives=(archive,))), "")
        registry = registry_of(replace(dataset("one"), files={"text": file}))
        return missing_report(registry, ["one"], settings(tmp_path))[0].where

    assert where() == "https://example.org/a.tar.gz (data.paths.one may name it as it is)"
    assert "data/derive.py --clones CLONES --only a.csv" in where(derive="a.csv", repository="x/y")


def test_what_can_be_downloaded_is_not_missing_and_no_address_is_broken(tmp_path):
    url = "https://example.org/" + "a" * 150
    assert missing_report(one_at(url), ["one"], settings(tmp_path, download=True)) == []
    rows = missing_report(one_at(url), ["one"], settings(tmp_path, download=False))
    assert len(rows) == 1 and url in format_missing(rows, width=80)


def test_skip_leaves_out_and_says_so_and_nothing_missing_changes_nothing(tmp_path, several):
    result = check_available(several, ["one", "spare"], settings(tmp_path, missing="skip"))
    assert result.names == ("spare",) and result.skipped == ("one",)
    with pytest.raises(DataError, match="No data set is left"):
        check_available(several, ["one"], settings(tmp_path, missing="skip"))
    put(tmp_path / "m1")
    result = check_available(several, ["spare", "one", "spare"], settings(tmp_path, "m1"))
    assert result.names == ("spare", "one") and result.missing == () and result.replaced == {}
    with pytest.raises(ConfigError, match="'on'"):
        check_available(several, ["on"], settings(tmp_path))


def test_standin_replaces_and_records(tmp_path, several):
    put(tmp_path / "m1", path="two/b.txt")
    where = settings(tmp_path, "m1", missing="standin")
    result = check_available(several, ["two", "gone", "spare"], where)
    # `one` is missing too, so its own stand-in is used.
    assert result.names == ("spare",)
    assert result.replaced == {"two": ("spare",), "gone": ("spare",)}
    put(tmp_path / "m1")
    result = check_available(several, ["two", "gone"], where)
    assert result.names == ("one", "spare")
    assert result.replaced == {"two": ("one",), "gone": ("one", "spare")}
    with pytest.raises(DataError, match="No stand-in is available for alone"):
        check_available(several, ["alone", "two"], where)


@pytest.mark.parametrize("choice", ["stop", "skip", "standin"])
def test_a_stop_list_that_is_needed_is_asked_for_under_every_choice(tmp_path, choice):
    registry = registry_of(
        dataset("text", parser="generated", status="generated", stands_for="x"),
        dataset("stoplists", {"snowball_en": [form("s.txt")], "smart_en": [form("t.txt")]}),
    )
    where = settings(tmp_path, "m1", missing=choice)
    with pytest.raises(DataError, match="s.txt") as caught:
        check_available(registry, ["text"], where)
    assert "t.txt" not in str(caught.value) and "stop_list sklearn" in str(caught.value)
    assert check_available(registry, ["text"], where, {"stop_list": "sklearn"}).names == ("text",)
    put(tmp_path / "m1", path="s.txt")
    assert check_available(registry, ["text"], where).names == ("text",)


@pytest.mark.parametrize(
    ("roles", "sentence"),
    [
        (("table", "truht"), "'two': key 'files.truht': .* does not read .*; did you mean 'truth'"),
        (("tabel",), "'two': the parser 'record_table' reads a file 'table', which the entry"),
    ],
)
def test_a_file_under_a_name_that_the_parser_does_not_read_is_refused(tmp_path, roles, sentence):
    contents = (b"name,entity\nann,1\nbob,2\n", b"a,b\n")
    files = {role: [form(f"two/{role}", text)] for role, text in zip(roles, contents, strict=False)}
    for role, text in zip(roles, contents, strict=False):
        put(tmp_path / "m1", text, f"two/{role}")
    keys = {"family": "records", "parser": "record_table", "options": {"entity": "entity"}}
    entry = dataset("two", files, **keys)
    with pytest.raises(ConfigError, match=sentence):
        build(registry_of(entry), "two", settings(tmp_path, "m1"))
