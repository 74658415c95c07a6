"""Tables of the supervised paper on frames whose numbers are known."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
import supervised_frames as frames

from reseat.errors import DataError
from reseat.papers.catalogue import CATALOGUE
from reseat.papers.supervised import results, tables
from reseat.papers.supervised.full import full_table, held_out_table
from reseat.papers.supervised.results import default_scores, rows_of
from reseat.papers.tables import COLUMNS
from reseat.report.comparison import compare
from reseat.report.views import comparison_views

PUBLISHED = frames.PUBLISHED
BOTH = frames.DATASETS | frames.MORE
DIAGNOSTICS = frames.in_both_ways(frames.diagnostics(datasets=BOTH))


@pytest.fixture(scope="module")
def chains():
    return frames.chains(datasets=BOTH)


@pytest.fixture(scope="module")
def scores(chains):
    return default_scores(frames.baselines(datasets=BOTH), frames.in_both_ways(chains))


def metrics_table(name, role, scores, *on_draws):
    """Return the table of one data set of the paper."""
    diagnostics = frames.diagnostics(datasets=BOTH)
    return tables.metrics_table(name, role, scores, diagnostics, PUBLISHED, *on_draws)


def test_every_system_stands_beside_the_printed(scores):
    table = metrics_table("scdp_table2", "identity", scores)
    assert list(table.columns) == [*COLUMNS, "sd", "combined", "note", "obstacle"]
    own = rows_of(table, dataset="aminer_identity")
    row = frames.row_of(own, system="SCDP-3 (covariance)", metric="F")
    assert row["published"] == 0.894 and abs(row["difference"]) < 0.002 and not row["comparable"]
    assert row["n_chains"] == 4 and row["sd"] == pytest.approx(2 * row["se"])
    assert frames.row_of(own, system="SCDP-3 (precision)", metric="F")["published"] == 0.894
    assert math.isnan(frames.row_of(own, system="SCDP-2 (exact)", metric="F")["published"])
    fixed = frames.row_of(own, system="Binary", metric="NES")
    assert (fixed["mean"], fixed["n_chains"]) == (0.553, 1) and math.isnan(fixed["se"])
    assert math.isnan(fixed["combined"])
    # The paper ran 50 chains on researchers. Of ours that mix, two begin at a common start.
    assert row["combined"] == pytest.approx(row["sd"] * math.sqrt(1 / 4 + 1 / 50))
    assert frames.row_of(own, system="SCDP-3 (covariance), posterior", metric="F")["n_chains"] == 2


def test_a_published_number_of_one_run_varies_as_one_run_does():
    once = frames.baselines(datasets=BOTH)
    binary = once["system"] == "Binary"
    more = once[binary].assign(repetition=1, value=once["value"] + 0.02)
    both = pd.concat([once, more])
    found = default_scores(both, frames.chains(datasets=BOTH).assign(variant="single items"))
    table = metrics_table("scdp_table1", "digits", found)
    row = frames.row_of(table, system="Binary", metric="F")
    spread = 0.02 / math.sqrt(2)
    assert row["n_chains"] == 2 and row["sd"] == pytest.approx(spread)
    assert row["combined"] == pytest.approx(spread * math.sqrt(1.5))


def drawn(step, n_draws=3):
    """Return baselines on several draws of the items, whose scores go up by a step."""
    once = frames.baselines(datasets=BOTH).drop(columns="repetition")
    scores = [once.assign(draw=draw, value=once["value"] + step * draw) for draw in range(n_draws)]
    return pd.concat(scores, ignore_index=True)


def test_a_published_number_of_one_draw_varies_as_draws_do(scores):
    table = metrics_table("scdp_table1", "digits", scores, drawn(0.02))
    row = frames.row_of(table, system="K-Means", metric="F")
    # The standard deviation of 0, 0.02 and 0.04, once for our draw and once for the paper's.
    assert row["combined"] == pytest.approx(math.sqrt(2) * 0.02) and math.isnan(row["sd"])
    five = tables.f_table("scdp_table5", scores, frames.diagnostics(), PUBLISHED, drawn(0.02))
    row = frames.row_of(five[five["role"] == "digits"], system="Binary", metric="F")
    assert row["combined"] == pytest.approx(math.sqrt(2) * 0.02)
    # A chain on each draw varies by its own randomness as well, which is not counted twice.
    chain = drawn(0.02).query("system == 'K-Means'").assign(system="SCDP-1")
    table = metrics_table("scdp_table1", "digits", scores, chain)
    row = frames.row_of(table, system="SCDP-1", metric="F")
    own = row["sd"] ** 2
    assert row["combined"] ** 2 == pytest.approx(own * (1 / 4 + 1 / 10) + 2 * (0.02**2 - own))
    tried = drawn(0.02).query("system == 'Binary' and metric == 'F'")
    tried = tried.assign(system="SCDP-1, sigma 0.1", metric="held-out F")
    both = pd.concat([drawn(0.02), tried], ignore_index=True)
    over = tables.draws_table("scdp_draws", both, PUBLISHED)
    row = frames.row_of(over, dataset="usps_digits", system="SCDP-1, sigma 0.1")
    assert row["metric"] == "held-out F" and row["n_chains"] == 3
    row = frames.row_of(over[over["role"] == "digits"], system="K-Means", metric="F")
    assert row["mean"] == pytest.approx(row["published"] + 0.02) and row["n_chains"] == 3
    assert row["sd"] == pytest.approx(0.02)
    assert row["combined"] == pytest.approx(0.02 * math.sqrt(4 / 3))


def test_printed_numbers_that_their_table_does_not_bear_out_are_not_compared(scores):
    found = {role: metrics_table("t", role, scores) for role in ("digits", "refmatch")}

    def obstacle(role, system, metric):
        own = found[role].drop_duplicates(["system", "metric"])
        return frames.row_of(own, system=system, metric=metric)["obstacle"]

    assert list(dict.fromkeys(found["refmatch"]["dataset"])) == ["cora_numbers", "cora_text"]
    assert found["refmatch"]["comparable"].all()
    # RI = 1 - pi - pi R / P + 2 pi R is .843 and not .921.
    contradicted = "in contradiction with other numbers of its table"
    assert obstacle("digits", "Binary", "RI") == contradicted
    assert obstacle("digits", "Binary", "F") == obstacle("digits", "SCDP-1", "RI") == ""
    # Coarse, Fine and Binary are of 622 items; the other rows consistently imply fewer.
    assert obstacle("refmatch", "Binary", "F") == "of other test items, by its own numbers"
    assert obstacle("refmatch", "K-Means", "RI") == obstacle("refmatch", "SCDP-1", "NVI") == ""
    unprinted = found["refmatch"]["published"].isna()
    assert (found["refmatch"].loc[unprinted, "obstacle"] == "").all()


def test_a_system_that_did_not_run_has_the_printed_number_alone(scores):
    some = scores[~scores["system"].isin(["Binary", "SCDP-3", "SCDP-3p"])]
    table = metrics_table("scdp_table1", "digits", some)
    row = frames.row_of(table, system="Binary", metric="F")
    assert math.isnan(row["mean"]) and (row["n_chains"], row["published"]) == (0, 0.592)
    assert {"SCDP-3 (covariance)", "SCDP-3 (precision)"} <= set(table["system"])
    assert table["system"].nunique() == 15 and not table.duplicated(["system", "metric"]).any()
    assert "SCDP-3 (covariance), posterior" not in set(table["system"])
    # Supplementary metrics come after the printed, where they are.
    more = rows_of(scores, metric="NES").assign(metric="NES (text)", value=0.9)
    table = metrics_table("scdp_table1", "digits", pd.concat([scores, more]))
    assert list(dict.fromkeys(table["metric"])) == [*frames.METRICS, "NES (text)"]
    assert frames.row_of(table, system="SCDP-1", metric="NES (text)")["mean"] == pytest.approx(0.9)
    with pytest.raises(DataError, match="scdp_table3 has no data set among coref"):
        metrics_table("scdp_table3", "coref", rows_of(scores, role="digits"))


def test_default_scores_leave_other_variants_starts_and_summaries_out(chains):
    variants = [("SCDP-1", "explicit", "one"), ("SCDP-1", "single items", "one")]
    found = default_scores(frames.baselines(), frames.chains(variants=variants))
    kept = rows_of(found, system="SCDP-1", dataset="usps_digits", metric="F")
    assert kept["variant"].tolist() == [""] * 2 + ["single items"] * 4
    assert set(rows_of(kept, variant="")["start"]) == {"singletons"}
    assert rows_of(found, system="Xing-K")["sampled"].eq(False).all()
    alone = default_scores(frames.baselines().iloc[:0], chains)
    assert alone["sampled"].all()


def test_rows_of_chains_that_are_apart_are_marked(scores):
    """Chains can disagree in the log joint or in F; systems without chains are never marked."""
    diagnostics = frames.in_both_ways(frames.diagnostics())
    diagnostics["rhat"] = diagnostics["rhat"].clip(upper=1.05)
    apart = (diagnostics["system"] == "SCDP-3p") & (diagnostics["quantity"] == "log_joint")
    diagnostics.loc[apart, "rhat"] = 1.3
    of_f = rows_of(diagnostics, system="CDP", quantity="log_joint").assign(
        quantity="F", rhat=np.inf
    )
    table = tables.f_table("scdp_table5", scores, pd.concat([diagnostics, of_f]), PUBLISHED)
    marked = table[table["note"] == "not converged"]
    assert set(marked["system"]) == {"SCDP-3 (precision), posterior"}
    assert set(marked["dataset"]) == set(frames.DATASETS)  # the others have no diagnostics
    modes = table[table["note"] == "mean over chains in different modes: R-hat 1.30"]
    assert set(modes["system"]) == {"SCDP-3 (precision)"}
    given = (scores, pd.concat([diagnostics, of_f]), PUBLISHED)
    table = tables.metrics_table("scdp_table1", "digits", *given)
    marked = table[table["note"] == "not converged"]
    assert set(marked["system"]) == {"SCDP-3 (precision), posterior", "CDP, posterior"}
    cells = compare(CATALOGUE.artefacts["scdp_table1"], table)
    # What the paper ran is compared although its chains are in different modes.
    counted = cells[cells["counted"]]
    assert "not converged" not in set(counted["verdict"])
    assert not counted["system"].str.endswith(("posterior", "Coarse", "Fine")).any()
    assert set(rows_of(counted, system="CDP")["verdict"]) == {"agree", "not comparable"}
    views = comparison_views(table, {}, cells)
    notes = {row["system"]: row["note"] for row in views[0]["rows"]}
    contradicted = "published RI, CED, NVI: in contradiction"
    assert notes["CDP, posterior"].startswith(f"not converged; {contradicted}")
    assert contradicted in notes["CDP"] and notes["CDP"].startswith("mean over chains in")
    assert notes["SCDP-1"] == "" and notes["Binary"].startswith("published RI, NVI: in")


def of_chains(variant, starts, log_joint, rhat, mcse=2.0):
    """Return the diagnostics of a model with joint moves, with one chain per start."""
    of = frames.identity("cora_numbers", frames.DATASETS, system="SCDP-1", variant=variant)
    parts = []
    for chain, start in enumerate(starts):
        numbers = {"log_integrated": log_joint[chain], "F": 0.5, "n_test_clusters": 7.0}
        numbers |= {"n_clusters_type": 3.0, "accepted": 0.25}
        part = pd.DataFrame({"quantity": numbers.keys(), "value": numbers.values()})
        parts.append(part.assign(start=start, chain=chain, mcse=mcse, ess=50.0, rhat=rhat, **of))
    return pd.concat(parts, ignore_index=True)


def test_the_posterior_stands_beside_the_truth_start_by_start():
    joint = of_chains("", ["truth", "singletons", "truth"], [110.0, 100.0, 130.0], 1.02)
    held = of_chains("truth held", ["truth"], [90.0], np.nan, mcse=1.0)
    plain = frames.diagnostics(datasets={"cora_numbers": frames.DATASETS["cora_numbers"]})
    plain["variant"] = "single items"
    table = results.posterior_table("scdp_posterior", pd.concat([plain, joint, held]))
    ways = ("from singletons", "from the truth", "truth held")
    assert list(dict.fromkeys(table["system"])) == [f"SCDP-1, {way}" for way in ways]
    one = frames.row_of(table, system="SCDP-1, from singletons", metric="log joint")
    assert (one["mean"], one["se"], one["n_chains"]) == (100.0, 2.0, 1)
    two = rows_of(table, system="SCDP-1, from the truth").set_index("metric")
    assert two.loc["log joint", ["mean", "se", "n_chains"]].tolist() == [120.0, 10.0, 2]
    over = two.loc["log joint over the truth"]
    assert over["mean"] == 30.0 and over["se"] == pytest.approx(np.hypot(10, 1))
    assert two.loc["R-hat", "mean"] == 1.02 and two.loc["acceptance", "mean"] == 0.25
    assert set(table["note"]) == {""}
    # The density of the truth on another scale is not known, so there is no comparison.
    scaled = of_chains("sigma 0.1", ["singletons"], [500.0], np.nan)
    found = results.posterior_table("scdp_posterior", pd.concat([joint, held, scaled]))
    words = rows_of(found, system="SCDP-1, sigma 0.1, from singletons")["metric"].tolist()
    assert "log joint" in words and "log joint over the truth" not in words
    apart = results.posterior_table("scdp_posterior", pd.concat([joint.assign(rhat=1.2), held]))
    assert set(rows_of(apart, system="SCDP-1, from singletons")["note"]) == {"not converged"}
    with pytest.raises(DataError, match="scdp_posterior has no data set"):
        results.posterior_table("scdp_posterior", plain)


def of_full(rhat=1.01):
    """Return `full.csv` and `full_trials.csv` of two seeds on one data set."""
    identity = {"dataset": "cora_numbers", "status": "faithful", "role": "refmatch"}
    chains, trials = [], []
    for seed, start in itertools.product((0, 1), ("singletons", "one", "held")):
        joint = {"singletons": -90.0, "one": -91.0, "held": -100.0}[start]
        numbers = {"F": 0.8 + 0.1 * seed if start != "held" else 1.0, "log joint": joint}
        for quantity, value in numbers.items():
            row = {"seed": seed, "start": start, "quantity": quantity, "value": value}
            chains.append(identity | row | {"mcse": 0.3, "rhat": rhat})
    for seed, place in itertools.product((0, 1), (0, 1)):
        row = {"seed": seed, "coordinates": "small", "nugget": 0.02, "directions": 30}
        row |= {"power": [1.0, 0.3][place], "log_concentration": ["sampled", "-100"][seed]}
        row |= {"score": 0.9 - 0.1 * place, "error": 0.02, "n_folds": 4}
        trials.append(identity | row | {"chosen": place == 0})
    return pd.DataFrame(chains), pd.DataFrame(trials)


def test_two_covariances_stand_beside_what_is_not_sampled():
    chains, trials = of_full()
    table = full_table("scdp_full", chains, trials, frames.baselines())
    mean = frames.row_of(table, system="Two covariances", metric="F")
    assert mean["mean"] == pytest.approx(0.85) and mean["se"] == pytest.approx(0.05)
    one = rows_of(table, system="Two covariances, seed 0, from one cluster").set_index("metric")
    assert one.loc["log joint over the truth", "mean"] == 9.0
    assert set(one["setting"]) == {"small, nugget 0.02, power 1, 30 directions"}
    second = frames.row_of(table, system="Two covariances, seed 1", metric="held-out F")
    assert second["setting"].endswith("30 directions, log concentration -100")
    assert (second["mean"], second["n_chains"]) == (0.9, 4)
    assert set(table["note"]) == {""} and table["published"].isna().all()
    apart = full_table("scdp_full", *of_full(rhat=1.2), frames.baselines())
    assert set(apart.loc[apart["system"].str.contains("from"), "note"]) == {"not converged"}
    # What was tried on held-out entities is shown.
    table = held_out_table("scdp_held_out", trials)
    assert len(table) == 4 and set(table["metric"]) == {"held-out F"}
    chosen = table[table["seeds"] > 0]
    assert chosen["power"].tolist() == [1.0, 1.0] and chosen["mean"].tolist() == [0.9, 0.9]


def test_scores_stand_by_scale_beside_the_printed_ones():
    scales = ("0.02", "sampled", "0.1")
    variants = [("SCDP-1", f"sigma {sigma}", "k_means") for sigma in scales]
    variants += [("CDP", "sigma 0.02", "k_means")]
    digits = {"usps_digits": frames.DATASETS["usps_digits"]}
    found = frames.chains(datasets=digits, variants=variants, noise=0.0)
    found.loc[found["variant"] == "sigma 0.02", "value"] += 0.01
    # Chains that began at the true clusters are left out of all scores.
    blind = found[(found["system"] == "SCDP-1") & (found["variant"] == "")]
    found = pd.concat([found, blind.assign(start="truth", value=1.0)])
    apart = frames.diagnostics(digits, variants=variants)
    moved = (apart["system"] == "SCDP-1") & (apart["variant"] == "sigma 0.02")
    drawn = rows_of(apart, variant="sigma sampled", quantity="log_joint")
    apart = pd.concat([apart, drawn.assign(quantity="sigma_publication", value=0.25)])
    moved = moved.reindex(apart.index, fill_value=False) & ~apart.index.duplicated()
    apart["rhat"] = apart["rhat"].where(apart["rhat"].isna(), 1.0).mask(moved, 1.3)
    table = results.scale_table("scdp_scale", found, apart, PUBLISHED)
    noted = table.loc[table["note"] == "not converged", "system"]
    assert set(noted) == {"SCDP-1, sigma 0.02"}
    assert list(dict.fromkeys(table["system"])) == [
        *("CDP, sigma 1", "CDP, sigma 0.02"),
        *("SCDP-1, sigma 1", "SCDP-1, sigma 0.1", "SCDP-1, sigma 0.02", "SCDP-1, sigma sampled"),
    ]
    assert frames.row_of(table, system="SCDP-1, sigma sampled", metric="F")["sigma"] == 0.25
    row = frames.row_of(table, system="SCDP-1, sigma 0.02", metric="F")
    assert row["published"] == 0.666 and row["difference"] == pytest.approx(0.01)
    assert (row["sigma"], row["n_chains"]) == (0.02, 4)
    row = frames.row_of(table, system="SCDP-1, sigma 1", metric="F")
    assert row["n_chains"] == 4 and row["mean"] == pytest.approx(0.666)
    tabled = default_scores(frames.baselines(datasets=digits), found)
    assert "truth" not in set(tabled["start"]) and len(rows_of(tabled, system="SCDP-1"))
    assert frames.row_of(table, system="CDP, sigma 0.02", metric="P")["published"] == 0.970


DIGITS = {"usps_digits": frames.DATASETS["usps_digits"]}


def readings_of(chains, variants=None, datasets=DIGITS):
    return tables.readings_table(
        "scdp_readings",
        chains,
        frames.min_vi(datasets),
        frames.baselines(datasets=datasets),
        frames.diagnostics(datasets, clusters={"SCDP-3p": 2}, variants=variants),
        frames.data(datasets),
        PUBLISHED,
    )


def test_the_question_of_scdp3_is_answered_by_data_start_and_reading():
    variants = [("SCDP-3", "from one cluster", "one"), ("SCDP-1", "explicit", None)]
    table = readings_of(frames.chains(datasets=DIGITS, variants=variants), variants)
    digits = rows_of(table, dataset="usps_digits")
    asked = digits[digits["question"]]
    name = "SCDP-3 (covariance), from singletons"
    row = frames.row_of(asked, system=name, metric="test clusters")
    assert (row["mean"], row["truth"], row["n_chains"], row["start"]) == (6, 5, 2, "singletons")
    assert frames.row_of(asked, system="SCDP-3 (precision)", metric="test clusters")["mean"] == 2.5
    assert frames.row_of(asked, system="SCDP-3 (covariance)", metric="R-hat")["mean"] == 1.8
    gain = frames.row_of(asked, system="SCDP-3 (precision)", metric="F over SCDP-1")
    assert gain["mean"] == pytest.approx(0, abs=0.002)
    assert gain["published"] == pytest.approx(0.756 - 0.666)
    # The reading as a precision has the scores of SCDP-1 here, which are .090, .227 and .059 off.
    far = frames.row_of(asked, system="SCDP-3 (precision)", metric="distance")["mean"]
    assert far == pytest.approx(np.sqrt((0.090**2 + 0.227**2 + 0.059**2) / 3), abs=0.002)
    assert frames.row_of(asked, system="SCDP-3 (covariance)", metric="distance")["mean"] < 0.002
    answer = frames.row_of(asked, metric="distance gap")
    assert answer["summary"] == "covariance" and answer["low"] < answer["mean"] < answer["high"] < 0


def test_other_variants_samples_and_summaries_follow():
    variants = [("SCDP-1", "explicit", None)]
    table = readings_of(frames.chains(datasets=DIGITS, variants=variants), variants)
    other = table[~table["question"].astype(bool) & (table["dataset"] == "usps_digits")]
    names = set(other["system"])
    assert {"SCDP-1", "SCDP-1, explicit", "SCDP-1, best sample", "SCDP-2, last sample"} <= names
    assert {"SCDP-3 (precision), least expected VI", "Xing-K, C=0"} <= names
    assert "K-Means, oracle best F" in names
    assert "SCDP-3 (covariance)" not in names
    best = frames.row_of(other, system="SCDP-1, best sample", metric="F")
    assert best["mean"] == pytest.approx(0.676, abs=0.002) and best["n_chains"] == 4
    assert not table.duplicated(["dataset", "system", "metric"]).any()


def test_the_rhat_that_is_shown_is_the_one_that_is_judged():
    diagnostics = frames.diagnostics(DIGITS)
    clusters = diagnostics["quantity"] == "n_test_clusters"
    diagnostics["rhat"] = diagnostics["rhat"].mask(clusters, 1.3).mask(~clusters, 1.0)
    given = (frames.baselines(datasets=DIGITS), diagnostics, frames.data(DIGITS), PUBLISHED)
    table = tables.readings_table(
        "t", frames.chains(datasets=DIGITS), frames.min_vi(DIGITS), *given
    )
    own = rows_of(table, system="SCDP-3 (covariance)")
    assert frames.row_of(own, metric="R-hat")["mean"] == 1.0 and set(own["note"]) == {""}


def test_the_nearer_reading_is_told_only_where_the_chains_decide():
    same = {("digits", "SCDP-3p", name): PUBLISHED.beside("digits", "SCDP-3", name)
            for name in frames.METRICS}  # fmt: skip
    swapped = same | {("digits", "SCDP-3", name): PUBLISHED.beside("digits", "SCDP-1", name)
                      for name in frames.METRICS}  # fmt: skip
    for changes, expected in ((None, "covariance"), (swapped, "precision"), (same, "undecided")):
        part = rows_of(frames.chains(changes, DIGITS), summary="mean")
        assert tables.nearer_reading(part, PUBLISHED, "digits")[0] == expected
    # If chains disagree, a reading is nearer only if every one of its chains is.
    part = rows_of(frames.chains(None, DIGITS), summary="mean")
    mixed = part.copy()
    first = mixed["system"].eq("SCDP-3p") & mixed["chain"].eq(mixed["chain"].min())
    nearest = {name: PUBLISHED.beside("digits", "SCDP-3", name) for name in frames.METRICS}
    mixed.loc[first, "value"] = mixed.loc[first, "metric"].map(nearest)
    assert tables.nearer_reading(part, PUBLISHED, "digits", apart=True)[0] == "covariance"
    assert tables.nearer_reading(mixed, PUBLISHED, "digits", apart=True)[0] == "undecided"
    alone = part[part["system"] != "SCDP-3p"]
    assert tables.nearer_reading(alone, PUBLISHED, "digits")[0] == ""


def test_times_are_projected_to_ten_thousand_iterations():
    plain = frames.diagnostics().assign(variant="single items")
    table = tables.times_table("scdp_times", plain, PUBLISHED)
    # 5 ms times 1, 1.01, 1.02 and 1.03.
    row = frames.row_of(table, dataset="usps_digits", system="SCDP-1", metric="seconds a chain")
    assert row["mean"] == pytest.approx(50 * 1.015) and row["published"] == 2400
    ratio = frames.row_of(table, dataset="usps_digits", system="SCDP-1", metric="times as fast")
    assert ratio["mean"] == pytest.approx(2400 / 50.75)
    assert ratio["se"] / ratio["mean"] == pytest.approx(row["se"] / row["mean"])
    hours = frames.row_of(table, dataset="gum_names", system="SCDP-3 (covariance)",
                   metric="CPU hours of all chains")  # fmt: skip
    assert hours["mean"] == pytest.approx(50 * 507.5 / 3600)
    cdp = rows_of(table, dataset="usps_digits", system="CDP")
    assert "times as fast" not in set(cdp["metric"]) and cdp["published"].isna().all()


def test_only_times_of_single_items_stand_beside_those_of_the_paper():
    own = frames.diagnostics()
    plain = rows_of(own, system="SCDP-1").assign(variant="single items")
    table = tables.times_table("scdp_times", pd.concat([own, plain]), PUBLISHED)
    assert set(table.loc[table["published"].notna(), "system"]) == {"SCDP-1"}
    assert set(table.loc[table["metric"] == "times as fast", "system"]) == {"SCDP-1"}
    assert "SCDP-2" in set(table["system"])
    other = rows_of(own, system="SCDP-1").assign(variant="explicit")
    found = results.iterations(pd.concat([own, plain, other]))
    assert set(found["quantity"]) == {"seconds_per_iteration"}
    kept = found.groupby("system")["variant"].agg(set)
    assert kept["SCDP-1"] == {"single items"} and kept["SCDP-2"] == {""}


def test_moves_are_compared_with_the_model_itself():
    table = tables.moves_table("scdp_moves", frames.moves(gain=3.0), frames.diagnostics())
    own = rows_of(table, dataset="usps_digits")
    assert list(dict.fromkeys(own["system"])) == [
        "SCDP-1", "SCDP-1, Pitman-Yor", "SCDP-1, split-merge"
    ]  # fmt: skip
    speed = frames.row_of(own, system="SCDP-1", metric="ESS a second, log joint")
    assert speed["mean"] == 10.5 and speed["se"] == pytest.approx(0.5)
    gain = frames.row_of(own, system="SCDP-1, split-merge", metric="gain, F")
    assert gain["mean"] == pytest.approx(3.0) and gain["move"] == "split_merge"
    assert gain["se"] == pytest.approx(3 * np.sqrt(2) * 0.5 / 10.5)
    assert "gain, F" not in set(rows_of(own, system="SCDP-1")["metric"])
    split = rows_of(frames.moves(), variant="split-merge")
    alone = tables.moves_table("scdp_moves", split, frames.diagnostics())
    assert not alone["metric"].str.startswith("gain").any()
    # Chains that began at the truth are left out, and means of chains that disagree are marked.
    from_truth = frames.moves(gain=3.0)
    from_truth.loc[from_truth["chain"] == 1, "start"] = "truth"
    table = tables.moves_table("scdp_moves", from_truth, frames.diagnostics())
    assert table["n_chains"].eq(1).all()
    assert set(rows_of(table, system="SCDP-1")["note"]) == {"not converged"}


def test_data_sets_come_in_the_papers_order_and_those_of_a_role_as_the_scale_has_them():
    scale = ["cora_text", "gum_names", "giles_kim"]
    scale += ["usps_digits", "cora_numbers", "aminer_identity"]
    given = frames.data({name: BOTH[name] for name in scale})
    found = [identity["dataset"] for identity, _rows in results.by_dataset(given, "t")]
    assert found == ["usps_digits", "giles_kim", "aminer_identity", "gum_names", "cora_text",
                     "cora_numbers"]  # fmt: skip
