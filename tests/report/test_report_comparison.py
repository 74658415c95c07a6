"""Which numbers agree with the published ones, how they are counted, and how they are shown."""

import dataclasses
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from site_inputs import CLAIMS, site_inputs, tidy_rows

from reseat.papers.catalogue import CATALOGUE
from reseat.papers.claims import Claims, exact, untested
from reseat.papers.declare import Comparison
from reseat.report import compare_runs, views, write_all_runs, write_site
from reseat.report.comparison import claim_views, compare, n_parts, size_of, tally, verdict_counts
from reseat.report.views import comparison_views, pairs_views
from reseat.vocabulary import AS_PRINTED, FORMULA, OURS

TIME = "a time, on another machine"


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


def test_a_table_may_have_its_own_error_of_the_difference_and_its_own_rule():
    assert one(1.0, 2.0, combined=0.5)["errors_apart"] == -2.0
    assert one(1.0, 2.0, z=-4.0)["combined_error"] == 0.25
    assert one(1.0, 2.0, 0.5)["combined_error"] == pytest.approx(np.sqrt(0.5))
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
        ({"metric": "seconds"}, TIME),
        ({"metric": "n", "exponent": 2.0, "spec": {"pairs": {"exponent": "published"}}}, TIME),
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
    # A table can note that chains disagree.
    note = "not converged: chains in different places"
    cell = one(0.251, 0.251, note=note)
    assert cell["verdict"] == "not converged" and cell["why"] == note
    assert one(0.251, 0.251, note="")["verdict"] == "agree"
    assert one(0.251, 0.251, note=np.nan)["verdict"] == "agree"


def counts(**some):
    return dict.fromkeys(("agree", "differ", "not converged", "not comparable"), 0) | some


def test_scores_that_are_all_on_one_side_within_a_wide_error_do_not_agree():
    names = ("F-Measure", "VI", "ARI", "V-Measure")
    table = pd.concat([tidy_rows("t", "news", "faithful", ("Gibbs",)).iloc[:1]] * 4)
    table = table.assign(metric=names, published=0.5, combined=0.1).reset_index(drop=True)

    def verdicts(worse):
        away = np.array([-1, 1, -1, -1]) * worse  # a smaller VI is better
        return compare(artefact(), table.assign(mean=0.5 + 0.1 * away))

    found = verdicts(np.full(4, 2.5))
    assert set(found["verdict"]) == {"not comparable"}
    assert found["why"].str.startswith("all scores of its row on one side").all()
    assert set(verdicts(np.array([2.5, -2.5, 2.5, 2.5]))["verdict"]) == {"agree"}
    assert set(verdicts(np.full(4, 1.5))["verdict"]) == {"agree"}
    # Scores that differ do so in any case.
    mixed = verdicts(np.array([4.0, 1.0, 1.0, 1.0]))
    assert mixed["verdict"].tolist() == ["differ", *["not comparable"] * 3]


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
    # Neither what is an input nor a time is counted.
    others = compare(artefact(uncounted=["sampled", metric]), table)
    timed = compare(artefact(uncounted=["sampled"]), table.replace({"metric": {metric: "seconds"}}))
    for found in (others, timed):
        assert set(found.loc[found["counted"], "metric"]) == set(counted["metric"]) - {metric}
    unlabelled = dataclasses.replace(artefact(), published="")
    assert sum(tally(compare(unlabelled, table)).values()) == 0


def test_other_columns_can_stand_beside_each_other():
    table = pd.DataFrame({"delta": [0.02, 0.02, 0.05], "statistic": ["max", "mean", "max"]})
    table = table.assign(role="italy", dataset="italy", status="faithful", system="DP")
    table = table.assign(median=[4.0, 1.3, 4.0], published_median=[4.0, 1.5, 5.0])
    spec = {"metric": "statistic", "pairs": {"median": "published_median"}}
    cells = compare(artefact(**spec), table)
    assert list(cells["verdict"]) == ["agree", "differ", "differ"]
    assert list(cells["variant"]) == ["delta 0.02", "delta 0.02", "delta 0.05"]
    assert cells["counted"].all()
    repeated = compare(artefact(**spec, repeated_over=["variant"]), table)
    assert list(repeated["counted"]) == [True, True, False]
    # A table without published numbers has no cells.
    table = pd.DataFrame({"dataset": ["a"], "status": ["faithful"], "mean": [1.0]})
    assert len(compare(artefact(), table)) == 0
    assert tally(compare(artefact(), table)) == counts()


