"""Merges of clusters between ascents."""

import numpy as np
import pytest
import relations_exact as exact
from test_variational import STRUCTURES, copied, planted, random_problem

from reseat.variational import FIRM, Relation, fit_relational
from reseat.variational.ascent import Ascent, Merges, merge_clusters


def pairs(problem):
    """Yield (type, one, other) of all pairs of clusters."""
    for kind in problem.types:
        for one, other in zip(*np.triu_indices(problem.truncation[kind], 1), strict=True):
            yield kind, one, other


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("structure", STRUCTURES)
def test_the_gain_of_a_merge_is_the_rise_of_the_bound(structure, missing):
    for seed, reorder in ((1, True), (2, False)):
        problem, memberships = random_problem(
            structure, seed, missing=missing, sizes=(5, 7), clusters=(3, 4), reorder=reorder
        )
        ascent = Ascent(problem, memberships)
        ascent.sweep()
        before = ascent.elbo()
        merges = Merges(ascent)
        for kind, one, other in pairs(problem):
            after = copied(ascent.memberships)
            after[kind][:, one] += after[kind][:, other]
            after[kind][:, other] = 0
            merged = Ascent(problem, copied(ascent.memberships))
            merged.take(after)
            gain = merges.gain(kind, one, other)
            np.testing.assert_allclose(merged.elbo() - before, gain, rtol=0, atol=1e-9)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_merges_raise_the_bound_by_what_is_asked(structure):
    n_merged = 0
    for seed in range(6):
        problem, memberships = random_problem(structure, seed, sizes=(6, 9), clusters=(4, 6))
        ascent = Ascent(problem, memberships)
        for _ in range(2):  # after many more, hardly any start has clusters left to merge
            ascent.sweep()
        before, kept = ascent.elbo(), copied(ascent.memberships)
        merged = merge_clusters(ascent, 0.01)
        assert all((ascent.memberships[kind] == kept[kind]).all() for kind in kept)
        n_merged += merged is not None
        if merged is None:
            continue
        emptied = sum(((q.sum(axis=0) == 0) & (kept[k].sum(axis=0) > 0)).sum()
                      for k, q in merged.items())  # fmt: skip
        assert emptied > 0
        for q in merged.values():
            np.testing.assert_allclose(q.sum(axis=1), 1, rtol=1e-12)
        ascent.take(merged)
        assert ascent.elbo() > before + 0.01 * emptied
    assert n_merged >= 3


def test_merges_find_the_planted_clusters_where_the_ascent_keeps_too_many():
    counts, rows, columns = planted(np.random.default_rng(1))
    for start in ("hard", "k_means"):
        found = [
            FIRM(20, 20, initialisation=start, merge=merge, n_restarts=5, random_state=1)
            for merge in (False, True)
        ]
        alone, merged = (model.fit(counts) for model in found)
        assert alone.restarts_["n_clusters_row"].max() > 3
        assert (merged.restarts_["elbo"] >= alone.restarts_["elbo"]).all()
        for labels, truth in ((merged.labels_, rows), (merged.column_labels_, columns)):
            assert len(set(zip(labels, truth, strict=True))) == truth.max() + 1


def test_clusters_are_merged_only_if_a_sweep_can_follow():
    counts, _, _ = planted(np.random.default_rng(1))
    sizes = dict(zip(("row", "column"), counts.shape, strict=True))
    most, setting = {"row": 20, "column": 20}, {"initialisation": "hard", "n_restarts": 1, "rng": 2}

    def fit(**options):
        return fit_relational(Relation.from_matrix(counts), sizes, most, **setting, **options)

    alone = fit(merge=False)
    assert fit(merge=True).elbo > alone.elbo
    stopped = fit(merge=True, max_iter=alone.n_iter)
    assert stopped.elbo == alone.elbo == stopped.elbo_trace[-1]
    for kind, memberships in alone.memberships.items():
        np.testing.assert_array_equal(stopped.memberships[kind], memberships)


def test_the_bound_with_merges_never_falls_and_stays_below_the_evidence():
    counts = np.random.default_rng(2).poisson(0.8, (4, 4))
    relation, sizes = Relation.from_matrix(counts), {"row": 4, "column": 4}
    truncation = {"row": 3, "column": 3}
    evidence = exact.log_evidence([relation], sizes, truncation, 1.0, 0.1)
    for start in ("hard", "k_means"):
        posterior = fit_relational(
            relation, sizes, truncation, initialisation=start, merge=True, n_restarts=20, rng=3
        )
        assert (np.diff(posterior.elbo_trace) > -1e-9).all()
        assert posterior.elbo < evidence


def test_threads_do_not_change_a_byte_of_merged_fits():
    counts, _, _ = planted(np.random.default_rng(4), 600, 700)
    one, two = (
        FIRM(12, 15, initialisation="k_means", merge=True, n_restarts=4, threads=threads,
             random_state=1).fit(counts)
        for threads in (1, 2)
    )  # fmt: skip
    assert one.restarts_["elbo"].to_numpy().tobytes() == two.restarts_["elbo"].to_numpy().tobytes()
    memberships = [model.posterior_.memberships["row"] for model in (one, two)]
    assert memberships[0].tobytes() == memberships[1].tobytes()
