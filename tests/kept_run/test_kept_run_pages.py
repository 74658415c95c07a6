"""Verifying a run by the published one, and the numbers of pages."""

import json
import os
import re
import sys
from importlib import resources
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from finished_runs import WALKER, contents, make_published, make_run, tidy
from given_files import put
from places import ROOT
from scipy import stats
from sphinx.errors import ExtensionError

from reseat.command.main import main
from reseat.command.runs import _own_report, _published
from reseat.errors import DataError
from reseat.files.atomic import sha256_of
from reseat.kept_run import PublishedRun, findings, publish, verify, writing
from reseat.kept_run.costs import known_seconds
from reseat.kept_run.numbers import row_keys
from reseat.kept_run.verify import AGREES, DIFFERS, DOUBTFUL, SAME, judge, verify_table
from reseat.metrics import is_measured, untimed
from reseat.papers.catalogue import CATALOGUE
from reseat.report.comparison import LEVEL
from reseat.report.lookup import Numbers, lessons, parse_reference

sys.path += [str(ROOT / "tools"), str(ROOT / "docs" / "extensions")]

import catalogue
import findings as pages
import readme
import write_findings

NOT_JUDGED, ONLY_PUBLISHED = verify.NOT_JUDGED, verify.ONLY_PUBLISHED


def verdicts(one, other):
    table = pd.concat(judge([verify_table(one.astype(str), other.astype(str))]))
    assert set(table["column"]) == {"mean"}
    return dict(zip(table["row"], table["verdict"], strict=True))


def test_a_number_is_the_same_agrees_or_differs_by_students_distribution():
    one = tidy([2.0, 3.0], [0.3, 0.4])
    # Equal errors of 8 chains each: 14 degrees of freedom.
    alone, together = (
        stats.t.isf(level / 2, 14) * 0.3 * np.sqrt(2) for level in (LEVEL, LEVEL / 2)
    )
    assert verdicts(one, one) == {"news, Gibbs, VI": SAME, "news, EM, VI": SAME}
    bounds = (0.99 * alone, 1.01 * alone, 0.99 * together, 1.01 * together)
    for away, verdict in zip(bounds, (AGREES, DOUBTFUL, DOUBTFUL, DIFFERS), strict=True):
        found = verdicts(one, tidy([2.0 + away, 3.1], [0.3, 0.4]))
        assert found == {"news, Gibbs, VI": verdict, "news, EM, VI": AGREES}


def test_what_has_no_error_or_no_partner_is_not_judged():
    one = tidy([2.0, 3.0], ["", 0.4])
    other = tidy([2.5, 3.0], ["", 0.4]).query("system == 'Gibbs'")
    assert verdicts(one, other) == {"news, Gibbs, VI": NOT_JUDGED, "news, EM, VI": ONLY_PUBLISHED}
    rounded = tidy([2.0 * (1 + 1e-12), 3.0], ["", 0.4])
    assert verdicts(one, rounded)["news, Gibbs, VI"] == SAME
    # An error of 0 is not known, and what is the same is not judged by chance.
    one, other = tidy([2.0, 3.0], [0.0, 0.4]), tidy([2.5, 3.0], [0.3, 0.5])
    assert verdicts(one, other) == {"news, Gibbs, VI": NOT_JUDGED, "news, EM, VI": SAME}
    # Chance decides neither row, so neither has a p-value and neither can be doubtful.
    assert verify_table(one.astype(str), other.astype(str))["p"].isna().all()
    apart = verify_table(one.astype(str), other.assign(mean=[2.5, 3.1]).astype(str))
    assert apart["p"].count() == 1


