"""The raw tables in data/: each is what its origin, the registry and the pages say it is."""

import hashlib
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from places import ROOT
from real_data import REGISTRY

from reseat.datasets import DataSettings
from reseat.datasets.sources import Located, find

DATA = ROOT / "data"

SPEC = importlib.util.spec_from_file_location("derive", DATA / "derive.py")
derive = sys.modules["derive"] = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(derive)
ROWS = derive.origin_rows()
FILES = {row["file"]: row for row in ROWS}
HERE = [name for name, row in FILES.items() if row["in_repository"] == "yes"]
COPIES = {row["stored"]: row for row in ROWS if row["stored"]}
DERIVATIONS = dict(derive.derivations())


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def line_of(page, name):
    """Return the cells of the first table row on a page that is about `name`."""
    lines = (DATA / page).read_text(encoding="utf-8").splitlines()
    line = next(line for line in lines if line.startswith(f"| `{name}` "))
    return [cell.strip() for cell in line.strip("| ").split(" | ")]


def test_nothing_else_lies_in_the_folder():
    listed = subprocess.check_output(["git", "-C", DATA, "ls-files", "-z", "."], text=True)
    tracked = {name for name in listed.split("\0") if name and not name.startswith("licences/")}
    others = {"README.md", "derive.py", "origins.csv"}
    assert {name for name in tracked if Path(name).name not in others} == {*HERE, *COPIES}


@pytest.mark.parametrize("name", HERE)
def test_a_file_has_its_hash_and_its_line_on_the_page_of_its_folder(name):
    row, path = FILES[name], DATA / name
    assert (sha256(path), str(path.stat().st_size)) == (row["sha256"], row["bytes"])
    assert derive.sha256(derive.unpacked(path)) == row["content_sha256"]
    folder, inside = name.split("/", 1)
    assert line_of(f"{folder}/README.md", inside)[1:] == [row["bytes"], f"`{row['sha256']}`"]


@pytest.mark.parametrize("name", COPIES)
def test_a_copy_of_an_origin_is_the_blob_of_its_commit_and_has_a_licence(name):
    row, content = COPIES[name], derive.unpacked(DATA / name)
    assert row["swhid"] == f"swh:1:cnt:{derive.git_hash(content)}"
    folder, inside = name.split("/", 1)
    assert line_of(f"{folder}/README.md", inside)[2] == f"`{sha256(DATA / name)}`"
    _, here, licence, allows, said, origin, checked = line_of("README.md", name)
    assert (here, checked) == ("yes", "yes: same bytes, unpacked")
    assert licence and allows and said
    assert origin == f"{row['repository']} `{row['commit'][:10]}`"


@pytest.mark.parametrize("row", [row for row in ROWS if row["in_repository"] == "yes"])
def test_an_unchanged_file_is_the_blob_of_its_commit(row):
    if row["form"] in ("the file itself", "unpacked"):
        path = DATA / row["file"]
        content = path.read_bytes() if row["form"] == "the file itself" else derive.unpacked(path)
        assert row["swhid"] == f"swh:1:cnt:{derive.git_hash(content)}"
        assert row["checked"] == "yes"


def test_the_origins_are_those_of_the_registry():
    expected = {}
    for name in REGISTRY:
        for file in REGISTRY[name].files.values():
            form = file.forms[0]
            expected.setdefault(file.path, (form.sha256, str(form.bytes), []))[2].append(name)
    assert expected == {
        name: (row["sha256"], row["bytes"], row["datasets"].split()) for name, row in FILES.items()
    }


def test_every_address_of_the_registry_was_compared():
    compared = {(row["repository"], row["commit"], row["path"]) for row in ROWS}
    for row in ROWS:
        if row["second_address"] and row["checked"] == "yes":
            repository, commit, path = row["second_address"].split(" ", 2)
            compared.add((repository.removeprefix("github.com/"), commit, path))
    pattern = r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{40})/(.+)"
    files = [file for entry in REGISTRY.values() for file in entry.files.values()]
    forms = [form for file in files for form in file.forms]
    urls = [url for form in forms for url in form.urls]
    assert urls
    commits = (
        r"https://codeload\.github\.com/([^/]+/[^/]+)/tar\.gz/([0-9a-f]{40})",
        r"https://github\.com/([^/]+/[^/]+)/archive/([0-9a-f]{40})\.tar\.gz",
    )
    folders = []
    for archive in (archive for form in forms for archive in form.archives):
        for url in archive.urls:
            found = [match.groups() for one in commits if (match := re.fullmatch(one, url))]
            if found:
                folders += [(*found[0], archive.folder.removeprefix("*/"))]
            else:
                urls.append(url)  # an archive that is itself a file of a commit
    assert folders and [folder for folder in folders if folder not in compared] == []
    assert [url for url in urls if re.fullmatch(pattern, url).groups() not in compared] == []


@pytest.mark.parametrize("name", FILES)
def test_the_table_says_whether_a_file_is_here_and_how_it_was_checked(name):
    _, here, licence, allows, said, origin, checked = line_of("README.md", name)
    rows = [row for row in ROWS if row["file"] == name]
    assert here == rows[0]["in_repository"]
    assert licence and allows and said
    for row in rows:
        if row["repository"]:
            assert f"{row['repository']} `{row['commit'][:10]}`" in origin
    assert checked.startswith("yes") == all(row["checked"] == "yes" for row in rows)
    if licence in ("none stated", "unclear", "research only"):
        assert here == "no"


