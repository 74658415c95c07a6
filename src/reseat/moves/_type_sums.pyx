"""What the items of one or two types add up to in the publications, and precisions that fit."""

import numpy as np

from libc.math cimport fmax, log

from reseat.errors import DataError


cdef class TypeMembers:
    """Items of the types that a proposal concerns, and all others of their publications.

    Parameters
    ----------
    points : ndarray of float, shape (n_items, n_coordinates)
    starts : ndarray of int32, shape (n_features + 1,)
        Where the coordinates of each feature begin.
    block : ndarray of intp, shape (n_items,)
        Publication of each item, numbered from 0.
    labels : ndarray of intp, shape (n_items,)
        Type of each item.
    t : ndarray of float, shape (n_types, n_features)
        Precisions of the types.
    members : ndarray of intp
        The items, without repetition.
    sigma : float
        Variance of a coordinate of a mean.

    Raises
    ------
    DataError
        If the arrays are not of the same items, or there is no member.
    """

    cdef readonly Py_ssize_t n_members, n_blocks, n_coordinates
    cdef readonly int n_features
    cdef const double[:, ::1] points
    cdef const int[::1] starts
    cdef const Py_ssize_t[::1] members
    cdef Py_ssize_t[::1] place      # [member] its block, numbered among those that have members
    cdef double[:, ::1] mass        # [block][feature] of the others, with that of the prior
    cdef double[:, ::1] pull        # [block][coordinate] of the others
    cdef double[:, ::1] squares     # [block][feature] of that pull

    def __init__(
        self, const double[:, ::1] points, const int[::1] starts, const Py_ssize_t[::1] block,
        const Py_ssize_t[::1] labels, const double[:, ::1] t, const Py_ssize_t[::1] members,
        double sigma,
    ):
        cdef Py_ssize_t n = points.shape[0], item, row, k
        cdef int f, d
        cdef double weight
        if not (block.shape[0] == labels.shape[0] == n and members.shape[0] > 0):
            raise DataError(
                f"{n} points, {block.shape[0]} publications and {labels.shape[0]} types do not "
                "fit, or there is no member; give one of each per item, and at least one member."
            )
        cdef Py_ssize_t[::1] found = np.full(np.max(block) + 1, -1, dtype=np.intp)
        cdef char[::1] free = np.ones(n, dtype=np.int8)
        self.points, self.starts, self.members = points, starts, members
        self.n_members, self.n_coordinates = members.shape[0], points.shape[1]
        self.n_features = <int> (starts.shape[0] - 1)
        self.place = np.empty(self.n_members, dtype=np.intp)
        self.n_blocks = 0
        for row in range(self.n_members):
            item = members[row]
            free[item] = False
            if found[block[item]] < 0:
                found[block[item]] = self.n_blocks
                self.n_blocks += 1
            self.place[row] = found[block[item]]
        self.mass = np.full((self.n_blocks, self.n_features), 1 / sigma)
        self.pull = np.zeros((self.n_blocks, self.n_coordinates))
        for item in range(n):
            k = found[block[item]]
            if k < 0 or not free[item]:
                continue
            for f in range(self.n_features):
                weight = t[labels[item], f]
                self.mass[k, f] += weight
                for d in range(starts[f], starts[f + 1]):
                    self.pull[k, d] += weight * points[item, d]
        self.squares = np.empty((self.n_blocks, self.n_features))
        for k in range(self.n_blocks):
            for f in range(self.n_features):
                self.squares[k, f] = product(&self.pull[k, 0], &self.pull[k, 0], starts, f)


cdef inline double product(
    const double* a, const double* b, const int[::1] starts, int f
) noexcept nogil:
    """Inner product over the coordinates of a feature."""
    cdef double total = 0.0
    cdef int d
    for d in range(starts[f], starts[f + 1]):
        total += a[d] * b[d]
    return total


