"""`reseat cluster` and `reseat verify`: files and options that are refused in one sentence."""

import gzip
import io
import os
import re
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
import scipy.io
import scipy.sparse as sp
from calls import read, written
from scipy.spatial.distance import squareform

from reseat.command.main import COMMANDS, main
from reseat.command.runs import _own_table
from reseat.counts import canonical_counts
from reseat.dissimilarities import check_dissimilarities, read_dissimilarities
from reseat.errors import ConfigError, DataError
from reseat.reading.foreign import texts_of_objects
from reseat.reading.matrices import read_counts
from reseat.reading.source import Source, open_input
from reseat.reading.tables import read_frame
from reseat.reading.warnings_on_data import remarks_on_cells, remarks_on_labels


def read_relation(name, content):
    return read(written(name, content), "relational")


def test_empty_lines_above_a_table_are_skipped():
    assert list(read_frame(written("t.csv", "\n  \na;b\n1;2\n"))) == ["a", "b"]
    matrix = written("m.csv", "\n;a;b;c\na;0;1;2\nb;1;0;2\nc;2;2;0\n")
    assert read_dissimilarities(matrix).shape == (3, 3)
    with pytest.raises(DataError, match="p.csv, line 4: empty cell"):
        read_relation("p.csv", "\n\na\tb\nc\t\n")


def test_one_column_may_have_separators_in_some_cells():
    assert len(read_frame(written("t.csv", "name\nSmith; J\nBrown\n"))) == 2


@pytest.mark.parametrize("piped", [False, True])
def test_tables_under_the_name_of_texts(piped, monkeypatch):
    remedy = "add --format {}" if piped else "so that its name ends in .{}"
    text = '{"a": "x y"}\n\n{"a": "y z"}\n'
    path = Path("-" if piped else written("x.txt", text))
    for model, more in (("documents", " and name the key of the texts"), ("records", ".")):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        said = "one JSON object per line; .*" + remedy.format("jsonl") + more
        with pytest.raises(DataError, match=said):
            open_input(path, model)
    name = "-" if piped else "t.txt"
    (said,) = said_of("documents", 'id,note\n1,"red, blue"\n2,green apples\n', name=name)
    assert "if the first line (id, note) names columns" in said and remedy.format("csv") in said
    assert not said_of("documents", "id,note\nred, blue, green\ngreen apples\n", name=name)


def test_counts_are_found_by_the_name_of_their_column():
    """Keys of objects have no order; and counts may be written with a point by other programs."""
    objects = ['{"count": 2, "user": 7, "item": 9}', '{"count": 3.0, "user": 8, "item": 9}',
               '{"count": 1, "user": 8, "item": 10}']  # fmt: skip
    by_key = read_relation("r.jsonl", "\n".join(objects))
    assert by_key.items == ["7", "8"] and by_key.columns == ["9", "10"]
    assert by_key.fit["X"].toarray().tolist() == [[2, 0], [3, 1]]
    last = read_relation("t.csv", "user,item,n\na,x,2.0\nb,x,3.0\nb,y,1.00\n")
    assert last.fit["X"].toarray().tolist() == [[2, 0], [3, 1]]
    with pytest.raises(DataError, match="line 2: the count '2.5' is not a whole number"):
        read_relation("t.csv", "user,item,n\na,x,2.5\nb,x,3\n")


def test_a_circle_of_links_is_one_sentence(capsys):
    Path("a").symlink_to("b")
    Path("b").symlink_to("a")
    for given, out in (("a", "o"), (str(written("x.csv", "a,b\n1,2\n")), "a")):
        assert main(["cluster", "records", given, "-o", out]) == 2
        assert re.search("cannot be|not found", capsys.readouterr().err)


