"""The likelihood of the guide is added in five files, including its test."""

import re

import exact
import numpy as np
import pytest
from guide import compiled, example
from scipy.stats import nbinom
from workflow_runs import ROOT, ChangedLibrary, copy_workflow, snakemake

from reseat.chains import read_groups
from reseat.papers.distances.objects import distances_of, load_objects

pytestmark = pytest.mark.workflow

KERNEL, MODELS = "likelihoods/_poisson.pyx", "models/distances.py"
CONFIG = "config/distances.yaml"
STUDY = "        - datasets: [demo_separated, demo_overlapping]\n          models: [tiwd]\n"
WITH_IT = """        - datasets: [demo_separated]
          models: [neighbours]
          length: {n_chains: 1, burn_in: 20, n_samples: 30, thin: 1}
"""
TARGET = "results/demo/distances/demo_separated/chains"


@pytest.fixture
def library(tmp_path):
    """Return a copy of the library with the compiled kernel and the function that makes it."""
    folder = tmp_path / "library"
    folder.mkdir()
    library = ChangedLibrary(folder)
    compiled(example(f"src/reseat/{KERNEL}"), "_poisson", library.place / "likelihoods")
    library.add_code(MODELS, example(f"src/reseat/{MODELS}"))
    return library


@pytest.fixture
def project(tmp_path):
    """Return the folder of a copy of the workflow with a model of that likelihood."""
    folder = tmp_path / "project"
    folder.mkdir()
    copy_workflow(folder)
    path = folder / CONFIG
    text = path.read_text(encoding="utf-8")
    assert text.count(STUDY) == 1 and text.count("\n  models:\n") == 1
    text = text.replace("\n  models:\n", f"\n  models:\n{example(CONFIG)}")
    path.write_text(text.replace(STUDY, WITH_IT + STUDY), encoding="utf-8")
    return folder


def log_block(counts):
    """Return the log probability of Poisson counts with an exponential rate, count by count."""
    n, total, log_prob = 0, 0, 0.0
    for count in counts.tolist():
        log_prob += nbinom.logpmf(count, 1 + total, (1 + n) / (2 + n))
        n, total = n + 1, total + count
    return log_prob


def test_meson_has_a_list_in_which_the_kernel_can_stand():
    build = (ROOT / "src" / "reseat" / "meson.build").read_text(encoding="utf-8")
    listed = re.search(r"^kernels = \[\n(.*?)^\]$", build, re.M | re.S)[1].splitlines()
    line = example("src/reseat/meson.build").rstrip("\n")
    assert line not in listed
    form = r"  '[\w/]+',"
    assert re.fullmatch(form, line) and all(re.fullmatch(form, other) for other in listed)


def test_a_chain_runs_with_it(library, project, tmp_path):
    where = {"folder": tmp_path, "snakefile": project / "Snakefile"}
    snakemake(TARGET, "--config", "scale=demo", environment=library.environment, **where)
    (path,) = (path for path in (tmp_path / TARGET).glob("neighbours-*.nc"))
    groups, attributes = read_groups(path)
    assert attributes["configuration"]["model"]["likelihood"] == "poisson"
    # Its log joint is the law of the labels and the counts, which is computed differently here.
    objects = load_objects(tmp_path / "data/processed/demo/distances/demo_separated/0.npz")
    squared = distances_of(objects)
    others = squared[~np.eye(len(squared), dtype=bool)].reshape(len(squared), -1)
    counts = (others < np.median(others)).sum(axis=1)
    labels = groups["partition"]["labels"][0][-1]
    expected = exact.log_pitman_yor(labels, 1.0, 0.0)
    expected += sum(log_block(counts[labels == block]) for block in np.unique(labels))
    assert np.isclose(groups["sample_stats"]["log_joint"][0][-1], expected)
