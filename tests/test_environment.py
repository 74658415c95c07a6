"""pyproject.toml, environment.yml and requirements.lock agree."""

import importlib.metadata
import os
import re
import shutil
import subprocess
import tomllib

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from places import ROOT

PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
# Named only in the environment of conda; `make env` takes these tools from the machine.
ONLY_CONDA = {"python", "pip", "c-compiler", "make"}
# Packages with another name in conda, whose `parasail` is the C library alone.
CALLED_BY_CONDA = {"parasail-python": "parasail"}


@pytest.fixture
def declared():
    """Return every requirement of pyproject.toml by name, with those of all extras but `files`."""
    project, found = PYPROJECT["project"], {}
    extras = project["optional-dependencies"]
    texts = sum((extras[extra] for extra in extras if extra != "files"), project["dependencies"])
    for requirement in map(Requirement, texts):
        if requirement.name == project["name"]:
            continue
        name = canonicalize_name(requirement.name)
        assert found.setdefault(name, requirement.specifier) == requirement.specifier, name
    return found


@pytest.fixture
def conda():
    document = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    assert set(document) == {"name", "channels", "dependencies"}
    requirements = [Requirement(text) for text in document["dependencies"]]
    given = [canonicalize_name(requirement.name) for requirement in requirements]
    names = [CALLED_BY_CONDA.get(name, name) for name in given]
    assert len(names) == len(set(names))
    return dict(zip(names, (r.specifier for r in requirements), strict=True))


