"""Tables, figures' numbers and claims of the documents paper, on small frames worked by hand."""

import itertools
import math
import runpy
import signal
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import xarray as xr
from scipy import stats

from reseat.datasets import Corpus, DatasetIdentity
from reseat.errors import DataError
from reseat.experiments.documents import claims as rules
from reseat.experiments.documents import intervals, label_switching
from reseat.experiments.documents.contingency import (
    contingency,
    contingency_rows,
    match_clusters,
    minor_share,
    shape_statistics,
)
from reseat.experiments.documents.evidence import Evidence
from reseat.experiments.documents.printed_claims import evaluate_printed
from reseat.experiments.documents.series import Traces, fixed_location_frame, trace_frame
from reseat.experiments.documents.snapshots import read_snapshot
from reseat.experiments.documents.tables import (
    best_summary,
    extensions_table,
    methods_table,
    summaries_table,
)
from reseat.experiments.documents.tidy import COLUMNS, METRICS, read_published, read_scores
from reseat.metrics import evaluate

ROOT = Path(__file__).resolve().parents[1]
PUBLISHED = ROOT / "config" / "published"
SCRIPTS = ROOT / "workflow" / "scripts"
ROLES = {"newsgroups": ["news"], "enron": ["mail"], "delicious": ["mulan", "reuters"]}
STATUS = {"news": "faithful", "mail": "stand-in", "mulan": "stand-in", "reuters": "stand-in"}
COLUMN = {m.name: m.column for m in METRICS}


def published(number):
    return read_published(PUBLISHED / f"docs_table{number}.csv")


def score_rows(dataset, model, summary, values, status=None, **fixed):
    """Scores in which every metric is the chain's value, and VI three minus it."""
    return [
        {
            "dataset": dataset,
            "status": status or STATUS[dataset],
            "model": model,
            "chain": chain,
            "summary": summary,
            "sample": np.nan,
            "n_clusters": 5,
            "q2_ratio": value / 10,
            **{column: value for column in COLUMN.values()},
            "vi": 3 - value,
            **fixed,
        }
        for chain, value in enumerate(values)
    ]


def scores_of(spec):
    return pd.DataFrame([row for args in spec for row in score_rows(*args)])


def row_of(table, **keys):
    for column, value in keys.items():
        table = table[table[column] == value]
    assert len(table) == 1, f"{len(table)} rows for {keys}"
    return table.iloc[0]


# --- Tables 1 to 6 and the extensions --------------------------------------------------------


def test_summaries_table_by_hand():
    scores = scores_of(
        [
            ("news", "gibbs", "marginal", [0.40, 0.44]),
            ("news", "gibbs", "map", [0.42, 0.42]),
            ("news", "gibbs", "random", [0.41, 0.45]),
            ("news", "gibbs", "fixed", [0.9, 0.9]),
            ("news", "gibbs_dp", "marginal", [0.8, 0.8]),
        ]
    )
    table = summaries_table("docs_table2", "newsgroups", scores, published(2))
    assert tuple(table.columns) == COLUMNS
    assert len(table) == 3 * 6
    row = row_of(table, system="Marginal", metric="F-Measure")
    assert row["mean"] == pytest.approx(0.42)
    # s = .02 sqrt(2), so the standard error over two chains is .02.
    assert row["se"] == pytest.approx(0.02)
    assert row["published"] == 0.42017
    assert row["difference"] == pytest.approx(0.42 - 0.42017)
    assert row["z"] == pytest.approx(-0.00017 / (0.02 * math.sqrt(2) * math.sqrt(1 / 2 + 1 / 100)))
    assert bool(row["comparable"]) and row["n_chains"] == 2
    assert row_of(table, system="MAP", metric="VI")["mean"] == pytest.approx(2.58)
    # Two equal chains have no spread, so a difference cannot be put in standard errors.
    assert math.isnan(row_of(table, system="MAP", metric="ARI")["z"])
    ratio = row_of(table, system="Rand", metric="Q2 (ratio form)")
    assert ratio["mean"] == pytest.approx(0.043) and math.isnan(ratio["published"])


def test_a_stand_in_is_marked_and_gets_no_z():
    spec = [(d, "gibbs", "map", [0.3, 0.5]) for d in ("mulan", "reuters")]
    table = summaries_table("docs_table1", "delicious", scores_of(spec), published(1))
    assert set(table["dataset"]) == {"mulan", "reuters"}
    row = row_of(table, dataset="reuters", system="MAP", metric="V-Measure")
    assert row["status"] == "stand-in" and not row["comparable"]
    assert row["difference"] == pytest.approx(0.4 - 0.47867)
    assert math.isnan(row["z"])


