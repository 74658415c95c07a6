"""Tables and numbers of figures of the documents paper, on small frames worked out by hand."""

import itertools
import math
from types import SimpleNamespace

import exact
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import xarray as xr
from document_frames import ROLES, published, row_of, score_rows, scores_of, traces_of

from reseat.baselines import fit_em
from reseat.chains import chain_seed
from reseat.errors import DataError
from reseat.files.atomic import seal
from reseat.metrics import evaluate
from reseat.papers.documents import contingency, label_switching, tables
from reseat.papers.documents.posterior import posterior_table, sample_posterior
from reseat.papers.documents.results import METRICS, SUPPLEMENT
from reseat.papers.documents.scores import sample_em_starts
from reseat.papers.documents.studies import read_snapshot
from reseat.papers.documents.tables import Traces
from reseat.papers.tables import COLUMNS, rows_of
from reseat.vocabulary import NOTE


def test_summaries_table_by_hand():
    of = {"marginal": [0.40, 0.44], "map": [0.42, 0.42], "random": [0.41, 0.45]}
    spec = [("news", "gibbs", name, values) for name, values in of.items()]
    spec += [("news", "gibbs", "fixed", [0.9, 0.9]), ("news", "gibbs_dp", "marginal", [0.8, 0.8])]
    scores = scores_of(spec)
    given = (published(2), traces_of(scores, {("news", "gibbs")}))
    table = tables.summaries_table("docs_table2", "newsgroups", scores, *given)
    assert tuple(table.columns) == (*COLUMNS, NOTE)
    assert table[NOTE].str.fullmatch(r"mean over chains in different modes: R-hat .* \d+\.\d").all()
    assert len(table) == 3 * len((*METRICS, *SUPPLEMENT))
    row = row_of(table, system="Marginal", metric="F-Measure")
    assert row["mean"] == pytest.approx(0.42)
    # s = .02 sqrt(2), so the standard error over two chains is .02.
    assert row["se"] == pytest.approx(0.02)
    assert row["published"] == 0.42017
    assert row["difference"] == pytest.approx(0.42 - 0.42017)
    assert row["z"] == pytest.approx(-0.00017 / (0.02 * math.sqrt(2) * math.sqrt(1 / 2 + 1 / 100)))
    assert bool(row["comparable"]) and row["n_chains"] == 2
    assert row_of(table, system="MAP", metric="VI")["mean"] == pytest.approx(2.58)
    # Two equal chains have no spread, so a difference cannot be expressed in standard errors.
    assert math.isnan(row_of(table, system="MAP", metric="ARI")["z"])
    ratio = row_of(table, system="Rand", metric="Q2 (ratio form)")
    assert ratio["mean"] == pytest.approx(0.043) and math.isnan(ratio["published"])


def test_a_stand_in_is_marked_and_gets_no_z():
    spec = [(d, "gibbs", "map", [0.3, 0.5]) for d in ("mulan", "reuters")]
    scores = scores_of(spec)
    given = (scores, published(1), traces_of(scores))
    table = tables.summaries_table("docs_table1", "delicious", *given)
    assert set(table["dataset"]) == {"mulan", "reuters"}
    row = row_of(table, dataset="reuters", system="MAP", metric="V-Measure")
    assert row["status"] == "stand-in" and not row["comparable"]
    assert row["difference"] == pytest.approx(0.4 - 0.47867)
    assert math.isnan(row["z"])
    with pytest.raises(DataError, match="docs_table3 has no data set among enron"):
        tables.summaries_table("docs_table3", "enron", scores.iloc[:0], published(3), [])


