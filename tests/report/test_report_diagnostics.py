"""Diagnostics of the chains of any family, from files as `write_chain` leaves them."""

import json

import h5py
import numpy as np
import pandas as pd
import pytest

from reseat.errors import DataError
from reseat.files.atomic import seal
from reseat.papers.diagnostics import (
    DIAGNOSTIC_COLUMNS,
    RESTART_COLUMNS,
    diagnose,
    summarise_restarts,
)


def store(path, stream, chain, values, burn_in=20, n_items=10):
    """Write a chain with a trace of the log joint and a constant number of clusters."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sweeps, model = np.arange(1, len(values) + 1), stream[2]
    with h5py.File(path, "w") as file:
        # The stream of a model may have a name of its own.
        stream = [*stream[:2], f"stream of {stream[2]}"]
        configuration = {"stream": stream, "model": {"name": model}, "chain": chain}
        file.attrs["configuration"] = json.dumps(configuration)
        file.attrs["seconds"] = json.dumps(2.0 + chain)
        for prefix, part in (("warmup_", slice(0, burn_in)), ("", slice(burn_in, None))):
            for group, names in (
                ("posterior", {"n_clusters": np.full(len(values), 3.0)}),
                ("sample_stats", {"log_joint": values, "n_moved": np.full(len(values), 5.0)}),
            ):
                for name, trace in names.items():
                    file[f"{prefix}{group}/{name}"] = trace[None, part]
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
    assert list(table) == list(DIAGNOSTIC_COLUMNS)
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


def test_long_traces_are_thinned(tmp_path):
    store(tmp_path / "g/c.nc", ["documents", "long", "g"], 0, np.arange(2400.0))
    _table, traces = diagnose([("documents", "long", tmp_path / "g")])
    assert traces["documents/long/g/log_joint"].shape == (1, 240)


def test_chains_of_different_lengths_are_refused(folders):
    path = folders[0][2] / "dp-1.nc"
    path.unlink()
    store(path, ["records", "italy_0", "dp"], 1, np.ones(100))
    with pytest.raises(DataError, match="chains of different lengths of dp; delete them"):
        diagnose(folders)


def test_chains_of_different_burn_in_are_refused(tmp_path):
    for number, burn_in in enumerate((5, 8)):
        store(
            tmp_path / f"g/c-{number}.nc",
            ["records", "a", "g"],
            number,
            np.ones(10 + burn_in),
            burn_in,
        )
    with pytest.raises(DataError, match="chains of different lengths of g; delete them"):
        diagnose([("records", "a", tmp_path / "g")])


def test_a_folder_without_chains_gives_empty_frames(tmp_path):
    folders = [("records", "italy", tmp_path)]
    table, traces = diagnose(folders)
    assert len(table) == 0 and traces == {} and list(table) == list(DIAGNOSTIC_COLUMNS)
    assert list(summarise_restarts(folders)) == list(RESTART_COLUMNS)


def test_restarts_that_end_apart_are_counted(tmp_path):
    folder = tmp_path / "fits" / "irm-hard-beta0.1"
    folder.mkdir(parents=True)
    pd.DataFrame(
        {
            "elbo": [-100.0, -100.00001, -120.0],
            "converged": [True, True, False],
            "n_iter": [5, 7, 9],
            "seconds": [1.0, 2.0, 3.0],
            "model": "irm",
            "initialisation": "hard",
            "beta": 0.1,
            "control": "",
        }
    ).to_csv(folder / "restarts.csv", index=False)
    folders = [("relational", "pairs", tmp_path / "fits")]
    (row,) = summarise_restarts(folders).to_dict("records")
    assert (row["family"], row["dataset"]) == ("relational", "pairs")
    assert (row["model"], row["setting"], row["n_restarts"]) == ("irm", "hard, beta0.1", 3)
    assert row["at_best"] == 2 and row["best"] == -100.0 and row["iterations"] == 7
    assert row["converged"] == pytest.approx(2 / 3) and row["seconds"] == 2.0