@pytest.mark.parametrize("licence", ["Apache-2.0", "GPL-3", "SimPL-2.0"])
def test_a_licence_that_asks_for_its_text_has_it(licence):
    notices = (DATA / "licences" / "NOTICES.md").read_text(encoding="utf-8")
    assert f"({licence}.txt)" in notices and (DATA / "licences" / f"{licence}.txt").is_file()


def test_a_file_made_of_works_under_creative_commons_names_them():
    notices = (DATA / "licences" / "NOTICES.md").read_text(encoding="utf-8")
    _, _, section = notices.partition("## Creative Commons\n")
    made = [name for name in HERE if "CC BY" in line_of("README.md", name)[2]]
    assert len(made) > 4
    for name in made:
        folder = str(Path(name).parent)
        assert f"`{name}`" in section or f"`{folder}`" in section, name
        for row in (row for row in ROWS if row["file"] == name):
            assert f"https://github.com/{row['repository']} " in section.replace(",", " "), name
    for licence in re.findall(r"CC (BY[-A-Z]*) (\d\.\d)", section):
        assert "https://creativecommons.org/licenses/{}/{}/".format(*licence).lower() in section


def test_numbers_that_are_said_of_the_files_are_theirs():
    lists = {file.stem: set(file.read_text().split()) for file in DATA.glob("stoplists/*.txt")}
    names = {
        "Lucene": "lucene_en", "Snowball": "snowball_en", "MALLET": "mallet_en",
        "SMART": "smart_en",
    }  # fmt: skip
    for title, size in re.findall(r"(\w+) \((\d+)", REGISTRY["stoplists"].about):
        assert len(lists.pop(names[title])) == int(size)
    assert not lists
    segments = pd.read_csv(DATA / "globins-swissprot" / "segments_2010-03.csv.gz")
    said = (DATA / "globins-swissprot" / "README.md").read_text(encoding="utf-8")
    n_proteins = segments["accession"].nunique()
    assert f"{len(segments):,} aligned segments of {n_proteins:,} proteins" in said
    mentions = pd.read_csv(DATA / "proper-noun-coref" / "gum_mentions.csv.gz")
    genres = set(mentions["genre"][mentions["partition"].isin(["train", "test"])])
    assert f"{len(genres)} kinds of text" in REGISTRY["gum_names"].note and "news" in genres


def test_a_run_finds_the_files_here_first(tmp_path):
    settings = DataSettings(mirrors=(DATA,), raw=tmp_path, download=False)
    paths = {name: {file.path for file in REGISTRY[name].files.values()} for name in REGISTRY}
    complete = [name for name in REGISTRY if paths[name] and paths[name] <= {*HERE}]
    assert {"italy", "cora_text", "globins", "gum_names", "aozora_adjectives"} <= set(complete)
    for name in complete:
        found = find(REGISTRY, name, settings, False)
        assert isinstance(found, Located), (name, found)
        assert all(path.is_relative_to(DATA) for path in found.paths.values())


def test_a_repository_is_read_at_its_commit(tmp_path):
    def git(*arguments):
        names = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        command = ["git", "-C", tmp_path, *names, *arguments]
        return subprocess.check_output(command, text=True).strip()

    git("init")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "é 2").write_bytes(b"old")
    (tmp_path / "b" / "1").write_bytes(b"\r\n")
    git("add", ".")
    git("commit", "-m", "first")
    first = git("rev-parse", "HEAD")
    (tmp_path / "b" / "é 2").write_bytes(b"new")
    git("commit", "-am", "second")
    repository = derive.Repository(tmp_path, first)
    assert repository.names("b") == ["b/1", "b/é 2"]
    assert repository.read("b/é 2") == b"old"
    assert repository.read("b/1") == b"\r\n"
    assert list(repository.read_all(["b/é 2", "b/1"])) == [b"old", b"\r\n"]
    with pytest.raises(derive.Missing, match="has no file b/3"):
        list(repository.read_all(["b/1", "b/3"]))
    with pytest.raises(derive.Missing, match="git -C .*: "):
        repository.read("b/3")


def test_a_packed_table_has_no_time_and_no_name():
    once = derive.packed("x.csv.gz", b"a,b\n")
    assert once == derive.packed("y.csv.gz", b"a,b\n")
    assert once[3:8] == bytes(5)  # no flags, so no name; no time
    assert derive.packed("x.csv", b"a,b\n") == b"a,b\n"


def test_the_command_fails_if_it_cannot_make_the_table_that_it_is_asked_for(capsys):
    with pytest.raises(SystemExit):
        derive.main(["--only", "febrl/dataset1.csv"])
    assert "there is no table febrl/dataset1.csv; the tables are" in capsys.readouterr().err
    assert derive.main(["--only", "proper-noun-coref/gum_mentions.csv.gz"]) == 1  # not here


def test_tables_are_made_again_byte_for_byte_if_their_origins_are_here(capsys):
    derived = {row["file"] for row in ROWS if row["form"] == "derived"}
    assert {name for name in derived if "ja-aozora" not in name} == set(DERIVATIONS)
    lacking = {row["file"] for row in ROWS if not row["stored"]}
    lacking.remove("zanella-synthetic/gamma_italy.csv")  # made of another file that is here
    assert derive.main([]) == 0
    *lines, counts = capsys.readouterr().out.splitlines()
    for name, line in zip(DERIVATIONS, lines, strict=True):
        if name in lacking:
            assert line.startswith(f"not run   {name}: needs a clone of github.com/")
        else:
            assert line == f"same      {name}"
    n_tables = len(DERIVATIONS)
    assert counts == f"{n_tables} tables: 4 same, 0 DIFFERS, {n_tables - 4} not run"