def test_one_chain_has_no_error():
    table = summaries_table(
        "docs_table2", "newsgroups", scores_of([("news", "gibbs", "map", [0.4])]), published(2)
    )
    row = row_of(table, system="MAP", metric="ARI")
    assert math.isnan(row["se"]) and math.isnan(row["z"]) and row["n_chains"] == 1


def test_gibbs_row_takes_the_best_summary_metric_by_metric():
    rows = score_rows("news", "gibbs", "marginal", [0.5, 0.6], vi=2.0)
    rows += score_rows("news", "gibbs", "map", [0.4, 0.5], vi=1.5)
    rows += score_rows("news", "gibbs", "random", [0.5, 0.6], vi=1.7)
    rows += score_rows("news", "em_laplace", "argmax", [0.3, 0.3, 0.3])
    rows += score_rows("news", "em_mle", "argmax", [0.2, 0.3])
    rows += score_rows("news", "em_from_gibbs", "argmax", [0.35, 0.35])
    scores = pd.DataFrame(rows)
    by_name = {metric.name: metric for metric in METRICS}
    assert best_summary(scores, by_name["VI"]) == "map"  # the smallest VI
    assert best_summary(scores, by_name["ARI"]) == "marginal"  # first of a tie
    table = methods_table("docs_table5", "newsgroups", scores, published(5))
    vi = row_of(table, system="Gibbs", metric="VI")
    assert (vi["summary"], vi["mean"], vi["published"]) == ("map", 1.5, 2.14728)
    assert row_of(table, system="Gibbs", metric="ARI")["summary"] == "marginal"
    assert math.isnan(row_of(table, system="Gibbs, MAP", metric="VI")["published"])
    for system in ("EM (add-one smoothing)", "EM (no smoothing)"):
        assert row_of(table, system=system, metric="F-Measure")["published"] == 0.33012
    assert row_of(table, system="EM from a Gibbs sample", metric="ARI")["mean"] == 0.35


def test_extensions_have_every_model_that_ran_and_nothing_published():
    scores = scores_of(
        [
            ("news", "gibbs", "vi", [0.4, 0.6]),
            ("news", "gibbs_dp", "map", [0.5]),
            ("reuters", "gibbs_pyp", "binder", [0.7]),
            ("reuters", "em_from_gibbs", "argmax", [0.1]),
        ]
    )
    table = extensions_table("docs_extensions", scores, ROLES)
    pairs = table[["role", "system"]].drop_duplicates().itertuples(index=False, name=None)
    assert list(pairs) == [
        ("newsgroups", "Gibbs, K fixed: vi"),
        ("newsgroups", "Dirichlet process: map"),
        ("delicious", "Pitman-Yor process: binder"),
        ("delicious", "EM from a Gibbs sample"),
    ]
    assert table["published"].isna().all()
    assert row_of(table, system="Dirichlet process: map", metric="clusters")["mean"] == 5


def test_a_role_without_scores_is_named():
    empty = scores_of([("news", "gibbs", "map", [0.4])]).iloc[:0]
    with pytest.raises(DataError, match="docs_table3 has no scores of the data set 'enron'"):
        summaries_table("docs_table3", "enron", empty, published(3))