@pytest.mark.parametrize("cell", [["x"], {"x": 1}, b"x", np.array([1])], ids=str)
def test_nested_cells_of_parquet_are_refused_and_an_index_is_a_column(cell, monkeypatch):
    frame = pd.DataFrame({"first": ["u", "v"]}, index=pd.Index([7, 8], name="id"))
    monkeypatch.setattr(pd, "read_parquet", lambda path: frame)
    assert list(read_frame(written("t.parquet", b"PAR1"))) == ["id", "first"]
    frame["first"] = pd.Series(["u", cell], index=frame.index, dtype=object)
    with pytest.raises(DataError, match="t.parquet, row 2: the cell of the column 'first' is"):
        read_frame(Path("t.parquet"))


def test_a_dense_matrix_market_file_is_a_matrix():
    counts = np.random.default_rng(1).integers(0, 4, (5, 3))
    scipy.io.mmwrite("dense.mtx", counts)
    assert (read_counts(Path("dense.mtx")).toarray() == counts).all()


def test_whole_numbers_in_objects_are_read_without_a_point():
    table = read_frame(written("n.jsonl", '{"a": 1}\n{"a": 1.0}\n{"a": 1.5}'))
    assert table["a"].tolist() == ["1", "1", "1.5"]


def test_keys_are_read_as_names_of_columns_are():
    decomposed = unicodedata.normalize("NFD", "größe")
    texts = Source.of(written("t.jsonl", f'{{" {decomposed}": "red"}}'))
    assert texts_of_objects(texts, "größe") == [["red"]]
    said_of("documents", '"größe"\nred pie\nblue sky\n', "--text-column", f" {decomposed}")
    with pytest.raises(ConfigError, match="--columns is empty"):
        said_of("records", "a,b\nx,y\n", "--columns", ",")


def test_files_that_may_not_be_read():
    path = written("t.csv", "a,b\nx,y\n")
    denied = {"side_effect": PermissionError(13, "Permission denied", "t.csv")}
    refusal = pytest.raises(DataError, match="you lack the permission")
    with patch.object(os, "access", return_value=False), refusal:
        open_input(path, "records")
    refusal = pytest.raises(DataError, match="t.csv cannot be read .Permission denied.; check")
    with patch.object(Path, "exists", **denied), refusal:
        open_input(path, "records")
    np.save("d.npy", np.zeros((3, 3)))
    refusal = pytest.raises(DataError, match="d.npy cannot be read .Permission denied.")
    with patch.object(np, "load", **denied), refusal:
        read_dissimilarities("d.npy")
    refusal = pytest.raises(DataError, match="The standard input is closed")
    with patch.object(sys, "stdin", None), refusal:
        open_input(Path("-"), "records")


def test_output_that_cannot_be_written_is_no_verdict(monkeypatch, capsys):
    def run(_):
        raise errors.pop()

    monkeypatch.setitem(COMMANDS, "verify", COMMANDS["verify"]._replace(run=run))
    errors = [BrokenPipeError(32, "Broken pipe"), OSError(28, "No space left on device")]
    assert main(["verify"]) == 2
    assert "the standard output cannot be used (No space left" in capsys.readouterr().err
    assert main(["verify"]) == 2
    assert not capsys.readouterr().err
    Path("folder").mkdir()
    with pytest.raises(DataError, match="folder cannot be read"):
        _own_table(Path("folder"))


def test_cells_of_a_matrix_that_are_too_long():
    with pytest.raises(DataError, match="line 2: a cell has more than 131,072 letters"):
        read_dissimilarities(written("m.csv", "a,b\n" + "0|" * 70_000))


def said_of(model, text, *options, name="t.csv"):
    """Return the remarks on a table, or on lines of text, without running a chain."""
    if name != "-":
        written(name, text)
    stdin = SimpleNamespace(buffer=io.BytesIO(text.encode()))
    with patch.object(sys, "stdin", stdin):
        return read(name, model, *options).warnings