def test_gibbs_row_takes_the_best_summary_metric_by_metric():
    rows = score_rows("news", "gibbs", "marginal", [0.5, 0.6], vi=2.0)
    rows += score_rows("news", "gibbs", "map", [0.4, 0.5], vi=1.5)
    rows += score_rows("news", "gibbs", "random", [0.5, 0.6], vi=1.7)
    for _system, model, summary in tables.EM_SYSTEMS:
        rows += score_rows("news", model, summary, [0.25, 0.27])
    rows += score_rows("news", "em_from_gibbs", "argmax", [0.35, 0.35])
    scores = pd.DataFrame(rows)
    by_name = {metric.name: metric for metric in METRICS}
    assert tables.best_summary(scores, by_name["VI"]) == "map"  # the smallest VI
    assert tables.best_summary(scores, by_name["ARI"]) == "marginal"  # first of a tie
    given = (scores, published(5), traces_of(scores))
    table = tables.methods_table("docs_table5", "newsgroups", *given)
    vi = row_of(table, system="Gibbs", metric="VI")
    assert (vi["summary"], vi["mean"], vi["published"]) == ("map", 1.5, 2.14728)
    assert row_of(table, system="Gibbs", metric="ARI")["summary"] == "marginal"
    told = table["note"].str.contains(tables.BEST_OF, regex=False)
    assert set(table.loc[told, "system"]) == {"Gibbs"}
    assert math.isnan(row_of(table, system="Gibbs, MAP", metric="VI")["published"])
    for system, *_ in tables.EM_SYSTEMS:
        assert row_of(table, system=system, metric="F-Measure")["published"] == 0.33012
    assert row_of(table, system="EM from a Gibbs sample", metric="ARI")["mean"] == 0.35


def test_readings_have_the_rows_of_em_where_it_ran():
    spec = [(d, "gibbs", "marginal", [0.3, 0.5]) for d in ("news", "mail")]
    spec += [("mail", tables.EM_SYSTEMS[-1][1], "argmax", [0.33, 0.35])]
    spec += [("mail", "em_from_gibbs", "argmax", [0.4, 0.5])]
    scores = scores_of(spec)
    given = (scores, published(2), published(5), traces_of(scores, {("mail", "gibbs")}))
    table = tables.readings_table("docs_readings", "newsgroups", *given)
    noted = table.loc[table[NOTE] != "", ["dataset", "system"]].drop_duplicates()
    assert noted.values.tolist() == [["mail", name] for name in ("Marginal", "MAP", "Rand")]
    systems = table.groupby("dataset", sort=False)["system"].unique()
    assert list(systems["news"]) == ["Marginal", "MAP", "Rand"]
    assert list(systems["mail"]) == ["Marginal", "MAP", "Rand", tables.EM_SYSTEMS[-1][0]]
    row = row_of(table, dataset="mail", system=tables.EM_SYSTEMS[-1][0], metric="F-Measure")
    assert row["mean"] == pytest.approx(0.34) and row["published"] == 0.33012
    assert row_of(table, dataset="news", system="Marginal", metric="VI")["published"] == 2.16088


def test_extensions_have_every_model_that_ran_and_nothing_published():
    spec = [("news", "gibbs", "vi", [0.4, 0.6]), ("news", "gibbs_dp", "map", [0.5])]
    models = {"gibbs_pyp": "binder", "em_from_gibbs": "argmax", "em_early": "argmax"}
    models["gibbs_uniform"] = "map"
    scores = scores_of(spec + [("reuters", name, of, [0.7]) for name, of in models.items()])
    table = tables.extensions_table("docs_extensions", scores, ROLES, traces_of(scores))
    pairs = table[["role", "system"]].drop_duplicates().itertuples(index=False, name=None)
    first = ("Gibbs, K fixed: vi", "Dirichlet process: map")
    others = ("Pitman-Yor process: binder", "EM from a Gibbs sample", "gibbs_uniform: map")
    names = [("newsgroups", name) for name in first] + [("delicious", name) for name in others]
    assert list(pairs) == names
    assert table["published"].isna().all()
    assert row_of(table, system="Dirichlet process: map", metric="clusters")["mean"] == 5