def test_scores_without_their_columns_are_refused(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("dataset,model\nnews,gibbs\n")
    with pytest.raises(DataError, match="scores.csv lacks the column.*chain, status, summary"):
        read_scores([path])


# --- Figures 2 and 4 -------------------------------------------------------------------------


def test_trace_frame_keeps_the_climb_and_the_last_sweep():
    values = np.arange(2 * 5000, dtype=float).reshape(2, 5000)
    traces = Traces(values, values, burn_in=1000)
    frame = trace_frame("docs_fig2", "enron", "mail", "stand-in", traces, chain=1, max_points=500)
    sweeps = frame["sweep"].to_numpy()
    assert list(sweeps[:200]) == list(range(1, 201)) and sweeps[-1] == 5000
    assert 400 < len(frame) <= 502 and len(set(np.diff(sweeps[200:-1]))) == 1
    np.testing.assert_array_equal(frame["log_joint"], values[1, sweeps - 1])
    np.testing.assert_array_equal(frame["low"], values[0, sweeps - 1])
    np.testing.assert_array_equal(frame["high"], values[1, sweeps - 1])


def test_traces_are_read_back_and_a_missing_field_is_named(tmp_path):
    np.savez(tmp_path / "a.npz", log_joint=[[1.0, 2.0]], n_clusters=[[3, 3]], burn_in=1)
    assert Traces.load(tmp_path / "a.npz").log_joint.shape == (1, 2)
    np.savez(tmp_path / "b.npz", log_joint=[[1.0, 2.0]])
    with pytest.raises(DataError, match="b.npz lacks burn_in, n_clusters"):
        Traces.load(tmp_path / "b.npz")


def test_fixed_location_is_the_mean_over_chains():
    rows = score_rows("mulan", "gibbs", "fixed", [0.1, 0.3], sample=10)
    rows += score_rows("mulan", "gibbs", "fixed", [0.4, 0.4], sample=20)
    rows += score_rows("mulan", "gibbs", "map", [0.9, 0.9])
    frame = fixed_location_frame("docs_fig4", "delicious", pd.DataFrame(rows))
    first = row_of(frame, metric="ARI", sample=10)
    assert first["mean"] == pytest.approx(0.2) and first["se"] == pytest.approx(0.1)
    assert list(frame[frame["metric"] == "V-Measure"]["sample"]) == [10, 20]


# --- Figure 3 --------------------------------------------------------------------------------


def brute_force_divergences(counts, first, second, n_clusters):
    """The same divergences with loops, straight from the definition."""
    n_documents, n_features = counts.shape

    def distribution(labels, j):
        words = [1.0] * n_features
        for d in range(n_documents):
            if labels[d] == j:
                words = [w + c for w, c in zip(words, counts[d], strict=True)]
        return [w / sum(words) for w in words]

    p = [distribution(first, j) for j in range(n_clusters)]
    q = [distribution(second, j) for j in range(n_clusters)]
    return np.array(
        [[sum(a * math.log(a / b) for a, b in zip(x, y, strict=True)) for y in q] for x in p]
    )


def test_divergences_against_brute_force():
    rng = np.random.default_rng(3)
    counts = rng.poisson(1.0, size=(12, 7))
    first, second = rng.integers(3, size=12), rng.integers(3, size=12)
    got = label_switching.compare_samples(sp.csr_array(counts), first, second, 4)
    expected = brute_force_divergences(counts, first, second, 4)
    np.testing.assert_allclose(got.raw, expected, atol=1e-13)
    np.testing.assert_allclose(got.scaled, expected / expected.max(), atol=1e-13)
    assert list(got.occupied_reference) == [True, True, True, False]
    assert got.nearest[3] == -1 and list(got.nearest[:3]) == list(expected[:3].argmin(axis=1))


@pytest.fixture
def blocks():
    """Three groups of documents with words of their own, one document each of 30 words."""
    counts = np.kron(np.eye(3, dtype=int), np.full((4, 5), 6))
    return sp.csr_array(counts), np.repeat(np.arange(3), 4)


def test_a_sample_is_nearest_to_itself(blocks):
    counts, labels = blocks
    found = label_switching.compare_samples(counts, labels, labels, 3).summary()
    assert found["all_nearest"] and found["n_switched"] == 0 and found["n_emptied"] == 0
    assert found["diagonal_mean"] == pytest.approx(0, abs=1e-15)
    # By symmetry every other entry is the largest.
    assert found["off_diagonal_mean"] == pytest.approx(1)


def test_a_switch_is_seen_and_an_empty_cluster_is_not_one(blocks):
    counts, labels = blocks
    swapped = np.array([1, 0, 2])[labels]
    found = label_switching.compare_samples(counts, labels, swapped, 5).summary()
    assert (found["n_clusters"], found["n_occupied"]) == (5, 3)
    assert (found["n_not_nearest"], found["n_switched"]) == (2, 2)
    assert not found["all_nearest"]


def test_a_cluster_that_emptied_is_counted(blocks):
    counts, labels = blocks
    merged = np.where(labels == 2, 1, labels)
    found = label_switching.compare_samples(counts, labels, merged, 3).summary()
    assert found["n_emptied"] == 1 and found["n_not_nearest"] == 1
    assert found["n_switched"] == 0  # 2 has nowhere better to go than its own empty cluster


def test_labels_that_do_not_fit_are_refused(blocks):
    counts, labels = blocks
    with pytest.raises(DataError, match="outside 0 to 1"):
        label_switching.word_distributions(counts, labels, 2)
    with pytest.raises(DataError, match="3 labels for 12 documents"):
        label_switching.word_distributions(counts, labels[:3], 3)


# --- Table 7 ---------------------------------------------------------------------------------


def test_published_table7_gives_the_known_scores():
    """F .408, VI 2.220, ARI .261, V .537, Q2 .719 and exp H(K) 6.0 of the printed counts."""
    table = published(7)
    names = tuple(dict.fromkeys(name for _cluster, name in table))
    clusters = sorted({cluster for cluster, _name in table})
    pairs = [(names.index(n), clusters.index(k), int(v)) for (k, n), v in table.items()]
    true = np.repeat([p[0] for p in pairs], [p[2] for p in pairs])
    pred = np.repeat([p[1] for p in pairs], [p[2] for p in pairs])
    assert len(true) == 19896
    identity = {"artefact": "t", "role": "newsgroups", "dataset": "news", "status": "faithful"}
    # Our "chain" is the printed table itself with its clusters renumbered.
    renamed = np.random.default_rng(0).permutation(len(clusters))[pred]
    rows = contingency_rows(identity, true, names, [renamed], 100, table)
    scores = rows[rows["system"] == "score"].set_index("metric")
    expected = {"F-Measure": 0.408, "VI": 2.220, "ARI": 0.261, "V-Measure": 0.537, "Q2": 0.719}
    for metric, value in expected.items():
        assert scores.loc[metric, "published"] == pytest.approx(value, abs=6e-4)
        assert scores.loc[metric, "mean"] == pytest.approx(scores.loc[metric, "published"])
    shape = rows[rows["system"] == "shape"].set_index("metric")
    assert shape.loc["exp H(K)", "published"] == pytest.approx(6.04, abs=0.01)
    assert shape.loc["clusters covering 90 %", "published"] == 6
    split = rows[rows["system"] == "split"].set_index("metric")
    assert split.loc["misc.forsale", "published"] == pytest.approx(429 / 929)
    assert split.loc["sci.electronics", "published"] == pytest.approx(343 / 957)
    counts = rows[~rows["system"].isin(["score", "shape", "split"])]
    # Every cluster finds its printed twin; the printed all-zero cluster 01 is left alone.
    assert (counts["mean"] == counts["published"]).all()


def test_clusters_are_matched_by_largest_total_overlap():
    ours = np.array([[0, 9], [5, 5], [9, 0]])
    theirs = np.array([[8, 1], [6, 6]])
    best = max(
        itertools.permutations(range(3), 2),
        key=lambda p: sum(np.minimum(theirs[i], ours[p[i]]).sum() for i in range(2)),
    )
    assert match_clusters(theirs, ours) == dict(enumerate(best)) == {0: 2, 1: 1}


def test_shape_of_a_clustering():
    assert contingency([0, 1, 1], [2, 0, 2], 2, 4).tolist() == [[0, 1], [0, 0], [1, 1], [0, 0]]
    even = shape_statistics([10] * 10)
    assert even["exp H(K)"] == pytest.approx(10)
    assert even["clusters covering 90 %"] == 9
    assert even["share of the 7 largest"] == pytest.approx(0.7)
    assert shape_statistics([0, 4, 0])["exp H(K)"] == pytest.approx(1)
    with pytest.raises(DataError, match="every cluster is empty"):
        shape_statistics([0, 0])
    assert minor_share([10, 0, 30]) == pytest.approx(0.25)


def test_other_classes_have_no_published_counts():
    identity = {"artefact": "t", "role": "newsgroups", "dataset": "news", "status": "generated"}
    true = np.array([0, 0, 1, 1, 1])
    chains = [np.array([0, 0, 2, 2, 2]), np.array([0, 1, 1, 1, 1], dtype=np.uint8)]
    rows = contingency_rows(identity, true, ("left", "right"), chains, 20, published(7))
    assert rows["published"].isna().all() and "split" not in set(rows["system"])
    assert list(rows["system"][:4]) == ["other 02", "other 02", "other 00", "other 00"]
    assert list(rows["mean"][:4]) == [0, 3, 2, 0]
    ari = row_of(rows, system="score", metric="ARI")
    expected = [evaluate(true, labels)["adjusted_rand"] for labels in chains]
    assert ari["mean"] == pytest.approx(np.mean(expected)) and ari["n_chains"] == 2


# --- Intervals and the plateau ----------------------------------------------------------------


def test_intervals_agree_with_scipy():
    rng = np.random.default_rng(5)
    x, y = rng.normal(1, 2, 9), rng.normal(0, 1, 5)
    expected = stats.ttest_1samp(x, 0).confidence_interval(0.9)
    got = intervals.mean_interval(x, 0.9)
    assert got == pytest.approx((x.mean(), *expected))
    welch = stats.ttest_ind(x, y, equal_var=False).confidence_interval(0.99)
    assert intervals.difference_interval(x, y, 0.99) == pytest.approx((x.mean() - y.mean(), *welch))
    for successes in (0, 3, 8):
        exact = stats.binomtest(successes, 8).proportion_ci(0.95, method="exact")
        got = intervals.proportion_interval(successes, 8)
        assert got == pytest.approx((successes / 8, exact.low, exact.high))
    assert intervals.each(0.95, 5) == pytest.approx(0.99)


def test_one_chain_has_no_interval():
    assert math.isnan(intervals.mean_interval([3.0])[1])
    assert math.isnan(intervals.difference_interval([3.0], [1.0, 2.0])[2])
    rng = np.random.default_rng(0)
    assert math.isnan(intervals.bootstrap_interval(np.array([3.0]), np.mean, rng)[1])
    assert intervals.verdict_above(np.nan, np.nan, 0) == "untestable"


def test_bootstrap_covers_and_repeats():
    values = np.random.default_rng(1).normal(5, 1, 200)
    first = intervals.bootstrap_interval(values, np.mean, np.random.default_rng(2))
    again = intervals.bootstrap_interval(values, np.mean, np.random.default_rng(2))
    assert first == again
    # 1.96 standard errors either side, to a tenth of one.
    half = 1.96 * values.std(ddof=1) / math.sqrt(200)
    assert first[1] == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert first[2] == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_plateau_sweep():
    noise = np.tile([-1.0, 1.0], 500)
    trace = noise.copy()
    trace[:120] -= 500.0
    # The running median has 11 sweeps; a step at 120 is seen within half of them.
    assert abs(intervals.plateau_sweep(trace) - 121) <= 5
    dip = trace.copy()
    dip[800:803] -= 400
    assert intervals.plateau_sweep(dip) == intervals.plateau_sweep(trace)
    long_dip = trace.copy()
    long_dip[800:830] -= 400
    assert abs(intervals.plateau_sweep(long_dip) - 831) <= 5
    assert intervals.plateau_sweep(np.zeros(50)) == 1


# --- Claims ----------------------------------------------------------------------------------


def evidence_of(scores=None, traces=None, switching=None, table7=None, roles=ROLES):
    if scores is None:
        scores = scores_of([(name, "gibbs", "map", [0.5, 0.5]) for name in STATUS])
    nothing = pd.DataFrame(columns=["dataset", "status", "system", "metric", "mean", "n_chains"])
    return Evidence(
        scores=scores,
        roles=roles,
        traces=traces or {},
        switching=nothing if switching is None else switching,
        table7=nothing if table7 is None else table7,
        seed=1,
    )


def gibbs_and_em(gibbs, em, names=STATUS):
    spec = []
    for name in names:
        spec += [(name, "gibbs", s, gibbs) for s in ("marginal", "map", "random")]
        spec += [(name, model, "argmax", em) for model in ("em_laplace", "em_mle")]
    return scores_of(spec)


def test_doc1_confirmed_refuted_and_undecided():
    near = [0.50, 0.51, 0.49, 0.50]
    row = rules.doc1(evidence_of(gibbs_and_em(near, [0.30, 0.31, 0.29, 0.30])))
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.2)
    assert 0 < row["low"] < 0.2 < row["high"] and "in 40 of 40 cells" in row["evidence"]
    assert row["evidence"].startswith("On news, and the stand-ins mulan, reuters and mail: ")
    row = rules.doc1(evidence_of(gibbs_and_em([0.30, 0.31, 0.29, 0.30], near)))
    assert row["verdict"] == "refuted" and row["high"] < 0
    row = rules.doc1(evidence_of(gibbs_and_em([0.2, 0.8], [0.1, 0.7])))
    assert row["verdict"] == "untestable" and "not surely ahead: mulan F-Measure" in row["evidence"]
    row = rules.doc1(evidence_of(gibbs_and_em([0.5], [0.3])))
    assert row["verdict"] == "untestable" and math.isnan(row["low"])


