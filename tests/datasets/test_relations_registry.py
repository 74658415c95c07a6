"""Generated relations, and the registry's data sets of the relational family."""

import numpy as np
import pytest
from places import ROOT

from reseat.datasets import Registry, Relations
from reseat.datasets.parsers.generated_relations import (
    parse_generated_blocks,
    parse_generated_relations,
)
from reseat.errors import ConfigError

REGISTRY = Registry.load(ROOT / "config" / "datasets.yaml")
IDENTITY = REGISTRY.identity("demo_pairs")

# ---- generated relations -----------------------------------------------------------------

TYPES = {
    "a": {"entities": 40, "clusters": 4, "activity": 2.0},
    "n": {"entities": 60, "clusters": 6},
}
RULE = {"types": ["a", "n"], "tokens": 40000, "linked": 0.2, "contrast": 50}


def drawn(rule=RULE, types=TYPES, seed=5):
    return parse_generated_relations({}, seed, types, {"pairs": rule})


def test_planted_clusters_and_activities_show_in_the_counts():
    raw = drawn({**RULE, "linked": 0.0})
    found = Relations(raw.entities, raw.relations, raw.classes, IDENTITY)
    matrix, rows, columns = (
        found.matrix().toarray(),
        *(np.array(found.classes[kind], dtype=int) - 1 for kind in ("a", "n")),
    )
    assert 40000 <= matrix.sum() <= 40000 + 100
    assert np.bincount(rows).min() >= 1 and np.bincount(columns, minlength=6).min() >= 1
    linked = rows[:, None] % 4 == columns % 4
    # Counts relative to those under independence of rows and columns, linked cells over others.
    margins = np.outer(matrix.sum(axis=1), matrix.sum(axis=0)) / matrix.sum()
    ratio = (matrix[linked].sum() / margins[linked].sum()) / (
        matrix[~linked].sum() / margins[~linked].sum()
    )
    assert 25 < ratio < 100
    # Within one block counts are independent: a row's share is the same in every column.
    block = matrix[np.ix_(rows == 1, columns == 1)]
    expected = np.outer(block.sum(axis=1), block.sum(axis=0)) / block.sum()
    busy = expected > 5
    statistic = ((block - expected)[busy] ** 2 / expected[busy]).sum()
    assert statistic < busy.sum() + 6 * np.sqrt(2 * busy.sum())
    # With gamma activities, row totals vary far more than Poisson counts would.
    assert block.sum(axis=1).std() > 3 * np.sqrt(block.sum(axis=1).mean())


def test_generated_relations_repeat_and_leave_nobody_out():
    one, again, other = drawn(), drawn(), drawn(seed=6)
    np.testing.assert_array_equal(one.relations[0].coordinates, again.relations[0].coordinates)
    assert one.classes == again.classes != other.classes
    few = drawn({**RULE, "tokens": 5})
    assert Relations(few.entities, few.relations, few.classes, IDENTITY).totals("n").min() >= 1
    net = drawn({"types": ["a", "a"], "tokens": 3, "contrast": 2}, {"a": TYPES["a"]})
    assert Relations(net.entities, net.relations, {}, IDENTITY).totals("a").min() >= 1


@pytest.mark.parametrize(
    ("rule", "types", "words"),
    [
        ({"types": ["a"]}, {}, "'relations.pairs.types' is .*; it must list two or more of a, n"),
        ({"types": ["a", "b"]}, {}, "'relations.pairs.types'"),
        ({"tokens": 0}, {}, "'relations.pairs.tokens' is 0"),
        ({"contrast": -1}, {}, "'relations.pairs.contrast' is -1"),
        ({"linked": None}, {}, "'relations.pairs.linked' is None"),
        ({"linked": 1.5}, {}, "'relations.pairs.linked' is 1.5; it must lie in .0, 1."),
        ({}, {"entities": 2.5}, "'types.a.entities' is 2.5"),
        ({}, {"entities": 3}, "'types.a' has 4 clusters but only 3 entities"),
        ({}, {"activity": 0}, "'types.a.activity' is 0"),
    ],
)
def test_wrong_options_of_generated_relations_are_refused(rule, types, words):
    with pytest.raises(ConfigError, match=words):
        drawn({**RULE, **rule}, {**TYPES, "a": {**TYPES["a"], **types}})


def test_blocks_follow_their_pattern():
    options = {**REGISTRY["toy_blocks"].options, "pattern": [[1, 0, 0], [0, 1, 0], [1, 0, 1]]}
    raw = parse_generated_blocks({}, **options)
    made = Relations(raw.entities, raw.relations, raw.classes, IDENTITY)
    people, beasts = (np.array(found, dtype=int) - 1 for found in made.classes.values())
    np.testing.assert_array_equal(
        made.matrix().toarray(), np.array(options["pattern"])[np.ix_(people, beasts)]
    )
    assert np.bincount(people).tolist() == [4, 3, 3] and (np.diff(people) < 0).any()
    for keys, words in (
        ({"pattern": [[1, 0]]}, "'pattern' is 1 x 2"),
        ({"pattern": np.full((3, 3), 1.5)}, "probabilities"),
        ({"rows": {**options["rows"], "sizes": [4, 4, 3]}}, "'rows.sizes' adds up to 11"),
        ({"rows": {**options["rows"], "type": options["columns"]["type"]}}, "they must differ"),
    ):
        with pytest.raises(ConfigError, match=words):
            parse_generated_blocks({}, **{**options, **keys})


# ---- the registry ------------------------------------------------------------------------