def test_mixing_sets_the_spread_of_chains_beside_the_error_within_one(rng):
    of = {"gibbs": [0.4, 0.6, 0.5], "gibbs_annealed": [0.7, 0.7, 0.7]}
    scores = scores_of([("news", name, "random", values) for name, values in of.items()])
    places = np.array([-900.0, -700.0, -500.0])
    draws = rng.normal(size=(3, 500))
    early = np.full((3, 50), -1e4)
    apart, together = (
        Traces(np.hstack([early, at[:, None] + draws]), draws, 50, np.array([9.0, 10.0, 11.0]))
        for at in (places, np.full(3, -400.0))
    )
    table = tables.mixing_table("docs_mixing", "newsgroups", scores, [apart, together])
    of = {name: rows.set_index("metric")["mean"] for name, rows in table.groupby("system")}
    assert list(of) == ["Gibbs sweeps", "Gibbs sweeps, annealed start"]
    stuck, moving = of.values()
    assert stuck["log joint"] == pytest.approx(-700, abs=0.2)
    assert stuck["between chains"] == pytest.approx(200, abs=0.3) and stuck["R-hat"] > 2
    # Independent draws of standard deviation 1.
    assert stuck["within a chain"] == pytest.approx(1 / np.sqrt(500), rel=0.15)
    assert moving["between chains"] < 0.2 and moving["R-hat"] < 1.02
    assert stuck["seconds a chain"] == 10 and moving["F-Measure"] == pytest.approx(0.7)
    assert table["published"].isna().all() and set(table.columns) == {*COLUMNS, NOTE}
    noted = table[table[NOTE].ne("")]
    assert set(noted["system"]) == {"Gibbs sweeps"}
    assert set(noted["metric"]) == {"log joint", *table.loc[table["summary"] == "random", "metric"]}
    assert noted[NOTE].str.fullmatch("mean over chains in different modes: R-hat .*").all()


def test_the_posterior_is_compared_with_the_true_classes(rng):
    """Chains find four classes that are far apart, and log joints are those of the definition."""
    classes = np.arange(24) % 4
    laws = np.kron(np.eye(4), np.full(5, 0.2))
    counts = np.array([rng.multinomial(20, laws[k]) for k in classes])
    corpus = SimpleNamespace(
        counts=sp.csr_array(counts), labels=classes + 7, identity=SimpleNamespace(status="faithful")
    )
    settings = {"prior": "finite_dirichlet", "concentration": 1.0, "beta": 1.0}
    annealed = settings | {"anneal": {"n_sweeps": 40, "lowest": 0.02}}
    models = {"gibbs": settings, "gibbs_annealed": annealed}
    how = {"n_chains": 2, "burn_in": 20, "n_samples": 10}
    betas = ("0.1", "sampled")
    found = {beta: sample_posterior(corpus, "news", beta, models, 4, how, 1) for beta in betas}
    ways = ["the classes, kept", "Gibbs sweeps from the classes", "Gibbs sweeps"]
    ways.append("Gibbs sweeps, annealed start")
    for frame in found.values():
        assert list(frame["way"].unique()) == ways and len(frame) == 8
        of = frame.set_index("way")
        assert (of.loc[ways[0], "adjusted_rand"] == 1).all()
        assert (of.loc[[ways[1], ways[3]], "adjusted_rand"] == 1).all()
    kept = found["0.1"].iloc[0]
    expected = exact.log_dirichlet_multinomial(counts, classes, 0.1)
    # The prior of one labelling; the oracle's is that of the partition, with 4! labellings.
    expected += exact.log_finite_dirichlet(classes, 4, 1.0) - math.log(24)
    assert kept["log_joint"] == pytest.approx(expected) and kept["mean_beta"] == 0.1
    assert found["sampled"]["mean_beta"].nunique() > 1
    table = posterior_table("docs_posterior", "newsgroups", pd.concat(found.values()))
    row = row_of(table, system="the classes, kept, beta 0.1", metric="log joint")
    assert row["mean"] == pytest.approx(expected) and row["se"] == 0
    assert row_of(table, system="the classes, kept, beta sampled", metric="clusters")["mean"] == 4
    effective = row_of(table, system="the classes, kept, beta 0.1", metric="exp H(K)")
    assert effective["mean"] == pytest.approx(4)
    few = sample_posterior(corpus, "news", "1.0", models, 3, how, 1)
    assert list(few["way"].unique()) == ways[2:]


