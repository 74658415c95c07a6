"""Fields that change together, learned from records that agree."""

import numpy as np
from similar import customers

from reseat.datasets.parsers.generated_customers import FIELDS
from reseat.models.fields.columns import as_columns
from reseat.models.fields.index import index_fields
from reseat.models.fields.matches import changing_fields, matches

MOVED = tuple(FIELDS.index(name) for name in ("postcode", "city", "phone"))


def groups_of(**options):
    return index_fields(as_columns(customers(5000, **options)[0]))[1].changing


def test_people_who_move_are_found():
    """The city is used only where the post code is missing, because it follows from it."""
    assert groups_of()[0] == MOVED


def test_a_field_that_only_new_records_show_to_follow_is_in_no_group_that_changes():
    """The city follows from the post code wherever there is one; few records do not show it."""
    cells = customers(5000)[0]
    postcode, city, phone = MOVED
    cells = cells[[row[postcode] is not None for row in cells]]
    groups = [(city, phone), (postcode, city), (postcode, city, phone)]
    assert index_fields(as_columns(cells), groups)[1].changing == [(postcode, phone)]


def test_where_nobody_moves_no_address_changes():
    postcode, city, _phone = MOVED
    assert not [group for group in groups_of(moves=0.0) if {postcode, city} & {*group}]


def pairs_of(rng, n_people=300):
    """Return two records per person: a number that identifies it, and three other fields."""
    who = np.repeat(np.arange(n_people), 2)
    return np.column_stack([who, rng.integers(0, 30, (n_people, 3))[who]])


def test_what_changes_in_one_pair_is_taken_together(rng):
    codes = pairs_of(rng)
    codes[:40:2, 1:3] = (codes[:40:2, 1:3] + 5) % 30
    codes[100:130:2, 3] = (codes[100:130:2, 3] + 5) % 30  # changes alone
    pairs = matches(codes)
    near = [None] * 4
    log_odds = np.where(pairs[:, 0] + 1 == pairs[:, 1], 3.0, -3.0)
    assert changing_fields(codes, near, pairs, lambda groups: log_odds) == [(1, 2)]
    # Nothing is learned from pairs that are unlikely duplicates, or that may be typing errors.
    assert changing_fields(codes, near, pairs, lambda groups: log_odds - 6.0) == []
    x, y = np.triu_indices(30, 1)
    near[1] = (x, y, np.ones(x.size))
    assert changing_fields(codes, near, pairs, lambda groups: log_odds) == []


def test_a_field_changes_with_the_one_that_it_follows(rng):
    codes = pairs_of(rng)
    codes[:40:2, 1:3] = (codes[:40:2, 1:3] + 5) % 30
    codes[60:100, 3] = -1
    pairs = matches(codes)
    tried = []

    def log_odds(groups):
        tried.append(groups)
        return np.full(len(pairs), 3.0)

    assert changing_fields(codes, [None] * 4, pairs, log_odds, [(3, 1)]) == [(1, 2, 3)]
    assert tried == [[(1, 2, 3)]]  # the odds allow for changes of the candidates


def test_new_records_are_compared_by_the_groups_that_were_learned():
    cells, _ = customers(1500)
    columns = as_columns(cells[:900])
    learned = index_fields(columns)[1]
    index, again = index_fields(as_columns(cells), learned.changing)
    assert learned.changing == again.changing and len(index.changing) == len(learned.changing)
    assert index_fields(columns, [])[0].changing == ()
