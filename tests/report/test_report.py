"""The catalogue of artefacts, numbers as text, and the timings."""

import getpass
import json
import platform
import re
from xml.etree import ElementTree

import h5py
import numpy as np
import pandas as pd
import pytest
from given_files import put

from reseat.errors import DataError
from reseat.files.atomic import seal
from reseat.papers import diagnostics
from reseat.papers.diagnostics import diagnose, summarise_restarts
from reseat.report import environment, read_benchmarks, summarise_benchmarks
from reseat.report.drawings import dot_plots, ticks
from reseat.report.numbers import decimals, duration, effect, interval, number, signed, with_error


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
    durations = [duration(s) for s in (0, 0.00531, 0.44, 61, 200, 7500)]
    assert durations == "0.0 s,5.31 ms,0.4 s,61 s,3 min 20 s,2 h 05 min".split(",")


def test_an_error_has_two_significant_digits_and_so_has_what_it_is_of():
    assert with_error(0.77713, 0.01853) == ("0.777", "0.019")
    assert with_error(0.5, 0.0996) == ("0.50", "0.10")
    assert with_error(12345.6, 678.0) == ("12,350", "680")
    assert with_error(-2.0, 0.25) == ("−2.00", "0.25")
    for none in (None, float("nan"), 0.0):
        assert with_error(0.25, none) == ("0.2500", "")
    # Numbers below each other have the same decimals.
    assert decimals([0.5, 0.25, np.nan]) == 4
    assert decimals([594.0, 593.9]) == 1 and decimals([12.5, 3.0]) == 2
    assert decimals([10, 3.0]) == decimals([1234.5, 0.5]) == decimals([]) == 0
    assert number(2, 4) == "2.0000" and number(-1234.5, 1) == "−1,234.5"


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


HEADER = "s\th:m:s\tmax_rss\tmax_vms\tmax_uss\tmax_pss\tio_in\tio_out\tmean_load\tcpu_time\n"


def test_benchmarks_are_read_and_joined(tmp_path):
    files = {
        "documents/news/gibbs/chains/block-0": (10.0, 100.0),
        "documents/news/gibbs/chains/block-11": (30.0, 150.0),
        "documents/news/gibbs/scores": (5.0, 80.0),
        "documents/news/gibbs_dp/chains-3": (7.0, 90.0),
        "documents/docs_table2": (1.5, 60.0),
    }
    for name, (seconds, memory) in files.items():
        path = tmp_path / f"results/demo/benchmarks/{name}.tsv"
        put(path, f"{HEADER}{seconds}\t0:00:10\t{memory}\t1\t-\t-\t0\t0\t99\t{seconds}\n")
    (path.parent / "unfinished.tsv").write_text("")
    (path.parent / "left-over.tsv").write_text(path.read_text())
    logs = [f"logs/demo/{name}.log" for name in (*files, "documents/unfinished", "never/ran")]
    benchmarks = read_benchmarks(logs, tmp_path)
    assert len(benchmarks) == 5  # jobs that were not asked for are left out
    summary = summarise_benchmarks(benchmarks).set_index("job")
    assert tuple(summary.loc["documents/news/gibbs/chains/block-*"]) == (2, 40.0, 30.0, 150.0)
    assert "documents/docs_table2" in summary.index
    assert summary["seconds"].is_monotonic_decreasing


def test_environment_names_versions_and_neither_host_nor_user():
    facts = environment()
    assert facts["numpy"] == np.__version__ and platform.python_version() in facts["Python"]
    text = " ".join(facts.values())
    assert platform.node() not in text and f"/{getpass.getuser()}" not in text


@pytest.fixture
def table():
    rows = [
        (name, system, metric, 0.4, 0.01, published, np.nan)
        for name in ("mulan", "reuters")
        for system, published in (("Gibbs", 0.41), ("EM", 0.3), ("new", np.nan))
        for metric in ("ARI", "VI")
    ]
    columns = "dataset system metric mean se published combined_error".split()
    return pd.DataFrame(rows, columns=columns)


def drawn(plot):
    """Return the SVG element, the places of dots by their titles, and those of diamonds."""
    root = ElementTree.fromstring(plot["svg"])
    ours, published = {}, {}
    for element in root:
        said = element.findtext("title")
        if element.tag == "g":
            circle = element.find("circle")
            ours.setdefault(said, []).append((float(circle.get("cx")), float(circle.get("cy"))))
        elif element.get("class") == "published":
            x, y = map(float, re.match(r"M([\d.]+) ([\d.]+)l", element.get("d")).groups())
            published.setdefault(said, []).append((x, y + 4))
    return root, ours, published


