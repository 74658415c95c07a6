"""Plan, fits, scores and comparisons of the relational family, on a few entities."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from places import ROOT
from sklearn.metrics import adjusted_rand_score

from reseat.chains import Interrupted
from reseat.configuration import read_yaml
from reseat.datasets import DatasetIdentity, Relations
from reseat.errors import ConfigError, DataError
from reseat.papers.relational import scores as scoring
from reseat.papers.relational import studies
from reseat.papers.relational.chains import _links, choose_held_out, run_gibbs, score_comparison
from reseat.papers.relational.fits import load_fits, relations_of, run_fits, truncation_of
from reseat.papers.relational.plan import BETTER, Plan
from reseat.papers.relational.results import START
from reseat.relation_tables import RelationTable

ROWS, COLUMNS = 24, 30
SECTION = read_yaml(ROOT / "config" / "relational.yaml")["relational"]
PLAN = Plan("demo", 3, SECTION, Plan.wanted(SECTION, "demo"))


@pytest.fixture(scope="module")
def relations():
    """Return relations with three by three planted clusters of different frequencies."""
    rng = np.random.default_rng(1)
    rows, columns = np.arange(ROWS) % 3, np.arange(COLUMNS) % 3
    rate = np.array([[4.0, 0.05, 0.6], [0.05, 3.0, 0.05], [0.7, 0.05, 5.0]])
    counts = rng.poisson(rate[rows][:, columns])
    counts[np.arange(ROWS), np.arange(ROWS)] += 1  # no row without a link
    counts[0, counts.sum(axis=0) == 0] = 1
    cells = np.argwhere(counts > 0)
    table = RelationTable("pairs", ("adjective", "noun"), cells, counts[tuple(cells.T)])
    sizes = {"adjective": ROWS, "noun": COLUMNS}
    names = {kind: tuple(f"{kind[0]}{i}" for i in range(size)) for kind, size in sizes.items()}
    groups = {"adjective": tuple("xyz"[k] for k in rows), "noun": None}
    identity = DatasetIdentity(name="demo_pairs", title="Pairs", status="generated")
    return Relations(names, (table,), groups, identity)


@pytest.fixture(scope="module")
def fitted(relations, tmp_path_factory):
    fits = PLAN.runs("demo_pairs")
    folder = tmp_path_factory.mktemp("fits") / "done"
    run_fits(fits, relations, output=folder, scratch=folder.with_name("part"))
    return load_fits(folder, [fit.to_dict() for fit in fits])


def test_chains_do_not_depend_on_how_the_fits_beside_them_are_made():
    def gibbs(**changes):
        plan = Plan("demo", 3, SECTION | changes, Plan.wanted(SECTION, "demo"))
        return plan.gibbs(plan.datasets_in("gibbs")[0])

    demo = SECTION["scales"]["demo"]
    parts = {part: demo[part] | {"n_restarts": 77} for part in ("pairs", "gibbs")}
    scales = SECTION["scales"] | {"demo": demo | parts}
    ascent = SECTION["ascent"] | {"max_iter": 5}
    starts = SECTION["initialisations"][::-1]
    assert gibbs(scales=scales, ascent=ascent, initialisations=starts) == gibbs()
    assert gibbs(betas=[0.7]) != gibbs()


def test_predictions_do_not_depend_on_which_other_sets_are_sampled():
    demo = SECTION["scales"]["demo"]

    def predictive(**changes):
        scales = SECTION["scales"] | {"demo": demo | {"gibbs": demo["gibbs"] | changes}}
        changed = SECTION | {"scales": scales}
        return Plan("demo", 3, changed, Plan.wanted(changed, "demo")).predictive()

    assert predictive(datasets=["demo_pairs", "animals"]) == predictive()
    assert predictive(held_out=0.1) != predictive()


def test_the_papers_settings_come_first_and_what_is_missing_is_left_out_or_replaced():
    for scale in ("demo", "standard", "paper"):
        plan = Plan(scale, 1, SECTION, Plan.wanted(SECTION, scale))
        for fits in map(plan.runs, plan.datasets_in("pairs")):
            assert len({fit.name for fit in fits}) == len(fits) == 14
            assert {fit.beta for fit in fits} == {1.0, 0.1, 0.01}
            assert fits[0].beta == 0.1 and fits[-1].control == "same_numbers"
        for fits in map(plan.runs, (*plan.datasets_in("pairs"), *plan.datasets_in("types"))):
            assert [fit.model for fit in fits[:2]] == ["irm", "firm"]
        assert all(len(plan.runs(dataset)) == 2 for dataset in plan.datasets_in("types"))
    main = Plan("paper", 1, SECTION, ("aozora_adjectives",)).main("aozora_adjectives", "firm")
    assert main.n_restarts == 30 and main.truncation == {"adjective": 80, "noun": 120}
    plan = Plan("standard", 1, SECTION, ("animals",))
    assert plan.datasets_in("pairs") == () and plan.datasets_in("gibbs") == ("animals",)
    plan = Plan("standard", 1, SECTION, (), {"aozora_adjectives": ("demo_pairs",)})
    assert plan.datasets_in("pairs") == ("demo_pairs",)


def test_a_truncation_of_other_types_is_refused(relations):
    fit = replace(PLAN.runs("demo_pairs")[0], truncation={"adjective": 3, "nuon": 3})
    said = "sets.demo_pairs.truncation: the types are adjective, nuon, but must be adjective, noun"
    with pytest.raises(ConfigError, match=said):
        truncation_of(fit, relations, None)


def test_planted_clusters_are_found_from_hard_starts_and_from_k_means(fitted, relations):
    truth = {"adjective": np.arange(ROWS) % 3, "noun": np.arange(COLUMNS) % 3}
    tried = [(fit, found) for fit, found in fitted if fit.initialisation in ("hard", BETTER)]
    assert len(tried) == 5
    for fit, found in tried:
        for kind, planted in truth.items():
            assert adjusted_rand_score(planted, found.labels[kind]) > 0.5, fit.name
    for fit, found in fitted:
        assert found.restarts["best"].sum() == 1 and len(found.restarts) == fit.n_restarts
        assert found.every["noun"].shape == (fit.n_restarts, COLUMNS)
        assert (found.restarts["elbo_full"] < found.restarts["elbo"]).all()
    twin, control = fitted[0][1], fitted[-1][1]
    for kind, number in twin.n_clusters.items():
        assert control.n_clusters[kind] <= number


def stop_before_the_second(fits, relations, places):
    """Run fits until the first of them is done."""

    class AfterTheFirst:
        def is_set(self):
            return (places["scratch"] / fits[0].name).exists()

    with pytest.raises(Interrupted):
        run_fits(fits, relations, stop=AfterTheFirst(), **places)
    assert not places["output"].exists()


def test_fits_go_on_where_they_stopped_unless_their_settings_changed(relations, fitted, tmp_path):
    fits = PLAN.runs("demo_pairs")[:2]
    places = {"output": tmp_path / "done", "scratch": tmp_path / "part"}
    stop_before_the_second(fits, relations, places)
    first = (tmp_path / "part" / fits[0].name).stat().st_ino
    # What a process leaves that is killed while it writes the second.
    (tmp_path / "part" / f".{fits[1].name}.0123456789abcdef").mkdir()
    run_fits(fits, relations, threads=2, **places)
    assert (tmp_path / "done" / fits[0].name).stat().st_ino == first
    assert {path.name for path in (tmp_path / "done").iterdir()} == {fit.name for fit in fits}
    again = load_fits(tmp_path / "done", [fit.to_dict() for fit in fits])
    for (_, before), (_, after) in zip(fitted[:2], again, strict=True):
        assert all(np.array_equal(before.every[k], after.every[k]) for k in before.every)
    places = {"output": tmp_path / "other", "scratch": tmp_path / "part"}
    stop_before_the_second(fits, relations, places)
    others = [replace(fit, n_restarts=2, seed=fit.seed + 1) for fit in fits]
    run_fits(others, relations, **places)
    for fit, found in load_fits(tmp_path / "other", [fit.to_dict() for fit in others]):
        assert len(found.restarts) == 2 != fits[0].n_restarts, fit.name


def test_models_see_counts_or_links_and_not_what_is_hidden(relations):
    hidden = relations.relations[0].coordinates[:5]
    firm, irm = (relations_of(relations, model, [hidden])[0] for model in ("firm", "irm"))
    assert irm.counts.max() == 1 and firm.counts.max() > 1
    assert firm.n_observed == irm.n_observed == relations.relations[0].n_observed - 5


def test_coverage_and_purity_are_those_of_the_cells(fitted, relations):
    labels = np.add.outer(np.arange(ROWS) % 3 * 3, np.arange(COLUMNS) % 3)
    # The classes of a second fit: as many of the same sizes, for which clusters mean nothing.
    others = np.random.default_rng(2).permuted(labels.ravel()).reshape(labels.shape)
    scores = scoring.score_pairs(fitted, relations, np.stack([labels, others]), 9, n_random=4)
    coverage, purity = pd.DataFrame(scores.coverage), pd.DataFrame(scores.purity)
    scored = coverage.query("aspect == 1")
    assert set(scored["initialisation"]) == {START} and set(scored["pairs"]) == {"all"}
    of_both = purity.query("i == 1 and best and initialisation == @START and pairs == 'all'")
    gained = of_both.groupby(["control", "aspect"])["purity"].mean()
    assert gained["", 0] > gained["", 1] + 0.2
    coverage, purity = coverage.query("aspect == 0"), purity.query("aspect == 0")
    for fit, found in fitted:
        rows = coverage.query("model == @fit.model and beta == @fit.beta")
        rows = rows.query("control == @fit.control and initialisation == @fit.initialisation")
        assert len(rows) == 2 * fit.n_restarts and rows["best"].sum() == 2
        best = rows[rows["best"] & rows["pairs"].eq("all")].iloc[0]
        assert best["n_row_clusters"] == found.n_clusters["adjective"]
    random = coverage.query("control == 'random' and pairs == 'all'")
    assert len(random) == 4 * 8  # of each start
    start = purity.query("i == 1 and pairs == 'all' and model == 'firm' and beta == 0.1")
    start = start.query("initialisation == 'hard'")
    mine = start.query("control == '' and best")["purity"].iloc[0]
    assert mine > start.query("control == 'random'")["purity"].max() + 0.2
    assert purity.query("i == 9")["purity"].eq(1).all()
    shares = pd.DataFrame(scores.classes)
    sums = shares.groupby(["model", "control", "pairs"])["share"].sum()
    assert len(sums) == 6 and np.allclose(sums, 1)


def test_classes_are_those_of_converged_fits_the_best_first(relations):
    aspect = PLAN.aspect() | {"n_classes": 3, "n_starts": 4}
    starts, found = studies.find_classes(relations, "demo_pairs", aspect, seed=5, threads=2)
    assert starts["converged"].all() and starts["log_likelihood"].is_monotonic_decreasing
    assert found["labels"].shape == (4, ROWS, COLUMNS)
    again, same = studies.find_classes(relations, "demo_pairs", aspect, seed=5)
    assert again.equals(starts) and np.array_equal(same["labels"], found["labels"])


def test_cells_and_sorted_tables_are_consistent(fitted, relations):
    labels = np.add.outer(np.arange(ROWS) % 3 * 3, np.arange(COLUMNS) % 3)
    fit, found = fitted[1]
    cells = scoring.describe_cells(fit, found, relations, labels, 9)
    table = relations.relations[0]
    assert cells["tokens"].sum() == table.counts.sum()
    assert cells["n_observed"].sum() == table.n_observed
    assert (cells["n_rows"] * cells["n_columns"]).sum() == ROWS * COLUMNS
    first = cells.iloc[0]
    rows, columns = (scoring.by_size(found.labels[kind]) == 0 for kind in table.types)
    block = labels[rows][:, columns].ravel()
    assert first["purity"] == pytest.approx(np.bincount(block).max() / block.size)
    ordered = scoring.sort_pairs(found, relations)
    assert len(ordered["rows"]) == table.n_observed
    assert np.diff(ordered["row_edges"]).tolist() == sorted(np.diff(ordered["row_edges"]))[::-1]
    dense = np.zeros(ordered["shape"], dtype=int)
    dense[ordered["rows"], ordered["columns"]] = 1
    matrix = (relations.matrix("pairs").toarray() > 0).astype(int)
    assert sorted(dense.sum(axis=1)) == sorted(matrix.sum(axis=1))


def test_types_have_words_and_agreement(fitted, relations):
    rows = pd.DataFrame(scoring.describe_types(fitted[:1], relations))
    best = rows[rows["best"]].set_index("type")
    assert best.loc["adjective", "nmi"] > 0.7 and np.isnan(best.loc["noun", "nmi"])
    assert best.loc["adjective", "words"].startswith("a") and best["largest"].gt(0).all()


def test_the_toy_is_sorted_into_its_clusters(relations):
    fit = PLAN.fit("demo_pairs", "irm", 1.0, "hard")
    toy = scoring.sort_toy(fit.to_dict(), relations)
    assert sorted(toy["row_order"]) == list(range(ROWS))
    assert toy["row_edges"][-1] == ROWS and toy["matrix"].shape == (ROWS, COLUMNS)
    assert adjusted_rand_score(toy["row_true"], toy["row_found"]) > 0.5


@pytest.mark.parametrize("share", [1e-9, 0.02])
def test_held_out_cells_of_one_kind_are_refused_before_the_chains(share, relations, tmp_path):
    cells = np.argwhere(np.ones((ROWS, COLUMNS)))
    full = RelationTable("pairs", ("adjective", "noun"), cells, np.ones(len(cells), dtype=int))
    settings = {"held_out": share, "n_chains": 1, "burn_in": 1, "n_samples": 1}
    how = {"beta": 1.0, "concentration": 1.0, "truncation": {"adjective": 3, "noun": 3}}
    places = {"output": tmp_path / "chains", "scratch": tmp_path / "part"}
    with pytest.raises(DataError, match=r"'demo_pairs': of the \d+ cells .* raise held_out"):
        run_gibbs(replace(relations, relations=(full,)), settings, seed=1, **how, **places)
    assert not (tmp_path / "chains").exists()


def test_both_methods_predict_what_they_have_not_seen(relations, tmp_path):
    settings = {"held_out": 0.1, "n_restarts": 3, "n_chains": 2, "burn_in": 20, "n_samples": 20}
    fits = {model: PLAN.main("demo_pairs", model) for model in ("irm", "firm")}
    firm = fits["firm"]
    places = {"output": tmp_path / "chains", "scratch": tmp_path / "part"}
    how = {"beta": firm.beta, "concentration": 1.0, "truncation": firm.truncation}
    run_gibbs(relations, settings, seed=firm.seed, **how, **places)
    given = {model: fit.to_dict() for model, fit in fits.items()}
    rows = pd.DataFrame(score_comparison(given, relations, tmp_path / "chains", settings))
    counts = rows.groupby(["model", "method"]).size().unstack()
    assert counts["gibbs"].to_dict() == dict.fromkeys(("firm", "irm"), 2)
    assert counts["vb"].to_dict() == dict.fromkeys(("firm", "irm"), 3)
    assert (rows["auc"] > 0.7).all() and (rows["log_predictive"] < 0).all()
    table = relations.relations[0]
    known = np.setdiff1d(np.arange(ROWS * COLUMNS), table.coordinates @ [COLUMNS, 1])[:40]
    gaps = np.stack(np.unravel_index(known, (ROWS, COLUMNS)), axis=1).astype(np.int32)
    partial = replace(relations, relations=(replace(table, missing=gaps),))
    chosen = choose_held_out(partial, 0.5, firm.seed)
    assert len(chosen) == round(0.5 * (ROWS * COLUMNS - 40))
    assert not {*map(tuple, chosen.tolist())} & {*map(tuple, gaps.tolist())}
    links = _links(partial, "firm", chosen)
    assert links.held_out.tolist() == [*chosen.tolist(), *gaps.tolist()]
    cells = choose_held_out(relations, 0.1, firm.seed)
    assert len(cells) == round(0.1 * ROWS * COLUMNS)
    assert np.array_equal(cells, choose_held_out(relations, 0.1, firm.seed))


def test_relations_that_share_a_type_are_predicted_better_together():
    """The few observations of one relation do not show its clusters; those of the other do."""
    rng = np.random.default_rng(7)
    kinds = {"adjective": np.arange(20) % 3, "noun": np.arange(60) % 3, "verb": np.arange(20) % 3}
    tables = []
    given = (("describes", ("adjective", "noun"), 3.0), ("subject_of", ("noun", "verb"), 0.25))
    for name, sides, often in given:
        rate = np.where(np.equal.outer(*(kinds[side] for side in sides)), often, 0.02)
        counts = rng.poisson(rate)
        counts[np.arange(len(counts)), rng.integers(0, counts.shape[1], len(counts))] += 1
        counts[0] += counts.sum(axis=0) == 0
        cells = np.argwhere(counts > 0)
        tables.append(RelationTable(name, sides, cells, counts[tuple(cells.T)]))
    names = {side: tuple(f"{side}{i}" for i in range(of.size)) for side, of in kinds.items()}
    identity = DatasetIdentity(name="demo_words", title="Words", status="generated")
    words = Relations(names, tuple(tables), {}, identity)
    found = studies.predict_together(words, PLAN.joint("demo_words"), 0.1)
    assert found["relation"].tolist() == ["describes", "subject_of"] * 2
    assert found["n_cells"].tolist() == [120] * 4
    sparse = found[found["relation"] == "subject_of"]
    assert (sparse["auc_together"] > sparse["auc_apart"]).all()
    assert (sparse["gain"] > 0).all()
    assert np.allclose(found["together"] - found["apart"], found["gain"])


def test_the_smallest_table_is_enumerated():
    bound = studies.bound_table(1, n_restarts=5)
    assert (bound["elbo"] < bound["log_evidence"]).all()
    counts = studies.count_partitions({"n_sweeps": 3_000}, 1)
    totals = counts.groupby("prior")[["exact", "count"]].sum()
    assert totals["exact"].to_numpy() == pytest.approx([1, 1]) and totals["count"].eq(3_000).all()
    distance = (counts["exact"] - counts["count"] / 3_000).abs().groupby(counts["prior"]).sum() / 2
    assert (distance < 0.06).all()
