"""Seeds draw what they drew when the digests were stored."""

from unittest.mock import patch

import draws
import draws_library
import numpy as np
import pandas as pd
import pytest
import table_digests
from digest_files import read, remedy

from reseat.priors import DirichletProcess


@pytest.mark.long
def test_every_seed_draws_what_it_drew():
    """This holds on any processor and for the native build too; any difference must be known."""
    changed = draws.differences(read(draws.DIGESTS), draws.collect())
    assert not changed, remedy(changed, draws.DIGESTS)


# ---- small changes are detected --------------------------------------------------------------


class Shifted(DirichletProcess):
    """A Dirichlet process with one weight that is greater by a millionth."""

    def tabulate(self):
        super().tabulate()
        log_join, log_open = self.tables
        log_join[3] += 1e-6
        self.set_tables(log_join, log_open)


def stored_of(prior):
    """Return the stored digests of the chains with a prior, every likelihood and every move."""
    stored = read(draws.DIGESTS).items()
    start = f"library/{prior} / "
    return {
        name.removeprefix("library/"): digest for name, digest in stored if name.startswith(start)
    }


def test_one_weight_greater_by_a_millionth_is_seen_wherever_it_is_used():
    """No draw needs to change for this, because the traces contain the weights themselves.

    The tables of a subclass are used also after the concentration is sampled.
    """
    prior = "dp, sampled"
    wrong = {prior: lambda: Shifted(1.0, draws_library.GAMMA)}
    # `test_every_seed_draws_what_it_drew` compares these with what the right prior draws.
    stored = stored_of(prior)
    changed = draws.differences(stored, dict(draws_library.mixtures(wrong)))
    # Only blocks of at least four items use this weight; all of these short chains have one.
    assert len(changed) == len(stored) == len(draws_library.LIKELIHOODS) * len(draws_library.MOVES)
    assert all("log_seats: " in sentence and " instead of " in sentence for sentence in changed)


def test_one_random_number_more_is_seen():
    wasteful = {"gibbs": lambda: lambda *parts: (parts[-1].random(), gibbs(*parts))[1]}
    gibbs = draws_library.MOVES["gibbs"]()
    with patch.dict(draws_library.MOVES, wasteful, clear=True):
        found = dict(draws_library.mixtures({"dp": draws_library.PRIORS["dp"]}))
    stored = {name: digest for name, digest in stored_of("dp").items() if name in found}
    assert len(draws.differences(stored, found)) == len(stored) == len(draws_library.LIKELIHOODS)


def test_differences_name_the_entry_and_the_first_value():
    labels = np.array([0, 1, 1])
    then = {"a": draws.entry({"z": labels}, {"log_joint": [-1.0, -2.0, -3.0], "n": [4, 4, 4]})}
    now = {"a": draws.entry({"z": labels}, {"log_joint": [-1.0, -2.5, -3.5], "n": [4, 4, 4]})}
    assert draws.differences(then, then) == []
    assert draws.differences(then, now) == [
        "a: log_joint: -2.5 instead of -2 (value 2 of those kept)"
    ]
    now = {"a": draws.entry({"z": labels[::-1]}, {"log_joint": [-1.0, -2.0, -3.0], "n": [4, 4, 5]})}
    assert draws.differences(then, now) == [
        "a: other labels; n: 5 instead of 4 (value 3 of those kept)"
    ]
    assert draws.differences(then, {"b": now["a"]}) == [
        "a: stored, but nothing of this name is drawn any more",
        "b: drawn, but not stored yet",
    ]


@pytest.mark.parametrize("factor", [1 + 1e-11, 1 - 1e-11])
def test_rounding_is_no_difference(factor):
    trace = np.array([-123.456789012345, 1e-5, 7e8, np.nan])
    then = {"a": draws.entry({}, {"t": trace})}
    assert draws.differences(then, {"a": draws.entry({}, {"t": trace * factor})}) == []
    other = draws.differences(then, {"a": draws.entry({}, {"t": trace * (1 + 1e-8)})})
    assert len(other) == 1 and "-123.4567" in other[0]


def test_a_failure_says_what_changed_and_what_to_do():
    text = remedy([f"entry {number}: other labels" for number in range(50)], draws.DIGESTS)
    assert "entry 0: other labels" in text and "and 10 more" in text and "entry 49" not in text
    assert "draws.json" in text and "CHANGELOG.md" in text and "`python tools/digests.py`" in text
    text = remedy(["tables/t.csv: changed"], table_digests.DIGESTS, "--tables FOLDER")
    assert "`python tools/digests.py --tables FOLDER`" in text and "more" not in text


# ---- tables ----------------------------------------------------------------------------------


def write_tables(folder, **tables):
    place = table_digests.report_folder(folder) / "tables"
    place.mkdir(parents=True)
    for name, columns in tables.items():
        pd.DataFrame(columns).to_csv(place / f"{name}.csv", index=False)
    return table_digests.digests(folder)


def test_tables_are_compared_by_name_without_times_and_last_digits(tmp_path):
    one = {"metric": ["ARI", "seconds"], "mean": [0.123456789, 3.25], "seconds": [1.5, 2.5]}
    two = one | {"mean": [0.123456789 + 4e-13, 9.75], "seconds": [7.5, 8.5]}
    three = one | {"mean": [0.123457789, 3.25]}
    stored = write_tables(tmp_path / "1", t=one, same=one, gone=one, scaling=one)
    assert list(stored) == ["tables/gone.csv", "tables/same.csv", "tables/t.csv"]
    found = write_tables(tmp_path / "2", t=three, same=two, new=one, scaling=three)
    assert table_digests.differing(stored, found) == [
        "tables/gone.csv: no longer made",
        "tables/new.csv: not stored yet",
        "tables/t.csv: changed",
    ]


def test_rounding_errors_are_no_difference_and_anything_else_is(tmp_path):
    """Large numbers do not hide small ones, and the same numbers in other places are others."""
    claim = {"effect": [2.6e-15, 7.5e8, 1.5], "evidence": ["at most 1.1e-16, mean 0.52"] * 3}
    rounding = claim | {"effect": [-3.1e-16, 7.5e8 * (1 + 1e-12), 1.5]}
    others = [
        claim | {"evidence": ["at most 1.1e-16, mean 0.53"] * 3},
        claim | {"evidence": ["at least 1.1e-16, mean 0.52"] * 3},
        claim | {"effect": [2.6e-15, 1.5, 7.5e8]},
        claim | {"effect": [1e-8, 7.5e8, 1.5]},
        claim | {"effect": [2.6e-15, 7.5e8, 1.50001]},
        claim | {"effect": [2.6e-15, 7.5e8, -1.5]},
    ]
    stored, same, *changed = (
        write_tables(tmp_path / str(number), claims=columns)
        for number, columns in enumerate([claim, rounding, *others])
    )
    assert table_digests.differing(stored, same) == []
    for found in changed:
        assert table_digests.differing(stored, found) == ["tables/claims.csv: changed"]
