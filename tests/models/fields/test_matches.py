"""Groups of fields in which strangers hardly ever agree, and the pairs that agree in one."""

import numpy as np

from reseat.models.fields.matches import MAX_COMBINED, matches, telling_groups


def test_the_groups_of_a_wide_table_are_those_of_its_most_varied_fields(rng):
    """All groups of up to four of 300 fields would be 300 million."""
    n_items = 400
    wide = rng.integers(0, 2, size=(n_items, 300))
    names = rng.integers(0, 250, size=n_items)
    number = rng.permutation(n_items)
    number[1], names[1] = number[0], names[0]
    codes = np.column_stack([wide[:, :150], names, wide[:, 150:], number])
    groups = telling_groups(codes)
    assert groups[0] == [150, 301] and not any({150, 301} <= {*group} for group in groups[1:])
    assert np.unique(np.concatenate(groups)).size <= MAX_COMBINED
    assert [0, 1] in matches(codes).tolist()


def test_a_narrow_table_has_all_groups(rng):
    codes = rng.integers(0, 12, size=(200, MAX_COMBINED // 4))
    groups = telling_groups(codes)
    assert {len(group) for group in groups} == {4} and len(groups) == 60