@pytest.fixture
def pins():
    """Return the entries of the lock file by name: requirement and hashes."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8").replace("\\\n", " ")
    found = {}
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        pin, *hashes = re.split(r"\s+--hash=", line.strip())
        requirement = Requirement(pin)
        name = canonicalize_name(requirement.name)
        assert name not in found, f"{name} is locked twice"
        found[name] = requirement, hashes
    return found


def test_build_system_is_covered_by_the_extra_build(declared):
    for requirement in map(Requirement, PYPROJECT["build-system"]["requires"]):
        assert declared[canonicalize_name(requirement.name)] == requirement.specifier


def test_conda_names_the_same_packages_with_the_same_bounds(declared, conda):
    assert conda.keys() - ONLY_CONDA == declared.keys()
    for name, bounds in declared.items():
        assert conda[name] == bounds, name
    assert conda["python"] == SpecifierSet(PYPROJECT["project"]["requires-python"])


def test_every_requirement_is_locked_at_a_version_it_allows(declared, pins):
    for name, bounds in declared.items():
        requirement, _ = pins[name]
        assert requirement.marker is None, f"{name} is locked for some machines only"
        version = re.fullmatch(r"==(\S+)", str(requirement.specifier))
        assert version and bounds.contains(version[1]), name


def test_every_pin_has_hashes_and_nothing_else(pins):
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "://" not in text and not re.search(r"^\s*-(-index|-extra|-find|i |f )", text, re.M)
    assert len(pins) > 50
    for name, (requirement, hashes) in pins.items():
        assert re.fullmatch(r"==[^*,\s]+", str(requirement.specifier)), name
        assert requirement.url is None, name
        assert hashes, f"{name} has no hash"
        for value in hashes:
            assert re.fullmatch(r"sha256:[0-9a-f]{64}", value), name


def test_jobs_for_public_hosts_run_targets_that_there_are_and_python_that_is_promised():
    text = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert "version_info < (3, 11)" in makefile
    assert PYPROJECT["tool"]["ruff"]["target-version"] == "py311"
    commands = [step["run"] for job in jobs.values() for step in job["steps"] if "run" in step]
    targets = {name for command in commands for name in re.findall(r"^make (\w+)", command, re.M)}
    assert {"test", "lint"} <= targets
    assert all(re.search(rf"^{target}:", makefile, re.M) for target in targets)
    allowed = SpecifierSet(PYPROJECT["project"]["requires-python"])
    assert str(allowed) == ">=3.11"
    versions = re.findall(r'python(?:-version)?: "([\d.]+)"', text)
    assert len(versions) > 2 and all(allowed.contains(version) for version in versions)
    # The oldest version that is promised is tested.
    assert f">={min(versions, key=lambda v: tuple(map(int, v.split('.'))))}" == str(allowed)


def test_wheels_are_built_for_every_python_that_is_promised():
    built = PYPROJECT["tool"]["cibuildwheel"]["build"].split()
    oldest, newest = re.findall(r"cp3(\d+)-\*", f"{built[0]} {built[-1]}")
    assert built == [f"cp3{minor}-*" for minor in range(int(oldest), int(newest) + 1)]
    assert PYPROJECT["project"]["requires-python"] == f">=3.{oldest}"
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    jobs = yaml.safe_load(text)["jobs"]
    assert {"wheels", "archive", "image", "documentation", "publish"} <= set(jobs)
    tested = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert f'python: "3.{newest}"' in tested


def test_the_installed_package_is_typed_and_has_no_sources_in_c():
    files = [str(path) for path in importlib.metadata.files("reseat-bayes")]
    assert "reseat/py.typed" in files and any(path.endswith("bin/reseat") for path in files)
    assert not [path for path in files if path.endswith((".c", ".o"))]


def test_the_image_installs_the_locked_packages():
    text = (ROOT / "Containerfile").read_text(encoding="utf-8")
    base = re.search(r"^FROM python:([\d.]+)-", text, re.M)[1]
    assert SpecifierSet(PYPROJECT["project"]["requires-python"]).contains(base)
    assert re.search(r"^RUN make --directory=/reseat env\b", text, re.M)
    ignored = (ROOT / ".containerignore").read_text(encoding="utf-8").split()
    assert {".git", ".venv*", "results", "reports/*"} <= set(ignored)
    # The remaining time is known from the published run.
    assert ignored.index("!reports/published") > ignored.index("reports/*")


def dry_run(*words, cwd=ROOT):
    """Make nothing, without the variables given to the make that runs the tests."""
    others = {k: v for k, v in os.environ.items() if k not in ("ARGS", "MAKEFLAGS")}
    command = ["make", "-n", *words]
    return subprocess.run(command, cwd=cwd, env=others, capture_output=True, text=True)


def test_an_interpreter_that_would_not_be_used_is_refused(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    used, other = tmp_path / ".venv" / "bin" / "python", tmp_path / "python"
    used.parent.mkdir(parents=True)
    for path, version in ((used, "3.13"), (other, "3.12")):
        path.write_text(f"#!/bin/sh\necho '/usr {version} (main)'\n")
        path.chmod(0o755)

    def said(*words):
        return dry_run(*words, cwd=tmp_path).stderr

    refusal = "has no effect, because .venv was made with another interpreter; run make clean first"
    assert refusal not in said("env", f"PYTHON={other}")  # .venv is yet to be made
    stamp = subprocess.run(
        "printf %s \"$(pwd -P)\" | cksum | tr -cd 0-9",
        shell=True, cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (tmp_path / ".venv" / f".python-{stamp}").touch()
    assert f"PYTHON={other} {refusal}" in said("env", f"PYTHON={other}")
    for words in (["env"], ["env", f"PYTHON={used}"], ["clean", f"PYTHON={other}"]):
        assert refusal not in said(*words)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("demo", "CONFIG=seed=7"), ""),
        (("all", "SCALE=paper", "CONFIG=seed=7", "ARGS=--keep-going"), ""),
        (("report", "SCALE=demo"), ""),
        (("missing", "SCALE=demo"), ""),
        (("verify", "RUN=demo", "ARTEFACT=docs_table2"), ""),
        (("publish", "RUN=demo", "ARGS=--smaller"), ""),
        (("publish", "SCALE=demo"), ""),
        (("test", "ARGS=-k gibbs"), ""),
        (("demo", "SCALE=paper"), "SCALE has no effect on demo: use make all SCALE=paper"),
        (("publish", "CONFIG=seed=7"), "CONFIG has no effect on publish: name a run with RUN=NAME"),
        (("all", "RUN=mine"), "RUN has no effect on all: name a run with CONFIG=run=NAME"),
        (("test", "SCALE=demo"), "SCALE has no effect on test"),
        (("docs", "ARTEFACT=docs_fig2"), "ARTEFACT has no effect on docs"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_target_refuses_the_variables_that_it_would_ignore_and_no_others(words, said):
    # A dry run also follows the targets that a target makes.
    done = dry_run(*words)
    assert done.returncode == (2 if said else 0) and said in done.stderr, done.stderr
