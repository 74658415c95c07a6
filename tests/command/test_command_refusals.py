"""`reseat cluster` and `reseat verify`: files and options that are refused in one sentence."""

import argparse
import io
import os
import re
import sys
import unicodedata
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.io
from scipy.spatial.distance import squareform

from reseat import RelationalModel
from reseat.command.inputs import READERS
from reseat.command.inputs.distances import read_distances
from reseat.command.inputs.formats import refuse_unreadable
from reseat.command.inputs.matrices import read_counts
from reseat.command.inputs.opening import opened
from reseat.command.inputs.relational import read_table
from reseat.command.inputs.texts import read_texts
from reseat.command.main import main
from reseat.command.options import check_options, configure
from reseat.command.verify import _own_table
from reseat.counts import canonical_counts
from reseat.datasets.features import FeatureOptions
from reseat.datasets.parsers.cells import read_csv
from reseat.datasets.remarks import remarks_on_cells, remarks_on_labels
from reseat.dissimilarities import check_dissimilarities, read_dissimilarities
from reseat.errors import ConfigError, DataError


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name, content):
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return Path(name)


# ---- what stands above a table ---------------------------------------------------------------


def test_empty_lines_above_a_table_are_skipped():
    assert list(read_csv(written("t.csv", "\n  \na;b\n1;2\n"))) == ["a", "b"]
    matrix = written("m.csv", "\n;a;b;c\na;0;1;2\nb;1;0;2\nc;2;2;0\n")
    assert read_dissimilarities(matrix).shape == (3, 3)
    with pytest.raises(DataError, match="p.csv, line 4: empty cell"):
        read_table(written("p.csv", "\n\na\tb\nc\t\n"), None)


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_a_title_above_a_table_is_said(mark):
    lines = [mark.join(cells) for cells in ("abc", "012", "120", "201")]
    for read in (read_csv, read_dissimilarities, lambda path: read_table(path, None)):
        with pytest.raises(DataError, match="t.csv.*remove (the )?lines above"):
            read(written("t.csv", "\n".join(["Title", *lines])))


def test_one_column_may_have_separators_in_some_cells():
    assert len(read_csv(written("t.csv", "name\nSmith; J\nBrown\n"))) == 2


# ---- files that are neither lines of text nor tables -----------------------------------------


@pytest.mark.parametrize(
    ("name", "start", "kind"),
    [
        ("x.json", '[\n  {"a": 1}\n]', "a JSON file"),
        ("x.txt", '[\n  {"a": 1}\n]', "a JSON file"),
        ("x.html", "<p>", "an HTML page"),
        ("x.txt", "<!DOCTYPE html>", "an HTML page"),
        ("x.xml", "<a/>", "an XML file"),
        ("x.txt", "%PDF-1.4", "a PDF file"),
        ("x.xls", b"\xd0\xcf\x11\xe0", "an old spreadsheet"),
        ("x.docx", b"PK\x03\x04", "a file of a word processor"),
    ],
)
def test_formats_that_are_not_read(name, start, kind, capsys):
    written(name, start)
    for model, remedy in (("documents", ".txt, one document per line"), ("records", ".csv")):
        assert main(["cluster", model, name, "-o", "out"]) == 2
        said = " ".join(capsys.readouterr().err.split())
        assert f"{name} is {kind}, which cannot be read" in said and remedy in said
    with opened(written("notes.txt", "[1] of a list\n"), "documents") as path:
        assert path == Path("notes.txt")


@pytest.mark.parametrize("piped", [False, True])
def test_tables_under_the_name_of_texts(piped, monkeypatch):
    remedy = "add --format {}" if piped else "so that its name ends in .{}"
    text = '{"a": "x y"}\n\n{"a": "y z"}\n'
    path = Path("-" if piped else written("x.txt", text))
    for model, more in (("documents", " and name the key of the texts"), ("records", ".")):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(text.encode())))
        said = "one JSON object per line; .*" + remedy.format("jsonl") + more
        with pytest.raises(DataError, match=said), opened(path, model):
            pass
    name = "-" if piped else "t.txt"
    (said,) = said_of("documents", 'id,note\n1,"red, blue"\n2,green apples\n', name=name)
    assert "if the first line (id, note) names columns" in said and remedy.format("csv") in said
    assert not said_of("documents", "id,note\nred, blue, green\ngreen apples\n", name=name)