def test_results_in_words_are_no_keys():
    """What a run chose or could not decide may differ in another, and its rows are the same."""
    one = tidy([2.0, 3.0], [0.3, 0.4]).assign(setting="nugget 0", summary="undecided")
    other = tidy([2.1, 3.1], [0.3, 0.4]).assign(setting="nugget 1", summary="precision")
    assert verdicts(one, other) == {"news, Gibbs, VI": AGREES, "news, EM, VI": AGREES}
    one, other = one.assign(note="", obstacle="why"), other.assign(note="", obstacle="why not")
    assert verdicts(one, other) == {"news, Gibbs, VI": AGREES, "news, EM, VI": AGREES}


def test_a_mean_over_data_draws_is_judged_once():
    """It is repeated on the row of every draw, beside the values of the draw itself."""
    draws = {"system": ["TIWD"] * 3 + ["WD"] * 3, "draw": [0, 1, 2] * 2, "n_draws": 3, "se": 0.2}
    table = pd.DataFrame({**draws, "ari": np.arange(6.0), "mean": [1.0] * 3 + [4.0] * 3})
    [found] = judge([verify_table(table.astype(str), table.assign(mean=2.0).astype(str))])
    assert found["column"].value_counts().to_dict() == {"ari": 6, "mean": 2}
    assert found.loc[found["column"].eq("mean"), "row"].tolist() == ["TIWD, 0", "WD, 0"]


def test_rows_are_not_paired_by_their_order_alone():
    one = tidy([2.0, 3.0], [0.3, 0.4]).astype(str)
    with pytest.raises(DataError, match="docs_table2 of your run has no column 'system', by which"):
        verify_table(one, one.drop(columns="system"), "docs_table2")
    numbers = one[["mean", "se"]]
    with pytest.raises(DataError, match="tells its rows apart; its columns are mean, se"):
        verify_table(numbers, numbers)


PUBLISHED = PublishedRun(ROOT / "reports" / "published")
#: Words in the names of measured times.
TIMES = re.compile(r"second|hour|minute|^ms |times as")


@pytest.mark.parametrize("name", PUBLISHED.names())
def test_no_measured_time_is_compared_and_no_two_rows_are_confused(name):
    table = PUBLISHED.table(name)
    rest = untimed(table)
    names = {*rest.columns, *rest.get("metric", ()), *rest.get("quantity", ())}
    assert not [name for name in names if is_measured(name) or TIMES.search(name)]
    assert not rest.duplicated(row_keys(rest)).any()
    # In another order, each row still finds its partner.
    found = verify_table(table, table.iloc[::-1])
    assert found["verdict"].eq(SAME).all()


@pytest.mark.parametrize("name", ["scdp_times", "scdp_moves", "tiwd_scaling", "micro_chaperones"])
def test_a_machine_twice_as_fast_changes_no_verdict(name):
    table = PUBLISHED.table(name)
    fast = table.copy()
    for column in table:
        if is_measured(column) or column in ("low", "high"):
            fast[column] = pd.to_numeric(fast[column]).div(2).astype(str)
    if "metric" in table:
        timed = table["metric"].map(is_measured)
        fast.loc[timed, "mean"] = pd.to_numeric(fast.loc[timed, "mean"]).div(2).astype(str)
    assert not fast.equals(table)
    [judged] = judge([verify_table(table, fast)])
    assert judged["verdict"].eq(SAME).all()


def test_a_run_that_made_less_replaces_the_published_one_only_if_asked_to(tmp_path, capsys):
    """It has a smaller scale, or fewer tables and figures."""
    for name in ("standard", "demo"):
        make_run(tmp_path, name, scale=name)
    publish(tmp_path, "standard")
    manifest = tmp_path / writing.FOLDER / writing.MANIFEST
    before = manifest.read_text()
    assert main(["publish", "demo", "--directory", str(tmp_path)]) == 2
    assert "standard, and demo is only of the scale demo; add --smaller" in capsys.readouterr().err
    assert manifest.read_text() == before
    facts = json.loads(before)
    facts["artefacts"]["made"] = 52
    manifest.write_text(json.dumps(facts))
    with pytest.raises(DataError, match="with 52 tables and figures, and standard has only 1"):
        publish(tmp_path, "standard")
    folder = publish(tmp_path, "standard", smaller=True)
    assert PublishedRun(folder).manifest["artefacts"]["made"] == 1
    assert main(["publish", "demo", "--smaller", "--directory", str(tmp_path)]) == 0
    assert PublishedRun(folder).manifest["scale"] == "demo"