@pytest.mark.parametrize("word", ["unknown", "-", "0"])
def test_words_for_no_entity_are_said(word):
    rows = [f"r{n},{'' if n > 7 else word if n > 5 else f'e{n // 2}'},{n * n},g{n % 2}"
            for n in range(12)]  # fmt: skip
    text = "\n".join(["id,who,size,group", *rows])
    expected = f"2 cells of the column 'who' contain {word!r}, which is treated as an entity"
    assert expected in " ".join(said_of("supervised", text, "--entity-column", "who"))
    assert expected in " ".join(said_of("records", text, "--entity-column", "who"))
    expected = f"6 cells of the column 'group' contain {word!r}, which is treated as a"
    for model, what, options in (
        ("supervised", "group", ("--entity-column", "who", "--group-column", "group")),
        ("records", "source", ("--source-column", "group", "--likelihood", "similar")),
    ):
        said = " ".join(said_of(model, text.replace("g1", word), *options))
        assert f"{expected} {what}" in said


def test_labels_may_be_numbered_from_0_and_several_words_are_named():
    assert remarks_on_labels("who", ["0", "1", "1"], "entity") == []
    table = pd.DataFrame({"town": ["none", "Unknown", "N.A.", "Ulm", None]})
    (said,) = remarks_on_cells(table)
    assert "3 cells of the column 'town' contain 'none' or 'Unknown' or 'N.A.'," in said


def saved(name, values):
    (np.savez if name.endswith("z") else np.save)(name, values)
    return Path(name)


def test_a_condensed_matrix_may_be_an_archive():
    pairs = np.arange(1.0, 16)
    found = read(saved("d.npz", pairs), "distances")
    assert (found.fit["X"] == squareform(pairs)).all()


@pytest.mark.parametrize("dtype", [">f8", ">i4", "f2", "?"])
def test_counts_of_any_numeric_type_are_read(dtype):
    values = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    assert (read_counts(saved("c.npy", values)).toarray() == values).all()


@pytest.mark.parametrize("form", ["npy", "npz", "sparse.npz", "mtx"])
@pytest.mark.parametrize("packed", [False, True])
def test_matrices_are_read_from_streams(form, packed, monkeypatch):
    """They come from the standard input or unpacked, and are thus not files."""
    counts, path = np.array([[1, 0, 2], [0, 3, 0]]), Path(f"c.{form}")
    if form == "mtx":
        scipy.io.mmwrite(path, sp.coo_array(counts))
    elif form == "sparse.npz":
        sp.save_npz(path, sp.csr_array(counts))
    else:
        saved(path.name, counts)
    if packed:
        path = written(f"{path}.gz", gzip.compress(path.read_bytes()))
        source = open_input(path, "documents")
    else:
        stdin = SimpleNamespace(buffer=io.BytesIO(path.read_bytes()))
        monkeypatch.setattr(sys, "stdin", stdin)
        source = open_input(Path("-"), "documents", form.removeprefix("sparse."))
    assert (read_counts(source).toarray() == counts).all()


def test_other_shapes_are_said():
    with pytest.raises(DataError, match="the matrix is a single number, not square"):
        check_dissimilarities(np.array(3.0), "d.npy")
    with pytest.raises(DataError, match=r"must be a matrix, not an array of shape \(4,\)"):
        canonical_counts(np.ones(4))


@pytest.mark.parametrize("words", [["publish", "größe"], ["explain", "größe"], ["größe"]])
def test_a_terminal_without_a_character_shows_another(here, monkeypatch, words):
    streams = {name: io.TextIOWrapper(io.BytesIO(), "ascii") for name in ("stdout", "stderr")}
    for name, stream in streams.items():
        monkeypatch.setattr(sys, name, stream)
    with suppress(SystemExit):  # of argparse
        assert main(words) == 2
    streams["stderr"].flush()
    assert streams["stderr"].buffer.getvalue().startswith((b"reseat ", b"usage: "))
    assert streams["stdout"].errors == streams["stderr"].errors == "replace"


@pytest.mark.parametrize("model", ["documents", "records"])
def test_a_pipe_is_not_called_empty(here, capsys, model):
    """The shell makes a pipe of ``<(command)``; nothing is read from it, so nothing waits."""
    os.mkfifo("p.csv")
    assert main(["cluster", model, "p.csv", "-o", "out"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "p.csv is a pipe or a device" in said and "standard input (INPUT -)" in said
