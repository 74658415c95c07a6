"""Expectation-maximisation, compared with a slow dense version, and its edge cases."""

import threading
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import logsumexp

from reseat.baselines import fit_em, fit_em_restarts, predict_em
from reseat.baselines.em import _State, check_documents, negligible
from reseat.errors import ConfigError, DataError


def random_counts(rng, n_documents=30, n_features=12, mean=0.6):
    counts = rng.poisson(mean, size=(n_documents, n_features))
    counts[0] = 0  # a document without words
    return counts


def planted_corpus(rng, n_documents=120, n_features=40, n_clusters=3, length=60):
    """Return documents of clusters that are easy to tell apart, and their clusters."""
    theta = rng.dirichlet(np.full(n_features, 0.2), size=n_clusters)
    labels = np.arange(n_documents) % n_clusters
    return sp.csr_array(np.stack([rng.multinomial(length, theta[k]) for k in labels])), labels


def fit_labels(counts, n_clusters, labels, **settings):
    """Return the fit that starts from these labels."""
    return fit_em(counts, n_clusters, start="labels", labels=labels, rng=None, **settings)


def dense_score(counts, log_weights, log_theta):
    """Return log lambda_k + sum_v d_v log theta_kv, where 0 times log 0 is 0."""
    terms = counts[:, None] * np.where(counts[:, None] > 0, log_theta, 0)
    return log_weights + terms.sum(axis=2)


def dense_em(counts, labels, n_clusters, pseudo_count, n_iterations):
    """Run EM by its definition, term by term, as the slow reference for the kernel."""
    n_documents, n_features = counts.shape
    g = np.eye(n_clusters)[labels]
    objective = []
    for _ in range(n_iterations):
        with np.errstate(divide="ignore"):
            log_weights = np.log(
                (pseudo_count + g.sum(axis=0)) / (pseudo_count * n_clusters + n_documents)
            )
            sums = g.T @ counts
            log_theta = np.log(
                (pseudo_count + sums)
                / (pseudo_count * n_features + sums.sum(axis=1, keepdims=True))
            )
        score = dense_score(counts, log_weights, log_theta)
        per_document = logsumexp(score, axis=1)
        g = np.exp(score - per_document[:, None])
        penalty = log_weights.sum() + log_theta.sum() if pseudo_count else 0.0
        objective.append(per_document.sum() + penalty)
    return log_weights, log_theta, g, np.array(objective)


@pytest.mark.parametrize("smoothing", ["laplace", "mle"])
@pytest.mark.parametrize("n_clusters", [1, 2, 5, 9])
def test_agrees_with_dense_reference(smoothing, n_clusters):
    rng = np.random.default_rng(n_clusters)
    counts = random_counts(rng)
    labels = np.arange(30) % n_clusters
    settings = {"tolerance": 0.0, "max_iterations": 8, "keep_responsibilities": True}
    result = fit_labels(sp.csr_array(counts), n_clusters, labels, smoothing=smoothing, **settings)
    log_weights, log_theta, g, objective = dense_em(
        counts, labels, n_clusters, float(smoothing == "laplace"), result.n_iterations
    )
    np.testing.assert_allclose(np.exp(result.log_weights), np.exp(log_weights), atol=1e-9)
    np.testing.assert_allclose(np.exp(result.log_theta), np.exp(log_theta), atol=1e-9)
    np.testing.assert_allclose(result.responsibilities, g, atol=1e-9)
    np.testing.assert_allclose(result.objective, objective, rtol=1e-9)
    # The empty document ties wherever weights do, and rounding may break such ties.
    np.testing.assert_array_equal(result.labels[1:], g.argmax(axis=1)[1:])


def test_a_seed_is_as_good_as_its_generator():
    counts = random_counts(np.random.default_rng(1))
    one, other = (fit_em(counts, 3, rng=rng) for rng in (7, np.random.default_rng(7)))
    np.testing.assert_array_equal(one.objective, other.objective)
    with pytest.raises(ConfigError, match="rng is None, but the start is drawn"):
        fit_em(counts, 3, rng=None)


