"""The catalogue of artefacts, numbers as text, and the timings."""

import getpass
import platform
import re

import numpy as np
import pytest
from products import artefacts_of

from reseat.papers.catalogue import CATALOGUE
from reseat.report import (
    environment,
    read_benchmarks,
    summarise_benchmarks,
)
from reseat.report.numbers import (
    decimals,
    duration,
    effect,
    interval,
    number,
    signed,
    with_error,
)

# --- The catalogue ---------------------------------------------------------------------------


def test_list_has_a_line_for_each_artefact():
    lines = [line for line in str(CATALOGUE).splitlines() if line.startswith("  docs_")]
    assert len(lines) == len(artefacts_of("documents")) >= 12
    assert re.search(r"^  docs_table2 +Table 2 +Five scores", str(CATALOGUE), re.M)


# --- Numbers ---------------------------------------------------------------------------------


def test_numbers_are_short_and_honest():
    assert number(0.420174) == "0.4202"
    assert number(-0.00017) == "−0.0002"
    assert number(0.00001) == "1.0e−05"
    assert number(0.0) == "0"
    assert number(1234567) == "1,234,567"
    assert number(123.456) == "123.5"
    assert number(float("nan")) == "–"
    assert number(-0.00001, 4) == signed(0.00001, 4) == "0.0000"
    assert signed(0.5) == "+0.5000" and signed(-0.5) == "−0.5000"
    assert [duration(s) for s in (0, 0.00531, 0.44, 61, 200, 7500)] == [
        "0.0 s",
        "5.31 ms",
        "0.4 s",
        "61 s",
        "3 min 20 s",
        "2 h 05 min",
    ]


def test_an_error_has_two_significant_digits_and_so_has_what_it_is_of():
    assert with_error(0.77713, 0.01853) == ("0.777", "0.019")
    assert with_error(0.5, 0.0996) == ("0.50", "0.10")
    assert with_error(12345.6, 678.0) == ("12,350", "680")
    assert with_error(-2.0, 0.25) == ("−2.00", "0.25")
    for none in (None, float("nan"), 0.0):
        assert with_error(0.25, none) == ("0.2500", "")


def test_effects_and_intervals_have_the_digits_that_they_deserve():
    assert effect(-0.03379, -0.0556, -0.01199) == "−0.034"
    assert effect(2.66e-15, 2.66e-15, 2.66e-15) == "2.7e−15"
    assert effect(3.0) == effect(3.0, 2.0, 5.0) == "3"
    assert effect(0.0) == "0" and effect(83.4) == "83"
    assert interval(-0.0556, -0.01199) == "−0.056 to −0.012"
    assert interval(0.271, 216.0) == "0.27 to 216"
    assert interval(1.0, 5.0) == "1 to 5" and effect(6.0, 2.97, 9.04) == "6.0"
    assert interval(1.0, 1.0) == interval(None, 2.0) == ""
    assert interval(0.0006, 673.2) == "0.00060 to 673"
    inf = float("inf")
    assert interval(-inf, inf) == "−∞ to ∞" and interval(-0.0556, inf) == "−0.056 to ∞"
    assert interval(-inf, 3.0) == "−∞ to 3" and interval(inf, inf) == ""
    assert effect(inf) == effect(inf, 1.0, inf) == "∞" and effect(-inf, -inf, 2.5) == "−∞"
    assert effect(0.271, -inf, inf) == "0.27"


def test_numbers_below_each_other_have_the_same_decimals():
    assert decimals([0.5, 0.25, np.nan]) == 4
    assert decimals([594.0, 593.9]) == 1 and decimals([12.5, 3.0]) == 2
    assert decimals([10, 3.0]) == decimals([1234.5, 0.5]) == decimals([]) == 0
    assert number(2, 4) == "2.0000" and number(-1234.5, 1) == "−1,234.5"


# --- Timings ---------------------------------------------------------------------------------


HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


@pytest.fixture
def benchmarks(tmp_path):
    files = {
        "documents/news/gibbs/chains/block-0": (10.0, 100.0),
        "documents/news/gibbs/chains/block-11": (30.0, 150.0),
        "documents/news/gibbs/scores": (5.0, 80.0),
        "documents/news/gibbs_dp/chains-3": (7.0, 90.0),
        "documents/docs_table2": (1.5, 60.0),
    }
    for name, (seconds, memory) in files.items():
        path = tmp_path / f"results/demo/benchmarks/{name}.tsv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{HEADER}{seconds}\t0:00:10\t{memory}\t1\t-\t-\t0\t0\t99\t{seconds}\n")
    (path.parent / "unfinished.tsv").write_text("")
    (path.parent / "left-over.tsv").write_text(path.read_text())
    logs = [f"logs/demo/{name}.log" for name in (*files, "documents/unfinished", "never/ran")]
    return read_benchmarks(logs, tmp_path)


def test_benchmarks_are_read_and_joined(benchmarks):
    assert len(benchmarks) == 5  # jobs that were not asked for are left out
    summary = summarise_benchmarks(benchmarks).set_index("job")
    blocks = summary.loc["documents/news/gibbs/chains/block-*"]
    assert tuple(blocks) == (2, 40.0, 30.0, 150.0)
    assert "documents/docs_table2" in summary.index
    assert summary["seconds"].is_monotonic_decreasing


def test_environment_names_versions_and_neither_host_nor_user():
    facts = environment()
    assert facts["numpy"] == np.__version__ and platform.python_version() in facts["Python"]
    text = " ".join(facts.values())
    assert platform.node() not in text
    assert f"/{getpass.getuser()}" not in text
