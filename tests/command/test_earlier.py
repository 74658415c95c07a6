"""Records that are added to an earlier result, and the numbers that its clusters keep."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from calls import QUICK

from reseat.command.main import main
from reseat.command.results import surviving

pytestmark = pytest.mark.usefixtures("no_pictures")

OLD = "number,first,town\n1,ann,rome\n2,ann,rome\n3,bob,oslo\n4,eve,bonn\n5,,oslo\n6,bob,bonn\n"
NEW = "number,town,first\n7,rome,ann\n8,lima,zoe\n"


@pytest.fixture(autouse=True)
def files(here):
    Path("old.csv").write_text(OLD, encoding="utf-8")
    Path("new.csv").write_text(NEW, encoding="utf-8")


def records(path, *options, out="out"):
    return main(["cluster", "records", path, "--id-column", "number", "-o", out, *options])


def labels(out="out"):
    return pd.read_csv(Path(out, "labels.csv"), dtype=str, keep_default_na=False)


def test_records_are_added_to_a_result_again_and_again(capsys):
    assert records("old.csv", *QUICK) == 0
    assert records("new.csv", "--into", "out", out="june") == 0
    before, after = labels(), labels("june")
    kept = before.columns[[0, 1, 3, 4]]
    pd.testing.assert_frame_equal(after[kept][:6], before[kept])
    assert after["item"].tolist() == [*"12345678"]
    assert after["town"].tolist()[5:] == ["bonn", "rome", "lima"]
    changes = pd.read_csv("june/changes.csv", dtype=str, keep_default_na=False)
    assert changes["before"].eq("").all() and changes["records"].astype(int).sum() == 2
    # Another one, in place of the result; without names, records are numbered on.
    Path("more.csv").write_text("first,town\neve,bonn\n", encoding="utf-8")
    more = ["cluster", "records", "more.csv", "--into", "june", "-o", "june", "--overwrite"]
    assert main(more) == 0
    assert labels("june")["item"].tolist() == [*"123456789"]
    assert labels("june")["cluster"].tolist()[:8] == after["cluster"].tolist()
    assert json.loads(Path("june/settings.json").read_text(encoding="utf-8"))["n_chains"] == 2
    assert main(["cluster", "records", "more.csv", "--into", "june", "-o", "july"]) == 0
    assert "unreliable" not in capsys.readouterr().err.split("more.csv")[-1]


def test_clusters_of_a_new_run_keep_their_numbers():
    assert records("old.csv", *QUICK) == 0
    Path("all.csv").write_text(OLD + "7,ann,rome\n", encoding="utf-8")
    assert records("all.csv", *QUICK, "--ids-from", "out", out="again") == 0
    changes = pd.read_csv("again/changes.csv", dtype=str, keep_default_na=False)
    together = labels().merge(labels("again"), on="item")
    differing = (together["cluster_x"] != together["cluster_y"]).sum()
    assert changes.loc[changes["before"] != "", "records"].astype(int).sum() == differing


def test_most_records_of_a_cluster_take_its_number_along():
    before = dict(a="1", b="1", c="1", d="2", e="2", f="3", g="4", h="4", gone="9")
    now = dict(a=0, b=0, c=1, d=2, e=2, f=2, g=3, h=4, i=0, j=5)
    names, changes = surviving(before, 9, list(now), np.array([*now.values()]))
    assert names == ["1", "10", "2", "11", "12", "13"]
    assert sorted(changes.itertuples(index=False, name=None)) == [
        ("joined", "", "1", 1), ("merged", "3", "2", 1), ("new", "", "13", 1),
        ("split", "1", "10", 1), ("split", "4", "11", 1), ("split", "4", "12", 1),
    ]  # fmt: skip


def test_what_cannot_be_added_is_refused(capsys):
    assert records("old.csv", *QUICK) == 0
    capsys.readouterr()
    for path, options, words in (
        ("new.csv", ["--into", "nowhere"], "nowhere has no result of reseat cluster records"),
        ("old.csv", ["--ids-from", "nowhere"], "nowhere has no result of reseat cluster records"),
        ("new.csv", ["--into", "out", "--samples", "9"], "--samples has no effect with --into"),
        ("old.csv", ["--into", "out"], "the new record 1 has the name of one in out"),
        ("old.csv", ["--at-most-one", "each"], "--at-most-one needs --source-column"),
    ):
        assert records(path, *options, out="other") == 2
        assert words in capsys.readouterr().err
        assert not Path("other").exists()
    text = Path("out/labels.csv").read_text(encoding="utf-8")
    Path("out/labels.csv").write_text(text.replace("eve", "eva"), encoding="utf-8")
    assert records("new.csv", "--into", "out", out="other") == 2
    assert "labels.csv is not as this command wrote it" in capsys.readouterr().err
