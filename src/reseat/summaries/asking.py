"""Questions to people: of which pairs would an answer correct most of the others?"""

import heapq

import numpy as np
from scipy import sparse

from reseat.summaries.draws import canonical

#: Largest number of pairs of one component that are considered, those nearest to one half.
CONSIDERED = 60


def questions(draws, first, second, n_questions: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the pairs to ask about, one after the other, and what each answer is expected to gain.

    Pairs are wrong with the smaller of the probabilities of being together and apart.  What a
    question gains is the number of wrong pairs that its answer is expected to correct, among all
    pairs that are linked to it by possible ones: an answer also tells about other records of the
    same entities.  Each question counts with the earlier ones answered.

    Parameters
    ----------
    draws : array_like of int, shape (n_draws, n_items)
    first, second : ndarray of int, shape (n_pairs,)
        Pairs that may be together (`probable_pairs`).
    n_questions : int

    Returns
    -------
    chosen : ndarray of int, shape (<= n_questions,)
        Numbers of the pairs, the most useful first; pairs about which nothing is in doubt are left
        out.
    gains : ndarray of float, shape (<= n_questions,)

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.summaries import questions
    >>> draws = [[0, 0, 0, 0, 1, 1], [0, 0, 1, 1, 2, 3]] * 2
    >>> first, second = np.array([0, 0, 0, 1, 1, 2, 4]), np.array([1, 2, 3, 2, 3, 3, 5])
    >>> chosen, gains = questions(draws, first, second, 3)  # items 0, 1 and 2, 3; then 4 and 5
    >>> first[chosen].tolist(), second[chosen].tolist(), gains.tolist()
    ([0, 4], [2, 5], [2.0, 0.5])
    """
    codes, _ = canonical(draws)
    n_draws, n_items = codes.shape
    graph = sparse.coo_array((np.ones(len(first), bool), (first, second)), shape=(n_items, n_items))
    part = sparse.csgraph.connected_components(graph, directed=False)[1][first]
    order = np.argsort(part, kind="stable")
    starts = np.flatnonzero(np.diff(part[order], prepend=-1))
    heap = []
    for pairs in np.split(order, starts[1:]) if len(order) else []:
        times = (codes[:, first[pairs]] == codes[:, second[pairs]]).sum(axis=0)
        loss = np.minimum(times, n_draws - times).sum() / n_draws
        if loss > 0:  # which no question of this component can exceed
            unsure = pairs[(times > 0) & (times < n_draws)]
            heap.append((-loss, unsure[0], unsure, None, np.zeros(n_draws, dtype=int)))
    heapq.heapify(heap)
    chosen, gains = [], []
    while heap and len(chosen) < n_questions:
        bound, key, pairs, best, answers = heapq.heappop(heap)
        together = codes[:, first[pairs]] == codes[:, second[pairs]]
        if best is not None:
            chosen.append(pairs[best])
            gains.append(-bound)
            answers = np.unique(2 * answers + together[:, best], return_inverse=True)[1]
        gain, best = _best(together.astype(float), answers)
        if gain > 0:
            heapq.heappush(heap, (-gain, key, pairs, best, answers))
    return np.array(chosen, dtype=int), np.array(gains)


def _best(together: np.ndarray, answers: np.ndarray) -> tuple[float, int]:
    """Return the largest expected gain of a question in a component, and the pair that it is about.

    Draws with the same number in `answers` agree with the same answers to earlier questions.
    """
    n_draws = len(together)
    groups = (answers[:, None] == np.arange(answers.max() + 1)).astype(float)
    sizes, sums = groups.sum(axis=0)[:, None], groups.T @ together
    loss = np.minimum(sums, sizes - sums)
    best = 0.0, 0
    for pair in np.argsort(-loss.sum(axis=0), kind="stable")[:CONSIDERED]:
        yes = groups * together[:, [pair]]
        size, found = yes.sum(axis=0)[:, None], yes.T @ together
        rest, left = sizes - size, sums - found
        after = np.minimum(found, size - found) + np.minimum(left, rest - left)
        best = max(best, (float((loss - after).sum() / n_draws), int(pair)), key=lambda b: b[0])
    return best
