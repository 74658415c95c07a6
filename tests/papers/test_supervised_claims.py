"""The claims of the supervised paper, judged on frames whose verdict is known."""

import itertools
import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import supervised_frames as frames

from reseat.papers.supervised import claims, formulas
from reseat.papers.supervised.claims import CLAIMS
from reseat.papers.supervised.evidence import Lead
from reseat.papers.supervised.results import ROLES
from reseat.papers.tables import rows_of
from reseat.vocabulary import CLAIM_COLUMNS

#: Names of the ways in which claims are judged again on our numbers.
READINGS = ("SCDP-3", *ROLES)

FAITHFUL = frames.with_status("faithful")


def evidence_of(*changes, **options):
    """Return the evidence of the frames, as if they were of the paper's own data sets."""
    return frames.evidence(*changes, **{"datasets": FAITHFUL, **options})


def printed_claims(published):
    """Return the claims judged on these printed numbers alone."""
    scores = pd.DataFrame({name: [] for name in ("system", "variant", "start")})
    nothing_else = {"scores": scores, "datasets_for": lambda _role: (), "on_draws": tuple}
    return CLAIMS.judge_again(SimpleNamespace(published=published, **nothing_else), "printed")


def keys_of(rows):
    return rows["claim"].str.split(":").str[0]


def verdicts_of(rows):
    return rows.set_index(keys_of(rows))["verdict"].to_dict()


@pytest.fixture(scope="module")
def usual():
    """Return evidence with the scores that the paper prints."""
    return evidence_of()


@pytest.fixture(scope="module")
def agreed(usual):
    """Return the same with chains that agree; those of the frames have an R-hat of 1.8."""
    return replace(usual, diagnostics=usual.diagnostics.assign(rhat=1.0))


@pytest.fixture(scope="module")
def mixing(usual):
    """Return the same, to be judged by the chains whose moves mix."""
    return replace(usual, variant="")


@pytest.fixture(scope="module")
def stand_ins():
    """Return evidence of which half is of stand-ins."""
    return frames.evidence()


@pytest.fixture(scope="module")
def nothing(usual):
    parts = ("scores", "diagnostics", "data", "growth")
    return replace(usual, **{name: getattr(usual, name).iloc[:0] for name in parts})


def test_a_lead_has_the_sign_of_its_metric_and_an_interval_over_chains(agreed):
    evidence = agreed
    within = evidence.interval(Lead("digits", "SCDP-1", "SCDP-1", "P", "R"), 0.95)
    parts = [evidence.values("digits", "SCDP-1", metric)[0] for metric in ("P", "R")]
    assert within[0] == pytest.approx((parts[0] - parts[1]).mean())
    vi = evidence.interval(Lead("digits", "SCDP-3", "SCDP-2", "VI"), 0.95)
    assert vi[0] == pytest.approx(1.118 - 0.791, abs=0.002) and 0 < vi[1] < vi[0] < vi[2]
    fixed = evidence.interval(Lead("digits", "Xing-K", "K-Means", "F"), 0.95)
    assert fixed == pytest.approx((0.053,) * 3)
    mixed = evidence.interval(Lead("digits", "SCDP-1", "Binary", "F"), 0.95)
    values, sampled = evidence.values("digits", "SCDP-1", "F")
    assert sampled and len(values) == 4
    half = 3.182 * values.std(ddof=1) / 2
    assert mixed[2] - mixed[0] == pytest.approx(half, rel=1e-3)


def test_k_means_and_xing_are_compared_repetition_by_repetition(agreed):
    scores = agreed.scores
    on_digits = rows_of(scores, dataset="usps_digits", metric="F")
    rest = scores.drop(on_digits.index[on_digits["system"].isin(["K-Means", "Xing-K"])])

    def lead(ahead):
        runs = [
            rows_of(on_digits, system=system).assign(chain=chain, value=value, sampled=True)
            for system, ahead_by in (("K-Means", [0.0] * 3), ("Xing-K", ahead))
            for chain, value in enumerate(np.add([0.4, 0.5, 0.6], ahead_by))
        ]
        evidence = replace(agreed, scores=pd.concat([rest, *runs], ignore_index=True))
        return evidence.interval(Lead("digits", "Xing-K", "K-Means", "F"), 0.95), evidence

    # One partition in every repetition is a tie, and a tie is not a lead.
    interval, evidence = lead([0.0] * 3)
    assert interval == (0.0,) * 3
    assert "1 not positive" in claims.sc3a(evidence)["evidence"]
    # The repetitions differ by .1, but the leads in them by .01.
    assert lead([0.03, 0.04, 0.05])[0][1] > 0.01


