"""`reseat cluster` on inputs that attack whoever reads its output, or have no end."""

import io
import os
import sys
import zipfile
from types import SimpleNamespace

import pandas as pd
import pytest
from calls import cluster

from reseat.command.main import main
from reseat.errors import DataError
from reseat.files.atomic import as_cell, write_table

pytestmark = pytest.mark.usefixtures("no_pictures")

#: Sequences that colour a terminal, change its title or clear it, and a bell.
COMMANDS = "\x1b[31m", "\x1b]0;x\x07", "\x9b2J", "\r"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"), ("+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"), ("-2+3", "'-2+3"),
        ("@SUM(A1)", "'@SUM(A1)"), ("\t=1", "'\t=1"), ("\r=1", "'\r=1"), ("\uff1d1", "'\uff1d1"),
        ("-5", "-5"), ("+5.25", "+5.25"), ("-1e-3", "-1e-3"), ("-.5", "-.5"), ("-", "'-"),
        ("a=1", "a=1"), (" =1", " =1"), ("'=1", "'=1"), ("", ""), (-5, -5), (None, None),
    ],
)  # fmt: skip
def test_texts_that_would_be_formulas_get_an_apostrophe(text, cell):
    assert as_cell(text) == cell


def formulas_in(path):
    """Return the cells of a table that are no numbers and begin as formulas do."""
    cells = pd.read_csv(path, header=None, dtype=str, keep_default_na=False).to_numpy().ravel()
    texts = [cell for cell in cells if pd.isna(pd.to_numeric(cell, errors="coerce"))]
    return [cell for cell in texts if cell.startswith(tuple("=+-@\t\r"))]


def test_no_table_of_a_result_has_formulas(here):
    names = ["=a", "+b", "@c", "-d", "-5", "e", "=f", "@g", "h", "-7", "+i", "=j"]
    people = pd.DataFrame({"=id": names, "@city": ["=x", "+y", "-3", "@z"] * 3})
    people["a"] = [*"aabbccddeeff"]
    people.to_csv("people.csv", index=False)
    assert cluster("records", "people.csv", "--id-column", "=id") == 0
    pairs = pd.DataFrame({"row": names * 2, "column": (names[::-1] + names[3:] + names[:3])})
    pairs.to_csv("pairs.csv", index=False)
    how = ("--inference", "gibbs", "--header", "yes")
    assert cluster("relational", "pairs.csv", *how, out="related") == 0
    tables = sorted(here.glob("*/*.csv"))
    names_of_tables = {path.name for path in tables}
    assert names_of_tables >= {"labels.csv", "golden.csv", "duplicates.csv", "column_labels.csv"}
    assert {str(path): formulas_in(path) for path in tables} == {str(p): [] for p in tables}
    found = pd.read_csv(here / "out" / "labels.csv", dtype=str)
    given = found["item"].str.removeprefix("'").tolist()
    assert given == names and "'@city" in found and "-5" in set(found["item"])


def test_tables_of_the_workflow_have_no_formulas(here):
    frame = pd.DataFrame({"block": ["=a", "-1", None], "mean": [-1.5, 2, None], "@b": [1, 2, 3]})
    frame["kind"] = pd.Categorical(["+x", "+x", "y"])
    write_table(frame, "table.csv")
    text = (here / "table.csv").read_text()
    assert text == "block,mean,'@b,kind\n'=a,-1.5,1,'+x\n-1,2,2,'+x\n,,3,y\n"
    again = pd.read_csv("table.csv")
    write_table(again, "again.csv")
    assert (here / "again.csv").read_text() == text
    assert list(frame) == ["block", "mean", "@b", "kind"]


@pytest.mark.parametrize("model", ["records", "supervised", "documents", "relational"])
def test_nothing_in_the_input_commands_a_terminal(model, here, capsys, monkeypatch):
    bad = "".join(COMMANDS)
    monkeypatch.setenv("FORCE_COLOR", "1")  # the colours of the command's own messages
    rows = [[f"a{bad}{n % 3}", f"b{n % 2}{bad}", f"red{bad} pie"] for n in range(12)]
    name = f"my{bad.replace('/', '')}.csv"
    pd.DataFrame(rows, columns=[f"k{bad}", "e", "t"]).to_csv(name, index=False)
    options = {
        "records": ["--columns", f"k{bad},e"], "supervised": ["--entity-column", f"no{bad}"],
        "documents": ["--text-column", "t", "--id-column", "e"], "relational": [],
    }  # fmt: skip
    codes = {cluster(model, name, *options[model]), cluster(model + bad, name)}
    with pytest.raises(SystemExit):
        cluster(model, name, f"--samples={bad}")
    assert codes <= {0, 2}
    said = "".join(capsys.readouterr())
    assert not [command for command in COMMANDS if command in said]
    assert r"\x1b[31m" in said and r"\x9b2J" in said


