"""The chains of records that a configuration asks for, and their summaries."""

import itertools

import numpy as np
import pytest
from record_plans import SECTION, changed, plan, study

from reseat.datasets import DatasetIdentity, RecordRecipe, draw_records
from reseat.errors import ConfigError, DataError
from reseat.metrics import false_discovery_rate, false_negative_rate
from reseat.papers.chains import run_studies
from reseat.papers.enumerated import partitions
from reseat.papers.records.chains import chains_of
from reseat.papers.records.moves import compare_moves
from reseat.papers.records.plan import Plan
from reseat.papers.records.scores import error_rates, estimate_rows, score_models
from reseat.papers.records.study_tables import MOVES
from reseat.papers.records.unsettled import watch_chains
from reseat.priors import NBD, NBNB, FiniteDirichlet, PitmanYor, expected_blocks, make_prior
from reseat.summaries import describe, diagnostics, expected_loss


def test_the_paper_scale_has_the_published_cells_and_four_chains():
    paper = plan()
    cells = paper.datasets_in("table1")
    assert len(cells) == 12 and cells[:2] == ("italy_d02", "italy_d05")
    for cell, model in itertools.product(cells, ("dp", "pyp", "nbnb", "nbd")):
        first, *others = paper.runs_of(cell, model)
        assert first.schedule.n_sweeps == 4000 and len(first.chains) == 4
        assert [first.start(chain) for chain in first.chains].count("random") == 2
        assert [run.draw for run in others] == list(range(1, 1 + len(others)))
    assert paper.role("italy_d02") == "italy" and paper.delta("italy_d02") == 0.02
    assert paper.role("italy_shiw") == "italy_shiw" and paper.delta("italy_shiw") is None


def test_a_missing_recipe_gives_way_to_its_stand_in_everywhere():
    given = plan("standard", {"nltcs5000": ("demo_nltcs",), "sipp1000": ("demo_survey",)})
    assert "demo_nltcs_d05" in given.datasets_in("table1") and "nltcs5000_d05" not in given.datasets
    assert given.moves_datasets == ("demo_nltcs_d05", "italy_d05")
    assert [run.name for run in given.moves_runs()] == ["demo_nltcs_d05_0", "italy_d05_0"]
    assert plan().moves_datasets == ("nltcs5000_d05", "italy_d05", "rldata10000")
    assert given.role("demo_nltcs_d05") == "nltcs5000"
    assert "demo_survey" in given.datasets_in("real") and "sipp1000" not in given.datasets
    skipped = Plan("standard", 1, SECTION, ("italy",))
    assert skipped.datasets_in("table1") == ("italy_d02", "italy_d05", "italy_d10")
    assert skipped.datasets_in("real") == () and skipped.moves_datasets == ("italy_d05",)


def test_priors_that_expect_half_as_many_blocks_as_items():
    models = SECTION["models"]
    prior = make_prior(models["pyp_75"], 789)
    assert isinstance(prior, PitmanYor) and prior.discount == 0.75
    assert expected_blocks(789, prior.concentration, 0.75) == pytest.approx(394.5)
    sampled = make_prior(models["dp_sampled"], 100)
    assert (sampled.hyperprior.shape, sampled.hyperprior.rate) == (1.0, 0.02)
    assert isinstance(make_prior(models["nbd"], 10), NBD)
    assert make_prior(models["nbnb_printed"], 10).reading == "printed"
    assert isinstance(make_prior(models["nbnb"], 10), NBNB)
    finite = make_prior(models["finite"], 50)
    assert isinstance(finite, FiniteDirichlet) and finite.max_blocks == 50
    with pytest.raises(ConfigError, match="needs a number of clusters"):
        make_prior({"prior": "finite_dirichlet"}, 10)


