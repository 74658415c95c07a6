"""Items allocated to two types, their sums in each publication, and precisions that fit them."""

import numpy as np

from libc.math cimport exp, fmax, log, sqrt
from libc.string cimport memcpy, memset
from numpy.random cimport bitgen_t

from reseat.generators cimport source_of
from reseat.likelihoods._pointers cimport doubles


cdef class TypeMembers:
    """The items of the types in a proposal, and all other items of their publications.

    `members` ascend; `t` are the precisions of types, `prior` those of means, by feature.
    """

    cdef Py_ssize_t n_members, n_blocks, n_coordinates
    cdef int n_features
    cdef object _held               # keeps the memory alive
    cdef const double* points       # [item][coordinate]
    cdef const int* starts          # [feature + 1]
    cdef double* half               # [feature] half its number of coordinates
    cdef const Py_ssize_t* members
    cdef Py_ssize_t* first          # [block, and one more] its first place in `order`
    cdef Py_ssize_t* order          # members, block by block
    cdef double* mass               # [block][feature] precision of the prior and the others
    cdef double* pull               # [block][coordinate] sum of the others times their precisions
    cdef double* square             # [member][feature] squared length
    cdef char* pure                 # [block] whether it has no others
    cdef double* work               # [side][coordinate] memory for the totals of a block

    def __init__(
        self, const double[:, ::1] points, const int[::1] starts, const Py_ssize_t[::1] block,
        const Py_ssize_t[::1] labels, const double[:, ::1] t, const Py_ssize_t[::1] members,
        const double[::1] prior,
    ):
        cdef Py_ssize_t n = points.shape[0], n_members = members.shape[0], item, row, k
        cdef const double* x
        cdef int f, d
        cdef Py_ssize_t[::1] found = np.full(np.max(block) + 1, -1, dtype=np.intp)
        cdef Py_ssize_t[:, ::1] lists = np.zeros((3, n_members + 2), dtype=np.intp)
        self.points, self.starts, self.members = &points[0, 0], &starts[0], &members[0]
        self.n_members, self.n_coordinates = n_members, points.shape[1]
        self.n_features = <int> (starts.shape[0] - 1)
        self.first, self.order = &lists[1, 0], &lists[2, 0]
        self.n_blocks = 0
        for row in range(n_members):
            k = block[members[row]]
            if found[k] < 0:
                found[k] = self.n_blocks
                self.n_blocks += 1
            lists[0, row] = found[k]    # blocks are numbered among those that have members
            self.first[found[k] + 2] += 1
        for k in range(self.n_blocks):
            self.first[k + 2] += self.first[k + 1]
        for row in range(n_members):
            k = lists[0, row]
            self.order[self.first[k + 1]] = row
            self.first[k + 1] += 1
        cdef double[:, ::1] mass = np.tile(prior, (self.n_blocks, 1))
        cdef double[:, ::1] pull = np.zeros((self.n_blocks + 2, self.n_coordinates))
        cdef double[:, ::1] square = np.empty((n_members, self.n_features))
        cdef char[::1] pure = np.ones(self.n_blocks, dtype=np.int8)
        self.mass, self.pull = &mass[0, 0], &pull[0, 0]
        self.square, self.pure = &square[0, 0], &pure[0]
        self.work = &pull[self.n_blocks, 0]
        halves = np.diff(starts) / 2.0
        self.half = doubles(halves)
        self._held = points, starts, members, lists, mass, pull, square, pure, halves
        for row in range(n_members):
            x = self.points + members[row] * self.n_coordinates
            for f in range(self.n_features):
                self.square[row * self.n_features + f] = product(x, x, starts[f], starts[f + 1])
        row = 0
        for item in range(n):
            if row < n_members and members[row] == item:
                row += 1
            elif found[block[item]] >= 0:
                k = found[block[item]]
                pure[k] = False
                for f in range(self.n_features):
                    mass[k, f] += t[labels[item], f]
                    for d in range(starts[f], starts[f + 1]):
                        pull[k, d] += t[labels[item], f] * points[item, d]

    cdef Py_ssize_t single(self, Py_ssize_t k) noexcept nogil:
        """Return the only item of a block, as a row of the members, or -1 if it has more."""
        if self.pure[k] and self.first[k + 1] - self.first[k] == 1:
            return self.order[self.first[k]]
        return -1

    cdef double* totals(self, Py_ssize_t k, const int* sides) noexcept nogil:
        """Return the sums of the members of a block on both sides, [side][coordinate]."""
        cdef Py_ssize_t D = self.n_coordinates, at, row, d
        cdef const double* x
        cdef double* total
        memset(self.work, 0, 2 * D * sizeof(double))
        for at in range(self.first[k], self.first[k + 1]):
            row = self.order[at]
            x, total = self.points + self.members[row] * D, self.work + sides[row] * D
            for d in range(D):
                total[d] += x[d]
        return self.work


