"""Files that claim or unpack to too much are refused before memory is allocated for them."""

import csv
import gzip
import io
import tracemalloc
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from given_files import packed as tarred
from given_files import put

from reseat.command.inputs.documents import read_documents
from reseat.datasets import DataSettings, Registry, build
from reseat.datasets.parsers import citation_table
from reseat.datasets.parsers.count_tables import parse_count_tables
from reseat.datasets.parsers.reuters import parse_reuters
from reseat.datasets.parsers.sequence_files import parse_sequence_fasta
from reseat.datasets.registry import Dataset
from reseat.dissimilarities import read_dissimilarities
from reseat.errors import DataError, ReseatError, unforeseen
from reseat.files import packed
from reseat.files.texts import open_text, read_text
from reseat.reading import archives
from reseat.reading.archives import natural_key, read_members
from reseat.reading.matrices import read_counts, read_dense_archive
from reseat.reading.source import MAX_TEXT_LETTERS, open_input
from reseat.reading.tables import read_frame

BOUND = 2**20
RULES = {"pairs": {"columns": {"a": "a", "n": "n"}}}


@pytest.fixture
def bounded(monkeypatch):
    """Set the bound on unpacked files to a megabyte, so that no test needs more."""
    monkeypatch.setattr(packed, "UNPACKED", BOUND)


def bomb(path, start=b""):
    """Write a packed file that unpacks to 64 times the bound, and return its path."""
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(start)
        for _ in range(64):
            file.write(BOUND * b"A")
    return path


def test_a_cell_may_hold_a_long_text(tmp_path):
    limit = csv.field_size_limit()
    path = tmp_path / "books.csv"
    path.write_text(f"name,text\na,{200_000 * 'x'}\nb,y\n")
    assert read_frame(path, MAX_TEXT_LETTERS)["text"].str.len().tolist() == [200_000, 1]
    with pytest.raises(DataError, match="line 2: a cell has more than 32,767 letters"):
        read_frame(path)
    path.write_text(f"name,text\na,{(2**24 + 1) * 'x'}\n")
    with pytest.raises(DataError, match="line 2: a cell has more than 16,777,216 letters"):
        read_frame(path, MAX_TEXT_LETTERS)
    assert csv.field_size_limit() == limit  # the limit for other readers


def test_lines_of_a_packed_file_are_read_from_its_stream(tmp_path, monkeypatch):
    lines = [b"first\n", b"\n", b"last"]
    with gzip.open(tmp_path / "t.gz", "wb") as file:
        file.writelines(lines)
    monkeypatch.setattr(packed.Bounded, "read", lambda *_: pytest.fail("byte by byte"))
    assert list(packed.decompressed(tmp_path / "t.gz")) == lines