def test_doc1_is_not_confirmed_while_a_data_set_is_missing():
    scores = gibbs_and_em([0.5, 0.51, 0.49], [0.3, 0.31, 0.29], ["news", "mulan"])
    row = rules.doc1(evidence_of(scores))
    assert row["low"] > 0 and row["verdict"] == "untestable"
    assert row["evidence"].endswith("nothing was run for enron.")


def shifted_summaries(shift, chains=8):
    base = np.linspace(0.3, 0.6, chains)
    wobble = 1e-4 * (-1.0) ** np.arange(chains)
    spec = []
    for name in STATUS:
        spec += [
            (name, "gibbs", "marginal", base + shift[name] + wobble),
            (name, "gibbs", "map", base),
            (name, "gibbs", "random", base),
        ]
    return scores_of(spec)


def test_doc2_pairs_the_summaries_of_a_chain():
    # Chains differ by .3, summaries of one chain by .002: only pairing can see that.
    row = rules.doc2(evidence_of(shifted_summaries(dict.fromkeys(STATUS, 0.002))))
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.002)
    row = rules.doc2(evidence_of(shifted_summaries(dict.fromkeys(STATUS, 0.05))))
    assert row["verdict"] == "refuted" and row["low"] > 0.04


def test_doc3_counts_wins_outside_enron():
    shift = {"news": 0.01, "mulan": 0.01, "reuters": 0.01, "mail": -0.01}
    row = rules.doc3(evidence_of(shifted_summaries(shift)))
    assert (row["verdict"], row["effect"]) == ("confirmed", 1.0)
    assert "mail 0 of 5" in row["evidence"] and "news 5 of 5" in row["evidence"]
    row = rules.doc3(evidence_of(shifted_summaries({name: -s for name, s in shift.items()})))
    assert (row["verdict"], row["effect"], row["high"]) == ("refuted", 0.0, 0.0)


