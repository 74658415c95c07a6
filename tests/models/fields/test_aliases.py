"""Values that stand for each other, learned from records that agree in other fields."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from similar import customers

from reseat.command.main import main
from reseat.datasets.parsers.generated_customers import FIELDS, NICKNAMES
from reseat.models.fields.columns import as_columns
from reseat.models.fields.index import index_fields
from reseat.models.fields.matches import aliases, matches

SHORT = {(a.casefold(), b.casefold()) for a, b in NICKNAMES.items()}


def of_customers(**options) -> dict[str, list]:
    found = index_fields(as_columns(customers(5000, **options)[0]))[1].aliases
    return {FIELDS[field]: pairs for field, pairs in found.items()}


def test_nicknames_are_found_and_little_else():
    found = of_customers()
    names = {tuple(sorted(pair, key=len, reverse=True)) for pair in found["first_name"]}
    assert len(names & SHORT) >= 15
    assert len(names - SHORT) <= 2 and sum(map(len, found.values())) - len(names) <= 2


def test_where_nobody_has_a_nickname_none_is_found():
    found = of_customers(nicknames=0.0)
    assert sum(map(len, found.values())) <= 2


def test_the_command_writes_them_and_says_so(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.DataFrame(customers(1500)[0], columns=FIELDS).to_csv("customers.csv", index=False)
    short = ["--chains", "1", "--burn-in", "2", "--samples", "4"]
    assert main(["cluster", "records", "customers.csv", "-o", "out", *short]) == 0
    found = pd.read_csv("out/aliases.csv")
    assert list(found) == ["field", "value", "other"]
    assert ("first_name", "alex", "alexander") in set(found.itertuples(index=False, name=None))
    page = Path("out/index.html").read_text("utf-8")
    assert "stand for each other" in page and 'href="aliases.csv"' in page


def people(n_people: int, rng: np.random.Generator) -> np.ndarray:
    """Return three records per person: one of twelve names, and two numbers that identify it."""
    who = np.repeat(np.arange(n_people), 3)
    return np.stack([rng.integers(0, 12, n_people)[who], who, who[::-1]], axis=1)


def test_one_odd_record_beside_two_is_one_mistake(rng):
    codes = people(200, rng)
    place = 3 * np.flatnonzero(codes[::3, 0] == 4)[0]
    codes[place, 0] = 5
    assert not any(len(pairs[0]) for pairs in aliases(codes, [None] * 3, matches(codes)))


def test_how_much_likelier_is_as_often_as_seen_over_expected(rng):
    codes = people(200, rng)
    names = codes[::3, 0].copy()
    # Ten people with the first name have the second in one record; others err once.
    for name, other, times in [(0, 1, 10), *((k, (k + 3) % 10 + 2, 1) for k in range(2, 12))]:
        codes[3 * np.flatnonzero(names == name)[:times], 0] = other
    (first, second, log_gain), *others = aliases(codes, [None] * 3, matches(codes))
    assert (first.tolist(), second.tolist()) == ([0], [1])
    share = np.bincount(codes[:, 0]) / len(codes)
    expected = 20 * 2 * share[0] * share[1] / (1 - np.sum(share**2))
    assert log_gain[0] == pytest.approx(np.log((10 + 0.1) / (expected + 0.1)))
    assert not any(len(pairs[0]) for pairs in others)
    # Values with similar letters are left to the measure of letters.
    near = (np.array([0]), np.array([1]), np.array([2.0]))
    assert not len(aliases(codes, [near, None, None], matches(codes))[0][0])


def test_missing_values_agree_with_nothing(rng):
    codes = people(60, rng)
    codes[:, 1:] = -1
    assert not any(len(pairs[0]) for pairs in aliases(codes, [None] * 3, matches(codes)))
