"""Plan, sampling and scores of the distances family, on a few objects."""

import threading
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import wishart
from places import ROOT

from reseat.baselines import LINKAGES
from reseat.chains import Interrupted, read_groups
from reseat.configuration import read_yaml
from reseat.datasets import DatasetIdentity, Dissimilarities, draw_points, store
from reseat.dissimilarities import squared_distances
from reseat.errors import CheckpointError, ConfigError
from reseat.likelihoods import WishartDistances
from reseat.metrics import adjusted_rand
from reseat.models.distances import SHARE
from reseat.papers.chains import run_studies
from reseat.papers.distances import scores as scoring
from reseat.papers.distances.chains import chains_of, log_joint_of_truth
from reseat.papers.distances.objects import (
    distances_of,
    held_classes,
    load_objects,
    similarities_of,
    true_classes,
)
from reseat.papers.distances.plan import Plan
from reseat.papers.distances.scores import measure, score_models
from reseat.papers.distances.studies import measure_scaling, naive_conditional, secular_conditional

SECTION = read_yaml(ROOT / "config" / "distances.yaml")["distances"]
HELD = ("tiwd", "tiwd_free", "tiwd_hidden", "tiwd_new")
LENGTH = {"n_chains": 2, "burn_in": 5, "n_samples": 10, "thin": 2}


def runs_of(dataset, *models, **given):
    """Return short runs of some models on a data set."""
    study = {"datasets": [dataset], "models": list(models), "length": LENGTH} | given
    parts = dict.fromkeys(Plan.PARTS, ())
    if dataset in SECTION["objects"]:
        study["models"] = list({**dict.fromkeys(models), "tiwd": None})
    parts |= {"labelled" if dataset in SECTION["objects"] else "accuracy": [study]}
    scale = {**SECTION["scales"]["demo"], **parts}
    plan = Plan("demo", 7, {**SECTION, "scales": {"demo": scale}}, (dataset,))
    return [run for run in plan.runs(dataset) if run.model in models]


def run_all(runs, objects, output, bound=np.inf, stop=None):
    """Run chains; a stop interrupts them, so that each sweep is stored."""
    often = {} if stop is None else {"stop": stop, "checkpoint_seconds": 0.0}
    folders = {"output": output, "scratch": output.with_suffix(".part")}
    run_studies(runs, lambda run: chains_of(run, objects, bound), **folders, **often)


def families(n=18):
    """Return three well-separated families; the labels of the third are unknown."""
    rng = np.random.default_rng(3)
    truth = np.arange(n) % 3
    points = rng.normal(size=(n, 6)) + 6 * rng.normal(size=(3, 6))[truth]
    return Dissimilarities(
        values=squared_distances(points, np.float32),
        item_ids=tuple(f"s{i}" for i in range(n)),
        classes=np.where(truth < 2, truth, -1).astype(np.int32),
        class_names=("alpha", "beta"),
        groups=tuple("gamma" if k == 2 else "" for k in truth),
        identity=DatasetIdentity(
            name="demo_families", title="Families", status="generated", preprocessing={"rank": 6}
        ),
        lengths=np.arange(100, 100 + n, dtype=np.int32),
    )


def test_data_sets_have_runs_and_what_is_missing_is_left_out_or_replaced():
    plan = Plan("paper", 1, SECTION, Plan.wanted(SECTION, "paper"))
    tiwd = [run for run in plan.runs("overlapping") if run.model == "tiwd"]
    assert len(tiwd) == 20
    assert (tiwd[0].schedule.burn_in, tiwd[0].schedule.n_samples) == (2000, 5000)
    sources = tuple(name for name in Plan.wanted(SECTION, "standard") if name != "globins")
    assert "globins" not in Plan("standard", 1, SECTION, sources).datasets
    plan = Plan("standard", 1, SECTION, sources, {"globins": ("demo_families",)})
    assert plan.datasets_in("labelled").count("demo_families") == 1


def points_of(n=40, dim=5, mean=0.0, theta=9.0):
    settings = {"n_items": n, "n_blocks": 3, "dim": dim, "theta": theta, "mean": mean}
    return draw_points(settings, np.random.default_rng(1), "demo_overlapping", 0, 1)


