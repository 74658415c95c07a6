"""Which numbers agree with the published ones, how they are counted, and how they are shown."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from site_inputs import CLAIMS, tidy_rows

from reseat.errors import DataError
from reseat.papers.catalogue import CATALOGUE
from reseat.papers.claims import Claims, exact, untested
from reseat.papers.declare import Comparison
from reseat.report import views
from reseat.report.comparison import claim_views, compare, size_of, tally, verdict_counts
from reseat.report.views import comparison_views, pairs_views
from reseat.vocabulary import AS_PRINTED


def artefact(**spec):
    """Return a table of the paper with some rules of comparison."""
    return dataclasses.replace(CATALOGUE.artefacts["docs_table2"], compare=Comparison(**spec))


def one(mean, published, se=0.01, spec=None, **more):
    """Return the comparison of a single number."""
    table = tidy_rows("t", "news", "faithful", ("Gibbs",)).iloc[:1]
    table = table.assign(mean=mean, published=published, se=se, **more)
    return compare(artefact(**(spec or {})), table).iloc[0]


@pytest.mark.parametrize(
    ("mean", "published", "se", "verdict", "mark"),
    [
        (0.25, 0.2510, 0.01, "agree", "same"),  # within the error
        (0.25, 0.2924, 0.01, "agree", "same"),  # 2.998 errors of the difference
        (0.25, 0.2925, 0.01, "differ", "near"),  # 3.005
        (0.25, 0.3914, 0.01, "differ", "near"),  # 9.998
        (0.25, 0.3915, 0.01, "differ", "far"),  # 10.006
        (0.2514, 0.251, 1e-9, "agree", "same"),  # the same to three decimals
        (0.2516, 0.251, np.nan, "differ", "far"),  # exact, and not the same
        (10.4, 10.0, np.nan, "agree", "same"),
        (10.6, 10.0, 0.0, "differ", "far"),
        (-0.2, 0.0, np.nan, "agree", "same"),  # 0 to the printed digits, which have no sign
        (0.2, -0.0, np.nan, "agree", "same"),
    ],
)
def test_a_number_agrees_within_its_error_or_to_the_printed_digits(
    mean, published, se, verdict, mark
):
    cell = one(mean, published, se)
    assert cell["verdict"] == verdict and size_of(cell) == mark and cell["why"] == ""


def test_the_error_of_the_difference_is_the_tables_own_if_it_has_one():
    assert one(1.0, 2.0, combined=0.5)["errors_apart"] == -2.0
    assert one(1.0, 2.0, z=-4.0)["combined_error"] == 0.25
    assert one(1.0, 2.0, 0.5)["combined_error"] == pytest.approx(np.sqrt(0.5))


def test_the_rule_of_a_table_decides_and_numbers_outside_it_do_not_count():
    assert one(1.0, 9.0, agrees=True)["verdict"] == "agree"
    cell = one(1.0, 1.0, agrees=False)
    assert cell["verdict"] == "differ" and size_of(cell) == "near"
    assert one(1.0, 1.0, agrees=np.nan)["why"] == "no part in the rule of the table"


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"status": "stand-in", "comparable": False}, "other data in the paper's place"),
        ({"status": "generated", "comparable": False}, "generated data"),
        ({"mean": np.nan}, "not run"),
        ({"metric": "seconds"}, "a time, on another machine"),
        (
            {"metric": "n", "exponent": 2.0, "spec": {"pairs": {"exponent": "published"}}},
            "a time, on another machine",
        ),
        ({"metric": "seconds", "spec": {"not_comparable": "a bound"}}, "a bound"),
        ({"obstacle": "of other items"}, "of other items"),
        ({"spec": {"without_error": "one run"}, "se": np.nan}, "one run"),
    ],
)
def test_what_cannot_be_compared_says_why(changes, why):
    cell = one(**({"mean": 0.25, "published": 0.251} | changes))
    assert cell["verdict"] == "not comparable" and cell["why"] == why and size_of(cell) == ""


@pytest.mark.parametrize("name", ["rhat", "rhat_max"])
def test_a_posterior_mean_whose_chains_disagree_neither_agrees_nor_differs(name):
    for mean, verdict in ((0.251, "agree"), (0.5, "differ")):
        cell = one(mean, 0.251, **{name: 1.05})
        assert cell["verdict"] == verdict and cell["why"] == ""
        cell = one(mean, 0.251, **{name: 1.0601})
        assert cell["verdict"] == "not converged" and size_of(cell) == ""
        assert cell["why"] == "R-hat 1.07"
    cell = one(0.5, 0.251, status="stand-in", comparable=False, **{name: 2.0})
    assert cell["verdict"] == "not comparable" and "data" in cell["why"]
    table = pd.DataFrame([{"dataset": "a", "metric": "ARI", "mean": 0.5, "published": 0.251}])
    table = table.assign(system="DP", se=0.01, status="faithful", **{name: 1.2})
    assert tally(compare(artefact(), table)) == counts(**{"not converged": 1})


def test_a_table_can_note_that_chains_disagree():
    note = "not converged: chains in different places"
    cell = one(0.251, 0.251, note=note)
    assert cell["verdict"] == "not converged" and cell["why"] == note
    assert one(0.251, 0.251, note="")["verdict"] == "agree"
    assert one(0.251, 0.251, note=np.nan)["verdict"] == "agree"


def counts(**some):
    return dict.fromkeys(("agree", "differ", "not converged", "not comparable"), 0) | some


def test_a_published_number_counts_once():
    news = tidy_rows("t", "news", "faithful", ("DP", "DP, sampled"))
    other = tidy_rows("t", "mail", "stand-in", ("DP",))
    table = pd.concat([other, news], ignore_index=True)
    cells = compare(artefact(uncounted=["sampled"]), table)
    assert len(cells) == 6
    counted = cells[cells["counted"]]
    assert set(counted["dataset"]) == {"news"} and set(counted["system"]) == {"DP"}
    assert tally(cells) == counts(agree=1, differ=1)
    metric = counted["metric"].iloc[0]
    others = compare(artefact(uncounted=["sampled", metric]), table)
    assert set(others.loc[others["counted"], "metric"]) == set(counted["metric"]) - {metric}
    unlabelled = dataclasses.replace(artefact(), published="")
    assert sum(tally(compare(unlabelled, table)).values()) == 0


def test_other_columns_can_stand_beside_each_other():
    table = pd.DataFrame(
        {
            **{"role": "italy", "dataset": "italy", "status": "faithful"},
            **{"delta": [0.02, 0.02, 0.05], "statistic": ["max", "mean", "max"]},
            **{"system": "DP", "median": [4.0, 1.3, 4.0], "published_median": [4.0, 1.5, 5.0]},
        }
    )
    spec = {"metric": "statistic", "pairs": {"median": "published_median"}}
    cells = compare(artefact(**spec), table)
    assert list(cells["verdict"]) == ["agree", "differ", "differ"]
    assert list(cells["variant"]) == ["delta 0.02", "delta 0.02", "delta 0.05"]
    assert cells["counted"].all()
    repeated = compare(artefact(**spec, repeated_over=["variant"]), table)
    assert list(repeated["counted"]) == [True, True, False]


def test_a_table_without_published_numbers_has_no_cells():
    table = pd.DataFrame({"dataset": ["a"], "status": ["faithful"], "mean": [1.0]})
    assert len(compare(artefact(), table)) == 0
    assert tally(compare(artefact(), table)) == counts()


# --- Tables ----------------------------------------------------------------------------------


def test_tables_have_ours_and_the_published_number_next_to_it():
    table = tidy_rows("t", "news", "faithful")
    (view,) = comparison_views(table, {"news": "News"}, compare(artefact(), table))
    assert view["title"] == "News" and [m["arrow"] for m in view["metrics"]] == ["↑", "↓", "↑"]
    assert [m["published"] for m in view["metrics"]] == [True, True, False]
    ari, vi, own = view["rows"][0]["cells"]
    assert (ari["mean"], ari["error"], ari["published"]) == ("0.250", "0.010", "0.251")
    assert (ari["mark"], vi["mark"], own["mark"]) == ("same", "far", "")
    assert ari["apart"] == "−0.1" and own["published"] == ""


def test_a_row_says_what_there_is_to_say_against_it():
    table = tidy_rows("t", "news", "faithful", ("DP",))
    against = {"rhat_max": [1.02, 1.31, 1.04], "obstacle": ["", "of other items", ""]}
    for changes, note in (
        ({}, "not converged: largest R-hat 1.31; published VI: of other items"),
        ({"rhat_max": 1.05, "obstacle": np.nan}, ""),
        ({"note": "not converged: 3 draws", "obstacle": ""}, "not converged: 3 draws"),
    ):
        rows = table.assign(**(against | changes))
        (view,) = comparison_views(rows, {}, compare(artefact(), rows))
        assert view["rows"][0]["note"] == note


def test_a_stand_in_shows_the_difference_without_a_mark():
    table = tidy_rows("t", "mail", "stand-in")
    (view,) = comparison_views(table, {}, compare(artefact(), table))
    cells = view["rows"][0]["cells"]
    assert [cell["mark"] for cell in cells] == ["", "", ""]
    assert cells[1]["difference"] == "−1" and cells[1]["apart"] == ""


def test_counts_have_their_true_value_beside_them_and_rates_have_not():
    rows = tidy_rows("t", "italy", "faithful", ("DP",)).assign(
        metric=["E[K]", "FNR", "E[delta]"], mean=[594.04, 0.074, 0.0213], truth=[587.0, 0.0, 0.02]
    )
    (view,) = comparison_views(rows, {}, compare(artefact(), rows))
    assert [m["truth"] for m in view["metrics"]] == [True, False, True]
    clusters, missed, _delta = view["rows"][0]["cells"]
    assert (clusters["mean"], clusters["truth"], missed["truth"]) == ("594.040", "587", "")


def test_lines_that_say_nothing_and_rows_beyond_the_most_are_left_out():
    systems = [f"system {place}" for place in range(views.MAX_ROWS + 2)]
    table = tidy_rows("t", "news", "faithful", systems)
    table.loc[table["system"] == "system 1", "published"] = np.nan
    (view,) = comparison_views(table, {}, compare(artefact(), table))
    assert (len(view["rows"]), view["left_out"]) == (views.MAX_ROWS, 2)
    assert [row["lines"] for row in view["rows"][:3]] == [2, 1, 2]
    assert [row["published"] for row in view["rows"][:3]] == [True, False, True]


def test_numbers_of_a_figure_make_a_table():
    table = tidy_rows("t", "news", "faithful", ("TIWD",))
    (view,) = pairs_views(artefact(), table, compare(artefact(), table), {})
    assert [m["name"] for m in view["metrics"]] == ["ARI", "VI"]
    assert [cell["mark"] for cell in view["rows"][0]["cells"]] == ["same", "far"]


def test_numbers_of_a_figure_say_that_chains_disagree():
    table = tidy_rows("t", "news", "faithful", ("DP", "EM"))
    for changes, note in (
        ({"rhat": [1.02, 1.3, 1.02] * 2}, "not converged: R-hat 1.30"),
        ({"note": ["not converged: 3 draws", "", ""] * 2}, "not converged: 3 draws"),
        ({"rhat": 1.02, "note": "of 3 draws"}, ""),
    ):
        rows = table.assign(**changes)
        (view,) = pairs_views(artefact(), rows, compare(artefact(), rows), {})
        assert [row["note"] for row in view["rows"]] == [note, note]


def test_numbers_of_a_figure_say_what_they_are():
    table = tidy_rows("t", "news", "faithful", ("DP", "EM")).assign(rhat=1.3)
    table = table.assign(median=table["mean"], truth=table["published"])
    for column, line, systems, note in (
        ("median", "our median", ["DP", "EM"], "not converged: R-hat 1.30"),
        ("truth", "our data", ["truth"], ""),
    ):
        figure = artefact(pairs={column: "published"}, without_error="of one draw")
        (view,) = pairs_views(figure, table, compare(figure, table), {})
        assert view["line"] == line and [row["system"] for row in view["rows"]] == systems
        assert {row["note"] for row in view["rows"]} == {note}


# --- Claims ----------------------------------------------------------------------------------


def test_a_claim_on_printed_numbers_is_shown_as_one():
    of_paper = Claims("A paper")
    of_paper.claim("A-1", "the sky is blue", effect="how blue it is")(None)
    rows = [
        of_paper.row("A-1", exact(True, 1.0, "Text."), AS_PRINTED),
        of_paper.row("A-1", untested("none"), "dark"),
    ]
    (view,) = claim_views(pd.DataFrame(rows))["A paper"]
    assert view["measure"] == "how blue it is"
    assert len(view["printed"]) == len(view["readings"]) == 1 and view["measured"] == []


def test_claims_are_joined_with_their_readings_and_counted_once():
    first, third = claim_views(CLAIMS.drop(columns="measured"))["Walker & Ringger 2008"]
    assert first["measure"] == ""
    assert first["statement"] == "One beats <two>" and first["verdict"] == "confirmed"
    assert first["measured"][0]["interval"] == "0.05 to 0.15" and first["printed"] == []
    assert third["key"] == "DOC-3" and third["measured"][0]["verdict"] == "untestable"
    assert third["printed"][0]["effect"] == "0.30" and third["readings"] == []
    assert verdict_counts([first, third]) == {"confirmed": 1, "refuted": 0, "untestable": 1}
    (tenth,) = claim_views(CLAIMS)["Zanella et al. 2016"]
    assert tenth["verdict"] == "refuted" and tenth["readings"][0]["reading"] == "sampled"


def test_published_numbers_without_the_columns_beside_them_are_refused():
    with pytest.raises(DataError, match="docs_table2 has published numbers, but no column 'men'"):
        one(1.0, 2.0, spec={"pairs": {"men": "published"}})
    with pytest.raises(DataError, match="no column 'metrik'; correct `compare`"):
        one(1.0, 2.0, spec={"metric": "metrik"})