CONFLICT = "<<<<<<< HEAD\n{\n=======\n{}\n>>>>>>> other\n"


@pytest.mark.parametrize("text", [CONFLICT, "{}"])
def test_a_damaged_published_run_stops_no_other_and_says_how_to_restore_it(tmp_path, capsys, text):
    folder = make_published(tmp_path)
    assert known_seconds(folder, "standard")["documents/all"] == 90.0
    assert known_seconds(folder, "paper") == known_seconds(tmp_path, "standard") == {}
    where = ["--directory", str(tmp_path)]
    table = folder / "tables" / "docs_table2.csv"
    before = table.read_text()
    table.write_text("")
    assert main(["verify", "--run", "standard", *where]) == 2
    assert "docs_table2.csv cannot be read; restore it (git checkout" in capsys.readouterr().err
    table.write_text(before)
    (folder / "jobs.csv").write_text(text)
    assert known_seconds(folder, "standard") == {}
    (folder / writing.MANIFEST).write_text(text)
    assert known_seconds(folder, "standard") == {}
    for words in (["verify"], ["publish", "standard"]):
        assert main([*words, *where]) == 2
        assert "manifest.json is no manifest of a published run" in capsys.readouterr().err
    assert publish(tmp_path, "standard", smaller=True) == folder


def test_a_run_is_given_by_its_name(tmp_path, capsys):
    before = contents(make_published(tmp_path))
    # The shell completes the name of a folder like this.
    assert contents(publish(tmp_path, "standard/")) == before
    where = ["--directory", str(tmp_path)]
    for name in ("reports/standard", "/tmp", "..", "/"):
        for words in (["publish"], ["verify", "--run"], ["explain", "x", "--run"]):
            assert main([*words, name, *where]) == 2
            assert f"{name!r} is no name of a run" in capsys.readouterr().err
    assert main(["explain", "docs_table2", "--run", "s*", *where]) == 2
    assert "There is no run 's*' in" in capsys.readouterr().err


@pytest.mark.parametrize(("shift", "code"), [(0.0, 0), (1.0, 1)])
def test_the_command_verifies_the_newest_run(tmp_path, capsys, shift, code):
    make_run(tmp_path, "standard")
    assert main(["publish", "standard", "--directory", str(tmp_path)]) == 0
    make_run(tmp_path, "standard-seed8", means=(2.1, 2.5 + shift))
    where = ["--directory", str(tmp_path), "--run", "standard-seed8"]
    assert main(["verify", *where, "docs_table2", "--csv", str(tmp_path / "n.csv")]) == code
    said = capsys.readouterr().out
    assert ("news, EM, VI, mean: published 2.5, here 3.5" in said) == bool(shift)
    assert ("No number differs by" in said) == (not shift)
    assert len(pd.read_csv(tmp_path / "n.csv")) == 2
    assert main(["verify", *where, "docs_table2", "--csv", str(tmp_path / "n.csv")]) == code
    (tmp_path / "mine.csv").write_text("customer,city\n")
    assert main(["verify", *where, "docs_table2", "--csv", str(tmp_path / "mine.csv")]) == 2
    assert "mine.csv was not written by this command" in capsys.readouterr().err
    assert (tmp_path / "mine.csv").read_text() == "customer,city\n"
    assert main(["verify", *where, "docs_table9"]) == 2
    assert "no table 'docs_table9'; did you mean 'docs_table2'?" in capsys.readouterr().err