def test_the_interval_of_chains_that_should_mix_and_disagree_holds_each_of_them(
    mixing, agreed, usual
):
    lead = Lead("digits", "SCDP-3", "SCDP-2", "VI")
    first, second = (mixing.values("digits", system, "VI")[0] for system in ("SCDP-3", "SCDP-2"))
    assert len(first) == len(second) == 2  # from singletons, a start that both have
    ends = (second.min() - first.max(), second.max() - first.min())
    narrow = mixing.interval(lead, 0.1)
    assert narrow[0] == pytest.approx(second.mean() - first.mean())
    assert narrow[1:] == pytest.approx(ends)
    settled = replace(agreed, variant="")
    assert settled.interval(lead, 0.1)[1] > ends[0]
    assert mixing.interval(lead, 0.9999) == settled.interval(lead, 0.9999)
    found = mixing.interval(Lead("digits", "SCDP-1", "SCDP-1", "P", "R"), 0.1)
    parts = [mixing.values("digits", "SCDP-1", metric)[0] for metric in ("P", "R")]
    assert found[1:] == pytest.approx(((parts[0] - parts[1]).min(), (parts[0] - parts[1]).max()))
    counted, truth = mixing.clusters("digits", "CDP", 0.1)
    assert (counted, truth) == ((6.5, 6, 7), 5)
    # Chains of the paper's sweeps are averaged over modes.
    assert len(usual.values("digits", "SCDP-3", "VI")[0]) == 4
    assert usual.interval(lead, 0.2) == agreed.interval(lead, 0.2)
    assert usual.clusters("digits", "CDP", 0.2) == agreed.clusters("digits", "CDP", 0.2)


def test_every_claim_is_judged_once_and_by_itself_on_each_of_the_papers_own_sets():
    sets = {name: of for name, of in frames.DATASETS.items() if name != "cora_numbers"}
    sets["cora_text"] = frames.MORE["cora_text"]
    rows = CLAIMS.judge(frames.evidence({("refmatch", "SCDP-2", "F"): 0.3}, sets))
    check_rows(rows)
    on = verdicts_of(rows)
    assert (on["SC-1a (on usps_digits)"], on["SC-1a (on cora_text)"]) == ("confirmed", "refuted")
    assert on["SC-3a (on usps_digits)"] == on["SC-16a (on cora_text)"] == "confirmed"
    assert on["SC-15 (on cora_text)"] == on["SC-16c (on usps_digits)"] == "confirmed"
    assert not any("aminer_identity" in key or "gum_names" in key for key in on)


def check_rows(rows):
    """Check that every claim has its row, of which those on single data sets are further ones."""
    assert list(rows.columns) == list(CLAIM_COLUMNS)
    assert [key for key in keys_of(rows) if "(" not in key] == list(CLAIMS.claims)
    whole = ~keys_of(rows).str.contains("(on ", regex=False)
    assert whole.sum() == len(CLAIMS.claims) + 2 and keys_of(rows).is_unique
    assert rows["evidence"].str.endswith(".").all()


def test_one_chain_has_no_interval():
    alone = evidence_of(n_chains=1)
    row = claims.sc1a(replace(alone, diagnostics=alone.diagnostics.assign(rhat=np.nan)))
    assert row["verdict"] == "untestable" and math.isnan(row["low"]) and row["effect"] > 0
    # Baselines have no chains, so they need no interval.
    assert claims.sc3b(alone)["verdict"] == "confirmed"


@pytest.mark.parametrize("rule", [claims.sc7, claims.sc9a])
def test_a_stand_in_does_not_decide_what_is_said_of_one_set(rule, usual, stand_ins):
    assert rule(usual)["verdict"] == "confirmed"
    row = rule(stand_ins)
    assert row["verdict"] == "untestable" and row["effect"] > 0
    assert "in the place of the paper's decide nothing by themselves" in row["evidence"]


@pytest.mark.parametrize("rule", [claims.sc9c, claims.sc14b])
def test_printed_numbers_refute_what_they_contradict_if_the_data_are_lost(rule, stand_ins):
    row = rule(stand_ins)
    assert row["verdict"] == "refuted" and math.isnan(row["low"]) and row["effect"] < 0
    assert row["evidence"].startswith("The paper's own numbers contradict it. Table")
    assert "decide nothing by themselves" in row["evidence"]
    # They do so once, and not in further readings.
    for other in ({"variant": ""}, {"chosen": {"coref": "gum_names"}}):
        assert rule(replace(stand_ins, **other))["verdict"] == "untestable"