def switching_frame(strayed, switched):
    row = {"dataset": "mail", "n_occupied": 10, "n_emptied": 0}
    row |= {"diagonal_mean": 0.01, "off_diagonal_mean": 0.6}
    return pd.DataFrame([row | {"n_not_nearest": strayed, "n_switched": switched}])


@pytest.mark.parametrize(
    ("strayed", "switched", "verdict"),
    [(0, 0, "confirmed"), (2, 2, "refuted"), (1, 0, "untestable")],
)
def test_doc4_tells_a_switch_from_a_drift(strayed, switched, verdict):
    row = rules.doc4(evidence_of(switching=switching_frame(strayed, switched)))
    assert row["verdict"] == verdict and row["effect"] == (10 - strayed) / 10
    assert "on the stand-in mail" in row["evidence"].lower()


def traces_with_plateau(sweeps, n_sweeps, chains=6):
    rng = np.random.default_rng(9)
    values = rng.normal(0, 1, (chains, n_sweeps))
    values[:, :sweeps] -= 1000
    return Traces(values, values, burn_in=10)


def test_doc5_compares_with_twice_the_printed_sweeps():
    good = {
        "news": traces_with_plateau(80, 400),
        "mail": traces_with_plateau(700, 3000),
        "mulan": traces_with_plateau(40, 200),
        "reuters": traces_with_plateau(45, 200),
    }
    row = rules.doc5(evidence_of(traces=good))
    assert row["verdict"] == "confirmed" and 0.7 < row["effect"] < 1.1
    late = good | {"news": traces_with_plateau(250, 750)}
    row = rules.doc5(evidence_of(traces=late))
    assert row["verdict"] == "refuted" and 2.3 < row["low"] <= row["high"] < 2.7
    short = good | {"mail": traces_with_plateau(20, 300)}
    row = rules.doc5(evidence_of(traces=short))
    assert row["verdict"] == "untestable" and "mail (300 sweeps)" in row["evidence"]


