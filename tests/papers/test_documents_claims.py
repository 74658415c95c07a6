"""The claims of the documents paper, judged on frames whose verdict is known."""

import itertools
import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from document_frames import PUBLISHED, ROLES, STATUS, score_rows, scores_of
from scipy import stats

from reseat.datasets import DatasetIdentity
from reseat.papers.documents import claims as rules
from reseat.papers.documents.claims import CLAIMS
from reseat.papers.documents.evidence import DocumentsEvidence
from reseat.papers.documents.results import METRICS, Published
from reseat.papers.documents.tables import Traces

ALIKE = scores_of([(name, "gibbs", "map", [0.5, 0.5]) for name in STATUS])


def evidence_of(scores=ALIKE, traces=None, switching=None, table7=None, roles=ROLES):
    nothing = pd.DataFrame(columns=["dataset", "status", "system", "metric", "mean", "n_chains"])
    return DocumentsEvidence(
        scores=scores,
        roles=roles,
        identities=[DatasetIdentity(name, name, STATUS[name]) for name in traces or ()],
        traces=list((traces or {}).values()),
        switching=nothing if switching is None else switching,
        table7=nothing if table7 is None else table7,
        published=Published.load(PUBLISHED),
        seed=1,
    )


def gibbs_and_em(gibbs, em, names=STATUS):
    models = [("gibbs", summary, gibbs) for summary in ("marginal", "map", "random")]
    models += [(model, "argmax", em) for model in ("em_laplace", "em_mle")]
    return scores_of([(name, *of) for name in names for of in models])


def own(scores):
    """Return the same numbers as if they were of the paper's own data sets."""
    return scores.assign(status="faithful")


def test_doc1_confirmed_refuted_and_undecided():
    near = [0.50, 0.51, 0.49, 0.50]
    ahead = gibbs_and_em(near, [0.30, 0.31, 0.29, 0.30])
    row = rules.doc1(evidence_of(own(ahead)))
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.2)
    assert 0 < row["low"] < 0.2 < row["high"] and "in 40 of 40 cells" in row["evidence"]
    row = rules.doc1(evidence_of(ahead))
    assert row["verdict"] == "untestable"  # on stand-ins
    assert row["evidence"].startswith("On news, and the stand-ins mulan, reuters and mail: ")
    assert "of the 10 on the paper's own data surely in 10" in row["evidence"]
    behind = gibbs_and_em([0.30, 0.31, 0.29, 0.30], near, ["mulan"])
    row = rules.doc1(evidence_of(pd.concat([ahead[ahead["dataset"] != "mulan"], behind])))
    assert row["verdict"] == "untestable" and row["effect"] == pytest.approx(0.2)
    assert "not surely ahead: mulan F-Measure" in row["evidence"]
    row = rules.doc1(evidence_of(gibbs_and_em([0.30, 0.31, 0.29, 0.30], near)))
    assert row["verdict"] == "refuted" and row["high"] < 0
    row = rules.doc1(evidence_of(gibbs_and_em([0.2, 0.8], [0.1, 0.7])))
    assert row["verdict"] == "untestable" and "not surely ahead: mulan F-Measure" in row["evidence"]
    row = rules.doc1(evidence_of(gibbs_and_em([0.5], [0.3])))
    assert row["verdict"] == "untestable" and math.isnan(row["low"])
    some = gibbs_and_em([0.5, 0.51, 0.49], [0.3, 0.31, 0.29], ["news", "mulan"])
    row = rules.doc1(evidence_of(some))
    assert row["low"] > 0 and row["verdict"] == "untestable"
    assert row["evidence"].endswith("nothing was run for enron.")


def shifted_summaries(shift, chains=8):
    base = np.linspace(0.3, 0.6, chains)
    wobble = 1e-4 * (-1.0) ** np.arange(chains)
    spec = [(name, "gibbs", kind, base) for name in STATUS for kind in ("map", "random")]
    spec += [(name, "gibbs", "marginal", base + shift[name] + wobble) for name in STATUS]
    return scores_of(spec)


