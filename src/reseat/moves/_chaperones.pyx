"""The chaperones algorithm, which redistributes two blocks between two of their items."""

import numpy as np

cimport cython
from libc.math cimport exp
from numpy.random cimport bitgen_t

from reseat.checks import check_whole

from reseat.generators cimport source_of
from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._pointers cimport ints
from reseat.members cimport Members
from reseat.moves._pairs cimport Pairs
from reseat.moves._seating cimport Run, check_parts, check_size, relocate
from reseat.sorting cimport sort
from reseat.partition cimport Partition
from reseat.prefetch cimport prefetch
from reseat.priors._prior cimport PartitionPrior

cdef enum:
    AHEAD = 32      # number of pairs drawn at a time, so that their memory can be prefetched


cdef class Chaperones:
    """A move that draws two chaperones, and reseats every item of their blocks with one of them.

    The items of both blocks are visited in ascending order, because an order that depends on how
    they are split would not leave the posterior invariant.  Each is drawn from its full conditional
    among the partitions that keep the union and seat every item of it with a chaperone.

    Parameters
    ----------
    pairs : Pairs
    n_pairs : int, optional
        Number of pairs per call; by default, the number of items.
    n_scans : int
        How many times the union is visited for each pair.

    Raises
    ------
    ConfigError
        If a number is not whole, or is less than 1.

    References
    ----------
    Zanella et al. (2016), supplement, section C.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import chains, likelihoods, moves, priors
    >>> likelihood = likelihoods.CategoricalRecords([[0, 1], [0, 1], [1, 0], [1, 2]])
    >>> move = moves.Chaperones(moves.Pairs(4))
    >>> model = chains.MixtureModel(priors.NBNB(2.0, 0.5), likelihood, [move])
    >>> model.start([0, 1, 2, 3])
    >>> n_moved = model.sweep(np.random.default_rng(1))
    """

    cdef readonly Pairs pairs
    cdef readonly object n_pairs
    cdef readonly Py_ssize_t n_scans

    def __init__(self, Pairs pairs not None, n_pairs=None, n_scans=1):
        self.pairs = pairs
        self.n_pairs = None if n_pairs is None else check_whole("n_pairs", n_pairs, 1)
        self.n_scans = check_whole("n_scans", n_scans, 1)

    def __call__(self, partition, prior, likelihood, rng):
        """Visit the pairs; the arguments and the result are those of `gibbs_sweep`."""
        cdef Scan scan = Scan(partition, prior, likelihood, self.n_scans)
        check_size("The pairs", self.pairs.n_items, partition)
        scan.pairs = self.pairs
        scan.n_pairs = partition.n_items if self.n_pairs is None else self.n_pairs
        likelihood.begin(rng)
        return scan.make(scan.n_pairs, rng)

    def run_pair(self, partition, prior, likelihood, rng, pair):
        """Reseat the items of the blocks of one given pair, to study the law of the result.

        Parameters
        ----------
        partition, prior, likelihood, rng
            As for `gibbs_sweep`.
        pair : tuple of int
            The chaperones.

        Raises
        ------
        ValueError
            If they are not two different items.
        """
        cdef Scan scan = Scan(partition, prior, likelihood, self.n_scans)
        cdef Py_ssize_t i = pair[0], j = pair[1]
        cdef bitgen_t* source = source_of(rng)
        if i == j or not (0 <= i < partition.n_items and 0 <= j < partition.n_items):
            raise ValueError(f"({i}, {j}) are not two of {partition.n_items} items.")
        likelihood.begin(rng)
        if not scan.partition.has_room():
            scan.grow()
        with rng.bit_generator.lock, nogil:
            scan.run(i, j, source)


