"""Results about duplicates: pairs, expected quality and its calibration, golden records."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from similar import customers, draw_similar

from reseat import Microclustering
from reseat.chains import MixtureModel
from reseat.command import writing
from reseat.command.main import main
from reseat.datasets.parsers.generated_customers import FIELDS
from reseat.errors import ConfigError, DataError
from reseat.likelihoods import RecordIndex, SimilarityIndex, SimilarRecords
from reseat.metrics import pair_f, pair_precision, pair_recall
from reseat.moves import Chaperones, Pairs
from reseat.priors import ESCNB, sample_sizes
from reseat.summaries import (
    coclustering,
    duplicates,
    expected_quality,
    golden_records,
    golden_sources,
    minimise_expected_loss,
    probable_pairs,
)

pytestmark = pytest.mark.usefixtures("no_pictures")

SHORT = {"n_chains": 2, "n_burn_in": 40, "n_samples": 80, "thin": 2, "random_state": 1}


@pytest.mark.parametrize("held", [duplicates.HELD, 20])
def test_probable_pairs_are_those_of_the_matrix(held, rng, monkeypatch):
    monkeypatch.setattr(duplicates, "HELD", held)
    draws = rng.integers(0, 9, (21, 30))
    first, second, probability = probable_pairs(draws, 0.15)
    whole = np.triu(coclustering(draws), 1)
    pairs = zip(*np.nonzero(whole >= 0.15), strict=True)
    assert list(zip(first, second, strict=True)) == list(pairs)
    np.testing.assert_allclose(probability, whole[first, second])
    assert probable_pairs([[0, 1, 2]])[0].size == 0
    with pytest.raises(ValueError, match="threshold"):
        probable_pairs(draws, 0.0)


def test_expected_quality_is_that_of_the_metrics(rng):
    labels, draws = rng.integers(0, 12, 30), rng.integers(0, 12, (50, 30))
    found = expected_quality(labels, draws)
    for name, metric in (("precision", pair_precision), ("recall", pair_recall), ("f", pair_f)):
        values = [metric(draw, labels) for draw in draws]
        low, high = np.quantile(values, [0.025, 0.975])
        assert getattr(found, name) == pytest.approx((np.mean(values), low, high))
    assert expected_quality([0, 1], [[0, 1]]).f == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("labels", [[0], [0, 0], [0, 0, 1, 1], [0, np.nan, np.nan], [[0, 0, 1]]])
def test_labels_must_be_of_the_items_of_the_draws(labels):
    with pytest.raises(DataError, match=r"labels"):
        expected_quality(labels, [[0, 0, 1], [0, 1, 1]])


def test_intervals_of_precision_and_recall_cover_the_truth():
    """In 100 sets of records from the model, 95 % intervals cover the truth at least 90 times."""
    rng = np.random.default_rng(11)
    n_values, prior = 8, ESCNB(1.0, 0.3, r_hyperprior=None, p_hyperprior=None)
    gamma = rng.dirichlet(np.full(n_values, 5.0))
    near = (np.arange(0, 8, 2), np.arange(1, 8, 2), np.full(4, 3.0))
    covered = np.zeros(2, dtype=int)
    for _ in range(100):
        sizes = sample_sizes(prior, 24, 1, rng)[0]
        truth = np.repeat(np.arange(len(sizes)), sizes)
        codes = draw_similar(truth, [0.1] * 4, [gamma] * 4, [near] * 4, rng)
        index = SimilarityIndex(RecordIndex(codes, [gamma] * 4), [near] * 4)
        model = MixtureModel(prior, SimilarRecords(index, 0.1), (Chaperones(Pairs(24)),))
        model.start(np.arange(24))
        draws = []
        for sweep in range(500):
            model.sweep(rng)
            if sweep >= 60 and sweep % 8 == 0:
                draws.append(model.labels.copy())
        labels = minimise_expected_loss(np.array(draws), "vi", n_runs=1, rng=rng).labels
        found = expected_quality(labels, draws)
        for place, metric in enumerate((pair_precision, pair_recall)):
            _, low, high = (found.precision, found.recall)[place]
            covered[place] += low <= metric(truth, labels) <= high
    assert (covered >= 90).all()


def test_golden_records_take_what_most_have():
    columns = [
        ["ann", "ann", "anne", "bob", "rob", "bob", None],
        ["x", None, None, "y", "y", None, None],
        ["1", "12", "3", "4", "5", "5", None],
    ]
    found = golden_records(columns, [0, 0, 0, 1, 1, 2, 3])
    # 5 is more frequent than 4 among all records; of 1, 12 and 3 the longest is taken.
    assert found == [["ann", "x", "12"], ["bob", "y", "5"], ["bob", None, "5"], [None] * 3]
    columns = [["Rome", np.nan, pd.NA], [None, 3, pd.NaT], [pd.NA, None, np.nan]]
    assert golden_records(columns, [0, 0, 0]) == [["Rome", 3, None]]


@pytest.mark.parametrize(
    ("columns", "labels", "words"),
    [
        ([["ann", "bob"]], [0, 2], "No record has the label 1, but one has 2"),
        ([["ann", "bob"], ["x"]], [0, 1], "Field 1 has 1 values, but there are 2 labels"),
        ([["ann", "bob"]], [0, -1], "is negative; slots are numbered from 0"),
        ([["ann", "bob"]], [0.0, 0.5], "is not a whole number"),
    ],
)
def test_golden_records_need_a_label_and_a_value_for_each_record(columns, labels, words):
    with pytest.raises(DataError, match=words):
        golden_records(columns, labels)


def test_strings_are_compared_without_being_asked(rng):
    cells, entities = customers(300)
    table = pd.DataFrame(cells, columns=FIELDS)
    model = Microclustering(**SHORT).fit(table)
    assert model.likelihood_ == "similar" and "city follows postcode" not in model.fields_
    assert "last_name" in model.fields_
    assert pair_f(entities, model.labels_) > 0.8
    low, high = model.quality_.precision[1:]
    assert 0 < low <= model.quality_.precision[0] <= high <= 1
    plain = Microclustering("esc_d", likelihood="categorical", **SHORT).fit(table)
    assert plain.likelihood_ == "categorical" and plain.fields_ == "equal or not"
    assert pair_f(entities, plain.labels_) < pair_f(entities, model.labels_)
    with pytest.raises(ConfigError, match="likelihood is 'simlar'; did you mean 'similar'"):
        Microclustering(likelihood="simlar").fit(table)


def test_the_command_writes_pairs_to_look_at(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    cells, entities = customers(200)
    table = pd.DataFrame(cells, columns=FIELDS)
    table.insert(0, "person", entities)
    table.insert(0, "key", [f"r{k}" for k in range(200)])
    table.to_csv("customers.csv", index=False)
    options = "--id-column key --entity-column person --chains 2 --samples 60".split()
    assert main(["cluster", "customers.csv", "--model", "records", "-o", "out", *options]) == 0
    said = capsys.readouterr().err.replace("\n", " ")
    assert "last_name, city, phone (up to two wrong letters)" in said
    pairs = pd.read_csv("out/duplicates.csv", dtype={"phone (first)": str, "phone (second)": str})
    asked = pairs["gain"].notna()  # these come first
    doubt = (pairs["probability"] - 0.5).abs().round(4)[~asked]
    assert doubt.is_monotonic_increasing and pairs["probability"].between(0.05, 1).all()
    assert pairs["gain"][asked].is_monotonic_decreasing and asked.is_monotonic_decreasing
    row = pairs.iloc[-1]
    records = table.set_index("key")
    assert row["last_name (first)"] == records.loc[row["first"], "last_name"]
    labels = pd.read_csv("out/labels.csv").set_index("item")["cluster"]
    together = labels[pairs["first"]].to_numpy() == labels[pairs["second"]].to_numpy()
    assert (pairs["cluster"].notna() == together).all()
    review = Path("out/review.html").read_text("utf-8")
    assert review.count("<caption>") == asked.sum() > 0
    assert str(pairs.loc[0, "last_name (first)"]) in review
    assert 'href="review.html"' in Path("out/index.html").read_text("utf-8")
    golden = pd.read_csv("out/golden.csv")
    assert golden["size"].sum() == 200 and len(golden) == labels.nunique()
    summary = pd.read_csv("out/summary.csv").set_index("quantity")
    assert {"expected precision", "expected recall", "expected f"} <= set(summary.index)
    assert summary.loc["expected recall", "low"] <= summary.loc["expected recall", "mean"]
    asked = "customers.csv --model records -o b --likelihood x".split()
    assert main(["cluster", *asked]) == 2
    assert "--likelihood is 'x'; it must be one of categorical, similar" in capsys.readouterr().err


def test_the_review_page_marks_what_differs_and_takes_decisions(tmp_path):
    frame = pd.DataFrame(
        [
            ["1", '2"', 0.5, "7", 1.5, "Ann", "ann ", "<b>x", "y", None, "z"],
            ["3", "4", 0.3, "", 0.3, "Bob", "Rob", "u", "u", "1", "1"],
            ["5", "6", 0.2, "", np.nan, "hidden", "hidden", "u", "u", "1", "1"],
            ["7", "8", 0.96, "9", np.nan, "sure", "sure", "u", "u", "1", "1"],
        ],
        columns=["first", "second", "probability", "cluster", "gain",
                 *(f"{field} ({side})" for field in "abc" for side in ("first", "second"))],
    )  # fmt: skip
    odds = {"pair": [1.25, -2.0, -3.0], "others": [0.5, 0.0, 0.25], "log_odds": [1.75, -2.0, -2.75]}
    explained = [pd.DataFrame(odds, index=[0, 1, "prior"])] * 2
    names, kept = ["a", "b", "c & d"], [["</script>", "é", "same"]]
    writing.write_review(tmp_path, frame, names, explained, kept, "mine")
    text = (tmp_path / "review.html").read_text("utf-8")
    assert "3 pairs of records" in text
    assert "hidden" not in text and "sure</td>" not in text
    rows = [row.split("</tr>")[0] for row in text.split("<tr>")[1:] if "<td" in row]
    assert rows[0] == (
        '<td>1</td><td>Ann</td><td class="differs">&lt;b&gt;x</td><td>–</td>'
    )  # to the model, Ann is ann, and nothing differs from a missing value
    assert rows[1].startswith('<td>2&#34;</td><td>ann </td><td class="differs">y</td><td>z</td>')
    assert "<td>log odds</td><td>+1.2</td><td>-2.0</td><td>+0.0</td>" in text
    assert "the prior -3.0; other records of the entity +0.8; in sum -3.0" in text
    assert rows[2].startswith('<td>3</td><td class="differs">Bob</td><td>u</td>')
    assert text.count("together in cluster 7") == 1 and text.count("in different clusters") == 1
    assert "c &amp; d" in text and text.count("</script>") == 1
    assert text.count("<button") == 6
    assert 'data-pair="[&#34;1&#34;, &#34;2\\&#34;&#34;]"' in text


def test_golden_records_by_other_rules_and_where_their_values_are_from():
    columns = [["b", None, "a", "a", "c"], [3, 1, 2, None, 7], ["x", "xyz", "xy", None, None]]
    labels = [0, 0, 0, 0, 1]
    found = golden_records(columns, labels, rules={1: "least", 2: "longest"})
    assert found == [["a", 1, "xyz"], ["c", 7, None]]
    assert golden_sources(columns, labels, found).tolist() == [[2, 1, 1], [4, 4, -1]]
    rules = {0: "first", 1: "last", 2: lambda values: sorted(values)[1]}
    assert golden_records(columns, labels, rules)[0] == ["b", 2, "xy"]
    with pytest.raises(ConfigError, match="must be one of first, last, longest, least, greatest"):
        golden_records(columns, labels, rules={0: "x"})