def test_matrices_are_those_of_the_points(tmp_path):
    points = points_of(mean=40.0)
    plain = distances_of(points)
    assert np.allclose(plain, wishart.squared_distances(points.values), atol=1e-3)
    mapped = distances_of(points, 1e-6, tmp_path)
    assert isinstance(mapped, np.memmap) and np.allclose(mapped, plain, atol=1e-4)
    # Other points with the same name, as if an interrupted job had used an earlier version.
    other = points_of(mean=0.0, theta=2.0)
    assert other.identity.name == points.identity.name
    assert np.allclose(distances_of(other, 1e-6, tmp_path), distances_of(other), atol=1e-4)
    centred = points.values - points.values.mean(axis=1, keepdims=True)
    assert np.allclose(similarities_of(points, "direct"), centred @ centred.T / 5, atol=1e-4)
    found = similarities_of(points, "kpca")
    assert np.abs(found).max() < np.abs(similarities_of(points, None)).max() / 10
    with pytest.raises(ConfigError, match="need points"):
        similarities_of(families(), None)
    # Either kind of objects is read as what it is.
    points.save(tmp_path / "points.npz")
    families().save(tmp_path / "objects.npz")
    assert np.array_equal(load_objects(tmp_path / "points.npz").values, points.values)
    assert load_objects(tmp_path / "objects.npz").class_names == ("alpha", "beta")


def test_held_classes_follow_the_model():
    objects = families(40)
    held = {run.model: held_classes(run, objects) for run in runs_of("demo_families", *HELD)}
    assert np.array_equal(held["tiwd"], objects.classes)
    assert (held["tiwd_free"] == -1).all()
    hidden = (held["tiwd_hidden"] == -1) & (objects.classes >= 0)
    for of_class in (objects.classes == 0, objects.classes == 1):
        assert hidden[of_class].sum() == round(0.2 * of_class.sum())
    assert (held["tiwd_new"] == -1).all()  # there are only two classes
    # A class of a few members, and one of several, of which a single one is hidden.
    classes = np.repeat(np.arange(3, dtype=np.int32), (6, 3, 31))
    few = replace(objects, classes=classes, class_names=("a", "b", "c"), groups=None)
    (run,) = runs_of("demo_families", "tiwd_new")
    run = replace(run, settings={**run.settings, "hidden_classes": 1})
    whole = {k for k in range(3) if (held_classes(run, few)[classes == k] == -1).all()}
    assert len(whole) == 1 and whole < {0, 2}
    run = runs_of("demo_large", "tiwd")[0]
    assert (held_classes(run, points_of()) == -1).all()
    # The truth has the groups of the unlabelled.
    objects = families()
    assert np.array_equal(true_classes(objects), np.arange(18) % 3)
    named = replace(objects, groups=tuple("alpha" if group else "" for group in objects.groups))
    assert set(true_classes(named)[objects.classes == -1]) == {0}


def test_only_free_objects_are_scored():
    held = np.array([0, 0, 1, 1, -1, -1, -1, -1])
    truth = np.array([0, 0, 1, 1, 0, 1, 2, -1])
    labels = np.array([5, 5, 2, 2, 5, 2, 7, 8])
    found = measure(labels, held, truth)
    assert found["ari"] == 1.0 and found["n_true"] == 3 and found["n_clusters"] == 4
    assert found["n_new"] == 2 and found["joined"] == 0.5 and found["right"] == 1.0
    labels[5] = 5
    found = measure(labels, held, truth)
    assert found["right"] == 0.5 and found["apart"] == found["blocks_each"] == 1
    truth[7], labels[5] = 2, 7  # a class without held objects, in two new clusters
    assert measure(labels, held, truth)["blocks_each"] == 2
    labels[6] = 5
    found = measure(labels, held, truth)
    assert found["apart"] == 0.5 and found["blocks_each"] == 1
    plain = measure(labels, np.full(8, -1), truth)
    assert np.isnan(plain["apart"]) and np.isnan(plain["blocks_each"])
    assert np.isnan(plain["joined"]) and np.isnan(plain["right"]) and plain["n_true"] == 3


def test_memberships_are_shares_of_the_draws():
    objects, rng = families(), np.random.default_rng(5)
    held = objects.classes.astype(int)
    draws = [np.where(held >= 0, held, rng.integers(0, 4, held.size)) for _ in range(7)]
    found = scoring.summarise_memberships(objects, held, draws[0], draws)
    together = np.mean([draw[:, None] == draw for draw in draws], axis=0)
    blocks = {row.block: row for row in found.blocks.itertuples()}
    assert list(blocks)[:2] == ["alpha", "beta"] and found.blocks["n_unlabelled"].sum() == 6
    slots = {"alpha": 0, "beta": 1}
    rest = [k for k in np.unique(draws[0]) if k > 1]
    rest.sort(key=lambda k: (-np.sum(draws[0] == k), k))
    slots |= {f"new {i + 1}": k for i, k in enumerate(rest)}
    for row in found.heat.itertuples():
        a = np.flatnonzero(draws[0] == slots[row.row_block])
        b = np.flatnonzero(draws[0] == slots[row.column_block])
        pairs = [(i, j) for i in a for j in b if i != j]
        expected = np.mean([together[i, j] for i, j in pairs]) if pairs else 1.0
        assert row.mean == pytest.approx(expected)
    assert set(found.assignments["group"]) == {"gamma"}
    assert found.assignments["item"].tolist() == [f"s{i}" for i in range(2, 18, 3)]


