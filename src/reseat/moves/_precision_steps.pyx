"""Metropolis steps for the precisions, with the means of the blocks integrated out."""

import numpy as np

from libc.math cimport exp, expm1, fmax, log, sqrt
from numpy.random cimport bitgen_t
from numpy.random.c_distributions cimport random_standard_normal

from reseat.checks import check_positive

from reseat.likelihoods._mean_spread cimport MeanSpread
from reseat.likelihoods._pointers cimport doubles, ints
from reseat.likelihoods._precision_law cimport Moments, Precision, PrecisionLaw
from reseat.likelihoods._variates cimport draw_precision
from reseat.moves._seating cimport Run, check_parts

cdef enum:
    N_STRETCHES = 10    # stretches of the means of a feature
cdef double LONGEST = 1.0, SHRINKAGE = 7.0  # of steps, on the log scale, and how far below it


cdef class PrecisionSteps:
    """Metropolis steps of each precision, then of those of all types together, on the log scale.

    The precisions of a feature are multiplied by ``exp(step z)``, where ``z`` is standard normal,
    with the means of the blocks integrated out.  If the law of the precisions depends on the means,
    steps of all lengths are made, and the means keep their distances from their posterior means, in
    posterior standard deviations; then the means of the feature, many of which can only shrink or
    spread together, are multiplied by random factors, and its precisions drawn each time.

    Parameters
    ----------
    step : float
        Standard deviation of a step on the log scale.

    Attributes
    ----------
    proposed_, accepted_ : dict of str to int
        Counts of steps of ``one`` type and of ``all`` since the move was created.

    Raises
    ------
    ConfigError
        If `step` is not positive and finite.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import likelihoods, moves
    >>> from reseat.models.references import build_supervised
    >>> rng, data = np.random.default_rng(1), likelihoods.GaussianReferences([[-3.0], [3.0], [2.9]])
    >>> model = build_supervised(data, "scdp1", rng, test=[True] * 3, known=[0, 0, 0])
    >>> model.joint = [moves.PrecisionSteps(step=0.5)]
    >>> n_moved = model.sweep(rng)
    """

    #: The move leaves the likelihood of the publications conditioned on the new precisions.
    settles = True

    cdef readonly double step
    cdef readonly object proposed_, accepted_

    def __init__(self, step=0.7):
        self.step = check_positive("step", step)
        self.proposed_ = {"one": 0, "all": 0}
        self.accepted_ = {"one": 0, "all": 0}

    def __call__(self, publications, types, rng):
        """Make one step of each feature in each type, and one in all; return 0, as no item moves.

        Means that are held are redrawn at the end, unless they follow the steps.
        """
        cdef Steps state = Steps(publications, types)
        state.scale = self.step
        state.make(state.n_features, rng, self)
        state.give_back()
        publications.condition({"type": types})
        if not (publications.likelihood.collapsed or state.follows):
            publications.likelihood.update(publications.partition, rng)
        return 0