cdef inline double product(const double* a, const double* b, int start, int end) noexcept nogil:
    cdef double total = 0.0
    cdef int d
    for d in range(start, end):
        total += a[d] * b[d]
    return total


cdef inline double mode(double shape, double rate, double chi) noexcept nogil:
    """Return the greatest density of ``log t`` if t has the density of `SideSums.fit`."""
    return (shape + sqrt(shape * shape + 4 * rate * chi)) / (2 * rate)


cdef enum:
    # The parts of the sums of a block.  The posterior precision of its mean is MASS plus the
    # precisions of the members on the sides; the squared length of the product of this precision
    # and the mean follows from the other parts, which are products over the coordinates.
    MASS = 0        # precision of the prior and the others
    SQUARE = 1      # product of the pull of the others with itself
    PULL = 2        # products of the totals of each side with the pull of the others
    WITHIN = 4      # products of the totals of each side with themselves
    ACROSS = 6      # product of the totals of the two sides
    N_PARTS = 7
    FEW = 32        # blocks with no others and fewer members than this on each side are pooled


cdef class SideSums:
    """Sums of the members on one or two sides, by publication or by several that are alike."""

    cdef TypeMembers base
    cdef Py_ssize_t n_sides
    cdef object _held               # keeps the memory alive
    cdef const int* sides           # [member]
    cdef Py_ssize_t n_rows          # number of rows, each of one block or of several alike
    cdef Py_ssize_t* row_of         # [block]
    cdef double* n_alike            # [row] number of blocks
    cdef double* part               # [row][part][feature]
    cdef double* count              # [row][side] number of members in each block
    cdef double* square             # [side][feature] sum over all members
    cdef double[2] n_items          # [side]

    def __init__(self, TypeMembers base not None, const int[::1] sides, Py_ssize_t n_sides):
        cdef Py_ssize_t row, k, s, n = base.n_blocks, at
        cdef int f, F = base.n_features
        cdef double[:, :, ::1] parts = np.zeros((n, N_PARTS, F))
        cdef double[::1] counts = np.zeros(3 * n + 2 * F)
        cdef Py_ssize_t[::1] rows = np.empty(n, dtype=np.intp)
        cdef Py_ssize_t[:, ::1] alike = np.full((FEW, FEW), -1, dtype=np.intp)
        cdef Py_ssize_t[2] many
        self.base, self.n_sides, self.sides = base, n_sides, &sides[0]
        self.part, self.row_of = &parts[0, 0, 0], &rows[0]
        self.square, self.count = &counts[0], &counts[2 * F]
        self.n_alike = &counts[2 * F + 2 * n]
        self._held = sides, parts, counts, rows
        self.n_items[0] = self.n_items[1] = 0.0
        for row in range(base.n_members):
            s = sides[row]
            self.n_items[s] += 1
            for f in range(F):
                self.square[s * F + f] += base.square[row * F + f]
        self.n_rows = 0
        for k in range(n):
            many[0] = many[1] = 0
            for at in range(base.first[k], base.first[k + 1]):
                many[sides[base.order[at]]] += 1
            row = -1
            if base.pure[k] and many[0] < FEW and many[1] < FEW:
                row = alike[many[0], many[1]]
                if row < 0:
                    alike[many[0], many[1]] = self.n_rows
            if row < 0:
                row = self.n_rows
                self.n_rows += 1
                for f in range(F):
                    self.part[(row * N_PARTS + MASS) * F + f] = base.mass[k * F + f]
                self.count[2 * row], self.count[2 * row + 1] = many[0], many[1]
            self.row_of[k] = row
            self.n_alike[row] += 1
            self._add_block(k, self.part + row * N_PARTS * F)

    cdef void _add_block(self, Py_ssize_t k, double* part) noexcept nogil:
        """Add the products of a block to those of its row."""
        cdef Py_ssize_t D = self.base.n_coordinates, single = self.base.single(k), s
        cdef int f, start, end, F = self.base.n_features
        cdef const double* x = self.base.pull + k * D
        cdef const double* total
        if single >= 0:
            for f in range(F):
                part[(WITHIN + self.sides[single]) * F + f] += self.base.square[single * F + f]
            return
        total = self.base.totals(k, self.sides)
        for f in range(F):
            start, end = self.base.starts[f], self.base.starts[f + 1]
            for s in range(self.n_sides):
                part[(WITHIN + s) * F + f] += product(total + s * D, total + s * D, start, end)
            if self.n_sides == 2:
                part[ACROSS * F + f] += product(total, total + D, start, end)
            if not self.base.pure[k]:
                part[SQUARE * F + f] += product(x, x, start, end)
                for s in range(self.n_sides):
                    part[(PULL + s) * F + f] += product(total + s * D, x, start, end)

    cdef inline double _mass(self, Py_ssize_t k, int f, double one, double two) noexcept nogil:
        """Return the posterior precision of the mean of each block in a row."""
        cdef const double* count = self.count + 2 * k
        return self.part[k * N_PARTS * self.base.n_features + f] + count[0] * one + count[1] * two

    cdef inline double _square(self, Py_ssize_t k, int f, double one, double two) noexcept nogil:
        """Return the squared length of that precision times the mean, summed over the blocks."""
        cdef int F = self.base.n_features
        cdef const double* part = self.part + k * N_PARTS * F + f
        return (
            part[SQUARE * F]
            + one * (2 * part[PULL * F] + one * part[WITHIN * F])
            + two * (2 * part[(PULL + 1) * F] + two * part[(WITHIN + 1) * F])
            + 2 * one * two * part[ACROSS * F]
        )

    def fit(
        self, const double[::1] shape, const double[::1] rate, const double[::1] chi, int n_steps
    ):
        """Return gamma laws, by side, that suit the residuals, after `n_steps` steps.

        The prior is proportional to ``t^(shape - 1) exp(-rate t - chi / t)``.
        """
        cdef Py_ssize_t s, k, S = self.n_sides
        cdef int f, step, F = self.base.n_features
        cdef double[:, ::1] room = np.zeros((8, F))
        cdef double* t = &room[0, 0]
        cdef double* spread = &room[2, 0]
        cdef double* unsure = &room[4, 0]
        cdef double* found = &room[6, 0]
        cdef const double* part
        cdef const double* count
        cdef const double* half = self.base.half
        cdef double free, one, two, variance, square, sharp
        with nogil:
            for s in range(S):
                free = self.n_items[s]
                for f in range(F):
                    spread[s * F + f] = self.square[s * F + f]
                for k in range(self.n_rows):
                    if self.count[2 * k + s] == 0:
                        continue
                    free -= self.n_alike[k]
                    part = self.part + (k * N_PARTS + WITHIN + s) * F
                    for f in range(F):
                        spread[s * F + f] -= part[f] / self.count[2 * k + s]
                for f in range(F):
                    t[s * F + f] = mode(
                        shape[f] + half[f] * free,
                        rate[f] + fmax(spread[s * F + f], 0.0) / 2, chi[f],
                    )
            for step in range(n_steps + 1):
                for f in range(2 * F):
                    spread[f], unsure[f] = self.square[f], 0.0
                for k in range(self.n_rows):
                    part, count = self.part + k * N_PARTS * F, self.count + 2 * k
                    for f in range(F):
                        one, two = t[f], t[F + f]
                        variance = 1 / self._mass(k, f, one, two)
                        unsure[f] += self.n_alike[k] * count[0] * variance
                        unsure[F + f] += self.n_alike[k] * count[1] * variance
                        if step == n_steps and chi[f] == 0.0:
                            continue
                        square = self._square(k, f, one, two) * variance
                        spread[f] += variance * (count[0] * square - 2 * (
                            part[PULL * F + f] + one * part[WITHIN * F + f]
                            + two * part[ACROSS * F + f]
                        ))
                        spread[F + f] += variance * (count[1] * square - 2 * (
                            part[(PULL + 1) * F + f] + two * part[(WITHIN + 1) * F + f]
                            + one * part[ACROSS * F + f]
                        ))
                for s in range(S):
                    for f in range(F):
                        if step == n_steps:
                            free = fmax(self.n_items[s] - t[s * F + f] * unsure[s * F + f], 0.0)
                            found[s * F + f] = shape[f] + half[f] * free
                            if chi[f] > 0.0:
                                # The gamma law with this mode and curvature on the log scale.
                                sharp = rate[f] + fmax(spread[s * F + f], 0.0) / 2
                                t[s * F + f] = mode(found[s * F + f], sharp, chi[f])
                                found[s * F + f] = sharp * t[s * F + f] + chi[f] / t[s * F + f]
                        else:
                            t[s * F + f] = mode(
                                shape[f] + half[f] * self.n_items[s],
                                rate[f] + fmax(spread[s * F + f], 0.0) / 2
                                + half[f] * unsure[s * F + f], chi[f],
                            )
        rows = np.asarray(room)
        return rows[6:6 + S], rows[6:6 + S] / rows[:S]

    def residuals(self, const double[:, ::1] t):
        """Return the expected squared residuals of the members from their publications' means."""
        cdef TypeMembers base = self.base
        cdef Py_ssize_t k, at, row, D = base.n_coordinates
        cdef int f, d, F = base.n_features
        cdef double[:, ::1] both = np.zeros((2, F)), out = np.empty((base.n_members, F))
        cdef double* total
        cdef const double* x
        cdef double variance, gap, left
        with nogil:
            memcpy(&both[0, 0], &t[0, 0], self.n_sides * F * sizeof(double))
            for k in range(base.n_blocks):
                row = base.single(k)
                if row >= 0:
                    for f in range(F):
                        left = both[self.sides[row], f]
                        variance = 1 / (base.mass[k * F + f] + left)
                        gap = 1 - left * variance
                        out[row, f] = gap * gap * base.square[row * F + f]
                        out[row, f] += (base.starts[f + 1] - base.starts[f]) * variance
                    continue
                total = base.totals(k, self.sides)
                for f in range(F):
                    variance = 1 / self._mass(self.row_of[k], f, both[0, f], both[1, f])
                    for d in range(base.starts[f], base.starts[f + 1]):
                        total[d] = variance * (
                            base.pull[k * D + d] + both[0, f] * total[d] + both[1, f] * total[D + d]
                        )
                    variance *= base.starts[f + 1] - base.starts[f]
                    for at in range(base.first[k], base.first[k + 1]):
                        row = base.order[at]
                        x = base.points + base.members[row] * D
                        left = variance
                        for d in range(base.starts[f], base.starts[f + 1]):
                            gap = x[d] - total[d]
                            left += gap * gap
                        out[row, f] = left
        return np.asarray(out)

    def log_density(self, const double[:, ::1] t):
        """Return the log density of the items, up to terms that do not depend on the sides."""
        cdef Py_ssize_t s, k
        cdef int f, F = self.base.n_features
        cdef double[:, ::1] both = np.zeros((3, F))
        cdef double* products = &both[2, 0]
        cdef const double* half = self.base.half
        cdef double total = 0.0, mass
        with nogil:
            memcpy(&both[0, 0], &t[0, 0], self.n_sides * F * sizeof(double))
            for f in range(F):
                products[f] = 1.0
            for k in range(self.n_rows):
                for f in range(F):
                    mass = self._mass(k, f, both[0, f], both[1, f])
                    total += self._square(k, f, both[0, f], both[1, f]) / mass / 2
                    if self.n_alike[k] > 1:
                        total -= self.n_alike[k] * half[f] * log(mass)
                        continue
                    # Take one logarithm for many blocks, as long as their product neither overflows
                    # nor underflows.
                    products[f] *= mass
                    if not 1e-140 < products[f] < 1e140:
                        total -= half[f] * log(products[f])
                        products[f] = 1.0
            for f in range(F):
                total -= half[f] * log(products[f])
                for s in range(self.n_sides):
                    total += self.n_items[s] * half[f] * log(t[s, f])
                    total -= t[s, f] * self.square[s * F + f] / 2
        return total