def test_em_is_chosen_on_half_of_the_restarts_and_judged_on_the_other(rng):
    classes = np.arange(40) % 2
    counts = np.array([rng.multinomial(30, [[0.3, 0.3, 0.4], [0.5, 0.3, 0.2]][k]) for k in classes])
    corpus = SimpleNamespace(
        counts=sp.csr_array(counts), labels=classes, identity=SimpleNamespace(status="faithful")
    )
    how = {"concentrations": [1.0, 50.0], "iterations": [1, 3, 200], "n_restarts": 6}
    found = sample_em_starts(corpus, "news", 2, how, 1)
    assert len(found) == 2 * 3 * 6
    # After three iterations the labels are those of the first three E-steps of the same run.
    seed = chain_seed(1, "documents", "news", "em_starts", "50", 2)
    again = fit_em(counts, 2, start_concentration=50.0, rng=seed, max_iterations=3, tolerance=0.0)
    row = row_of(found, concentration=50.0, restart=2, iterations=3)
    assert row["adjusted_rand"] == evaluate(classes, again.labels)["adjusted_rand"]
    of = found[(found["concentration"] == 50.0) & (found["iterations"] == 3)]
    first, second = (of[of["restart"] % 2 == half] for half in (0, 1))
    printed = {("EM", metric.name): first[metric.column].mean() for metric in METRICS}
    table = tables.em_table("docs_em", "newsgroups", found, printed)
    judged = rows_of(table, summary="judgement")
    assert set(judged["system"]) == {"EM, start concentration 50, 3 iterations"}
    ari = row_of(judged, metric="ARI")
    assert ari["mean"] == pytest.approx(second["adjusted_rand"].mean()) and ari["n_chains"] == 3
    assert ari["published"] == printed["EM", "ARI"]
    tried = rows_of(table, summary="choice")
    assert tried["published"].isna().all() and tried["system"].nunique() == 6
    assert row_of(tried, system=ari["system"], metric="errors apart")["mean"] == 0


def test_trace_frame_keeps_the_climb_and_the_last_sweep():
    values = np.arange(2 * 5000, dtype=float).reshape(2, 5000)
    traces = Traces(values, values, burn_in=1000, seconds=np.ones(2))
    given = ("docs_fig2", "enron", "mail", "stand-in", traces)
    frame = tables.trace_frame(*given, chain=1, max_points=500)
    sweeps = frame["sweep"].to_numpy()
    assert list(sweeps[:200]) == list(range(1, 201)) and sweeps[-1] == 5000
    assert 400 < len(frame) <= 502 and len(set(np.diff(sweeps[200:-1]))) == 1
    for column, chain in (("log_joint", 1), ("low", 0), ("high", 1)):
        np.testing.assert_array_equal(frame[column], values[chain, sweeps - 1])


def test_traces_are_read_back_and_a_missing_field_is_named(tmp_path):
    rest = {"n_clusters": [[3, 3]], "burn_in": 1, "seconds": [5.0]}
    np.savez(tmp_path / "a.npz", log_joint=[[1.0, 2.0]], **rest)
    assert Traces.load(tmp_path / "a.npz").log_joint.shape == (1, 2)
    np.savez(tmp_path / "b.npz", log_joint=[[1.0, 2.0]])
    with pytest.raises(DataError, match="b.npz lacks burn_in, n_clusters, seconds"):
        Traces.load(tmp_path / "b.npz")


def test_fixed_location_is_the_mean_over_chains():
    rows = score_rows("mulan", "gibbs", "fixed", [0.1, 0.3], sample=10)
    rows += score_rows("mulan", "gibbs", "fixed", [0.4, 0.4], sample=20)
    rows += score_rows("mulan", "gibbs", "map", [0.9, 0.9])
    scores = pd.DataFrame(rows)
    frame = tables.fixed_location_frame("docs_fig4", "delicious", scores, traces_of(scores))
    first = row_of(frame, metric="ARI", sample=10)
    assert first["mean"] == pytest.approx(0.2) and first["se"] == pytest.approx(0.1)
    assert list(frame[frame["metric"] == "V-Measure"]["sample"]) == [10, 20]