def test_two_iterations_by_hand():
    # Labels 0, 1, 0 give lambda = (3/5, 2/5), theta_0 = (4, 2)/6, theta_1 = (1, 3)/4,
    # hence responsibilities of cluster 0: 32/35, 8/35, 16/25.  The next M-step:
    # lambda_0 = (1 + 312/175) / 5, theta_0 = (1 + 432/175, 1 + 192/175) / (2 + 624/175).
    counts = [[2, 0], [0, 2], [1, 1]]
    first, second = (
        fit_labels(counts, 2, [0, 1, 0], tolerance=0, max_iterations=n, keep_responsibilities=True)
        for n in (1, 2)
    )
    np.testing.assert_allclose(np.exp(first.log_weights), [3 / 5, 2 / 5], rtol=1e-14)
    np.testing.assert_allclose(
        np.exp(first.log_theta), [[4 / 6, 2 / 6], [1 / 4, 3 / 4]], rtol=1e-14
    )
    np.testing.assert_allclose(first.responsibilities[:, 0], [32 / 35, 8 / 35, 16 / 25], rtol=1e-14)
    np.testing.assert_array_equal(first.labels, [0, 1, 0])
    likelihood = Fraction(7, 24) ** 2 * Fraction(5, 24)
    penalty = Fraction(6, 25) * Fraction(8, 36) * Fraction(3, 16)
    np.testing.assert_allclose(first.objective, [np.log(float(likelihood * penalty))], rtol=1e-14)
    assert (first.n_iterations, first.converged) == (1, False)

    np.testing.assert_allclose(np.exp(second.log_weights[0]), 487 / 875, rtol=1e-14)
    np.testing.assert_allclose(np.exp(second.log_theta[0]), [607 / 974, 367 / 974], rtol=1e-14)
    assert second.n_iterations == 2


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_documents=st.integers(1, 25),
    n_features=st.integers(1, 15),
    n_clusters=st.integers(1, 6),
    mean=st.sampled_from([0.05, 0.5, 5.0, 300.0]),
    smoothing=st.sampled_from(["laplace", "mle"]),
    start=st.sampled_from(["dirichlet", "uniform", "labels"]),
)
def test_objective_rises(seed, n_documents, n_features, n_clusters, mean, smoothing, start):
    rng = np.random.default_rng(seed)
    counts = rng.poisson(mean, size=(n_documents, n_features))
    counts[-1, -1] += 1  # at least one word in all
    result = fit_em(
        counts, min(n_clusters, n_documents), smoothing=smoothing, start=start, rng=rng,
        tolerance=0.0, max_iterations=40, keep_responsibilities=True,
    )  # fmt: skip
    assert np.isfinite(result.objective).all()
    slack = 1e-12 * (1 + np.abs(result.objective[:-1]))
    assert (np.diff(result.objective) >= -slack).all()
    assert not np.isnan(result.log_weights).any()
    assert not np.isnan(result.log_theta).any()
    np.testing.assert_allclose(result.responsibilities.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(result.log_weights).sum(), 1.0, rtol=1e-12)
    np.testing.assert_allclose(np.exp(result.log_theta).sum(axis=1), 1.0, rtol=1e-10)


def test_mle_keeps_zeros_without_nan():
    counts = np.array([[3, 1, 0, 0], [1, 2, 0, 0], [0, 0, 4, 1], [0, 0, 1, 5]])
    result = fit_labels(counts, 2, [0, 0, 1, 1], smoothing="mle", keep_responsibilities=True)
    np.testing.assert_array_equal(result.log_theta == -np.inf, [[0, 0, 1, 1], [1, 1, 0, 0]])
    np.testing.assert_array_equal(result.responsibilities, [[1, 0], [1, 0], [0, 1], [0, 1]])
    np.testing.assert_allclose(np.exp(result.log_theta[0, :2]), [4 / 7, 3 / 7], rtol=1e-14)
    assert result.converged


def test_mle_cluster_without_documents_stays_dead():
    counts = np.random.default_rng(3).poisson(1.0, size=(20, 6))
    # The two others continue as if they were alone.
    result, alone = (
        fit_labels(counts, n, np.arange(20) % 2, smoothing="mle", keep_responsibilities=True)
        for n in (3, 2)
    )
    assert result.log_weights[2] == -np.inf
    assert not result.responsibilities[:, 2].any()
    np.testing.assert_allclose(result.log_theta[2], -np.log(6), rtol=1e-14)
    assert np.isfinite(result.objective).all()
    np.testing.assert_array_equal(result.objective, alone.objective)


def test_laplace_cluster_without_documents_is_the_prior():
    counts = np.eye(4, dtype=int)
    result = fit_labels(counts, 3, [0, 0, 1, 1], max_iterations=1)
    np.testing.assert_allclose(np.exp(result.log_weights), [3 / 7, 3 / 7, 1 / 7], rtol=1e-14)
    np.testing.assert_allclose(np.exp(result.log_theta[2]), 0.25, rtol=1e-14)


