"""The whole workflow, to its last job, on small real files.

It meets what the demo never does: files that are found by their hash, in one form or another;
stand-ins for missing data; and a user's own data.
"""

import gzip
import json
import lzma
import re
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from given_files import put
from places import MIRROR
from workflow_runs import ARTEFACTS, ROOT, snakemake

from reseat.command.main import main

pytestmark = [pytest.mark.workflow, pytest.mark.realdata]

SLICE = ROOT / "tests" / "real_slice.yaml"

# Where a run puts its tables, figures and pages, below its folder.
REPORTS = "reports/standard"

# Files that are copied as they are in the project or its mirror, and others that are unpacked.
AS_THEY_ARE = (
    "stoplists/lucene_en.txt",
    "zanella-synthetic/gamma_italy.csv",
    "zanella-synthetic/cluster_sizes.json",
    "protein-dissim/protein_213_dissimilarities.csv.gz",
    "protein-dissim/protein_213_classes.csv",
    "proper-noun-coref/meantime_mentions.csv.gz",
)
UNPACKED = {
    "delicious-tagged/delicious.arff": "delicious-tagged/delicious.arff.xz",
    "febrl/dataset1.csv": "febrl/dataset1.csv.gz",
    "globins-scop/globins.fasta": "globins-scop/globins_scop_136.fasta.gz",
    "irm-classic/irmdata.tar": "irm-classic/irmdata.tar.gz",
}
# Made from data that the slice lacks: newsgroups, researchers, digits and citations.
OF_NEWS = "table2 table5 table7 readings mixing fig3_newsgroups fig4_newsgroups posterior em"
LEFT_OUT = {f"docs_{name}" for name in OF_NEWS.split()}
LEFT_OUT |= {"scdp_table1", "scdp_table2", "scdp_table4", "scdp_draws"}
# Some tables of every family: the data sets they are made from, and the status of each.
MADE_FROM = {
    "docs_table3": {"enron_ldc": "faithful"},
    "docs_table4": {"delicious_mulan": "stand-in"},
    "micro_table1": {"italy_d05": "faithful", "demo_syria2000_d05": "generated"},
    "micro_real": {"febrl1": "faithful"},
    "tiwd_labelled": {"globins_scop": "faithful", "protein213": "faithful"},
    "firm_table1": {"mainichi_adjectives": "faithful"},
    "firm_kemp": {"animals": "faithful"},
    "firm_svo": {"demo_triples": "generated"},
    "scdp_table3": {"ace2004_names": "faithful", "meantime_names": "stand-in"},
}


def raw(name):
    """Return the path of a file in the project's data or the mirror, or None if neither has it."""
    return next((path / name for path in (ROOT / "data", MIRROR) if (path / name).exists()), None)


def mirror(folder):
    """Fill a mirror with no more than the slice needs, some of it in another form."""
    for name in AS_THEY_ARE:
        put(folder / name, raw(name).read_bytes())
    for name, packed in UNPACKED.items():
        unpack = lzma.decompress if packed.endswith(".xz") else gzip.decompress
        put(folder / name, unpack(raw(packed).read_bytes()))
    return folder


def own_mail(folder, rng):
    """Write thirty messages on three topics."""
    words = {"gas": "pipeline storage", "law": "filing court", "trips": "flight hotel"}
    for topic, own in words.items():
        (folder / topic).mkdir(parents=True)
        for number in range(10):
            text = " ".join(rng.choice([*own.split(), "meeting", "monday"], 12))
            (folder / topic / f"{number}.txt").write_text(f"Subject: {topic}\n\n{text}\n")
    return folder


def own_pairs(path, rng):
    """Write counts of twelve adjectives and fifteen nouns in three blocks."""
    lines = ["adjective\tnoun\tcount"]
    for row, column in np.ndindex(12, 15):
        if row % 3 == column % 3 or rng.random() < 0.1:
            lines.append(f"a{row}\tn{column}\t{rng.integers(1, 9)}")
    path.write_text("\n".join(lines) + "\n")
    return path


