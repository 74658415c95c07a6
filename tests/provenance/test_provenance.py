"""Records of jobs, and the way back from a figure to seeds, data and code."""

import hashlib
import importlib
import json
import logging
import os
import re
import subprocess
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pytest
from forked import run_snakemake
from given_files import put
from places import ROOT
from provenance_tree import RAW, SCORES, URL, make_run, make_scores, record_job, write
from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

import reseat
from reseat.command.main import main
from reseat.errors import DataError
from reseat.files.atomic import sha256_of
from reseat.provenance import changes
from reseat.provenance.changes import check_outputs, damaged_outputs, history_of, other_packages
from reseat.provenance.closure import fingerprint
from reseat.provenance.code import not_installed, state_of
from reseat.provenance.console import Progress, TimeLeft
from reseat.provenance.explain import explain, find_target
from reseat.provenance.records import History, plain
from reseat.provenance.runs import PACKAGES, installed_versions, record_path, records_of

FIGURE = "reports/demo/figures/tiwd_fig4.png"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("run")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        make_run()
    return folder


@pytest.fixture
def run(made, tmp_path, monkeypatch):
    """Return a copy of the run, like a folder of results that was sent to somebody."""
    subprocess.run(["cp", "-R", f"{made}/.", tmp_path], check=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def facts(name, artefacts=("tiwd_fig4",)):
    history = History()
    return explain(history, find_target(history, name, artefacts))


def kinds(found):
    return {(change["kind"], change["path"]) for change in found["changes"]}


def test_a_figure_leads_back_to_seeds_streams_and_data(run):
    found = facts(FIGURE)
    assert [job["rule"] for job in found["jobs"]] == ["tiwd_fig4", "scores", "chains", "data"]
    (chains,) = found["chains"]
    assert chains["n_chains"] == 2 and chains["chains"] == [0, 1]
    assert chains["seed"] == 7 and chains["streams"] == [["paper", "notes", "dp"]]
    assert (chains["burn_in"], chains["n_samples"], chains["thin"]) == (3, 4, 2)
    assert chains["versions"][0]["reseat"] == reseat.__version__
    (data,) = found["data"]
    assert data["sha256"] == {"notes/notes.tsv": RAW} and data["urls"] == {"notes/notes.tsv": [URL]}
    assert (data["licence"], data["stands_for"]) == ("CC BY 4.0", "letters of 1850")
    (processed,) = data["processed"]
    assert processed["sha256"] == sha256_of(run / processed["path"])
    assert found["configuration"]["seed"] == 7 and found["configuration"]["scale"] == "demo"
    assert [entry["path"] for entry in found["sources"]] == ["config/published/table.csv"]
    assert found["changes"] == []
    # The figure, its table and its name are the same artefact.
    table = facts("reports/demo/tables/tiwd_fig4.csv")
    named = facts("tiwd_fig4")
    assert table["artefact"] == named["artefact"] == facts(FIGURE)["artefact"] == "tiwd_fig4"
    assert table["chains"] == named["chains"]
    assert facts("results/demo/notes/chains/dp-chain-1.nc")["jobs"][0]["rule"] == "chains"


def test_a_claim_leads_to_what_it_was_judged_on(run):
    found = facts("TIWD-3a")
    assert [row["verdict"] for row in found["claim"]] == ["confirmed", "refuted"]
    assert [job["rule"] for job in found["jobs"]][:2] == ["verdicts", "scores"]
    assert found["chains"][0]["n_chains"] == 2


CHAIN = "results/demo/notes/chains/dp-chain-1.nc"


@pytest.mark.parametrize("path", [SCORES, CHAIN, "config/published/table.csv"])
def test_a_changed_file_is_noticed_whatever_its_date(run, path):
    content = (run / path).read_bytes()
    (run / path).write_bytes(content[:-1] + b"x")
    ((kind, where),) = kinds(facts(FIGURE))
    assert kind == "changed" and path.startswith(where)
    if path != CHAIN:
        (run / path).unlink()
        assert kinds(facts(FIGURE)) == {("missing", path)}


def test_what_was_made_again_is_told_only_if_it_differs(run):
    make_scores()
    assert facts(FIGURE)["changes"] == []
    make_scores("ari\n0.7\n")
    found = facts(FIGURE)
    assert kinds(found) == {("made again", SCORES)}
    assert found["jobs"][0]["rule"] == "tiwd_fig4"  # its own job, though another ended later


def test_changed_code_is_noticed(run, monkeypatch):
    write("workflow/scripts/scores.py", "# said otherwise\n")
    assert facts(FIGURE)["changes"] == []
    write("workflow/scripts/scores.py", "another = 'way'\n")
    assert kinds(facts(FIGURE)) == {("script", "workflow/scripts/scores.py")}
    write("workflow/scripts/scores.py", "from reseat.files.atomic import write_text\n")
    assert ("library", "reseat/files/atomic.py") in kinds(facts(FIGURE))


def test_records_of_earlier_versions_are_compared_with_what_counts_today(run):
    renamed = "datasets/parsers/renamed.py"
    before = {path: json.loads(path.read_text()) for path in records_of(".")}
    for path, record in before.items():
        record["modules"] |= {"provenance/jobs.py": "0", "provenance/records.py": "0"}
        path.write_text(json.dumps(record))
    assert facts(FIGURE)["changes"] == []
    for path, record in before.items():
        record["reaches"] = [*record["reaches"], "reseat.datasets.parsers.renamed"]
        record["modules"] |= {renamed: "0"}
        path.write_text(json.dumps(record))
    assert kinds(facts(FIGURE)) == {("library", f"reseat/{renamed}")}


def test_code_that_was_edited_during_a_run_is_not_recorded_as_that_of_its_start(run, monkeypatch):
    known = {"version": "told", "sources": "at the start"}
    monkeypatch.setenv("RESEAT_CODE_VERSION", json.dumps(known))
    planned = record_job("scores", "logs/demo/a.log", lambda: None)
    code = fingerprint(json.loads(planned.read_text())["modules"])
    for given, same in ((code, True), ("0" * 16, False)):
        path = record_job("scores", "logs/demo/a.log", lambda: None, params={"code": given})
        assert (json.loads(path.read_text())["code"] == known) is same


def test_another_version_of_a_package_is_noticed(run, monkeypatch):
    history_of.cache_clear()
    assert other_packages("") == {}
    (used,) = {record["software"]["numpy"] for record in History().records}
    other = installed_versions() | {"numpy": "99.0"}
    monkeypatch.setattr(changes, "installed_versions", lambda: other)
    assert ("package", "numpy") in kinds(facts(FIGURE))
    found = other_packages("", ["claims"])
    assert "claims" not in found and found["chains"] == [f"numpy {used} (now 99.0)"]


def test_every_package_that_is_told_is_one_that_is_needed():
    """Records state the version of each package as it is imported."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name, distribution in PACKAGES.items():
        assert f'"{distribution}>=' in text
        assert importlib.import_module(name).__version__ == installed_versions()[name]


def test_what_cannot_be_explained_gets_one_sentence(run, tmp_path_factory):
    by_hand = "reports/demo/tables/by_hand.csv"
    write(by_hand, "x\n")
    for name, words in (
        (by_hand, r"by_hand\.csv has no job record: it is older than the records"),
        ("TIWD-99", "TIWD-99 is not a file of this run, an artefact or a claim"),
        ("", "The name is empty"),
    ):
        with pytest.raises(DataError, match=words):
            facts(name)
    with pytest.raises(DataError, match="SC-2: no verdict on this claim was found in demo"):
        find_target(History(), "SC-2", claims=("SC-1", "SC-2"))
    with pytest.raises(DataError, match="tiwd_fig5: no record of its table was found in demo"):
        facts("tiwd_fig5", ["tiwd_fig5"])
    with pytest.raises(DataError, match="contains no job records; run the workflow first"):
        History(tmp_path_factory.mktemp("empty"))


def test_a_folder_has_the_hash_that_sha256sum_gives(run):
    folder = run / "results/demo/notes/chains"
    (folder / ".snakemake_timestamp").touch()
    listed = subprocess.run(
        "sha256sum *.nc | sha256sum", shell=True, cwd=folder, capture_output=True, text=True
    )
    assert state_of(folder).sha256 == listed.stdout.split()[0]


def test_a_large_file_is_read_once(tmp_path, monkeypatch):
    path = tmp_path / "large.bin"
    path.write_bytes(b"x" * 100)
    first = state_of(path)
    monkeypatch.setattr("reseat.provenance.code.sha256_of", lambda _: pytest.fail("read again"))
    stamp = (first.size, first.modified)
    assert state_of(path, {stamp: first.sha256}).sha256 == first.sha256


def test_parameters_tell_of_no_machine(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    given = {"file": tmp_path / "a.yaml", "text": str(tmp_path / "b"), "sizes": (1, 2.5, None)}
    assert plain(given) == {"file": "a.yaml", "text": "b", "sizes": [1, 2.5, None]}


RECORD = "results/demo/provenance/made.json"
SNAKEFILE = """
rule made:
    input: table="in.csv"
    output: "results/out.csv"
    log: "logs/demo/made.log"
    params: seed=5, where="{folder}/x"
    script: "workflow/scripts/made.py"
"""
SCRIPT = """
from pathlib import Path
from reseat.provenance.jobs import job
with job(snakemake.log[0]):
    Path(snakemake.output[0]).write_text(Path(snakemake.input.table).read_text().upper())
"""


@pytest.mark.workflow
@pytest.mark.parametrize("in_the_way", ["", "of the folder", "at the end"])
def test_a_job_of_snakemake_leaves_its_record_or_fails(tmp_path, in_the_way):
    write(tmp_path / "Snakefile", SNAKEFILE.replace("{folder}", str(tmp_path)))
    block = f'    Path("{RECORD}", "a folder").mkdir(parents=True)\n'
    script = SCRIPT + (block if in_the_way == "at the end" else "")
    write(tmp_path / "workflow/scripts/made.py", script)
    write(tmp_path / "in.csv", "a,b\n")
    if in_the_way == "of the folder":
        write(tmp_path / "results/demo/provenance", "a file")
    options = ("--cores", "1", "--workflow-profile", "none", "--directory", tmp_path)
    options += ("--snakefile", tmp_path / "Snakefile")
    done = run_snakemake(*options, environment=dict(os.environ))
    if in_the_way:
        assert done.returncode != 0 and not (tmp_path / "results/out.csv").exists()
        (said,) = [line for line in done.stderr.splitlines() if line.endswith("made.log)")]
        assert "results/demo/provenance" in said
        return
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "results/out.csv").read_text() == "A,B\n"
    record = json.loads((tmp_path / record_path("logs/demo/made.log")).read_text())
    assert record["rule"] == "made" and record["params"] == {"seed": 5, "where": "x"}
    assert record["script"]["path"] == "workflow/scripts/made.py"
    ((taken,), (made,)) = record["inputs"], record["outputs"]
    assert (taken["role"], taken["path"]) == ("table", "in.csv")
    assert made["sha256"] == hashlib.sha256(b"A,B\n").hexdigest()
    assert str(tmp_path) not in json.dumps(record)
    assert Path(tmp_path, record["log"]).read_text(encoding="utf-8") == ""


def test_the_command_explains_a_result_of_the_run_that_is_named(run, capsys):
    assert main(["explain", FIGURE]) == 0
    alone = capsys.readouterr().out
    for words in ("rule tiwd_fig4", "2 of dp", "seed 7", "paper/notes/dp", RAW, "CC BY 4.0",
                  "stand-in for letters of 1850", "nothing has changed"):  # fmt: skip
        assert words in alone
    assert main(["explain", FIGURE, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["chains"][0]["streams"] == [["paper", "notes", "dp"]]
    assert main(["explain", FIGURE, "--run", "demo"]) == 0
    assert capsys.readouterr().out == alone
    assert main(["explain", FIGURE, "--run", "dem"]) == 2
    said = capsys.readouterr().err
    assert "There is no run 'dem' in " in said and "did you mean 'demo'?" in said


def test_outputs_that_were_changed_are_told_from_those_of_another_date(run):
    assert damaged_outputs(History()) == []
    check_outputs(".", "demo")
    check_outputs(".", "none")  # a run of which nothing has been made
    chain = Path("results/demo/notes/chains/dp-chain-0.nc")
    content = chain.read_bytes()
    chain.write_bytes(content)
    assert damaged_outputs(History()) == []
    chain.write_bytes(content[:-1] + b"x")
    Path(SCORES).write_text("ari\n0.6\n", encoding="utf-8")
    assert damaged_outputs(History()) == ["results/demo/notes/chains", SCORES]
    # Nothing is damaged while Snakemake is at work.
    lock = put(Path(".snakemake/locks/0.output.lock"))
    check_outputs(".", "demo")
    lock.unlink()
    with pytest.raises(DataError, match="notes/chains, .*scores.csv: changed or damaged") as said:
        check_outputs(".", "demo")
    # Snakemake does not miss an intermediate result as long as what was made from it exists.
    words = f"re-run the command with `--forcerun results/demo/notes/chains {SCORES}` at its end"
    assert words in str(said.value)
    chain.write_bytes(content)
    Path(SCORES).unlink()
    assert damaged_outputs(History()) == []
    # What two jobs made is as the last one left it.
    made = record_path("logs/demo/notes/scores.log")
    first = json.loads(made.read_text())
    make_scores("ari\n0.7\n")
    # The record of another job, which comes later by name but ended earlier.
    made.with_name("z.json").write_text(json.dumps(first))
    assert damaged_outputs(History()) == []


@pytest.mark.parametrize("longest_name", [255, 10])
def test_what_snakemake_makes_anew_after_an_interruption_is_not_damaged(run, longest_name):
    persistence = pytest.importorskip("snakemake.persistence.file").FilePersistence()
    persistence._max_len = longest_name
    Path("results/demo/notes/chains/dp-chain-0.nc").unlink()
    Path(SCORES).write_text("ari\n0.6\n", encoding="utf-8")
    assert damaged_outputs(History()) == ["results/demo/notes/chains", SCORES]
    # Snakemake marks outputs as incomplete before it removes the old ones.
    persistence._mark_incomplete("results/demo/notes/chains", None)
    assert damaged_outputs(History()) == [SCORES]
    persistence._mark_incomplete(SCORES, None)
    assert damaged_outputs(History()) == []


def test_sources_that_are_not_installed_are_found(tmp_path):
    installed = Path(reseat.__file__).parent
    assert not_installed(installed) == not_installed(tmp_path / "nowhere") == []
    for name in ("counts.py", "checks.py"):
        (tmp_path / name).write_bytes((installed / name).read_bytes())
    assert not_installed(tmp_path) == []
    (tmp_path / "counts.py").write_text("# another\n")
    (tmp_path / "new.pyx").write_text("")
    assert not_installed(tmp_path) == ["counts.py", "new.pyx"]


JOBS = {1: ("fits", "a/fit"), 2: ("fits", "b/fit"), 3: ("plots", "plot")}


def test_the_time_left_follows_from_the_rules_other_runs_and_the_cores():
    # Jobs are taken to last as long as those of their rule.
    left = TimeLeft(JOBS, {}, cores=1)
    left.start(1, 0.0)
    assert left.end(1, 60.0) == 60.0
    left.start(2, 60.0)
    # 50 seconds are left of the second fit, and nothing is known about the plot.
    assert left.seconds(70.0) == (pytest.approx(50.0), 1)
    # What another run took counts at the pace of this machine.
    left = TimeLeft(JOBS, {"a/fit": 30.0, "b/fit": 100.0, "plot": 10.0}, cores=1)
    assert left.seconds(0.0) == (pytest.approx(140.0), 0)
    left.start(1, 0.0)
    left.end(1, 60.0)
    assert left.seconds(60.0) == (pytest.approx(220.0), 0)
    # Jobs side by side share the time.
    left = TimeLeft(JOBS, {"a/fit": 100.0, "b/fit": 100.0, "plot": 40.0}, cores=2)
    left.start(1, 0.0)
    left.start(2, 0.0)
    assert left.seconds(50.0) == (pytest.approx((50.0 + 50.0 + 40.0) / 2), 0)


def test_a_job_that_ends_is_one_line_and_the_rest_is_kept_from_the_console(caplog):
    now = iter([0.0, 5.0, 5.0, 5.0, 65.0, 65.0])
    logger = logging.getLogger("snakemake of this test")
    left = TimeLeft(JOBS, {}, cores=1)
    progress = Progress(logger, lambda: left, Quietness.HOST, lambda: next(now))
    logger.addFilter(progress)
    quiet = []
    logger.addFilter(lambda record: quiet.append(getattr(record, "quietness", None)) or True)
    with caplog.at_level(logging.INFO, logger.name):
        logger.info(None, extra={"event": LogEvent.JOB_INFO, "jobid": 1})
        logger.info(None, extra={"event": LogEvent.JOB_FINISHED, "job_id": 1})
        logger.info(None, extra={"event": LogEvent.PROGRESS, "done": 1, "total": 3})
    said = [record.getMessage() for record in caplog.records if record.msg]
    assert said == ["[1/3] a/fit  0:05; about 0:05 left, and 1 job of unknown length"]
    assert quiet.count(Quietness.HOST) == 3
    # A dry run says what it always did.
    logger = logging.getLogger("snakemake of another test")
    progress = Progress(logger, lambda: None, Quietness.HOST)
    record = logger.makeRecord("", logging.INFO, "", 0, None, (), None)
    record.event, record.jobid = LogEvent.JOB_INFO, 1
    assert progress.filter(record) and not hasattr(record, "quietness")


#: What the workflow uses of Snakemake although its documentation does not promise it: attributes,
#: functions and messages, by the module that has them.
BEYOND = {
    "snakemake.dag": ("needrun_jobs", "jobid", "jobs"),
    "snakemake.iocontainers": ("_allitems",),
    "snakemake.logging": ("record.quietness",),
    "snakemake.rules": ("basedir", "set_params", "set_output"),
    "snakemake.scheduling.job_scheduler": ("job_rate_limiter", "Select jobs to execute..."),
    "snakemake.settings.types": ("max_jobs_per_timespan",),
    "snakemake.workflow": (
        *("is_main_process", "scheduler", "current_basedir", "register_resource"),
        "This was a dry-run",
    ),
}


@pytest.mark.parametrize("module", BEYOND)
def test_snakemake_has_what_it_does_not_promise(module):
    source = Path(find_spec(module).origin).read_text(encoding="utf-8")
    lacking = [name for name in BEYOND[module] if not re.search(rf"\b{re.escape(name)}", source)]
    assert not lacking, (
        f"{module} of snakemake {version('snakemake')} has no {', '.join(lacking)}; mend what uses "
        "it in workflow/rules or src/reseat/provenance/console.py, or narrow the versions in "
        "pyproject.toml."
    )
