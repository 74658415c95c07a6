"""Likelihoods of categorical records, compared with their definitions."""

import exact
import numpy as np
import pytest

from reseat.errors import ConfigError, DataError
from reseat.likelihoods import CategoricalRecords, HitMissRecords, RecordIndex

RECORDS = np.array([[0, 1, 2], [0, 1, 0], [1, 0, 2], [1, 1, 1], [0, 1, 2], [2, 0, 0]])
LABELS = np.array([0, 0, 1, 2, 1, 3])


def draw_codes(rng, n_items, n_levels, missing=0.0):
    """Draw independent levels, some of them missing, but never all of a record or field."""
    codes = np.stack([rng.integers(0, n, n_items) for n in n_levels], axis=1)
    codes[rng.random(codes.shape) < missing] = -1
    codes[np.arange(n_items), rng.integers(0, len(n_levels), n_items)] = 0
    codes[rng.integers(0, n_items), :] = 1
    return codes


LIKELIHOODS = {
    "categorical": (
        lambda codes, values: CategoricalRecords(codes, values, per_field=np.ndim(values) > 0),
        exact.log_categorical,
    ),
    "hit-miss": (HitMissRecords, exact.log_hit_miss),
}


def test_values_computed_elsewhere():
    categorical = CategoricalRecords(RECORDS, 0.5)
    categorical.assign(LABELS, 6)
    assert categorical.log_marginal() == pytest.approx(-17.942439732277666, abs=1e-9)
    hit_miss = HitMissRecords(RECORDS, 0.05)
    hit_miss.assign(LABELS, 4)
    assert hit_miss.log_marginal() == pytest.approx(-21.280882013654736, abs=1e-9)


def check_predictives(likelihood, log_marginal, codes, labels, items):
    """Check that scores of slots, at once and one by one, are differences of log marginals."""
    whole = log_marginal(codes, labels)
    assert likelihood.log_marginal() == pytest.approx(whole, rel=1e-12, abs=1e-9)
    for item in items:
        own = labels[item]
        rest = np.delete(labels, item)
        slots = [*np.unique(rest).tolist(), -1]
        scores = likelihood.log_predictive(item, own)[slots]
        assert np.array_equal(scores, likelihood.log_predictive(item, own, slots))
        without = log_marginal(np.delete(codes, item, axis=0), rest)
        for slot, score in zip(slots, scores, strict=True):
            moved = labels.copy()
            moved[item] = slot if slot >= 0 else likelihood.capacity
            assert score == pytest.approx(log_marginal(codes, moved) - without, abs=1e-9)


SHAPES = {
    "two levels": ([2], 0.0, 0.3),
    "three fields": ([3, 2, 5], 0.0, 0.5),
    "missing values": ([3, 2, 5, 4], 0.3, 0.05),
    "a value for each field": ([3, 2, 5], 0.2, [0.05, 0.5, 0.9]),
    "nine fields": ([2, 9, 3, 4, 2, 5, 3, 2, 6], 0.1, 0.02),
    "twenty fields": ([3] * 20, 0.1, 0.2),
}


@pytest.mark.parametrize("name", LIKELIHOODS)
@pytest.mark.parametrize("shape", SHAPES)
def test_predictives_are_ratios_of_marginals(name, shape, rng):
    make, oracle = LIKELIHOODS[name]
    n_levels, missing, values = SHAPES[shape]
    for n_blocks in (1, 3, 9, 20):
        codes = draw_codes(rng, 20, n_levels, missing)
        gamma = exact.marginals(codes)
        labels = rng.integers(0, n_blocks, 20)
        likelihood = make(codes, values)
        likelihood.assign(labels, 23)
        items = range(0, 20, 3)
        check_predictives(
            likelihood, lambda x, z, g=gamma: oracle(x, z, values, g), codes, labels, items
        )


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_large_blocks(name, rng):
    """Some blocks have a table of counts, and some have sizes near its creation or removal."""
    make, oracle = LIKELIHOODS[name]
    codes = draw_codes(rng, 230, [4, 3, 7], 0.2)
    gamma = exact.marginals(codes)
    labels = np.repeat([0, 1, 2, 3, 4], [100, 50, 48, 30, 2])
    likelihood = make(codes, 0.1)
    likelihood.assign(labels, 6)
    check_predictives(
        likelihood, lambda x, z: oracle(x, z, 0.1, gamma), codes, labels, (0, 120, 160, 229)
    )


def check_moves(likelihood, fresh, n_slots, attraction, rng):
    """Compare 150 records after thousands of moves with a fresh start; return all block sizes."""
    labels, sizes = np.zeros(150, dtype=int), set()
    likelihood.assign(labels, 4)
    likelihood.grow(n_slots)
    for step in range(6_000):
        # The slot that attracts items changes, so that blocks grow large and dissolve.
        item, favourite = rng.integers(0, 150), step // 700 % 7
        target = favourite if rng.random() < attraction else rng.integers(0, n_slots)
        if target != labels[item]:
            likelihood.reseat(item, labels[item], target)
            labels[item] = target
        if step % 150 == 0:
            fresh.assign(labels, n_slots)
            sizes |= set(np.bincount(labels, minlength=n_slots).tolist())
            assert likelihood.log_marginal() == fresh.log_marginal()
            for item in rng.integers(0, 150, 5):
                assert np.array_equal(
                    likelihood.log_predictive(item, labels[item]),
                    fresh.log_predictive(item, labels[item]),
                )
    return sizes


