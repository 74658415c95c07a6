"""What the workflow would do, and what it says about a wrong configuration before it begins."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import stored_lists
import yaml
from digest_files import read, remedy
from given_files import put
from workflow_runs import ARTEFACTS, ROOT, configuration, copy_workflow, refused, snakemake

from reseat.papers.catalogue import CATALOGUE
from reseat.papers.run_plan import plan_run, shortfall, shortfall_table
from reseat.provenance.changes import find_changes
from reseat.provenance.records import History

pytestmark = pytest.mark.workflow


def test_an_artefact_without_its_data_is_left_out_and_refused_by_name(tmp_path):
    changes = {"documents": {"scales": {"demo": {"datasets": ["demo_enron"]}}}}
    text = refused(tmp_path, changes, "docs_table2")
    assert "docs_table2 cannot be made: this run lacks data sets that it needs" in text
    done = snakemake("documents", "--configfile", tmp_path / "changes.yaml", "--dry-run",
                     folder=tmp_path)  # fmt: skip
    planned = set(re.findall(r"^ *(?:local)?rule (\w+):$", done.stdout + done.stderr, re.M))
    assert {"docs_table3", "docs_table6", "docs_fig2", "docs_fig3", "docs_extensions"} <= planned
    left_out = {"docs_table1", "docs_table2", "docs_table7", "docs_fig4", "documents_claims"}
    assert not left_out & planned


def test_one_artefact_needs_only_what_it_shows_and_a_dry_run_leaves_what_jobs_read(tmp_path):
    """The names of triggers are not taken for targets."""
    record = tmp_path / "data" / "raw" / "unreachable-demo.json"
    put(record, '{"https://example.org/a": "it does not answer"}')
    options = ("--rerun-triggers", "mtime", "code", "--config", "scale=demo", "-np")
    done = snakemake(*options, "--", "docs_fig4", folder=tmp_path)
    text = done.stdout + done.stderr
    assert "demo_delicious" in text
    assert "demo_newsgroups" not in text and "em_laplace" not in text
    assert "does not answer" in record.read_text()


def test_runs_are_named_after_scale_and_seed_unless_they_have_a_name():
    def name(**changes):
        return plan_run(configuration(changes), ROOT).run

    assert name() == name(run=None) == "standard" and name(scale="demo") == "demo"
    assert name(seed=7) == "standard-seed7" and name(seed=7, run="mine") == "mine"


@pytest.fixture(scope="module")
def planned(tmp_path_factory):
    """Return the jobs of a run of everything at each scale."""
    folder = tmp_path_factory.mktemp("planned")
    return {scale: stored_lists.jobs(scale, folder / scale) for scale in stored_lists.SCALES}


def test_the_jobs_of_every_scale_are_those_that_are_stored(planned):
    changed = stored_lists.changed_jobs(read(stored_lists.JOBS), stored_lists.digests(planned))
    assert not changed, remedy(changed, stored_lists.JOBS, "--jobs FILE", "What the workflow runs")


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """Return the paths of all files that a demo with another seed would write."""
    options = ("all", "--config", "scale=demo", "seed=7", "--summary")
    done = snakemake(*options, folder=tmp_path_factory.mktemp("summary"))
    rows = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return [row[0] for row in rows[1:]]


def test_every_file_of_the_results_is_described(outputs):
    lines = (ROOT / "docs" / "reference" / "outputs.md").read_text(encoding="utf-8").splitlines()
    seen = set()
    for path in outputs:
        if re.match("results/demo-seed7/(?!provenance/|benchmarks/).*[.](csv|npz)$", path):
            family, name = path.split("/")[2], re.sub(r"\d+", "N", path.split("/")[-1])
            seen.add((family, name))
            rows = [line for line in lines if line.startswith((f"| `{family}/", "| `FAMILY/"))]
            assert any(f"{name}`" in line for line in rows), path
    assert len(seen) > 40


def test_no_file_of_a_run_lies_where_another_run_writes(outputs):
    assert len(outputs) > 200 and all("/demo-seed7/" in path for path in outputs)
    n_found = 0
    for path in (ROOT / "workflow" / "rules").glob("*.smk"):
        text = path.read_text(encoding="utf-8")
        places = {"log": "LOGS", "benchmark": "BENCHMARKS"}
        for key, place in places.items():
            found = re.findall(rf"^ +{key}:\n +(.*)", text, re.M)
            assert all(value.startswith(f'f"{{{place}}}/') for value in found), (path, key)
            n_found += len(found)
    assert n_found > 50


def test_missing_data_are_listed_at_once_before_any_job(tmp_path):
    kept = {"mirrors": ["data"], "download": False, "missing": "stop"}
    changes = {"data": kept | {"mirrors": [str(tmp_path / "nowhere")]}}
    text = refused(tmp_path, changes, "all", scale="standard")
    # Data that are not missing can be used: the links of animals are in the project.
    path = tmp_path / "kept.yaml"
    path.write_text(yaml.safe_dump({"scale": "standard", "data": kept}))
    snakemake("firm_kemp", "--configfile", path, "--dry-run", folder=tmp_path)
    names = "newsgroups20 enron_kaminski delicious_mulan reuters52 nltcs5000 italy_shiw globins"
    for name in (*names.split(), "protein213", "aozora_adjectives", "umls"):
        assert name in text
    assert "data.missing: skip" in text and "data.missing: standin" in text
    assert not (tmp_path / "results").exists()


NO_THREAD, FIGURE = "chains={threads: 0}", ("--", "firm_fig1")


@pytest.mark.parametrize(
    ("given", "options", "sentence"),
    [
        # A wrong value is looked for in the file that has it.
        ("records: {miss: {start: 0}}", FIGURE, "mine.yaml, records.miss.start: must be above 0"),
        ("datasets: {mine: {titel: T}}", FIGURE, "mine.yaml: data set 'mine'"),
        ("seed: 1\nseed: 2\n", FIGURE, "line 2: the key 'seed' is written twice"),
        ("{}", (NO_THREAD, *FIGURE), "--config, chains.threads: must be at least 1, not 0"),
        ("{}", ("--cores", 0, *FIGURE), "--cores is 0"),
        ("{}", ("--executor", "slurm", "--jobs", 1, *FIGURE), "This machine has no sbatch"),
        ("{}", ("--", "docs_tabel2"), "docs_tabel2 is not a target; did you mean 'docs_table2'?"),
    ],
)
def test_what_cannot_run_is_refused_and_not_waited_for(given, options, sentence, tmp_path):
    if "slurm" in options and shutil.which("sbatch"):
        pytest.skip("SLURM is installed here")
    (tmp_path / "mine.yaml").write_text(given)
    (tmp_path / "first.yaml").write_text("scale: demo\nrecords: {miss: {start: 0.05}}\n")
    files = ("--configfile", tmp_path / "first.yaml", tmp_path / "mine.yaml")
    done = snakemake(*files, "--config", "run=r", *options, folder=tmp_path, check=False)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode != 0 and sentence in said and "Traceback" not in said
    assert not (tmp_path / "results").exists()


def test_results_move_with_the_project_and_are_not_taken_if_they_were_changed(tmp_path):
    before, folder = tmp_path / "before", tmp_path / "after"
    before.mkdir()
    copy_workflow(before)

    def run(*arguments, folder=folder, check=True):
        options = (*arguments, "--config", "scale=demo", "--", "firm_fig1")
        done = snakemake(*options, folder=folder, snakefile=folder / "Snakefile", check=check)
        assert check or done.returncode != 0
        return " ".join((done.stdout + done.stderr).split())

    assert "firm_fig1: reports/demo/tables/firm_fig1.csv, " in run(folder=before)
    before.rename(folder)
    assert "Nothing to be done" in run("--dry-run")
    table = folder / "reports" / "demo" / "tables" / "firm_fig1.csv"
    stamp, text = table.stat(), table.read_text()
    table.write_text(text.replace("1", "2", 1))
    said = "firm_fig1.csv: changed or damaged since the job that made it ended"
    assert said in run(check=False)
    table.write_text(text)  # with another date, which is no reason to complain
    assert "firm_fig1.csv: changed" not in run()
    os.utime(table, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    assert "Nothing to be done" in run()


def test_the_list_says_what_every_artefact_shows():
    """Snakemake prints it in ``papers/test_guide_artefact.py``."""
    listed = CATALOGUE.listing(dict.fromkeys(ARTEFACTS, "2 hours")).splitlines()
    for name, artefact in ARTEFACTS.items():
        line = next(line for line in listed if line.strip().startswith(name))
        assert artefact.shows in line


#: Artefacts for which a clone alone lacks the data, and those that it makes in part.
LEFT_OUT = {"scdp_table2", *(name for name in ARTEFACTS if name.startswith("docs_"))}
OF_NAMES = "fig3 moves readings table5 times posterior scale full held_out chosen"
IN_PART = {"micro_real", "cross_priors", *(f"scdp_{name}" for name in OF_NAMES.split())}


def test_without_a_network_a_clone_makes_what_it_has_the_data_for(tmp_path):
    alone = {"data": {"mirrors": ["data"], "download": False}}  # and no folder of files beside it
    path = tmp_path / "alone.yaml"
    path.write_text(yaml.safe_dump({"scale": "standard"} | alone))
    arguments = {"folder": tmp_path}
    done = snakemake("all", "--configfile", path, "--dry-run", **arguments)
    planned = set(re.findall(r"^ *(?:local)?rule (\w+):$", done.stdout + done.stderr, re.M))
    made = planned & ARTEFACTS.keys()
    assert made == ARTEFACTS.keys() - LEFT_OUT and len(made) >= 36
    plan = plan_run(configuration({"scale": "standard"} | alone), ROOT)
    found = shortfall(plan, CATALOGUE.products)
    assert (found.left_out.keys(), found.in_part.keys()) == (LEFT_OUT, IN_PART)
    assert found.in_part["micro_real"] == ("sds_poland",)
    table = shortfall_table(plan, CATALOGUE.products)
    assert table.startswith(f"6 data sets are missing: {len(made)} of {len(ARTEFACTS)} tables")
    for name in plan.available.skipped:
        row = re.search(rf"^{name} .*?(?=^\S)", table, re.M | re.S)[0]
        assert "where:" in row and "https://" in row and "needed by: " in row
    first = table.split("\n")[0]
    assert first in " ".join((done.stdout + done.stderr).split())
    # A figure that lacks nothing says nothing of what others lack.
    figure = snakemake("firm_fig1", "--configfile", path, "--dry-run", **arguments)
    assert first not in " ".join((figure.stdout + figure.stderr).split())
    # On the command line, scalars inside a mapping are texts to Snakemake.
    written = ("scale=standard", "data={mirrors: [data], download: false}", "chains={threads: 1}")
    shown = snakemake("missing", "--quiet", "all", "--config", *written, **arguments)
    assert table in shown.stdout
    for page in ("data/README.md", "docs/howto/data.md", "docs/howto/offline.md"):
        text = " ".join((ROOT / page).read_text(encoding="utf-8").split())
        assert f"{len(made)} of the {len(ARTEFACTS)} tables and figures" in text, page


def test_no_linter_complains():
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path}
    asked = ["sh", "tools/lint.sh"]
    done = subprocess.run(asked, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


MODULE = """
module reseat:
    snakefile:
        "{root}/Snakefile"
    {settings}


