"""Paths and fixtures that all tests share."""

import os
import shutil

# Each core has its own test worker, so threads of linear algebra would only compete for the cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pytest
from browser import Browser, find_browser
from drawings import write_nothing
from fault_tally import calm, pytest_terminal_summary, settle, tally  # noqa: F401
from hypothesis import settings
from places import ROOT

# A slow machine is no fault, and every run tries the same examples.
settings.register_profile("suite", deadline=None, derandomize=True)
settings.load_profile("suite")

# One worker runs the whole demo, while another runs the tests that need SLURM, which only one can
# use. Then come the slowest files, so that no worker is left with one when the others are done.
FIRST = (
    *("test_workflow", "test_slurm", "test_workflow_real", "test_workflow_plans"),
    *("test_attempts", "test_faults"),
    *("test_docs", "test_digests", "test_command", "test_chaperones", "test_damage"),
    *("test_bad_inputs", "test_hyperpriors", "test_posterior_enumeration"),
)

# Samplers against enumeration and calibration, and others of which every test takes long.
LONG = {
    *("test_supervised_calibration", "test_supervised_model", "test_record_chains"),
    *("test_chaperones", "test_joint_moves", "test_split_merge", "test_clamped"),
    *("test_hyperpriors", "test_posterior_enumeration"),
    *("test_student_blocks", "test_similar_records", "test_similar_changes", "test_misfit"),
    *("test_relational_links", "test_student_mixture", "test_transcripts", "test_profiles"),
    *("test_realdata", "test_malformed", "test_prior_simulation"),
    *("test_provenance_crate", "test_report_browser", "test_distances_figures"),
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the long tests, and put those of the workflow first: others can run beside them."""
    for item in items:
        if item.path.stem in LONG:
            item.add_marker("long")

    def place(item):
        first = FIRST.index(item.path.stem) if item.path.stem in FIRST else len(FIRST)
        return item.get_closest_marker("workflow") is None, first

    items.sort(key=place)


@pytest.fixture
def rng():
    return np.random.default_rng(20081)


@pytest.fixture
def root():
    return ROOT


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """Return a headless browser, which all tests of a worker share."""
    if find_browser() is None:
        pytest.skip("No Chromium is installed; install it to test the pages in it.")
    profile = tmp_path_factory.mktemp("profile")
    browser = Browser(profile)
    yield browser
    browser.close()
    shutil.rmtree(profile, ignore_errors=True)


@pytest.fixture
def only_svg(monkeypatch):
    """Write figures as SVG only, the fastest format, where the test does not look at them."""
    monkeypatch.setattr("reseat.plots.style.FORMATS", ("svg",))


@pytest.fixture
def and_png(only_svg, monkeypatch):
    """Write figures as SVG and PNG."""
    monkeypatch.setattr("reseat.plots.style.FORMATS", ("svg", "png"))


@pytest.fixture
def no_pictures(request, monkeypatch):
    """Draw the pictures of `reseat cluster` but do not lay them out and encode them.

    That takes most of the time of a command on few items. A test that looks at its pictures names
    `only_svg` or `and_png` among its own arguments.
    """
    if not {"only_svg", "and_png"} & set(request.fixturenames):
        monkeypatch.setattr("reseat.command.writing.save_figure", write_nothing)
