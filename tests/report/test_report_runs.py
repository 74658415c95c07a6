"""The list of all runs, and two of them side by side."""

import dataclasses
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from site_inputs import site_inputs

from reseat.report import compare_runs, write_all_runs, write_site
from reseat.report.comparison import TIME, n_parts

NAN = np.nan


def numbers(*rows):
    """Return a ``comparison.csv`` from rows of metric, ours, error and why it is not compared."""
    names = ["paper", "artefact", "label", "dataset", "system", "variant"]
    table = pd.DataFrame(rows, columns=["metric", "ours", "error", "why"])
    return table.assign(**dict.fromkeys(names, "x")).assign(variant=NAN)


def test_numbers_agree_if_chance_explains_their_difference():
    one = numbers(
        ("near", 1.0, 0.3, ""),
        ("nearest", 1.0, 0.3, ""),
        ("far", 1.0, 0.3, ""),
        ("exact", 2.0, NAN, ""),
        ("other", 2.0, NAN, ""),
        ("zero", 2.0, 0.0, ""),
        ("seconds", 9.0, 0.1, TIME),
        ("alone", 1.0, 0.1, ""),
        ("not run", NAN, NAN, ""),
    )
    other = numbers(
        ("other", 2.5, NAN, ""),  # in another order
        ("near", 2.4, 0.4, ""),
        ("nearest", 1.8, 0.4, ""),
        ("far", 2.6, 0.4, ""),
        ("exact", 2.0, NAN, ""),
        ("zero", 2.5, 0.1, ""),  # all chains of one run gave the same number
        ("seconds", 1.0, 0.1, TIME),
        ("not run", 1.0, 0.1, ""),
    )
    found = compare_runs(one, other).set_index("metric")
    assert found["verdict"].to_dict() == {
        "near": "doubtful",
        "nearest": "agree",
        "far": "differ",
        "exact": "agree",
        "other": "no error known",
        "zero": "no error known",
    }
    assert found.loc["near", "errors_apart"] == pytest.approx(1.4 / 0.5)
    assert found.loc["far", "difference"] == pytest.approx(1.6)
    assert np.isnan(found.loc["other", "errors_apart"])
    # Errors that come from only three chains are less certain.
    few = [table.assign(n_chains=3) for table in (one, other)]
    assert compare_runs(*few).set_index("metric").loc["far", "verdict"] == "agree"
    # The number of chains does not matter if the error is over data draws or of a sampler.
    many = [table.assign(n_draws=20, n_chains=1) for table in (one, other)]
    assert compare_runs(*many).set_index("metric").loc["far", "verdict"] == "differ"
    sampler = [table.assign(n_parts=NAN, n_draws=1, n_chains=3) for table in (one, other)]
    assert compare_runs(*sampler).set_index("metric").loc["far", "verdict"] == "differ"


def test_rounding_is_no_difference():
    one = numbers(("a", 0.3, NAN, ""), ("b", 1.0, 1e-15, ""))
    other = numbers(("a", 0.1 + 0.2, NAN, ""), ("b", 1.0 + 4e-13, 1e-15, ""))
    assert compare_runs(one, other)["verdict"].eq("agree").all()


def test_an_error_of_one_part_is_a_monte_carlo_error():
    for table in (
        pd.DataFrame({"se": [0.1], "n_chains": [1]}),
        pd.DataFrame({"mcse": [0.1], "n_chains": [4]}),
        pd.DataFrame({"se": [0.1], "n_parts": [NAN], "n_chains": [4]}),
    ):
        assert n_parts(table).tolist() == [np.inf]
    assert n_parts(pd.DataFrame({"se": [0.1], "mcse": [0.2], "n_chains": [4]})).tolist() == [4]