def test_tables_have_ours_and_the_published_number_next_to_it():
    table = tidy_rows("t", "news", "faithful")
    (view,) = comparison_views(table, {"news": "News"}, compare(artefact(), table))
    assert view["title"] == "News" and [m["arrow"] for m in view["metrics"]] == ["↑", "↓", "↑"]
    assert [m["published"] for m in view["metrics"]] == [True, True, False]
    ari, vi, own = view["rows"][0]["cells"]
    assert (ari["mean"], ari["error"], ari["published"]) == ("0.250", "0.010", "0.251")
    assert (ari["mark"], vi["mark"], own["mark"]) == ("same", "far", "")
    assert ari["apart"] == "−0.1" and own["published"] == ""
    assert ari["decides"] == "" and vi["decides"] == ""  # it follows from the error of ours
    # The error that decides is shown if it is not that of ours.
    table = tidy_rows("t", "news", "faithful", ("DP",)).assign(combined=[0.5, 0.0142, 0.1])
    (view,) = comparison_views(table, {}, compare(artefact(), table))
    ari, vi, _own = view["rows"][0]["cells"]
    assert (ari["error"], ari["decides"], vi["decides"]) == ("0.010", "0.50", "")
    assert (ari["mark"], vi["mark"]) == ("same", "far")


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
    # A stand-in shows the difference without a mark.
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


def test_numbers_of_a_figure_make_a_table_and_say_what_they_are():
    table = tidy_rows("t", "news", "faithful", ("DP", "EM"))
    (view,) = pairs_views(artefact(), table, compare(artefact(), table), {})
    assert [m["name"] for m in view["metrics"]] == ["ARI", "VI"]
    assert [cell["mark"] for cell in view["rows"][0]["cells"]] == ["same", "far"]
    table = table.assign(rhat=1.3)
    table = table.assign(median=table["mean"], truth=table["published"])
    for column, line, systems, note in (
        ("median", "our median", ["DP", "EM"], "not converged: R-hat 1.30"),
        ("truth", "our data", ["truth"], ""),
    ):
        figure = artefact(pairs={column: "published"}, without_error="of one draw")
        (view,) = pairs_views(figure, table, compare(figure, table), {})
        assert view["line"] == line and [row["system"] for row in view["rows"]] == systems
        assert {row["note"] for row in view["rows"]} == {note}


def test_a_claim_on_printed_numbers_is_shown_as_one():
    of_paper = Claims("A paper")
    of_paper.claim("A-1", "the sky is blue", effect="how blue it is")(lambda evidence: None)
    rows = [of_paper.row("A-1", exact(True, 1.0, "Text."), AS_PRINTED)]
    rows.append(of_paper.row("A-1", untested("none"), "dark"))
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


def test_claims_that_follow_from_others_are_judged_but_not_counted():
    of_paper = Claims("A paper")
    for key, uncounted in (("A-1", ""), ("A-2", "follows from A-1"), ("A-3", FORMULA)):
        of_paper.claim(key, "so it is", uncounted=uncounted)(lambda evidence: None)
    of_paper.claim("A-4", "so we say", source=OURS)(lambda evidence: None)
    found = exact(True, 1.0, "Text.")
    rows = pd.DataFrame([of_paper.row(key, found) for key in of_paper.claims])
    views = claim_views(rows)["A paper"]
    assert [view["uncounted"] for view in views] == [
        *("", "follows from A-1", FORMULA, "not a claim of the paper")
    ]
    assert verdict_counts(views) == {"confirmed": 1, "refuted": 0, "untestable": 0}
    # Runs of earlier versions have only the source.
    older = claim_views(rows.drop(columns="uncounted"))["A paper"]
    assert verdict_counts(older)["confirmed"] == 3 and older[3]["uncounted"]