def test_doc2_pairs_the_summaries_of_a_chain():
    # Chains differ by .3, summaries of one chain by .002, which only pairing can detect.
    row = rules.doc2(evidence_of(shifted_summaries(dict.fromkeys(STATUS, 0.002))))
    assert row["verdict"] == "confirmed" and row["effect"] == pytest.approx(0.002)
    row = rules.doc2(evidence_of(shifted_summaries(dict.fromkeys(STATUS, 0.05))))
    assert row["verdict"] == "refuted" and row["low"] > 0.04


@pytest.mark.parametrize("alone", STATUS)
def test_doc2_is_not_confirmed_while_a_set_has_one_chain(alone):
    scores = shifted_summaries(dict.fromkeys(STATUS, 0.002))
    scores = scores[(scores["dataset"] != alone) | (scores["chain"] == 0)]
    row = rules.doc2(evidence_of(scores))
    assert row["verdict"] == "untestable" and math.isnan(row["low"]) and math.isnan(row["high"])
    # The other sets are enough to refute the claim.
    scores = shifted_summaries(dict.fromkeys(STATUS, 0.05))
    scores = scores[(scores["dataset"] != alone) | (scores["chain"] == 0)]
    assert rules.doc2(evidence_of(scores))["verdict"] == "refuted"


def test_doc3_counts_wins_outside_enron():
    shift = {"news": 0.01, "mulan": 0.01, "reuters": 0.01, "mail": -0.01}
    assert rules.doc3(evidence_of(shifted_summaries(shift)))["verdict"] == "untestable"
    row = rules.doc3(evidence_of(own(shifted_summaries(shift))))
    assert (row["verdict"], row["effect"]) == ("confirmed", 1.0)
    assert "mail 0 of 5" in row["evidence"] and "news 5 of 5" in row["evidence"]
    row = rules.doc3(evidence_of(own(shifted_summaries({name: -s for name, s in shift.items()}))))
    assert (row["verdict"], row["effect"], row["high"]) == ("refuted", 0.0, 0.0)
    # The claim is that the marginal summary is superior except on Enron.
    row = rules.doc3(evidence_of(own(shifted_summaries(dict.fromkeys(shift, 0.01)))))
    assert (row["verdict"], row["effect"]) == ("refuted", 1.0)
    assert "share of wins on Enron 1.00 (1.00 to 1.00)" in row["evidence"]


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


def test_doc4_counts_an_exchange_and_is_judged_on_the_papers_own_set_as_well():
    both = pd.concat([switching_frame(2, 2), switching_frame(0, 0).assign(dataset="news")])
    assert rules.doc4(evidence_of(switching=both))["verdict"] == "refuted"
    row = on_news("DOC-4", evidence_of(switching=both)).loc["news"]
    assert row["verdict"] == "confirmed" and row["evidence"].startswith("On news: in 1 chain, 10")
    # Another cluster emptied in the chain.
    emptied = switching_frame(2, 2).assign(n_emptied=1)
    row = rules.doc4(evidence_of(switching=emptied))
    assert row["verdict"] == "refuted"
    assert "2 exchange labels in the best one-to-one matching; 1 emptied" in row["evidence"]


@pytest.mark.parametrize("status", ["generated", "own"])
def test_data_that_are_not_in_the_papers_place_decide_nothing(status):
    summaries = shifted_summaries(dict.fromkeys(STATUS, 0.002)).assign(status=status)
    given = evidence_of(summaries, switching=switching_frame(0, 0))
    for rule in (rules.doc2, rules.doc4):
        assert rule(given)["verdict"] == "untestable"


def traces_with_plateau(sweeps, n_sweeps, chains=8):
    rng = np.random.default_rng(9)
    values = rng.normal(0, 1, (chains, n_sweeps))
    values[:, :sweeps] -= 1000
    return Traces(values, values, burn_in=10, seconds=np.ones(chains))


def test_means_over_chains_in_different_modes_are_told():
    scores = own(gibbs_and_em([0.50, 0.51, 0.49], [0.30, 0.31, 0.29]))
    traces = {name: traces_with_plateau(5, 100, chains=3) for name in STATUS}
    usual = rules.doc1(evidence_of(scores, traces))
    assert "different modes" not in usual["evidence"]
    traces["mail"].log_joint[0] += 20
    row = rules.doc1(evidence_of(scores, traces))
    assert "; mean over chains in different modes on mail (R-hat of the " in row["evidence"]
    assert row["verdict"] == usual["verdict"]
    assert "modes" not in rules.doc7(evidence_of(scores, traces))["evidence"]