@pytest.mark.parametrize("name", LIKELIHOODS)
def test_thousands_of_moves_leave_the_statistics_as_if_they_were_built_anew(name, rng):
    make, _ = LIKELIHOODS[name]
    codes = draw_codes(rng, 150, [4, 3, 7], 0.1)
    sizes = check_moves(make(codes, 0.1), make(codes, 0.1), 7, 0.7, rng)
    assert max(sizes) > 100 and min(sizes) < 10
    assert sizes & set(range(24, 48))


def test_hit_miss_survives_terms_beyond_floating_point():
    """With a thousand copies of a rare level, R^n is about 1e6000."""
    codes = np.zeros((1_200, 2), dtype=int)
    codes[1_000:, 0] = np.arange(1, 201)
    gamma = exact.marginals(codes)
    gamma[0] = np.append(1e-3, np.full(200, (1 - 1e-3) / 200))
    labels = np.append(np.zeros(1_000, dtype=int), np.arange(1, 201))
    likelihood = HitMissRecords(RecordIndex(codes, gamma), 1e-3)
    likelihood.assign(labels, 201)
    assert likelihood.log_marginal() == pytest.approx(
        exact.log_hit_miss(codes, labels, 1e-3, gamma), rel=1e-12
    )
    scores = likelihood.log_predictive(0, 0)
    assert np.all(np.isfinite(scores)) and np.argmax(scores) == 0


def test_marginals_of_ones_own(rng):
    codes = draw_codes(rng, 12, [3, 4])
    gamma = [np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.2, 0.3, 0.2, 0.2])]
    labels = rng.integers(0, 5, 12)
    for (make, oracle), value in zip(LIKELIHOODS.values(), (0.4, 0.1), strict=True):
        likelihood = make(RecordIndex(codes, gamma), value)
        likelihood.assign(labels, 5)
        expected = oracle(codes, labels, value, gamma)
        assert likelihood.log_marginal() == pytest.approx(expected, abs=1e-9)
        assert np.array_equal(likelihood.index.marginals[1], gamma[1])


@pytest.mark.parametrize("n_blocks", [1, 4, 60, 150])
def test_tally_gives_the_marginal_for_any_concentration(n_blocks, rng):
    codes = draw_codes(rng, 150, [4, 3, 7, 1], 0.2)
    gamma = exact.marginals(codes)
    labels = rng.integers(0, n_blocks, 150)
    likelihood = CategoricalRecords(codes, 0.1)
    likelihood.assign(labels, n_blocks)
    tally = likelihood.tally()
    for delta in (1e-6, 0.02, 1.7, 400.0):
        assert tally.log_marginal(delta) == pytest.approx(
            exact.log_categorical(codes, labels, delta, gamma), rel=1e-11, abs=1e-9
        )
    deltas = rng.gamma(0.5, size=4)
    expected = exact.log_categorical(codes, labels, deltas, gamma)
    assert tally.log_marginal(deltas) == pytest.approx(expected, rel=1e-11, abs=1e-9)
    by_field = [tally.log_marginal_of(field, delta) for field, delta in enumerate(deltas)]
    assert sum(by_field) == pytest.approx(expected, rel=1e-11, abs=1e-9)


def test_record_of_one_level_and_identical_records():
    codes = np.zeros((3, 2), dtype=int)
    for make, _ in LIKELIHOODS.values():
        likelihood = make(codes, 0.2)
        likelihood.assign([0, 0, 1], 2)
        assert likelihood.log_marginal() == pytest.approx(0.0, abs=1e-12)
        assert likelihood.log_predictive(0, 0) == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


@pytest.mark.parametrize(
    ("codes", "marginals", "message"),
    [
        ([[0, 1]], None, "only 1 record; at least two"),
        ([0, 1], None, r"shape \(2,\)"),
        (np.zeros((3, 0), int), None, "at least one field"),
        ([[0.0], [1.0]], None, "float64; they must be whole"),
        ([[0, 0], [0, -2]], None, "Record 1 has the code -2 in field 1"),
        ([[0, 0], [-1, -1]], None, "Record 1 has no value"),
        ([[0, -1], [1, -1]], None, "Field 1 has no value"),
        ([[0], [1]], [[1.0, 0.0]], "Level 1 of field 0 occurs .* no marginal probability"),
        ([[0], [2]], [[0.5, 0.5]], "Level 2 of field 0 occurs"),
        ([[0], [1]], [[0.5, 0.6]], "must .* add up to 1, not to 1.1"),
        ([[0], [1]], [[1.5, -0.5]], "field 0 are not a distribution"),
        ([[0], [1]], [[0.5, 0.5], [1.0]], "given for 2 fields, the records have 1"),
    ],
)
def test_bad_records_are_refused(codes, marginals, message):
    with pytest.raises(DataError, match=message):
        RecordIndex(np.array(codes), marginals)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CategoricalRecords(RECORDS, [0.1, 0.1, 0.1]), "3 concentrations"),
        (lambda: CategoricalRecords(RECORDS, [0.1, 0.1], per_field=True), "2 concentrations"),
        (lambda: HitMissRecords(RECORDS, 1.0), "beta is 1.0"),
        (lambda: HitMissRecords(RECORDS, [0.1, 0.2]), "2 probabilities"),
    ],
)
def test_bad_parameters_are_refused(make, message):
    with pytest.raises(ConfigError, match=message):
        make()


def test_items_move_between_slots_that_are_there():
    likelihood = CategoricalRecords(RECORDS)
    likelihood.assign(LABELS, 4)
    for item, source, target in ((6, 0, 1), (0, 0, 4), (0, 0, 0), (-1, 0, 1)):
        with pytest.raises(ValueError, match="cannot go"):
            likelihood.reseat(item, source, target)