def test_a_summary_is_that_of_diagnostics_and_of_tukey():
    draws = np.random.default_rng(0).normal(size=(4, 500))
    draws[0, 0] = 9.0
    found = describe(draws)
    assert found["mean"] == pytest.approx(draws.mean())
    assert found["sd"] == pytest.approx(draws.std(ddof=1))
    # Two draws in the middle are equally far from the median, up to rounding.
    assert found["rhat"] == pytest.approx(diagnostics.rhat(draws), abs=1e-5)
    assert found["ess"] == pytest.approx(diagnostics.bulk_ess(draws))
    assert found["whisker_high"] < 4 < draws.max()
    constant = describe(np.ones((2, 10)))
    assert (constant["mcse"], constant["rhat"], constant["ess"]) == (0.0, 1.0, 20.0)
    assert np.isnan(describe(draws[:1])["rhat"])
    # Sums of the same terms in different orders differ by rounding, which is no disagreement.
    noise = np.array([[0.0], [3e-11], [6e-11]]) + np.zeros(40)
    rounded = describe(noise - 273618.4)
    assert (rounded["mcse"], rounded["rhat"], rounded["ess"]) == (0.0, 1.0, 120.0)
    noise[:, ::2] += 3e-11
    assert describe(noise - 273618.4)["rhat"] == 1.0
    assert describe(noise - 273618.4 + np.arange(3)[:, None])["rhat"] == np.inf
    # Rounding is judged relative to the size of the quantity, so a small quantity can vary.
    assert describe(2.0**-40 * draws)["rhat"] == pytest.approx(found["rhat"])
    draws[1, 3] = -np.inf
    broken = describe(draws)
    assert np.isnan(broken["mean"]) and broken["n_chains"] == 4 and set(broken) == set(found)
    # Chains with a draw that is not finite never pass as converged.
    assert broken["rhat"] == np.inf and np.isnan(describe(draws[1:2])["rhat"])
    for wrong in (draws[0], np.empty((2, 0)), 1.0):
        with pytest.raises(DataError, match="must be a table with a row for each chain"):
            describe(wrong)
    with pytest.raises(DataError, match="The draws: masked entries"):
        describe(np.ma.masked_less(draws, 0))


def recipe_of(name, sizes, n_levels=(5, 12)):
    """Return a recipe of records, whose fields have equally frequent values."""
    return RecordRecipe(
        fields=("town", "year", "name")[: len(n_levels)],
        levels=tuple(tuple(map(str, range(n))) for n in n_levels),
        marginals=tuple(np.full(n, 1 / n) for n in n_levels),
        sizes=np.array(sizes),
        identity=DatasetIdentity(name=name, title="Demo", status="generated"),
    )


def test_chains_are_summarised_as_they_were_stored(tmp_path):
    recipe = recipe_of("demo_italy", [20, 10], (5, 12, 9))
    first = {"n_chains": 2, "burn_in": 5, "n_samples": 20, "thin": 5}
    others = {"n_chains": 1, "burn_in": 0, "n_samples": 8}
    short = study(models=["nbd", "dp"], n_draws=2, first=first, others=others)
    given = plan("demo", section=changed(table1=[short]))
    runs = [run for model in ("nbd", "dp") for run in given.runs_of("demo_italy_d05", model)]

    def load(run):
        return draw_records(recipe, run.delta, np.random.default_rng(run.draw), run.draw)

    folders = {"output": tmp_path / "chains", "scratch": tmp_path / "scratch"}
    run_studies(runs, lambda run: chains_of(run, load(run)), **folders)
    assert not (tmp_path / "scratch").exists()
    scores = score_models(runs, load, [tmp_path / "chains"])
    rows = {(row["model"], row["draw"], row["quantity"]): row for row in scores.summary}
    row = rows["nbd", 0, "n_clusters"]
    assert (row["dataset"], row["variant"]) == ("demo_italy_d05_0", "demo_italy_d05")
    assert row["truth"] == 30 and row["n_chains"] == 2
    assert rows["dp", 1, "delta"]["truth"] == 0.05 and rows["dp", 1, "delta"]["n_draws"] == 8
    assert {row["start"] for row in scores.chains} == {"singletons", "random"}
    sizes = [row for row in scores.sizes if (row["model"], row["draw"]) == ("nbd", 0)]
    assert [row["truth"] for row in sizes[:2]] == [20, 10]
    # 40 items in all, whatever the partition
    assert sum(row["size"] * row["mean"] for row in sizes) == pytest.approx(40)
    assert scores.traces["demo_italy_d05_0/nbd/log_joint"].shape == (2, 25)
    for rate in ("fnr", "fdr"):
        row = rows["nbd", 0, f"{rate}_matching_sets"]
        assert row["truth"] == 0 and 0 <= row["mean"] <= 1 and row["n_chains"] == 2


def rates_of(labels, truth):
    rows = estimate_rows(np.array(labels), np.array(truth), np.random.default_rng(0))
    return {row["quantity"]: (row["mean"], row["mcse"]) for row in rows}


