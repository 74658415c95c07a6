"""Rules for the project as a whole: no stray paths, documented names, imports in one direction."""

import ast
import importlib.util
import inspect
import json
import re
import subprocess
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter

import pytest
import yaml
from places import ROOT

import reseat
from reseat.declarations import Registry
from reseat.errors import ConfigError
from reseat.papers.catalogue import CATALOGUE
from reseat.papers.declare import Paper
from reseat.papers.recipe import look_up

SOURCE = ROOT / "src" / "reseat"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
GENERATED = {"build", "data", "dist", "logs", "reports", "results", "__pycache__"}
BINARY = {".png", ".pdf", ".gz", ".xz", ".npz", ".nc", ".so", ".ico", ".pyc"}


def project_files():
    """Return the files under version control or, in an unpacked archive, those no run has made."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout.split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = []
    if any(listed):
        files = [ROOT / name for name in listed if name]
    else:
        files = [
            path
            for path in ROOT.rglob("*")
            if not GENERATED & set(path.relative_to(ROOT).parts)
            and not any(part.startswith(".") for part in path.relative_to(ROOT).parts[:-1])
        ]
    return [path for path in files if path.is_file() and path.suffix not in BINARY]


def rule_files():
    return [ROOT / "workflow" / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]


def rules():
    """Return the text of each rule, by name; rules made in a loop have the name in braces."""
    found = {}
    for path in rule_files():
        text = path.read_text(encoding="utf-8")
        for start in re.finditer(r"^( *)(?:rule|checkpoint|use rule)\b ?([^\n]*):$", text, re.M):
            # The rule ends before the next line that is not indented further than the rule.
            end = rf"^(?! {{{len(start[1]) + 1}}}|\n)"
            body = re.split(end, text[start.end() + 1 :], maxsplit=1, flags=re.M)[0]
            name = re.sub(r"^\w+ as | with$", "", start[2])
            if not name:
                name = "{" + re.match(r" +name:\s+(.+)", body)[1] + "}"
            assert name not in found, f"the rule {name} is written twice"
            found[name] = re.sub(rf"^{start[1]}", "", body, flags=re.M)
    return found


# ---- what no file holds ------------------------------------------------------------------

STRAY = {
    "a path of one machine": re.compile(
        r"(?<![\w.$~}*-])/(?:home|Users|root|tmp|work|farm|opt|mnt|scratch)/[\w.]|[A-Z]:\\\\?Users"
    ),
    "a package index": re.compile(
        "|".join(["py" + r"pi\.org", "python" + r"hosted\.", "ana" + r"conda\.(?:org|com)"])
    ),
    "an option that names a package index": re.compile(r"(?:^|\s)--(?:extra-)?index-url[ =]"),
    "a target after the configuration, of which Snakemake would take it for a part": re.compile(
        r"snakemake .*--config( +[a-z]+=\S+)+ +[a-z_]+ *$"
    ),
}


@pytest.mark.parametrize("what", STRAY)
def test_no_file_holds(what):
    files = project_files()
    assert len(files) > 100
    found = []
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if STRAY[what].search(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}")
    assert not found, "\n".join(found)


def test_the_patterns_recognise_what_they_are_for():
    path, index, option, _ = STRAY.values()
    assert path.search('open("' + "/ho" + 'me/someone/x")') and path.search("cd " + "/t" + "mp/x")
    assert not path.search("results/work/x ../work/x $HOME/opt/x https://example.org/home/x")
    assert index.search("https://py" + "pi.org/simple")
    assert option.search("pip install --index" + "-url x")


def negative_places(line):
    """Return the innermost-first subscripts of a line of code that count from the end."""
    found = []
    while match := re.search(r"([\w)}\]\x00])?\[([^\[\]]*)\]", line):
        owner, inside = match.groups()
        if owner and any(re.match(r"\s*-", part) for part in re.split("[,:]", inside)):
            found.append(inside)
        line = line[: match.start()] + "\x00" + line[match.end() :]
    return found


def test_kernels_do_not_count_from_the_end():
    """Cython leaves it undefined what a negative index does, even one of a NumPy array."""
    assert "-Xwraparound=False" in (SOURCE / "meson.build").read_text(encoding="utf-8")
    lines = ("x[-1]", "x[a[0], -k]", "x[y[0]][:-1]", "f(x)[::-1]", "x[ - 1 :]")
    assert all(map(negative_places, lines))
    assert not any(map(negative_places, ("x[n - 1]", "f([-1, 2])", "x = [-1]", "x[f([-1])]")))
    found = []
    for path in sorted([*SOURCE.rglob("*.pyx"), *SOURCE.rglob("*.pxd")]):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if not line.strip().startswith((">>>", "#")) and negative_places(line):
                found.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    assert not found, "\n".join(found)


# ---- size --------------------------------------------------------------------------------

# The largest number of lines and of files in each folder, without stored digests. A change that
# needs more raises its numbers here, and says in its message what was worth it; one that needs less
# lowers them.
BUDGET = {
    "benchmarks": (4300, 46),
    "docs": (5950, 86),
    "src/reseat": (2050, 23),
    "src/reseat/baselines": (1750, 9),
    "src/reseat/chains": (2450, 17),
    "src/reseat/command": (4150, 23),
    "src/reseat/datasets": (8150, 55),
    "src/reseat/dissimilarities": (1200, 6),
    "src/reseat/estimators": (5000, 17),
    "src/reseat/files": (700, 5),
    "src/reseat/kept_run": (900, 7),
    "src/reseat/likelihoods": (8900, 46),
    "src/reseat/metrics": (1250, 9),
    "src/reseat/models": (2500, 19),
    "src/reseat/moves": (4200, 21),
    "src/reseat/numerics": (400, 3),
    "src/reseat/papers": (18350, 94),
    "src/reseat/plots": (600, 8),
    "src/reseat/priors": (2300, 16),
    "src/reseat/provenance": (2250, 10),
    "src/reseat/reading": (1700, 10),
    "src/reseat/report": (3250, 29),
    "src/reseat/summaries": (2000, 12),
    "src/reseat/variational": (2150, 12),
    "tests": (43500, 204),
    "tools": (1450, 30),
    "workflow": (2150, 46),
}
#: Lines are rounded up to a multiple of this, so that not every change has to touch the table.
STEP = 50


def folder_of(path):
    """Return the folder in the table to which a file belongs, or None."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "src":
        return "/".join(parts[:-1][:3])
    counted = parts[0] in ("workflow", "tests", "docs", "tools", "benchmarks")
    return parts[0] if counted and parts[:2] != ("tests", "digests") else None


