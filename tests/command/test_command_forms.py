"""`reseat cluster`: sub-commands, forms of input, the page, and runs that are made longer."""

import datetime
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock, patch

import numpy as np
import pandas as pd
import pytest
from calls import QUICK, cluster
from pandas.io.parsers import TextParser
from transcripts import place

from reseat import Microclustering, MultinomialMixture
from reseat.chains import MixtureModel
from reseat.command.main import main
from reseat.command.options import MODELS, OPTIONS
from reseat.errors import CheckpointError
from reseat.reading.source import open_input
from reseat.reading.tables import rows_of

pytestmark = pytest.mark.usefixtures("no_pictures")


def records(n=30):
    keys = [[f"r{i}", f"f{i % 7}", f"t{i % 3}"] for i in range(n)]
    return pd.DataFrame(keys, columns=["key", "first", "town"])


@pytest.mark.parametrize("model", MODELS)
def test_help_shows_what_applies_and_examples(model, capsys):
    with pytest.raises(SystemExit) as left:
        main(["cluster", model, "--help"])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert f"reseat cluster {model} " in said and "examples:" in said
    for option in OPTIONS:
        # Since Python 3.13, argparse names the value after the last name only.
        shown = re.search(rf"^  (-o( OUT)?, )?{option.flag}\b", said, re.M) is not None
        assert shown == (model in option.help), option.flag


@pytest.mark.parametrize(("form", "reader"), [("parquet", "read_parquet"), ("xlsx", "read_excel")])
def test_tables_of_pandas(form, reader, monkeypatch, capsys):
    Path(f"r.{form}").write_bytes(b"of a reader that is made up")
    frame = records()
    if form == "xlsx":
        frame = {"all": pd.DataFrame([list(frame), *frame.values.tolist()])}
    monkeypatch.setattr(pd, reader, lambda path, **_: frame)
    assert cluster("records", f"r.{form}", "--id-column", "key") == 0
    monkeypatch.setattr(pd, reader, Mock(side_effect=ImportError("no engine")))
    assert cluster("records", f"r.{form}", out="none") == 2
    assert f"r.{form} can be read only if" in capsys.readouterr().err


def sheets(monkeypatch, **cells):
    """Write `r.xlsx`, and let pandas read these cells from it as if an engine gave them."""
    Path("r.xlsx").write_bytes(b"of an engine that is made up")

    def read_excel(path, sheet_name, **how):
        assert sheet_name is None
        return {name: TextParser(rows, **how).read() if rows else pd.DataFrame()
                for name, rows in cells.items()}  # fmt: skip

    monkeypatch.setattr(pd, "read_excel", read_excel)


def cells_of(name):
    return [cells for _place, cells in rows_of(open_input(Path(name), "records"))]


def test_cells_of_a_sheet_are_what_was_typed(monkeypatch):
    day = datetime.datetime(1954, 3, 2)
    rows = [["", "", "", "", ""], ["zip", "born", "day", "x", 7.0],
            ["01000", 1954, day, "None", 1.5], ["02000", "", day, "b", 2.0],
            ["", "", "", "", ""]]  # fmt: skip
    sheets(monkeypatch, data=rows, empty=[])
    assert cells_of("r.xlsx") == [
        ["zip", "born", "day", "x", "7"],
        ["01000", "1954", "1954-03-02", "None", "1.5"],
        ["02000", "", "1954-03-02", "b", "2"],
    ]


def test_whole_numbers_of_parquet_have_no_point(monkeypatch):
    Path("r.parquet").write_bytes(b"of an engine that is made up")
    frame = pd.DataFrame({"born": [1954, None], "size": [1.0, 2.5], "code": ["01000", None]})
    monkeypatch.setattr(pd, "read_parquet", lambda path: frame)
    expected = [["born", "size", "code"], ["1954", "1.0", "01000"], ["", "2.5", ""]]
    assert cells_of("r.parquet") == expected


NAMED = [["first", "town"], *([f"a{n % 3}", f"b{n % 2}"] for n in range(9))]


@pytest.mark.parametrize(
    ("sheets_of_file", "said"),
    [
        ({"one": NAMED, "two": NAMED}, r"has 2 sheets with cells \('one', 'two'\).*save the sheet"),
        ({"one": [["Customers", "", "Unnamed: 2"], *NAMED]}, "2 columns without a name.*a title"),
        ({"one": []}, "is empty"),
    ],
)
def test_sheets_that_cannot_be_read(sheets_of_file, said, monkeypatch, capsys):
    sheets(monkeypatch, **sheets_of_file)
    assert cluster("records", "r.xlsx") == 2
    assert re.search(f"r.xlsx .*{said}", " ".join(capsys.readouterr().err.split()))


