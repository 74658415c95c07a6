"""Cells of links: the entities of one type, given the blocks of the other.

With most blocks ``b`` of the other type, an item has no link, and only contributes non-links. The
sum of these contributions is kept for every block of items, and corrected for the few blocks that
an item has links with when it is scored. If links are Poisson, ``n0`` is the number of all pairs
of a cell, whether they have links or not.
"""

from dataclasses import replace

import numpy as np

from libc.math cimport log

from reseat.checks import as_labels, as_whole, check_flag, check_growth, check_strength
from reseat.errors import ConfigError
from reseat.likelihoods._likelihood cimport Likelihood
from reseat.likelihoods._log_gamma cimport LogGamma, at, view_of
from reseat.likelihoods._pointers cimport doubles, longs
from reseat.likelihoods.link_table import LinkTable


cdef class RelationalLinks(Likelihood):
    """Links of the entities of one type, given a partition of the other type.

    For each block ``a`` of items and ``b`` of the other type, the observations are Bernoulli, and
    the probability of a link is ``eta_ab ~ Beta(beta, beta)``, integrated out.  With ``n1`` links
    and ``n0`` non-links, the pairs without a count,

        log p = sum_ab log B(beta + n1, beta + n0) - log B(beta, beta).

    With counts, this is the likelihood of the FIRM, with `LinkTable.binary` that of the IRM, and
    with trials that of both.  At first, the other type is a single block.

    Parameters
    ----------
    links : LinkTable
    place : {0, 1}
        0 if the items are the rows of the table, 1 if they are its columns.
    beta : float
        Both parameters of the beta prior of ``eta``.

    Raises
    ------
    ConfigError
        If `beta` is not between 1e-9 and 1e9, or `place` is neither 0 nor 1.

    References
    ----------
    Kurihara, Kameya and Sato (2006), sections 3 and 4.1; Kemp et al. (2006), section 2.

    Examples
    --------
    >>> from reseat.chains import CoupledModel, MixtureModel
    >>> from reseat.likelihoods import LinkTable, RelationalLinks
    >>> from reseat.priors import DirichletProcess
    >>> links = LinkTable([[3, 0], [2, 0], [0, 4]])
    >>> rows = MixtureModel(DirichletProcess(1.0), RelationalLinks(links, 0))
    >>> columns = MixtureModel(DirichletProcess(1.0), RelationalLinks(links, 1))
    >>> model = CoupledModel({"row": rows, "column": columns})
    >>> model.start({"row": [0, 0, 1], "column": [0, 1]})
    >>> apart = model.log_joint()
    >>> model.start({"row": [0, 0, 0], "column": [0, 0]})
    >>> apart > model.log_joint()
    True
    """

    cdef readonly object links
    cdef readonly int place
    cdef readonly double beta
    cdef readonly str given         # name of the other type
    cdef LogGamma single, double_   # log Gamma of beta + n and of 2 beta + n
    cdef double prior               # value of a cell without observations
    cdef bint poisson               # whether links are Poisson
    cdef double exposure            # of a cell before any pair is in it, if they are
    cdef object side                # the cells of the items, as they are summed
    cdef object _sums, _fresh_array
    # sums of the cells of each item over the blocks b of the other type
    cdef Py_ssize_t n_blocks            # slots of the other type
    cdef const long long* size          # [b] non-links of an item without a cell there
    cdef const long long* starts        # [n_items + 1] first entry of each item
    cdef const int* block               # [entry] a block that the item has cells in, ascending
    cdef const long long* count         # [entry] links of the item with that block
    cdef const long long* known         # [entry] by how many its own are fewer
    cdef object _linked_array, _unlinked_array, _base_array, _bare_array
    cdef double* fresh                  # score of each item in a new block
    cdef long long* linked              # [b][a] n1
    cdef long long* unlinked            # [b][a] n0
    cdef double* base                   # [b][a] log B with an item without links added
    cdef double* bare                   # [a] score of such an item

    def __init__(self, links, place, beta=0.1):
        if not isinstance(links, LinkTable):
            links = LinkTable(links)
        if place not in (0, 1):
            raise ConfigError(f"place is {place}; it must be 0 for rows or 1 for columns.")
        place, beta = int(place), check_strength("beta", beta)
        self.links, self.place, self.beta = links, place, beta
        self.n_items = links.shape[place]
        self.given = links.types[1 - place]
        self.side = links.sides[place]
        # The links keep these tables.
        self.single = view_of(links.log_gamma(beta), beta)
        self.double_ = view_of(links.log_gamma(2 * beta), 2 * beta)
        self._prepare()
        self.prior = self._log_cell(0, 0)
        self._give(np.zeros(links.shape[1 - place], dtype=np.intc))

    def _prepare(self):
        """Set what a subclass has in addition, before anything is summed."""

    cdef inline double _log_cell(self, long long n1, long long n0) noexcept nogil:
        if self.poisson:
            return at(self.single, n1) - (self.beta + n1) * log(self.exposure + n0)
        return at(self.single, n1) + at(self.single, n0) - at(self.double_, n1 + n0)

    def condition(self, others):
        """Take in the partition of the other type; call `assign` to rebuild the statistics.

        Raises
        ------
        ConfigError
            If the other type is not among the `others`.
        """
        if self.given not in others:
            raise ConfigError(
                f"The links need the partition of {self.given!r}, but there is only "
                f"{sorted(others)}; name the parts as the types of the links."
            )
        self._give(others[self.given].labels)

    def _give(self, labels):
        cdef double without = 0.0, total
        cdef long long size
        cdef Py_ssize_t b, item, j
        self.capacity = 0       # there are no statistics until assign is called
        self._sum_cells(as_labels(labels, self.links.shape[1 - self.place]), self.links.blank)
        self._fresh_array = np.empty(self.n_items)
        self.fresh = doubles(self._fresh_array)
        with nogil:
            for b in range(self.n_blocks):
                without += self._log_cell(0, self.size[b]) - self.prior
            for item in range(self.n_items):
                total = without
                for j in range(self.starts[item], self.starts[item + 1]):
                    size = self.size[self.block[j]]
                    total += self._log_cell(self.count[j], size - self.known[j])
                    total -= self._log_cell(0, size)
                self.fresh[item] = total

    def _sum_cells(self, const int[::1] label, long long blank):
        """Sum the cells over the blocks of the other type; `blank` is of a pair without a cell."""
        cdef const long long[::1] first = self.side.starts
        cdef const int[::1] other = self.side.others, links = self.side.counts
        cdef const int[::1] missed = self.side.missed
        cdef Py_ssize_t item, j, b, n = 0
        cdef const long long[::1] size = blank * np.bincount(label).astype(np.int64)
        cdef long long[::1] starts = np.zeros(self.n_items + 1, dtype=np.int64)
        # One element more than needed, so that there is always one to point at.
        cdef int[::1] block = np.empty(other.shape[0] + 1, dtype=np.intc)
        cdef long long[:, ::1] entries = np.empty((2, other.shape[0] + 1), dtype=np.int64)
        cdef long long[:, ::1] sums = np.zeros((size.shape[0], 3), dtype=np.int64)
        self.n_blocks = size.shape[0]
        with nogil:
            for item in range(self.n_items):
                for j in range(first[item], first[item + 1]):
                    b = label[other[j]]
                    sums[b, 0] += links[j]
                    sums[b, 1] += blank - missed[j]
                    sums[b, 2] = 1
                for b in range(self.n_blocks):
                    if sums[b, 2] > 0:
                        block[n], entries[0, n], entries[1, n] = <int>b, sums[b, 0], sums[b, 1]
                        sums[b, 0] = sums[b, 1] = sums[b, 2] = 0
                        n += 1
                starts[item + 1] = n
        self._sums = size, starts, block, entries
        self.size, self.starts, self.block = &size[0], &starts[0], &block[0]
        self.count, self.known = &entries[0, 0], &entries[1, 0]

    def assign(self, labels, Py_ssize_t capacity):
        """Rebuild the statistics from `labels`, shape (n_items,), for `capacity` slots."""
        cdef const int[::1] label = self._checked_labels(labels, capacity)
        cdef Py_ssize_t item
        shape = (self.n_blocks, capacity)
        self._hold(np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64))
        with nogil:
            for item in range(self.n_items):
                self._add(item, label[item], 1)
        self._refresh()

    def grow(self, Py_ssize_t capacity):
        """Make room for `capacity` slots, keeping the statistics."""
        check_growth(self.capacity, capacity)
        more = ((0, 0), (0, capacity - self.capacity))
        self._hold(np.pad(self._linked_array, more), np.pad(self._unlinked_array, more))
        self._refresh()

    def _may_hold(self, Py_ssize_t item, Py_ssize_t slot):
        # Without the item, no number may be negative.
        self._add(item, slot, -1)
        least = min(self._linked_array[:, slot].min(), self._unlinked_array[:, slot].min())
        self._add(item, slot, 1)
        return bool(least >= 0)

    def _hold(self, linked, unlinked):
        self._linked_array, self._unlinked_array = linked, unlinked
        self._base_array = np.empty(linked.shape)
        self._bare_array = np.empty(linked.shape[1])
        self.linked, self.unlinked = <long long*> longs(linked), <long long*> longs(unlinked)
        self.base, self.bare = doubles(self._base_array), doubles(self._bare_array)
        self.capacity = linked.shape[1]

    def _refresh(self):
        cdef Py_ssize_t a
        with nogil:
            for a in range(self.capacity):
                self._derive(a)

    cdef void _derive(self, Py_ssize_t a) noexcept nogil:
        """Recompute what is derived from the counts of a slot, always in the same order."""
        cdef Py_ssize_t b, cell
        cdef double total = 0.0
        for b in range(self.n_blocks):
            cell = b * self.capacity + a
            self.base[cell] = self._log_cell(self.linked[cell], self.unlinked[cell] + self.size[b])
            total += self.base[cell] - self._log_cell(self.linked[cell], self.unlinked[cell])
        self.bare[a] = total

    cdef void _add(self, Py_ssize_t item, Py_ssize_t a, int sign) noexcept nogil:
        cdef Py_ssize_t b, j
        for b in range(self.n_blocks):
            self.unlinked[b * self.capacity + a] += sign * self.size[b]
        for j in range(self.starts[item], self.starts[item + 1]):
            b = self.block[j]
            self.unlinked[b * self.capacity + a] -= sign * self.known[j]
            self.linked[b * self.capacity + a] += sign * self.count[j]

    cdef void move(self, Py_ssize_t item, Py_ssize_t source, Py_ssize_t target) noexcept nogil:
        self._add(item, source, -1)
        self._add(item, target, 1)
        self._derive(source)
        self._derive(target)

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef LogGamma single = self.single, double_ = self.double_
        cdef const long long* linked
        cdef const long long* unlinked
        cdef const double* base
        cdef long long count, more, n1, n0
        cdef Py_ssize_t a, j, row
        for a in range(n_slots):
            out[a] = self.bare[a]
        for j in range(self.starts[item], self.starts[item + 1]):
            count = self.count[j]
            more = self.size[self.block[j]] - self.known[j]
            row = self.block[j] * self.capacity
            linked, unlinked, base = self.linked + row, self.unlinked + row, self.base + row
            if self.poisson:
                for a in range(n_slots):
                    out[a] += self._log_cell(linked[a] + count, unlinked[a] + more) - base[a]
                continue
            for a in range(n_slots):
                n1 = linked[a] + count
                n0 = unlinked[a] + more
                out[a] += at(single, n1) + at(single, n0) - at(double_, n1 + n0) - base[a]
        out[own] = self._score_own(item, own)
        out[n_slots] = self.fresh[item]

    cdef double _score_own(self, Py_ssize_t item, Py_ssize_t own) noexcept nogil:
        """Return the score of an item in its own block, as if it had been removed."""
        cdef double total = 0.0
        cdef Py_ssize_t b, cell, j = self.starts[item], last = self.starts[item + 1]
        cdef long long count, more
        for b in range(self.n_blocks):
            cell = b * self.capacity + own
            count, more = 0, self.size[b]
            if j < last and self.block[j] == b:    # the blocks of an item are in order
                count, more = self.count[j], more - self.known[j]
                j += 1
            total += self._log_cell(self.linked[cell], self.unlinked[cell])
            total -= self._log_cell(self.linked[cell] - count, self.unlinked[cell] - more)
        return total

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        cdef Py_ssize_t j, cell
        cdef double total
        if slot < 0:
            return self.fresh[item]
        if slot == own:
            return self._score_own(item, own)
        total = self.bare[slot]
        for j in range(self.starts[item], self.starts[item + 1]):
            cell = self.block[j] * self.capacity + slot
            total += self._log_cell(
                self.linked[cell] + self.count[j],
                self.unlinked[cell] + self.size[self.block[j]] - self.known[j],
            ) - self.base[cell]
        return total

    def log_marginal(self):
        """Return the log marginal likelihood of all observations given both partitions, in nats."""
        cdef double total = 0.0, row
        cdef Py_ssize_t b, cell
        self._check_assigned()
        with nogil:
            for b in range(self.n_blocks):
                row = 0.0
                for cell in range(b * self.capacity, (b + 1) * self.capacity):
                    row += self._log_cell(self.linked[cell], self.unlinked[cell]) - self.prior
                total += row
        return total

    def log_parts(self, items):
        """Return the log marginal likelihood of some items as one block, by block of the others.

        The argument is that of `SimilarRecords.log_parts`.
        """
        items = np.unique(as_whole(items, "The items", 0, self.n_items - 1))
        cdef long long[:, ::1] cells = np.zeros((2, self.n_blocks), dtype=np.int64)
        cdef Py_ssize_t item, b, j
        for item in items:
            for b in range(self.n_blocks):
                cells[1, b] += self.size[b]
            for j in range(self.starts[item], self.starts[item + 1]):
                cells[0, self.block[j]] += self.count[j]
                cells[1, self.block[j]] -= self.known[j]
        return np.array([self._log_cell(n1, n0) - self.prior for n1, n0 in np.transpose(cells)])

    @property
    def cell_counts(self):
        """Links and non-links, each of shape (capacity, slots of the other type): copies."""
        return self._linked_array.T.copy(), self._unlinked_array.T.copy()