def test_data_sets_that_share_their_published_numbers_share_a_drawing(table):
    (plot,) = dot_plots(table, {"mulan": "Mulan"})
    assert plot["names"] == ["Mulan", "reuters"]
    root, ours, published = drawn(plot)
    texts = [(text.get("class"), text.text) for text in root.iter("text")]
    names = ["Gibbs", "EM", "new"]
    assert [text for kind, text in texts if kind == "name"] == names
    assert [text for kind, text in texts if kind == "title"] == ["ARI", "VI"]
    assert set(ours) == {f"{s}, {name}: 0.4000" for s in names for name in plot["names"]}
    assert set(published) == {"Gibbs, published: 0.4100", "EM, published: 0.3000"}
    assert all(len(places) == 2 for places in [*ours.values(), *published.values()])
    # .3 lies to the left of .4, and .41 to the right, by a tenth of that.
    x = ours["Gibbs, Mulan: 0.4000"][0][0]
    right = published["Gibbs, published: 0.4100"][0][0] - x
    left = x - published["EM, published: 0.3000"][0][0]
    assert left == pytest.approx(10 * right, abs=1) and right > 0
    # One data set is drawn above the published number and the other below it.
    y = [ours[f"Gibbs, {name}: 0.4000"][0][1] for name in ("Mulan", "reuters")]
    assert y[0] < published["Gibbs, published: 0.4100"][0][1] < y[1]


def test_bars_are_two_standard_errors_and_none_is_drawn_without_one(table):
    table.loc[table["system"] == "new", "se"] = np.nan
    table.loc[table["system"] == "EM", "combined_error"] = 0.03
    root, ours, published = drawn(dot_plots(table, {})[0])
    unit = published["Gibbs, published: 0.4100"][0][0] - ours["Gibbs, mulan: 0.4000"][0][0]
    for element in root.iter("g"):
        bar = element.find("path")
        if element.findtext("title").startswith("new"):
            assert bar is None
        else:
            low, high = map(float, re.match(r"M([\d.]+) [\d.]+H([\d.]+)", bar.get("d")).groups())
            assert high - low == pytest.approx(4 * unit, abs=0.5)
    for element in root.iterfind("path[@class='published']"):
        low, high = map(float, re.search(r"zM([\d.]+) [\d.]+H([\d.]+)", element.get("d")).groups())
        wide = 4 * np.sqrt(0.03**2 - 0.01**2) / 0.01 if "EM" in element.findtext("title") else 0
        assert high - low == pytest.approx(wide * unit, rel=0.01)


def test_data_sets_with_other_published_numbers_have_drawings_of_their_own(table):
    other = table[table["dataset"] == "reuters"].assign(dataset="news")
    other = other.assign(published=other["published"] + 0.1)
    plots = dot_plots(pd.concat([table, other]), {"news": "News & more"})
    assert [plot["names"] for plot in plots] == [["mulan", "reuters"], ["News & more"]]
    assert set(drawn(plots[1])[2]) == {"Gibbs, published: 0.5100", "EM, published: 0.4000"}


def test_ticks_are_round_and_few():
    assert ticks(0.28, 0.42) == pytest.approx([0.3, 0.35, 0.4])
    assert ticks(-1.2, 7.9) == pytest.approx([0, 5])
    assert ticks(0.97, 1.03) == pytest.approx([0.98, 1, 1.02])
    assert ticks(-16_200, -15_100) == pytest.approx([-16_000, -15_500])


def test_one_number_alone_has_room_around_it(table):
    one = table.iloc[:1].assign(se=np.nan, published=0.4)
    _root, ours, _published = drawn(dot_plots(one, {})[0])
    assert 300 < ours["Gibbs, mulan: 0.4000"][0][0] < 500