@cython.final
cdef class Scan(Run):
    """The state of one call: the seating, and working memory for the visits."""

    cdef Pairs pairs
    cdef Partition partition
    cdef PartitionPrior prior
    cdef Likelihood likelihood
    cdef Members members
    cdef bint shared            # whether the likelihood keeps the members
    cdef Py_ssize_t n_pairs, n_scans, n_union, n_ahead
    cdef object _union          # keeps the memory alive
    cdef int* union_items
    cdef Py_ssize_t[AHEAD] first, second

    def __init__(
        self, Partition partition not None, PartitionPrior prior not None,
        Likelihood likelihood not None, n_scans,
    ):
        check_parts(partition, prior, likelihood)
        self.partition, self.prior, self.likelihood = partition, prior, likelihood
        self.shared = likelihood.members is not None
        self.members = (
            likelihood.members if self.shared
            else Members(partition.label_array, partition.capacity)
        )
        self._union, self.n_scans = np.empty(partition.n_items, dtype=np.intc), n_scans
        self.union_items = ints(self._union)

    def grow(self):
        """Make room for more blocks."""
        self.partition.grow()
        self.likelihood.grow(self.partition.capacity)
        if not self.shared:
            self.members.grow(self.partition.capacity)

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Visit the next pair; return False if there may be no room."""
        if not self.partition.has_room():
            return False
        if self.n_ahead == 0:
            self.look_ahead(min(self.n_pairs - number, AHEAD), rng)
        self.n_ahead -= 1
        self.run(self.first[self.n_ahead], self.second[self.n_ahead], rng)
        return True

    cdef void look_ahead(self, Py_ssize_t n, bitgen_t* rng) noexcept nogil:
        """Draw `n` pairs, and prefetch what their visits need, one level of pointers at a time."""
        cdef int* labels = self.partition.labels
        cdef Py_ssize_t k
        cdef int i, j
        self.pairs.draw(rng, n, self.first, self.second)
        for k in range(n):
            prefetch(labels + self.first[k])
            prefetch(labels + self.second[k])
        for k in range(n):
            self.fetch(self.first[k], labels[self.first[k]])
            self.fetch(self.second[k], labels[self.second[k]])
        for k in range(n):
            i = self.members.head[labels[self.first[k]]]
            j = self.members.head[labels[self.second[k]]]
            prefetch(self.members.next + i)
            prefetch(self.members.next + j)
            self.likelihood.prefetch_item(i)
            self.likelihood.prefetch_item(j)
        self.n_ahead = n

    cdef void fetch(self, Py_ssize_t item, Py_ssize_t slot) noexcept nogil:
        prefetch(self.members.head + slot)
        prefetch(self.partition.sizes + slot)
        self.likelihood.prefetch_item(item)

    cdef void gather(self, Py_ssize_t slot) noexcept nogil:
        cdef Py_ssize_t item = self.members.head[slot]
        while item >= 0:
            self.union_items[self.n_union] = <int>item
            self.n_union += 1
            item = self.members.next[item]

    cdef void run(self, Py_ssize_t i, Py_ssize_t j, bitgen_t* rng) noexcept nogil:
        """Visit the items of the union of the blocks of `i` and `j`."""
        cdef int* labels = self.partition.labels
        cdef Py_ssize_t _scan, k, item, other
        self.n_union = 0
        self.gather(labels[i])
        if labels[j] != labels[i]:
            self.gather(labels[j])
        sort(self.union_items, self.n_union)
        for _scan in range(self.n_scans):
            for k in range(self.n_union):
                item = self.union_items[k]
                if item == i or item == j:
                    other = j if item == i else i
                    if labels[i] == labels[j] or self.partition.sizes[labels[item]] == 1:
                        self.choose(item, labels[other], -1, rng)
                elif labels[i] != labels[j]:
                    self.choose(item, labels[i], labels[j], rng)

    cdef void choose(
        self, Py_ssize_t item, Py_ssize_t one, Py_ssize_t two, bitgen_t* rng
    ) noexcept nogil:
        """Reseat `item` in block `one` or `two`; if `two` is -1, in `one` or a block of its own."""
        cdef Py_ssize_t own = self.partition.labels[item]
        cdef Py_ssize_t n_own = self.partition.sizes[own]
        cdef Py_ssize_t target, n_target
        cdef double first, second
        if self.prior.tracks_sizes:
            self.prior.block_resized(n_own, n_own - 1)
        first = self.prior.log_join[self.partition.sizes[one] - (one == own)]
        first += self.likelihood.score_block(item, own, one)
        if two < 0:
            second = self.prior.log_open[self.partition.n_blocks - (n_own == 1)]
            second += self.likelihood.score_block(item, own, -1)
            two = own if n_own == 1 else self.partition.next_free()
        else:
            second = self.prior.log_join[self.partition.sizes[two] - (two == own)]
            second += self.likelihood.score_block(item, own, two)
        target = one
        # If there is no free slot, the prior rules out a new block, so its weight is zero.
        if two >= 0 and rng.next_double(rng.state) * (1.0 + exp(first - second)) < 1.0:
            target = two
        if self.prior.tracks_sizes:
            n_target = self.partition.sizes[target] - (target == own)
            self.prior.block_resized(n_target, n_target + 1)
        if target != own:
            relocate(self.partition, self.likelihood, item, own, target)
            if not self.shared:
                self.members.move(item, own, target)
            self.n_moved += 1