def test_a_folder_of_pages_is_no_folder_of_texts(capsys):
    Path("pages").mkdir()
    written("pages/1.txt", "one two three")
    written("pages/2.html", "<p>one two</p>")
    assert main(["cluster", "documents", "pages", "-o", "out"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"{Path('pages/2.html')} is an HTML page, which cannot be read" in said


def test_rows_of_tables_in_a_folder_may_be_the_documents():
    Path("pages").mkdir()
    written("pages/1.txt", "red apples")
    written("pages/2.csv", "id,text\n1,green pears\n2,red plums\n")
    (said,) = remarks_on("documents", Path("pages"), "pages")
    assert "tables by their names: 1 (the first is 2.csv); each is read as one document" in said


@pytest.mark.parametrize(
    ("name", "content", "model", "said"),
    [
        ("d.jsonl", '{"a": "x"}\n{"a": "y", "a": "x"}\n', "records",
         "d.jsonl, line 2: the key 'a' occurs twice; remove or rename one of them."),
        ("n.jsonl", '{"a": "x"}\n{"a": {"z": 1}}\n', "records",
         "n.jsonl, line 2, key 'a': {\"z\": 1} is neither text nor a number; write it as text"),
        ("f.tar.gz", "any", "documents", "archive of several files; unpack it and name the folder"),
    ],
)  # fmt: skip
def test_what_would_be_read_wrongly_is_refused(name, content, model, said):
    with pytest.raises(DataError) as refusal, opened(written(name, content), model):
        pass
    assert said in str(refusal.value)


def test_counts_are_found_by_the_name_of_their_column():
    """Keys of objects have no order; and counts may be written with a point by other programs."""
    objects = ['{"count": 2, "user": 7, "item": 9}', '{"count": 3.0, "user": 8, "item": 9}',
               '{"count": 1, "user": 8, "item": 10}']  # fmt: skip
    arguments = SimpleNamespace(header="auto")
    with opened(written("r.jsonl", "\n".join(objects)), "relational") as path:
        by_key = read_table(path, arguments)
    assert by_key.items == ["7", "8"] and by_key.columns == ["9", "10"]
    assert by_key.fit["X"].toarray().tolist() == [[2, 0], [3, 1]]
    last = read_table(written("t.csv", "user,item,n\na,x,2.0\nb,x,3.0\nb,y,1.00\n"), arguments)
    assert last.fit["X"].toarray().tolist() == [[2, 0], [3, 1]]
    with pytest.raises(DataError, match="line 2: the count '2.5' is not a whole number"):
        read_table(written("t.csv", "user,item,n\na,x,2.5\nb,x,3\n"), arguments)


def test_only_converted_files_have_keys(capsys):
    pairs = "ann,x\nbob,y\nann,y\nbob,x\n"
    path = written("door.keys.csv", pairs)
    found = read_table(path, SimpleNamespace(header="no", input=path))
    assert found.fit["X"].sum() == 4


def test_columns_are_given_once(capsys):
    with pytest.raises(SystemExit):
        main(["cluster", "records", "x.csv", "-o", "o", "--columns", "a", "--columns", "b"])
    assert "--columns: it is given twice; give it once, with all names" in capsys.readouterr().err


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
    with opened(written("t.parquet", b"PAR1"), "records") as path:
        assert list(read_csv(path)) == ["id", "first"]
    frame["first"] = pd.Series(["u", cell], index=frame.index, dtype=object)
    with pytest.raises(DataError, match="t.parquet, row 2: the cell of the column 'first' is"):
        with opened(Path("t.parquet"), "records"):
            pass


def test_a_dense_matrix_market_file_is_a_matrix():
    counts = np.random.default_rng(1).integers(0, 4, (5, 3))
    scipy.io.mmwrite("dense.mtx", counts)
    assert (read_counts(Path("dense.mtx")).toarray() == counts).all()


def test_places_in_objects_are_those_of_the_file():
    objects = ['{"a": "x\\ny", "b": "z"}', "", '{"a": "x", "b": null}', ""]
    with pytest.raises(DataError, match="^p.jsonl, line 4: empty cell"):
        with opened(written("p.jsonl", "\n".join(["", *objects])), "relational") as path:
            read_table(path, None)
    with pytest.raises(DataError, match="^h.jsonl, line 2, key 'a': .* is half of a character"):
        with opened(written("h.jsonl", '{"a": 1}\n{"a": "\\ud800"}'), "records"):
            pass
    with pytest.raises(DataError, match="^e.jsonl is empty"):
        with opened(written("e.jsonl", "\n\n"), "records") as path:
            read_csv(path)
    with opened(written("n.jsonl", '{"a": 1}\n{"a": 1.0}\n{"a": 1.5}'), "records") as path:
        assert read_csv(path)["a"].tolist() == ["1", "1", "1.5"]


def test_keys_are_read_as_names_of_columns_are():
    decomposed = unicodedata.normalize("NFD", "größe")
    texts = written("t.jsonl", f'{{" {decomposed}": "red"}}')
    assert read_texts(texts, "größe", None) == (None, ["red"], None)
    said_of("documents", '"größe"\nred pie\nblue sky\n', "--text-column", f" {decomposed}")
    with pytest.raises(ConfigError, match="--columns is empty"):
        said_of("records", "a,b\nx,y\n", "--columns", ",")


def test_files_that_may_not_be_read(monkeypatch):
    path = written("t.csv", "a,b\nx,y\n")
    with monkeypatch.context() as patch, pytest.raises(DataError, match="you lack the permission"):
        patch.setattr(os, "access", lambda *_: False)
        with opened(path, "records"):
            pass

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied", "t.csv")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "exists", denied)
        with pytest.raises(DataError, match="t.csv cannot be read .Permission denied.; check"):
            refuse_unreadable(path)
    np.save("d.npy", np.zeros((3, 3)))
    with monkeypatch.context() as patch:
        patch.setattr(np, "load", denied)
        with pytest.raises(DataError, match="d.npy cannot be read .Permission denied."):
            read_dissimilarities("d.npy")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match="The standard input is closed"):
        with opened(Path("-"), "records"):
            pass


def test_output_that_cannot_be_written_is_no_verdict(monkeypatch, capsys):
    def run(_):
        raise errors.pop()

    monkeypatch.setattr("reseat.command.verify.run", run)
    errors = [BrokenPipeError(32, "Broken pipe"), OSError(28, "No space left on device")]
    assert main(["verify"]) == 2
    assert "the standard output cannot be used (No space left" in capsys.readouterr().err
    assert main(["verify"]) == 2
    assert not capsys.readouterr().err
    Path("folder").mkdir()
    with pytest.raises(DataError, match="folder cannot be read"):
        _own_table(Path("folder"))


def test_how_the_first_line_was_read_is_said_with_an_error():
    arguments = SimpleNamespace(header="auto")
    with pytest.raises(
        DataError, match=r"has 1 rows .*; the first line \(kind, thing\) is read as"
    ):
        read_table(written("p.csv", "kind,thing\na,x\na,y\n"), arguments)


def test_known_items_of_one_entity_are_said_in_words_of_the_command():
    rows = "\n".join(["id,who,size", *(f"r{n},{'a' * (n < 4)},{n}" for n in range(8))])
    with pytest.raises(DataError, match="all known items have the same entity in 'who'"):
        said_of("supervised", rows, "--entity-column", "who")


def test_cells_of_a_matrix_that_are_too_long():
    with pytest.raises(DataError, match="line 2: a cell has more than 131,072 letters"):
        read_dissimilarities(written("m.csv", "a,b\n" + "0|" * 70_000))


# ---- where results cannot be written ---------------------------------------------------------


def test_verify_refuses_a_table_that_cannot_be_written(capsys):
    Path("folder").mkdir()
    written("file", "x")
    for target, said in (("folder", "folder is a folder; name a file for --csv"),
                         ("file/n.csv", "choose another file for --csv")):  # fmt: skip
        assert main(["verify", "--csv", target]) == 2
        found = capsys.readouterr()
        assert said in " ".join(found.err.split()) and "Traceback" not in found.err
        assert not found.out


# ---- words that may mean that there is no label ----------------------------------------------


def said_of(model, text, *options, name="t.csv"):
    """Return the remarks on a table, or on lines of text, without running a chain."""
    return remarks_on(model, written("t.txt" if name == "-" else name, text), name, *options)


def remarks_on(model, path, name, *options):
    arguments = ["cluster", model, name, "-o", "out", *options]
    parser = argparse.ArgumentParser()
    configure(parser)
    found = parser.parse_args(arguments[1:])
    check_options(found)
    return READERS[model](path, found).warnings


@pytest.mark.parametrize("word", ["unknown", "none", "Missing", "-", "0"])
def test_words_for_no_entity_are_said(word):
    rows = [f"r{n},{'' if n > 7 else word if n > 5 else f'e{n // 2}'},{n * n},g{n % 2}"
            for n in range(12)]  # fmt: skip
    text = "\n".join(["id,who,size,group", *rows])
    expected = f"2 cells of the column 'who' contain {word!r}, which is treated as an entity"
    assert expected in " ".join(said_of("supervised", text, "--entity-column", "who"))
    assert expected in " ".join(said_of("records", text, "--entity-column", "who"))
    groups = text.replace("g1", word)
    said = said_of("supervised", groups, "--entity-column", "who", "--group-column", "group")
    assert f"6 cells of the column 'group' contain {word!r}, which is treated as a group" in (
        " ".join(said)
    )
    said = said_of("records", groups, "--source-column", "group", "--likelihood", "similar")
    assert f"6 cells of the column 'group' contain {word!r}, which is treated as a source" in (
        " ".join(said)
    )


def test_labels_may_be_numbered_from_0_and_several_words_are_named():
    assert remarks_on_labels("who", ["0", "1", "1"], "entity") == []
    table = pd.DataFrame({"town": ["none", "Unknown", "N.A.", "Ulm", None]})
    (said,) = remarks_on_cells(table)
    assert "3 cells of the column 'town' contain 'none' or 'Unknown' or 'N.A.'," in said


# ---- arrays ----------------------------------------------------------------------------------


def saved(name, values):
    (np.savez if name.endswith("z") else np.save)(name, values)
    return Path(name)


def test_a_condensed_matrix_may_be_an_archive():
    pairs = np.arange(1.0, 16)
    found = read_distances(saved("d.npz", pairs), SimpleNamespace(landmarks=None, square=False,
                                                                   dim=None))  # fmt: skip
    assert (found.fit["X"] == squareform(pairs)).all()


@pytest.mark.parametrize("dtype", [">f8", ">i4", "f2", "?"])
def test_counts_of_any_numeric_type_are_read(dtype):
    values = np.array([[1, 0], [0, 1], [1, 1]], dtype=dtype)
    assert (read_counts(saved("c.npy", values)).toarray() == values).all()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (np.array([["a", "b"]]), "contains values of type <U1, not counts"),
        (np.ones((2, 2, 2)), r"contains an array of shape \(2, 2, 2\), not a matrix"),
        (np.ones(4), r"contains an array of shape \(4,\), not a matrix"),
    ],
)
def test_arrays_that_are_no_matrix_are_said_with_their_shape(values, said):
    with pytest.raises(DataError, match=said):
        read_counts(saved("c.npy", values))