def test_mle_cluster_of_an_empty_document_is_uniform_over_words():
    counts = np.array([[0, 0, 0], [4, 0, 1], [0, 3, 3]])
    result = fit_labels(counts, 2, [1, 0, 0], smoothing="mle", max_iterations=1)
    np.testing.assert_allclose(np.exp(result.log_theta[1]), 1 / 3, rtol=1e-14)
    assert np.isfinite(result.objective).all()


@pytest.mark.parametrize("smoothing", ["laplace", "mle"])
def test_documents_without_words_follow_the_weights(smoothing):
    counts = random_counts(np.random.default_rng(5))
    counts[[4, 17]] = 0
    result = fit_em(
        counts, 3, smoothing=smoothing, rng=np.random.default_rng(0), keep_responsibilities=True
    )
    weights = np.exp(result.log_weights)
    for document in (0, 4, 17):
        np.testing.assert_allclose(result.responsibilities[document], weights, rtol=1e-12)
        assert result.labels[document] == weights.argmax()


def test_impossible_document_follows_the_weights():
    log_weights = np.log([0.3, 0.7])
    with np.errstate(divide="ignore"):
        log_theta = np.log([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    counts = [[0, 0, 2], [0, 1, 0], [1, 0, 0], [0, 0, 0]]
    labels, responsibilities, log_likelihood = predict_em(counts, log_weights, log_theta)
    expected = [[0.3, 0.7], [1.0, 0.0], [0.15 / 0.85, 0.7 / 0.85], [0.3, 0.7]]
    np.testing.assert_allclose(responsibilities, expected, rtol=1e-14)
    np.testing.assert_array_equal(labels, [1, 0, 1, 1])
    assert log_likelihood == -np.inf
    possible = predict_em(counts[1:], log_weights, log_theta)[2]
    np.testing.assert_allclose(possible, np.log(0.15) + np.log(0.85), rtol=1e-14)


def test_impossible_document_avoids_dead_clusters():
    with np.errstate(divide="ignore"):
        log_weights = np.log([0.0, 0.4, 0.6])
        log_theta = np.log([[0.5, 0.5], [1.0, 0.0], [1.0, 0.0]])
    _, responsibilities, _ = predict_em([[0, 1]], log_weights, log_theta)
    np.testing.assert_allclose(responsibilities, [[0.0, 0.4, 0.6]], rtol=1e-14)


def test_long_documents_do_not_underflow():
    rng = np.random.default_rng(8)
    theta = rng.dirichlet(np.ones(300), size=4)
    counts = np.stack([rng.multinomial(n, theta[d % 4]) for d, n in enumerate([2000, 40_000] * 4)])
    # Each document's probability is far below the smallest double.
    log_weights = np.log(np.full(4, 0.25))
    score = dense_score(counts, log_weights, np.log(theta))
    assert np.exp(score).max() == 0.0
    labels, responsibilities, log_likelihood = predict_em(counts, log_weights, np.log(theta))
    np.testing.assert_allclose(log_likelihood, logsumexp(score, axis=1).sum(), rtol=1e-12)
    np.testing.assert_array_equal(labels, np.arange(8) % 4)
    np.testing.assert_allclose(responsibilities.sum(axis=1), 1.0, rtol=1e-12)


def test_close_race_of_long_documents():
    # 3,000 words are almost equally probable in both clusters: the responsibilities
    # are neither 0 nor 1, and are known in closed form.
    ratio = 1 + 1e-4
    theta = np.array([[0.5, 0.5], [0.5 * ratio, 1 - 0.5 * ratio]])
    _, responsibilities, _ = predict_em([[3000, 0]], np.log([0.5, 0.5]), np.log(theta))
    np.testing.assert_allclose(responsibilities[0, 1], 1 / (1 + ratio**-3000.0), rtol=1e-10)


def test_ties_take_the_lowest_label():
    theta = np.array([[0.1, 0.9], [0.6, 0.4], [0.6, 0.4], [0.6, 0.4]])
    counts = [[5, 0], [0, 5], [0, 0]]
    labels, responsibilities, _ = predict_em(counts, np.log(np.full(4, 0.25)), np.log(theta))
    np.testing.assert_array_equal(labels, [1, 0, 0])
    assert responsibilities[0, 1] == responsibilities[0, 2] == responsibilities[0, 3]


def test_best_restart_finds_planted_clusters():
    counts, truth = planted_corpus(np.random.default_rng(4))
    results = fit_em_restarts(counts, 3, rngs=range(10))
    best = max(results, key=lambda result: result.objective[-1])
    # Every true cluster lies in one found cluster, and no two share one.
    pairs = set(zip(truth.tolist(), best.labels.tolist(), strict=True))
    assert len(pairs) == 3


def test_skipped_responsibilities_cannot_be_seen():
    counts, truth = planted_corpus(np.random.default_rng(7), length=400)
    state = _State(check_documents(counts), 3, "laplace")
    state.start_from_labels(truth.astype(np.int32))
    outcomes = []
    for log_cutoffs in (state.log_cutoffs, np.full(120, -np.inf)):
        state.log_cutoffs = log_cutoffs
        objective = state.expectation()
        outcomes.append((objective, state.term_sums.tobytes(), state.document_sums.tobytes()))
    assert outcomes[0] == outcomes[1]
    # The comparison is meaningful only if there is something to skip.
    responsibilities = predict_em(counts, state.log_weights, state.log_theta.T)[1]
    smallest_kept = np.exp(negligible(state.documents, 1.0))[:, None]
    assert ((responsibilities > 0) & (responsibilities < smallest_kept)).any()


def test_cutoff_follows_the_largest_count_of_each_document():
    documents = check_documents([[0, 0, 0], [1, 0, 1], [3, 8, 0], [0, 0, 0]])
    np.testing.assert_allclose(
        negligible(documents, 1.0) / np.log(2), [-60, -60, -63, -60], rtol=1e-14
    )
    np.testing.assert_array_equal(negligible(documents, 0.0), -np.inf)


def test_mle_skips_nothing():
    # A responsibility far below the cutoff still keeps a word possible.
    counts = np.array([[60, 0, 0], [0, 60, 1]])
    theta = np.array([[1 - 1e-3, 1e-3 / 2, 1e-3 / 2], [1e-3, 0.5, 0.499]])
    state = _State(check_documents(counts), 2, "mle")
    state.log_weights[:] = np.log(0.5)
    state.log_theta[...] = np.log(theta.T)
    state.expectation()
    np.testing.assert_array_equal(state.labels, [0, 1])
    assert 0 < state.term_sums[2, 0] < 1e-100


# A component of Dirichlet(1_V) is Beta(1, V - 1): mean 1/V and mean square 2 / (V (V + 1)), which
# 20,000 draws estimate to about 3 per cent.  Uniform numbers divided by their sum, which is nearly
# V / 2, have a mean square of nearly 4/3 V^-2.
@pytest.mark.parametrize(
    ("start", "mean_square"), [("dirichlet", 2 / (4000 * 4001)), ("uniform", 4 / 3 / 4000**2)]
)
def test_start_draws_word_probabilities(start, mean_square, monkeypatch):
    begun = []
    expectation = _State.expectation

    def watched(state):
        begun.append((np.exp(state.log_theta), state.log_weights.copy()))
        return expectation(state)

    monkeypatch.setattr(_State, "expectation", watched)
    counts, rng = np.ones((5, 4000), int), np.random.default_rng(0)
    fit_em(counts, 5, start=start, rng=rng, max_iterations=1)
    ((theta, log_weights),) = begun
    np.testing.assert_allclose(theta.sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(log_weights, -np.log(5))
    np.testing.assert_allclose((theta**2).mean(), mean_square, rtol=0.1)


def test_threads_give_the_bytes_of_a_sequential_run():
    counts = sp.csr_array(random_counts(np.random.default_rng(1), 300, 60))
    seeds = np.random.SeedSequence(12).spawn(9)
    settings = {"rngs": seeds, "keep_parameters": True}
    for smoothing in ("mle", "laplace"):
        sequential, threaded = (
            fit_em_restarts(counts, 5, threads=threads, smoothing=smoothing, **settings)
            for threads in (1, 4)
        )
        assert len(sequential) == len(threaded) == 9
        for one, two in zip(sequential, threaded, strict=True):
            assert one.labels.tobytes() == two.labels.tobytes()
            assert one.objective.tobytes() == two.objective.tobytes()
            assert one.log_theta.tobytes() == two.log_theta.tobytes()
    first = fit_em(counts, 5, rng=np.random.default_rng(seeds[0]))
    assert first.objective.tobytes() == sequential[0].objective.tobytes()


def test_restarts_from_given_labels():
    counts, truth = planted_corpus(np.random.default_rng(4))
    labellings = [truth, (truth + 1) % 3]
    results = fit_em_restarts(counts, 3, rngs=[0, 1], labels=labellings, start="labels")
    for labels, result in zip(labellings, results, strict=True):
        np.testing.assert_array_equal(result.labels, labels)
        assert result.log_theta is None


def test_callbacks_see_every_iteration():
    counts = random_counts(np.random.default_rng(1))
    seen, ended = [], []
    lock = threading.Lock()

    def on_iteration(restart, iteration, objective):
        with lock:
            seen.append((restart, iteration, objective))

    results = fit_em_restarts(
        counts, 3, rngs=[4, 5, 6], threads=2, on_iteration=on_iteration,
        on_restart=lambda restart, result: ended.append(restart),
    )  # fmt: skip
    expected = [
        (restart, i + 1, value)
        for restart, result in enumerate(results)
        for i, value in enumerate(result.objective)
    ]
    assert sorted(seen) == expected
    assert sorted(ended) == [0, 1, 2]


def test_stops_by_tolerance_and_by_iterations():
    counts = random_counts(np.random.default_rng(1), 100, 30)
    full = fit_em(counts, 3, rng=np.random.default_rng(0))
    assert full.converged
    change = np.abs(np.diff(full.objective)) / np.abs(full.objective[:-1])
    assert change[-1] <= 1e-6
    assert (change[:-1] > 1e-6).all()
    short = fit_em(counts, 3, rng=np.random.default_rng(0), max_iterations=3)
    assert not short.converged
    np.testing.assert_array_equal(short.objective, full.objective[:3])
    labels, _, _ = predict_em(counts, short.log_weights, short.log_theta)
    np.testing.assert_array_equal(short.labels, labels)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"counts": np.zeros((0, 4), int)}, "matrix is empty"),
        ({"counts": np.zeros((4, 3), int)}, "no document has a feature"),
        ({"counts": [[1, 2], [0, -3]]}, "document 1 has the count -3"),
        ({"counts": [["a", "b"]]}, "counts must be"),
        ({"n_clusters": 3}, "only 2 documents"),
        ({"n_clusters": 0}, "n_clusters is 0; it must be"),
        ({"n_clusters": 1.5}, "n_clusters is 1.5"),
        ({"max_iterations": 0}, "max_iterations is 0"),
        ({"tolerance": -1.0}, "tolerance is -1.0; it must be finite"),
        ({"tolerance": "a"}, "tolerance is 'a'; it must be finite"),
        ({"smoothing": "map"}, "one of laplace, mle"),
        ({"start": "random"}, "one of dirichlet, uniform, labels"),
        ({"labels": [0, 1]}, 'set start="labels"'),
        ({"start": "labels", "labels": [0]}, "1 labels were given for 2 items"),
        ({"start": "labels", "labels": [0, 2]}, "Label 2 of item 1 is too large; there are 2"),
    ],
)
def test_bad_arguments_are_refused_with_a_sentence(changes, sentence):
    error = DataError if "counts" in changes else (ConfigError, DataError)
    with pytest.raises(error, match=f"{sentence}.*\\.$"):
        fit_em(**({"counts": [[1, 2], [1, 1]], "n_clusters": 2, "rng": 0} | changes))


def test_bad_restarts_are_refused():
    counts = random_counts(np.random.default_rng(1))
    shared = np.random.default_rng(0)
    with pytest.raises(ConfigError, match="same generator twice"):
        fit_em_restarts(counts, 2, rngs=[shared, shared])
    with pytest.raises(ConfigError, match="threads"):
        fit_em_restarts(counts, 2, rngs=[0], threads=0)
    with pytest.raises(DataError, match="1 labellings for 2 restarts"):
        fit_em_restarts(counts, 2, rngs=[0, 1], labels=[np.zeros(30, int)], start="labels")


def test_bad_parameters_of_prediction_are_refused():
    half = np.log([0.5, 0.5])
    for weights, theta, sentence in (
        (half, [half], "one row per cluster"),
        ([-np.inf], [half], "at least one cluster"),
        ([0.0], [[np.nan, 0.0]], "NaN"),
    ):
        with pytest.raises(DataError, match=sentence):
            predict_em([[1, 2]], weights, theta)