def test_doc5a_compares_with_twice_the_printed_sweeps():
    sweeps = {"news": (80, 400), "mail": (700, 3000), "mulan": (40, 200), "reuters": (45, 200)}
    good = {name: traces_with_plateau(*of) for name, of in sweeps.items()}
    row = rules.doc5a(evidence_of(own(ALIKE), traces=good))
    assert row["verdict"] == "confirmed" and 0.7 < row["effect"] < 1.1
    late = good | {"news": traces_with_plateau(250, 750)}
    row = rules.doc5a(evidence_of(traces=late))
    assert row["verdict"] == "refuted" and 2.3 < row["low"] <= row["high"] < 2.7
    elsewhere = good | {"mail": traces_with_plateau(2500, 3000)}
    row = rules.doc5a(evidence_of(traces=elsewhere))
    assert row["verdict"] == "untestable" and row["effect"] < 1.1
    assert "the effect is the largest ratio of the two that is judged" in row["evidence"]
    assert "not the paper's data, hence not judged: mulan (200 sweeps)" in row["evidence"]
    short = good | {"mail": traces_with_plateau(20, 300)}
    row = rules.doc5a(evidence_of(own(ALIKE), traces=short))
    assert row["verdict"] == "untestable" and "mail (300 sweeps)" in row["evidence"]


def test_doc5b_compares_the_chains_on_their_plateaus():
    good = {"news": traces_with_plateau(80, 400)}
    for name, n in (("mail", 3000), ("mulan", 300), ("reuters", 300)):
        good[name] = traces_with_plateau(40, n)
    row = rules.doc5b(evidence_of(own(ALIKE), traces=good))
    assert row["verdict"] == "confirmed" and row["effect"] < 1.05
    apart = traces_with_plateau(80, 400)
    apart.log_joint[0] += 20
    row = rules.doc5b(evidence_of(traces=good | {"news": apart}))
    assert row["verdict"] == "refuted" and row["effect"] > 1.2
    # Other data in the paper's place decide nothing.
    assert rules.doc5b(evidence_of(traces=good))["verdict"] == "untestable"
    row = rules.doc5b(evidence_of(traces=good | {"mulan": apart}))
    assert row["verdict"] == "untestable" and row["effect"] < 1.05 and "mulan " in row["evidence"]
    one = traces_with_plateau(80, 400, chains=1)
    assert rules.doc5b(evidence_of(traces={"news": one}))["verdict"] == "untestable"


def fixed_scores(late_slope, noise=0.002, early_gain=0.4):
    rng = np.random.default_rng(4)
    rows = []
    for name, sample in itertools.product(("mulan", "reuters"), range(10, 201, 10)):
        climb = early_gain * min(sample, 100) / 100 + late_slope * max(0, sample - 100) / 100
        rows += score_rows(name, "gibbs", "fixed", climb + rng.normal(0, noise, 8), sample=sample)
    return pd.DataFrame(rows)


def test_doc6_sees_a_plateau_and_a_climb():
    row = rules.doc6(evidence_of(fixed_scores(0.0)))
    assert row["verdict"] == "confirmed" and abs(row["effect"]) < 0.01
    row = rules.doc6(evidence_of(fixed_scores(0.3)))
    assert row["verdict"] == "refuted" and row["effect"] == pytest.approx(0.3, abs=0.01)
    # A score that was flat from the beginning cannot show that it became flat.
    row = rules.doc6(evidence_of(fixed_scores(0.0, early_gain=0.001)))
    assert row["verdict"] == "untestable" and abs(row["effect"]) < 0.01
    assert rules.doc6(evidence_of(fixed_scores(0.0, noise=0.8)))["verdict"] == "untestable"
    early = fixed_scores(0.0)
    row = rules.doc6(evidence_of(early[early["sample"] <= 100]))
    assert row["verdict"] == "untestable" and "too few samples" in row["evidence"]


def table7_of(system, means, status="faithful", se=0.01):
    of = {"dataset": "news", "status": status, "system": system, "se": se, "n_chains": 10}
    return pd.DataFrame([of | {"metric": name, "mean": mean} for name, mean in means.items()])


