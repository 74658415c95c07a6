"""What holds for the project as a whole: no stray paths, documented names, arrows one way."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import tomllib
from pathlib import Path

import jsonschema
import pytest
import yaml

import reseat

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "reseat"
GENERATED = {"build", "data", "dist", "logs", "reports", "results", "__pycache__"}
BINARY = {".png", ".pdf", ".gz", ".xz", ".npz", ".nc", ".so", ".ico", ".pyc"}


def project_files():
    """Files under version control; of an unpacked archive, those that were not made by a run."""
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
    return [ROOT / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]


def rules():
    """The text of each rule, by name."""
    found = {}
    for path in rule_files():
        text = path.read_text(encoding="utf-8")
        starts = list(
            re.finditer(r"^(?:(?:rule|checkpoint) |use rule \w+ as )(\w+)[^\n]*:$", text, re.M)
        )
        for start in starts:
            # The rule ends where the next line begins that is not indented.
            body = re.split(r"^(?=\S)", text[start.end() + 1 :], maxsplit=1, flags=re.M)[0]
            assert start[1] not in found, f"the rule {start[1]} is written twice"
            found[start[1]] = body
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
    path, index, option = STRAY.values()
    assert path.search('open("' + "/ho" + 'me/someone/x")') and path.search("cd " + "/t" + "mp/x")
    assert not path.search("results/work/x ../work/x $HOME/opt/x https://example.org/home/x")
    assert index.search("https://py" + "pi.org/simple")
    assert option.search("pip install --index" + "-url x")


# ---- documentation -----------------------------------------------------------------------


def test_every_source_file_says_what_it_is():
    files = [*SOURCE.rglob("*.py"), *SOURCE.rglob("*.pyx")]
    assert len(files) > 50
    for path in files:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".py":
            assert ast.get_docstring(ast.parse(text)), path.relative_to(ROOT)
        else:
            assert re.match(r'(?:#[^\n]*\n|\s)*r?"""\s*\S', text), path.relative_to(ROOT)


def modules():
    for found in pkgutil.walk_packages(reseat.__path__, "reseat."):
        yield importlib.import_module(found.name)


def public_members(thing, owner):
    for name, value in vars(thing).items():
        if name.startswith("_"):
            continue
        value = getattr(value, "__func__", value)  # class methods and static methods
        if inspect.ismodule(thing) and getattr(value, "__module__", None) != owner:
            continue
        if inspect.isclass(value) or inspect.isroutine(value) or isinstance(value, property):
            yield name, value


def test_every_public_name_is_documented():
    silent, n_seen = [], 0
    for module in modules():
        for name, value in public_members(module, module.__name__):
            n_seen += 1
            if not inspect.getdoc(value):
                silent.append(f"{module.__name__}.{name}")
            if inspect.isclass(value):
                for member, _ in public_members(value, module.__name__):
                    n_seen += 1
                    # getdoc of the bound name finds what a base class says
                    if not inspect.getdoc(getattr(value, member)):
                        silent.append(f"{module.__name__}.{name}.{member}")
    assert n_seen > 200
    assert not silent, "\n".join(silent)


# ---- arrows ------------------------------------------------------------------------------

# What each part of the library may import of the others; a new part must be added here.
MAY_IMPORT = {
    "errors": set(),
    "io": set(),
    "configuration": {"errors"},
    "jobs": {"errors"},
    "partition": {"errors"},
    "metrics": {"errors"},
    "plots": {"errors"},
    "priors": {"errors"},
    "likelihoods": {"errors"},
    "moves": {"errors", "likelihoods", "partition", "priors"},
    "baselines": {"errors"},
    "datasets": {"errors", "io"},
    "summaries": {"errors", "metrics"},
    "chains": {"errors", "io", "likelihoods", "moves", "partition", "priors"},
    "report": {"errors", "io", "plots", "configuration"},
    "experiments": {
        *("baselines", "chains", "configuration", "datasets", "errors", "io", "likelihoods"),
        *("metrics", "moves", "partition", "priors", "summaries"),
    },
}