def test_errors_do_not_command_a_terminal_and_do_not_repeat_long_words():
    error = DataError(f"a\x1b[31m\x9b\x7f.csv, line 3: {'9' * 5000} is too large;\nuse less")
    assert str(error) == f"a\\x1b[31m\\x9b\\x7f.csv, line 3: {'9' * 60}… is too large;\nuse less"


@pytest.mark.parametrize("option", ["--seed", "--samples", "--concentration"])
def test_a_number_of_thousands_of_digits_is_not_repeated(option, here, capsys):
    (here / "t.txt").write_text("red pie\nblue sky\n")
    with pytest.raises(SystemExit):
        cluster("documents", "t.txt", option, "x" + "9" * 5000)
    assert len(capsys.readouterr().err) < 4000


class Endless(io.RawIOBase):
    """A stream of the same line again and again; reading too much of it fails."""

    def __init__(self, line):
        self.line, self.n_bytes = line, 0

    def read(self, size=-1):
        assert size > 0, "all of it was asked for"
        self.n_bytes += size
        assert self.n_bytes < 1_000_000
        return (self.line * (size // len(self.line) + 1))[:size]


@pytest.mark.parametrize("model", ["documents", "records"])
def test_an_endless_standard_input_is_given_up(model, capsys, monkeypatch):
    monkeypatch.setattr("reseat.files.packed.UNPACKED", 10_000)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Endless(b"a,b\n")))
    assert cluster(model, "-") == 2
    said = capsys.readouterr().err
    assert "the standard input has more than 10,000 bytes; write it to a file, and name" in said


@pytest.mark.parametrize(
    ("name", "model", "options"),
    [
        ("t.csv", "records", ()), ("t.csv", "relational", ()), ("t.csv", "distances", ()),
        ("t.csv", "supervised", ("--entity-column", "a")), ("t.jsonl", "records", ()),
        ("t.csv", "documents", ("--text-column", "a")), ("t.txt", "documents", ()),
        ("t.jsonl", "documents", ("--text-column", "a")),
    ],
)  # fmt: skip
@pytest.mark.parametrize("begin", [b"a,b\n1,2\n", b"a,b\r"])
def test_a_line_without_end_is_given_up(begin, name, model, options, here, capsys, monkeypatch):
    monkeypatch.setattr("reseat.files.packed.UNPACKED", 10_000)
    monkeypatch.setattr("reseat.files.packed.CHUNK", 1000)
    with open(here / name, "wb") as file:
        file.write(b'{"a": "' if name == "t.jsonl" else begin)
        file.truncate(100_000_000)  # zeros that take no space on the disk
    assert cluster(model, name, *options) == 2
    said = capsys.readouterr().err
    assert f"{name} has a line of more than 10,000 bytes; is it a text?" in said


def test_a_long_file_of_short_lines_is_read(here, monkeypatch):
    monkeypatch.setattr("reseat.files.packed.UNPACKED", 1000)
    monkeypatch.setattr("reseat.files.packed.CHUNK", 100)
    (here / "t.txt").write_text("red pie\nblue sky and sea\n" * 100)
    assert cluster("documents", "t.txt") == 0


@pytest.mark.parametrize(
    ("model", "options", "said"),
    [
        ("records", (), "line 3: a cell has more than 32,767 letters"),
        ("supervised", ("--entity-column", "b"), "line 3: a cell has more than 32,767 letters"),
        ("relational", (), "line 3: a cell has more than 32,767 letters"),
        ("documents", ("--text-column", "a"), "a word has 40,000 letters, more than 1,000: 'xxxx"),
    ],
)
def test_long_words_are_refused(model, options, said, here, capsys):
    rows = ["a,b", "red pie,1", f"{40_000 * 'x'},2", "blue sky,2", "blue pie,1"]
    (here / "t.csv").write_text("\n".join(rows) + "\n")
    assert cluster(model, "t.csv", *options) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("member", ["a/..", "é" * 200 + ".csv"])
def test_members_of_archives_may_have_any_name(member, here):
    with zipfile.ZipFile("t.zip", "w") as archive:
        archive.writestr(member, "name,city\n" + "".join(f"n{n % 4},c{n % 2}\n" for n in range(12)))
    assert cluster("records", "t.zip") == 0
    assert {path.name for path in here.iterdir()} == {"t.zip", "out"}


def test_a_folder_that_is_gone_is_named(here, monkeypatch, capsys):
    (here / "gone").mkdir()
    monkeypatch.chdir(here / "gone")
    os.rmdir(here / "gone")
    for words in (["cluster", "records", "t.csv", "-o", "out"], ["verify"], ["explain", "x"]):
        assert main(words) == 2
        assert "the current folder no longer exists; change to another" in capsys.readouterr().err