def test_doc7_reads_the_share_of_the_seven_largest():
    shape = {"share of the 7 largest": 0.9, "exp H(K)": 6.5, "clusters covering 90 %": 7.0}
    row = rules.doc7(evidence_of(table7=table7_of("shape", shape)))
    half = stats.t.ppf(0.975, 9) * 0.01
    assert row["verdict"] == "confirmed" and row["low"] == pytest.approx(0.9 - half)
    less = table7_of("shape", shape | {"share of the 7 largest": 0.6})
    assert rules.doc7(evidence_of(table7=less))["verdict"] == "refuted"
    row = rules.doc7(evidence_of(table7=table7_of("shape", shape, "generated")))
    assert row["verdict"] == "untestable" and row["effect"] == 0.9


def test_doc8_needs_both_classes_even_and_present():
    even = {"misc.forsale": 0.46, "sci.electronics": 0.47}
    assert rules.doc8(evidence_of(table7=table7_of("split", even)))["verdict"] == "confirmed"
    row = rules.doc8(evidence_of(table7=table7_of("split", even | {"sci.electronics": 0.2})))
    assert (row["verdict"], row["effect"]) == ("refuted", 0.2)
    row = rules.doc8(evidence_of())
    assert row["verdict"] == "untestable" and "missing" in row["evidence"]


@pytest.mark.parametrize(("on_enron", "verdict"), [(1, "refuted"), (-1, "confirmed")])
def test_doc3_as_printed_needs_its_exception(on_enron, verdict):
    """The marginal summary wins outside Enron; the claim is that it does not on Enron."""
    signs = dict.fromkeys(ROLES, 1) | {"enron": on_enron}
    summaries = {
        role: {
            (name, metric.name): metric.better * sign * (name == "Marginal")
            for name in ("Marginal", "MAP")
            for metric in METRICS
        }
        for role, sign in signs.items()
    }
    assert rules.doc3_printed(SimpleNamespace(summaries=summaries))["verdict"] == verdict


def on_news(claim, evidence):
    """Return the rows of a claim on single data sets, by their readings."""
    table = CLAIMS.judge(evidence)
    rows = table[table["claim"].str.startswith(f"{claim} (on ")].copy()
    rows["reading"] = rows["claim"].str.extract(r"\(on (.*?)\): ", expand=False)
    return rows.set_index("reading")


def test_the_set_that_is_the_papers_own_is_judged_by_itself():
    near = [0.50, 0.51, 0.49, 0.50]
    rows = on_news("DOC-1", evidence_of(gibbs_and_em(near, [0.30, 0.31, 0.29, 0.30])))
    against = ("", ", against EM (add-one smoothing)", ", against EM (no smoothing)")
    assert list(rows.index) == [f"news{words}" for words in against]
    assert set(rows["verdict"]) == {"confirmed"} and rows["effect"].iloc[0] == pytest.approx(0.2)
    behind = on_news("DOC-1", evidence_of(gibbs_and_em([0.30, 0.31, 0.29, 0.30], near)))
    assert set(behind["verdict"]) == {"refuted"}
    shift = {"news": 0.01, "mulan": -0.01, "reuters": -0.01, "mail": 0.01}
    row = on_news("DOC-3", evidence_of(shifted_summaries(shift))).loc["news"]
    assert (row["verdict"], row["effect"]) == ("confirmed", 1.0)
    assert "beats MAP on F-Measure, VI" in row["evidence"]


def test_plateaus_and_flat_scores_are_judged_on_the_papers_own_set():
    traces = {"news": traces_with_plateau(80, 400), "mulan": traces_with_plateau(300, 400)}
    row = on_news("DOC-5a", evidence_of(traces=traces)).loc["news"]
    assert row["verdict"] == "confirmed" and row["effect"] < 1
    mulan = fixed_scores(0.3)
    news = fixed_scores(0.0).replace({"dataset": {"mulan": "news"}})
    both = pd.concat([mulan, news[news["dataset"] == "news"].assign(status="faithful")])
    rows = on_news("DOC-6", evidence_of(both))
    assert list(rows.index) == ["news"] and rows.loc["news", "verdict"] == "confirmed"
    assert rules.doc6(evidence_of(both))["verdict"] == "refuted"