def test_without_a_published_run_the_command_says_so(tmp_path, capsys, monkeypatch):
    there, empty = str(tmp_path), tmp_path / "empty"
    # In the folder of the project, its published run serves for runs in other folders.
    monkeypatch.chdir(ROOT)
    assert main(["verify", "--directory", there]) == 2
    assert "contains no run of your own" in capsys.readouterr().err
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert main(["verify", "--directory", there]) == 2
    said = capsys.readouterr().err
    assert "No run is published in" in said and "with --directory, or see" in said


def test_the_newest_run_with_a_report_and_the_tables_is_verified(tmp_path):
    for name, table, time in (("whole", "a", 5), ("other", "b", 5), ("single", "a", 99)):
        put(tmp_path / name / "tables" / f"{table}.csv", "x\n1\n")
        os.utime(tmp_path / name / "tables", (time, time))
        if name != "single":
            put(tmp_path / name / "run.json", "x\n1\n")
    assert _own_report(tmp_path, "", ["a"]).name == "whole"
    assert _own_report(tmp_path, "", ["b"]).name == "other"
    assert _own_report(tmp_path, "other", []).name == "other"


def test_references_name_one_cell_each(tmp_path):
    run = PublishedRun(make_published(tmp_path))
    found = {
        "docs_table2:Gibbs/VI": "2.100",
        "docs_table2:Gibbs:±": "2.100 ± 0.010",
        "docs_table2:Gibbs:published": "2.16",
        "docs_table2:metric=VI:count": "2",
        "claims:DOC-1": "refuted",
        "claims:DOC-1 (as printed)": "confirmed",
        f"scoreboard:{WALKER}:differ": "1",
        "scoreboard:all": "1",
    }
    assert {reference: run.look_up(reference) for reference in found} == found
    refused = {
        "docs_table2:VI": "matches 2 rows",
        "docs_table2:Gibbs:median": "no column 'median'",
        "docs_table9:x": "no table 'docs_table9'",
        "0.5": "does not refer to a number",
    }
    for reference, words in refused.items():
        with pytest.raises(DataError, match=words):
            run.look_up(reference)
    # The scoreboard counts each number and claim once.
    total = run.scoreboard.set_index("paper").loc["all"]
    assert total[["agree", "differ", "not comparable"]].tolist() == [1, 1, 1]
    assert total[["confirmed", "refuted", "untestable"]].tolist() == [0, 1, 0]
    lines = findings(run)
    assert "**standard scale**" in lines[0] and "its chains match those of the paper" in lines[0]
    assert "1 of 52 tables and figures" in lines[0]


def test_numbers_of_chains_that_disagree_are_marked_wherever_they_are_shown():
    tables = {}
    run = Numbers(tables.__getitem__, "a run")
    row = {"artefact": "docs_table2", "system": "Gibbs", "ours": "2.1", "error": "0.01"}
    for verdict, shown in (("not converged", "2.100 (not converged)"), ("agree", "2.100")):
        tables["comparison"] = pd.DataFrame([row | {"verdict": verdict}])
        assert run.look_up("comparison:docs_table2/Gibbs") == shown
    claim = {"claim": "DOC-7: most are", "effect": "0.5"}
    modes = "; mean over chains in different modes on news"
    evidence = {"97 % hold": "", modes: " (different modes)"}
    evidence["; not converged: NBD"] = " (not converged)"
    for said, mark in evidence.items():
        tables["claims"] = pd.DataFrame([claim | {"evidence": said}])
        assert run.look_up("claims:DOC-7:effect") == f"0.5000{mark}"
    table = tidy([2.1, 2.5], [0.01, 0.02]).astype(str)
    tables["docs_table2"] = table.assign(note="mean over chains in different modes: R-hat 9.1")
    assert run.look_up("docs_table2:Gibbs:mean").endswith(" (different modes)")
    assert "modes" not in run.look_up("docs_table2:Gibbs:published")

    # An error may be one of a sampler.
    tables["docs_table2"] = table.rename(columns={"se": "mcse"})
    assert run.look_up("docs_table2:Gibbs:±") == "2.100 ± 0.010"