def brute_force_divergences(counts, first, second, n_clusters):
    """Return the same divergences, computed straight from the definition."""

    def laws(labels):
        words = [1.0 + counts[labels == j].sum(axis=0) for j in range(n_clusters)]
        return [own / own.sum() for own in words]

    return np.array([[np.sum(p * np.log(p / q)) for q in laws(second)] for p in laws(first)])


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


@pytest.mark.parametrize(
    "other, n_clusters, found",
    [  # clusters whose nearest is not their own, that emptied and that switched
        ("000011112222", 3, (0, 0, 0)),
        ("111100002222", 5, (2, 0, 2)),  # an empty cluster is not a switched one
        ("333300012222", 4, (2, 0, 0)),  # the first takes a free label, most of the second its own
        ("222211111111", 3, (2, 1, 0)),  # the last ends, and the first takes its label
        ("111100003333", 4, (3, 1, 2)),
        ("000011111111", 3, (1, 1, 0)),  # the best match of the last is its own, now empty one
    ],
)
def test_a_switch_is_seen_and_a_move_to_a_free_label_is_none(other, n_clusters, found):
    """There are three groups of four documents, each of 30 words of its group."""
    counts = sp.csr_array(np.kron(np.eye(3, dtype=int), np.full((4, 5), 6)))
    labels, other = np.repeat(np.arange(3), 4), np.array([*map(int, other)])
    of = label_switching.compare_samples(counts, labels, other, n_clusters).summary()
    assert (of["n_not_nearest"], of["n_emptied"], of["n_switched"]) == found
    assert (of["n_clusters"], of["n_occupied"]) == (n_clusters, 3)
    assert of["all_nearest"] == (found[0] == 0)
    if of["all_nearest"]:  # by symmetry every other entry is the largest
        assert of["diagonal_mean"] == pytest.approx(0, abs=1e-15)
        assert of["off_diagonal_mean"] == pytest.approx(1)


def test_published_table7_gives_the_known_scores():
    """The printed counts give F .408, VI 2.220, ARI .261, V .537, Q2 .719 and exp H(K) 6.0."""
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
    rows = contingency.contingency_rows(identity, true, names, [renamed], 100, table)
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
    assert scores["agrees"].isna().all()  # one chain has no error
    more = contingency.contingency_rows(identity, true, names, [renamed, pred, true], 100, table)
    place = rows_of(more, system="table").set_index("metric")
    assert place.loc["distance from others", "agrees"]
    assert 0 < place.loc["place among ours", "mean"] < 1
    counts = rows[~rows["system"].isin(["score", "shape", "split"])]
    # Every cluster is matched to its printed twin; the printed all-zero cluster 01 to none.
    assert (counts["mean"] == counts["published"]).all()


def test_clusters_are_matched_by_largest_total_overlap():
    ours = np.array([[0, 9], [5, 5], [9, 0]])
    theirs = np.array([[8, 1], [6, 6]])
    best = max(
        itertools.permutations(range(3), 2),
        key=lambda p: sum(np.minimum(theirs[i], ours[p[i]]).sum() for i in range(2)),
    )
    assert contingency.match_clusters(theirs, ours) == dict(enumerate(best)) == {0: 2, 1: 1}