@pytest.mark.parametrize("form", ["gz", "zip"])
def test_what_would_fill_the_disk_is_not_unpacked(form, capsys, monkeypatch):
    monkeypatch.setattr("reseat.files.packed.UNPACKED", 1000)
    table = b"a,b\n" + b"1,2\n" * 1000
    place(Path(f"r.txt.{form}"), {"r.txt": table} if form == "zip" else table)
    assert cluster("documents", f"r.txt.{form}") == 2
    assert f"r.txt.{form} unpacks to more than 1,000 bytes" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["t.xlsx", "t.zip"])
def test_a_file_that_may_not_be_read_is_said(name, capsys, monkeypatch):
    Path(name).write_bytes(b"x" * 10)
    really_open = io.open

    def opened(path, *modes, **how):
        if str(path) == name:
            raise PermissionError(13, "Permission denied", name)
        return really_open(path, *modes, **how)

    monkeypatch.setattr("io.open", opened)
    assert cluster("records", name) == 2
    said = capsys.readouterr().err
    assert name in said and "Permission denied" in said and "Traceback" not in said


def test_the_page_of_records_lists_pairs_that_are_not_sure(here, only_svg):
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({f"c{k}": rng.integers(0, 12, 160).astype(str) for k in range(3)})
    frame = pd.concat([frame, frame[:40]], ignore_index=True)
    frame.insert(0, "key", [f"<r{i}>" for i in range(len(frame))])
    frame.to_csv("r.csv", index=False)
    assert cluster("records", "r.csv", "--id-column", "key") == 0
    page = (here / "out/index.html").read_text()
    assert "Least certain pairs" in page and "&lt;r" in page and "<r1>" not in page
    assert "picture.svg" in page and "R-hat" in page and "from only 6 draws" in page
    pairs = pd.read_csv("out/duplicates.csv")
    assert len(pairs) and pairs["probability"].between(0.05, 1).all()
    labels = pd.read_csv("out/labels.csv", dtype=str)
    assert labels.columns.tolist() == ["item", "cluster", "probability", "c0", "c1", "c2"]
    assert labels["c0"].tolist() == frame["c0"].tolist()
    targets = re.findall(r'(?:href|src)="([^"]+)"', page)
    assert len(targets) > 4 and all((here / "out" / name).exists() for name in targets)


def test_a_finished_run_is_made_longer_without_beginning_again(here, only_svg):
    records().to_csv("r.csv", index=False)
    at_once = [*QUICK[:4], "--samples", "20", *QUICK[6:], "--id-column", "key"]
    assert main(["cluster", "records", "r.csv", "-o", "once", *at_once]) == 0
    assert cluster("records", "r.csv", "--id-column", "key") == 0
    with patch.object(
        MixtureModel, "sweep", autospec=True, side_effect=MixtureModel.sweep
    ) as swept:
        assert main(["cluster", "records", "r.csv", "-o", "out", *at_once]) == 0
    assert swept.call_count == 2 * 14  # of two chains, beyond the 6 samples of each
    for name in ("labels.csv", "clusters.csv", "picture.svg"):
        assert (here / "out" / name).read_bytes() == (here / "once" / name).read_bytes()
    assert json.loads((here / "out/settings.json").read_text())["n_samples"] == 20


@pytest.mark.parametrize("step", ["os.replace", "Path.unlink"])
def test_a_kill_while_a_run_is_made_longer_is_no_end(tmp_path, rng, step):
    X = rng.integers(0, 4, (12, 5))
    short = {"n_chains": 2, "n_burn_in": 3, "n_samples": 4, "thin": 2, "random_state": 1}
    whole = MultinomialMixture(**short | {"n_samples": 10}).fit(X)
    MultinomialMixture(**short, folder=tmp_path).fit(X)

    killed = patch(f"reseat.chains.checkpoint.{step}", side_effect=SystemExit)
    with killed, pytest.raises(SystemExit):
        MultinomialMixture(**short | {"n_samples": 10}, folder=tmp_path).fit(X)
    more = MultinomialMixture(**short | {"n_samples": 10}, folder=tmp_path).fit(X)
    np.testing.assert_array_equal(more.draws_, whole.draws_)
    np.testing.assert_array_equal(more.log_joint_, whole.log_joint_)
    with pytest.raises(CheckpointError, match="n_samples = 10, this run has 4"):
        MultinomialMixture(**short, folder=tmp_path).fit(X)
    with pytest.raises(CheckpointError, match="of other data"):
        Microclustering(**short | {"n_samples": 20}, folder=tmp_path).fit(X)


def test_names_of_files_may_have_bytes_that_are_no_characters(here):
    """The command runs in its own process, because tests may print characters only."""
    name = os.fsdecode(b"caf\xe9")
    Path(f"{name}.csv").write_text("a,b\nx,null\nx,u\ny,v\ny,v\n", encoding="utf-8")
    command = [sys.executable, "-m", "reseat.command", "cluster", "records", f"{name}.csv"]
    done = subprocess.run([*command, "-o", name, *QUICK], capture_output=True)
    assert done.returncode == 0, done.stderr
    assert (Path(name) / "index.html").is_file()