def test_no_folder_grows_beyond_its_budget():
    found = {}
    for path in project_files():
        if folder := folder_of(path):
            lines, files = found.get(folder, (0, 0))
            text = path.read_text(encoding="utf-8")
            found[folder] = lines + text.count("\n"), files + 1
    rows = {
        folder: (-(-lines // STEP) * STEP, files)
        for folder, (lines, files) in sorted(found.items())
    }
    wrong = []
    for folder in sorted(rows.keys() | BUDGET.keys()):
        row, most = rows.get(folder, (0, 0)), BUDGET.get(folder, (0, 0))
        # A folder is less than a tenth smaller than it may be.
        if not all(0.9 * most[place] < row[place] <= most[place] for place in range(2)):
            wrong.append(f'    "{folder}": {row},  # now {most}')
    assert not wrong, "these rows of BUDGET do not fit:\n" + "\n".join(wrong)


# ---- imports -----------------------------------------------------------------------------

# The parts of the library that import no other part; a new part must be added here or below.
ALONE = "errors _labels numerics threads generators prefetch stamps sorting vocabulary".split()
# The other parts that each of the rest may import.
MAY_IMPORT = dict.fromkeys(ALONE, "") | yaml.safe_load("""
checks: _labels configuration errors
files: errors
configuration: errors
sections: checks configuration errors
provenance: chains configuration datasets declarations errors files vocabulary
declarations: errors
relation_tables: checks errors
partition: checks errors stamps
members: checks errors
equal_pairs: _labels
priors: checks configuration declarations errors generators
metrics: _labels checks counts declarations errors
papers: baselines chains configuration datasets declarations dissimilarities errors files
  likelihoods metrics models moves numerics partition plots priors provenance sections summaries
  variational vocabulary
plots: files vocabulary
counts: checks errors
likelihoods: checks counts dissimilarities equal_pairs errors generators members numerics prefetch
  sorting stamps
moves: checks counts equal_pairs errors generators likelihoods members numerics partition prefetch
  priors sorting
baselines: checks counts dissimilarities errors metrics numerics prefetch threads
reading: configuration counts errors files
dissimilarities: checks errors files numerics reading
variational: checks counts errors numerics prefetch relation_tables threads
datasets: checks configuration counts dissimilarities errors files numerics reading relation_tables
  sections threads vocabulary
summaries: _labels checks equal_pairs errors metrics numerics threads
chains: _labels checks errors files likelihoods moves numerics partition priors summaries threads
report: errors files metrics plots provenance summaries vocabulary
kept_run: configuration errors files metrics plots provenance report vocabulary
models: baselines chains checks declarations equal_pairs errors files likelihoods metrics moves
  numerics priors
estimators: chains checks counts dissimilarities errors files likelihoods metrics models moves plots
  priors reading summaries variational
command: chains checks configuration counts datasets dissimilarities errors estimators files
  kept_run metrics models papers plots priors provenance reading report summaries threads
""")
MAY_IMPORT = {part: set(others.split()) for part, others in MAY_IMPORT.items()}


@cache
def imports():
    """Return the absolute names of the modules that each source file imports."""
    found = {}
    for path in [file for e in ("py", "pyx", "pxd") for file in SOURCE.rglob(f"*.{e}")]:
        text, names = path.read_text(encoding="utf-8"), []
        if path.suffix == ".py":
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Import):
                    names += [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom):
                    assert node.level == 0, f"{path}: a relative import"
                    names += [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            listed = r"^\s*from\s+([\w.]+)\s+c?import\s+\(?(\w+)"
            names += [".".join(match) for match in re.findall(listed, text, re.M)]
            names += re.findall(r"^\s*c?import\s+([\w.]+)", text, re.M)
        found[path] = names
    return found


def test_arrows_run_one_way():
    used, wrong = {}, []
    packages = {folder.parent.name for folder in SOURCE.glob("*/__init__.py")}
    for path, names in imports().items():
        part = path.relative_to(SOURCE).parts[0].split(".")[0]
        if part == "__init__":
            continue
        used.setdefault(part, set())
        for name in names:
            top, _, rest = name.partition(".")
            other = rest.split(".")[0]
            if rest in packages:  # then nobody knows what of it a job uses
                wrong.append(f"{path.relative_to(SOURCE)} imports the whole of {name}")
            if top == "snakemake":
                wrong.append(f"{path.relative_to(SOURCE)} imports Snakemake")
            elif top == "reseat" and other in MAY_IMPORT and other != part:
                used[part].add(other)
                if other not in MAY_IMPORT.get(part, ()):
                    wrong.append(f"{path.relative_to(SOURCE)} imports reseat.{other}")
    assert not wrong, "\n".join(sorted(set(wrong)))
    # A permission that no import uses must be removed.
    unused = {part: MAY_IMPORT[part] - used.get(part, set()) for part in MAY_IMPORT}
    assert not {part: names for part, names in unused.items() if names}
    assert used.keys() == MAY_IMPORT.keys()


def test_no_files_import_each_other_in_a_circle():
    modules = {path: ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts)
               for path in imports()}  # fmt: skip
    graph = {module: set() for module in modules.values()}
    for path, names in imports().items():
        for name in names:
            module = modules[path]
            graph[module] |= {name, name.rpartition(".")[0]} & graph.keys() - {module}
    TopologicalSorter(graph).prepare()


FAMILIES = {path.parent.name for path in (SOURCE / "papers").glob("*/plan.py")}


def test_no_family_imports_another():
    wrong = []
    for path, names in imports().items():
        place, family, *_ = *path.relative_to(SOURCE).parts, ""
        if place == "papers" and family in FAMILIES:
            of_papers = {name.split(".")[2] for name in names if name.startswith("reseat.papers.")}
            others = of_papers & FAMILIES - {family}
            wrong += [f"{path.relative_to(SOURCE)} imports {other}" for other in others]
    assert FAMILIES == CATALOGUE.families.keys()
    assert not wrong, "\n".join(wrong)


# ---- workflow ----------------------------------------------------------------------------


def test_every_artefact_can_be_asked_for_by_name(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--list"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    listed = set(done.stdout.split())
    assert len(CATALOGUE.artefacts) >= 10
    assert CATALOGUE.products.keys() | CATALOGUE.families.keys() <= listed
    # Everything else is made by rules that are written out.
    written = {name for name in rules() if not name.startswith("{")}
    declared = CATALOGUE.products.keys() | CATALOGUE.jobs.keys() | CATALOGUE.families.keys()
    assert listed == declared | written


def test_what_is_said_of_the_project_is_the_same_everywhere():
    """In the files that archives and journals read, the library, its metadata and its changes."""
    citation, version = CITATION, PROJECT["version"]
    meta = json.loads((ROOT / "codemeta.json").read_text("utf-8"))
    assert meta["name"] == citation["title"] and meta["description"] == citation["abstract"]
    assert meta["version"] == citation["version"] == version == reseat.__version__
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert meta["license"] == f"https://spdx.org/licenses/{citation['license']}"
    assert citation["license"] == PROJECT["license"]
    assert meta["codeRepository"] == citation["repository-code"]
    assert meta["keywords"] == citation["keywords"] == PROJECT["keywords"]
    assert [author["name"] for author in meta["author"]] == [
        author.get("name") or f"{author['given-names']} {author['family-names']}"
        for author in citation["authors"]
    ]
    dois = [f"https://doi.org/{entry['doi']}" for entry in citation["references"] if "doi" in entry]
    assert meta["referencePublication"] == dois
    assert all(
        (ROOT / meta[key]).is_file() for key in ("readme", "softwareHelp", "buildInstructions")
    )


def test_the_catalogue_of_workflows_finds_what_it_asks_for():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text("utf-8"))["usage"]
    assert usage.keys() == {"mandatory-flags", "software-stack-deployment", "report"}
    assert usage["mandatory-flags"].keys() == {"desc", "flags"}
    texts = [path.read_text("utf-8") for path in rule_files()]
    given = {name: any(re.search(rf"^ *{key}:", text, re.M) for text in texts)
             for name, key in (("apptainer", "container"), ("conda", "conda"))}  # fmt: skip
    given["apptainer+conda"] = all(given.values())
    assert usage["software-stack-deployment"] == given and any(given.values())
    assert usage["report"] is any("report(" in text for text in texts)
    assert all(path.suffix == ".smk" for path in (ROOT / "workflow" / "rules").iterdir())
    assert "snakemake --configfile" in (ROOT / "config" / "README.md").read_text("utf-8")
    assert re.search("snakemake workflow", (ROOT / "README.md").read_text("utf-8"), re.I)


def test_every_function_that_is_declared_is_where_it_is_said_to_be_and_nothing_is_given_in_vain():
    """The closure of the module that is named is the job's code.

    Whether functions get all that they ask for is seen in the demo, which runs all jobs.
    """
    for product in (CATALOGUE.jobs | CATALOGUE.products).values():
        makes = [*product.makes.items(), *([("figure", product.draws)] if product.draws else [])]
        for names, reference in makes:
            function = look_up(reference)
            if names == "claims":  # a method, which judges the rules of the module that is named
                assert function.__self__ is look_up(reference.removesuffix(".judge_all"))
            else:
                assert f"{function.__module__}:{function.__name__}" == reference
        readers = {given.read for given in product.inputs.values()} - {"pandas:read_csv"}
        used = {
            wanted
            for reference in [*readers, *(reference for _name, reference in makes)]
            for wanted in inspect.signature(look_up(reference)).parameters
        }
        unused = {*product.settings, *product.constants, *product.inputs} - used
        assert not unused, f"{product.name}: nothing asks for {', '.join(unused)}"
        for reference in product.references:
            module = importlib.import_module(reference.partition(":")[0])
            ours = module.__name__.startswith("reseat.")
            assert not ours or not hasattr(module, "__path__"), reference


def test_a_name_is_declared_once_in_a_paper():
    paper = Paper("k", "records", "about", "short", "authors", "title", "venue", 2000)
    right = {"shows": "One line.", "caption": "", "inputs": {}}
    paper.table("made", ".tables:table1", **right)
    with pytest.raises(ConfigError, match="made is declared twice; rename one of them"):
        paper.table("made", ".tables:table1", **right)
    with pytest.raises(TypeError, match="colour"):
        paper.table("other", ".tables:table1", **right, colour="red")
    assert list(paper.products) == ["made"]
    assert paper.products["made"].references == ("reseat.papers.records.tables:table1",)
    paper.figure("drawn", ".tables:table1", ".plots:draw", **right)
    assert "reseat.papers.records.plots:draw" in paper.products["drawn"].references


def test_every_script_is_there_and_has_a_log():
    used = set()
    for name, body in rules().items():
        script = re.search(r'^    script:\n\s+"([^"]+)"', body, re.M)
        if script:
            used.add((ROOT / "workflow" / "rules" / script[1]).resolve())
            assert re.search(r"^    log:", body, re.M), f"the rule {name} has no log"
    assert used and used == set((ROOT / "workflow" / "scripts").rglob("*.py"))


# ---- papers ------------------------------------------------------------------------------


def test_citation_file_names_the_five_papers():
    references = CITATION["references"]
    assert CITATION["cff-version"] == "1.2.0" and len(references) == 5
    for reference in references:
        assert reference["title"] and reference["year"] and reference["type"]
        assert all(author["family-names"] and author["given-names"]
                   for author in reference["authors"])  # fmt: skip
    cited = {reference["title"].casefold() for reference in references}
    assert {paper.title.casefold() for paper in CATALOGUE.papers.values()} <= cited


def test_licences_of_all_packages_and_data_sets_are_listed():
    extras = PROJECT["optional-dependencies"].values()
    packages = {
        re.match(r"[\w.-]+", text)[0]
        for text in [*PROJECT["dependencies"], *(text for extra in extras for text in extra)]
    } - {PROJECT["name"]}
    registry = yaml.safe_load((ROOT / "config" / "datasets.yaml").read_text(encoding="utf-8"))
    titles = {
        entry["title"]
        for entry in registry["datasets"].values()
        if not entry.get("parser", "").startswith("generated")
    }
    text = (ROOT / "THIRD_PARTY.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (?!package |data set )(\w[^|]*?) \|", text, re.M)
    assert packages | titles == set(listed)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "THIRD_PARTY.md"])
def test_links_of_the_pages_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)
    assert targets
    for target in targets:
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_a_name_is_declared_once():
    registry = Registry()
    one, other = (type("Thing", (), {"__module__": module}) for module in ("a", "b"))
    registry("thing")(one)
    registry("thing")(one)  # its module is read again
    with pytest.raises(ConfigError, match="'thing' is declared twice, by a.Thing and by b.Thing"):
        registry("thing")(other)
    beside = type("Beside", (), {"__module__": "a"})
    with pytest.raises(ConfigError, match="'thing' is declared twice, by a.Thing and by a.Beside"):
        registry("thing")(beside)