def test_a_tie_does_not_beat_name_match():
    number = frames.value("identity", "NameMatch", "F", None)
    row = claims.sc7(evidence_of({("identity", "Fine", "F"): number}))
    assert (row["verdict"], row["effect"]) == ("confirmed", 0.0)
    assert "of 5 leads 5 not negative" in row["evidence"]


def test_of_four_sets_only_the_papers_own_refute_and_others_confirm_beside_them(stand_ins):
    assert claims.sc2(stand_ins)["verdict"] == "confirmed"
    replaced = frames.evidence(datasets=frames.with_status("stand-in"))
    assert claims.sc2(replaced)["verdict"] == "untestable"
    elsewhere = claims.sc2(frames.evidence({("identity", "CDP", "F"): 0.55}))
    assert elsewhere["verdict"] == "untestable" and "1 not positive" in elsewhere["evidence"]
    row = claims.sc2(frames.evidence({("digits", "CDP", "F"): 0.7}))
    assert row["verdict"] == "refuted" and row["effect"] < 0


def test_chains_whose_starts_disagree_are_named(usual, agreed, mixing):
    for rule, of in itertools.product((claims.sc1a, claims.sc5), ("", "single items")):
        evidence = rule(replace(agreed, variant=of))["evidence"]
        assert "not converged" not in evidence and "modes" not in evidence
    named = "SCDP-2 on references and SCDP-3 (covariance) on references"
    assert claims.sc10a(mixing)["evidence"].endswith(
        f"; not converged: {named}, whose leads count only if every chain has them."
    )
    modes = "mean over chains in different modes"
    assert claims.sc10a(usual)["evidence"].endswith(f"; {modes}: {named}.")
    assert claims.sc5(usual)["evidence"].endswith(f"; {modes}: CDP on digits.")
    printed = printed_claims(frames.PUBLISHED)
    assert not printed["evidence"].str.contains("not converged").any()


@pytest.mark.parametrize(
    "rule, effect",
    [
        *((claims.sc1a, 0.009), (claims.sc1b, 0.070), (claims.sc2, 0.013)),
        *((claims.sc3a, 0.053), (claims.sc3b, 0.035), (claims.sc4a, 0.009)),
        *((claims.sc4b, 0.011), (claims.sc6, 0.005), (claims.sc7, 0.227)),
        *((claims.sc8b, 0.056), (claims.sc9a, 0.055), (claims.sc9b, 0.035)),
        *((claims.sc10a, 0.032), (claims.sc10b, 0.034)),
    ],
)
def test_what_is_as_the_paper_prints_it_is_confirmed(rule, effect, usual):
    row = rule(usual)
    assert row["verdict"] == "confirmed", row["evidence"]
    assert row["effect"] == pytest.approx(effect, abs=0.002)
    assert row["low"] <= row["effect"] <= row["high"]


@pytest.mark.parametrize(
    "rule, change",
    [
        (claims.sc1a, ("coref", "SCDP-2", "F", 0.40)),
        (claims.sc1b, ("refmatch", "SCDP-3", "F", 0.60)),
        (claims.sc2, ("identity", "CDP", "F", 0.55)),
        # A tie is no lead.
        (claims.sc3a, ("digits", "Xing-K", "F", 0.555)),
        (claims.sc3b, ("refmatch", "Xing-K", "F", 0.433)),
        (claims.sc4a, ("digits", "Binary", "NES", 0.60)),
        (claims.sc4b, ("digits", "Xing-K", "VI", 1.30)),
        (claims.sc6, ("identity", "K-Means", "RI", 0.95)),
        (claims.sc7, ("identity", "Xing-K", "F", 0.75)),
        (claims.sc8a, ("identity", "SCDP-1", "F", 0.85)),
        (claims.sc8b, ("identity", "SCDP-1", "CED", 0.45)),
        (claims.sc9a, ("coref", "SCDP-3", "F", 0.95)),
        (claims.sc9b, ("coref", "Binary", "F", 0.95)),
        (claims.sc10a, ("refmatch", "Binary", "F", 0.75)),
        (claims.sc10b, ("refmatch", "SCDP-3", "NVI", 0.90)),
    ],
)
def test_what_is_otherwise_is_refuted(rule, change):
    *key, number = change
    row = rule(evidence_of({tuple(key): number}))
    assert row["verdict"] == "refuted", row["evidence"]
    called = "1 negative" if rule is claims.sc7 else "not positive"
    assert row["effect"] <= 1e-9 and called in row["evidence"]