use rule * from reseat as reseat_*


rule mine:
    default_target: True
    input:
        rules.reseat_micro_thm1.output,
    output:
        "mine.txt",
    shell:
        "ls {{input}} > {{output}}"
"""


def as_module(folder, settings, *arguments, check=True):
    """Run a workflow that uses this one as a module; return what it said, and the folder."""
    (folder / "Snakefile").write_text(MODULE.format(root=ROOT, settings=settings))
    done = snakemake(*arguments, folder=folder, snakefile=folder / "Snakefile", check=check)
    return " ".join((done.stdout + done.stderr).split())


def test_another_workflow_can_use_this_one_as_a_module(tmp_path):
    """The module has a configuration and a folder of its own, and what it keeps lies there too."""
    settings = 'config: {"scale": "demo", "seed": 7}\n    prefix: "clusters"'
    as_module(tmp_path, settings)
    made = (tmp_path / "mine.txt").read_text().split()
    assert "clusters/reports/demo-seed7/figures/micro_thm1.svg" in made
    assert all((tmp_path / path).is_file() for path in made)
    beside = {".snakemake", "Snakefile", "clusters", "mine.txt"}
    assert {path.name for path in tmp_path.iterdir()} == beside
    history = History(tmp_path / "clusters")
    steps = history.steps(["reports/demo-seed7/figures/micro_thm1.svg"])
    assert [step.rule for step in steps] == ["reseat_micro_thm1", "reseat_records_growth"]
    states, changes = find_changes(history, steps)
    assert not changes and set(states.values()) == {"unchanged"}
    assert "Nothing to be done" in as_module(tmp_path, settings, "--dry-run")
    table = tmp_path / "clusters/reports/demo-seed7/tables/micro_thm1.csv"
    table.write_text(table.read_text().replace("1", "2", 1))
    said = as_module(tmp_path, settings, "--dry-run", check=False)
    assert "reports/demo-seed7/tables/micro_thm1.csv: changed or damaged" in said


def test_a_module_needs_neither_configuration_nor_prefix_and_tears_no_run_apart(tmp_path):
    said = as_module(tmp_path, "", "--config", "scale=demo", "--dry-run")
    assert "output: reports/demo/tables/micro_thm1.csv" in said
    settings = 'replace_prefix: {"reports/": "other/reports/"}'
    said = as_module(tmp_path, settings, "--config", "scale=demo", "--dry-run", check=False)
    assert "cannot have a replace_prefix" in said