cdef class Steps(Run):
    """The sums over each cell, which is one type in one block, and the state of the steps."""

    cdef readonly bint follows      # whether the law of the precisions depends on the means
    cdef object types, publications, _held, _precisions, _means, _used_kinds
    cdef PrecisionLaw law
    cdef MeanSpread pairs
    cdef int n_features, n_coordinates
    cdef Py_ssize_t n_kinds, n_blocks
    cdef double sigma, scale
    cdef const int* starts
    cdef const Precision* laws      # [feature]
    cdef const Py_ssize_t* first    # [type, and one more] the first of its cells
    cdef const Py_ssize_t* block    # [cell]
    cdef const double* count        # [cell]
    cdef const double* sum          # [cell][coordinate]
    cdef const double* square       # [type][feature]
    cdef const double* n_items      # [type]
    cdef double* t                  # [type][feature]
    cdef double* mass               # [block][feature] posterior precision of a mean
    cdef double* pull               # [block][coordinate] that precision times the posterior mean
    cdef const int* slot            # [block]
    cdef const int* slot_group      # [slot]
    cdef double* mean               # [slot][coordinate]
    cdef double* drawn              # [block][coordinate]
    cdef double* cross              # [type] sum of its items times their means
    cdef double* length             # [type] sum of the squares of these means

    def __init__(self, publications, types):
        likelihood, kinds = publications.likelihood, types.likelihood
        for part in (publications, types):
            check_parts(part.partition, part.prior, part.likelihood)
        data, self.law, self.sigma = likelihood.data, kinds.law, likelihood.sigma
        self.publications, self.types = publications, types
        self.follows = self.law.depends_on_means and not kinds.held
        self.n_features, self.n_coordinates = data.n_features, data.n_coordinates
        block_sizes, kind_sizes = publications.partition.size_array, types.partition.size_array
        slot = np.flatnonzero(block_sizes).astype(np.intc)
        self._used_kinds = np.flatnonzero(kind_sizes)
        self.n_blocks, self.n_kinds = slot.size, self._used_kinds.size
        self._precisions, self._means = kinds.precisions[self._used_kinds], likelihood.means
        laws = kinds.parameters["laws"]
        slot_group = likelihood.slot_groups if self.follows else np.zeros(1, np.intc)
        mass = np.full((self.n_blocks, self.n_features), 1 / self.sigma)
        pull = np.zeros((self.n_blocks, self.n_coordinates))
        drawn = np.empty((self.n_blocks, self.n_coordinates))
        sums = np.empty((2, self.n_kinds))
        self._held = data.starts, laws, mass, pull, slot, slot_group, drawn, sums
        self.starts, self.laws = ints(data.starts), <const Precision*> doubles(laws)
        self.t, self.mean = doubles(self._precisions), doubles(self._means)
        self.mass, self.pull, self.drawn = doubles(mass), doubles(pull), doubles(drawn)
        self.slot, self.slot_group = ints(slot), ints(slot_group)
        self.cross, self.length = doubles(sums[0]), doubles(sums[1])
        c = (np.cumsum(block_sizes > 0) - 1)[publications.partition.label_array]
        d = (np.cumsum(kind_sizes > 0) - 1)[types.partition.label_array]
        self._find_cells(data.coordinates, c, d, np.lexsort((c, d)))
        if self.follows:
            self.pairs = MeanSpread(data, slot_group.max() + 1, self.law.kind == "between")
            self.pairs.rebuild(self.mean, ints(block_sizes), self.slot_group, len(block_sizes))

    def _find_cells(
        self, const double[:, ::1] points, const Py_ssize_t[::1] block_of,
        const Py_ssize_t[::1] kind_of, const Py_ssize_t[::1] order,
    ):
        """Compute the sums over the cells from the items in the order of types and blocks."""
        cdef Py_ssize_t n = order.shape[0], F = self.n_features, D = self.n_coordinates
        cdef Py_ssize_t place, item, k, l, cell = -1, last_block = -1, last_kind = -1
        cdef int f, q
        cdef Py_ssize_t[::1] first = np.zeros(self.n_kinds + 1, dtype=np.intp)
        cdef Py_ssize_t[::1] block = np.empty(n, dtype=np.intp)
        cdef double[::1] count = np.zeros(n), n_items = np.zeros(self.n_kinds)
        cdef double[:, ::1] sums = np.zeros((n, D)), squares = np.zeros((self.n_kinds, F))
        cdef double x
        for place in range(n):
            item = order[place]
            k, l = block_of[item], kind_of[item]
            if k != last_block or l != last_kind:
                cell += 1
                block[cell] = k
                last_block, last_kind = k, l
            count[cell] += 1
            n_items[l] += 1
            first[l + 1] = cell + 1
            for f in range(F):
                for q in range(self.starts[f], self.starts[f + 1]):
                    x = points[item, q]
                    sums[cell, q] += x
                    squares[l, f] += x * x
        for l in range(self.n_kinds):
            for cell in range(first[l], first[l + 1]):
                k = block[cell]
                for f in range(F):
                    x = self.t[l * F + f]
                    self.mass[k * F + f] += count[cell] * x
                    for q in range(self.starts[f], self.starts[f + 1]):
                        self.pull[k * D + q] += sums[cell, q] * x
        self._held += first, block, count, n_items, sums, squares
        self.first, self.block, self.count = &first[0], &block[0], &count[0]
        self.sum, self.square, self.n_items = &sums[0, 0], &squares[0, 0], &n_items[0]

    def give_back(self):
        """Write the precisions back to the model, and the means if the law depends on them."""
        precisions = self.types.likelihood.precisions
        precisions[self._used_kinds] = self._precisions
        self.types.likelihood.precisions = precisions
        if self.follows:
            self.publications.likelihood.means = self._means
            self.types.likelihood.renew_law(self.publications)

    cdef bint step(self, Py_ssize_t number, bitgen_t* rng) noexcept nogil:
        """Make the steps of a feature."""
        cdef Py_ssize_t kind
        cdef int f = <int> number
        for kind in range(self.n_kinds):
            self.propose(f, kind, rng)
        if self.n_kinds > 1:
            self.propose(f, -1, rng)
        if self.follows:
            self.stretch(f, rng)
        return True

    cdef void propose(self, int f, Py_ssize_t kind, bitgen_t* rng) noexcept nogil:
        """Propose to scale a feature in one type, or in all (-1)."""
        cdef double move = self.scale * random_standard_normal(rng), grow, ratio
        if self.follows:
            move *= exp(-SHRINKAGE * rng.next_double(rng.state))
        grow = expm1(move)
        ratio = self.gain(f, kind, move, grow)
        if self.follows:
            ratio += self.carry(f, kind, move, grow)
        self.proposed[kind < 0] += 1
        if log(1.0 - rng.next_double(rng.state)) >= ratio:
            if self.follows:
                self.exchange(f, kind)     # restores the old means
            return
        self.accepted[kind < 0] += 1
        self.take(f, kind, grow)

    cdef double gain(self, int f, Py_ssize_t kind, double move, double grow) noexcept nogil:
        """Return the log acceptance ratio, without the part that depends on drawn means."""
        cdef int start = self.starts[f], width = self.starts[f + 1] - start, q
        cdef Py_ssize_t D = self.n_coordinates, F = self.n_features, cell, k, l
        cdef double ratio = 0.0, t, mass, heavier, now, then, added
        for l in range(self.n_kinds):
            if kind >= 0 and l != kind:
                continue
            t = self.t[l * F + f]
            ratio += self.n_items[l] * width * move / 2 - grow * t * self.square[l * F + f] / 2
            ratio += move       # the Jacobian of the log scale
            if not self.follows:
                ratio += (self.laws[f].shape - 1) * move - self.laws[f].rate * t * grow
                if self.laws[f].chi > 0.0:
                    ratio -= self.laws[f].chi * (exp(-move) - 1) / t
        if kind < 0:
            for k in range(self.n_blocks):
                mass = self.mass[k * F + f]
                heavier = mass + grow * (mass - 1 / self.sigma)
                now = 0.0
                for q in range(start, start + width):
                    now += self.pull[k * D + q] * self.pull[k * D + q]
                ratio += now * ((1 + grow) * (1 + grow) / heavier - 1 / mass) / 2
                ratio -= width * log(heavier / mass) / 2
            return ratio
        added = grow * self.t[kind * F + f]
        for cell in range(self.first[kind], self.first[kind + 1]):
            k = self.block[cell]
            mass = self.mass[k * F + f]
            heavier = mass + added * self.count[cell]
            now = then = 0.0
            for q in range(start, start + width):
                t = self.pull[k * D + q]
                now += t * t
                t += added * self.sum[cell * D + q]
                then += t * t
            ratio += (then / heavier - now / mass - width * log(heavier / mass)) / 2
        return ratio

    cdef void take(self, int f, Py_ssize_t kind, double grow) noexcept nogil:
        """Scale the precisions, and update the sums accordingly."""
        cdef int start = self.starts[f], end = self.starts[f + 1], q
        cdef Py_ssize_t D = self.n_coordinates, F = self.n_features, cell, k, l
        cdef double added
        for l in range(self.n_kinds):
            if kind >= 0 and l != kind:
                continue
            added = grow * self.t[l * F + f]
            self.t[l * F + f] += added
            for cell in range(self.first[l], self.first[l + 1]):
                k = self.block[cell]
                self.mass[k * F + f] += added * self.count[cell]
                for q in range(start, end):
                    self.pull[k * D + q] += added * self.sum[cell * D + q]

    cdef double carry(self, int f, Py_ssize_t kind, double move, double grow) noexcept nogil:
        """Take the affected means along; return the log ratio of the densities of the precisions.

        They keep their distance from their posterior mean, in posterior standard deviations.
        """
        cdef int start = self.starts[f], end = self.starts[f + 1], q
        cdef Py_ssize_t D = self.n_coordinates, F = self.n_features, cell, k
        cdef Py_ssize_t n = self.n_blocks, begin = 0
        cdef double added, mass, old, ratio, pull
        cdef double before = self.density(f, self.pairs.moments(f), -2, 0.0, 0.0)
        if kind >= 0:
            begin, n = self.first[kind], self.first[kind + 1]
            added = grow * self.t[kind * F + f]
        for cell in range(begin, n):
            k = self.block[cell] if kind >= 0 else cell
            mass = old = self.mass[k * F + f]
            mass += added * self.count[cell] if kind >= 0 else grow * (mass - 1 / self.sigma)
            ratio = sqrt(old / mass)
            for q in range(start, end):
                pull = self.pull[k * D + q]
                self.drawn[k * D + q] = ratio * (self.mean[self.slot[k] * D + q] - pull / old)
                pull += added * self.sum[cell * D + q] if kind >= 0 else grow * pull
                self.drawn[k * D + q] += pull / mass
        self.exchange(f, kind)
        return self.density(f, self.pairs.moments(f), kind, move, grow) - before

    cdef void exchange(self, int f, Py_ssize_t kind) noexcept nogil:
        """Swap the means that a proposal affects and those that were drawn for it."""
        cdef int start = self.starts[f], end = self.starts[f + 1], q
        cdef Py_ssize_t D = self.n_coordinates, cell, k, begin = 0, n = self.n_blocks
        cdef Py_ssize_t group
        cdef double* mean
        cdef double* row
        cdef const double* middle
        cdef double old, here
        if kind >= 0:
            begin, n = self.first[kind], self.first[kind + 1]
        for cell in range(begin, n):
            k = self.block[cell] if kind >= 0 else cell
            mean, group = self.mean + self.slot[k] * D, self.slot_group[self.slot[k]]
            if self.pairs.width == 0:
                # The same as below, but without function calls.
                row = self.pairs.row_of(group)
                middle = row + self.pairs.middle
                for q in range(start, end):
                    old, mean[q] = mean[q], self.drawn[k * D + q]
                    self.drawn[k * D + q] = old
                    here = old - middle[q]
                    row[q] -= here
                    row[D + q] -= here * here
                    here = mean[q] - middle[q]
                    row[q] += here
                    row[D + q] += here * here
            else:
                self.pairs.shift(self.pairs.row_of(group), f, mean, -1.0)
                for q in range(start, end):
                    old, mean[q] = mean[q], self.drawn[k * D + q]
                    self.drawn[k * D + q] = old
                self.pairs.shift(self.pairs.row_of(group), f, mean, 1.0)
            if self.pairs.n_groups > 1:
                self.pairs.renew(group, f)
        if self.pairs.n_groups == 1:
            self.pairs.renew(0, f)

    cdef void stretch(self, int f, bitgen_t* rng) noexcept nogil:
        """Multiply all means of a feature by factors, and draw its precisions each time."""
        cdef int start = self.starts[f], width = self.starts[f + 1] - start, q, _
        cdef Py_ssize_t D = self.n_coordinates, cell, k, l
        cdef double whole = 0.0, now, then, move, factor = 1.0, cross, length, rest
        cdef double* mean
        cdef Precision law
        for k in range(self.n_blocks):
            mean = self.mean + self.slot[k] * D
            for q in range(start, start + width):
                whole += mean[q] * mean[q]
        for l in range(self.n_kinds):
            cross = length = 0.0
            for cell in range(self.first[l], self.first[l + 1]):
                mean = self.mean + self.slot[self.block[cell]] * D
                for q in range(start, start + width):
                    cross += self.sum[cell * D + q] * mean[q]
                    length += self.count[cell] * mean[q] * mean[q]
            self.cross[l], self.length[l] = cross, length
        for _ in range(N_STRETCHES):
            move = exp(LONGEST - SHRINKAGE * rng.next_double(rng.state))
            move *= random_standard_normal(rng)
            now, then = factor, factor * exp(move)
            move *= self.n_blocks * width
            move += self.spread(f, then, whole) - self.spread(f, now, whole)
            if log(1.0 - rng.next_double(rng.state)) < move:
                factor = then
            law = self.law.at(self.scaled(f, factor))
            for l in range(self.n_kinds):
                rest = self.square[l * self.n_features + f] + factor * (
                    factor * self.length[l] - 2 * self.cross[l]
                )
                now = self.t[l * self.n_features + f]
                then = draw_precision(
                    law.shape + self.n_items[l] * width / 2.0, law.rate + fmax(rest, 0.0) / 2,
                    law.chi, rng,
                )
                self.take(f, l, then / now - 1)
        for k in range(self.n_blocks):
            for q in range(start, start + width):
                self.drawn[k * D + q] = factor * self.mean[self.slot[k] * D + q]
        self.exchange(f, -1)

    cdef double spread(self, int f, double factor, double whole) noexcept nogil:
        """Return the log density of everything if the means of a feature had a factor."""
        cdef double total = self.density(f, self.scaled(f, factor), -2, 0.0, 0.0)
        cdef Py_ssize_t l
        total -= factor * factor * whole / self.sigma / 2
        for l in range(self.n_kinds):
            total -= self.t[l * self.n_features + f] * factor * (
                factor * self.length[l] - 2 * self.cross[l]
            ) / 2
        return total

    cdef Moments scaled(self, int f, double factor) noexcept nogil:
        """Return the moments of a feature if all means had a factor."""
        cdef Moments moments = self.pairs.moments(f)
        cdef double square = factor * factor
        moments.first *= square
        moments.second *= square * square
        return moments

    cdef double density(
        self, int f, Moments moments, Py_ssize_t kind, double move, double grow
    ) noexcept nogil:
        """Return the log density of a feature given the means, `kind` scaled (-1 all, -2 none)."""
        cdef Precision law = self.law.at(moments)
        cdef double total = 0.0, t, log_t
        cdef Py_ssize_t l
        for l in range(self.n_kinds):
            t = self.t[l * self.n_features + f]
            log_t = log(t)
            if kind == l or kind == -1:
                t += grow * t
                log_t += move
            total += (law.shape - 1) * log_t - law.rate * t
            if law.chi > 0.0:
                total -= law.chi / t
        return total - self.n_kinds * self.law.log_normaliser(law)