def test_chains_run_are_scored_and_resume(tmp_path):
    points = points_of(dim=20)
    models = ("tiwd", "wdr_direct", "wdr_kpca", "tiwd_finite")
    runs = runs_of("demo_overlapping", *models, starts=["one", "many"])
    for name in ("a", "b"):
        output, scratch = tmp_path / name, tmp_path / f"{name}.part"
        if name == "b":
            with pytest.raises(Interrupted):
                run_all(runs, points, output, stop=StopAfter(60))
            assert any(path.is_file() for path in scratch.rglob("*")) and not output.exists()
        run_all(runs, points, output)
    for path in (tmp_path / "a").iterdir():
        assert path.stat().st_size > 0 and (tmp_path / "b" / path.name).exists()
    scores = score_models(runs, lambda run: points, tmp_path / "a")
    table = pd.DataFrame(scores.rows)
    assert set(table["model"]) == {run.model for run in runs} | set(LINKAGES)
    assert table.groupby("chain")["start"].agg(set).to_dict() == {0: {"one"}, 1: {"many"}}
    tiwd = table.query("model == 'tiwd' and partition == 'annealed'")
    assert (tiwd["ari"] > 0.9).all() and (tiwd["n_true"] == 3).all()
    cut = table.query("partition == 'cut'").groupby("chain")["n_clusters"].unique().map(list)
    assert cut.tolist() == tiwd.groupby("chain")["n_clusters"].agg(list).tolist()
    ends = [scoring.at_end(theta) for theta in (0.0105, 1.0, 9.9e8)]
    assert not tiwd["at_end"].any() and ends == [True, False, True]
    assert scores.traces["demo_overlapping/0/tiwd/n_clusters"].shape == (2, 15)
    assert ["demo_overlapping", "0", "tiwd"] in scores.traces["runs"].tolist()
    again = pd.DataFrame(score_models(runs, lambda run: points, tmp_path / "b").rows)
    timed = ["seconds", "seconds_per_sweep"]
    pd.testing.assert_frame_equal(table.drop(columns=timed), again.drop(columns=timed))


def test_a_chain_from_the_truth_begins_there_and_is_that_of_no_other_start(tmp_path):
    points = points_of(dim=20)
    study = {"starts": ["one", "many", "truth"], "length": LENGTH | {"n_chains": 3, "burn_in": 0}}
    (run,) = runs_of("demo_overlapping", "tiwd", **study)
    begin = [chains_of(run, points)(number, tmp_path)["build"] for number in range(3)]
    labels = begin[2](np.random.default_rng(1)).labels
    assert adjusted_rand(labels, points.labels) == 1 and len(set(labels)) == points.n_blocks
    (fewer,) = runs_of("demo_overlapping", "tiwd", starts=["one", "many"])
    # Adding a start to the list must not make the chains of the other starts obsolete.
    for number in range(2):
        found, other = (chains_of(r, points)(number, tmp_path)["identity"] for r in (run, fewer))
        assert found == other and found["start"] == ("one", "many")[number]


class StopAfter(threading.Event):
    """An event that is set once it has been queried more than some number of times."""

    def __init__(self, number):
        super().__init__()
        self.left = number

    def is_set(self):
        self.left -= 1
        return self.left < 0 or super().is_set()


def test_a_matrix_kept_in_a_file_draws_the_same_and_resumes(tmp_path):
    """This includes a chain that was interrupted under another bound on memory."""
    points = points_of(dim=20)
    runs = runs_of("demo_overlapping", "tiwd")
    assert "memory_bound_mb" not in runs[0].settings

    def draws(name, bound, **options):
        run_all(runs, points, tmp_path / name, bound, **options)
        groups = [read_groups(path)[0] for path in sorted((tmp_path / name).glob("*.nc"))]
        return [found["partition"]["labels"].tobytes() for found in groups]

    expected = draws("memory", np.inf)
    assert expected
    assert draws("file", 1e-3) == expected
    with pytest.raises(Interrupted):
        draws("both", np.inf, stop=StopAfter(5))
    assert draws("both", 1e-3) == expected
    with pytest.raises(Interrupted):
        draws("mapped", 1e-3, stop=StopAfter(5))
    assert draws("mapped", 1e-3) == expected


def test_a_chain_does_not_resume_on_other_data_of_the_same_name(tmp_path):
    """As if the code that makes the data had changed, which no hash of a raw file shows.

    On another processor the same code may make data that differ in the last bits.
    """
    points = points_of(dim=20)
    runs = runs_of("demo_overlapping", "tiwd")
    with pytest.raises(Interrupted):
        run_all(runs, points, tmp_path / "out", stop=StopAfter(5))
    others = replace(points, values=points.values[::-1].copy())
    with pytest.raises(CheckpointError, match="weighted sum"):
        run_all(runs, others, tmp_path / "out")
    nearly = replace(points, values=np.nextafter(points.values, np.inf))
    assert nearly.digest() != points.digest()
    run_all(runs, nearly, tmp_path / "out")