def test_the_place_of_a_table_among_samples_like_it_is_uniform():
    rng = np.random.default_rng(3)
    law = np.kron(np.eye(4), np.ones(2)) + 0.2
    samples = [rng.poisson(20 * law[rng.permutation(4)]) for _ in range(30)]
    place_among = contingency.place_among
    places = [place_among(samples[:k] + samples[k + 1 :], samples[k])[2] for k in range(30)]
    assert np.allclose(np.sort(places), (np.arange(30) + 0.5) / 30)
    distances, own, place = place_among(samples, rng.poisson(20, (4, 8)))
    assert own > distances.max() and place > 0.975
    # Distances are of the best match of the clusters, tried out one by one.
    one, other = samples[:2]
    shared = max(np.minimum(one, other[list(p)]).sum() for p in itertools.permutations(range(4)))
    expected = 1 - 2 * shared / (one.sum() + other.sum())
    assert contingency.distances_between([one, other])[0, 1] == pytest.approx(expected)
    # The smallest clusters of ours are left out if the other table has none.
    fewer = [np.vstack([table, np.ones((2, 8), dtype=int)]) for table in samples]
    expected = place_among(samples, samples[0])[1]
    assert place_among(fewer, samples[0])[1] == pytest.approx(expected)


def test_shape_of_a_clustering():
    counts = contingency.contingency([0, 1, 1], [2, 0, 2], 2, 4)
    assert counts.tolist() == [[0, 1], [0, 0], [1, 1], [0, 0]]
    even = contingency.shape_statistics([10] * 10)
    assert even["exp H(K)"] == pytest.approx(10)
    assert even["clusters covering 90 %"] == 9
    assert even["share of the 7 largest"] == pytest.approx(0.7)
    assert contingency.shape_statistics([0, 4, 0])["exp H(K)"] == pytest.approx(1)
    assert contingency.minor_share([10, 0, 30]) == pytest.approx(0.25)


def test_other_classes_have_no_published_counts():
    identity = {"artefact": "t", "role": "newsgroups", "dataset": "news", "status": "generated"}
    true = np.array([0, 0, 1, 1, 1])
    chains = [np.array([0, 0, 2, 2, 2]), np.array([0, 1, 1, 1, 1], dtype=np.uint8)]
    rows = contingency.contingency_rows(identity, true, ("left", "right"), chains, 20, published(7))
    assert rows["published"].isna().all() and "split" not in set(rows["system"])
    assert list(rows["system"][:4]) == ["other 02", "other 02", "other 00", "other 00"]
    assert list(rows["mean"][:4]) == [0, 3, 2, 0]
    assert rows["note"].eq("").all()
    given = (identity, true, ("left", "right"), chains, 20, {})
    marked = contingency.contingency_rows(*given, note="apart")
    of_means = marked["system"].isin(["score", "shape"])
    assert marked["note"].eq("apart").equals(of_means) and of_means.any()
    ari = row_of(rows, system="score", metric="ARI")
    expected = [evaluate(true, labels)["adjusted_rand"] for labels in chains]
    assert ari["mean"] == pytest.approx(np.mean(expected)) and ari["n_chains"] == 2


def test_plateau_sweep():
    noise = np.tile([-1.0, 1.0], 500)
    trace = noise.copy()
    trace[:120] -= 500.0
    # The running median spans 51 sweeps, so a step at 120 is located to within half of them.
    assert abs(tables.plateau_sweep(trace) - 121) <= 25
    dip = trace.copy()
    dip[800:803] -= 400
    assert tables.plateau_sweep(dip) == tables.plateau_sweep(trace)
    long_dip = trace.copy()
    long_dip[800:860] -= 400
    assert abs(tables.plateau_sweep(long_dip) - 861) <= 25
    assert tables.plateau_sweep(np.zeros(50)) == 1


def test_snapshot_is_the_nearest_stored(tmp_path):
    path = tmp_path / "chain.nc"
    labels = np.array([[0, 1], [1, 1], [2, 1]], dtype=np.uint8)
    sweeps = {"sweep": ("snapshot", [10, 20, 40])}
    stored = xr.Dataset({"labels": (("snapshot", "item"), labels)}, sweeps)
    stored.to_netcdf(path, group="snapshots", engine="h5netcdf")
    seal(path)
    assert read_snapshot(path, 20)[0].tolist() == [1, 1]
    assert [read_snapshot(path, sweep)[1] for sweep in (5000, 30)] == [40, 20]