def own_names(path, rng):
    """Write names in eight documents, half of them for training."""
    people = ["Ann Lee", "Anna Lee", "Bob Ray", "Robert Ray", "Cy Poe", "Cyrus Poe"]
    lines = ["doc_id,mention_id,name,head,entity_id,partition"]
    for document in range(8):
        partition = ("train", "test")[document % 2]
        for mention in range(10):
            person = rng.integers(len(people))
            name, entity = people[person], f"{document}#{person // 2}"
            lines.append(f"d{document},{mention},{name},{name[-3:]},{entity},{partition}")
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Return a folder in which the slice has run to the end."""
    for name in (*AS_THEY_ARE, *UNPACKED.values()):
        if raw(name) is None:
            pytest.skip(f"{MIRROR} does not hold {name}.")
    folder = tmp_path_factory.mktemp("real") / "run"
    inputs = folder.parent
    rng = np.random.default_rng(77)
    own = {
        "mirrors": [str(mirror(inputs / "mirror"))],
        "paths": {
            "enron_ldc": str(own_mail(inputs / "mail", rng)),
            "mainichi_adjectives": str(own_pairs(inputs / "pairs.tsv", rng)),
            "ace2004_names": str(own_names(inputs / "names.csv", rng)),
        },
    }
    settings(folder)[1].write_text(yaml.safe_dump({"data": own}))
    folder.mkdir()
    snakemake("all", "--configfile", *settings(folder), folder=folder)
    return folder


def settings(folder):
    """Return the configuration files of the slice and of the places of its data."""
    return SLICE, folder.with_name("own.yaml")


def test_every_artefact_that_can_be_made_is_there(run):
    made = {path.stem for path in (run / REPORTS / "tables").glob("*.csv")} & set(ARTEFACTS)
    assert made == set(ARTEFACTS) - LEFT_OUT
    for name in made:
        assert len(pd.read_csv(run / REPORTS / "tables" / f"{name}.csv")), name
        for ending in ("pdf", "svg", "png") if ARTEFACTS[name].kind == "figure" else ():
            assert (run / REPORTS / "figures" / f"{name}.{ending}").stat().st_size > 1000
    pages = "".join(page.read_text() for page in (run / REPORTS).glob("*.html"))
    assert all(f'id="{name}"' in pages for name in made)
    done = snakemake("all", "--configfile", *settings(run), "--dry-run", folder=run)
    assert "Nothing to be done" in done.stdout + done.stderr
    # Tables say what their data are.
    for name, expected in MADE_FROM.items():
        table = pd.read_csv(run / REPORTS / "tables" / f"{name}.csv")
        assert dict(zip(table["dataset"], table["status"], strict=True)) == expected, name


def test_the_crate_names_the_very_forms_that_were_read(run):
    graph = json.loads((run / "ro-crate-metadata.json").read_text())["@graph"]
    raw = {entity["name"]: entity for entity in graph if entity["@id"].startswith("#raw-")}
    assert {*AS_THEY_ARE, *UNPACKED} - raw.keys() <= {"stoplists/lucene_en.txt"}
    assert not raw.keys() & set(UNPACKED.values())
    assert raw["febrl/dataset1.csv"]["url"].endswith("/febrl/dataset1.csv")
    assert {"#data-demo_triples", "#data-enron_ldc"} <= {entity["@id"] for entity in graph}


def test_make_says_where_the_report_is(run):
    asked = ["make", "--silent", "--file", ROOT / "Makefile", ".where"]
    done = subprocess.run(asked, cwd=run, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    report = Path(re.search(r"^The report is (.+)$", done.stdout, re.MULTILINE)[1])
    assert report == run / "reports" / "index.html"
    assert "url=standard/index.html" in report.read_text(encoding="utf-8")


def test_one_byte_of_own_data_makes_again_what_follows_from_it(run, capsys, monkeypatch):
    monkeypatch.chdir(run)

    def due():
        done = snakemake("all", "--configfile", *settings(run), "--dry-run", folder=run)
        lines = done.stdout.partition("What would be made, and why:\n")[2] or done.stderr
        return dict(re.findall(r"^    (\w+) +\d+ jobs?  (.+)$", lines, re.MULTILINE))

    def explained():
        assert main(["explain", "firm_table1"]) == 0
        return capsys.readouterr().out

    assert due() == {} and "nothing has changed" in explained()
    path = run.parent / "pairs.tsv"
    before = path.read_text()
    assert before.endswith("\n")
    path.write_text(before[:-2] + ("1" if before[-2] != "1" else "2") + "\n")
    found = due()
    assert found["relational_data"] == "own data have changed"
    assert {"relational_fits", "firm_table1", "claims", "page", "crate"} <= found.keys()
    untouched = ("docs_", "documents_", "micro_", "records_", "tiwd_", "distances_", "scdp_")
    assert not [name for name in found if name.startswith(untouched)]
    assert f"{path.name}, your own data, has changed" in explained()
    path.write_text(before)
    assert due() == {} and "nothing has changed" in explained()