def fixed_scores(late_slope, noise=0.002):
    rng = np.random.default_rng(4)
    rows = []
    for name, sample in itertools.product(("mulan", "reuters"), range(10, 201, 10)):
        climb = 0.4 * min(sample, 100) / 100 + late_slope * max(0, sample - 100) / 100
        rows += score_rows(name, "gibbs", "fixed", climb + rng.normal(0, noise, 8), sample=sample)
    return pd.DataFrame(rows)


def test_doc6_sees_a_plateau_and_a_climb():
    row = rules.doc6(evidence_of(fixed_scores(0.0)))
    assert row["verdict"] == "confirmed" and abs(row["effect"]) < 0.01
    row = rules.doc6(evidence_of(fixed_scores(0.3)))
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(0.3, abs=0.01)
    row = rules.doc6(evidence_of(fixed_scores(0.0, noise=0.8)))
    assert row["verdict"] == "untestable"
    early = fixed_scores(0.0)
    row = rules.doc6(evidence_of(early[early["sample"] <= 100]))
    assert row["verdict"] == "untestable" and "too few samples" in row["evidence"]


def table7_of(system, means, status="faithful", se=0.01):
    return pd.DataFrame(
        [
            {
                "dataset": "news",
                "status": status,
                "system": system,
                "metric": metric,
                "mean": mean,
                "se": se,
                "n_chains": 10,
            }
            for metric, mean in means.items()
        ]
    )


def test_doc7_reads_the_share_of_the_seven_largest():
    shape = {"share of the 7 largest": 0.9, "exp H(K)": 6.5, "clusters covering 90 %": 7.0}
    row = rules.doc7(evidence_of(table7=table7_of("shape", shape)))
    half = stats.t.ppf(0.975, 9) * 0.01
    assert row["verdict"] == "confirmed" and row["low"] == pytest.approx(0.9 - half)
    row = rules.doc7(evidence_of(table7=table7_of("shape", shape | {next(iter(shape)): 0.6})))
    assert row["verdict"] == "refuted"
    row = rules.doc7(evidence_of(table7=table7_of("shape", shape, "generated")))
    assert row["verdict"] == "untestable" and row["effect"] == 0.9


def test_doc8_needs_both_classes_even_and_present():
    even = {"misc.forsale": 0.46, "sci.electronics": 0.47}
    assert rules.doc8(evidence_of(table7=table7_of("split", even)))["verdict"] == "confirmed"
    row = rules.doc8(evidence_of(table7=table7_of("split", even | {"sci.electronics": 0.2})))
    assert (row["verdict"], row["effect"]) == ("refuted", 0.2)
    row = rules.doc8(evidence_of())
    assert row["verdict"] == "untestable" and "missing" in row["evidence"]