def store(path, stream, chain, values, burn_in=20, n_items=10):
    """Write a chain as `write_chain` does, with a constant number of clusters."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sweeps, model = np.arange(1, len(values) + 1), stream[2]
    with h5py.File(path, "w") as file:
        # The stream of a model may have a name of its own.
        stream = [*stream[:2], f"stream of {stream[2]}"]
        configuration = {"stream": stream, "model": {"name": model}, "chain": chain}
        file.attrs["configuration"] = json.dumps(configuration)
        file.attrs["seconds"] = json.dumps(2.0 + chain)
        for prefix, part in (("warmup_", slice(0, burn_in)), ("", slice(burn_in, None))):
            for name, trace in (
                ("posterior/n_clusters", np.full(len(values), 3.0)),
                ("sample_stats/log_joint", values),
                ("sample_stats/n_moved", np.full(len(values), 5.0)),
            ):
                file[f"{prefix}{name}"] = trace[None, part]
            for group in ("posterior", "sample_stats"):
                file[f"{prefix}{group}/draw"] = sweeps[part]
                file[f"{prefix}{group}/chain"] = [chain]
        file["summary/map"] = np.zeros(n_items, dtype=np.uint8)
        file["partition/labels"] = np.zeros((1, 2, n_items), dtype=np.uint8)
    seal(path)


@pytest.fixture
def folders(tmp_path):
    rng = np.random.default_rng(1)
    folder = tmp_path / "records" / "italy" / "chains" / "block-0"
    for chain in (0, 1):
        noise = rng.normal(size=220)
        store(folder / f"dp-{chain}.nc", ["records", "italy_0", "dp"], chain, noise)
        apart = noise + 50 * chain
        store(folder / f"nbd-{chain}.nc", ["records", "italy_0", "nbd"], chain, apart)
    store(folder / "dp-alone.nc", ["records", "italy_1", "dp"], 0, rng.normal(size=120))
    store(tmp_path / "documents/news/g/c.nc", ["documents", "news", "g"], 0, rng.normal(size=60))
    return [("records", "italy", folder), ("documents", "news", tmp_path / "documents/news/g")]


def test_chains_are_told_apart_by_what_they_store(folders):
    table, traces = diagnose(folders)
    assert list(table) == list(diagnostics.DIAGNOSTIC_COLUMNS)
    rows = table.set_index(["dataset", "draw", "model", "quantity"])
    mixed = rows.loc["italy", "italy_0", "dp", "log_joint"]
    assert mixed["rhat"] < 1.05 and mixed["ess"] > 200 and mixed["n_chains"] == 2
    assert (mixed["n_sweeps"], mixed["burn_in"]) == (220, 20)
    assert mixed["moved"] == 0.5 and mixed["seconds"] == 2.5
    assert rows.loc["italy", "italy_0", "nbd", "log_joint"]["rhat"] > 1.5
    assert rows.loc["italy", "italy_0", "dp", "n_clusters"]["rhat"] == 1.0
    alone = rows.loc["italy", "italy_1", "dp", "log_joint"]
    assert alone["n_chains"] == 1 and np.isnan(alone["rhat"])
    assert rows.loc["news", "news", "g", "log_joint"]["n_chains"] == 1
    assert traces["records/italy/dp/log_joint"].shape == (2, 220)  # of the first draw


def test_a_block_that_an_earlier_configuration_left_changes_nothing(folders):
    table, traces = diagnose(folders)
    block = folders[0][2].with_name("block-1")
    store(block / "dp-2.nc", ["records", "italy_0", "dp"], 2, np.full(220, 1e6))
    store(block.parents[1] / "unfinished/dp-3.nc", ["records", "italy_0", "dp"], 3, np.ones(30))
    again, traces_again = diagnose(folders)
    pd.testing.assert_frame_equal(again, table)
    assert traces_again.keys() == traces.keys()
    assert all(np.array_equal(traces_again[name], traces[name]) for name in traces)
    # Chains of different lengths are refused.
    path = folders[0][2] / "dp-1.nc"
    path.unlink()
    store(path, ["records", "italy_0", "dp"], 1, np.ones(100))
    with pytest.raises(DataError, match="chains of different lengths of dp; delete them"):
        diagnose(folders)


def test_long_traces_are_thinned_and_a_folder_without_chains_gives_empty_frames(tmp_path):
    store(tmp_path / "g/c.nc", ["documents", "long", "g"], 0, np.arange(2400.0))
    _table, traces = diagnose([("documents", "long", tmp_path / "g")])
    assert traces["documents/long/g/log_joint"].shape == (1, 240)
    folders = [("records", "italy", tmp_path / "empty")]
    (tmp_path / "empty").mkdir()
    table, traces = diagnose(folders)
    assert len(table) == 0 and traces == {} and list(table) == list(diagnostics.DIAGNOSTIC_COLUMNS)
    assert list(summarise_restarts(folders)) == list(diagnostics.RESTART_COLUMNS)


def test_restarts_that_end_apart_are_counted(tmp_path):
    folder = tmp_path / "fits" / "irm-hard-beta0.1"
    folder.mkdir(parents=True)
    (folder / "restarts.csv").write_text(
        "elbo,converged,n_iter,seconds,model,initialisation,beta,control\n"
        "-100.0,True,5,1.0,irm,hard,0.1,\n-100.00001,True,7,2.0,irm,hard,0.1,\n"
        "-120.0,False,9,3.0,irm,hard,0.1,\n"
    )
    folders = [("relational", "pairs", tmp_path / "fits")]
    (row,) = summarise_restarts(folders).to_dict("records")
    assert (row["family"], row["dataset"]) == ("relational", "pairs")
    assert (row["model"], row["setting"], row["n_restarts"]) == ("irm", "hard, beta0.1", 3)
    assert row["at_best"] == 2 and row["best"] == -100.0 and row["iterations"] == 7
    assert row["converged"] == pytest.approx(2 / 3) and row["seconds"] == 2.0