def test_other_shapes_are_said():
    with pytest.raises(DataError, match="the matrix is a single number, not square"):
        check_dissimilarities(np.array(3.0), "d.npy")
    with pytest.raises(DataError, match=r"must be a matrix, not an array of shape \(4,\)"):
        canonical_counts(np.ones(4))


def test_an_address_is_not_read(capsys):
    assert main(["cluster", "records", "https://example.org/t.csv", "-o", "out"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "https://example.org/t.csv looks like a URL, which is not read" in said


# ---- options and cells -----------------------------------------------------------------------


def test_the_current_folder_is_a_folder_and_nothing_is_not(here, capsys):
    written("t.csv", "a,b\n1,2\n")
    assert main(["cluster", "records", "t.csv", "-o", "."]) == 2
    assert "t.csv is inside .; choose another OUT" in " ".join(capsys.readouterr().err.split())
    assert main(["cluster", "records", "t.csv", "-o", ""]) == 2
    assert "-o is empty" in capsys.readouterr().err


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


@pytest.mark.parametrize(("factor", "size"), [(1e200, "large"), (1e-200, "small")])
def test_numbers_that_cannot_be_compared_are_said(factor, size):
    rows = [f"r{n},{'' if n > 7 else f'e{n // 2}'},{n * factor:g}" for n in range(12)]
    with pytest.raises(DataError, match=f"column 'size' is .*, too {size} to be compared"):
        said_of("supervised", "\n".join(["id,who,size", *rows]), "--entity-column", "who",
                "--id-column", "id")  # fmt: skip


@pytest.mark.parametrize("model", ["records", "supervised", "relational", "distances"])
@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_a_line_that_names_the_separator_is_refused(here, model, ending, capsys):
    file = str(written(f"s{ending}", "\ufeffsep=;\na;b\n1;2\n"))
    entity = ["--entity-column", "a"] * (model == "supervised")
    assert main(["cluster", model, file, "-o", "out", *entity]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert f"s{ending}: the first line names the separator; remove it" in said


@pytest.mark.parametrize("line", [1, 2])
@pytest.mark.parametrize("cell", ["1_0", "٣"])
def test_numbers_of_python_alone_are_none(cell, line):
    lines = ["0,1,1,1", "1,0,1,1", "1,1,0,1", "1,1,1,0"]
    lines[line - 1] = f"1,1,{cell},1"
    with pytest.raises(DataError, match=f"m.csv, line {line}, cell 3: '{cell}' is not a number"):
        read_dissimilarities(written("m.csv", "\n".join(lines)))


@pytest.mark.parametrize("pattern", ["", "a*"])
def test_a_pattern_of_empty_words_is_refused(pattern):
    with pytest.raises(ConfigError, match="also matches the empty text"):
        FeatureOptions(token_pattern=pattern)
    written("notes.txt", "red pie\nblue sky\n")
    assert main(["cluster", "documents", "notes.txt", "-o", "out", "--token-pattern", pattern]) == 2


def test_restarts_are_bounded_as_chains_are():
    with pytest.raises(ConfigError, match="n_restarts is 1000000000; .* at most 10000"):
        RelationalModel(n_restarts=10**9).check_settings()


def test_several_empty_ids_are_said_to_be_empty():
    with pytest.raises(DataError, match="3 records have no id; fill in these cells"):
        said_of("records", "id,a,b\n,x,y\n,x,z\n,v,z\nr,v,y\n", "--id-column", "id")
