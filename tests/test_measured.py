"""Tables of the benchmarks: how rows are added, how the pages show them, and the methods."""

import sys

import numpy as np
import pandas as pd
import pytest
from places import ROOT

sys.path += [str(ROOT / "benchmarks"), str(ROOT / "docs" / "extensions")]

import measured
from own_methods import METHODS
from tables import add_rows


def test_rows_of_another_run_replace_those_of_the_same_things(tmp_path):
    path = tmp_path / "table.csv"
    order = ["b", "a"]

    def add(*rows):
        add_rows(path, rows, ("set",), lambda row: order.index(row["set"]))

    add({"set": "a", "seconds": 0.30, "n": 5})
    add({"set": "b", "seconds": 1.5, "n": 7})
    add({"set": "a", "seconds": 2.0})
    assert path.read_text() == "set,seconds,n\nb,1.5,7\na,2.0,\n"


def test_the_documentation_has_a_table_for_each_set(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "ROOT", tmp_path)
    (tmp_path / "benchmarks").mkdir()
    path = tmp_path / "benchmarks" / "own.csv"
    path.write_text("set,method,ARI,about\na,x,1.0,two things\na,y,0.5,two things\nb,x,0,one\n")
    text, files = measured.table(None, "", "own")
    assert files == [path]
    assert text.splitlines()[:6] == [
        "**A**: two things.", "", "| method | ARI |", "| :-- | --: |", "| x | 1.0 |", "| y | 0.5 |",
    ]  # fmt: skip
    assert "**B**: one." in text


def test_what_is_measured_are_methods_that_there_are():
    found = pd.read_csv(ROOT / "benchmarks" / "own_data.csv")
    assert set(found["method"]) <= set(METHODS)
    assert not found.duplicated(["set", "method"]).any()
    assert (found.groupby("set")["method"].apply(lambda names: "reseat" in set(names))).all()
    for row in found.to_dict("records"):
        of_records = row["set"] in ("people", "customers", "febrl", "historical")
        given = METHODS[row["method"]].given_of("records" if of_records else "others")
        assert row["given"] == given


@pytest.mark.parametrize("name", ["KMeans", "AgglomerativeClustering"])
def test_methods_see_clusters_that_nobody_could_miss(name, rng):
    truth = np.repeat([0, 1, 2], 10)
    points = 20.0 * truth[:, None] + rng.normal(size=(30, 2))
    distances = np.abs(points[:, None] - points).sum(axis=2)
    for data in (points, distances):
        labels = METHODS[name].run("distances", data, (), truth)
        assert len(set(zip(truth, labels, strict=True))) == 3