cdef struct Side:
    double n
    double* rest        # [feature] sum of the squared residuals of its items
    double* estimate    # [feature] estimate of the precision
    double log_scale    # log density of an item with residual 0, up to a constant


def allocate(
    const double[:, ::1] squares, const double[::1] half, const double[::1] shape,
    const double[::1] rate, const Py_ssize_t[::1] order, int[::1] sides, rng,
):
    """Draw one of two sides for each item, with the weights given the items before it.

    The first two of `order`, which has rows of `squares` (squared residuals by feature), go to the
    `sides` 0 and 1. The weight of a side is its number of items times the normal density of the
    residuals given the posterior mean of its precisions, which have gamma priors.
    """
    cdef Py_ssize_t n_features = half.shape[0], place, item, f
    cdef double[:, ::1] room = np.zeros((4, n_features))
    cdef bitgen_t* source = source_of(rng)
    cdef Side[2] side
    cdef double gap, product, alike
    cdef int s
    for s in range(2):
        side[s].n = side[s].log_scale = 0.0
        side[s].rest, side[s].estimate = &room[s, 0], &room[2 + s, 0]
    with rng.bit_generator.lock, nogil:
        for place in range(order.shape[0]):
            item = order[place]
            if place < 2:
                sides[item] = <int> place
            else:
                gap = log(side[1].n / side[0].n) + side[1].log_scale - side[0].log_scale
                for f in range(n_features):
                    gap -= (side[1].estimate[f] - side[0].estimate[f]) * squares[item, f] / 2
                sides[item] = source.next_double(source.state) * (1 + exp(-gap)) < 1
            s = sides[item]
            side[s].n += 1
            side[s].log_scale = 0.0
            product, alike = 1.0, half[0]
            for f in range(n_features):
                side[s].rest[f] += squares[item, f]
                side[s].estimate[f] = (
                    (shape[f] + side[s].n * half[f]) / (rate[f] + side[s].rest[f] / 2)
                )
                # Take one logarithm for consecutive features of one width, as long as their product
                # neither overflows nor underflows.
                if half[f] != alike or not 1e-140 < product < 1e140:
                    side[s].log_scale += alike * log(product)
                    product, alike = 1.0, half[f]
                product *= side[s].estimate[f]
            side[s].log_scale += alike * log(product)