def imports(path):
    """Absolute names of the modules a source file imports."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: a relative import"
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
    else:
        for match in re.finditer(r"^\s*from\s+([\w.]+)\s+c?import\s+\(?(\w+)", text, re.M):
            yield f"{match[1]}.{match[2]}"
        for match in re.finditer(r"^\s*c?import\s+([\w.]+)", text, re.M):
            yield match[1]


def test_arrows_run_one_way():
    seen, wrong = set(), []
    for path in [file for e in ("py", "pyx", "pxd") for file in SOURCE.rglob(f"*.{e}")]:
        part = path.relative_to(SOURCE).parts[0].split(".")[0]
        if part == "__init__":
            continue
        seen.add(part)
        for name in imports(path):
            top, _, rest = name.partition(".")
            other = rest.split(".")[0]
            if top == "snakemake":
                wrong.append(f"{path.relative_to(SOURCE)} imports Snakemake")
            elif top == "reseat" and other in MAY_IMPORT and other != part:
                if other not in MAY_IMPORT.get(part, ()):
                    wrong.append(f"{path.relative_to(SOURCE)} imports reseat.{other}")
    assert seen == set(MAY_IMPORT)
    assert not wrong, "\n".join(sorted(set(wrong)))


# ---- workflow ----------------------------------------------------------------------------


def test_every_artefact_can_be_asked_for_by_name():
    document = yaml.safe_load((ROOT / "config" / "artefacts.yaml").read_text(encoding="utf-8"))
    assert len(document["artefacts"]) >= 10
    assert document["artefacts"].keys() <= rules().keys()
    assert document["families"].keys() <= rules().keys()


def test_every_script_is_there_and_has_a_log():
    used = set()
    for name, body in rules().items():
        script = re.search(r'^    script:\n\s+"([^"]+)"', body, re.M)
        if script:
            used.add((ROOT / "workflow" / "rules" / script[1]).resolve())
            assert re.search(r"^    log:", body, re.M), f"the rule {name} has no log"
    assert used and used == set((ROOT / "workflow" / "scripts").rglob("*.py"))


def test_every_configuration_file_has_a_sound_schema():
    folder = ROOT / "workflow" / "schemas"
    for path in (ROOT / "config").glob("*.yaml"):
        schema = yaml.safe_load(
            (folder / f"{path.stem}.schema.yaml").read_text(encoding="utf-8")
        )
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        if path.stem in document and path.stem not in schema["properties"]:
            document = document[path.stem]  # the section that a family adds to the configuration
        jsonschema.Draft202012Validator(schema).validate(document)


# ---- papers ------------------------------------------------------------------------------


def test_citation_file_names_version_licence_and_the_five_papers():
    document = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert document["cff-version"] == "1.2.0"
    assert str(document["version"]) == project["version"]
    assert document["license"] == project["license"]
    assert len(document["references"]) == 5
    for reference in document["references"]:
        assert reference["title"] and reference["year"] and reference["type"]
        assert all(author["family-names"] and author["given-names"]
                   for author in reference["authors"])  # fmt: skip
    catalogue = yaml.safe_load((ROOT / "config" / "artefacts.yaml").read_text(encoding="utf-8"))
    cited = {reference["title"].casefold() for reference in document["references"]}
    assert {paper["title"].casefold() for paper in catalogue["papers"].values()} <= cited


def test_changelog_tells_of_this_version():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(project['version'])}\]", changelog, re.M)


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "THIRD_PARTY.md"])
def test_links_of_the_pages_lead_somewhere(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text):
        if "://" not in target:
            assert (ROOT / target).exists(), target


def test_files_named_in_the_guide_for_contributors_exist():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:src|config|workflow|tests|tools|benchmarks)/[\w./-]+)`", text))
    examples = set(re.findall(r"^<!-- made up: (.*) -->$", text, re.M))
    made_up = {name for line in examples for name in line.split()}
    assert len(named) > 10
    assert {name for name in named if not (ROOT / name).exists()} == made_up & named