def test_error_rates_of_point_estimates_by_hand():
    truth = [0, 0, 1, 2]
    # Items 0 and 1 are together in three draws of five, each time in another set, and in two draws
    # both are alone: their most probable sets are of one item each.
    apart = [0, 1, 2, 3]
    draws = [apart, apart, [0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 1, 2]]
    found = rates_of([draws], truth)
    assert found["fnr_matching_sets"][0] == 1
    for rate in ("fdr_matching_sets", "fnr_probable_pairs", "fdr_probable_pairs"):
        assert found[rate][0] == 0
    assert found["fnr_least_binder"][0] == found["fdr_least_binder"][0] == 0
    best = min(partitions(4), key=lambda labels: expected_loss(draws, labels, "vi"))
    assert found["fnr_least_vi"][0] == false_negative_rate(truth, best)
    assert found["fdr_least_vi"][0] == false_discovery_rate(truth, best)
    # Three items whose pairs have probability 2/3, but no two in the same set: pairs that are no
    # partition. One of them is true.
    pairs = [[0, 0, 1, 2], [0, 0, 0, 1], [1, 0, 0, 2], [0, 1, 0, 2], [0, 0, 0, 1], [0, 0, 0, 1]]
    found = rates_of([pairs], truth)
    assert found["fnr_probable_pairs"][0] == 0
    assert found["fdr_probable_pairs"][0] == pytest.approx(2 / 3)


def test_the_error_of_a_point_estimate_is_that_between_chains_or_halves():
    right, wrong = [0, 0, 1, 2], [0, 1, 2, 2]
    found = rates_of([[right] * 3, [wrong] * 2 + [right]], [0, 0, 1, 1])
    # Either chain alone, and both together, find one of two pairs, and no false one.
    assert found["fnr_matching_sets"] == (0.5, 0.0) and found["fdr_matching_sets"] == (0.0, 0.0)
    found = rates_of([[right] * 3, [wrong] * 3], [0, 0, 1, 2])
    assert found["fnr_matching_sets"][1] == pytest.approx(0.5)  # 0 and 1, so sd / sqrt(2) = 0.5
    halves = rates_of([[right, right, wrong, wrong]], [0, 0, 1, 2])
    assert halves["fdr_matching_sets"][1] == pytest.approx(0.5)
    assert np.isnan(rates_of([[right]], [0, 0, 1, 2])["fnr_matching_sets"][1])
    # Rates of nothing are 0.
    none = np.empty(0, dtype=np.int64)
    assert error_rates(none, none) == {"fnr": 0.0, "fdr": 0.0}
    assert error_rates(none, np.array([3])) == {"fnr": 1.0, "fdr": 0.0}


def test_chains_that_are_watched_report_the_second_half_so_far(tmp_path):
    given = plan("demo")
    runs = given.unsettled_runs()
    recipe = recipe_of("demo_nltcs", [20, 10])
    records = draw_records(recipe, 0.05, np.random.default_rng(0), 0)
    folder = tmp_path / "demo_nltcs_d05"
    records.save(folder / runs[0].data_file)
    watch = {"n_sweeps": 40, "every": 20}
    found = watch_chains([run.to_dict() for run in runs], [folder], watch)
    assert found.groupby(["model", "sweep"]).size().to_dict() == {
        (run.model, sweep): 8 for run in runs for sweep in (20, 40)
    }
    by_metric = found[found["model"] == "nbd"].set_index(["sweep", "metric"])["mean"]
    assert 1 <= by_metric[40, "largest cluster"] <= 40
    assert 0 <= by_metric[40, "FNR, matching sets"] <= 1
    # The same chain, stopped earlier, reports the same.
    early = watch_chains([runs[1].to_dict()], [folder], watch | {"n_sweeps": 20})
    assert early["mean"].tolist() == by_metric[20].tolist()


def test_moves_on_several_data_sets_have_the_same_posterior(tmp_path):
    given = plan("standard", {"nltcs5000": ("demo_nltcs",)})
    runs, folders = [run.to_dict() for run in given.moves_runs()], []
    for run in given.moves_runs():
        recipe = recipe_of(run.dataset, [8, 4])
        records = draw_records(recipe, 0.05, np.random.default_rng(0), 0)
        folders.append(tmp_path / run.dataset)
        records.save(folders[-1] / run.data_file)
    found, traces = compare_moves(runs, folders, {"gibbs": 80, "chaperones": 160})
    together = found[(found["chain"] == -1) & (found["quantity"] == "n_clusters")]
    assert list(together["dataset"].unique()) == ["demo_nltcs_d05_0", "italy_d05_0"]
    assert set(traces["dataset"]) == set(together["dataset"])
    for _name, part in together.groupby("dataset"):
        part = part.set_index("move")
        assert list(part.index) == list(MOVES)
        gibbs = part.loc["gibbs"]
        errors = np.hypot(part["mcse"], gibbs["mcse"])
        assert ((part["mean"] - gibbs["mean"]).abs() < 5 * errors).all()
