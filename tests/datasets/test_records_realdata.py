"""The real records and recipes, if the mirror has them: the counts that the data notes give.

Each test exists only if its files are found, as in test_datasets_realdata.py.
"""

import csv

import numpy as np
import pytest
from places import MIRROR
from real_data import REGISTRY, available

from reseat.datasets import DataSettings, build, draw_records

CHECK = MIRROR / "zanella-synthetic" / "reference_draws" / "exact_match_check.csv"

# Numbers of entities of size 1, 2, ...; numbers of levels of the fields, None where our own rule
# makes them; number of missing values.
REAL = {
    "italy_shiw": ([385, 202], [77, 3, 7, 5, 3, 16, 2, 2, 8, 11], 92),
    "italy_shiw_nine": ([385, 202], [77, 3, 7, 5, 3, 16, 2, 2, 8], 92),
    "sipp1000": ([92, 92, 62, 116, 638], [12, 72, 2, 4, 49], 0),
    "sds_poland": ([2610, 1478, 1412], [2, 83, 16, 31, 12, 11], 0),
    "rldata500": ([400, 50], [31, 12, 86, 146, 108], 0),
    "rldata10000": ([8000, 1000], [45, 20, 107, 539, 354], 0),
    "febrl1": ([0, 500], None, None),
    "febrl1_text": ([0, 500], None, None),
    "febrl2": ([3572, 114, 141, 107, 47, 19], None, None),
    "febrl3": ([835, 368, 256, 212, 161, 168], None, None),
    "febrl4": ([0, 5000], None, None),
    "restaurant": ([640, 112], None, None),
    "restaurant_text": ([640, 112], None, None),
    "cora": (None, None, None),  # too many sizes to list: see below
}
RECIPES = {
    "italy": ("Italy", 789, 587, [77, 3, 7, 5, 3, 17, 2, 2, 8]),
    "nltcs5000": ("NLTCS5000", 5000, 3061, [31, 12, 49, 2, 49, 12]),
    "syria2000": ("Syria2000", 2000, 1725, [2, 15, 31, 12, 2]),
    "syriasizes": ("SyriaSizes", 6700, 4075, [2, 15, 31, 12, 2]),
}


HAVE_REAL = available(REAL)
HAVE_RECIPES = available(RECIPES) if CHECK.is_file() else []


@pytest.fixture
def settings(tmp_path):
    return DataSettings(mirrors=(MIRROR,), raw=tmp_path, download=False)


def test_the_cases_are_all_of_the_family_that_have_files():
    listed = {n for n in REGISTRY if REGISTRY[n].family == "records" and REGISTRY[n].files}
    assert listed == REAL.keys() | RECIPES.keys()


def linked_pairs(groups):
    """Return the number of pairs within the groups."""
    sizes = np.unique(groups, return_counts=True)[1]
    return int((sizes * (sizes - 1) // 2).sum())


def exact_match(records):
    """Return the FNR and FDR of linking the records that agree in all fields."""
    profile = np.unique(records.codes, axis=0, return_inverse=True)[1].reshape(-1)
    both = linked_pairs(profile.astype(np.int64) * records.n_entities + records.entities)
    return 1 - both / linked_pairs(records.entities), 1 - both / linked_pairs(profile)


if HAVE_REAL:

    @pytest.mark.realdata
    @pytest.mark.parametrize("name", HAVE_REAL)
    def test_real_sizes(name, settings):
        records = build(REGISTRY, name, settings, kind="records")
        sizes, levels, missing = REAL[name]
        found = np.bincount(records.entity_sizes())[1:].tolist()
        if sizes is None:
            assert (records.n_records, records.n_entities) == (1295, 125)
            assert (found[0], len(found)) == (20, 55)
        else:
            assert found == sizes
        if levels is not None:
            assert list(records.n_levels) == levels
            assert records.summary()["missing_values"] == missing
        assert 4 <= records.n_fields <= 10
        # No field is mostly empty except the volume of a reference, and no record is empty.
        absent = (records.codes < 0).mean(axis=0)
        kept = [field != "volume" for field in records.fields]
        assert absent[kept].max() < 0.4
        assert (records.codes >= 0).any(axis=1).all()
        if name == "italy_shiw":
            # 126 of 202 true pairs and 43 others agree in all ten fields.
            assert exact_match(records) == pytest.approx((1 - 126 / 202, 43 / 169))


if HAVE_RECIPES:

    @pytest.mark.realdata
    @pytest.mark.parametrize("name", HAVE_RECIPES)
    def test_recipes_and_exact_matching_on_their_draws(name, settings):
        recipe = build(REGISTRY, name, settings, kind="recipe")
        key, n_records, n_entities, levels = RECIPES[name]
        assert (recipe.n_records, recipe.n_entities) == (n_records, n_entities)
        assert [len(names) for names in recipe.levels] == levels
        with open(CHECK, encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["dataset"] == key]
        assert len(rows) == 3
        rng = np.random.default_rng(2016)
        for row in rows:
            delta, n_draws = float(row["delta"]), 4
            draws = [draw_records(recipe, delta, rng) for _ in range(n_draws)]
            fnr, fdr = np.mean([exact_match(draw) for draw in draws], axis=0)
            agree = [1 - delta / (1 + delta) * (1 - (m**2).sum()) for m in recipe.marginals]
            expected = 1 - np.prod(agree)
            # The pairs of one entity are not independent, but the entities are; the standard error
            # is therefore over entities, weighted by their numbers of pairs.
            pairs = np.repeat(np.arange(1, len(recipe.sizes) + 1), recipe.sizes)
            pairs = pairs * (pairs - 1) / 2
            error = np.sqrt(expected * (1 - expected) * (pairs**2).sum()) / pairs.sum()
            assert abs(fnr - expected) < 4 * error / np.sqrt(n_draws)
            assert abs(float(row["exactmatch_FNR"]) - expected) < 4 * error
            spread = np.std([exact_match(draw)[1] for draw in draws], ddof=1)
            assert abs(float(row["exactmatch_FDR"]) - fdr) < max(6 * spread, 0.04)