cdef class SideSums:
    """Sums of the members on one side or two, by publication.

    The density of precisions with the means of the publications integrated out needs no more of
    the sums over the coordinates than their products.

    Parameters
    ----------
    base : TypeMembers
    sides : ndarray of int32, shape (n_members,)
        Side of each member, 0 or 1.
    n_sides : int
        1 if all are on one.

    Raises
    ------
    DataError
        If there is not one side for each member, or it is none of these.
    """

    cdef TypeMembers base
    cdef Py_ssize_t n_sides
    cdef double[:, :, ::1] total    # [side][block][coordinate]
    cdef double[:, ::1] count       # [side][block]
    cdef double[:, ::1] square      # [side][feature] of all items
    cdef double[::1] n_items        # [side]
    cdef double[:, :, ::1] within   # [side][block][feature] product of its totals with themselves
    cdef double[:, :, ::1] pull     # [side][block][feature] of its totals with the pull of others
    cdef double[:, ::1] across      # [block][feature] of the totals of both sides

    def __init__(self, TypeMembers base not None, const int[::1] sides, Py_ssize_t n_sides):
        cdef Py_ssize_t row, k, s, n = base.n_blocks, D = base.n_coordinates
        cdef int f, F = base.n_features
        cdef Py_ssize_t d
        cdef const double* x
        if sides.shape[0] != base.n_members or not 0 <= np.min(sides) <= np.max(sides) < n_sides:
            raise DataError(
                f"The sides of {base.n_members} members must lie between 0 and {n_sides - 1}; "
                f"there are {sides.shape[0]}."
            )
        self.base, self.n_sides = base, n_sides
        self.total, self.count = np.zeros((n_sides, n, D)), np.zeros((n_sides, n))
        self.square, self.n_items = np.zeros((n_sides, F)), np.zeros(n_sides)
        self.within, self.pull = np.empty((n_sides, n, F)), np.empty((n_sides, n, F))
        self.across = np.zeros((n, F))
        for row in range(base.n_members):
            s, k, x = sides[row], base.place[row], &base.points[base.members[row], 0]
            self.n_items[s] += 1
            self.count[s, k] += 1
            for d in range(D):
                self.total[s, k, d] += x[d]
            for f in range(F):
                self.square[s, f] += product(x, x, base.starts, f)
        for k in range(n):
            for f in range(F):
                for s in range(n_sides):
                    x = &self.total[s, k, 0]
                    self.within[s, k, f] = product(x, x, base.starts, f)
                    self.pull[s, k, f] = product(x, &base.pull[k, 0], base.starts, f)
                if n_sides == 2:
                    self.across[k, f] = product(
                        &self.total[0, k, 0], &self.total[1, k, 0], base.starts, f
                    )

    cdef inline double _mass(self, const double* t, Py_ssize_t k, int f) noexcept nogil:
        """Posterior precision of the mean of a block."""
        cdef double mass = self.base.mass[k, f] + self.count[0, k] * t[f]
        if self.n_sides == 2:
            mass += self.count[1, k] * t[self.base.n_features + f]
        return mass

    cdef inline double _square(self, const double* t, Py_ssize_t k, int f) noexcept nogil:
        """Squared length of that precision times the mean."""
        cdef double one = t[f], two
        cdef double square = self.base.squares[k, f]
        square += one * (2 * self.pull[0, k, f] + one * self.within[0, k, f])
        if self.n_sides == 2:
            two = t[self.base.n_features + f]
            square += two * (2 * self.pull[1, k, f] + two * self.within[1, k, f])
            square += 2 * one * two * self.across[k, f]
        return square

    cdef inline double _inner(self, const double* t, Py_ssize_t s, Py_ssize_t k, int f) noexcept nogil:
        """Inner product of that and the totals of a side."""
        cdef double value = self.pull[s, k, f] + t[s * self.base.n_features + f] * self.within[s, k, f]
        if self.n_sides == 2:
            value += t[(1 - s) * self.base.n_features + f] * self.across[k, f]
        return value

    def fit(self, const double[::1] shape, const double[::1] rate, int n_steps):
        """Gamma laws of the precisions under which residuals are as large as they should be.

        Parameters
        ----------
        shape, rate : ndarray, shape (n_features,)
            Of the gamma laws that precisions come from.
        n_steps : int
            Steps from moments towards these precisions.

        Returns
        -------
        shape, rate : ndarray, shape (n_sides, n_features)
        """
        cdef Py_ssize_t s, k, S = self.n_sides, F = self.base.n_features
        cdef int f, step
        cdef double[:, ::1] t = np.empty((S, F)), spread = np.empty((S, F))
        cdef double[:, ::1] unsure = np.empty((S, F)), found = np.empty((S, F))
        cdef double half, free, count, many, mass, square
        with nogil:
            for s in range(S):
                for f in range(F):
                    spread[s, f] = self.square[s, f]
                free = self.n_items[s]
                for k in range(self.base.n_blocks):
                    if self.count[s, k] == 0:
                        continue
                    free -= 1
                    for f in range(F):
                        spread[s, f] -= self.within[s, k, f] / self.count[s, k]
                for f in range(F):
                    half = (self.base.starts[f + 1] - self.base.starts[f]) / 2.0
                    t[s, f] = (shape[f] + half * free) / (rate[f] + fmax(spread[s, f], 0.0) / 2)
            for step in range(n_steps + 1):
                for s in range(S):
                    for f in range(F):
                        spread[s, f] = self.square[s, f]
                        unsure[s, f] = 0.0
                for k in range(self.base.n_blocks):
                    for f in range(F):
                        mass = 1 / self._mass(&t[0, 0], k, f)
                        square = self._square(&t[0, 0], k, f) * mass
                        for s in range(S):
                            count = self.count[s, k]
                            if count == 0:
                                continue
                            unsure[s, f] += count * mass
                            many = count * square - 2 * self._inner(&t[0, 0], s, k, f)
                            spread[s, f] += many * mass
                for s in range(S):
                    for f in range(F):
                        half = (self.base.starts[f + 1] - self.base.starts[f]) / 2.0
                        if step == n_steps:
                            free = fmax(self.n_items[s] - t[s, f] * unsure[s, f], 0.0)
                            found[s, f] = shape[f] + half * free
                        else:
                            spread[s, f] = fmax(spread[s, f], 0.0) / 2 + half * unsure[s, f]
                for s in range(S):
                    for f in range(F):
                        half = (self.base.starts[f + 1] - self.base.starts[f]) / 2.0
                        if step < n_steps:
                            t[s, f] = (shape[f] + half * self.n_items[s]) / (rate[f] + spread[s, f])
        found_array = np.asarray(found)
        return found_array, found_array / np.asarray(t)

    def residuals(self, const double[:, ::1] t):
        """Expected squared residuals of the members from the means of their publications.

        Parameters
        ----------
        t : ndarray, shape (n_sides, n_features)
            Precisions of the sides.

        Returns
        -------
        ndarray, shape (n_members, n_features)
        """
        cdef TypeMembers base = self.base
        cdef Py_ssize_t row, k, s, F = base.n_features
        cdef int f, d
        cdef double[:, ::1] mean = np.array(base.pull)
        cdef double[:, ::1] variance = np.empty((base.n_blocks, F))
        cdef double[:, ::1] out = np.empty((base.n_members, F))
        cdef double gap
        with nogil:
            for k in range(base.n_blocks):
                for f in range(F):
                    variance[k, f] = 1 / self._mass(&t[0, 0], k, f)
                    for d in range(base.starts[f], base.starts[f + 1]):
                        for s in range(self.n_sides):
                            mean[k, d] += t[s, f] * self.total[s, k, d]
                        mean[k, d] *= variance[k, f]
            for row in range(base.n_members):
                k = base.place[row]
                for f in range(F):
                    out[row, f] = (base.starts[f + 1] - base.starts[f]) * variance[k, f]
                    for d in range(base.starts[f], base.starts[f + 1]):
                        gap = base.points[base.members[row], d] - mean[k, d]
                        out[row, f] += gap * gap
        return np.asarray(out)

    def log_density(self, const double[:, ::1] t):
        """Log density of the items given the precisions, but for what the sides have no part in.

        Parameters
        ----------
        t : ndarray, shape (n_sides, n_features)
            Precisions of the sides.

        Returns
        -------
        float
        """
        cdef Py_ssize_t s, k
        cdef int f, F = self.base.n_features
        cdef double[::1] products = np.ones(F)
        cdef double total = 0.0, half, mass
        with nogil:
            for k in range(self.base.n_blocks):
                for f in range(F):
                    mass = self._mass(&t[0, 0], k, f)
                    total += self._square(&t[0, 0], k, f) / mass / 2
                    # One logarithm for many blocks, as far as their product has range.
                    products[f] *= mass
                    if not 1e-140 < products[f] < 1e140:
                        half = (self.base.starts[f + 1] - self.base.starts[f]) / 2.0
                        total -= half * log(products[f])
                        products[f] = 1.0
            for f in range(F):
                half = (self.base.starts[f + 1] - self.base.starts[f]) / 2.0
                total -= half * log(products[f])
                for s in range(self.n_sides):
                    total += self.n_items[s] * half * log(t[s, f])
                    total -= t[s, f] * self.square[s, f] / 2
        return total