cdef class RelationalRates(RelationalLinks):
    """Counts of links that are Poisson, where entities may have rates of their own.

    The links of an item ``i`` of block ``a`` with an entity ``j`` of block ``b`` are
    ``Poisson(theta_i phi_j lambda_ab)`` with ``lambda_ab ~ Gamma(beta, r)`` of mean `mean`,
    integrated out.  The ``theta`` of a block are 1, or, with rates of their own, uniform over
    positive numbers with mean 1, and integrated out; the ``phi`` likewise.  With ``n`` items in a
    block, ``d_i`` links of each and ``D`` of all of them,

        log p = sum_ab log Gamma(beta + n1) - (beta + n1) log(r + n_a n_b)
                + sum_a [log Gamma(n) - log Gamma(n + D) + D log n] + sum_i log Gamma(1 + d_i)

    up to a constant, where the second line is for rates of their own.

    Parameters
    ----------
    links : LinkTable
        Without trials, and without cells that are held out.
    place : {0, 1}
        0 if the items are the rows of the table, 1 if they are its columns.
    beta : float
        Shape of the gamma prior.
    own_rates : bool
        Whether the items have rates of their own.
    mean : float, optional
        Prior mean of a rate, in links of a pair; by default that of the table.

    Raises
    ------
    ConfigError
        As for `RelationalLinks`, or if the links have trials or cells that are held out.

    References
    ----------
    Karrer and Newman (2011), "Stochastic blockmodels and community structure in networks".

    Examples
    --------
    >>> from reseat.chains import CoupledModel, MixtureModel
    >>> from reseat.likelihoods import LinkTable, RelationalRates
    >>> from reseat.priors import DirichletProcess
    >>> links = LinkTable([[90, 0], [9, 0], [0, 8]])
    >>> rows = MixtureModel(DirichletProcess(1.0), RelationalRates(links, 0))
    >>> columns = MixtureModel(DirichletProcess(1.0), RelationalRates(links, 1))
    >>> model = CoupledModel({"row": rows, "column": columns})
    >>> model.start({"row": [0, 0, 1], "column": [0, 1]})  # a busy and a quiet row together
    >>> together = model.log_joint()
    >>> model.start({"row": [0, 1, 1], "column": [0, 1]})
    >>> together > model.log_joint()
    True
    """

    cdef readonly double mean           # of the prior of a rate
    cdef readonly bint own_rates        # whether the items have rates of their own
    cdef bint others_own                # whether the entities of the other type have them
    cdef LogGamma whole                 # log Gamma of 1 + n
    cdef double constant                # minus the log factorials of all counts
    cdef double degrees_alone[2]        # sum of log Gamma(1 + d_i), of items and of the others
    cdef const long long* degree        # [item] d_i
    cdef long long* members             # [a] n
    cdef long long* total               # [a] D
    cdef object _degrees, _block_arrays

    def __init__(self, links, place, beta=1.0, own_rates=True, mean=None):
        self.mean = 0.0 if mean is None else check_strength("mean", mean)
        check_flag("own_rates", own_rates)
        self.own_rates = self.others_own = own_rates
        super().__init__(links, place, beta)

    def _prepare(self):
        cdef const long long[::1] degrees
        cdef Py_ssize_t place, item
        links = self.links
        if not links.blank or len(links.held_out):
            raise ConfigError(
                "Rates are for counts without trials and without cells that are held out; use "
                "RelationalLinks for these."
            )
        self.poisson = True
        self.mean = self.mean or links.n_links / (links.shape[0] * links.shape[1])
        self.exposure = self.beta / self.mean
        # Every pair of a cell counts, whether it has links or not.
        self.side = replace(self.side, missed=np.ones_like(self.side.missed))
        self.whole = view_of(links.log_gamma(1.0), 1.0)
        self.constant = -links.log_factorials()
        for place, side in enumerate((self.side, links.sides[1 - self.place])):
            below = np.append(0, np.cumsum(side.counts, dtype=np.int64))
            degrees = np.diff(below[side.starts])
            self.degrees_alone[place] = 0.0
            for item in range(degrees.shape[0]):
                self.degrees_alone[place] += at(self.whole, degrees[item])
            if place == 0:
                self._degrees = degrees
                self.degree = &degrees[0]

    cdef inline double _rates(self, long long n, long long total) noexcept nogil:
        """Return the log density of how the links of a block are shared out to its members."""
        if n == 0:
            return 0.0
        return at(self.whole, n - 1) - at(self.whole, n + total - 1) + total * log(n)

    cdef inline double _gain(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t a) noexcept nogil:
        """Return what an item adds to `_rates` of a slot, or of a new block if it is -1."""
        cdef long long n = 0, total = 0, degree = self.degree[item]
        if a >= 0:
            n, total = self.members[a], self.total[a]
        if a == own:
            n, total = n - 1, total - degree
        return self._rates(n + 1, total + degree) - self._rates(n, total)

    def condition(self, others):
        """Take in the partition of the other type, and whether that has rates of its own."""
        super().condition(others)
        likelihood = others[self.given].likelihood
        self.others_own = getattr(likelihood, "inner", likelihood).own_rates  # of `Decided`

    def _hold(self, linked, unlinked):
        super()._hold(linked, unlinked)
        # Each item shares a pair with every entity of the other type.
        members = unlinked.sum(axis=0) // self.links.shape[1 - self.place]
        total = linked.sum(axis=0)
        self._block_arrays = members, total
        self.members, self.total = <long long*> longs(members), <long long*> longs(total)

    cdef void _add(self, Py_ssize_t item, Py_ssize_t a, int sign) noexcept nogil:
        RelationalLinks._add(self, item, a, sign)
        self.members[a] += sign
        self.total[a] += sign * self.degree[item]

    cdef void score(
        self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t n_slots, double* out
    ) noexcept nogil:
        cdef Py_ssize_t a
        RelationalLinks.score(self, item, own, n_slots, out)
        if self.own_rates:
            for a in range(n_slots):
                out[a] += self._gain(item, own, a)
            out[n_slots] += self._gain(item, own, -1)

    cdef double score_block(self, Py_ssize_t item, Py_ssize_t own, Py_ssize_t slot) noexcept nogil:
        cdef double total = RelationalLinks.score_block(self, item, own, slot)
        return total + self._gain(item, own, slot) if self.own_rates else total

    def log_marginal(self):
        """Return the log marginal likelihood of all counts given both partitions, in nats."""
        cdef double total = super().log_marginal() + self.constant
        cdef Py_ssize_t a, b
        if self.own_rates:
            total += self.degrees_alone[0]
            for a in range(self.capacity):
                total += self._rates(self.members[a], self.total[a])
        if self.others_own:
            total += self.degrees_alone[1]
            for b, links in enumerate(self._linked_array.sum(axis=1)):
                total += self._rates(self.size[b], links)
        return total

    def log_parts(self, items):
        """Return the same as `RelationalLinks.log_parts`, and a part of the items' own rates."""
        parts, items = super().log_parts(items), np.unique(items)
        if not self.own_rates:
            return parts
        return np.append(parts, self._rates(items.size, np.take(self._degrees, items).sum()))