FINDINGS = sorted((ROOT / "docs" / "findings").glob("*.md"))
REFERENCE = re.compile(r"\{(num|claim)\}`([^`]+)`")


@pytest.mark.parametrize("page", FINDINGS, ids=lambda path: path.stem)
def test_every_number_of_the_findings_is_a_reference_that_leads_somewhere(page):
    assert page.stem in CATALOGUE.families and len(FINDINGS) == len(CATALOGUE.families)
    text = page.read_text(encoding="utf-8")
    references = REFERENCE.findall(text)
    assert len(references) > 10
    typed = re.sub(r"`[^`]*`|\$[^$]*\$|[Ss]ection \d\.\d", "", REFERENCE.sub("", text))
    assert not re.search(r"\d\.\d", typed), "A number of the run is typed by hand."
    sources = (ROOT / "src" / "reseat" / "papers" / page.stem).rglob("*.py")
    known = "".join(source.read_text(encoding="utf-8") for source in sources)
    for role, reference in references:
        if role == "claim":
            assert re.search(rf"\b{reference.partition(' (')[0]}\b", known), reference
        else:
            assert parse_reference(reference)[0] in {"claims", *CATALOGUE.artefacts}, reference


def test_pages_show_the_published_run_or_say_that_there_is_none(tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "published", lambda: None)
    assert "No run is published yet" in pages.state(None, "")[0]
    assert pages.score(None, "", WALKER)[0] == pages.claims(None, "", WALKER)[0] == ""
    env = SimpleNamespace(note_dependency=lambda path: None)
    settings = SimpleNamespace(env=env)
    document = SimpleNamespace(settings=settings, current_source="page.md")

    def shown(name, text):
        inliner = SimpleNamespace(document=document)
        (node,), _messages = pages.role(name, "", text, 3, inliner)
        return node.astext()

    assert shown("num", "docs_table2:Gibbs") == "\N{EN DASH}"
    run = PublishedRun(make_published(tmp_path))
    monkeypatch.setattr(pages, "published", lambda: run)
    said = "**standard scale**, not that of the papers, seed 7, 1 chains"
    assert said in pages.state(None, "")[0]
    assert "| all | 1 | 1 | 0 | 1 |" in pages.score(None, "", WALKER)[0]
    row = '| **DOC-1** One beats the other | <span class="verdict refuted">refuted</span> |  | '
    row += '<span class="verdict confirmed">confirmed</span> |'
    assert row in pages.claims(None, "", WALKER)[0]
    first = pages.overview(tmp_path / "docs" / "index.md", "")[0]
    assert "](../reports/published/overview.svg)" in first
    assert f"| [{WALKER}](findings/documents.md) | 1 | 1 |" in first
    assert shown("num", "docs_table2:Gibbs") == "2.100" and shown("claim", "DOC-1") == "refuted"
    with pytest.raises(ExtensionError, match="page.md, line 3: .* matches 2 rows"):
        shown("num", "docs_table2:VI")


def test_the_gallery_shows_the_figures_of_the_published_run_and_its_scale(tmp_path, monkeypatch):
    folder = tmp_path / "reports" / "published"
    (folder / "figures").mkdir(parents=True)
    (folder / "manifest.json").write_text('{"scale": "standard"}')
    (folder / "figures" / "tiwd_fig2.png").write_bytes(b"png")
    monkeypatch.setattr(catalogue, "ROOT", tmp_path)
    text, _files = catalogue.gallery(tmp_path / "docs" / "gallery.md", "")
    assert "made at the **standard scale**" in text
    assert re.findall(r"\]\((.*?)\)", text) == ["../reports/published/figures/tiwd_fig2.png"]