@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("t.gz", read_text),
        ("l.gz", lambda path: list(packed.decompressed(path))),
        ("s.fasta.gz", lambda path: parse_sequence_fasta({"user": path})),
        ("t.tsv.gz", lambda path: parse_count_tables({"user": path}, RULES)),
        ("m.csv.gz", read_dissimilarities),
    ],
)
def test_a_packed_bomb_is_refused_before_it_is_unpacked(tmp_path, bounded, name, read):
    path = bomb(tmp_path / name, b">x\n" if "fasta" in name else b"")
    tracemalloc.start()
    with pytest.raises(DataError, match=f"{name} unpacks to more than 1,048,576 bytes; if this"):
        read(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 24 * BOUND


def test_a_tar_bomb_is_refused_before_it_is_unpacked(tmp_path, bounded):
    path = put(tmp_path / "n.tar.gz", tarred({"top/a/1": bytes(64 * BOUND)}))
    tracemalloc.start()
    with pytest.raises(DataError, match=r"n\.tar\.gz .* more than 1,048,576 bytes"):
        list(read_members(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * BOUND


def test_an_unpacked_file_may_have_any_size(tmp_path, bounded):
    path = tmp_path / "t.txt"
    path.write_bytes(3 * BOUND // 8 * b"AAAAAAA\n")
    assert len(read_text(path)) == 3 * BOUND
    archive = put(tmp_path / "n.tar", tarred({"top/a/1": path.read_bytes()}, "w"))
    ((_, content),) = read_members(archive)
    assert len(content) == 3 * BOUND


def test_lines_of_a_packed_text_are_read_to_the_end(tmp_path, bounded):
    path = tmp_path / "t.gz"
    path.write_bytes(gzip.compress(b"".join(b"line %d\n" % number for number in range(9999))))
    with open_text(path) as file:
        assert sum(1 for _ in file) == 9999


def test_an_archive_of_very_many_files_is_refused(tmp_path, monkeypatch):
    assert archives.MAX_MEMBERS < 10**6
    monkeypatch.setattr(archives, "MAX_MEMBERS", 20)
    path = tmp_path / "n.tar"
    for number, refused in ((20, False), (21, True)):
        put(path, tarred({f"top/a/{n}": "" for n in range(number)}, "w"))
        if refused:
            with pytest.raises(DataError, match="more than 20 files; .* specify the folder"):
                list(read_members(path))
        else:
            assert len(list(read_members(path))) == number


def npy(shape, n_bytes=0):
    """Return an npy file whose header claims a shape, followed by `n_bytes` zero bytes."""
    file = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": shape}
    np.lib.format.write_array_header_1_0(file, header)
    return file.getvalue() + bytes(n_bytes)


@pytest.mark.parametrize("shape", [(10**6, 10**6), (10**30,), (3, 4)])
def test_an_array_shorter_or_longer_than_it_says_is_refused(tmp_path, shape):
    (tmp_path / "m.npy").write_bytes(npy(shape, 72))
    with zipfile.ZipFile(tmp_path / "m.npz", "w") as archive:
        archive.writestr("m.npy", npy(shape, 72))
    for read, name in (
        (read_dissimilarities, "m.npy"), (read_counts, "m.npy"), (read_counts, "m.npz"),
        (read_dense_archive, "m.npz"),
    ):  # fmt: skip
        words = rf"{name} is not a complete npy file .* bytes, but it holds 72"
        with pytest.raises(DataError, match=words):
            read(tmp_path / name)
    (tmp_path / "m.npy").write_bytes(npy((3, 3), 72))
    assert read_dissimilarities(tmp_path / "m.npy").shape == (3, 3)


def test_an_archive_of_arrays_that_unpacks_to_too_much_is_refused(tmp_path, bounded):
    np.savez_compressed(tmp_path / "m.npz", np.zeros((400, 400)))
    with pytest.raises(DataError, match=r"m\.npz unpacks to more than .* save it again uncompr"):
        read_dense_archive(tmp_path / "m.npz")
    np.savez(tmp_path / "m.npz", np.zeros((400, 400)))
    assert read_dense_archive(tmp_path / "m.npz").shape == (400, 400)


DOCUMENTS = SimpleNamespace(
    **dict.fromkeys(("vocabulary", "text_column", "id_column")), input=Path("texts"),
    stop_list="none", top_words=0,
)  # fmt: skip


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("docword.x.txt", "1000000000\n3\n1\n1 1 1\n", "claims 1,000,000,000 x 3 rows"),
        ("docword.x.txt", "3\n1000000000\n1\n1 1 1\n", "claims 3 x 1,000,000,000 rows"),
        ("docword.x.txt", "9" * 5000 + "\n3\n1\n1 1 1\n", "rows and columns for 1 entries"),
        ("docword.x.txt", "-3\n3\n1\n1 1 1\n", "does not begin with three lines"),
        ("docword.x.txt", f"3\n3\n1\n1 1 {10**30}\n", "must consist of a document number"),
        ("x.txt", "1 9999999999:1\n1 0:1\n", "claims 2 x 10,000,000,000 rows"),
        ("x.txt", "9" * 5000 + " 1:1\n1 0:1\n", "1 words, but the line announces 9+"),
        ("x.txt", f"1 1:{'9' * 5000}\n1 0:1\n", "counts must be whole numbers between 0 and"),
        ("x.mtx", "%%MatrixMarket matrix coordinate integer general\n9 9 900000000000\n1 1 1\n",
         "with 900,000,000,000 entries, more than the file can contain"),
        ("x.mtx", "%%MatrixMarket matrix array real general\n1000000 1000000\n1\n",
         "more than the file can contain"),
        ("x.mtx", "%%MatrixMarket matrix coordinate integer general\n900000000 9 1\n1 1 1\n",
         "claims 900,000,000 x 9 rows and columns for 1 entries"),
    ],
    ids=range(11),
)  # fmt: skip
def test_counts_that_claim_more_than_there_is_are_refused(tmp_path, name, text, words):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(DataError, match=words):
        read_documents(open_input(path, "documents"), DOCUMENTS)


def test_a_sparse_matrix_of_mostly_nothing_is_refused(tmp_path):
    path = tmp_path / "x.npz"
    sp.save_npz(path, sp.coo_array(([1], ([0], [0])), shape=(10**12, 3)))
    with pytest.raises(DataError, match="claims 1,000,000,000,000 x 3 rows"):
        read_counts(path)


LONG = 400_000


@pytest.mark.parametrize(
    "text",
    [
        LONG // 10 * "<REUTERS TOPICS=",
        "<REUTERS " + LONG // 2 * 'A="' + "></REUTERS>",
        '<REUTERS TOPICS="YES" LEWISSPLIT="TEST" NEWID="1"><TOPICS>'
        + LONG // 3 * "<D>"
        + "</TOPICS></REUTERS>",
        '<REUTERS TOPICS="YES" LEWISSPLIT="TEST" NEWID="1"><TOPICS><D>a</D></TOPICS>'
        + LONG // 6 * "<TEXT>"
        + "</REUTERS>",
    ],
    ids=range(4),
)
def test_marks_that_are_never_closed_are_passed_once(tmp_path, text):
    archive = put(tmp_path / "r.tar", tarred({"r/1.sgm": text}, "w"))
    with pytest.raises(DataError, match="not closed|no single-topic"):
        parse_reuters({"archive": archive})


def test_a_sequence_of_very_many_lines_is_joined_once(tmp_path):
    path = tmp_path / "s.fasta"
    path.write_text(">a\n" + LONG // 2 * "M\n" + ">b\nM\n>c\nM\n")
    assert len(parse_sequence_fasta({"user": path}).sequences[0]) == LONG // 2


def test_names_of_very_many_digits_are_no_numbers():
    long = 5000 * "9"
    assert sorted(["a", long, "10", "9"], key=natural_key) == ["9", "10", long, "a"]


@pytest.mark.parametrize("error", [KeyError("x"), MemoryError(), RecursionError("deep\nindeed")])
def test_what_a_parser_did_not_foresee_is_one_sentence(tmp_path, monkeypatch, error):
    def parse(paths, **options):
        raise error

    monkeypatch.setattr(citation_table, "parse_citation_table", parse)
    path = put(tmp_path / "mine.csv", "id\n")
    texts = ("t", "a", "supervised", "l", "c", "faithful")
    entry = Dataset("mine", *texts, parser="citation_table", user_path="x")
    settings = DataSettings(mirrors=(), raw=tmp_path / "raw", paths={"mine": path})
    with pytest.raises(DataError) as caught:
        build(Registry({"mine": entry}), "mine", settings)
    said = str(caught.value)
    assert said.startswith(f"data set 'mine': the parser 'citation_table' cannot read {path} (")
    assert type(error).__name__ in said and "\n" not in said


def test_errors_that_are_meant_for_the_user_pass():
    with pytest.raises(ReseatError, match="^as it is$"), unforeseen("nothing"):
        raise DataError("as it is")