def test_the_paper_against_itself():
    sets = ("delicious", "newsgroups", "enron")
    found = evaluate_printed(
        {role: published(n) for role, n in zip(sets, (1, 2, 3), strict=True)},
        {role: published(n) for role, n in zip(sets, (4, 5, 6), strict=True)},
        published(7),
    )
    found = found.set_index(found["claim"].str.slice(0, 5))
    assert dict(found["verdict"]) == {
        "DOC-1": "confirmed",
        "DOC-2": "confirmed",
        "DOC-3": "refuted",
        "DOC-7": "confirmed",
        "DOC-8": "refuted",
    }
    assert found.loc["DOC-1", "effect"] == pytest.approx(0.71328 - 0.68704)
    assert found.loc["DOC-2", "effect"] == pytest.approx(0.42174 - 0.42017)
    assert "2 on delicious, 1 on newsgroups, 2 on enron" in found.loc["DOC-3", "evidence"]
    assert found.loc["DOC-8", "effect"] == pytest.approx(343 / 957)
    assert found["claim"].str.contains("as printed", regex=False).all()


# --- The scripts, end to end -------------------------------------------------------------------


def test_snapshot_is_the_nearest_stored(tmp_path):
    path = tmp_path / "chain.nc"
    labels = np.array([[0, 1], [1, 1], [2, 1]], dtype=np.uint8)
    stored = xr.Dataset(
        {"labels": (("snapshot", "item"), labels)}, {"sweep": ("snapshot", [10, 20, 40])}
    )
    stored.to_netcdf(path, group="snapshots", engine="h5netcdf")
    assert read_snapshot(path, 20)[0].tolist() == [1, 1]
    assert read_snapshot(path, 5000)[1] == 40
    assert read_snapshot(path, 30)[1] == 20
    stored.to_netcdf(tmp_path / "other.nc", group="elsewhere", engine="h5netcdf")
    with pytest.raises(DataError, match="other.nc has no readable group 'snapshots'"):
        read_snapshot(tmp_path / "other.nc", 1)


@pytest.fixture(scope="module")
def small_run(tmp_path_factory):
    """Generated corpora, scores, traces and chains of all four data sets, written as a run does."""
    folder = tmp_path_factory.mktemp("run")
    rng = np.random.default_rng(8)
    run = {"folder": folder, "scores": [], "traces": [], "corpora": {}}
    for name in STATUS:
        labels = np.repeat(np.arange(3), 10)
        counts = rng.poisson(0.2 + 4 * np.kron(np.eye(3), np.ones((10, 4))))
        corpus = Corpus(
            sp.csr_array(counts),
            np.array([f"w{i:02d}" for i in range(12)]),
            labels,
            ("one", "two", "three"),
            np.array([f"d{i}" for i in range(30)]),
            DatasetIdentity(name, name.title(), "generated"),
        )
        run["corpora"][name] = str(folder / f"{name}.npz")
        corpus.save(run["corpora"][name])

        def sample(wrong, truth=labels):
            return np.where(rng.random(30) < wrong, rng.integers(3, size=30), truth)

        def row(model, chain, summary, wrong, place=np.nan, dataset=name, truth=labels):
            scores = evaluate(truth, sample(wrong, truth))
            keys = {"dataset": dataset, "status": "generated", "model": model, "chain": chain}
            return {**keys, "summary": summary, "sample": place, **scores, "log_joint": -1.0}

        rows = [
            row("gibbs", chain, summary, 0.2)
            for chain in range(3)
            for summary in ("marginal", "map", "random", "binder", "vi")
        ]
        rows += [row("gibbs", c, "fixed", 0.3, s) for c in range(3) for s in (10, 20, 30)]
        rows += [row(m, c, "argmax", 0.6) for m in ("em_laplace", "em_mle") for c in range(3)]
        path = folder / name / "gibbs"
        path.mkdir(parents=True)
        pd.DataFrame(rows).to_csv(path / "scores.csv", index=False)
        log_joint = -100 - 50 * np.exp(-np.arange(30) / 4) + rng.normal(0, 1, (3, 30))
        np.savez(path / "traces.npz", log_joint=log_joint, n_clusters=log_joint, burn_in=10)
        run["scores"].append(str(path / "scores.csv"))
        run["traces"].append(str(path / "traces.npz"))
        for chain in range(2):
            drawn = np.stack([sample(0.1) for _ in range(3)]).astype(np.uint8)
            xr.Dataset(
                {"labels": (("snapshot", "item"), drawn)}, {"sweep": ("snapshot", [10, 20, 30])}
            ).to_netcdf(path / f"chain-{chain}.nc", group="snapshots", engine="h5netcdf")
    return run


def run_script(script, given, made, **params):
    names = {
        "input": SimpleNamespace(**given),
        "output": SimpleNamespace(**{key: str(path) for key, path in made.items()}),
        "params": SimpleNamespace(**params),
        "log": [str(next(iter(made.values()))) + ".log"],
    }
    handler = signal.getsignal(signal.SIGTERM)
    try:
        runpy.run_path(str(SCRIPTS / script), {"snakemake": SimpleNamespace(**names)})
    finally:
        signal.signal(signal.SIGTERM, handler)
    for path in made.values():
        assert Path(path).stat().st_size > 0, f"{script} did not write {path}"