@pytest.mark.parametrize("given", [["--run", "paper"], ["--run", "published"], []])
def test_a_clone_without_results_explains_what_is_published(given, tmp_path, capsys):
    (tmp_path / "reports").mkdir()
    (tmp_path / "reports" / "published").symlink_to(ROOT / "reports" / "published")
    where = ["--directory", str(tmp_path)]
    run = PublishedRun(tmp_path / "reports" / "published")
    assert main(["explain", "docs_table2", *given, *where]) == 0
    said = capsys.readouterr().out
    hash_of_table = sha256_of(run.folder / "tables" / "docs_table2.csv")
    assert f"tables/docs_table2.csv  sha256 {hash_of_table[:12]}" in said
    assert "100 of gibbs" in said and "20 Newsgroups (faithful)" in said and "CHANGED" not in said
    assert all(code["commit"] in said for code in run.manifest["code"])
    assert main(["explain", "doc-1", "--json", *given, *where]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert {row["verdict"] for row in facts["claim"]} >= {"confirmed", "untestable"}
    assert set(facts["costs"]) == {"docs_table4", "docs_table5", "docs_table6"}
    assert main(["explain", "docs_tabel2", *given, *where]) == 2
    assert "did you mean 'docs_table2'?" in capsys.readouterr().err


def test_the_records_of_a_run_come_before_what_is_published_of_it(tmp_path, capsys):
    make_published(tmp_path)
    table = tmp_path / "reports" / "published" / "tables" / "docs_table2.csv"
    for name in ("", "standard", "other", "published"):
        given = SimpleNamespace(directory=tmp_path, of_run=name, target="docs_table2")
        assert (_published(given) is not None) == (name == "published"), given
    assert _published(SimpleNamespace(directory=tmp_path, of_run="", target=str(table)))
    table.write_text(table.read_text() + "\n")
    assert main(["explain", str(table), "--directory", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert "From the published run standard" in said
    assert "commit abc" in said and "CHANGED since" in said


def test_the_first_page_says_what_the_published_run_found_and_how_reseat_does_beside_others():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert readme.renewed(text, readme.block(ROOT)) == text, "Run `python tools/readme.py`."
    assert len(text.splitlines()) <= 130
    table, marks = readme.beside(ROOT), (readme.BESIDE_START, readme.BESIDE_END)
    assert readme.renewed(text, table, marks) == text, "Run `python tools/readme.py`."
    assert "| **" in table and "reseat" in table.splitlines()[0]


def test_every_sentence_on_what_was_learned_has_its_numbers_in_the_published_run():
    found = list(lessons(PUBLISHED))
    said = "\n\n".join("\n".join([title, *sentences]) for title, sentences in found) + "\n"
    text = resources.files("reseat.report").joinpath("lessons.md").read_text(encoding="utf-8")
    assert len(found) == 5 and said.count("\n") == text.count("\n")
    assert text.count("{num}") > 10 and "{num}" not in said


@pytest.mark.parametrize("page", sorted(write_findings.PAGES.glob("*.md")), ids=lambda p: p.stem)
def test_the_findings_can_be_read_without_building_them(page):
    written = (write_findings.TARGET / page.name).read_text(encoding="utf-8")
    made = write_findings.page(page, PUBLISHED)
    assert written == made, "Run `python tools/write_findings.py`."
    assert "{num}" not in written and "```{" not in written
    links = re.findall(r"\]\(([^)#]+)", written)
    assert links and all((write_findings.TARGET / link).is_file() for link in links)


def test_what_was_found_is_written_between_the_marks(tmp_path):
    make_run(tmp_path, "standard")
    assert readme.block(tmp_path) == readme.NOT_YET
    publish(tmp_path, "standard")
    inside = readme.block(tmp_path)
    assert "| all |" in inside and "](reports/published/overview.svg)" in inside
    text = f"a\n{readme.START}old\n{readme.END}b\n"
    assert readme.renewed(text, "new\n") == f"a\n{readme.START}new\n{readme.END}b\n"
    for wrong in ("a", f"{text}{readme.END}", f"{text}{readme.START}", readme.END + readme.START):
        with pytest.raises(ValueError, match="must contain the lines"):
            readme.renewed(wrong, "b")