NAN = np.nan


def numbers(*rows):
    """Return a ``comparison.csv`` from rows of metric, ours, error and why it is not compared."""
    names = ["paper", "artefact", "label", "dataset", "system", "variant"]
    table = pd.DataFrame(rows, columns=["metric", "ours", "error", "why"])
    return table.assign(**dict.fromkeys(names, "x")).assign(variant=NAN)


def test_numbers_agree_if_chance_explains_their_difference():
    # Number and error in one run and in the other, and the verdict.
    rows = {
        "near": ((1.0, 0.3), (2.4, 0.4), "doubtful"),
        "nearest": ((1.0, 0.3), (1.8, 0.4), "agree"),
        "far": ((1.0, 0.3), (2.6, 0.4), "differ"),
        "exact": ((2.0, NAN), (2.0, NAN), "agree"),
        "other": ((2.0, NAN), (2.5, NAN), "no error known"),
        "zero": ((2.0, 0.0), (2.5, 0.1), "no error known"),  # all chains gave the same number
    }
    alone, time = ("alone", 1.0, 0.1, ""), ("seconds", 9.0, 0.1, TIME)
    one = [(name, *before, "") for name, (before, _after, _verdict) in rows.items()]
    one = numbers(*one, time, alone, ("not run", NAN, NAN, ""))
    other = [(name, *after, "") for name, (_before, after, _verdict) in rows.items()]
    other = numbers(*reversed(other), ("seconds", 1.0, 0.1, TIME), ("not run", 1.0, 0.1, ""))
    found = compare_runs(one, other).set_index("metric")
    assert found["verdict"].to_dict() == {name: row[-1] for name, row in rows.items()}
    assert found.loc["near", "errors_apart"] == pytest.approx(1.4 / 0.5)
    assert found.loc["far", "difference"] == pytest.approx(1.6)
    assert np.isnan(found.loc["other", "errors_apart"])
    # Errors that come from only three chains are less certain.
    few = [table.assign(n_chains=3) for table in (one, other)]
    assert compare_runs(*few).set_index("metric").loc["far", "verdict"] == "agree"
    # The number of chains does not matter if the error is over data draws or of a sampler.
    many = [table.assign(n_draws=20, n_chains=1) for table in (one, other)]
    assert compare_runs(*many).set_index("metric").loc["far", "verdict"] == "differ"
    sampler = [table.assign(n_parts=NAN, n_draws=1, n_chains=3) for table in (one, other)]
    assert compare_runs(*sampler).set_index("metric").loc["far", "verdict"] == "differ"


def test_rounding_is_no_difference_and_rows_of_the_same_names_are_paired_in_their_order():
    one = numbers(("a", 0.3, NAN, ""), ("b", 1.0, 1e-15, ""))
    other = numbers(("a", 0.1 + 0.2, NAN, ""), ("b", 1.0 + 4e-13, 1e-15, ""))
    assert compare_runs(one, other)["verdict"].eq("agree").all()
    twice = numbers(("a", 1.0, 0.1, ""), ("a", 5.0, 0.1, ""))
    assert compare_runs(twice, twice)["verdict"].tolist() == ["agree", "agree"]


