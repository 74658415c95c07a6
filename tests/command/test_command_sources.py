"""Records of several files in one table, each with mistakes of its own."""

import pandas as pd
import pytest
from similar import customers

from reseat import Microclustering
from reseat.command.main import main
from reseat.datasets.parsers.generated_customers import FIELDS
from reseat.errors import ConfigError, DataError

SHORT = {"n_chains": 2, "n_burn_in": 5, "n_samples": 20, "random_state": 0}


def table_of(rng, n_records=600):
    """Return customers from two registers, one of which spoils many post codes."""
    cells, _ = customers(n_records, moves=0.0)
    table = pd.DataFrame(cells, columns=FIELDS).assign(register="north")
    careless = rng.random(n_records) < 0.5
    table.loc[careless, "register"] = "south"
    spoilt = careless & table["postcode"].notna() & (rng.random(n_records) < 0.5)
    table.loc[spoilt, "postcode"] = table["postcode"].str[:-1] + "x"
    return table


def test_a_careless_register_has_more_mistakes(rng):
    table = table_of(rng)
    model = Microclustering(**SHORT).fit(table[[*FIELDS]], sources=table["register"])
    numbers = pd.factorize(table["register"])[1]
    beta = [model.traces_[f"beta_2_{number}"].mean() for number in range(2)]
    assert beta[numbers.get_loc("south")] > 2 * beta[numbers.get_loc("north")]
    with pytest.raises(ConfigError, match="fit the old and the new records together"):
        model.predict(table[[*FIELDS]])


@pytest.mark.parametrize(
    ("sources", "options", "error", "message"),
    [
        (["a"] * 3, {}, DataError, "3 sources are given for 4 records"),
        (["a", "b", None, "a"], {}, DataError, "source of the record 2 is missing"),
        (list("abab"), {"likelihood": "categorical"}, ConfigError, "likelihood='similar'"),
    ],
)
def test_wrong_sources_are_refused(sources, options, error, message):
    records = [["ann", "rome"], ["ann", "rome"], ["bob", "oslo"], ["eve", "bonn"]]
    with pytest.raises(error, match=message):
        Microclustering(**{"likelihood": "similar"} | options, **SHORT).fit(
            records, sources=sources
        )


def test_the_command_takes_a_column_of_sources(rng, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    table_of(rng, 300).to_csv("both.csv", index=False)
    short = ["--chains", "2", "--burn-in", "2", "--samples", "10"]
    linked = ["cluster", "records", "both.csv", "--source-column", "register", "-o", "out", *short]
    assert main(linked) == 0
    assert "300 records from 2 sources, 6 fields" in capsys.readouterr().err
    summary = pd.read_csv("out/summary.csv")["quantity"]
    assert {"beta_0_0", "beta_0_1"} <= set(summary)
    labels = pd.read_csv("out/labels.csv")
    assert set(labels["register"]) == {"north", "south"}
    assert not any(name.startswith("register") for name in pd.read_csv("out/duplicates.csv"))
    # The chosen columns need not include it.
    chosen = [*linked[:-6], "-o", "few", "--columns", "first_name,last_name,postcode", *short]
    assert main(chosen) == 0
    assert "300 records from 2 sources, 3 fields" in capsys.readouterr().err
