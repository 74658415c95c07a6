from numpy.random cimport bitgen_t

from reseat.likelihoods._likelihood cimport SlotwiseLikelihood


cdef class MeanBlocks(SlotwiseLikelihood):
    cdef readonly object data
    cdef readonly double sigma
    cdef int n_features, n_coordinates
    cdef object _held, _given, _size_array
    cdef object _mass_array, _pull_array, _centre_array, _spread_array, _mean_array, _base_array
    cdef const double* point        # [item][coordinate]
    cdef const int* starts          # [feature + 1]
    # the types, as last taken in by `condition`
    cdef int* type_of               # [item]
    cdef const double* precision    # [type][feature]
    cdef const double* variance     # [type][feature] one over the precision
    cdef const double* log_scale    # [type] log density of an item at its mean
    # the blocks, with one row more than there are slots, which always is that of an empty block
    cdef double* base               # [feature] prior precision of a mean
    cdef double* mass               # [slot][feature] posterior precision of a mean
    cdef double* pull               # [slot][coordinate] posterior precision times posterior mean
    cdef double* centre             # [slot][coordinate] posterior mean of a mean
    cdef double* spread             # [slot][feature] posterior variance of a mean
    cdef double* mean               # [slot][coordinate] as last drawn

    cdef const double* middle(self, Py_ssize_t slot) noexcept nogil
    cdef const double* weights_of(self, int kind, Py_ssize_t slot, double* log_top) noexcept nogil
    cdef double score_new(self, Py_ssize_t item, Py_ssize_t own, double floor) noexcept nogil
    cdef void take_out(self, Py_ssize_t item, Py_ssize_t own) noexcept nogil
    cdef double score_typed(
        self, Py_ssize_t item, Py_ssize_t own, int kind, Py_ssize_t slot, double limit
    ) noexcept nogil
    cdef void retype(self, Py_ssize_t item, Py_ssize_t slot, int kind) noexcept nogil
    cdef void _clear(self, Py_ssize_t slot) noexcept nogil
    cdef void _add(self, Py_ssize_t item, Py_ssize_t slot, double sign) noexcept nogil
    cdef void _derive(self, Py_ssize_t slot) noexcept nogil
    cdef void _draw(self, Py_ssize_t slot, double* mean, bitgen_t* rng) noexcept nogil
    cdef void leave_out(
        self, MeanBlocks sums, Py_ssize_t item, const Py_ssize_t* lost
    ) noexcept nogil
    cdef double redraw(
        self, MeanBlocks sums, Py_ssize_t item, const Py_ssize_t* lost, const Py_ssize_t* gained,
        bitgen_t* rng,
    ) noexcept nogil
    cdef void take_drawn(
        self, Py_ssize_t item, const Py_ssize_t* lost, const Py_ssize_t* gained
    ) noexcept nogil

    cdef inline const double* _precision_of(self, Py_ssize_t item) noexcept nogil:
        return self.precision + self.type_of[item] * self.n_features

    cdef inline const double* _variance_of(self, Py_ssize_t item) noexcept nogil:
        return self.variance + self.type_of[item] * self.n_features