def test_scripts_make_every_artefact(small_run, tmp_path):
    scores = dict(zip(STATUS, small_run["scores"], strict=True))
    corpora, out = small_run["corpora"], tmp_path
    for number, role in ((1, "delicious"), (2, "newsgroups"), (3, "enron")):
        for script, shift in (("table_summaries.py", 0), ("table_methods.py", 3)):
            name = f"docs_table{number + shift}"
            given = {
                "scores": [scores[dataset] for dataset in ROLES[role]],
                "published": PUBLISHED / f"{name}.csv",
            }
            made = {"table": out / f"{name}.csv"}
            run_script(f"documents/{script}", given, made, artefact=name, role=role)
            table = pd.read_csv(made["table"])
            assert list(table.columns) == list(COLUMNS)
            assert set(table["dataset"]) == set(ROLES[role]) and not table["comparable"].any()
    run_script(
        "documents/table_contingency.py",
        {
            "corpus": corpora["news"],
            "blocks": [small_run["folder"] / "news" / "gibbs"],
            "published": PUBLISHED / "docs_table7.csv",
        },
        {"table": out / "docs_table7.csv"},
        artefact="docs_table7",
        role="newsgroups",
        sweep=20,
    )
    run_script(
        "documents/table_extensions.py",
        {"scores": list(scores.values())},
        {"table": out / "docs_extensions.csv"},
        artefact="docs_extensions",
        roles=ROLES,
    )

    def figure(name):
        return {"table": out / f"{name}.csv"} | {e: out / f"{name}.{e}" for e in PICTURES}

    run_script(
        "documents/figure_traces.py",
        {"corpora": list(corpora.values()), "traces": small_run["traces"]},
        figure("docs_fig2"),
        artefact="docs_fig2",
        roles=ROLES,
    )
    run_script(
        "documents/figure_switching.py",
        {"corpus": corpora["mail"], "blocks": [small_run["folder"] / "mail" / "gibbs"]},
        figure("docs_fig3") | {"summary": out / "docs_fig3_summary.csv"},
        artefact="docs_fig3",
        role="enron",
        n_clusters=4,
        sweeps=(10, 30),
    )
    summary = pd.read_csv(out / "docs_fig3_summary.csv")
    assert list(summary["chain"]) == [0, 1] and set(summary["compared_sweep"]) == {30}
    quilt = pd.read_csv(out / "docs_fig3.csv")
    assert len(quilt) == 2 * 4 * 4 and quilt.groupby("panel")["scaled"].max().eq(1).all()
    run_script(
        "documents/figure_samples.py",
        {
            "scores": [scores[name] for name in ROLES["delicious"]],
            "corpora": [corpora[name] for name in ROLES["delicious"]],
        },
        figure("docs_fig4"),
        artefact="docs_fig4",
        role="delicious",
    )
    run_script(
        "documents/claims.py",
        {
            "scores": list(scores.values()),
            "corpora": list(corpora.values()),
            "traces": small_run["traces"],
            "switching": out / "docs_fig3_summary.csv",
            "table7": out / "docs_table7.csv",
            "published_summaries": [PUBLISHED / f"docs_table{n}.csv" for n in (1, 2, 3)],
            "published_methods": [PUBLISHED / f"docs_table{n}.csv" for n in (4, 5, 6)],
            "published_table7": PUBLISHED / "docs_table7.csv",
        },
        {"claims": out / "claims.csv"},
        roles=ROLES,
        seed=3,
    )
    claims = pd.read_csv(out / "claims.csv")
    assert list(claims["claim"].str.slice(0, 5)[:8]) == [f"DOC-{n}" for n in range(1, 9)]
    assert set(claims["verdict"]) <= {"confirmed", "refuted", "untestable"}
    about = claims.set_index("claim")
    for key in ("DOC-5", "DOC-7", "DOC-8"):  # about named data, which these are not
        assert (about[about.index.str.startswith(f"{key}:")]["verdict"] == "untestable").all()
    assert claims["evidence"][:8].str.contains("generated data").all()
    run_script(
        "report/claims.py",
        {"claims": [out / "claims.csv", out / "claims.csv"]},
        {"claims": out / "all_claims.csv"},
    )
    assert len(pd.read_csv(out / "all_claims.csv")) == 2 * len(claims)
    run_script("report/claims.py", {"claims": []}, {"claims": out / "no_claims.csv"})
    assert list(pd.read_csv(out / "no_claims.csv").columns) == list(claims.columns)


PICTURES = ("pdf", "svg", "png")