def test_an_error_of_one_part_is_a_monte_carlo_error():
    def parts(**columns):
        return n_parts(pd.DataFrame([columns])).tolist()

    assert parts(se=0.1, n_chains=1) == parts(mcse=0.1, n_chains=4) == [np.inf]
    assert parts(se=0.1, n_parts=NAN, n_chains=4) == [np.inf]
    assert parts(se=0.1, mcse=0.2, n_chains=4) == [4]


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Return the folder with the reports of two runs, which differ in one number."""
    folder = tmp_path_factory.mktemp("runs") / "reports"
    inputs = site_inputs(folder / "standard")
    shutil.copytree(folder / "standard", folder / "standard-seed7")
    other = dataclasses.replace(
        inputs, run="standard-seed7", tables=folder / "standard-seed7" / "tables"
    )
    table = pd.read_csv(other.tables / "docs_table2.csv")
    table.loc[0, "mean"] += 0.5
    table.to_csv(other.tables / "docs_table2.csv", index=False)
    inputs = dataclasses.replace(inputs, settings=inputs.settings | {"seed": 2008})
    for run in (inputs, other):
        write_site(run, folder / run.run)
    write_all_runs(folder)
    return folder


def test_the_list_opens_the_newest_run_and_can_be_kept_open(reports):
    index, runs = ((reports / name).read_text() for name in ("index.html", "runs.html"))
    assert 'content="0; url=standard-seed7/index.html"' in index
    assert "refresh" not in runs
    for text in (index, runs):
        links = set(re.findall(r'href="([^"#]+)"', text)) - {"data:,"}
        assert {"standard/index.html", "standard-seed7/index.html"} <= links
        assert all((reports / link).is_file() for link in links)
    assert runs.index("standard-seed7/index.html") < runs.index('"standard/index.html')


def test_two_runs_stand_side_by_side_with_the_share_that_agrees(reports):
    table = pd.read_csv(reports / "standard--standard-seed7.csv")
    (differs,) = table[table["verdict"].eq("differ")].to_dict("records")
    assert (differs["artefact"], differs["metric"]) == ("docs_table2", "ARI")
    assert differs["difference"] == pytest.approx(0.5)
    judged = table["errors_apart"].notna().sum()
    assert judged > 5
    page = (reports / "standard--standard-seed7.html").read_text()
    assert f"{100 * (judged - 1) / judged:.1f} %" in page
    links = set(re.findall(r'href="([^"#]+)"', page)) - {"data:,"}
    assert all((reports / link).is_file() for link in links)


def test_comparisons_with_removed_runs_are_removed_and_nothing_else(reports, tmp_path):
    copied = tmp_path / "reports"
    shutil.copytree(reports, copied)
    mine = copied / "notes--standard.html"
    mine.write_text("<h1>Notes</h1>")
    stale = copied / "a--b--standard.html"  # of the run a--b, which is no longer there
    stale.write_text("<h1>a--b and standard</h1>")
    shutil.rmtree(copied / "standard-seed7")
    write_all_runs(copied)
    assert {path.name for path in copied.glob("*--*")} == {mine.name}
    assert 'content="0; url=standard/index.html"' in (copied / "index.html").read_text()


def test_what_is_no_report_of_a_run_is_passed_over(reports, capsys):
    before = (reports / "runs.html").read_text()
    card = json.loads((reports / "standard" / "run.json").read_text())
    table = (reports / "standard" / "comparison.csv").read_text()
    (reports / "notes").mkdir()
    (reports / "notes" / "run.json").write_text("{}")
    damaged = {
        "broken": ("{", table),
        "empty": (json.dumps(card), ""),
        "torn": (json.dumps(card), table[: len(table) // 2] + ",,,,,,,,,,,,,,,,,,,,,,,,,,,"),
        "list": ("[]", table),
        "old": (json.dumps({"scale": "standard", "written": card["written"]}), table),
        "seedless": (json.dumps(card | {"settings": {}}), table),
        "undated": (json.dumps(card | {"written": 3}), table),
        "text": (json.dumps(card | {"made": "many"}), table),
        "few": (json.dumps(card), "paper,ours\nx,1\n"),
        "word": (json.dumps(card), table.replace(",0.25,", ",none,")),
    }
    for name, (own, numbers) in damaged.items():
        (reports / name).mkdir()
        (reports / name / "run.json").write_text(own)
        (reports / name / "comparison.csv").write_text(numbers)
    write_all_runs(reports)
    assert (reports / "runs.html").read_text() == before
    said = capsys.readouterr().out
    assert all(f"{reports / name}" in said for name in damaged)
    assert said.count("make its report again") == len(damaged)
