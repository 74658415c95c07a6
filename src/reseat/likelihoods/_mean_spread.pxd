cimport cython

from reseat.likelihoods._precision_law cimport Moments


@cython.final
cdef class MeanSpread:
    cdef int n_features, n_coordinates, width, stride
    cdef int middle             # where in a row the centre begins
    cdef Py_ssize_t n_groups
    cdef object _arrays
    cdef const int* starts      # [feature + 1]
    cdef const int* squares     # [feature] where its products begin in a row
    cdef double* sums           # [group][stride], see the head of the .pyx file
    cdef double* count          # [group] number of means
    cdef double* first          # [group][feature] sum of the squared distances
    cdef double* second         # [group][feature] sum of their squares
    cdef double* total_first    # [feature] sums of these over all groups
    cdef double* total_second
    cdef double* without        # [stride] scratch row
    cdef double n_means, n_pairs

    cdef void shift(self, double* row, int feature, const double* mean, double sign) noexcept nogil
    cdef void measure(
        self, const double* row, double count, int feature, const double* added,
        double* first, double* second,
    ) noexcept nogil
    cdef void change(self, Py_ssize_t group, const double* mean, double sign) noexcept nogil
    cdef void renew(self, Py_ssize_t group, int feature) noexcept nogil
    cdef void rebuild(
        self, const double* means, const int* sizes, const int* group_of, Py_ssize_t n_slots
    ) noexcept nogil

    cdef inline double* row_of(self, Py_ssize_t group) noexcept nogil:
        return self.sums + group * self.stride

    cdef inline Moments moments(self, int feature) noexcept nogil:
        return Moments(
            self.n_means, self.n_pairs, self.total_first[feature], self.total_second[feature]
        )

    cdef inline Moments replace(
        self, Py_ssize_t group, double count, int feature, double first, double second
    ) noexcept nogil:
        """Return the moments of all pairs if a group had `count` means and these moments."""
        cdef double old = self.count[group]
        cdef Py_ssize_t place = group * self.n_features + feature
        return Moments(
            self.n_means + count - old,
            self.n_pairs + (count * (count - 1) - old * (old - 1)) / 2,
            self.total_first[feature] - self.first[place] + first,
            self.total_second[feature] - self.second[place] + second,
        )