def test_rows_of_the_same_names_are_paired_in_their_order():
    twice = numbers(("a", 1.0, 0.1, ""), ("a", 5.0, 0.1, ""))
    assert compare_runs(twice, twice)["verdict"].eq("agree").all()
    assert len(compare_runs(twice, twice)) == 2


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return the folder with the reports of two runs, which differ in one number."""
    folder = tmp_path_factory.mktemp("runs") / "reports"
    for name, shift in (("standard", 0.0), ("standard-seed7", 0.5)):
        inputs = site_inputs(folder / name)
        path = inputs.tables / "docs_table2.csv"
        table = pd.read_csv(path)
        table.loc[0, "mean"] += shift
        table.to_csv(path, index=False)
        settings = {**inputs.settings, "seed": 2008 if shift == 0 else 7}
        write_site(dataclasses.replace(inputs, settings=settings), folder / name)
    write_all_runs(folder)
    return folder


def test_the_list_opens_the_newest_run_and_can_be_kept_open(reports):
    index, runs = ((reports / name).read_text() for name in ("index.html", "runs.html"))
    assert 'content="0; url=standard-seed7/index.html"' in index
    assert "refresh" not in runs
    for text in (index, runs):
        links = set(re.findall(r'href="([^"#]+)"', text)) - {"data:,"}
        assert {"standard/index.html", "standard-seed7/index.html"} <= links
        assert all((reports / link).is_file() for link in links)
    assert runs.index("standard-seed7/index.html") < runs.index('"standard/index.html')


def test_two_runs_stand_side_by_side_with_the_share_that_agrees(reports):
    table = pd.read_csv(reports / "standard--standard-seed7.csv")
    (differs,) = table[table["verdict"].eq("differ")].to_dict("records")
    assert (differs["artefact"], differs["metric"]) == ("docs_table2", "ARI")
    assert differs["difference"] == pytest.approx(0.5)
    judged = table["errors_apart"].notna().sum()
    assert judged > 5
    page = (reports / "standard--standard-seed7.html").read_text()
    assert f"{100 * (judged - 1) / judged:.1f} %" in page
    links = set(re.findall(r'href="([^"#]+)"', page)) - {"data:,"}
    assert all((reports / link).is_file() for link in links)


def test_comparisons_with_removed_runs_are_removed_and_nothing_else(reports, tmp_path):
    copied = tmp_path / "reports"
    shutil.copytree(reports, copied)
    mine = copied / "notes--standard.html"
    mine.write_text("<h1>Notes</h1>")
    stale = copied / "a--b--standard.html"  # of the run a--b, which is no longer there
    stale.write_text("<h1>a--b and standard</h1>")
    shutil.rmtree(copied / "standard-seed7")
    write_all_runs(copied)
    assert {path.name for path in copied.glob("*--*")} == {mine.name}
    assert 'content="0; url=standard/index.html"' in (copied / "index.html").read_text()


def test_what_is_no_report_of_a_run_is_passed_over(reports, capsys):
    before = (reports / "runs.html").read_text()
    card = json.loads((reports / "standard" / "run.json").read_text())
    table = (reports / "standard" / "comparison.csv").read_text()
    (reports / "notes").mkdir()
    (reports / "notes" / "run.json").write_text("{}")
    damaged = {
        "broken": ("{", table),
        "empty": (json.dumps(card), ""),
        "torn": (json.dumps(card), table[: len(table) // 2] + ",,,,,,,,,,,,,,,,,,,,,,,,,,,"),
        "list": ("[]", table),
        "old": (json.dumps({"scale": "standard", "written": card["written"]}), table),
        "seedless": (json.dumps(card | {"settings": {}}), table),
        "undated": (json.dumps(card | {"written": 3}), table),
        "text": (json.dumps(card | {"made": "many"}), table),
        "few": (json.dumps(card), "paper,ours\nx,1\n"),
        "word": (json.dumps(card), table.replace(",0.25,", ",none,")),
    }
    for name, (own, numbers) in damaged.items():
        (reports / name).mkdir()
        (reports / name / "run.json").write_text(own)
        (reports / name / "comparison.csv").write_text(numbers)
    write_all_runs(reports)
    assert (reports / "runs.html").read_text() == before
    said = capsys.readouterr().out
    assert all(f"{reports / name}" in said for name in damaged)
    assert said.count("make its report again") == len(damaged)