@pytest.mark.parametrize(
    "rule, change",
    [
        (claims.sc9c, {("coref", "Binary", "NES"): 0.9, ("coref", "Binary", "RI"): 0.9,
                             ("coref", "SCDP-3", "RI"): 0.9, ("coref", "SCDP-2", "RI"): 0.9}),
        (claims.sc11, {("refmatch", "Binary", "NES"): 0.8}),
        (claims.sc12, {("refmatch", "Xing-K", "NES"): 0.3,
                             ("refmatch", "Xing-K", "NVI"): 0.6}),
        (claims.sc13, {(role, system, "R"): 0.3 for role in ROLES
                             for system in ("SCDP-1", "SCDP-2", "SCDP-3")}),
        (claims.sc14a, {(role, "Xing-K", "F"): 0.9 for role in ROLES}),
        (claims.sc14b, {("identity", "NameMatch", "F"): 0.1,
                              ("coref", "SameHead", "F"): 0.1}),
    ],
)  # fmt: skip
def test_what_the_paper_says_against_its_own_numbers_can_be_confirmed(rule, change, usual):
    assert rule(usual)["verdict"] == "refuted"
    row = rule(evidence_of(change))
    assert row["verdict"] == "confirmed", row["evidence"]


def test_evidence_names_the_data_the_chains_and_the_smallest_leads(usual, stand_ins):
    row = claims.sc1a(stand_ins)
    assert "On USPS digits and Cora references (as the numbers say), and the" in row["evidence"]
    assert "stand-ins AMiner authors and GUM names, 4 runs a system: of 4 leads" in row["evidence"]
    assert "SCDP-2 over SCDP-1 in F on digits +0.0" in row["evidence"]
    assert "each system once" in claims.sc3a(usual)["evidence"]
    assert "two distinct settings" in claims.sc3a(usual)["evidence"]
    assert "42 positive" in claims.sc4a(usual)["evidence"]


def test_a_claim_about_four_sets_is_not_confirmed_on_three(nothing):
    three = {name: of for name, of in frames.DATASETS.items() if name != "gum_names"}
    row = claims.sc1a(evidence_of(datasets=three))
    assert row["verdict"] == "untestable"
    assert row["evidence"].endswith("nothing was run for SCDP-2 or SCDP-1 on proper nouns.")
    # One set on which it fails is enough to refute the claim.
    worse = evidence_of({("digits", "SCDP-2", "F"): 0.5}, datasets=three)
    assert claims.sc1a(worse)["verdict"] == "refuted"


def test_leads_within_the_noise_are_undecided(usual):
    scores = frames.chains({("digits", "SCDP-2", "F"): 0.666}, noise=0.02)
    sampled = rows_of(scores, summary="mean").assign(sampled=True, variant="single items")
    both = [rows_of(usual.scores, sampled=False), sampled[usual.scores.columns]]
    row = claims.sc1a(replace(usual, scores=pd.concat(both)))
    assert row["verdict"] == "untestable" and "undecided" in row["evidence"]


def test_clusters_of_cdp_are_counted_against_the_truth(nothing):
    far = claims.sc5(evidence_of(clusters={"CDP": 24}))
    assert far["verdict"] == "confirmed" and far["effect"] == pytest.approx(24.5 / 5)
    assert claims.sc5(evidence_of(clusters={"CDP": 5}))["verdict"] == "refuted"
    close = claims.sc5(evidence_of(clusters={"CDP": 9.5}))
    assert close["verdict"] == "untestable"  # 9.5 and 10.5 clusters for five digits
    assert claims.sc5(nothing)["verdict"] == "untestable"