def test_chains_beside_classes_start_in_one_more_block_and_in_many(tmp_path):
    objects = families(60)
    run = next(run for run in runs_of("demo_families", "tiwd") if run.model == "tiwd")
    builds = [chains_of(run, objects)(number, tmp_path)["build"] for number in (0, 1, 1)]
    labels = [build(np.random.default_rng(1)).labels for build in builds]
    free = objects.classes < 0
    for start in labels:
        for number in (0, 1):
            assert len(set(start[objects.classes == number])) == 1
    assert len(set(labels[0][free])) == 1 and len(set(labels[1][free])) > 10
    assert np.array_equal(labels[1], labels[2])


def test_clamped_chains_keep_classes_and_find_the_third(tmp_path):
    objects = families(30)
    runs = runs_of("demo_families", "tiwd", "tiwd_free", "tiwd_hidden")
    run_all(runs, objects, tmp_path / "out")
    table = pd.DataFrame(score_models(runs, lambda run: objects, tmp_path / "out").rows)
    hidden = table.query("model == 'tiwd_hidden' and partition == 'annealed'")
    assert (hidden["right"] == 1).all() and (hidden["n_new"] >= 1).all()
    assert (hidden["nearest"] == 1).all() and hidden["apart"].gt(0).all()
    assert table.query("model == 'tiwd'")["nearest"].isna().all()  # all of known class are held
    run = next(run for run in runs if run.model == "tiwd")
    store(objects, tmp_path / "objects" / run.data_file)
    found = scoring.read_memberships(run.to_dict(), tmp_path / "objects", tmp_path / "out")
    assert found.blocks["block"].tolist()[:2] == ["alpha", "beta"]
    assert (found.assignments["kind"] == "new").all()


def test_all_algorithms_weigh_an_object_alike():
    points, rng = points_of(n=15), np.random.default_rng(8)
    likelihood = WishartDistances(squared_distances(points.values), 5, theta=0.8, dtype=np.float64)
    labels = rng.integers(0, 4, 15)
    labels[3] = 6
    likelihood.assign(labels, 8)
    for item in (0, 3, 9):
        given = (likelihood.blocks.matrix, labels, item, 5, 0.8, 1.3)
        naive, secular = naive_conditional(*given), secular_conditional(*given)
        sizes = np.bincount(labels, minlength=8)
        sizes[labels[item]] -= 1
        score = likelihood.log_predictive(item, labels[item])
        joined = score[:-1][sizes > 0] + np.log(sizes[sizes > 0])
        closed = np.append(joined, score[-1] + np.log(1.3))
        for other in (secular, closed):
            assert np.allclose(other - other[0], naive - naive[0], rtol=0, atol=1e-9)


def test_sweeps_are_timed_at_every_size():
    settings = {f"largest_{name}": 40 for name in ("naive", "secular", "closed", "cached")}
    settings |= {"n_clusters": [4, 8], "n_repeats": 2}
    table = pd.DataFrame(measure_scaling(settings, 1))
    timed = [*zip(table["algorithm"], table["n_items"], table["n_clusters"], strict=True)]
    sizes = ((20, 8), (40, 8), (40, 4))
    algorithms = ("naive", "secular", "closed", "cached")
    assert sorted(timed) == sorted((name, *size) for name in algorithms for size in sizes)
    assert (table["seconds_per_sweep"] > 0).all() and (table["low"] <= table["high"]).all()
    terms = table.set_index(["algorithm", "n_items", "n_clusters"])["terms"]
    assert table.loc[table["algorithm"] != "secular", "terms"].isna().all()
    # k roots of k + 1 terms or fewer for each of k + 1 candidates, with up to 53 biSECTIONs.
    assert all(10 * n * k**2 < terms["secular", n, k] < 53 * n * (k + 1) ** 3 for n, k in sizes)


def test_the_true_blocks_are_weighed_at_the_best_theta():
    run = runs_of("demo_overlapping", "tiwd_double")[0]
    recipe = {"n_items": 20, "n_blocks": 3, "dim": 5, "theta": 1.0}
    points = draw_points(recipe, np.random.default_rng(4), "demo_overlapping", 0, 4)
    distances = wishart.squared_distances(points.values)
    thetas = np.geomspace(0.1, 10, 400)
    found = [wishart.log_distances(distances, points.labels, 5, theta) for theta in thetas]
    expected = max(found) + wishart.log_ewens(points.labels, 1.0) + SHARE.log_density(0.5)
    assert log_joint_of_truth(run, points) == pytest.approx(expected, abs=1e-3)