def test_an_iteration_of_scdp3_takes_about_ten_times_as_long_or_not(usual):
    row = claims.sc15(usual)
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(10, rel=0.01)
    # A quicker iteration may be due to what ours leaves out, so that the printed times decide.
    evidence = evidence_of(seconds={"SCDP-3": 0.01})
    quick = claims.sc15(evidence)
    assert quick["verdict"] == "refuted" and quick["effect"] == pytest.approx(7 / 3)
    assert "researchers 3.0, proper nouns 2.3" in quick["evidence"]
    assert "a smaller ratio decides nothing" in quick["evidence"]
    assert claims.sc15(replace(evidence, variant=""))["verdict"] == "untestable"
    slow = evidence_of(seconds={"SCDP-3": 0.5})
    assert claims.sc15(slow)["verdict"] == "refuted"
    # Times that scatter decide nothing, and are not shown as the effect if others decide.
    found = slow.diagnostics.copy()
    timed = found["quantity"].eq("seconds_per_iteration") & found["system"].eq("SCDP-3")
    scattered = timed & found["dataset"].eq(found["dataset"].iloc[0])
    found.loc[scattered, "value"] = [1e-5, 10] * (scattered.sum() // 2)
    row = claims.sc15(replace(slow, diagnostics=found))
    assert row["verdict"] == "refuted" and row["low"] > 20
    found.loc[timed, "value"] = [1e-5, 10] * (timed.sum() // 2)
    row = claims.sc15(replace(slow, diagnostics=found, variant=""))
    assert row["verdict"] == "untestable" and row["low"] < 5 < 20 < row["high"]
    row = claims.sc15(replace(usual, scdp3="SCDP-3p"))
    assert row["effect"] == pytest.approx(8, rel=0.01) and "SCDP-3 (precision)" in row["evidence"]


def test_scdp2_takes_about_as_long_as_scdp1_or_not(usual):
    row = claims.sc22(usual)
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(1.2, rel=0.01)
    for seconds in (0.001, 0.05):
        assert claims.sc22(evidence_of(seconds={"SCDP-2": seconds}))["verdict"] == "refuted"


def test_iterations_of_different_sweeps_are_not_compared(usual):
    own = rows_of(usual.diagnostics, variant="")
    plain = rows_of(own, system="SCDP-1").assign(variant="single items")
    plain["value"] /= 10
    # Both ran with the moves of the model as reported, but only one with single items.
    row = claims.sc15(replace(usual, diagnostics=pd.concat([own, plain])))
    assert row["effect"] == pytest.approx(10, rel=0.01)
    assert "models as reported on digits, researchers, proper nouns and ref" in row["evidence"]
    both = replace(usual, diagnostics=own.assign(variant="single items"))
    assert "as reported" not in claims.sc15(both)["evidence"]
    apart = pd.concat([own[own["system"] != "SCDP-1"], plain])
    row = claims.sc15(replace(usual, diagnostics=apart, variant=""))
    assert row["verdict"] == "untestable" and math.isnan(row["effect"])


def test_curves_fit_or_do_not(usual):
    for rule, effect in (
        *((claims.sc16a, 0.02 / 1.02), (claims.sc16b, 0.3 / 1.3), (claims.sc16c_overlap, 1.0)),
        (claims.sc16c, 1.5),  # 0.3 sqrt(n) apart, with a standard deviation of 0.2 sqrt(n)
    ):
        row = rule(usual)
        assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(effect)
    # Both processes have the same curve here, until that of one is the data's.
    row = claims.sc23(usual)
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(1.0)
    growth = usual.growth.assign(pyp_mean=usual.growth["empirical_mean"])
    assert claims.sc23(replace(usual, growth=growth))["verdict"] == "confirmed"
    apart = evidence_of(misfit={"coref": 0.5})
    assert claims.sc16a(apart)["verdict"] == "confirmed"  # on two of the three
    assert claims.sc16a(evidence_of(misfit={"coref": 0.5, "identity": 0.5}))["verdict"] == "refuted"
    assert claims.sc16b(apart)["verdict"] == claims.sc16c(apart)["verdict"] == "refuted"


def test_curves_of_other_data_decide_nothing_and_are_not_the_effect(usual):
    growth, scores = usual.growth.copy(), usual.scores.copy()
    growth.loc[growth["role"].isin(["coref", "identity"]), "empirical_mean"] *= 3
    row = claims.sc16a(replace(usual, growth=growth))
    assert row["verdict"] == "refuted" and row["effect"] > 0.3
    scores.loc[scores["role"] == "coref", "status"] = "stand-in"
    row = claims.sc16a(replace(usual, growth=growth, scores=scores))
    assert row["verdict"] == "untestable"
    assert "other data in the place of the paper's decide nothing" in row["evidence"]


def test_averages_over_few_documents_are_left_out(usual):
    evidence = replace(usual, growth=usual.growth.copy())
    tail = evidence.growth["n"] > 40
    coref = evidence.growth["role"] == "coref"
    evidence.growth.loc[coref, "n_groups"] = 30
    evidence.growth.loc[coref & tail, ["n_groups", "empirical_mean"]] = (2, 1.0)
    assert claims.sc16c(evidence)["verdict"] == "confirmed"
    evidence.growth.loc[coref & tail, "n_groups"] = 5
    assert claims.sc16c(evidence)["verdict"] == "refuted"


def test_test_items_change_the_types_of_the_algorithm_as_printed(monkeypatch, usual, nothing):
    # (1 + 3/2)/(1 + .07) = 2.336; with two test items (1 + 5/2)/(1 + 1.695) = 1.299.
    row = claims.sc17(usual)
    assert row["verdict"] == "refuted"
    assert row["effect"] == pytest.approx((3.5 / 2.695) / (2.5 / 1.07) - 1)
    assert "test items are 40 % on digits" in row["evidence"]
    assert claims.sc17(nothing)["verdict"] == "refuted"
    monkeypatch.setattr(claims, "TEST_SQUARES", ())
    assert claims.sc17(nothing)["verdict"] == "confirmed"


def test_without_results_only_formulas_and_what_is_printed_are_judged(nothing):
    rows = CLAIMS.judge(nothing)
    check_rows(rows)
    assert (rows["verdict"] == "untestable").sum() == len(rows) - 8
    assert len(CLAIMS.judge_again(nothing, *READINGS)) == 0


def test_printed_formulas_are_wrong_and_what_they_should_be_is_right():
    for rule in formulas.CANDIDATES:
        assert formulas.seating_error(formulas.neal_candidates, rule)[0] < 1e-12
        wrong, reached, exact = formulas.seating_error(formulas.printed_candidates, rule)
        assert wrong > 1e-4 and reached > exact
    assert formulas.concentration_error(0)[0] < 1e-6
    distance, mean, exact = formulas.concentration_error(1)
    assert distance > 0.01 and mean < 0.98 * exact
    given = {"fixed": 1.88, "precision": 1.68, "covariance": 2.03}
    assert {law: round(formulas.expected_clusters(law), 2) for law in given} == given


def test_other_readings_and_other_data_are_judged_where_they_ran():
    both = frames.DATASETS | frames.MORE
    evidence = evidence_of({("refmatch", "SCDP-3p", "F"): 0.1}, datasets=both)
    rows = CLAIMS.judge_again(evidence, *READINGS)
    verdicts = verdicts_of(rows)
    # The other reading has the scores of SCDP-1 here, and is no better than SCDP-2.
    assert verdicts["SC-1b (SCDP-3 precision)"] == "refuted"
    assert verdicts["SC-7 (Giles-Kim authors)"] == "untestable"  # which is a stand-in
    assert verdicts["SC-11 (Cora references (as the text says))"] == "refuted"
    assert len(rows) == 13 + 4 + 4
    assert rows["claim"].is_unique
    of_giles = rows[keys_of(rows).str.contains("Giles")]["evidence"]
    assert of_giles.str.contains("stand-in Giles-Kim authors").all()


def test_claims_about_digits_are_judged_draw_by_draw(usual):
    once = rows_of(usual.scores, dataset="usps_digits")
    once = once.drop_duplicates(["system", "metric"]).assign(chosen=True)
    # Draws differ by far more than systems do on any of them.
    draws = [
        once.assign(draw=draw, value=once["value"] + 0.5 * draw + noise)
        for draw, noise in enumerate(np.outer([-1, 0, 1], 1e-5 * (np.arange(len(once)) % 7)))
    ]
    drawn = replace(usual, draws=pd.concat(draws, ignore_index=True))
    rows = CLAIMS.judge_again(drawn, "draws")
    keys = (f"SC-{key} (USPS digits, 3 draws)" for key in ("4a", "4b"))
    assert verdicts_of(rows) == dict.fromkeys(keys, "confirmed")
    assert rows["evidence"].str.startswith("On USPS digits, 3 runs a system").all()
    assert len(CLAIMS.judge_again(usual, "draws")) == 0


def test_a_printed_number_that_changes_changes_the_verdict():
    tables = frames.PUBLISHED.tables | {("digits", "SCDP-2", "F"): 0.6}
    changed = replace(frames.PUBLISHED, tables=tables)
    assert verdicts_of(printed_claims(changed))["SC-1a (as printed)"] == "refuted"
    assert np.isclose(printed_claims(changed)["effect"].iloc[0], -0.066)
